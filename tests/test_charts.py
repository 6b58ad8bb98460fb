"""Charts read back from their artists."""

import numpy as np
import pytest

from eagle_lab import CandidateTree, load_pair, use_language
from eagle_lab.pictures.charts import (
    CORNERS,
    chart_figure,
    draw_mask,
    draw_passes,
    draw_simplex,
    mask_chart,
    passes_chart,
)
from eagle_lab.pictures.ink import SCORES, to_png

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
    ax = draw_mask(tree, ax=chart_figure(5, 4).axes[0])
    assert (ax.images[0].get_array() == tree.attention_mask()).all()
    rows = [label.get_text() for label in ax.get_yticklabels()]
    assert [int(row.split("+")[1]) for row in rows] == [0, *tree.depths.tolist()]


@pytest.mark.parametrize("text", ["$", "$$", "a$b$c", "\\frac", "_x", "\n", "", "你好", "\ud800"])
def test_hostile_labels_are_drawn(text):
    png = mask_chart(CandidateTree([-1, 0], [5, 6], [-0.1, -0.2]), lambda token: text, text).png
    assert png.startswith(b"\x89PNG")


def test_passes_start_with_the_pass_that_reads_the_prompt():
    ax = draw_passes([3, 1, 4], ax=chart_figure(5, 3).axes[0])
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
