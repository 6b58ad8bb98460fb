# make lab   opens JupyterLab on the first notebook       make test   runs every test
# Both set up .venv by themselves; PYTHON=python3.12 chooses another interpreter, LANGUAGE=en the English notebooks.

PYTHON ?= python3
LANGUAGE ?= zh
VENV := .venv
OLDEST := .venv-oldest
BIN := $(VENV)/bin
FIRST := notebooks/$(LANGUAGE)/01_where_eagle_sits.ipynb

# Several BLAS threads make matrices of this size slower, up to forty times on busy machines.
export OPENBLAS_NUM_THREADS := 1
export OMP_NUM_THREADS := 1
export MKL_NUM_THREADS := 1

.DEFAULT_GOAL := help
.PHONY: help lab bundle test test-all test-browser test-oldest bench bench-browser evidence notebooks lint format clean

help:
	@sed -n '1,2s/^# //p' Makefile

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "eagle_lab needs Python 3.11 or newer; say which with: make PYTHON=python3.12 …"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.lab: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[lab]'
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[lab,test]'
	@touch $@ $(VENV)/.lab

# notebooks/lab/overrides.json: nobody is asked about news, nothing is looked up; a reader's own settings come first.
lab: $(VENV)/.lab
	$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) --LabApp.default_url=/lab/tree/$(FIRST) \
	  --LabApp.app_settings_dir="$(CURDIR)/notebooks/lab"

# For ModelScope, Colab or a JupyterHub: one zip in dist/; LANGUAGES=zh or LANGUAGES=en leaves out the other language.
bundle: | $(BIN)/python
	$(BIN)/python notebooks/bundle.py $(LANGUAGES)

NBVAL := -m pytest --nbval --nbval-current-env --nbval-cell-timeout=120

test: $(VENV)/.test lint
	$(BIN)/python -m pytest -n 2 --dist loadfile --ignore=tests/browser -m "not slow"
	$(BIN)/python $(NBVAL) notebooks/zh

# Both languages, both editions, and an installation from scratch.
test-all: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist loadfile --ignore=tests/browser -m slow
	$(BIN)/python $(NBVAL) notebooks/zh notebooks/en

test-browser: $(VENV)/.test
	$(BIN)/python -m pytest tests/browser

$(OLDEST)/.test: pyproject.toml tests/oldest.txt
	$(PYTHON) -m venv --clear $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[lab,test]' -c tests/oldest.txt
	@touch $@

# ipywidgets 7 opens its comms by a name that ipykernel now calls old; readers never see that warning.
test-oldest: $(OLDEST)/.test
	$(OLDEST)/bin/python -m pytest -n 2 --dist loadfile --ignore=tests/browser -m "not slow" \
	  -W 'ignore:The `ipykernel.comm.Comm` class has been deprecated:DeprecationWarning'
	$(OLDEST)/bin/python $(NBVAL) notebooks/zh

bench: $(VENV)/.test
	$(BIN)/python tests/bench.py

bench-browser: $(VENV)/.test
	cd tests && ../$(BIN)/python -m browser.latency

evidence: $(VENV)/.test
	$(BIN)/python tests/evidence.py

notebooks: $(VENV)/.test
	$(BIN)/python notebooks/build.py

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) $(OLDEST) build dist
