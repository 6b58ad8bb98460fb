"""Ink: labels for any text, colours that survive in a PNG, a glyph for every character that is shipped."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tokenizers import Tokenizer

import eagle_lab
from eagle_lab import CandidateTree, Verdict, draw_tree
from eagle_lab.language import WORDS
from eagle_lab.pictures import ink
from eagle_lab.pictures.ink import new_figure, tint, to_png
from eagle_lab.pictures.text import display_token, drawable


@pytest.mark.parametrize(
    "text, shown",
    [
        ("🎉", "U+1F389"), ("👍🏽", "U+1F44DU+1F3FD"), ("❤\ufe0f", "❤U+FE0F"), ("\u2800", "U+2800"), ("\x00", "U+0000"),
        ("\ud800", "U+D800"), ("a\n\nb", "a⏎⏎b"), ("\r\n", "␍⏎"), ("  $5", "··$5"), ("字" * 200, "字" * 13 + "…"),
    ],
)  # fmt: skip
def test_what_has_no_glyph_is_shown_as_its_code(text, shown):
    assert display_token(text) == shown


def test_the_png_keeps_its_colours_and_a_white_page():
    figure = new_figure(6)
    tree = CandidateTree([-1, -1, 0, 0, 2, 1], [5, 6, 7, 8, 9, 6], [-0.2, -1.8, -0.1, -2.5, -0.3, -9.0])
    draw_tree(tree, Verdict((0, 2), (4,), 3), ax=figure.axes[0])
    shown = np.asarray(Image.open(io.BytesIO(to_png(figure))).convert("RGB")).astype(int)
    drawn = np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)
    off = np.abs(shown - drawn).max(axis=-1)[drawn.min(axis=-1) < 255]  # where something is drawn
    assert shown.shape == drawn.shape and off.mean() < 3 and off.max() < 64 and (off > 16).mean() < 0.01
    assert shown[0, 0].tolist() == shown[-1, -1].tolist() == [255, 255, 255]


def test_every_character_that_we_ship_has_a_glyph():
    assets = Path(eagle_lab.__file__).parent / "assets" / "stories"
    words = "".join(text for row in WORDS.values() for text in row)
    prompts = "".join(
        text for texts in json.loads((assets / "prompts.json").read_text("utf-8")).values() for text in texts
    )
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
