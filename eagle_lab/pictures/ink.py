"""What every picture is made of: colours by meaning, sizes, strokes, and a figure as PNG.

Colours are chosen for every eye: they keep their contrast and stay apart in grey and for readers who do not
see red or green (tests/test_eyes.py has the figures). Everything is measured in points, so that nothing
overlaps. A picture is a list of strokes in one matplotlib collection, its text a few compound paths among
them: this is what makes redrawing fast. Whatever makes or draws an artist does so under `own_settings`, so that
pictures owe nothing to the reader's matplotlib settings.
"""

import io
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.path import Path
from matplotlib.text import Text
from PIL import Image

from ..inputs import check_kind
from .settings import own_settings
from .text import FONT_SIZE, glyphs

# The one place for colours and sizes (points). A colour is named by what it means, so that each can change alone.
INK, FADED, FAINT, PAPER = "#1f2430", "#6a7180", "#878e9c", "#ffffff"
_GREEN, _RED = "#00845a", "#bb0f1e"  # a bluish green and a dark red: apart even without the green or the red cones
ACCEPTED = _GREEN  # drafts that the target agreed with, and what they save
OWN = _GREEN  # the target's own token: the next root, its choice among the drafter's candidates
REFUSED = _RED  # candidates that were tried and refused
POINTER = _RED  # the ring that shows where on a map one is
ALARM = _RED  # behind the sentence that tells what went wrong
WARNING = f"background:{ALARM};color:{PAPER};padding:2px 8px;border-radius:4px"  # that sentence, readable on any page
SCORES = LinearSegmentedColormap.from_list("eagle_scores", ["#f3ead9", "#a9c3dc", "#4d78b3", "#1d2f63"])
LOWEST_SCORE = -8.0  # scores below take the palest colour: fixed, so that pictures can be compared
MARGIN, LEGEND = 12.0, 26.0
WIDTH = 10.0  # inches: of a tree's picture
PAGE_DPI, DPI = 96, 192  # a page's own pixels to the inch, and a picture's: two for each of the page's
LARGEST_KEPT = 2**25  # bytes of the pixels that are kept for the next picture
OURS = "eagle_lab picture"  # the gid of what we add to somebody's axes


class Stroke(NamedTuple):
    """One filled or outlined path of a picture; a later stroke covers the earlier ones."""

    path: Path
    fill: str | tuple = "none"
    outline: str = "none"
    width: float = 0.0
    dashes: tuple | None = None


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A finished picture, shown at its figure's own size; `alt`: the same in words (a view that has none: its repr)."""

    figure: Figure
    png: bytes
    alt: str = ""

    def __repr__(self) -> str:
        return self.alt

    def metadata(self) -> dict:
        """How a page is to show the PNG: its width in CSS pixels, and its words."""
        return {"width": css_width(self.figure), "alt": self.alt or repr(self)}

    def _repr_png_(self) -> tuple[bytes, dict]:
        return self.png, self.metadata()


# ── figures ──────────────────────────────────────────────────────────────────────────────────────


@own_settings()
def new_figure(nodes: int) -> Figure:
    """A figure whose size fits any tree of that many nodes, outside pyplot, so that none stays open.

    >>> new_figure(60).get_size_inches().tolist()
    [10.0, 10.6]
    """
    figure = blank_figure(WIDTH, 1)
    figure.add_axes((0, 0, 1, 1))
    fit_figure(figure, nodes)
    return figure


@own_settings()
def blank_figure(width: float, height: float, **options) -> Figure:
    """Paper of that many inches without axes, outside pyplot; `options` as matplotlib's `Figure` takes them."""
    figure = Figure(figsize=(width, height), dpi=DPI, facecolor=PAPER, **options)
    FigureCanvasAgg(figure)
    return figure


def fit_figure(figure: Figure, nodes: int) -> None:
    """Give a figure the size for trees of up to that many nodes; the width is always the same."""
    figure.set_size_inches(WIDTH, 1.6 + 0.15 * max(nodes, 8))


def check_axes(ax) -> Axes:
    """Axes that belong to a figure."""
    check_kind(ax, Axes, "ax")
    if ax.figure is None:
        raise ValueError("ax belongs to no figure any more")
    return ax


def check_figure(figure, axes: int = 1) -> Figure:
    """A figure with that many axes to draw into."""
    check_kind(figure, Figure, "figure")
    if len(figure.axes) != axes:
        raise ValueError(f"figure has {len(figure.axes)} axes: this picture needs {axes}")
    return figure


def css_width(figure: Figure) -> int:
    """How wide a page is to show a figure: in CSS pixels."""
    return round(PAGE_DPI * figure.get_figwidth())


def to_png(figure: Figure) -> bytes:
    """The figure's pixels as an opaque PNG of 256 fixed colours: a tenth of the time of true colour.

    A slider move waits for this. A `Picture` says how wide it is to be shown.
    """
    buffer = io.BytesIO()
    _pixels(figure).quantize(palette=_palette(), dither=Image.Dither.NONE).save(buffer, "png", compress_level=1)
    return buffer.getvalue()


@own_settings()
def _pixels(figure: Figure) -> Image.Image:
    """The figure drawn, in true colour: at a desk that all figures share, so that none of them keeps its pixels."""
    own, desk = figure.canvas, _desk()
    blank, desk.figure = desk.figure, figure
    figure.set_canvas(desk)
    try:
        desk.draw()
        pixels = np.asarray(desk.buffer_rgba())
        if pixels.nbytes > LARGEST_KEPT:
            _desk.cache_clear()
        return Image.fromarray(pixels).convert("RGB")
    finally:
        figure.set_canvas(own)
        desk.figure = blank
        _let_go(figure)


@cache
def _desk() -> FigureCanvasAgg:
    """A canvas of its own: what it measured of texts serves the next picture of that size."""
    return FigureCanvasAgg(Figure())


def _let_go(figure: Figure) -> None:
    """Make a figure's texts forget what drew them last: each would keep a whole picture's pixels for good."""
    for ax in figure.axes:
        for artist in ax.findobj(Text) if ax.axison else ax.get_children():  # ticks' names are looked for where shown
            if isinstance(artist, Text):
                artist._renderer = None


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
    """A colour as CSS that lets a page and its text show through."""
    red, green, blue = (round(255 * part) for part in to_rgb(colour))
    return f"rgba({red},{green},{blue},{opacity})"


# ── strokes ──────────────────────────────────────────────────────────────────────────────────────


def clean_slate(ax) -> tuple[float, float]:
    """Take an earlier picture of ours off the axes and measure them in points, width and height."""
    check_axes(ax)
    for artist in [artist for artist in ax.get_children() if artist.get_gid() == OURS]:
        artist.remove()  # clearing the whole axes would cost as much as drawing
    ax.set_axis_off()
    extent, points_per_pixel = ax.get_window_extent(), 72 / ax.figure.dpi
    width, height = extent.width * points_per_pixel, extent.height * points_per_pixel
    if min(width, height) < 72:
        raise ValueError(f"ax is {width:.0f} by {height:.0f} points: a picture needs 72 by 72")
    ax.set(xlim=(0, width), ylim=(0, height))
    return width, height


@own_settings()
def put(ax, strokes: list[Stroke], words: list):
    """Add strokes to the axes, and words on them as in `lettering`, as one collection; returns the axes."""
    paths, fills, outlines, widths, dashes = zip(*strokes, *lettering(words), strict=True)
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
