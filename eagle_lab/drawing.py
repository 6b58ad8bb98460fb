"""Pictures of candidate trees: one networkx graph in, matplotlib marks out.

A mark tells a node's state twice, by colour and by shape, and its fill tells the cumulative score.
Everything is laid out in points, so that text can be measured and nothing overlaps; the text of a
whole picture is drawn as a few compound paths, which is what makes redrawing fast.
"""

import io
from functools import cache, lru_cache
from pathlib import Path as FilePath
from types import SimpleNamespace

import networkx as nx
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.textpath import text_to_path
from PIL import Image

from .language import word
from .tree import ROOT, CandidateTree
from .verification import Verdict

# The one place for colours, sizes (points) and marks.
INK, FADED, PAPER = "#1f2430", "#6f7684", "#ffffff"
GREEN, RED = "#12823b", "#c8102e"
SCORES = LinearSegmentedColormap.from_list("eagle_scores", ["#f3ead9", "#a9c3dc", "#4d78b3", "#1d2f63"])
LOWEST_SCORE = -8.0  # scores below take the palest colour: fixed, so that pictures can be compared
FONT_SIZE, RADIUS, LABEL_GAP, GAP, MARGIN, LEGEND = 10.0, 5.5, 9.5, 16.0, 12.0, 26.0
LABEL_LENGTH = 14
STYLES = {  # state: outline, outline width, outline dashes, edge, edge width, edge dashes, text
    "root": SimpleNamespace(outline=INK, width=1.6, dashes=None, edge=INK, edge_width=1.0, edge_dashes=None, text=INK),
    "accepted": SimpleNamespace(
        outline=GREEN, width=2.8, dashes=None, edge=GREEN, edge_width=3.0, edge_dashes=None, text=INK
    ),
    "rejected": SimpleNamespace(
        outline=RED, width=1.2, dashes=None, edge=RED, edge_width=1.0, edge_dashes=None, text=FADED
    ),
    "open": SimpleNamespace(
        outline=FADED, width=0.9, dashes=(2, 1.5), edge="#b9bec8", edge_width=0.9, edge_dashes=(3, 2), text=FADED
    ),
    "next": SimpleNamespace(
        outline=GREEN, width=1.8, dashes=None, edge=GREEN, edge_width=1.4, edge_dashes=(1, 1.2), text=GREEN
    ),
}
NEXT = "next"  # the graph's name for the target's own token
OURS = "eagle_lab tree"  # the gid of every artist that draw_tree adds


def candidate_graph(tree: CandidateTree, verdict: Verdict | None = None, labels=None, root_label=None) -> nx.DiGraph:
    """The tree as a networkx graph, with all that a picture or a table of it says.

    Nodes: −1 (the root), 0 … n−1, and with a verdict "next", the target's own token. Node attributes:
    `label`, `token`, `depth`, `score`, `state` ("root", "accepted", "rejected", "open", "next"). A verdict
    whose `next_token` is None is a walk that has not ended yet: it gets no "next".
    `labels`: a function from token id to text (default: the id as text).

    >>> tree = CandidateTree([-1, 0, 0], [7, 8, 9], [-0.1, -0.5, -2.0])
    >>> graph = candidate_graph(tree, Verdict(accepted=(0, 2), rejected=(), next_token=4))
    >>> [graph.nodes[node]["state"] for node in (-1, 0, 1, 2, "next")]
    ['root', 'accepted', 'open', 'accepted', 'next']
    """
    name = labels or str
    graph = nx.DiGraph()
    graph.add_node(ROOT, label=root_label or word("root"), token=None, depth=0, score=0.0, state="root")
    accepted = verdict.accepted if verdict else ()
    state = dict.fromkeys(accepted, "accepted") | dict.fromkeys(verdict.rejected if verdict else (), "rejected")
    columns = tree.parents.tolist(), tree.tokens.tolist(), tree.depths.tolist(), tree.scores.tolist()
    for node, (parent, token, depth, score) in enumerate(zip(*columns, strict=True)):
        node_state = state.get(node, "open")
        graph.add_node(node, label=display_token(name(token)), token=token, depth=depth, score=score, state=node_state)
        graph.add_edge(parent, node)
    if verdict and verdict.next_token is not None:
        label = display_token(name(verdict.next_token))
        graph.add_node(NEXT, label=label, token=verdict.next_token, depth=len(accepted) + 1, score=None, state="next")
        graph.add_edge(accepted[-1] if accepted else ROOT, NEXT)
    return graph


def draw_tree(
    tree: CandidateTree, verdict: Verdict | None = None, *, ax=None, labels=None, root_label=None, legend: bool = True
):
    """Draw a candidate tree from left to right into `ax` (default: a new figure); returns the axes.

    Fill: cumulative score. Thick green: the accepted prefix. Red cross: tried and refused. Dashed and
    grey: never committed. Green square: the target's own token. Without a verdict every node is plain.
    `labels`: a function from token id to text; `root_label`: the root's text.

    >>> tree = CandidateTree([-1, -1, 0], [5, 6, 7], [-0.2, -1.8, -0.4])
    >>> ax = draw_tree(tree, Verdict((0,), (2,), 9))
    >>> len(ax.texts), ax.axison
    (0, False)
    """
    ax = ax or new_figure(len(tree)).axes[0]
    return draw_graph(candidate_graph(tree, verdict, labels, root_label), ax=ax, legend=legend)


def draw_graph(graph: nx.DiGraph, *, ax=None, legend: bool = True):
    """Draw a graph of `candidate_graph`, as `draw_tree` does; returns the axes.

    >>> draw_graph(candidate_graph(CandidateTree([-1], [5], [-0.2]))).axison
    False
    """
    ax = ax or new_figure(len(graph)).axes[0]
    width, height = _clean_slate(ax)
    places = layout(graph, width, height - (LEGEND if legend else 0))
    marks = [(places.x[node], places.y[node], places.scale, data) for node, data in graph.nodes(data=True)]
    words = [
        (x + scale * LABEL_GAP, y, scale, data["label"], STYLES[data["state"]].text) for x, y, scale, data in marks
    ]
    _draw_edges(ax, graph, places)
    if legend:
        verified = {"accepted", "next"} & {data["state"] for *_, data in marks}
        legend_marks, legend_words = _draw_score_scale(ax, height, bool(verified))
        marks, words = marks + legend_marks, words + legend_words
    _draw_marks(ax, marks)
    _draw_words(ax, words)
    return ax


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
    width, height = _clean_slate(ax)
    middle, top = 0.52 * width, height - LEGEND
    words = [(MARGIN, height - LEGEND / 2, 1.0, word("shares"), INK)]
    words.append((middle, height - LEGEND / 2, 1.0, word("candidates"), INK))
    left = [(row["label"], row["share"], percent(row["share"]) + row["note"], False) for row in layers]
    right = [(row["label"], row["probability"], percent(row["probability"]), row["chosen"]) for row in candidates]
    words += _draw_bars(ax, left, MARGIN, top, middle - 1.6 * FONT_SIZE - MARGIN)
    words += _draw_bars(ax, right, middle, top, width - middle - MARGIN)
    _draw_words(ax, words)
    return ax


def percent(share: float) -> str:
    """A share as a whole percentage, with a real minus sign."""
    return f"{100 * share:.0f}%".replace("-", "−")


def _draw_bars(ax, rows: list, x: float, top: float, width: float) -> list:
    """Rows `(label, share, note, chosen)` from `top` down; returns the words that belong to them."""
    pitch, thick = top / (max(len(rows), 4) + 0.4), FONT_SIZE * 1.1
    zero = x + max(text_width(label) for label, *_ in rows) + 18  # where the bars begin
    length = width - (zero - x) - max(text_width(note) for _, _, note, _ in rows) - 12
    bars, styles, words = [], [], []
    for row, (label, share, note, chosen) in enumerate(rows):
        y, end = top - pitch * (row + 0.6), zero + length * min(max(share, -0.1), 1.0)
        bars.append(_box(zero, end, y, thick))
        styles.append(STYLES["accepted" if chosen else "root"])
        colour = GREEN if chosen else INK
        words.append((x, y, 1.0, label, colour))
        words.append((max(zero, end) + 6, y, 1.0, f"{note}　■" if chosen else note, colour))
    colours = [score_colour(np.log(max(share, 1e-4))) for _, share, _, _ in rows]
    widths = [style.width if style.outline == GREEN else 0 for style in styles]
    edges = [style.outline for style in styles]
    ax.add_collection(
        PathCollection(bars, facecolors=colours, edgecolors=edges, linewidths=widths, gid=OURS), autolim=False
    )
    return words


def _box(left: float, right: float, y: float, thick: float) -> Path:
    """A closed rectangle, `thick` high around y."""
    low, high = y - thick / 2, y + thick / 2
    return Path([(left, low), (right, low), (right, high), (left, high), (left, low)], closed=True)


def _clean_slate(ax) -> tuple[float, float]:
    """Take an earlier picture of ours off the axes and measure them in points, width and height."""
    for artist in [artist for artist in ax.get_children() if artist.get_gid() == OURS]:
        artist.remove()  # clearing the whole axes would cost as much as drawing
    ax.set_axis_off()
    box, points_per_pixel = ax.get_window_extent(), 72 / ax.figure.dpi
    width, height = box.width * points_per_pixel, box.height * points_per_pixel
    ax.set(xlim=(0, width), ylim=(0, height))
    return width, height


def new_figure(nodes: int) -> Figure:
    """A figure whose size fits any tree of that many nodes, outside pyplot, so that none stays open."""
    figure = Figure(dpi=110, facecolor=PAPER)
    FigureCanvasAgg(figure)
    figure.add_axes((0, 0, 1, 1))
    fit_figure(figure, nodes)
    return figure


def fit_figure(figure: Figure, nodes: int) -> None:
    """Give a figure the size for trees of up to that many nodes; the width is always the same."""
    figure.set_size_inches(10, 1.6 + 0.15 * max(nodes, 8))


def to_png(figure: Figure) -> bytes:
    """The figure's pixels as a PNG of 256 colours: half the time of true colour and a third of the bytes.

    A slider move waits for this; the colours stay within 6 % of the drawn ones.
    """
    figure.canvas.draw()
    pixels = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("RGB")
    few = pixels.quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.putpalette([255 if level == 254 else level for level in few.getpalette()])  # the octree's white is 254
    buffer = io.BytesIO()
    few.save(buffer, "png", compress_level=1)
    return buffer.getvalue()


def layout(graph: nx.DiGraph, width: float, height: float) -> SimpleNamespace:
    """Places in points: a column for each depth, a row for each leaf, parents midway between their children.

    Columns are as wide as their longest label. Where rows or columns get too tight, text and nodes
    shrink together (`scale`). The same graph always gets the same places.
    """
    rows = _rows(graph)
    depth = dict(graph.nodes(data="depth"))
    widths = {node: text_width(label) for node, label in graph.nodes(data="label")}
    longest = [0.0] * (1 + max(depth.values()))
    for node, level in depth.items():
        longest[level] = max(longest[level], widths[node])
    last_row = max(rows.values())
    pitch = (height - 2 * MARGIN) / last_row if last_row else height
    wanted = sum(longest) + len(longest) * (3 * RADIUS + GAP) + 2 * MARGIN
    scale = min(1.0, width / wanted, pitch / (1.3 * FONT_SIZE))
    spare = min(max(0.0, width - scale * wanted) / len(longest), 80.0)
    starts = np.cumsum([MARGIN + RADIUS] + [scale * (size + 3 * RADIUS + GAP) + spare for size in longest])
    top = height - MARGIN if last_row else height / 2
    x = {node: float(starts[depth[node]]) for node in graph}
    return SimpleNamespace(
        x=x,
        y={node: top - rows[node] * pitch for node in graph},
        label_end={node: x[node] + scale * (LABEL_GAP + widths[node]) + 3 for node in graph},
        scale=scale,
    )


def _rows(graph: nx.DiGraph) -> dict:
    """Every node's row: leaves count down in depth-first order, a parent stands midway."""
    rows, leaves = {}, 0
    for node in nx.dfs_postorder_nodes(graph, ROOT):
        below = [rows[child] for child in graph.successors(node)]
        if below:
            rows[node] = (min(below) + max(below)) / 2
        else:
            rows[node], leaves = float(leaves), leaves + 1
    return rows


def _draw_edges(ax, graph: nx.DiGraph, places: SimpleNamespace) -> None:
    """Curves from the end of the parent's label to the child, the weighty ones on top."""
    edges = sorted(graph.edges, key=lambda edge: STYLES[graph.nodes[edge[1]]["state"]].edge_width)
    curves, styles = [], []
    for parent, child in edges:
        start, end = (places.label_end[parent], places.y[parent]), (places.x[child], places.y[child])
        middle = (start[0] + end[0]) / 2
        curves.append(Path([start, (middle, start[1]), (middle, end[1]), end], [1, 4, 4, 4]))
        styles.append(STYLES[graph.nodes[child]["state"]])
    ax.add_collection(
        PathCollection(
            curves,
            facecolors="none",
            edgecolors=[style.edge for style in styles],
            linewidths=[style.edge_width for style in styles],
            linestyles=[(0, style.edge_dashes) for style in styles],
            zorder=1,
            gid=OURS,
        ),
        autolim=False,
    )


def _draw_marks(ax, marks: list) -> None:
    """Marks `(x, y, scale, node)`: circles, a square for the target's own token, crosses on the refused."""
    squares = [mark for mark in marks if mark[3]["state"] == "next"]
    circles = [mark for mark in marks if mark[3]["state"] != "next"]
    for shape, group in (("o", circles), ("s", squares)):
        styles = [STYLES[data["state"]] for *_, data in group]
        _scatter(
            ax,
            group,
            RADIUS,
            marker=shape,
            c=[PAPER if data["score"] is None else score_colour(data["score"]) for *_, data in group],
            edgecolors=[style.outline for style in styles],
            linewidths=[style.width for style in styles],
            linestyles=[(0, style.dashes) for style in styles],
            zorder=2,
        )
    refused = [mark for mark in marks if mark[3]["state"] == "rejected"]
    _scatter(ax, refused, 1.35 * RADIUS, marker="x", c=RED, linewidths=2.0, zorder=3)


def _scatter(ax, marks: list, radius: float, **style) -> None:
    if marks:
        xs, ys, scales, _ = zip(*marks, strict=True)
        ax.scatter(xs, ys, s=[(2 * radius * scale) ** 2 for scale in scales], gid=OURS, **style)


def score_colour(score: float) -> tuple:
    """The fill of a node with that cumulative score: dark at 0, pale at −8 and below."""
    return SCORES(1 - max(score, LOWEST_SCORE) / LOWEST_SCORE)


def _draw_score_scale(ax, height: float, verified: bool) -> tuple[list, list]:
    """The line above the tree: draws the scale of scores, returns the marks and the words of the legend."""
    scale, y, x, marks, words = 0.9, height - LEGEND / 2, MARGIN + RADIUS, [], []
    for state in ("accepted", "rejected", "open", "next") if verified else ("open",):
        text = word(state if verified else "drafted")
        marks.append((x, y, scale, {"state": state, "score": None if state == "next" else -2.0}))
        words.append((x + LABEL_GAP, y, scale, text, INK))
        x += scale * text_width(text) + 42
    best, worst = f"{word('score')}  0", f"−{-LOWEST_SCORE:.0f}"
    words.append((x, y, scale, best, INK))
    x += scale * text_width(best) + 10
    lefts = x + 9 * np.arange(9)
    cells = [_box(left, left + 9, y, 10) for left in lefts]
    colours = [score_colour(score) for score in np.linspace(0, LOWEST_SCORE, len(cells))]
    ax.add_collection(PathCollection(cells, facecolors=colours, linewidths=0, gid=OURS), autolim=False)
    words.append((lefts[-1] + 15, y, scale, worst, INK))
    return marks, words


def _draw_words(ax, words: list) -> None:
    """All text `(x, y, scale, text, colour)`, starting at x, centred on y: one halo, one path for each colour."""
    by_colour: dict[str, list] = {}
    for x, y, scale, text, colour in words:
        vertices, codes = _glyphs(text)
        if len(codes):
            placed = vertices * scale + (x, y - 0.36 * FONT_SIZE * scale)
            by_colour.setdefault(colour, []).append(Path(placed, codes))
    compounds = [Path.make_compound_path(*paths) for paths in by_colour.values()]
    halo = Path.make_compound_path(*compounds)
    ax.add_artist(PathPatch(halo, facecolor=PAPER, edgecolor=PAPER, linewidth=2.5, zorder=4, gid=OURS))
    text = PathCollection(compounds, facecolors=list(by_colour), linewidths=0, zorder=5, gid=OURS)
    ax.add_collection(text, autolim=False)


def display_token(text: str, length: int = LABEL_LENGTH) -> str:
    """A token's text as a label: never empty, whitespace and unprintable characters shown, cut at `length`.

    >>> display_token(" the"), display_token("\\n"), display_token(""), display_token("a" * 20)
    ('·the', '⏎', '∅', 'aaaaaaaaaaaaa…')
    """
    marks = {" ": "·", "\n": "⏎", "\t": "⇥", "\r": "␍"}
    shown = "".join(marks.get(c) or (c if _drawable(c) else f"\\u{ord(c):04x}") for c in text)
    if len(shown) > length:
        shown = shown[: length - 1] + "…"
    return shown or "∅"


def text_width(text: str) -> float:
    """Width of a label in points."""
    vertices, codes = _glyphs(text)
    return float(vertices[:, 0].max()) if len(codes) else 0.0


@lru_cache(maxsize=8192)
def _glyphs(text: str) -> tuple[np.ndarray, np.ndarray]:
    """Outline of a text, in points from its left end on the baseline."""
    vertices, codes = text_to_path.get_text_path(font(), text)  # not TextPath, which reads "$" as mathematics
    return np.reshape(vertices, (-1, 2)) * FONT_SIZE / text_to_path.FONT_SCALE, np.asarray(codes)


@cache
def font() -> FontProperties:
    """matplotlib's own font, with the shipped CJK subset behind it."""
    file = FilePath(__file__).parent / "assets" / "fonts" / "EagleLabCJK-Regular.otf"
    fontManager.addfont(file)
    return FontProperties(family=["DejaVu Sans", "Eagle Lab CJK"])


@cache
def _drawable(character: str) -> bool:
    """Whether one of the two fonts has a glyph for a printable character."""
    files = [fontManager.findfont(FontProperties(family=family)) for family in font().get_family()]
    return character.isprintable() and any(get_font(file).get_char_index(ord(character)) for file in files)
