"""Charts read back from their artists."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from strokes import strokes

from eagle_lab import CandidateTree, fusion_view, load_pair, use_language
from eagle_lab.pictures.charts import (
    CORNERS,
    chart_figure,
    draw_fusion,
    draw_simplex,
    mask_chart,
    passes_chart,
)
from eagle_lab.pictures.ink import OWN, SCORES, Stroke, new_figure, to_png

from models import random_tree

TAUS = {(1.0, 0.0, 0.0): 2.0, (0.0, 1.0, 0.0): 3.0, (0.0, 0.0, 1.0): 2.5, (1 / 3, 1 / 3, 1 / 3): 4.0}


def test_a_map_puts_every_weighting_in_its_place_and_colour():
    ax = draw_simplex(TAUS, ax=chart_figure(4, 3.4).axes[0])
    hexagons = ax.collections[0]
    places = [CORNERS[0], CORNERS[1], CORNERS[2], CORNERS.mean(axis=0)]
    assert np.allclose(hexagons.get_offsets(), places)
    assert np.allclose(hexagons.get_facecolors(), SCORES([0.0, 0.5, 0.25, 1.0]))
    assert [text.get_text() for text in ax.texts][:4] == ["2.00", "3.00", "2.50", "4.00"]


def test_the_marked_point_is_where_its_weights_say():
    ax = draw_simplex(TAUS, ax=chart_figure(4, 3.4).axes[0], point=(0.5, 0.25, 0.25))
    for ring in ax.collections[1:]:
        assert np.allclose(ring.get_offsets(), [0.5 * CORNERS[0] + 0.25 * CORNERS[1] + 0.25 * CORNERS[2]])
    assert len(ax.collections) == 3


def test_two_maps_can_share_a_scale():
    ax = draw_simplex(TAUS, ax=chart_figure(4, 3.4).axes[0], limits=(0, 8))
    assert np.allclose(ax.collections[0].get_facecolors(), SCORES([0.25, 0.375, 0.3125, 0.5]))


@pytest.mark.parametrize("seed", range(5))
def test_the_mask_picture_is_the_mask(seed):
    tree = random_tree(np.random.default_rng(seed), 9)
    ax = mask_chart(tree).figure.axes[1]
    assert (ax.images[0].get_array() == tree.attention_mask()).all()
    rows = [label.get_text() for label in ax.get_yticklabels()]
    assert [int(row.split("+")[1]) for row in rows] == [0, *tree.depths.tolist()]


@pytest.mark.parametrize("text", ["$", "$$", "a$b$c", "\\frac", "_x", "\n", "", "你好", "\ud800"])
def test_hostile_labels_are_drawn(text):
    png = mask_chart(CandidateTree([-1, 0], [5, 6], [-0.1, -0.2]), lambda token: text, text).png
    assert png.startswith(b"\x89PNG")


def test_passes_start_with_the_pass_that_reads_the_prompt():
    ax = passes_chart([3, 1, 4]).figure.axes[0]
    drafts, alone = ax.get_lines()
    assert drafts.get_xydata().tolist() == [[1, 1], [2, 4], [3, 5], [4, 9]]
    assert alone.get_xydata().tolist() == [[n, n] for n in (1, 2, 3, 4)]
    assert repr(passes_chart([3, 1, 4])) == "4 target passes, 9 tokens"


@pytest.mark.parametrize("language", ["zh", "en"])
def test_charts_speak_without_a_warning(language):
    pair = load_pair("stories")
    use_language(language)
    figure = chart_figure(10, 4, 2)
    for ax in figure.axes:
        draw_simplex(TAUS, ax=ax, title="训练 $x_$", point=(1, 0, 0))
    assert to_png(figure) and passes_chart([1, 2]).png
    assert mask_chart(CandidateTree([-1], [300], [-0.1]), pair.token_text, pair.token_text(301)).png
    use_language("zh")


def test_a_mask_that_no_eye_can_read_is_refused():
    tree = CandidateTree([-1] * 101, range(101), [-0.5] * 101)
    with pytest.raises(ValueError, match="the tree has 101 nodes: this picture shows at most 100"):
        mask_chart(tree)


def test_names_beside_a_mask_never_overlap():
    for nodes in (4, 60, 100):
        ax = mask_chart(CandidateTree([-1] * nodes, range(nodes), [-0.5] * nodes)).figure.axes[1]
        pitch = ax.get_window_extent().height * 72 / ax.figure.dpi / (1 + nodes)
        assert all(label.get_fontsize() <= pitch for label in [*ax.get_xticklabels(), *ax.get_yticklabels()])


@pytest.mark.parametrize(
    ("lengths", "error", "said"),
    [
        ([2, 0], ValueError, r"lengths\[1\] must be a whole number of at least 1, not 0"),
        ([2, -1], ValueError, r"lengths\[1\]"),
        ([2, 1.5], ValueError, r"lengths\[1\]"),
        ([2, "3"], TypeError, r"lengths\[1\]"),
        ([2, float("nan")], ValueError, r"lengths\[1\]"),
        ("32", TypeError, "lengths must be a list"),
        ([2, 10**12], ValueError, r"lengths\[1\] must be at most 1,000,000"),
    ],
)
def test_rounds_that_cannot_be_are_named(lengths, error, said):
    with pytest.raises(error, match=said):
        passes_chart(lengths)


def test_a_text_without_a_round_is_one_pass():
    assert repr(passes_chart([])) == "1 target passes, 1 tokens"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"taus": {}}, "taus is empty"),
        ({"taus": {(1.0, 0.0, 0.0): float("nan")}}, r"taus\[\(1.0, 0.0, 0.0\)\] is nan"),
        ({"taus": {(1.0, 0.0): 2.0}}, "taus: the weights"),
        ({"taus": {(0.9, 0.9, 0.9): 2.0}}, "with sum 1"),
        ({"point": (0.5, 0.6, -0.1)}, "point must be 3 numbers from 0 to 1 with sum 1"),
        ({"point": (0.5, 0.5)}, "point must be 3 numbers"),
        ({"point": (float("nan"), 0.5, 0.5)}, "point must be 3 numbers"),
        ({"limits": (3, 2)}, "limits must be the lowest and the highest"),
        ({"limits": (2, float("nan"))}, "limits is nan"),
    ],
)
def test_a_map_that_cannot_be_is_named(wrong, said):
    with pytest.raises(ValueError, match=said):
        draw_simplex(**{"taus": TAUS, "ax": chart_figure(4, 3.4).axes[0], **wrong})


def test_a_map_of_one_height_is_drawn_pale():
    for limits in (None, (2, 2)):
        ax = draw_simplex({(1, 0, 0): 2, (0, 1, 0): 2}, ax=chart_figure(4, 3.4).axes[0], limits=limits)
        assert np.allclose(ax.collections[0].get_facecolors(), SCORES(0.0))


def bars(ax) -> list[Stroke]:
    """The bars of a drawn fusion, without its lettering."""
    return [stroke for stroke in strokes(ax) if len(stroke.path.vertices) == 5]


def test_bars_are_as_long_as_their_shares():
    """A bar to the left for a negative share, none where there is no share at all, none longer than the whole."""
    candidates = [("a", 0.5), ("b", 0.25), ("c", 0.0)]
    lengths = {}
    for shares in ([0.5, -0.05, 0.25], [2.0, -1.0, 0.0], None):
        ax = draw_fusion([0.3, 0.3, 0.4], shares, candidates, (1,), ax=new_figure(8).axes[0])
        spans = [stroke.path.vertices[:, 0] for stroke in bars(ax)]
        lengths[str(shares)] = [span[1] - span[0] for span in spans]
        assert [stroke.outline == list(to_rgba(OWN)) for stroke in bars(ax)][-3:] == [False, True, False]
    first, second, none = lengths.values()
    assert np.allclose(first[:3], np.array([1, -0.1, 0.5]) * first[0]) and np.allclose(
        first[3:], [first[3], first[3] / 2, 0]
    )
    assert np.allclose(second[:3], np.array([1, -0.1, 0]) * second[0]) and len(none) == 3
    assert np.allclose(none, first[3:])


def test_figures_without_room_for_bars_are_refused():
    pair = load_pair("stories")
    with pytest.raises(ValueError, match="figure is too narrow"):
        fusion_view(pair, pair.prompts["zh"][0], figure=chart_figure(3, 3))
