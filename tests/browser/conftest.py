"""A real JupyterLab on loopback and a real Chromium, for tests that use notebooks as a reader does."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest

from solutions import solve

REPOSITORY = Path(__file__).parents[2]
TOKEN = "reader"
STORED = [
    f"{folder}/{file.name}"
    for folder in ("zh", "en")
    for file in sorted((REPOSITORY / "notebooks" / folder).glob("*.ipynb"))
]
EXERCISES, SOLVED = "zh/04_exercises.ipynb", "zh/04_exercises_solved.ipynb"  # the second is made of the first
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
CHROMIUM_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """A JupyterLab server over a copy of the notebooks; yields its address and the copy's folder."""
    home = tmp_path_factory.mktemp("lab")
    shutil.copytree(REPOSITORY / "notebooks", home / "notebooks")
    exercises = nbformat.read(home / "notebooks" / EXERCISES, as_version=4)
    nbformat.write(solve(exercises), home / "notebooks" / SOLVED)
    with serving(home) as address:
        yield address, home / "notebooks"


@contextmanager
def serving(home: Path, python: Path | str = sys.executable):
    """Serve the notebooks of `home` in a Python's JupyterLab that keeps to this folder; yields its address."""
    # Cells out of sight stay in the page, so that a test can look at them.
    _set(home, "notebook-extension/tracker", {"windowingMode": "none"})
    folders = {f"JUPYTER_{kind}_DIR": str(home / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")}
    environment = (
        os.environ | folders | {"JUPYTERLAB_SETTINGS_DIR": str(home / "settings"), "OPENBLAS_NUM_THREADS": "1"}
    )
    arguments = [
        "--no-browser",
        "--allow-root",
        "--port=0",
        f"--ServerApp.root_dir={home / 'notebooks'}",
        f"--LabApp.app_settings_dir={REPOSITORY / 'notebooks' / 'lab'}",  # as in `make lab`: nobody is asked about news
        f"--IdentityProvider.token={TOKEN}",
        "--LabApp.expose_app_in_browser=True",
    ]
    log = (home / "log.txt").open("w")
    server = subprocess.Popen(
        [python, "-m", "jupyterlab", *arguments],
        env=environment,
        stdout=log,
        stderr=log,
        start_new_session=True,
    )
    try:
        yield _wait_for_address(home / "runtime", server, home / "log.txt")
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(timeout=30)
        log.close()


def _set(home: Path, plugin: str, values: dict) -> None:
    file = home / "settings" / "@jupyterlab" / f"{plugin}.jupyterlab-settings"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(values))


def _wait_for_address(runtime: Path, server: subprocess.Popen, log: Path) -> str:
    for _ in range(300):
        found = list(runtime.glob("jpserver-*.json"))
        if found:
            return json.loads(found[0].read_text())["url"]
        if server.poll() is not None:
            break
        time.sleep(0.2)
    raise RuntimeError(f"JupyterLab did not start: {log.read_text()[-2000:]}")


@pytest.fixture(scope="session")
def browser():
    """The system's Chromium."""
    if CHROMIUM is None:
        pytest.fail("the browser tests need Chromium: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_FLAGS)
        yield chromium
        chromium.close()
