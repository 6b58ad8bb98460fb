"""Pictures for every eye: contrast, colour-blind and grey sight, dark pages, sharp screens, readable labels."""

import io
import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgb, to_rgba
from PIL import Image
from strokes import across, strokes_at

from eagle_lab import CandidateTree, Verdict, draw_tree, load_pair, use_language
from eagle_lab.pictures.graphs import candidate_graph
from eagle_lab.pictures.ink import (
    ACCEPTED,
    ALARM,
    DPI,
    FADED,
    INK,
    LEGEND,
    LOWEST_SCORE,
    OWN,
    PAPER,
    POINTER,
    REFUSED,
    Stroke,
    fit_figure,
    new_figure,
    score_colour,
    to_png,
)
from eagle_lab.pictures.layout import LABEL_GAP, NEXT, RADIUS, SMALLEST_TEXT, layout
from eagle_lab.pictures.marks import STYLES
from eagle_lab.pictures.text import FONT_SIZE, glyphs, text_width
from eagle_lab.pictures.trees import _legend

# Linear sRGB as seen without green or red cones: Machado, Oliveira & Fernandes 2009, severity 1.0.
SIGHT = {
    "normal": np.eye(3),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])  # sRGB, D65
FILLS = [score_colour(score)[:3] for score in np.linspace(0, LOWEST_SCORE, 81)]


def seen(colour, sight: str) -> np.ndarray:
    """A colour as linear RGB, as that eye gets it."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return np.clip(SIGHT[sight] @ linear, 0, 1)


def luminance(colour, sight: str = "normal") -> float:
    """WCAG's relative luminance; for normal sight it is the colour's grey."""
    return float(TO_XYZ[1] @ seen(colour, sight))


def contrast(one, other, sight: str = "normal") -> float:
    """WCAG's contrast ratio."""
    low, high = sorted((luminance(one, sight), luminance(other, sight)))
    return (high + 0.05) / (low + 0.05)


def distance(one, other, sight: str) -> float:
    """How far apart two colours look: CIELAB, ΔE 1976 (about 2 can just be told apart)."""
    labs = []
    for colour in (one, other):
        white = TO_XYZ @ np.ones(3)
        x, y, z = np.cbrt(TO_XYZ @ seen(colour, sight) / white)  # our colours are well above the linear toe
        labs.append([116 * y - 16, 500 * (x - y), 200 * (y - z)])
    return float(np.linalg.norm(np.subtract(*labs)))


@pytest.mark.parametrize("sight", SIGHT)
def test_text_and_marks_have_contrast_on_paper(sight):
    for style in STYLES.values():
        assert contrast(style.text, PAPER, sight) >= (4.5 if sight == "normal" else 4.0)
        assert contrast(style.outline, PAPER, sight) >= 3 and contrast(style.edge, PAPER, sight) >= 3
    assert contrast(INK, PAPER, sight) >= 7 and contrast(REFUSED, PAPER, sight) >= 3


@pytest.mark.parametrize("sight", SIGHT)
def test_colours_of_the_states_stay_apart(sight):
    for green in (ACCEPTED, OWN):
        assert distance(green, REFUSED, sight) > 20
        for one, other in itertools.combinations((green, REFUSED, INK, FADED), 2):
            assert distance(one, other, sight) > 15


@pytest.mark.parametrize("sight", SIGHT)
def test_the_pointer_and_the_alarm_have_contrast(sight):
    assert contrast(POINTER, PAPER, sight) >= 3  # a ring around it is paper
    assert contrast(PAPER, ALARM, sight) >= 4.5  # the sentence on it


@pytest.mark.parametrize("sight", SIGHT)
def test_scores_keep_their_order_in_every_sight_and_in_grey(sight):
    greys = [luminance(fill, sight) for fill in FILLS]
    assert all(dark < pale for dark, pale in itertools.pairwise(greys))
    cells = greys[::10]  # the legend's, which a reader compares side by side
    assert all((pale + 0.05) / (dark + 0.05) > 1.1 for dark, pale in itertools.pairwise(cells))


def drawn_states() -> dict[str, list[Stroke]]:
    """The mark of one node in each state, read back from a drawn tree, bottom first."""
    tree = CandidateTree([-1, -1, 0, 2], [5, 6, 7, 8], [-0.2, -3.0, -0.4, -0.1])
    verdict = Verdict((0, 2), (3,), 9)
    ax = draw_tree(tree, verdict, legend=False, strayed={2})
    graph = candidate_graph(tree, verdict, strayed={2})
    places = layout(graph, ax.get_xlim()[1], ax.get_ylim()[1])
    return {data["state"]: strokes_at(ax, places.x[n], places.y[n]) for n, data in graph.nodes(data=True)}


def corners(stroke: Stroke) -> int:
    return len(stroke.path.vertices)


def slanted(stroke: Stroke) -> bool:
    """Whether a mark's corners point up, down and sideways, as a diamond's do."""
    low, high = stroke.path.vertices.min(axis=0), stroke.path.vertices.max(axis=0)
    tips = stroke.path.vertices[np.isclose(stroke.path.vertices[:, 1], high[1])]
    return corners(stroke) < 8 and np.allclose(tips[:, 0], (low[0] + high[0]) / 2)


def test_states_differ_by_shape_and_line_and_not_only_by_colour():
    features = {}
    for state, (mark, *on_it) in drawn_states().items():
        style = STYLES[state]
        features[state] = (
            corners(mark),  # round, or with four corners
            slanted(mark),  # a square or a diamond
            tuple(map(corners, on_it)),  # nothing, a ring or a cross on it
            mark.fill == list(to_rgba(PAPER)),
            mark.dashes is not None,
            mark.width > 2,
            style.edge_dashes,
            style.edge_width > 2,
        )
    assert features.keys() == STYLES.keys()
    for one, other in itertools.combinations(features, 2):
        assert sum(a != b for a, b in zip(features[one], features[other], strict=True)) >= 2, (one, other)


def test_paper_keeps_the_accepted_outline_off_every_fill():
    mark, ring = drawn_states()["accepted"]
    assert ring.outline == list(to_rgba(PAPER)) and ring.fill[3] == 0
    inside = across(mark) / 2 - mark.width / 2  # where the green ends
    assert across(ring) / 2 + ring.width / 2 >= inside - 0.05  # the ring begins there: no fill shows between
    assert across(ring) / 2 - ring.width / 2 <= inside - 1
    assert across(ring) / 2 - ring.width / 2 >= 0.6 * RADIUS  # and leaves enough fill to read the score


def test_what_strayed_is_a_thick_red_diamond_with_paper_inside_on_a_thick_broken_edge():
    mark, ring = drawn_states()["strayed"]
    assert slanted(mark) and slanted(ring) and mark.outline == list(to_rgba(ALARM)) and mark.width > 2
    assert ring.outline == list(to_rgba(PAPER)) and ring.fill[3] == 0
    side, inside = across(mark) / 2**0.5, across(ring) / 2**0.5
    assert inside / 2 + ring.width / 2 >= side / 2 - mark.width / 2 - 0.05  # no fill between the red and the paper
    style = STYLES["strayed"]
    assert style.edge == ALARM and style.edge_width > 2 and style.edge_dashes
    assert across(mark) / 2 + mark.width / 2 < LABEL_GAP  # it leaves the label alone


@pytest.mark.parametrize("sight", SIGHT)
def test_what_strayed_is_apart_from_what_was_accepted(sight):
    assert distance(ALARM, ACCEPTED, sight) > 20 and contrast(ALARM, PAPER, sight) >= 3


def test_paper_keeps_the_red_cross_off_every_fill():
    _circle, halo, cross = drawn_states()["rejected"]
    assert halo.outline == list(to_rgba(PAPER)) and cross.outline == list(to_rgba(REFUSED))
    assert corners(halo) == corners(cross) == 4 and across(halo) == across(cross)
    assert halo.width >= cross.width + 1.5 and across(cross) > 2 * RADIUS  # it reaches out of the circle


@pytest.mark.parametrize("score", [0.0, -2.0, -3.0, -5.0, -8.0])
def test_accepted_and_refused_show_on_a_fill_of_any_score(score):
    """In pixels and in grey: from the paper inwards one meets ink, paper, fill."""
    figure = new_figure(2)
    tree, verdict = CandidateTree([-1, -1], [5, 6], [score, score]), Verdict((0,), (), None)
    ax = draw_tree(tree, verdict, ax=figure.axes[0], legend=False)
    places = layout(candidate_graph(tree, verdict), ax.get_xlim()[1], ax.get_ylim()[1])
    grey = np.asarray(Image.open(io.BytesIO(to_png(figure))).convert("L")).astype(int)
    column, row = (round(DPI / 72 * place) for place in (places.x[0], ax.get_ylim()[1] - places.y[0]))
    ray = grey[row - round(1.6 * RADIUS * DPI / 72) : row, column]  # from above the mark down to its middle
    ink = int(np.argmax(ray < 150))
    paper = ink + int(np.argmax(ray[ink:] > 240))
    assert ray[0] == 255 and 0 < ink < paper < len(ray) - 1
    assert abs(int(ray[-1]) - 255 * np.dot(score_colour(score)[:3], [0.299, 0.587, 0.114])) < 16


def test_the_png_is_opaque_on_any_page_and_sharp_on_dense_screens():
    figure = new_figure(26)
    draw_tree(CandidateTree([-1], [0], [-0.5]), ax=figure.axes[0])
    image = Image.open(io.BytesIO(to_png(figure)))
    assert image.mode == "P" and "transparency" not in image.info
    assert figure.get_facecolor()[3] == 1 and image.convert("RGBA").getextrema()[3] == (255, 255)
    assert image.convert("RGB").getpixel((0, 0)) == (255, 255, 255)
    assert image.width == 2 * 960  # two pixels for each of the CSS pixels it is shown at


# Labels: for every number of leaves up to 64, in both languages, measured in points without drawing.

HOSTILE = ["$", "a$b$c", "\n\n", "\t", "", "\x00", "\ud800", "🎉🚀", "😀", "ﷺ", "سلام", "x" * 200, "字" * 200, "W" * 14]
PAGE = new_figure(1)
LANGUAGES = {"zh": ("\u4e00", "\u9fff"), "en": ("A", "z")}


@pytest.fixture(scope="module")
def texts():
    """Real tokens of the shipped pair by language."""
    pair = load_pair("stories")
    vocabulary = [pair.token_text(token) for token in range(pair.tokenizer.get_vocab_size())]
    return {
        name: [text for text in vocabulary if text and low <= text.strip()[-1:] <= high]
        for name, (low, high) in LANGUAGES.items()
    }


def shapes(leaves: int):
    """Parents of trees with exactly that many leaves: bushes, a comb, random ones of up to 80 nodes; chains as long."""
    yield [-1] * leaves
    yield [-1, 0, 1, *[2] * leaves]
    yield list(range(-1, leaves - 1))
    if leaves <= 40:
        yield [-1, *(index - 2 + index % 2 for index in range(1, 2 * leaves - 1))]
    rng = np.random.default_rng(leaves)
    for inner in (leaves // 3, min(leaves, 80 - leaves)):
        trunk = [int(rng.integers(max(-1, index - 4), index)) for index in range(inner)]
        bare = sorted(set(range(inner)) - set(trunk))
        free = rng.integers(-1, inner, leaves - len(bare)).tolist()
        yield [*trunk, *bare, *free]


def walked(parents: list[int]) -> Verdict:
    """A verdict that goes down first children for a while, refuses the next ones, and ends with a token of its own."""
    accepted, node = [], -1
    while node in parents and len(accepted) < 3:
        node = parents.index(node)
        accepted.append(node)
    return Verdict(tuple(accepted), tuple(n for n, parent in enumerate(parents) if parent == node), len(parents))


def planned(parents: list[int], names: list[str]):
    """Graph, page and places of a tree whose node `n` and own token have the labels `names`."""
    tree = CandidateTree(parents, range(len(parents)), [-0.5] * len(parents))
    verdict = walked(parents)
    strayed = {*verdict.accepted[1:], NEXT} if len(parents) % 2 else ()
    graph = candidate_graph(tree, verdict, names.__getitem__, "root", strayed)
    fit_figure(PAGE, len(parents))
    width, height = PAGE.get_size_inches() * 72
    return graph, (width, height - LEGEND), layout(graph, width, height - LEGEND)


def label_boxes(places) -> np.ndarray:
    """Left, right, bottom and top of the ink of every label, in the graph's order."""
    boxes = []
    for node, label in places.labels.items():
        (x, y), (vertices, _) = places.text[node], glyphs(label)
        low, high = vertices.min(axis=0) * places.scale, vertices.max(axis=0) * places.scale
        baseline = y - 0.36 * FONT_SIZE * places.scale
        boxes.append((x + low[0], x + high[0], baseline + low[1], baseline + high[1]))
    return np.array(boxes)


REACH = {"rejected": 1.15, "strayed": 2**0.5 * STYLES["strayed"].size}  # in radii: a cross's arms, a diamond's tips


def mark_boxes(graph, places) -> np.ndarray:
    """The same for the marks: outline and, on the refused, cross included."""
    boxes = []
    for node, state in graph.nodes(data="state"):
        reach = places.scale * (RADIUS * REACH.get(state, STYLES[state].size) + STYLES[state].width / 2)
        boxes.append((places.x[node] - reach, places.x[node] + reach, places.y[node] - reach, places.y[node] + reach))
    return np.array(boxes)


def overlaps(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Which boxes of `one` share ink with which of `other`."""
    a, b = one[:, None], other[None]
    across = (a[..., 0] < b[..., 1]) & (b[..., 0] < a[..., 1])
    return across & (a[..., 2] < b[..., 3]) & (b[..., 2] < a[..., 3])


def curve_points(graph, places) -> np.ndarray:
    """Points along every edge, as `_edges` bends it."""
    t = np.linspace(0, 1, 25)[:, None]
    points = []
    for parent, child in graph.edges:
        start = np.array([places.label_end[parent], places.y[parent]])
        end = np.array([places.x[child] - places.scale * RADIUS, places.y[child]])
        middle = (start[0] + end[0]) / 2
        bends = np.array([middle, start[1]]), np.array([middle, end[1]])
        points.append((1 - t) ** 3 * start + 3 * t * (1 - t) * ((1 - t) * bends[0] + t * bends[1]) + t**3 * end)
    return np.concatenate(points)


@pytest.mark.parametrize("kind", ["real", "hostile"])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("leaves", range(1, 65))
def test_labels_are_readable_and_touch_nothing(leaves, language, kind, texts):
    words = texts[language] + (HOSTILE * (len(texts[language]) // 40) if kind == "hostile" else [])
    rng = np.random.default_rng(leaves)
    for parents in shapes(leaves):
        names = [words[i] for i in rng.integers(0, len(words), len(parents) + 1)]
        graph, (width, height), places = planned(parents, names)
        labels, marks = label_boxes(places), mark_boxes(graph, places)
        assert places.scale * FONT_SIZE >= SMALLEST_TEXT
        assert not np.triu(overlaps(labels, labels), 1).any() and not overlaps(labels, marks).any()
        for boxes in (labels, marks):
            assert boxes[:, [0, 2]].min() >= 0 and boxes[:, 1].max() <= width and boxes[:, 3].max() <= height + 2
        if places.text[0][1] == places.y[0]:  # beside the marks: no edge runs through a label, so none needs a halo
            points = curve_points(graph, places)
            assert not overlaps(np.repeat(points, 2, axis=1), labels).any()


@pytest.mark.parametrize("language", LANGUAGES)
def test_trees_of_the_panel_show_words(language, texts):
    """Whatever the sliders say, up to 8 levels and 60 nodes: real tokens, not numbers."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        nodes, depths, parents = int(rng.integers(8, 61)), {-1: 0}, []
        for node in range(nodes):
            parent = int(rng.choice([n for n, depth in depths.items() if depth < 8]))
            parents.append(parent)
            depths[node] = depths[parent] + 1
        words = rng.choice(texts[language], nodes + 1).tolist()
        graph, _, places = planned(parents, words)
        assert places.labels == dict(graph.nodes(data="label"))


def test_trees_too_deep_for_words_show_the_numbers_of_the_table():
    for nodes, beside in ((20, True), (60, False)):
        graph, _, places = planned(list(range(-1, nodes - 1)), ["很长的词语" * 3] * (nodes + 1))
        assert [places.labels[node] for node in range(nodes)] == [str(node) for node in range(nodes)]
        assert places.labels[NEXT] == graph.nodes[NEXT]["label"] and places.labels[-1] == "root"
        assert bool(places.text[0][1] == places.y[0]) == beside


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", [360.0, 720.0])
@pytest.mark.parametrize("numbered", [False, True])
@pytest.mark.parametrize(("verdict", "strayed"), [(None, ()), (Verdict((0,), (), 9), ()), (Verdict((0,), (), 9), {0})])
def test_the_legend_stays_on_the_page(language, width, numbered, verdict, strayed):
    graph = candidate_graph(CandidateTree([-1, 0], [5, 6], [-0.2, -0.4]), verdict, strayed=strayed)
    use_language(language)
    marks, words, scores = _legend(width, 200, graph, numbered)
    use_language("zh")
    spans = [(x, x + scale * text_width(text)) for x, _, scale, text, _ in words]
    spans += [(x - 1.3 * scale * RADIUS, x + 1.3 * scale * RADIUS) for x, _, scale, _ in marks]
    frame = scores[-1].path.vertices[:, 0]
    spans.append((frame.min(), frame.max()))
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(sorted(spans)))
    assert min(spans)[0] >= 0 and max(spans)[1] <= width
