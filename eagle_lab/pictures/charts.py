"""Charts beside the tree: fusion bars, the weight simplex, the tree mask, and target passes against tokens.

`draw_…`: axes in, axes out, in the colours and the font of `ink`; `…_chart`: a whole picture of its own.
"""

from dataclasses import dataclass, field

import numpy as np
from matplotlib.figure import Figure

from ..language import word
from ..tree import CandidateTree
from ..trials import LAYERS
from .ink import (
    ACCEPTED,
    FADED,
    FONT_SIZE,
    INK,
    LEGEND,
    MARGIN,
    OWN,
    PAPER,
    POINTER,
    SCORES,
    Picture,
    Stroke,
    blank_figure,
    box,
    clean_slate,
    display_token,
    font,
    lettering,
    new_figure,
    put,
    score_colour,
    text_width,
    to_png,
)
from .tables import percent
from .trees import draw_tree

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 3**0.5 / 2]])  # low, mid, high: an equilateral triangle


@dataclass(frozen=True)
class Chart(Picture):
    """A finished picture and what it says in one line."""

    caption: str
    figure: Figure = field(repr=False)
    png: bytes = field(repr=False)

    def __repr__(self) -> str:
        return self.caption


def mask_chart(tree: CandidateTree, labels=None, root_label=None) -> Chart:
    """The tree on the left, on the right its mask with every row's position.

    >>> mask_chart(CandidateTree([-1, 0], [5, 6], [-0.1, -0.2]))
    tree mask: 3 x 3, 6 of 9 cells visible, positions +0 to +2
    """
    root_label = display_token(root_label) if root_label else word("root")
    figure = blank_figure(10, 1.6 + 0.3 * len(tree))
    draw_tree(tree, ax=figure.add_axes((0, 0, 0.5, 1)), labels=labels, root_label=root_label, legend=False)
    draw_mask(tree, ax=figure.add_axes((0.66, 0.04, 0.33, 0.76)), labels=labels, root_label=root_label)
    mask = tree.attention_mask()
    seen = f"{mask.sum()} of {mask.size} cells visible, positions +0 to +{tree.depths.max()}"
    return Chart(f"tree mask: {len(mask)} x {len(mask)}, {seen}", figure, to_png(figure))


def passes_chart(lengths: list[int]) -> Chart:
    """Tokens written against target passes, as `draw_passes`.

    >>> passes_chart([3, 1, 4])
    4 target passes, 9 tokens
    """
    figure = chart_figure(6, 3.2)
    draw_passes(lengths, ax=figure.axes[0])
    return Chart(f"{1 + len(lengths)} target passes, {1 + sum(lengths)} tokens", figure, to_png(figure))


def chart_figure(width: float, height: float, axes: int = 1) -> Figure:
    """A figure of that many inches outside pyplot, with `axes` charts side by side."""
    figure = blank_figure(width, height, layout="constrained")
    figure.get_layout_engine().set(w_pad=0.15, h_pad=0.15)
    figure.subplots(1, axes)
    return figure


def draw_fusion(layers: list[dict], candidates: list[dict], *, ax=None):
    """Draw bars: on the left each layer's share of the fused feature, on the right the drafter's candidates.

    `layers`: `{"label", "share", "note"}` each; `candidates`: `{"label", "probability", "chosen"}` each, the
    target's own choice outlined in green and marked with a square. Returns the axes.

    >>> ax = draw_fusion([{"label": "low", "share": 1.0, "note": ""}],
    ...                  [{"label": "a", "probability": 0.7, "chosen": True}])
    >>> ax.axison
    False
    """
    ax = ax or new_figure(8).axes[0]
    width, height = clean_slate(ax)
    middle, top = 0.52 * width, height - LEGEND
    words = [(MARGIN, height - LEGEND / 2, 1.0, word("shares"), INK)]
    words.append((middle, height - LEGEND / 2, 1.0, word("candidates"), INK))
    left = [(row["label"], row["share"], percent(row["share"]) + row["note"], False) for row in layers]
    right = [(row["label"], row["probability"], percent(row["probability"]), row["chosen"]) for row in candidates]
    shares, beside = _bars(left, MARGIN, top, middle - 1.6 * FONT_SIZE - MARGIN)
    chances, behind = _bars(right, middle, top, width - middle - MARGIN)
    return put(ax, shares + chances + lettering(words + beside + behind))


def draw_simplex(taus: dict, *, ax, point=None, title: str = "", limits=None):
    """Draw τ over the weight simplex: one hexagon for every weighting, its τ inside; returns the axes.

    `taus`: normalised weights (low, mid, high) -> τ; `point`: the weights to mark with a ring;
    `limits`: the palest and the darkest τ (default: the map's own), so that two maps can share a scale.

    >>> taus = {(1.0, 0.0, 0.0): 2.0, (0.0, 1.0, 0.0): 3.0, (0.0, 0.0, 1.0): 2.5}
    >>> ax = draw_simplex(taus, ax=chart_figure(4, 3.4).axes[0], point=(0.2, 0.3, 0.5))
    >>> len(ax.texts)
    6
    """
    ax.clear()
    low, high = limits or (min(taus.values()), max(taus.values()))
    places = np.array(list(taus)) @ CORNERS
    shades = [(tau - low) / max(high - low, 1e-9) for tau in taus.values()]
    ax.scatter(*places.T, s=900, marker="h", c=SCORES(shades), edgecolors=INK, linewidths=0.5)
    for (x, y), shade, tau in zip(places, shades, taus.values(), strict=True):
        _say(ax, x, y, f"{tau:.2f}", colour=PAPER if shade > 0.5 else INK)
    for (x, y), layer, below in zip(CORNERS, LAYERS, (True, True, False), strict=True):
        _say(ax, x, y + (-0.13 if below else 0.13), word(layer), colour=INK)
    if point is not None:
        x, y = np.asarray(point) @ CORNERS
        for colour, width in ((PAPER, 6), (POINTER, 3)):
            ax.scatter([x], [y], s=1100, marker="o", facecolors="none", edgecolors=colour, linewidths=width, zorder=3)
    ax.set_title(title, fontproperties=font(), color=INK, parse_math=False)
    ax.set(xlim=(-0.16, 1.16), ylim=(-0.2, 1.05), aspect="equal")
    ax.set_axis_off()
    return ax


def draw_mask(tree: CandidateTree, *, ax, labels=None, root_label=None):
    """Draw the tree mask: a row for the root and each node, filled where it may look; returns the axes.

    `labels`: a function from token id to text (default: the id); each row also names its position,
    counted from the root.

    >>> ax = draw_mask(CandidateTree([-1, 0], [5, 6], [-0.1, -0.2]), ax=chart_figure(4, 4).axes[0])
    >>> [tick.get_text() for tick in ax.get_xticklabels()][1:]
    ['5', '6']
    """
    ax.clear()
    mask, depths = tree.attention_mask(), [0, *tree.depths.tolist()]
    name = labels or str
    names = [root_label or word("root"), *(display_token(name(token)) for token in tree.tokens.tolist())]
    ax.imshow(mask, cmap=SCORES, vmin=0, vmax=1.25, aspect="equal")
    places = np.arange(len(mask))
    ax.set_xticks(places, names, fontproperties=font(), rotation=90, parse_math=False, color=INK)
    rows = [f"{text}   {word('position')} +{depth}" for text, depth in zip(names, depths, strict=True)]
    ax.set_yticks(places, rows, fontproperties=font(), parse_math=False, color=INK)
    ax.xaxis.tick_top()
    ax.set_xticks(places + 0.5, minor=True)
    ax.set_yticks(places + 0.5, minor=True)
    ax.grid(which="minor", color=PAPER, linewidth=1.5)
    ax.tick_params(which="both", length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


def draw_passes(lengths: list[int], *, ax):
    """Draw tokens written against target passes: steps for these rounds, a diagonal for plain decoding.

    `lengths`: tokens that each round commits. The first pass, which reads the prompt, writes one token.

    >>> draw_passes([3, 1, 4], ax=chart_figure(5, 3).axes[0]).get_lines()[0].get_ydata().tolist()
    [1, 4, 5, 9]
    """
    ax.clear()
    tokens = np.cumsum([1, *lengths])
    passes = np.arange(1, len(tokens) + 1)
    ax.plot(passes, tokens, color=ACCEPTED, linewidth=2.5, marker="o", markersize=4)
    ax.plot(passes, passes, color=INK, linewidth=1.2, linestyle=(0, (4, 2)))
    _say(ax, passes[-1] - 0.4, tokens[-1] + 0.6, word("with_drafts"), colour=ACCEPTED, ha="right", va="bottom")
    _say(ax, passes[-1] - 0.4, passes[-1] + 0.6, word("alone"), colour=INK, ha="right", va="bottom")
    ax.set_xlabel(word("passes"), fontproperties=font(), color=INK)
    ax.set_ylabel(word("written"), fontproperties=font(), color=INK)
    ax.set(xlim=(0, len(tokens) + 0.5), ylim=(0, 1.12 * tokens[-1] + 1))
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def _say(ax, x: float, y: float, text: str, *, colour: str, ha="center", va="center") -> None:
    ax.text(x, y, text, color=colour, ha=ha, va=va, fontproperties=font(), fontsize=10, parse_math=False)


def _bars(rows: list, x: float, top: float, width: float) -> tuple[list[Stroke], list]:
    """Rows `(label, share, note, chosen)` from `top` down: the bars, and the words that belong to them."""
    pitch, thick = top / (max(len(rows), 4) + 0.4), FONT_SIZE * 1.1
    left = width / 12 if min(share for _, share, *_ in rows) < 0 else 0.0  # room for a bar to the left
    zero = x + max(text_width(label) for label, *_ in rows) + 18 + left  # where the bars begin
    length = width - (zero - x) - max(text_width(note) for _, _, note, _ in rows) - 12
    bars, words = [], []
    for row, (label, share, note, chosen) in enumerate(rows):
        y, end = top - pitch * (row + 0.6), zero + length * min(max(share, -0.1), 1.0)
        fill = score_colour(np.log(max(share, 1e-4)))
        bars.append(Stroke(box(zero, end, y, thick), fill, *((OWN, 2.8) if chosen else (FADED, 0.6))))
        colour = OWN if chosen else INK
        words.append((x, y, 1.0, label, colour))
        words.append((max(zero, end) + 6, y, 1.0, f"{note}　■" if chosen else note, colour))
    return bars, words
