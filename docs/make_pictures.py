"""Make the pictures of the README: the tree panel of notebook 03, still and while a slider moves (`make pictures`).

A real JupyterLab and a real Chromium, through the helpers of the browser tests: what is seen is what a reader gets.
Every frame is taken when the panel has finished; the fonts are those of the pictures, whatever this machine has.
"""

import base64
import io
import shutil
import tempfile
from pathlib import Path

import matplotlib
from PIL import Image
from playwright.sync_api import sync_playwright
from tqdm import tqdm

from browser.conftest import CHROMIUM, CHROMIUM_FLAGS, REPOSITORY, TOKEN, serving
from browser.live import LiveNotebook, Panel
from browser.moves import HANDLE

DOCS = Path(__file__).parent
NOTEBOOK = "03_candidate_tree.ipynb"
PICTURES = {"en": "tree_panel", "zh": "tree_panel.zh"}
MID, HIGH = 1, 2  # sliders of layer weights, from above
STEPS, STEP, REST = 20, 150, 1300  # of a slider from end to end; ms that a step and a rest are shown
MOVES = [(HIGH, "ArrowLeft"), (MID, "ArrowLeft")]
SHOWN = 4  # rows of numbers below the moving tree
FONTS = {
    "DejaVuSans.ttf": "font-family: 'DejaVu Sans'",
    "DejaVuSans-Bold.ttf": "font-family: 'DejaVu Sans'; font-weight: bold",
    "EagleLabCJK-Regular.otf": "font-family: 'Eagle Lab CJK'",
}
PLACE = """(panel, rows) => {
    const boxes = Array.from(panel.querySelectorAll('.jupyter-widgets')).map(it => it.getBoundingClientRect());
    const numbers = Array.from(panel.querySelectorAll('table')).at(0).querySelectorAll('tr');
    const end = numbers[Math.min(rows, numbers.length) - 1].getBoundingClientRect();
    const [left, top] = [Math.min(...boxes.map(it => it.left)), Math.min(...boxes.map(it => it.top))];
    return {x: left, y: top - 4, width: 970, height: end.bottom - top + 8};
}"""


def main() -> None:
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        shutil.copytree(REPOSITORY / "notebooks", Path(home) / "notebooks")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_FLAGS)
        with serving(Path(home)) as server:
            for language, name in PICTURES.items():
                page = browser.new_page(viewport={"width": 1400, "height": 1600}, device_scale_factor=2)
                panel = opened(LiveNotebook(page, server), server, f"{language}/{NOTEBOOK}", Path(home) / "notebooks")
                still(panel).save(DOCS / f"{name}.png", optimize=True)
                moving(panel, DOCS / f"{name}.gif")
                page.close()
        browser.close()


def opened(notebook: LiveNotebook, server: str, path: str, folder: Path) -> Panel:
    """The tree panel of a notebook that was opened and run, in sight."""
    notebook.run(f"{server}lab/tree/{path}?reset&token={TOKEN}", folder / path)
    notebook.page.add_style_tag(content=fonts())
    panel = next(panel for panel in notebook.panels if panel.maker == "tree_panel")
    panel.root.evaluate("it => it.scrollIntoView({block: 'center'})")
    panel.page.evaluate("() => document.fonts.ready")
    panel.settled()
    return panel


def fonts() -> str:
    """CSS that shows all text in the fonts of the pictures."""
    folders = Path(matplotlib.get_data_path()) / "fonts" / "ttf", REPOSITORY / "eagle_lab" / "assets" / "fonts"
    rules = []
    for file, name in FONTS.items():
        found = next(folder / file for folder in folders if (folder / file).exists())
        address = f"data:font/{found.suffix[1:]};base64,{base64.b64encode(found.read_bytes()).decode()}"
        rules.append(f"@font-face {{{name}; src: url({address})}}")
    return "\n".join(rules) + "\n.jp-Notebook * {font-family: 'DejaVu Sans', 'Eagle Lab CJK' !important}"


def still(panel: Panel, rows: int = 6, scale: str = "device") -> Image.Image:
    """The panel from its first control down to a row of its numbers."""
    panel.settled()
    shot = panel.page.screenshot(clip=panel.root.evaluate(PLACE, rows), scale=scale)
    colours = Image.open(io.BytesIO(shot)).convert("RGB")
    # Of 256 colours one must be a red cross's, however small it is: the default would drop it.
    return colours.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)


def moving(panel: Panel, file: Path) -> None:
    """The panel while its sliders move from end to end, as a GIF that runs for ever."""
    frames, times = [still(panel, SHOWN, "css")], [REST]
    for slider, key in tqdm([move for move in MOVES for _ in range(STEPS)], desc=file.name, leave=False, disable=None):
        panel.all(HANDLE)[slider].press(key)
        frames.append(still(panel, SHOWN, "css"))
        times.append(STEP)
    for last in range(STEPS, len(times), STEPS):
        times[last] = REST
    frames[0].save(file, save_all=True, append_images=frames[1:], duration=times, loop=0)


if __name__ == "__main__":
    main()
