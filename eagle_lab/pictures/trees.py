"""Pictures of candidate trees: the graph of a tree and its verification drawn, and in words."""

from collections import defaultdict
from types import SimpleNamespace

import networkx as nx
from matplotlib.figure import Figure
from matplotlib.path import Path

from ..decode import Round
from ..inputs import check_kind
from ..language import word
from ..pairs import Pair
from ..tree import ROOT, CandidateTree
from ..verification import Verdict
from .graphs import NEXT, candidate_graph
from .ink import INK, LEGEND, LOWEST_SCORE, MARGIN, Stroke, check_figure, clean_slate, fit_figure, new_figure, put
from .layout import LABEL_GAP, RADIUS, layout
from .marks import STYLES, draw_marks, score_scale
from .settings import own_settings
from .text import display_token, text_width


def describe(graph: nx.DiGraph) -> str:
    """The picture of a graph in one sentence, in the language in use, for readers who hear it instead of seeing it."""
    by_depth = sorted(graph.nodes(data=True), key=lambda item: item[1]["depth"])
    labels = defaultdict(list)
    for _, data in by_depth:
        labels[data["state"]].append(data["label"])
    taken = [data["label"] for node, data in by_depth if data["state"] in ("accepted", "strayed") and node != NEXT]
    nodes = sum(node not in (ROOT, NEXT) for node in graph)
    if labels.keys() <= {"root", "open"}:
        return f"{word('drafted')}: {nodes}"
    count = word("aside", text=word("drafts", accepted=len(taken), nodes=nodes))
    facts = [f"{word('accepted')}{count}: {' → '.join(taken) or word('none_accepted')}"]
    for state in ("strayed", "rejected", "next"):
        if labels[state]:
            facts.append(f"{word(state)}: {', '.join(labels[state])}")
    return "; ".join(facts)


def draw_tree(
    tree: CandidateTree | None,
    verdict: Verdict | None = None,
    *,
    ax=None,
    labels=None,
    root_label=None,
    legend=True,
    strayed=(),
):
    """Draw a candidate tree from left to right into `ax` (default: a new figure); returns the axes.

    Fill: cumulative score. Thick green: the accepted prefix. Red cross: tried and refused. Dashed and
    grey: never committed. Dark square: the root; green square: the target's own token, the next root.
    Red diamond: accepted by somebody's own `verify`, although it is not the target's choice (`strayed`: those
    nodes, and "next" for an own token that is not the target's).
    Without a verdict every node is plain. `labels`: a function from token id to text; `root_label`: the
    root's text. Trees too deep for readable labels show the nodes' numbers instead.
    Raises `TypeError` and `ValueError` that name the argument, also for a tree of more than 500 nodes.

    >>> tree = CandidateTree([-1, -1, 0], [5, 6, 7], [-0.2, -1.8, -0.4])
    >>> ax = draw_tree(tree, Verdict((0,), (2,), 9))
    >>> len(ax.texts), ax.axison
    (0, False)
    """
    graph = candidate_graph(tree, verdict, labels, root_label, strayed)
    check_kind(legend, bool, "legend")
    if ax is None:
        ax = new_figure(0 if tree is None else len(tree)).axes[0]
    return draw_graph(graph, ax=ax, legend=legend)


@own_settings()
def draw_graph(graph: nx.DiGraph, *, ax, legend: bool = True):
    """Draw a graph of `candidate_graph`, as `draw_tree` does; returns the axes."""
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
        legend_marks, legend_words, scale_of_scores = _legend(width, height, graph, numbered)
        marks, words, strokes = marks + legend_marks, words + legend_words, strokes + scale_of_scores
    return put(ax, strokes + draw_marks(marks), words)


def draw_round(pair: Pair, round_: Round, verdict: Verdict, figure=None, strayed=()) -> tuple[nx.DiGraph, Figure]:
    """Draw the tree of a round with this much of its verification, in the pair's words; the graph and the figure.

    `strayed` as in `draw_tree`; `figure`: one to draw into again, with one axes.
    """
    graph = candidate_graph(round_.tree, verdict, pair.token_text, token_label(pair, round_.root), strayed)
    figure = new_figure(round_.nodes) if figure is None else check_figure(figure)
    fit_figure(figure, round_.nodes)  # which the tree's shape decides: a move of the weights keeps the size
    draw_graph(graph, ax=figure.axes[0])
    return graph, figure


def token_label(pair: Pair, token: int) -> str:
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


def _legend(width: float, height: float, graph: nx.DiGraph, numbered: bool) -> tuple[list, list, list[Stroke]]:
    """The line above the tree: its marks, its words and the scale of scores."""
    states = {state for _, state in graph.nodes(data="state")}
    keys = [("open", word("drafted"))]
    if states - {"root", "open"}:
        left_out = {"root"} if "strayed" in states else {"root", "strayed"}
        keys = [(state, word(state)) for state in STYLES if state not in left_out]
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
        score_scale(MARGIN + scale * bar, y, scale),
    )
