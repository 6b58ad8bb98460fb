"""The notebooks as a reader uses them: run all, move every control by keyboard and mouse, look at what changes."""

import json

import pytest

from .conftest import EXERCISES, REPOSITORY, SOLVED, STORED, TOKEN
from .live import ERRORS, LiveNotebook
from .moves import HANDLE, MOVES, OTHER_CONTROLS

NOTEBOOKS = [*STORED, SOLVED]
HAVE_LAYER_WEIGHTS = "tree_panel", "fusion_panel", "map_panel"


def has_layer_weights(path: str) -> bool:
    """Whether a panel of the notebook has layer weights and all the functions that it calls."""
    file = REPOSITORY / "notebooks" / (EXERCISES if path == SOLVED else path)
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    complete = path == SOLVED or "raise NotImplementedError" not in code
    return complete and any(f"{maker}(" in code for maker in HAVE_LAYER_WEIGHTS)


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=str)
def notebook(request, lab, browser, tmp_path_factory):
    """One notebook, opened in a fresh profile and run to its end; all tests of it use the same page."""
    server, folder = lab
    context = browser.new_context(viewport={"width": 1200, "height": 1000})
    live = LiveNotebook(context.new_page(), server)
    with live.pictured(tmp_path_factory.mktemp("opened")):
        live.run(f"{server}lab/tree/{request.param}?reset&token={TOKEN}", folder / request.param)
    yield live
    live.shut_down()
    context.close()


def test_every_control_moves_its_panel(notebook, tmp_path):
    with notebook.pictured(tmp_path):
        for panel in notebook.panels:
            assert not panel.all(OTHER_CONTROLS), "a kind of control that this test cannot move"
            for selector, moves in MOVES.items():
                for control in panel.all(selector):
                    for move in moves:
                        move(panel, control)


@pytest.mark.parametrize("notebook", list(filter(has_layer_weights, NOTEBOOKS)), ids=str, indirect=True)
def test_all_weights_at_zero_are_told_in_place_and_the_next_move_recovers(notebook, tmp_path):
    with notebook.pictured(tmp_path):
        for panel in (panel for panel in notebook.panels if panel.maker in HAVE_LAYER_WEIGHTS):
            low, mid, high = panel.all(HANDLE)[:3]
            low.press("Home")
            mid.press("Home")
            last_good = panel.settled()
            assert "⚠" not in str(last_good), last_good
            high.press("Home")
            told = panel.settled()
            assert "⚠" in str(told), f"all weights are 0 and nothing is said:\n{told}"
            assert told.pictures == last_good.pictures, f"the last good picture is gone:\n{last_good}\n{told}"
            mid.press("End")
            assert "⚠" not in str(panel.settled()), f"the next move does not recover:\n{panel.seen}"
            assert panel.seen.view != last_good.view, f"the next move shows nothing new:\n{panel.seen}"


def test_nothing_went_wrong_out_of_sight(notebook, tmp_path):
    """Last: no error and no warning in a cell, in the kernel's log, in the browser; no word to another host."""
    with notebook.pictured(tmp_path):
        assert notebook.page.locator(ERRORS).count() == 0
        assert notebook.told() == []
        assert notebook.complaints == []
