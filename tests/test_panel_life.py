"""The life of a panel: the language it was made in, interrupts in the midst of a move, and its end."""

import gc
import weakref

import psutil
import pytest
from ipywidgets.widgets.widget import _instances as open_widgets

from eagle_lab import load_pair, tree_panel, use_language

from measure.panels import MOVES, events, go_to, interrupted_moves, makers, state

pytestmark = pytest.mark.usefixtures("chinese")


@pytest.fixture(scope="module")
def kinds():
    return makers(load_pair("stories"))


@pytest.mark.parametrize("kind", MOVES)
def test_a_closed_panel_leaves_nothing_open(kinds, kind):
    before = set(open_widgets)
    panel = kinds[kind]()
    assert len(set(open_widgets) - before) > 20
    figure = weakref.ref(panel.figure)
    panel.close()
    assert set(open_widgets) == before
    assert panel.text and repr(panel), "its numbers can still be read"
    del panel
    gc.collect()
    assert figure() is None, "and its picture is let go"


def test_panels_that_stay_open_keep_no_pixels(kinds):
    """A picture of 1920 x 768 pixels has 6 MB; re-running a cell must not cost that each time."""
    [kinds["tree"]() for _ in range(3)]
    before = psutil.Process().memory_info().rss
    kept = [kinds["tree"]() for _ in range(12)]
    assert (psutil.Process().memory_info().rss - before) / len(kept) < 3 * 2**20


@pytest.mark.parametrize("kind", MOVES)
def test_a_panel_keeps_to_its_language(kinds, kind):
    chinese, again = kinds[kind](), kinds[kind]()
    use_language("en")
    go_to(chinese, MOVES[kind][0])
    english = kinds[kind]()
    go_to(english, MOVES[kind][0])
    use_language("zh")
    go_to(again, MOVES[kind][0])
    assert state(chinese) == state(again) != state(english)


@pytest.mark.parametrize("kind", MOVES)
def test_an_interrupted_move_is_told_and_the_next_one_is_right(kinds, kind):
    assert interrupted_moves(kinds[kind], MOVES[kind], 14) >= 12


def test_the_stop_button_is_answered_in_place():
    """New setting, old picture: the panel says so."""
    use_language("zh")
    panel = tree_panel(load_pair("stories"))
    picture = bytes(panel.image.value)
    with events() as count:
        panel.controls["budget"].value = 9
    panel.controls["budget"].value = 16
    with events(count[0] // 9):
        panel.controls["budget"].value = 9
    assert panel.message == "■ 已停下；再动一下控件，就会重新画。图中仍是上一次成功的结果。"
    assert bytes(panel.image.value) == picture and panel.controls["budget"].value == 9
    panel.controls["budget"].value = 10
    assert panel.message == "" and bytes(panel.image.value) != picture
