"""From a key press to new pixels, in a real browser: `make bench-browser`.

One notebook holds every panel, an empty callback, and the same picture made the usual way with `interact` and
`plt.show`. Keys are pressed in turn, so that a busy machine slows all of them alike; read the ratios.
"""

import tempfile
from pathlib import Path
from statistics import median, quantiles

import nbformat
from playwright.sync_api import sync_playwright
from tqdm import tqdm

from browser.conftest import CHROMIUM, CHROMIUM_FLAGS, TOKEN, serving
from browser.live import OPENED, RUN_ALL

ROUNDS, MOVES, DRAGS = 41, 90, 7
SET_UP = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from eagle_lab import fusion_panel, load_pair, round_player, tree_panel, use_language
use_language("en")
pair = load_pair("stories")
def tree(budget):
    panel = tree_panel(pair)
    panel.set_together({{"budget": budget, "top_k": 8, "depth": 8}})
    return panel
"""
EMPTY = """
import ipywidgets as widgets
slider, label = widgets.FloatSlider(value=1, min=0, max=1, step=0.05), widgets.HTML()
slider.observe(lambda change: setattr(label, "value", f"<b>{change['new']}</b>"), names="value")
widgets.VBox([slider, label])
"""
TWIN = """
%matplotlib inline
import matplotlib.pyplot as plt, networkx as nx
from eagle_lab.pictures.graphs import NEXT, candidate_graph
from eagle_lab.tree import ROOT
from eagle_lab.trials import read_prompt
from measure.pictures import common_figure
reading = read_prompt(pair, pair.prompts["en"][0])
def twin(low=1.0):
    round_ = reading.preview(layer_weights=(low, 1, 1), top_k=8, depth=8, budget=26)
    graph = candidate_graph(round_.tree, round_.verdict, pair.token_text)
    common_figure(nx.relabel_nodes(graph, {ROOT: "root", NEXT: "next"}), (10, 5.5))
    plt.show()
widgets.interact(twin, low=widgets.FloatSlider(value=1, min=0, max=1, step=0.05))
"""
CELLS = {
    "empty callback": EMPTY,
    "fusion_panel": "fusion_panel(pair)",
    "tree_panel, 8 nodes": "tree(8)",
    "tree_panel, 26 nodes": "tree(26)",
    "tree_panel, 60 nodes": "tree(60)",
    "round_player": "round_player(pair)",
    "interact + plt.show, 26 nodes": TWIN,
}
PRESS = """async ([number, key, patience]) => {
    const output = document.querySelectorAll('.jp-Notebook .jp-Cell')[number].querySelector('.jp-Cell-outputArea');
    const picture = () => Array.from(output.querySelectorAll('img')).at(-1);
    const shown = () => picture()?.src ?? output.querySelector('.widget-html')?.textContent;
    const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    const before = shown(), start = performance.now();
    const news = new Promise((resolve, fail) => {
        const look = () => { if (shown() && shown() !== before) { observer.disconnect(); resolve(); } };
        const observer = new MutationObserver(look);
        observer.observe(output, {subtree: true, childList: true, characterData: true, attributeFilter: ['src']});
        setTimeout(() => fail(Error(`nothing new after ${patience} ms`)), patience);
    });
    output.querySelector('.noUi-handle').dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
    await news;
    const decoded = () => picture().decode().then(() => true, () => false);  // false where a newer one took its place
    if (picture()) while (!await decoded());
    await new Promise(requestAnimationFrame);  // the frame that shows it
    const taken = performance.now() - start;
    // The next press finds every panel finished, and comes at any point of a frame, as a reader's would.
    const pause = () => new Promise(resolve => setTimeout(resolve, 450 + 17 * Math.random()));
    do await pause(); while (window.asked.size || kernel.status !== 'idle');
    return taken;
}"""
WATCH = """number => {
    const image = document.querySelectorAll('.jp-Notebook .jp-Cell')[number].querySelector('img');
    window.fresh = () => { window.seen = {moves: [], pictures: [], blank: 0}; };
    window.fresh();
    addEventListener('pointermove', () => window.seen.moves.push(performance.now()), true);
    new MutationObserver(() => window.seen.pictures.push(performance.now())).observe(image, {attributeFilter: ['src']});
    const there = () => image.complete && image.naturalWidth && image.offsetHeight > 50;
    const look = () => { window.seen.blank += !there(); requestAnimationFrame(look); };
    look();
}"""
SEEN = """async () => {
    const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    do await new Promise(resolve => setTimeout(resolve, 300)); while (window.asked.size || kernel.status !== 'idle');
    return {...window.seen, settled: window.seen.pictures.at(-1) - window.seen.moves.at(-1)};
}"""


def measure(page) -> dict[str, list[float]]:
    """Milliseconds of every press, panel by panel."""
    times = {name: [] for name in CELLS}
    for round_ in tqdm(range(ROUNDS + 1), desc="presses", leave=False, disable=None):
        for number, name in enumerate(CELLS, start=1):
            key = "ArrowLeft" if (round_ % 2 == 0) != (name == "round_player") else "ArrowRight"
            taken = page.evaluate(PRESS, [number, key, 20_000])
            times[name] += [taken] if round_ else []  # the first press warms up
    return times


def drag(page, number: int) -> list[dict]:
    """Drag the first slider of a panel back and forth in MOVES steps, several times; what was seen of its picture."""
    handle = page.locator(".jp-Notebook .jp-Cell").nth(number).locator(".noUi-handle").first
    handle.scroll_into_view_if_needed()
    page.evaluate(WATCH, number)
    seen = []
    for _ in range(DRAGS):
        box = handle.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.evaluate("window.fresh()")
        page.mouse.down()
        for step in range(MOVES):
            page.mouse.move(x - 100 + abs(100 - 2.2 * step), y)
        page.mouse.up()
        seen.append(page.evaluate(SEEN))
    return seen


def report(times: dict[str, list[float]], drags: list[dict]) -> None:
    empty, twin = median(times["empty callback"]), median(times["interact + plt.show, 26 nodes"])
    print(f"{'key press to pixels':32} {'median':>9} {'p90':>9} {'/ empty':>9} {'/ interact':>11}")
    for name, taken in times.items():
        middle, late = median(taken), quantiles(taken, n=10)[-1]
        print(f"{name:32} {middle:6.0f} ms {late:6.0f} ms {middle / empty:9.2f} {middle / twin:11.2f}")
    press, settled = median(times["tree_panel, 26 nodes"]), [seen["settled"] for seen in drags]
    pictures, blank = median(len(seen["pictures"]) for seen in drags), sum(seen["blank"] for seen in drags)
    print(
        f"{DRAGS} drags of {MOVES} moves, 26 nodes: {pictures:.0f} pictures each, {blank} blank frames; the last and "
        f"sharp one {median(settled):.0f} ms ({median(settled) / press:.2f} presses) after the last move, "
        f"at worst {max(settled):.0f} ms"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        notebooks = Path(home) / "notebooks"
        notebooks.mkdir()
        cells = [nbformat.v4.new_code_cell(source.strip()) for source in (SET_UP, *CELLS.values())]
        metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), notebooks / "latency.ipynb")
        with serving(Path(home)) as address:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_FLAGS)
            page = browser.new_page(viewport={"width": 1200, "height": 1000})
            page.goto(f"{address}lab/tree/latency.ipynb?reset&token={TOKEN}")
            page.wait_for_function(OPENED)
            assert page.evaluate(RUN_ALL, 120_000), "a cell did not run"
            page.wait_for_timeout(3000)
            report(measure(page), drag(page, 1 + list(CELLS).index("tree_panel, 26 nodes")))
            browser.close()


if __name__ == "__main__":
    main()
