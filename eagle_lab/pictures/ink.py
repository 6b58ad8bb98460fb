"""What every picture is made of: colours by meaning, sizes, text as outlines, strokes, and a figure as PNG.

Colours are chosen for every eye: they keep their contrast and stay apart in grey and for readers who do not
see red or green (tests/test_eyes.py has the figures). Everything is measured in points, so that nothing
overlaps. A picture is a list of strokes in one matplotlib collection, its text a few compound paths among
them: this is what makes redrawing fast.
"""

import io
from functools import cache, lru_cache
from pathlib import Path as FilePath
from typing import NamedTuple
from unicodedata import category, combining

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.path import Path
from matplotlib.textpath import text_to_path
from PIL import Image

# The one place for colours and sizes (points). A colour is named by what it means, so that each can change alone.
INK, FADED, FAINT, PAPER = "#1f2430", "#6a7180", "#878e9c", "#ffffff"
_GREEN, _RED = "#00845a", "#bb0f1e"  # a bluish green and a dark red: apart even without the green or the red cones
ACCEPTED = _GREEN  # drafts that the target agreed with, and what they save
OWN = _GREEN  # the target's own token: the next root, its choice among the drafter's candidates
REFUSED = _RED  # candidates that were tried and refused
POINTER = _RED  # the ring that shows where on a map one is
ALARM = _RED  # behind the sentence that tells what went wrong
SCORES = LinearSegmentedColormap.from_list("eagle_scores", ["#f3ead9", "#a9c3dc", "#4d78b3", "#1d2f63"])
LOWEST_SCORE = -8.0  # scores below take the palest colour: fixed, so that pictures can be compared
FONT_SIZE, MARGIN, LEGEND = 10.0, 12.0, 26.0
LABEL_LENGTH = 14
WIDTH = 10.0  # inches
PAGE_DPI, DPI = 96, 192  # a page's own pixels to the inch, and a picture's: two for each of the page's
OURS = "eagle_lab picture"  # the gid of what we add to somebody's axes


class Stroke(NamedTuple):
    """One filled or outlined path of a picture; a later stroke covers the earlier ones."""

    path: Path
    fill: str | tuple = "none"
    outline: str = "none"
    width: float = 0.0
    dashes: tuple | None = None


class Picture:
    """A finished picture, for classes with a `figure` and its `png`: notebooks show it at the figure's own size."""

    alt = ""  # the picture in words, for readers who hear it, where it says more than its repr

    def metadata(self) -> dict:
        """How a page is to show the PNG: its width in CSS pixels, and its words."""
        return {"width": css_width(self.figure), "alt": self.alt or repr(self)}

    def _repr_png_(self) -> tuple[bytes, dict]:
        return self.png, self.metadata()


# ── figures ──────────────────────────────────────────────────────────────────────────────────────


def new_figure(nodes: int) -> Figure:
    """A figure whose size fits any tree of that many nodes, outside pyplot, so that none stays open."""
    figure = blank_figure(WIDTH, 1)
    figure.add_axes((0, 0, 1, 1))
    fit_figure(figure, nodes)
    return figure


def blank_figure(width: float, height: float, **options) -> Figure:
    """Paper of that many inches without axes, outside pyplot; `options` as matplotlib's `Figure` takes them."""
    figure = Figure(figsize=(width, height), dpi=DPI, facecolor=PAPER, **options)
    FigureCanvasAgg(figure)
    return figure


def fit_figure(figure: Figure, nodes: int) -> None:
    """Give a figure the size for trees of up to that many nodes; the width is always the same."""
    figure.set_size_inches(WIDTH, 1.6 + 0.15 * max(nodes, 8))


def css_width(figure: Figure) -> int:
    """How wide a page is to show a figure: in CSS pixels."""
    return round(PAGE_DPI * figure.get_figwidth())


def to_png(figure: Figure) -> bytes:
    """The figure's pixels as an opaque PNG of 256 fixed colours: a tenth of the time of true colour.

    A slider move waits for this. A `Picture` says how wide it is to be shown.
    """
    figure.canvas.draw()
    pixels = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("RGB")
    buffer = io.BytesIO()
    pixels.quantize(palette=_palette(), dither=Image.Dither.NONE).save(buffer, "png", compress_level=1)
    return buffer.getvalue()


@cache
def _palette() -> Image.Image:
    """Every ink and every score's fill on its way to paper, and a coarse cube for what else a figure holds."""
    paper = np.array(to_rgb(PAPER))
    cube = np.stack(np.meshgrid(*[np.linspace(0, 1, 4)] * 3), axis=-1).reshape(-1, 3)
    fills = [(fill[:3], 4) for fill in SCORES(np.linspace(0, 1, 27))]
    inks = dict.fromkeys((INK, FADED, FAINT, ACCEPTED, OWN, REFUSED, POINTER))  # each once
    steps = (256 - 1 - len(cube) - 4 * len(fills)) // len(inks)
    ramps = [(to_rgb(ink), steps) for ink in inks] + fills
    blends = [paper + (colour - paper) * share for colour, count in ramps for share in np.linspace(1, 0, count, False)]
    palette = Image.new("P", (1, 1))
    palette.putpalette(np.rint(255 * np.vstack([paper, blends, cube])).astype(np.uint8).tobytes())
    return palette


def score_colour(score):
    """The fill of a node with that cumulative score, or of several: dark at 0, pale at −8 and below."""
    return SCORES(1 - np.maximum(score, LOWEST_SCORE) / LOWEST_SCORE)


def tint(colour: str, opacity: str) -> str:
    """A colour as CSS that lets a page and its text show through.

    >>> tint("#00845a", ".18")
    'rgba(0,132,90,.18)'
    """
    red, green, blue = (round(255 * part) for part in to_rgb(colour))
    return f"rgba({red},{green},{blue},{opacity})"


# ── strokes ──────────────────────────────────────────────────────────────────────────────────────


def clean_slate(ax) -> tuple[float, float]:
    """Take an earlier picture of ours off the axes and measure them in points, width and height."""
    for artist in [artist for artist in ax.get_children() if artist.get_gid() == OURS]:
        artist.remove()  # clearing the whole axes would cost as much as drawing
    ax.set_axis_off()
    extent, points_per_pixel = ax.get_window_extent(), 72 / ax.figure.dpi
    width, height = extent.width * points_per_pixel, extent.height * points_per_pixel
    ax.set(xlim=(0, width), ylim=(0, height))
    return width, height


def put(ax, strokes: list[Stroke]):
    """Add strokes to the axes as one collection, which `clean_slate` takes off again; returns the axes."""
    paths, fills, outlines, widths, dashes = zip(*strokes, strict=True)
    lines = [(0, pattern) for pattern in dashes]
    look = {"facecolors": fills, "edgecolors": outlines, "linewidths": widths, "linestyles": lines}
    ax.add_collection(PathCollection(paths, **look, gid=OURS), autolim=False)
    return ax


def box(left: float, right: float, y: float, thick: float) -> Path:
    """A closed rectangle, `thick` high around y."""
    low, high = y - thick / 2, y + thick / 2
    return Path([(left, low), (right, low), (right, high), (left, high), (left, low)], closed=True)


def lettering(words: list) -> list[Stroke]:
    """All text `(x, y, scale, text, colour)`, starting at x, centred on y: one path for each colour."""
    by_colour: dict[str, list] = {}
    for x, y, scale, text, colour in words:
        vertices, codes = glyphs(text)
        if len(codes):
            by_colour.setdefault(colour, []).append((vertices * scale + (x, y - 0.36 * FONT_SIZE * scale), codes))
    outlines = {colour: map(np.concatenate, zip(*texts, strict=True)) for colour, texts in by_colour.items()}
    return [Stroke(Path(*whole), colour) for colour, whole in outlines.items()]


# ── text ─────────────────────────────────────────────────────────────────────────────────────────


def display_token(text: str, length: int = LABEL_LENGTH) -> str:
    """A token's text as a label: never empty, whitespace shown, what has no glyph as its code, cut at `length`.

    >>> display_token(" the"), display_token("\\n"), display_token(""), display_token("🎉"), display_token("a" * 20)
    ('·the', '⏎', '∅', 'U+1F389', 'aaaaaaaaaaaaa…')
    """
    marks = {" ": "·", "\n": "⏎", "\t": "⇥", "\r": "␍"}
    shown = "".join(marks.get(c) or (c if drawable(c) else f"U+{ord(c):04X}") for c in text)
    if len(shown) > length:
        shown = shown[: length - 1] + "…"
    return shown or "∅"


def text_width(text: str) -> float:
    """Width of a label in points."""
    vertices, codes = glyphs(text)
    return float(vertices[:, 0].max()) if len(codes) else 0.0


@lru_cache(maxsize=8192)
def glyphs(text: str) -> tuple[np.ndarray, np.ndarray]:
    """Outline of a text, vertices and codes, in points from its left end on the baseline."""
    vertices, codes = text_to_path.get_text_path(font(), text)  # not TextPath, which reads "$" as mathematics
    return np.reshape(vertices, (-1, 2)) * FONT_SIZE / text_to_path.FONT_SCALE, np.asarray(codes)


@cache
def font() -> FontProperties:
    """matplotlib's own font, with the shipped CJK subset behind it."""
    file = FilePath(__file__).parents[1] / "assets" / "fonts" / "EagleLabCJK-Regular.otf"
    fontManager.addfont(file)
    return FontProperties(family=["DejaVu Sans", "Eagle Lab CJK"])


@cache
def drawable(character: str) -> bool:
    """Whether one of the two fonts has a glyph for a printable character, and the glyph leaves ink."""
    if category(character) == "Mn" and not combining(character):  # a variation selector changes no outline here
        return False
    files = [fontManager.findfont(FontProperties(family=family)) for family in font().get_family()]
    known = character.isprintable() and any(get_font(file).get_char_index(ord(character)) for file in files)
    return known and len(glyphs(character)[1]) > 0
