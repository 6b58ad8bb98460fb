"""Pictures of candidate trees: one networkx graph in, matplotlib marks out.

A mark tells a node's state twice, by colour and by shape, and its fill tells the cumulative score.
"""

from collections import Counter
from functools import cache
from types import SimpleNamespace
from typing import NamedTuple

import networkx as nx
import numpy as np
from matplotlib.figure import Figure
from matplotlib.markers import MarkerStyle
from matplotlib.path import Path

from ..decode import Round
from ..language import word
from ..tree import ROOT, CandidateTree
from ..verification import Verdict
from .ink import (
    ACCEPTED,
    FADED,
    FAINT,
    INK,
    LABEL_LENGTH,
    LEGEND,
    LOWEST_SCORE,
    MARGIN,
    OWN,
    PAPER,
    REFUSED,
    Stroke,
    box,
    clean_slate,
    display_token,
    fit_figure,
    lettering,
    new_figure,
    put,
    score_colour,
    text_width,
)
from .layout import LABEL_GAP, NEXT, RADIUS, layout


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
    sign: str = ""  # on the mark: a "ring" of paper, or a "cross" in the outline's colour


STYLES = {
    "root": Style(INK, 1.6, INK, 1.0, INK, marker="s"),
    "accepted": Style(ACCEPTED, 2.4, ACCEPTED, 3.0, INK, size=1.2, sign="ring"),
    "rejected": Style(REFUSED, 0.9, REFUSED, 1.0, FADED, sign="cross"),
    "open": Style(FADED, 0.9, FAINT, 0.9, FADED, dashes=(2, 1.5), edge_dashes=(3, 2)),
    "next": Style(OWN, 1.8, OWN, 1.4, OWN, marker="s", edge_dashes=(1, 1.2)),
}


def candidate_graph(
    tree: CandidateTree | None, verdict: Verdict | None = None, labels=None, root_label=None
) -> nx.DiGraph:
    """The tree as a networkx graph, with all that a picture or a table of it says.

    No tree (None) is a plain pass: the graph holds the root and the target's own token.
    Nodes: −1 (the root), 0 … n−1, and with a verdict "next", the target's own token. Node attributes:
    `label`, `token`, `depth`, `score`, `state` ("root", "accepted", "rejected", "open", "next"). A verdict
    whose `next_token` is None is a walk that has not ended yet: it gets no "next".
    `labels`: a function from token id to text (default: the id as text); tokens that would look alike
    carry their id.

    >>> tree = CandidateTree([-1, 0, 0], [7, 8, 9], [-0.1, -0.5, -2.0])
    >>> graph = candidate_graph(tree, Verdict(accepted=(0, 2), rejected=(), next_token=4))
    >>> [graph.nodes[node]["state"] for node in (-1, 0, 1, 2, "next")]
    ['root', 'accepted', 'open', 'accepted', 'next']
    >>> list(candidate_graph(tree, Verdict(accepted=(0,), rejected=(), next_token=None)))
    [-1, 0, 1, 2]
    >>> list(candidate_graph(None, Verdict(accepted=(), rejected=(), next_token=4)))
    [-1, 'next']
    """
    graph = nx.DiGraph()
    graph.add_node(ROOT, label=root_label or word("root"), token=None, depth=0, score=0.0, state="root")
    accepted = verdict.accepted if verdict else ()
    state = dict.fromkeys(accepted, "accepted") | dict.fromkeys(verdict.rejected if verdict else (), "rejected")
    own = verdict.next_token if verdict else None
    columns = [[]] * 4 if tree is None else [c.tolist() for c in (tree.parents, tree.tokens, tree.depths, tree.scores)]
    label = _labels(columns[1] if own is None else [*columns[1], own], labels or str)
    for node, (parent, token, depth, score) in enumerate(zip(*columns, strict=True)):
        node_state = state.get(node, "open")
        graph.add_node(node, label=label[token], token=token, depth=depth, score=score, state=node_state)
        graph.add_edge(parent, node)
    if own is not None:
        graph.add_node(NEXT, label=label[own], token=own, depth=len(accepted) + 1, score=None, state="next")
        graph.add_edge(accepted[-1] if accepted else ROOT, NEXT)
    return graph


def _labels(tokens: list[int], name) -> dict[int, str]:
    """A label for every token id; tokens that would look alike carry their id."""
    shown = {token: display_token(name(token)) for token in tokens}
    alike = Counter(shown.values())
    for token, label in shown.items():
        if alike[label] > 1:
            mark = f"#{token}"
            shown[token] = display_token(name(token), LABEL_LENGTH - len(mark)) + mark
    return shown


def describe(graph: nx.DiGraph) -> str:
    """The picture of a graph in one sentence, in the language in use, for readers who hear it instead of seeing it.

    >>> from eagle_lab import use_language
    >>> use_language("en")
    >>> describe(candidate_graph(CandidateTree([-1, -1, 0], [5, 6, 7], [-0.2, -1.8, -0.4]), Verdict((0,), (2,), 9)))
    "accepted prefix (1 of 3 candidates): 5; first rejection: 7; the target's own token: 9"
    >>> use_language("zh")
    """
    labels = {state: [] for state in STYLES}
    for _, data in sorted(graph.nodes(data=True), key=lambda item: item[1]["depth"]):
        labels[data["state"]].append(data["label"])
    accepted, refused, own = labels["accepted"], labels["rejected"], labels["next"]
    nodes = len(graph) - len(labels["root"] + own)
    if not accepted + refused + own:
        return f"{word('drafted')}: {nodes}"
    count = word("aside", text=word("drafts", accepted=len(accepted), nodes=nodes))
    facts = [f"{word('accepted')}{count}: {' → '.join(accepted) or word('none_accepted')}"]
    facts += [f"{word('rejected')}: {', '.join(refused)}"] if refused else []
    facts += [f"{word('next')}: {own[0]}"] if own else []
    return "; ".join(facts)


def draw_tree(
    tree: CandidateTree | None, verdict: Verdict | None = None, *, ax=None, labels=None, root_label=None, legend=True
):
    """Draw a candidate tree from left to right into `ax` (default: a new figure); returns the axes.

    Fill: cumulative score. Thick green: the accepted prefix. Red cross: tried and refused. Dashed and
    grey: never committed. Dark square: the root; green square: the target's own token, the next root.
    Without a verdict every node is plain. `labels`: a function from token id to text; `root_label`: the
    root's text. Trees too deep for readable labels show the nodes' numbers instead.

    >>> tree = CandidateTree([-1, -1, 0], [5, 6, 7], [-0.2, -1.8, -0.4])
    >>> ax = draw_tree(tree, Verdict((0,), (2,), 9))
    >>> len(ax.texts), ax.axison
    (0, False)
    """
    ax = ax or new_figure(len(tree or ())).axes[0]
    return draw_graph(candidate_graph(tree, verdict, labels, root_label), ax=ax, legend=legend)


def draw_graph(graph: nx.DiGraph, *, ax=None, legend: bool = True):
    """Draw a graph of `candidate_graph`, as `draw_tree` does; returns the axes.

    >>> draw_graph(candidate_graph(CandidateTree([-1], [5], [-0.2]))).axison
    False
    """
    ax = ax or new_figure(len(graph)).axes[0]
    width, height = clean_slate(ax)
    places = layout(graph, width, height - (LEGEND if legend else 0))
    marks = [(places.x[node], places.y[node], places.scale, data) for node, data in graph.nodes(data=True)]
    words = [
        (*places.text[node], places.scale, places.labels[node], STYLES[data["state"]].text)
        for node, data in graph.nodes(data=True)
    ]
    strokes = _edges(graph, places)
    if legend:
        numbered = places.labels != dict(graph.nodes(data="label"))
        legend_marks, legend_words, score_scale = _legend(width, height, graph, numbered)
        marks, words, strokes = marks + legend_marks, words + legend_words, strokes + score_scale
    return put(ax, strokes + _marks(marks) + lettering(words))


def draw_round(pair, round_: Round, verdict: Verdict, figure: Figure | None = None) -> tuple[nx.DiGraph, Figure]:
    """Draw the tree of a round with this much of its verification, in the pair's words; the graph and the figure."""
    figure = figure or new_figure(round_.nodes)
    fit_figure(figure, round_.nodes)  # which the tree's shape decides: a move of the weights keeps the size
    graph = candidate_graph(round_.tree, verdict, pair.token_text, token_label(pair, round_.root))
    draw_graph(graph, ax=figure.axes[0])
    return graph, figure


def token_label(pair, token: int) -> str:
    """A token as a picture or a table names it."""
    return display_token(pair.token_text(int(token)))


def ending(round_: Round) -> str:
    """The key of the word for a round's own token: a "correction", a "bonus" at a leaf, the "next" of a plain pass."""
    if round_.tree is None:
        return "next"
    return "correction" if round_.verdict.rejected else "bonus"


def _edges(graph: nx.DiGraph, places: SimpleNamespace) -> list[Stroke]:
    """Curves from the end of the parent's label to the child, the weighty ones on top."""
    curves = []
    for parent, child in graph.edges:
        style = STYLES[graph.nodes[child]["state"]]
        start = places.label_end[parent], places.y[parent]
        end = places.x[child] - places.scale * RADIUS, places.y[child]  # where the mark begins
        middle = (start[0] + end[0]) / 2
        curve = Path([start, (middle, start[1]), (middle, end[1]), end], [1, 4, 4, 4])
        width = places.scale * style.edge_width
        curves.append(Stroke(curve, outline=style.edge, width=width, dashes=style.edge_dashes))
    return sorted(curves, key=lambda curve: curve.width)


def _marks(marks: list) -> list[Stroke]:
    """Marks `(x, y, scale, node)`, each in its state's shape and filled by its score.

    Paper keeps the outlines' colours off the fill, where they would not show: a ring inside the accepted
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
            strokes.append(Stroke(_mark("o", x, y, scale * 0.87), outline=PAPER, width=scale * 1.3))
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


def _legend(width: float, height: float, graph: nx.DiGraph, numbered: bool) -> tuple[list, list, list[Stroke]]:
    """The line above the tree: its marks, its words and the scale of scores."""
    states = {state for _, state in graph.nodes(data="state")}
    keys = [("open", word("drafted"))]
    if states - {"root", "open"}:
        keys = [(state, word(state)) for state in ("accepted", "rejected", "open", "next")]
    marks, words, x = [], [], RADIUS  # at scale 1, from the left margin
    for state, text in keys:
        marks.append((x, {"state": state, "score": None if state == "next" else -2.0}))
        words.append((x + LABEL_GAP, text))
        x += text_width(text) + 46
    best, worst = f"{word('score')}  0", f"−{-LOWEST_SCORE:.0f}"
    bar = x + text_width(best) + 10
    words += [(x, best), (bar + 96, worst)]
    x = bar + 96 + text_width(worst)
    if numbered:
        words.append((x + 24, f"{word('node')} 0–{max(node for node in graph if node != NEXT)}"))
        x += 24 + text_width(words[-1][1])
    scale, y = min(0.9, (width - 2 * MARGIN) / x), height - LEGEND / 2
    return (
        [(MARGIN + scale * x, y, scale, data) for x, data in marks],
        [(MARGIN + scale * x, y, scale, text, INK) for x, text in words],
        _score_scale(MARGIN + scale * bar, y, scale),
    )


def _score_scale(x: float, y: float, scale: float) -> list[Stroke]:
    """Nine cells from the best score to the lowest, framed: the palest is nearly paper."""
    edges = x + scale * 10 * np.arange(10)
    fills = score_colour(np.linspace(0, LOWEST_SCORE, 9))
    cells = zip(edges[:-1], edges[1:], fills, strict=True)
    frame = Stroke(box(edges[0], edges[-1], y, scale * 11), outline=FADED, width=0.6)
    return [*(Stroke(box(left, right, y, scale * 11), tuple(fill)) for left, right, fill in cells), frame]
