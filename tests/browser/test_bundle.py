"""The bundle on a host that is not ours: its page of three steps, followed in a browser.

The host is a JupyterLab as a package index gives it, in an environment of its own without `eagle_lab`, ipywidgets and
numpy: of Python 3.12 where `python3.12` runs here, else of the Python that runs the tests. It knows no font of ours, so
a Chinese character in a picture can only come from the wheel; a glyph that is missing makes the kernel warn.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "notebooks"))
from .conftest import REPOSITORY, STORED, TOKEN, serving
from .live import ERRORS, OPENED, LiveNotebook
from bundle import make_bundle
from opening import BUNDLE

pytestmark = pytest.mark.slow
STEPS = (REPOSITORY / "notebooks" / "START_HERE_zh.txt").read_text(encoding="utf-8")
UNPACK = next(line.strip() for line in STEPS.splitlines() if "unpack_archive" in line)
INSTALLING = 300_000  # ms for the first cell, which fetches matplotlib and others from an index
PICTURES = """cells => Array.from(document.querySelectorAll('.jp-Notebook .jp-Cell'))
    .filter((cell, number) => cells.includes(number))
    .map(cell => Array.from(cell.querySelectorAll('.jp-OutputArea img')))
    .map(images => images.some(({complete, naturalWidth}) => complete && naturalWidth > 0))"""


def host_python(folder: Path) -> Path:
    """The interpreter of a fresh environment that holds a JupyterLab, and nothing that our package brings."""
    other = shutil.which("python3.12")
    runs = other and not subprocess.run([other, "-c", ""], capture_output=True).returncode  # a mere shim may not
    subprocess.run([other if runs else sys.executable, "-m", "venv", folder], check=True, timeout=120)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-compile", "jupyterlab"], check=True, timeout=600)
    return python


def upload_and_unpack(page, bundle: Path) -> None:
    """Steps 1 and 2: the upload button of the file browser, and one line in a new notebook."""
    with page.expect_file_chooser() as chooser:
        page.get_by_title("Upload Files").click()
    chooser.value.set_files(bundle)
    page.locator(".jp-DirListing-item", has_text=BUNDLE).wait_for()
    page.locator(".jp-LauncherCard[data-category=Notebook]").first.click()
    page.wait_for_function(OPENED)
    page.locator(".jp-Notebook .cm-content").first.click()
    page.keyboard.type(UNPACK)
    page.keyboard.press("Shift+Enter")
    page.locator(".jp-DirListing-item", has_text="eagle-lab").nth(1).wait_for()  # the folder, beside the zip


@pytest.fixture(scope="module")
def host(browser, tmp_path_factory):
    """A JupyterLab in which a reader has uploaded and unpacked the bundle; yields its address and that folder."""
    home = tmp_path_factory.mktemp("host")
    (home / "notebooks").mkdir()
    python, bundle = host_python(home / "environment"), make_bundle(home / BUNDLE)
    with serving(home, python) as server:
        page = browser.new_page()
        page.goto(f"{server}lab?token={TOKEN}")
        upload_and_unpack(page, bundle)
        page.close()
        yield server, home / "notebooks" / "eagle-lab"


def pictures(live: LiveNotebook, file: Path) -> list[bool]:
    """Whether each cell that is stored with a picture shows one."""
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    outputs = [[output.get("data", ()) for output in cell.get("outputs", ())] for cell in cells]
    stored = [number for number, kinds in enumerate(outputs) if any("image/png" in kind for kind in kinds)]
    return live.page.evaluate(PICTURES, stored)


@pytest.fixture(scope="module")
def first_run(host, browser, tmp_path_factory):
    """The first notebook in a page that is older than the installation: its pictures, and how many widgets it has."""
    server, folder = host
    live = LiveNotebook(browser.new_page(viewport={"width": 1200, "height": 1000}), server)
    with live.pictured(tmp_path_factory.mktemp("first")):
        live.run_cells(f"{server}lab/tree/eagle-lab/{STORED[0]}?reset&token={TOKEN}", INSTALLING)
        assert live.page.locator(ERRORS).count() == 0
        seen = pictures(live, folder / STORED[0]), live.page.locator(".jp-Notebook .jupyter-widgets").count()
    live.shut_down()
    live.page.close()
    return seen


def test_the_first_run_installs_and_shows_still_pictures_until_the_page_is_loaded_again(first_run):
    shown, widgets = first_run
    assert len(shown) > 1 and all(shown)
    assert widgets == 0, "the page of steps need not ask for a reload any more"


@pytest.mark.parametrize("path", STORED)
def test_every_notebook_runs_with_its_pictures_and_panels(path, host, first_run, browser, tmp_path):
    server, folder = host
    live = LiveNotebook(browser.new_page(viewport={"width": 1200, "height": 1000}), server)
    with live.pictured(tmp_path):
        live.run(f"{server}lab/tree/eagle-lab/{path}?reset&token={TOKEN}", folder / path)
        assert live.panels and all(pictures(live, folder / path))
        assert live.page.locator(ERRORS).count() == 0
        assert live.told() == [] and live.complaints == []
        live.page.screenshot(path=tmp_path / "page.png")
    live.shut_down()
    live.page.close()
