"""Pictures of candidate trees: one networkx graph in, matplotlib marks out.

A mark tells a node's state twice, by colour and by shape, and its fill tells the cumulative score.
Colours and marks are chosen for every eye: they keep their contrast and stay apart in grey and for
readers who do not see red or green (tests/test_eyes.py has the figures). Everything is laid out in
points, so that text can be measured and nothing overlaps. A picture is a list of strokes in one
matplotlib collection, its text a few compound paths among them: this is what makes redrawing fast.
"""

import io
from collections import Counter
from functools import cache, lru_cache
from pathlib import Path as FilePath
from types import SimpleNamespace
from typing import NamedTuple
from unicodedata import category, combining

import networkx as nx
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.markers import MarkerStyle
from matplotlib.path import Path
from matplotlib.textpath import text_to_path
from PIL import Image

from .language import word
from .tree import ROOT, CandidateTree
from .verification import Verdict


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


class Stroke(NamedTuple):
    """One filled or outlined path of a picture; a later stroke covers the earlier ones."""

    path: Path
    fill: str | tuple = "none"
    outline: str = "none"
    width: float = 0.0
    dashes: tuple | None = None


# The one place for colours, sizes (points) and marks.
INK, FADED, FAINT, PAPER = "#1f2430", "#6a7180", "#878e9c", "#ffffff"
GREEN, RED = "#00845a", "#bb0f1e"  # a bluish green and a dark red: apart even without the green or the red cones
SCORES = LinearSegmentedColormap.from_list("eagle_scores", ["#f3ead9", "#a9c3dc", "#4d78b3", "#1d2f63"])
LOWEST_SCORE = -8.0  # scores below take the palest colour: fixed, so that pictures can be compared
FONT_SIZE, RADIUS, LABEL_GAP, GAP, MARGIN, LEGEND = 10.0, 5.5, 10.5, 15.0, 12.0, 26.0
ROW, LIFT, SMALLEST_TEXT = 14.0, 13.0, 5.5  # least height of a row; a number's place above its mark; least font size
LABEL_LENGTH = 14
WIDTH = 10.0  # inches
PAGE_DPI, DPI = 96, 192  # a page's own pixels to the inch, and a picture's: two for each of the page's
STYLES = {
    "root": Style(INK, 1.6, INK, 1.0, INK, marker="s"),
    "accepted": Style(GREEN, 2.4, GREEN, 3.0, INK, size=1.2),
    "rejected": Style(RED, 0.9, RED, 1.0, FADED),
    "open": Style(FADED, 0.9, FAINT, 0.9, FADED, dashes=(2, 1.5), edge_dashes=(3, 2)),
    "next": Style(GREEN, 1.8, GREEN, 1.4, GREEN, marker="s", edge_dashes=(1, 1.2)),
}
NEXT = "next"  # the graph's name for the target's own token
OURS = "eagle_lab tree"  # the gid of what we add to somebody's axes


def candidate_graph(tree: CandidateTree, verdict: Verdict | None = None, labels=None, root_label=None) -> nx.DiGraph:
    """The tree as a networkx graph, with all that a picture or a table of it says.

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
    """
    graph = nx.DiGraph()
    graph.add_node(ROOT, label=root_label or word("root"), token=None, depth=0, score=0.0, state="root")
    accepted = verdict.accepted if verdict else ()
    state = dict.fromkeys(accepted, "accepted") | dict.fromkeys(verdict.rejected if verdict else (), "rejected")
    own = verdict.next_token if verdict else None
    columns = tree.parents.tolist(), tree.tokens.tolist(), tree.depths.tolist(), tree.scores.tolist()
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
    tree: CandidateTree, verdict: Verdict | None = None, *, ax=None, labels=None, root_label=None, legend: bool = True
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
        (*places.text[node], places.scale, places.labels[node], STYLES[data["state"]].text)
        for node, data in graph.nodes(data=True)
    ]
    strokes = _edges(graph, places)
    if legend:
        numbered = places.labels != dict(graph.nodes(data="label"))
        legend_marks, legend_words, score_scale = _legend(width, height, graph, numbered)
        marks, words, strokes = marks + legend_marks, words + legend_words, strokes + score_scale
    return _put(ax, strokes + _marks(marks) + _words(words))


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
    shares, beside = _bars(left, MARGIN, top, middle - 1.6 * FONT_SIZE - MARGIN)
    chances, behind = _bars(right, middle, top, width - middle - MARGIN)
    return _put(ax, shares + chances + _words(words + beside + behind))


def percent(share: float) -> str:
    """A share as a whole percentage, with a real minus sign."""
    return f"{100 * share:.0f}%".replace("-", "−")


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
        bars.append(Stroke(_box(zero, end, y, thick), fill, *((GREEN, 2.8) if chosen else (FADED, 0.6))))
        colour = GREEN if chosen else INK
        words.append((x, y, 1.0, label, colour))
        words.append((max(zero, end) + 6, y, 1.0, f"{note}　■" if chosen else note, colour))
    return bars, words


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
    figure = blank_figure(WIDTH, 1)
    figure.add_axes((0, 0, 1, 1))
    fit_figure(figure, nodes)
    return figure


def blank_figure(width: float, height: float, **options) -> Figure:
    """Paper of that many inches without axes, outside pyplot; `options` as matplotlib's `Figure` takes them."""
    figure = Figure(figsize=(width, height), dpi=DPI, facecolor=PAPER, **options)
    FigureCanvasAgg(figure)
    return figure


def css_width(figure: Figure) -> int:
    """How wide a page is to show a figure: in CSS pixels."""
    return round(PAGE_DPI * figure.get_figwidth())


def fit_figure(figure: Figure, nodes: int) -> None:
    """Give a figure the size for trees of up to that many nodes; the width is always the same."""
    figure.set_size_inches(WIDTH, 1.6 + 0.15 * max(nodes, 8))


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
    ramps = [(to_rgb(ink), 16) for ink in (INK, FADED, FAINT, GREEN, RED)]
    ramps += [(fill[:3], 4) for fill in SCORES(np.linspace(0, 1, 27))]
    blends = [paper + (colour - paper) * share for colour, steps in ramps for share in np.linspace(1, 0, steps, False)]
    cube = np.stack(np.meshgrid(*[np.linspace(0, 1, 4)] * 3), axis=-1).reshape(-1, 3)
    palette = Image.new("P", (1, 1))
    palette.putpalette(np.rint(255 * np.vstack([paper, blends, cube])).astype(np.uint8).tobytes())
    return palette


class Picture:
    """A finished picture, for classes with a `figure` and its `png`: notebooks show it at the figure's own size."""

    alt = ""  # the picture in words, for readers who hear it, where it says more than its repr

    def metadata(self) -> dict:
        """How a page is to show the PNG: its width in CSS pixels, and its words."""
        return {"width": css_width(self.figure), "alt": self.alt or repr(self)}

    def _repr_png_(self) -> tuple[bytes, dict]:
        return self.png, self.metadata()


def layout(graph: nx.DiGraph, width: float, height: float) -> SimpleNamespace:
    """Places in points: a column for each depth, a row for each leaf, parents midway between their children.

    Columns are as wide as their longest label. Where rows or columns get too tight, text and nodes
    shrink together (`scale`). Where that would make the text too small, the `labels` are the nodes'
    numbers, as in the table beside a picture: to the right of the marks, or, in the deepest trees, above
    them. The same graph always gets the same places.
    """
    names = dict(graph.nodes(data="label"))
    numbers = {node: label if node in (ROOT, NEXT) else str(node) for node, label in names.items()}
    rows, tried = _rows(graph), []
    for labels, above in ((names, False), (numbers, False), (numbers, True)):
        tried.append(_places(graph, rows, labels, above, width, height))
        if tried[-1].scale * FONT_SIZE >= SMALLEST_TEXT:
            return tried[-1]
    return max(tried, key=lambda places: places.scale)


def _places(graph: nx.DiGraph, rows: dict, labels: dict, above: bool, width: float, height: float) -> SimpleNamespace:
    """One way to lay out: labels beside their marks, or above them where columns must be narrow."""
    depth = dict(graph.nodes(data="depth"))
    widths = {node: text_width(label) for node, label in labels.items()}
    longest = [0.0] * (1 + max(depth.values()))
    for node, level in depth.items():
        longest[level] = max(longest[level], widths[node])
    columns = [max(size, 2 * RADIUS) + 2.5 if above else size + 3 * RADIUS + GAP for size in longest]
    row, top = (ROW + LIFT, MARGIN + LIFT) if above else (ROW, MARGIN)
    last_row, usable = max(rows.values()), height - top - MARGIN
    scale = min(1.0, (width - 2 * MARGIN) / sum(columns), usable / (row * (last_row or 1)))
    spare = min(max(0.0, width - 2 * MARGIN - scale * sum(columns)) / len(columns), 80.0)
    starts = np.cumsum([MARGIN + RADIUS] + [scale * column + spare for column in columns])
    x = {node: float(starts[level]) for node, level in depth.items()}
    pitch, first = (usable / last_row, height - top) if last_row else (0.0, height / 2)
    y = {node: first - rows[node] * pitch for node in graph}
    right, up, end = (-RADIUS, LIFT, 1.4 * RADIUS) if above else (LABEL_GAP, 0.0, None)
    return SimpleNamespace(
        x=x,
        y=y,
        text={node: (x[node] + scale * right, y[node] + scale * up) for node in graph},
        label_end={node: x[node] + scale * (end or LABEL_GAP + widths[node] + 3) for node in graph},
        labels=labels,
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

    Paper keeps green and red off the fill, where they would not show: a ring inside the accepted
    outlines, a halo around the crosses on the refused.
    """
    strokes = []
    colours = score_colour([data["score"] or 0.0 for *_, data in marks])
    for (x, y, scale, data), colour in zip(marks, colours, strict=True):
        style = STYLES[data["state"]]
        path = _mark(style.marker, x, y, scale * style.size)
        fill = PAPER if data["score"] is None else tuple(colour)
        strokes.append(Stroke(path, fill, style.outline, scale * style.width, style.dashes))
        if data["state"] == "accepted":
            strokes.append(Stroke(_mark("o", x, y, scale * 0.87), outline=PAPER, width=scale * 1.3))
        if data["state"] == "rejected":
            cross = _mark("x", x, y, scale * 1.15)
            strokes += [Stroke(cross, outline=PAPER, width=scale * 3.6), Stroke(cross, outline=RED, width=scale * 1.9)]
    return strokes


def _mark(shape: str, x: float, y: float, size: float) -> Path:
    """One of matplotlib's markers around a place, `size` radii large."""
    outline = _marker(shape)
    return Path(outline.vertices * (2 * RADIUS * size) + (x, y), outline.codes)


@cache
def _marker(shape: str) -> Path:
    marker = MarkerStyle(shape)
    return marker.get_path().transformed(marker.get_transform())


def score_colour(score):
    """The fill of a node with that cumulative score, or of several: dark at 0, pale at −8 and below."""
    return SCORES(1 - np.maximum(score, LOWEST_SCORE) / LOWEST_SCORE)


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
    frame = Stroke(_box(edges[0], edges[-1], y, scale * 11), outline=FADED, width=0.6)
    return [*(Stroke(_box(left, right, y, scale * 11), tuple(fill)) for left, right, fill in cells), frame]


def _words(words: list) -> list[Stroke]:
    """All text `(x, y, scale, text, colour)`, starting at x, centred on y: one path for each colour."""
    by_colour: dict[str, list] = {}
    for x, y, scale, text, colour in words:
        vertices, codes = _glyphs(text)
        if len(codes):
            by_colour.setdefault(colour, []).append((vertices * scale + (x, y - 0.36 * FONT_SIZE * scale), codes))
    outlines = {colour: map(np.concatenate, zip(*glyphs, strict=True)) for colour, glyphs in by_colour.items()}
    return [Stroke(Path(*outline), colour) for colour, outline in outlines.items()]


def _put(ax, strokes: list[Stroke]):
    """Add strokes to the axes as one collection, which `_clean_slate` takes off again; returns the axes."""
    paths, fills, outlines, widths, dashes = zip(*strokes, strict=True)
    lines = [(0, pattern) for pattern in dashes]
    look = {"facecolors": fills, "edgecolors": outlines, "linewidths": widths, "linestyles": lines}
    ax.add_collection(PathCollection(paths, **look, gid=OURS), autolim=False)
    return ax


def display_token(text: str, length: int = LABEL_LENGTH) -> str:
    """A token's text as a label: never empty, whitespace shown, what has no glyph as its code, cut at `length`.

    >>> display_token(" the"), display_token("\\n"), display_token(""), display_token("🎉"), display_token("a" * 20)
    ('·the', '⏎', '∅', 'U+1F389', 'aaaaaaaaaaaaa…')
    """
    marks = {" ": "·", "\n": "⏎", "\t": "⇥", "\r": "␍"}
    shown = "".join(marks.get(c) or (c if _drawable(c) else f"U+{ord(c):04X}") for c in text)
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
    """Whether one of the two fonts has a glyph for a printable character, and the glyph leaves ink."""
    if category(character) == "Mn" and not combining(character):  # a variation selector changes no outline here
        return False
    files = [fontManager.findfont(FontProperties(family=family)) for family in font().get_family()]
    known = character.isprintable() and any(get_font(file).get_char_index(ord(character)) for file in files)
    return known and len(_glyphs(character)[1]) > 0
