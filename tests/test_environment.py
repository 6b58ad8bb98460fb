"""The table of what is installed: read from the packages' own metadata, honest about what is missing or out of step."""

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
import yaml

from eagle_lab import check_environment, environment, use_language
from eagle_lab.environment import fits

ROOT = Path(__file__).parents[1]
LAB, CLASSIC = "jupyterlab_widgets", "widgetsnbextension"
SEVEN = {"ipywidgets": "7.7.1", LAB: "1.1.11", CLASSIC: "3.6.10"}
EIGHT = {"ipywidgets": "8.1.5", LAB: "3.0.13", CLASSIC: "4.0.13"}
PAGE_NEEDS = {  # as 7.7.1 and 8.1.5 say them
    "7": ["widgetsnbextension (~=3.6.0)", 'jupyterlab-widgets (>=1.0.0) ; python_version>="3.6"'],
    "8": ["comm>=0.1.3", "widgetsnbextension~=4.0.12", "jupyterlab-widgets~=3.0.12", 'pytest; extra == "test"'],
}


@pytest.fixture
def pretend(monkeypatch):
    """Another machine: `pretend(name=version or None, …)`, and all else as it is here."""

    def change(**versions):
        def version(name):
            if versions.get(name, "") is None:
                raise PackageNotFoundError(name)
            return versions.get(name) or real_version(name)

        def requires(name):
            major = (versions.get(name) or "")[:1]
            return PAGE_NEEDS[major] if name == "ipywidgets" and major in PAGE_NEEDS else real_requires(name)

        monkeypatch.setattr(environment, "version", version)
        monkeypatch.setattr(environment, "requires", requires)
        return check_environment()

    real_version, real_requires = environment.version, environment.requires
    return change


def row(report, name):
    return next(row for row in report.rows if row.name == name)


def test_this_environment_fits_and_names_every_requirement_of_the_package():
    report = check_environment()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["lab"]]
    said = {row.name + row.needed for row in report.rows}
    assert report.fits and set(needed) <= said and f"Python{project['requires-python']}" in said
    assert {LAB, CLASSIC} <= {row.name for row in report.rows}


@pytest.mark.parametrize(("language", "head"), [("zh", "软件包"), ("en", "package")])
def test_it_prints_as_one_table_in_the_language_in_use(language, head):
    use_language(language)
    try:
        lines = str(check_environment()).splitlines()
        assert repr(check_environment()).splitlines() == lines
    finally:
        use_language("zh")
    assert lines[0].startswith(head) and set(lines[1]) == {"-", " "}
    assert lines[2].split()[:3] == ["Python", sys.version.split()[0], ">=3.11"]


# what is there, the package that does not fit, its verdict, what the advice says
CASES = {
    "numpy missing": ({"numpy": None}, "numpy", "missing", "numpy>=1.26"),
    "matplotlib too old": ({"matplotlib": "3.5.3"}, "matplotlib", "misfits", "matplotlib>=3.8"),
    "ipywidgets too old": ({"ipywidgets": "6.0.1"}, "ipywidgets", "misfits", "ipywidgets>=7.7"),
    "page of 8 under 7": (SEVEN | {LAB: "3.0.17"}, LAB, "misfits", "jupyterlab_widgets>=1.0.0,<3"),
    "page of 7 under 8": (EIGHT | {LAB: "1.1.11"}, LAB, "misfits", "jupyterlab_widgets~=3.0.12"),
    "classic page of 8 under 7": (SEVEN | {CLASSIC: "4.0.16"}, CLASSIC, "misfits", "widgetsnbextension~=3.6.0"),
    "package not installed": ({"eagle-lab": None}, "eagle-lab", "missing", "pip install -e ."),
}


@pytest.mark.parametrize("case", CASES)
def test_what_does_not_fit_is_named_with_what_mends_it(pretend, case):
    versions, name, verdict, advice = CASES[case]
    report = pretend(**versions)
    assert not report.fits and row(report, name).verdict == verdict
    _, _, sentences = str(report).partition("\n\n")
    assert any(line.startswith(name) and advice in line for line in sentences.splitlines())


@pytest.mark.parametrize("versions", [SEVEN, EIGHT], ids=["7", "8"])
def test_ipywidgets_with_its_own_page_fits(pretend, versions):
    assert pretend(**versions).fits


def test_a_host_with_a_page_of_its_own_needs_no_jupyterlab(pretend):
    report = pretend(jupyterlab=None)
    assert report.fits and row(report, "jupyterlab").verdict == "missing" and "jupyterlab：" in str(report)


def test_an_older_python_is_told_to_change(monkeypatch):
    monkeypatch.setattr(environment.platform, "python_version", lambda: "3.10.12")
    report = check_environment()
    assert not report.fits and "Python 需要 >=3.11" in str(report)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "gbk", "utf-8"])
def test_any_console_can_print_it(encoding):
    ran = subprocess.run(
        [sys.executable, "-m", "eagle_lab.environment"],
        cwd=ROOT,
        env=os.environ | {"PYTHONIOENCODING": encoding},
        capture_output=True,
        check=True,
        timeout=60,
    )
    head = ran.stdout.decode(encoding).split()[0]
    assert head == ("package" if encoding in ("ascii", "latin-1") else "软件包") and ran.stderr == b""


def test_the_environment_file_names_a_python_that_repo2docker_can_read():
    dependencies = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    python = next(line for line in dependencies if str(line).startswith("python"))
    assert re.fullmatch(r"python=\d\.\d+", python)  # it overlooks a bound, and starts from an older Python
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert fits(python.removeprefix("python="), project["requires-python"])
    assert {"pip": ["-e .[lab]"]} in dependencies


ENGINE_ALONE = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("matplotlib", "networkx", "ipywidgets", "IPython", "PIL"):
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
from eagle_lab import exercises, greedy_decode, load_pair, speculative_decode
pair = load_pair("stories")
prompt = pair.encode("Once upon a time")
assert speculative_decode(pair, prompt, 8).tokens == greedy_decode(pair.target, prompt, 8)
try:
    from eagle_lab import draw_tree
except ImportError as error:
    print(error)
"""


def test_the_engine_runs_where_pictures_and_panels_cannot_be_imported():
    ran = subprocess.run([sys.executable, "-c", ENGINE_ALONE], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0 and ran.stdout.endswith("is blocked\n"), ran.stderr


@pytest.mark.parametrize(("chosen", "expected"), [({}, "1 1 1"), ({"OMP_NUM_THREADS": "3"}, "1 3 1")])
def test_threads_are_set_for_the_process_unless_the_reader_has_chosen(chosen, expected):
    code = "import eagle_lab, os; print(*(os.environ[f'{name}_NUM_THREADS'] for name in ('OPENBLAS', 'OMP', 'MKL')))"
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=kept | chosen, capture_output=True, text=True)
    assert ran.stdout.strip() == expected, ran.stderr


def test_no_page_quotes_what_it_installs_as_only_some_shells_do():
    pages = [
        page for kind in ("*.md", "docs/*.md", "notebooks/*.txt", "notebooks/source/*.py") for page in ROOT.glob(kind)
    ]
    lines = [line for page in pages for line in page.read_text(encoding="utf-8").splitlines() if "pip install" in line]
    assert len(lines) >= 3 and not [line for line in lines if re.search(r"pip install[^`]*'", line)]  # cmd keeps '


@pytest.mark.parametrize(
    ("installed", "needed", "expected"),
    [
        ("1.26", ">=1.26.0", True),
        ("1.9", ">=1.10", False),
        ("3.10.0rc1", ">=3.9", True),
        ("2.5.0.dev0+git1", ">=2.5", True),
        ("8.1.9", ">=7.7,<8", False),
        ("3.6.10", "~=3.6.0", True),
        ("3.7.0", "~=3.6.0", False),
        ("3.6", "~=3.0", True),
        ("4.0", "~=3.0", False),
        ("1.2", "!=1.2", False),
    ],
)
def test_versions_compare_by_number(installed, needed, expected):
    assert fits(installed, needed) == expected
