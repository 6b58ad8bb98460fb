"""Ink: labels for any text, colours that survive in a PNG, a glyph for every character that is shipped."""

import gc
import io
import json
from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import RendererAgg
from PIL import Image
from tokenizers import Tokenizer

import eagle_lab
from eagle_lab import CandidateTree, Verdict, draw_tree
from eagle_lab.language import WORDS
from eagle_lab.pictures import ink, text
from eagle_lab.pictures.charts import chart_figure, draw_simplex, mask_chart, passes_chart
from eagle_lab.pictures.ink import new_figure, score_colour, tint, to_png
from eagle_lab.pictures.text import display_token, drawable, readable, text_width

TAUS = {(1.0, 0.0, 0.0): 2.0, (0.0, 1.0, 0.0): 3.0, (0.0, 0.0, 1.0): 2.5}


@pytest.mark.parametrize(
    "token, shown",
    [
        ("🎉", "U+1F389"), ("👍🏽", "U+1F44DU+1F3FD"), ("❤\ufe0f", "❤U+FE0F"), ("\u2800", "U+2800"), ("\x00", "U+0000"),
        ("\ud800", "U+D800"), ("a\n\nb", "a⏎⏎b"), ("\r\n", "␍⏎"), ("  $5", "··$5"), ("字" * 200, "字" * 13 + "…"),
    ],
)  # fmt: skip
def test_what_has_no_glyph_is_shown_as_its_code(token, shown):
    assert display_token(token) == shown


def test_the_png_keeps_its_colours_and_a_white_page():
    figure = new_figure(6)
    tree = CandidateTree([-1, -1, 0, 0, 2, 1], [5, 6, 7, 8, 9, 6], [-0.2, -1.8, -0.1, -2.5, -0.3, -9.0])
    draw_tree(tree, Verdict((0, 2), (4,), 3), ax=figure.axes[0])
    shown = np.asarray(Image.open(io.BytesIO(to_png(figure))).convert("RGB")).astype(int)
    figure.canvas.draw()
    drawn = np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)
    off = np.abs(shown - drawn).max(axis=-1)[drawn.min(axis=-1) < 255]  # where something is drawn
    assert shown.shape == drawn.shape and off.mean() < 3 and off.max() < 64 and (off > 16).mean() < 0.01
    assert shown[0, 0].tolist() == shown[-1, -1].tolist() == [255, 255, 255]


def test_every_character_that_we_ship_has_a_glyph():
    assets = Path(eagle_lab.__file__).parent / "assets" / "stories"
    words = "".join(word for row in WORDS.values() for word in row)
    openings = json.loads((assets / "prompts.json").read_text("utf-8"))
    prompts = "".join(opening for some in openings.values() for opening in some)
    vocabulary = "".join(Tokenizer.from_file(str(assets / "target" / "tokenizer.json")).get_vocab())
    missing = {c for c in words + prompts + vocabulary if c.isprintable() and c != " " and not drawable(c)}
    assert not missing


@pytest.fixture
def fresh_palette():
    ink._palette.cache_clear()
    yield
    ink._palette.cache_clear()


def test_any_colour_may_change_alone_and_fits_the_palette(monkeypatch, fresh_palette):
    for name, colour in {"REFUSED": "#8a2be2", "POINTER": "#ff7f00", "OWN": "#0050ff"}.items():
        monkeypatch.setattr(ink, name, colour)
    colours = np.reshape(ink._palette().getpalette(), (-1, 3)).tolist()
    assert len(colours) <= 256
    for wanted in ([0x8A, 0x2B, 0xE2], [0xFF, 0x7F, 0x00], [0x00, 0x50, 0xFF], [0x00, 0x84, 0x5A]):
        assert wanted in colours


def test_a_tint_is_its_colour_let_through():
    assert tint("#ffffff", ".5") == "rgba(255,255,255,.5)"


def renderers() -> set[int]:
    """All that now hold the pixels of a picture."""
    gc.collect()
    return {id(thing) for thing in gc.get_objects() if isinstance(thing, RendererAgg)}


def test_a_finished_picture_keeps_no_pixels():
    """8 MB at 26 nodes, which its canvas and each of its texts would hold; what the reader's own canvas holds stays."""
    before = renderers()
    tree = CandidateTree([-1], [5], [-0.5])
    kept = [draw_tree(tree, ax=new_figure(nodes).axes[0]).figure for nodes in (8, 30, 60)]
    kept += [
        passes_chart([2]).figure,
        mask_chart(tree).figure,
        draw_simplex(TAUS, ax=chart_figure(4, 3).axes[0]).figure,
    ]
    for figure in kept:
        to_png(figure)
    assert len(renderers() - before) <= 1
    for figure in (new_figure(6), chart_figure(4, 3)):
        own = figure.canvas
        to_png(figure)
        assert figure.canvas is own and not hasattr(own, "renderer")
        own.draw()
        drawn = own.renderer
        to_png(figure)
        assert figure.canvas is own and own.renderer is drawn


def test_what_is_remembered_of_texts_is_bounded():
    for remembered in (text.glyphs, text.drawable):
        assert remembered.cache_info().maxsize <= 10_000
    for number in range(10_000):
        drawable(chr(0x4E00 + number))
    assert drawable.cache_info().currsize <= drawable.cache_info().maxsize


def test_a_long_text_is_shown_by_its_beginning():
    assert display_token("字" * 10_000) == "字" * 13 + "…" and display_token("🎉" * 10_000, 3) == "U+…"
    assert display_token("🎉🎉", 14) == "U+1F389U+1F389" and readable("low layer", 9) == "low layer"


@pytest.mark.parametrize("hostile", ["a\nb", "\x00", "\ud800", "🎉", "سلام", "e\u0301", "\u202e", "\u200b", ""])
def test_the_label_of_any_text_has_a_width(hostile):
    assert text_width(display_token(hostile)) > 0 == text_width("")


def test_every_score_from_the_lowest_down_has_one_colour():
    assert (score_colour([-np.inf, -100.0]) == score_colour(-8.0)).all()
