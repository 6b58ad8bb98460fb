"""Charts beside the tree: fusion bars, the weight simplex, the tree mask, and target passes against tokens.

`draw_…`: axes in, axes out, in the colours and the font of `ink`; `…_chart`: a whole picture of its own.
"""

import math
from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from ..inputs import check_count, check_kind, check_number, check_numbers, check_sequence, shown
from ..language import word
from ..tree import CandidateTree
from ..trials import LAYERS
from . import ink
from .graphs import check_tree, root_name, token_names
from .settings import own_settings
from .tables import percent
from .text import FONT_SIZE, LABEL_LENGTH, display_token, font, readable, text_width
from .trees import draw_tree

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 3**0.5 / 2]])  # low, mid, high: an equilateral triangle
MASK_NODES = 100  # of the largest mask that can be read
ROUND_TOKENS = 10**6  # more in one round could only be a slip


@own_settings()
def mask_chart(tree: CandidateTree, labels=None, root_label=None) -> ink.Picture:
    """The tree on the left, on the right its mask with every row's position.

    `labels`, `root_label` as in `draw_tree`. Raises `TypeError` and `ValueError` that name the argument, also for
    a tree of more than 100 nodes.

    >>> mask_chart(CandidateTree([-1, 0], [5, 6], [-0.1, -0.2]))
    tree mask: 3 x 3, 6 of 9 cells visible, positions +0 to +2
    """
    check_tree(tree, MASK_NODES)
    figure = ink.blank_figure(10, 1.6 + 0.3 * len(tree))
    draw_tree(tree, ax=figure.add_axes((0, 0, 0.5, 1)), labels=labels, root_label=root_label, legend=False)
    text = token_names(tree.tokens.tolist(), labels)
    names = [root_name(root_label), *(display_token(text[token]) for token in tree.tokens.tolist())]
    _draw_mask(tree, names, figure.add_axes((0.66, 0.04, 0.33, 0.76)))
    mask = tree.attention_mask()
    seen = f"{mask.sum()} of {mask.size} cells visible, positions +0 to +{tree.depths.max()}"
    return ink.Picture(figure=figure, png=ink.to_png(figure), alt=f"tree mask: {len(mask)} x {len(mask)}, {seen}")


@own_settings()
def passes_chart(lengths: list[int]) -> ink.Picture:
    """Tokens written against target passes: steps for these rounds, a diagonal for plain decoding.

    `lengths`: tokens that each round commits; the first pass, which reads the prompt, writes one token. Raises
    `TypeError` and `ValueError` that name the round.

    >>> passes_chart([3, 1, 4])
    4 target passes, 9 tokens
    """
    rounds = enumerate(check_sequence(lengths, "lengths"))
    lengths = [check_count(length, f"lengths[{place}]", most=ROUND_TOKENS) for place, length in rounds]
    figure = chart_figure(6, 3.2)
    ax, tokens = figure.axes[0], np.cumsum([1, *lengths])
    passes = np.arange(1, len(tokens) + 1)
    ax.plot(passes, tokens, color=ink.ACCEPTED, linewidth=2.5, marker="o", markersize=4)
    ax.plot(passes, passes, color=ink.INK, linewidth=1.2, linestyle=(0, (4, 2)))
    _say(ax, passes[-1] - 0.4, tokens[-1] + 0.6, word("with_drafts"), colour=ink.ACCEPTED, ha="right", va="bottom")
    _say(ax, passes[-1] - 0.4, passes[-1] + 0.6, word("alone"), colour=ink.INK, ha="right", va="bottom")
    ax.set_xlabel(word("passes"), fontproperties=font(), color=ink.INK)
    ax.set_ylabel(word("written"), fontproperties=font(), color=ink.INK)
    ax.set(xlim=(0, len(tokens) + 0.5), ylim=(0, 1.12 * tokens[-1] + 1))
    ax.spines[["top", "right"]].set_visible(False)
    return ink.Picture(figure=figure, png=ink.to_png(figure), alt=f"{passes[-1]} target passes, {tokens[-1]} tokens")


@own_settings()
def chart_figure(width: float, height: float, axes: int = 1) -> Figure:
    """A figure of that many inches outside pyplot, with `axes` charts side by side."""
    figure = ink.blank_figure(width, height, layout="constrained")
    figure.get_layout_engine().set(w_pad=0.15, h_pad=0.15)
    figure.subplots(1, axes)
    return figure


@own_settings()
def draw_fusion(weights: list[float], shares: list[float] | None, candidates: list, chosen: tuple[int, ...], *, ax):
    """Draw bars: on the left each layer's share of the fused feature, on the right the drafter's candidates.

    `shares`: None where there are none; `candidates`: `(label, probability)` each; those of them that are `chosen`,
    the target's own choice, are outlined in green and marked with a square. Returns the axes.
    """
    width, height = ink.clean_slate(ax)
    middle, top = 0.52 * width, height - ink.LEGEND
    words = [(ink.MARGIN, height - ink.LEGEND / 2, 1.0, word("shares"), ink.INK)]
    words.append((middle, height - ink.LEGEND / 2, 1.0, word("candidates"), ink.INK))
    layers = zip(LAYERS, shares or [None] * len(LAYERS), weights, strict=True)
    left = [(word(layer), share, f"{percent(share)}　α {weight:.2f}", False) for layer, share, weight in layers]
    right = [(name, chance, percent(chance), node in chosen) for node, (name, chance) in enumerate(candidates)]
    bars, beside = _bars(left, ink.MARGIN, top, middle - 1.6 * FONT_SIZE - ink.MARGIN)
    more, behind = _bars(right, middle, top, width - middle - ink.MARGIN)
    return ink.put(ax, bars + more, words + beside + behind)


@own_settings()
def draw_simplex(taus: dict, *, ax, point=None, title: str = "", limits=None):
    """Draw τ over the weight simplex: one hexagon for every weighting, its τ inside; returns the axes.

    `taus`: normalised weights (low, mid, high) -> τ; `point`: the weights to mark with a ring;
    `limits`: the palest and the darkest τ (default: the map's own), so that two maps can share a scale.
    Raises `TypeError` and `ValueError` that name the argument, also for weights that do not sum to 1.

    >>> taus = {(1.0, 0.0, 0.0): 2.0, (0.0, 1.0, 0.0): 3.0, (0.0, 0.0, 1.0): 2.5}
    >>> ax = draw_simplex(taus, ax=chart_figure(4, 3.4).axes[0], point=(0.2, 0.3, 0.5))
    >>> len(ax.texts)
    6
    """
    weightings, values = _read_taus(taus)
    low, high = (min(values), max(values)) if limits is None else _read_limits(limits)
    ring = None if point is None else np.array(_read_weights(point, "point")) @ CORNERS
    check_kind(title, str, "title")
    ink.check_axes(ax).clear()
    places = np.array(weightings) @ CORNERS
    shades = [(tau - low) / max(high - low, 1e-9) for tau in values]
    ax.scatter(*places.T, s=900, marker="h", c=ink.SCORES(shades), edgecolors=ink.INK, linewidths=0.5)
    for (x, y), shade, tau in zip(places, shades, values, strict=True):
        _say(ax, x, y, f"{tau:.2f}", colour=ink.PAPER if shade > 0.5 else ink.INK)
    for (x, y), layer, below in zip(CORNERS, LAYERS, (True, True, False), strict=True):
        _say(ax, x, y + (-0.13 if below else 0.13), word(layer), colour=ink.INK)
    if ring is not None:
        for colour, width in ((ink.PAPER, 6), (ink.POINTER, 3)):
            look = {"facecolors": "none", "edgecolors": colour, "linewidths": width}
            ax.scatter(*ring[:, None], s=1100, marker="o", **look, zorder=3)
    ax.set_title(readable(title, 4 * LABEL_LENGTH), fontproperties=font(), color=ink.INK, parse_math=False)
    ax.set(xlim=(-0.16, 1.16), ylim=(-0.2, 1.05), aspect="equal")
    ax.set_axis_off()
    return ax


def _draw_mask(tree: CandidateTree, names: list[str], ax) -> None:
    """A row for the root and each node, filled where it may look, with its position counted from the root."""
    mask, depths = tree.attention_mask(), [0, *tree.depths.tolist()]
    ax.imshow(mask, cmap=ink.SCORES, vmin=0, vmax=1.25, aspect="equal")
    places = np.arange(len(mask))
    pitch = min(ax.get_window_extent().size) * 72 / ax.figure.dpi / len(mask)  # points from row to row
    look = {"fontproperties": font(), "fontsize": min(FONT_SIZE, pitch), "parse_math": False, "color": ink.INK}
    ax.set_xticks(places, names, rotation=90, **look)
    rows = [f"{text}   {word('position')} +{depth}" for text, depth in zip(names, depths, strict=True)]
    ax.set_yticks(places, rows, **look)
    ax.xaxis.tick_top()
    ax.set_xticks(places + 0.5, minor=True)
    ax.set_yticks(places + 0.5, minor=True)
    ax.grid(which="minor", color=ink.PAPER, linewidth=1.5)
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)


def _read_taus(taus) -> tuple[list[list[float]], list[float]]:
    """The weightings of a map and their τ."""
    check_kind(taus, Mapping, "taus")
    if not taus:
        raise ValueError("taus is empty: a map has at least one weighting")
    weightings = [_read_weights(weights, f"taus: the weights {shown(weights)}") for weights in taus]
    return weightings, [_read_finite(tau, f"taus[{shown(weights)}]") for weights, tau in taus.items()]


def _read_weights(weights, name: str) -> list[float]:
    """Normalised layer weights: a point of the simplex."""
    values = check_numbers(weights, name)
    if len(values) != len(LAYERS) or not all(0 <= value <= 1 for value in values) or abs(sum(values) - 1) > 1e-6:
        raise ValueError(f"{name} must be {len(LAYERS)} numbers from 0 to 1 with sum 1, not {shown(values)}")
    return values


def _read_limits(limits) -> list[float]:
    values = [_read_finite(value, "limits") for value in check_sequence(limits, "limits")]
    if len(values) != 2 or values[0] > values[1]:
        raise ValueError(f"limits must be the lowest and the highest τ, not {shown(values)}")
    return values


def _read_finite(value, name: str) -> float:
    number = check_number(value, name)
    if not math.isfinite(number):
        raise ValueError(f"{name} is {number}: it must be finite")
    return number


def _say(ax, x: float, y: float, text: str, *, colour: str, ha="center", va="center") -> None:
    ax.text(x, y, text, color=colour, ha=ha, va=va, fontproperties=font(), fontsize=10, parse_math=False)


def _bars(rows: list, x: float, top: float, width: float) -> tuple[list[ink.Stroke], list]:
    """Rows `(label, share, note, chosen)` from `top` down: the bars, and the words that belong to them."""
    pitch, thick = top / (max(len(rows), 4) + 0.4), FONT_SIZE * 1.1
    left = width / 12 if min(share or 0.0 for _, share, *_ in rows) < 0 else 0.0  # room for a bar to the left
    zero = x + max(text_width(label) for label, *_ in rows) + 18 + left  # where the bars begin
    length = width - (zero - x) - max(text_width(note) for _, _, note, _ in rows) - 12
    if length < 24:
        raise ValueError(f"figure is too narrow: beside labels and notes, {length:.0f} points are left for the bars")
    bars, words = [], []
    for row, (label, share, note, chosen) in enumerate(rows):
        y, end = top - pitch * (row + 0.6), zero + length * min(max(share or 0.0, -0.1), 1.0)
        if share is not None:
            fill = ink.score_colour(np.log(max(share, 1e-4)))
            outline, line = (ink.OWN, 2.8) if chosen else (ink.FADED, 0.6)
            bars.append(ink.Stroke(ink.box(zero, end, y, thick), fill, outline, line))
        colour = ink.OWN if chosen else ink.INK
        words.append((x, y, 1.0, label, colour))
        words.append((max(zero, end) + 6, y, 1.0, f"{note}　■" if chosen else note, colour))
    return bars, words
