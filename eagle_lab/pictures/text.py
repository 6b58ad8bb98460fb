"""Text as a picture shows it: a label for any token, in our own fonts, as outlines measured in points."""

from functools import cache, lru_cache
from pathlib import Path
from unicodedata import category, combining

import numpy as np
from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.textpath import text_to_path

from .settings import own_settings

FONT_SIZE = 10.0  # points
LABEL_LENGTH = 14  # characters
WHITESPACE = {" ": "·", "\n": "⏎", "\t": "⇥", "\r": "␍"}  # as a label shows it


def display_token(text: str, length: int = LABEL_LENGTH) -> str:
    """A token's text as a label: never empty, whitespace shown, what has no glyph as its code, cut at `length`.

    >>> display_token(" the"), display_token("\\n"), display_token(""), display_token("🎉"), display_token("a" * 20)
    ('·the', '⏎', '∅', 'U+1F389', 'aaaaaaaaaaaaa…')
    """
    return _cut("".join(WHITESPACE.get(c) or _glyph_or_code(c) for c in text[: 1 + length]), length) or "∅"


def readable(text: str, length: int) -> str:
    """A line of text as it can be drawn: spaces stay, what has no glyph is shown as its code, cut at `length`.

    >>> readable("low layer", 40), readable("🎉", 40), readable("low layer", 5)
    ('low layer', 'U+1F389', 'low …')
    """
    return _cut("".join(c if category(c) == "Zs" else _glyph_or_code(c) for c in text[: 1 + length]), length)


def text_width(text: str) -> float:
    """Width of a label in points."""
    vertices, codes = glyphs(text)
    return float(vertices[:, 0].max()) if len(codes) else 0.0


@lru_cache(maxsize=8192)
@own_settings()
def glyphs(text: str) -> tuple[np.ndarray, np.ndarray]:
    """Outline of a text that can be drawn, vertices and codes, in points from its left end on the baseline."""
    vertices, codes = text_to_path.get_text_path(font(), text)  # not TextPath, which reads "$" as mathematics
    return np.reshape(vertices, (-1, 2)) * FONT_SIZE / text_to_path.FONT_SCALE, np.asarray(codes)


@cache
@own_settings()
def font() -> FontProperties:
    """matplotlib's own font, with the shipped CJK subset behind it."""
    file = Path(__file__).parents[1] / "assets" / "fonts" / "EagleLabCJK-Regular.otf"
    fontManager.addfont(file)
    return FontProperties(family=["DejaVu Sans", "Eagle Lab CJK"])


@lru_cache(maxsize=8192)
@own_settings()
def drawable(character: str) -> bool:
    """Whether one of the two fonts has a glyph for a printable character, and the glyph leaves ink."""
    if category(character) == "Mn" and not combining(character):  # a variation selector changes no outline here
        return False
    files = [fontManager.findfont(FontProperties(family=family)) for family in font().get_family()]
    known = character.isprintable() and any(get_font(file).get_char_index(ord(character)) for file in files)
    return known and len(glyphs(character)[1]) > 0


def _glyph_or_code(character: str) -> str:
    return character if drawable(character) else f"U+{ord(character):04X}"


def _cut(text: str, length: int) -> str:
    """At most that many characters; the last of them says that there were more."""
    return text if len(text) <= length else text[: length - 1] + "…"
