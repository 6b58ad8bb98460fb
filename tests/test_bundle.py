"""The bundle for a host: what is in it, that it can be installed, and that its page of steps tells the truth."""

import doctest
import subprocess
import sys
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "notebooks"))
import bundle
from bundle import contents, make_bundle, write_zip
from opening import BUNDLE, LANGUAGES, PROJECT, WHEEL

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
CHOICES = [("zh",), ("en",), LANGUAGES]


def steps(language: str) -> str:
    return (NOTEBOOKS / f"START_HERE_{language}.txt").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """A file in the place of the wheel, which takes long to build."""
    path = tmp_path_factory.mktemp("wheel") / WHEEL
    path.write_bytes(b"a wheel")
    return path


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(bundle) == (0, 1)


@pytest.mark.parametrize("languages", CHOICES)
def test_the_bundle_holds_the_wheel_the_stored_notebooks_and_a_page_for_each_language(languages, wheel, tmp_path):
    write_zip(tmp_path / BUNDLE, contents(wheel, languages))
    expected = {WHEEL: wheel, "LICENSE": NOTEBOOKS.parent / "LICENSE"}
    for language in languages:
        expected[f"START_HERE_{language}.txt"] = NOTEBOOKS / f"START_HERE_{language}.txt"
        expected |= {f"{language}/{path.name}": path for path in (NOTEBOOKS / language).glob("*.ipynb")}
    with ZipFile(tmp_path / BUNDLE) as packed:
        assert packed.testzip() is None
        found = {name.removeprefix("eagle-lab/"): packed.read(name) for name in packed.namelist()}
    assert found == {name: path.read_bytes() for name, path in expected.items()}
    assert sum(name.endswith(".ipynb") for name in found) == 4 * len(languages)


def test_a_language_that_there_is_not_is_refused(wheel):
    with pytest.raises(ValueError, match="fr: there are zh, en"):
        contents(wheel, ("fr",))


def test_the_same_files_give_the_same_bytes(wheel, tmp_path):
    for name in "ab":
        write_zip(tmp_path / name, contents(wheel))
        wheel.touch()
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_of_steps_names_what_is_there_and_its_line_unpacks(language, wheel, tmp_path):
    page = steps(language)
    assert f"Python {PROJECT['requires-python'].removeprefix('>=')}" in page and BUNDLE in page
    (line,) = (line.strip() for line in page.splitlines() if "unpack_archive" in line)
    write_zip(tmp_path / BUNDLE, contents(wheel, (language,)))
    subprocess.run([sys.executable, "-I", "-c", line], cwd=tmp_path, check=True, timeout=60)
    first = tmp_path / "eagle-lab" / language / "01_where_eagle_sits.ipynb"
    assert str(first.relative_to(tmp_path).as_posix()) in page and first.is_file()
    assert (first.parent.parent / WHEEL).is_file()  # where the first cell looks


@pytest.mark.slow
def test_the_wheel_in_the_bundle_installs_and_brings_its_models_and_its_font(tmp_path):
    packed = make_bundle(tmp_path / "dist" / BUNDLE, ("zh",))
    assert packed.read_bytes() == make_bundle(tmp_path / "again.zip", ("zh",)).read_bytes()
    with ZipFile(packed) as opened:
        wheel = opened.extract(f"eagle-lab/{WHEEL}", tmp_path)
    names = ZipFile(wheel).namelist()
    assert any(name.endswith("CJK-Regular.otf") for name in names)
    assert sum(name.endswith(".safetensors") for name in names) > 1
    venv.create(tmp_path / "host", with_pip=True)
    python = tmp_path / "host" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", wheel], check=True, timeout=300)
    code = "from importlib.metadata import version; import eagle_lab; print(version('eagle-lab'))"
    ran = subprocess.run([python, "-I", "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert ran.stdout.strip() == PROJECT["version"], ran.stderr
