"""The bundle on a host that is not ours: its page of three steps, followed in a browser.

The host is a JupyterLab as a package index gives it, in an environment of its own without `eagle_lab`, ipywidgets and
numpy: of Python 3.12 where `python3.12` runs here, else of the Python that runs the tests. It knows no font of ours.
matplotlib says nothing of a glyph that it lacks, so the kernel is asked which font of the wheel its pictures use.
"""

import json
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "notebooks"))
from .conftest import REPOSITORY, STORED, TOKEN, serving
from .live import ERRORS, OPENED, PATIENCE, LiveNotebook
from bundle import make_bundle
from opening import BUNDLE

pytestmark = pytest.mark.slow
STEPS = (REPOSITORY / "notebooks" / "START_HERE_zh.txt").read_text(encoding="utf-8")
UNPACK = next(line.strip() for line in STEPS.splitlines() if "unpack_archive" in line)
INSTALLING = 300_000  # ms for the first cell, which fetches matplotlib and others from an index
PICTURED = """cells => Array.from(document.querySelectorAll('.jp-Notebook .jp-Cell'))
    .filter((cell, number) => cells.includes(number))
    .map(cell => Array.from(cell.querySelectorAll('.jp-OutputArea img')))
    .every(images => images.some(({complete, naturalWidth}) => complete && naturalWidth > 0))"""
TOLD_BY = """async code => {
    const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    const answer = kernel.requestExecute({code, store_history: false});
    let told = '';
    answer.onIOPub = ({content}) => { told += content.text ?? ''; };
    await answer.done;
    return told.trim();
}"""
CHINESE_FONTS = """from matplotlib.font_manager import fontManager, get_font
files = [font.fname for font in fontManager.ttflist if "eagle_lab" in font.fname]
print(*["site-packages" in file and {*map(ord, "候选树")} <= {*get_font(file).get_charmap()} for file in files])"""
WIDGETS = ".jp-Notebook .jupyter-widgets"


def host_python(folder: Path) -> Path:
    """The interpreter of a fresh environment that holds a JupyterLab, and nothing that our package brings."""
    other = shutil.which("python3.12")
    runs = other and not subprocess.run([other, "-c", ""], capture_output=True).returncode  # a mere shim may not
    subprocess.run([other if runs else sys.executable, "-m", "venv", folder], check=True, timeout=120)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-compile", "jupyterlab"], check=True, timeout=600)
    return python


@contextmanager
def without_checkout():
    """Processes that start within know nothing of this checkout, which PYTHONPATH may name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONPATH", raising=False)
        yield


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
def reader(browser):
    """A reader's browser, with nothing in its cache at first."""
    with browser.new_context(viewport={"width": 1200, "height": 1000}) as context:
        yield context


@pytest.fixture(scope="module")
def host(reader, tmp_path_factory):
    """A JupyterLab in which a reader has uploaded and unpacked the bundle; yields its address."""
    home = tmp_path_factory.mktemp("host")
    (home / "notebooks").mkdir()
    python, bundle = host_python(home / "environment"), make_bundle(home / BUNDLE)
    with without_checkout(), serving(home, python) as server:
        page = reader.new_page()
        page.goto(f"{server}lab?token={TOKEN}")
        upload_and_unpack(page, bundle)
        page.close()
        yield server


@contextmanager
def running(reader, server: str, path: str, folder: Path, patience: int):
    """Step 3: one notebook of the bundle, run in a page of its own until its stored pictures are there again."""
    live = LiveNotebook(reader.new_page(), server)
    with live.pictured(folder):
        live.run_cells(f"{server}lab/tree/eagle-lab/{path}?reset&token={TOKEN}", patience)
        pictured = cells_with_pictures(REPOSITORY / "notebooks" / path)
        live.page.wait_for_function(PICTURED, arg=pictured)
        assert live.page.locator(ERRORS).count() == 0 and live.told() == []
        assert not pictured or live.page.evaluate(TOLD_BY, CHINESE_FONTS) == "True"
        yield live
        live.page.screenshot(path=folder / "page.png")
    live.shut_down()
    live.page.close()


def cells_with_pictures(file: Path) -> list[int]:
    """The numbers of the cells that are stored with a picture."""
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    outputs = [[output.get("data", ()) for output in cell.get("outputs", ())] for cell in cells]
    return [number for number, kinds in enumerate(outputs) if any("image/png" in kind for kind in kinds)]


@pytest.fixture(scope="module")
def first_run(reader, host, tmp_path_factory):
    """The first notebook, run in a page that is older than the installation; yields the number of its widgets."""
    with running(reader, host, STORED[0], tmp_path_factory.mktemp("first"), INSTALLING) as live:
        widgets = live.page.locator(WIDGETS).count()
    return widgets


def test_the_first_run_installs_and_shows_still_pictures_until_the_page_is_loaded_again(first_run):
    assert first_run == 0, "the page of steps need not ask for a reload any more"


@pytest.mark.parametrize("path", STORED)
def test_every_notebook_runs_with_its_pictures_and_panels(path, reader, host, first_run, tmp_path):
    with running(reader, host, path, tmp_path, PATIENCE) as live:
        live.page.locator(WIDGETS).first.wait_for()
        assert live.complaints == []
