"""How a node looks in each state: its mark, and the edge that leads to it.

A mark tells its node's state twice, by colour and by shape, and its fill tells the cumulative score.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from matplotlib.markers import MarkerStyle
from matplotlib.path import Path

from .ink import ACCEPTED, ALARM, FADED, FAINT, INK, LOWEST_SCORE, OWN, PAPER, REFUSED, Stroke, box, score_colour
from .layout import RADIUS


class Style(NamedTuple):
    """How one state looks; widths and dashes in points, `size` in units of RADIUS."""

    outline: str
    width: float
    edge: str
    edge_width: float
    text: str
    marker: str = "o"
    size: float = 1.0
    dashes: tuple | None = None
    edge_dashes: tuple | None = None
    sign: str = ""  # on the mark: a "ring" of paper within, or a "cross" in the outline's colour


STYLES = {  # in the order of the legend
    "root": Style(INK, 1.6, INK, 1.0, INK, marker="s"),
    "accepted": Style(ACCEPTED, 2.4, ACCEPTED, 3.0, INK, size=1.2, sign="ring"),
    "rejected": Style(REFUSED, 0.9, REFUSED, 1.0, FADED, sign="cross"),
    "strayed": Style(ALARM, 2.4, ALARM, 3.0, INK, marker="D", size=0.74, edge_dashes=(3, 0.8), sign="ring"),
    "open": Style(FADED, 0.9, FAINT, 0.9, FADED, dashes=(2, 1.5), edge_dashes=(3, 2)),
    "next": Style(OWN, 1.8, OWN, 1.4, OWN, marker="s", edge_dashes=(1, 1.2)),
}


def draw_marks(marks: list) -> list[Stroke]:
    """Marks `(x, y, scale, node)`, each in its state's shape and filled by its score.

    Paper keeps the outlines' colours off the fill, where they would not show: a ring inside the thick
    outlines, a halo around the crosses on the refused.
    """
    strokes = []
    colours = score_colour([data["score"] or 0.0 for *_, data in marks])
    for (x, y, scale, data), colour in zip(marks, colours, strict=True):
        style = STYLES[data["state"]]
        path = _mark(style.marker, x, y, scale * style.size)
        fill = PAPER if data["score"] is None else tuple(colour)
        strokes.append(Stroke(path, fill, style.outline, scale * style.width, style.dashes))
        if style.sign == "ring":
            ring = _mark(style.marker, x, y, scale * 0.725 * style.size)
            strokes.append(Stroke(ring, outline=PAPER, width=scale * 1.3))
        if style.sign == "cross":
            cross = _mark("x", x, y, scale * 1.15)
            looks = (PAPER, 3.6), (style.outline, 1.9)
            strokes += [Stroke(cross, outline=colour, width=scale * width) for colour, width in looks]
    return strokes


def _mark(shape: str, x: float, y: float, size: float) -> Path:
    """One of matplotlib's markers around a place, `size` radii large."""
    outline = _marker(shape)
    return Path(outline.vertices * (2 * RADIUS * size) + (x, y), outline.codes)


@cache
def _marker(shape: str) -> Path:
    marker = MarkerStyle(shape)
    return marker.get_path().transformed(marker.get_transform())


def score_scale(x: float, y: float, scale: float) -> list[Stroke]:
    """Nine cells from the best score to the lowest, framed: the palest is nearly paper."""
    edges = x + scale * 10 * np.arange(10)
    fills = score_colour(np.linspace(0, LOWEST_SCORE, 9))
    cells = zip(edges[:-1], edges[1:], fills, strict=True)
    frame = Stroke(box(edges[0], edges[-1], y, scale * 11), outline=FADED, width=0.6)
    return [*(Stroke(box(left, right, y, scale * 11), tuple(fill)) for left, right, fill in cells), frame]
