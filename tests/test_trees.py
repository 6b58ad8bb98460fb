"""Pictures of trees: the right mark, colour and label on the right node, for any tree and any text."""

from dataclasses import replace

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pytest
from matplotlib.colors import to_rgba
from strokes import strokes_at

from eagle_lab import CandidateTree, Verdict, draw_tree, load_pair
from eagle_lab.decode import Round
from eagle_lab.pictures.graphs import candidate_graph
from eagle_lab.pictures.ink import ACCEPTED, ALARM, OURS, OWN, PAPER, REFUSED, new_figure, score_colour, to_png
from eagle_lab.pictures.layout import NEXT, layout
from eagle_lab.pictures.marks import STYLES
from eagle_lab.pictures.text import LABEL_LENGTH, display_token, drawable
from eagle_lab.pictures.trees import describe, draw_round, ending

TREE = CandidateTree([-1, -1, 0, 0, 2, 1], [5, 6, 7, 8, 9, 6], [-0.2, -1.8, -0.1, -2.5, -0.3, -9.0])
VERDICT = Verdict(accepted=(0, 2), rejected=(4,), next_token=3)


def random_tree(nodes: int, seed: int) -> CandidateTree:
    rng = np.random.default_rng(seed)
    parents = [int(rng.integers(-1, i)) if i % 3 else -1 for i in range(nodes)]
    return CandidateTree(parents, list(range(nodes)), (-rng.random(nodes) * 3).tolist())


def pixels(figure, colour: str) -> int:
    """How many pixels of a picture have about that colour."""
    figure.canvas.draw()
    image = np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)
    wanted = np.array([round(255 * part) for part in to_rgba(colour)[:3]])
    return int((np.abs(image - wanted).max(axis=-1) < 12).sum())


def test_graph_says_state_score_and_label_of_every_node():
    graph = candidate_graph(TREE, VERDICT, labels="abcdefghij".__getitem__, root_label="R")
    states = {node: data["state"] for node, data in graph.nodes(data=True)}
    assert states == {
        -1: "root",
        0: "accepted",
        1: "open",
        2: "accepted",
        3: "open",
        4: "rejected",
        5: "open",
        NEXT: "next",
    }
    assert [graph.nodes[node]["label"] for node in (-1, 0, 4, NEXT)] == ["R", "f", "j", "d"]
    assert [graph.nodes[node]["score"] for node in range(6)] == TREE.scores.tolist()
    assert set(graph.edges) == {(-1, 0), (-1, 1), (0, 2), (0, 3), (2, 4), (1, 5), (2, NEXT)}


def test_without_a_verdict_nothing_is_accepted_refused_or_next():
    graph = candidate_graph(TREE)
    assert {data["state"] for _, data in graph.nodes(data=True)} == {"root", "open"}


def test_marks_stand_on_their_own_nodes():
    ax = draw_tree(TREE, VERDICT, legend=False)
    graph = candidate_graph(TREE, VERDICT)
    width, height = ax.get_xlim()[1], ax.get_ylim()[1]
    places = layout(graph, width, height)
    for node, data in graph.nodes(data=True):
        mark = strokes_at(ax, places.x[node], places.y[node])[0]
        assert mark.fill == pytest.approx(to_rgba(PAPER) if data["score"] is None else score_colour(data["score"]))
        assert mark.outline == pytest.approx(to_rgba(STYLES[data["state"]].outline))


def test_colours_reach_the_pixels():
    verified, drafted = new_figure(6), new_figure(6)
    draw_tree(TREE, VERDICT, ax=verified.axes[0])
    draw_tree(TREE, ax=drafted.axes[0])
    assert pixels(verified, ACCEPTED) > 500 and pixels(verified, REFUSED) > 50
    assert pixels(drafted, ACCEPTED) == pixels(drafted, REFUSED) == 0


def test_layout_is_a_function_of_the_tree():
    graph = candidate_graph(random_tree(26, 3))
    first, second = layout(graph, 700, 400), layout(nx.DiGraph(graph), 700, 400)
    assert first == second
    by_depth = {}
    for node, depth in graph.nodes(data="depth"):
        by_depth.setdefault(depth, set()).add(first.x[node])
    assert all(len(xs) == 1 for xs in by_depth.values())
    for node in graph:
        below = [first.y[child] for child in graph.successors(node)]
        if below:
            assert first.y[node] == pytest.approx((min(below) + max(below)) / 2)


HOSTILE = [
    "$", "$$", "a$b$c", "$x_$", "\\frac{", "^", "%", "_x", "\x00", "\t", "\n", "", "\ud800", "\ufffd", "😀", "🎉",
    "👍🏽", "❤\ufe0f", "\u2800", "\u200b", "\u00a0", "ﷺ", "سلام", "한국", "e\u0301", "x" * 200, "字" * 200, " the",
    "你好", "<|end|>",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=[ascii(text)[:12] for text in HOSTILE])
def test_any_text_can_be_drawn(text):
    figure = new_figure(1)
    draw_tree(CandidateTree([-1], [0], [-0.5]), ax=figure.axes[0], labels=lambda token: text)
    to_png(figure)  # must render, not only build: mathtext fails late
    shown = display_token(text)
    assert shown and len(shown) <= 14 and all(drawable(character) for character in shown)


def test_different_tokens_have_different_labels():
    texts = [
        "x" * 200,
        "x" * 199 + "y",
        " the",
        "·the",
        "🎉",
        "U+1F389",
        "\ufffd",
        "\ufffd",
        "汉字" * 9,
        "汉字" * 8,
        "plain",
    ]
    tree = CandidateTree([-1] * len(texts), range(len(texts)), [-1.0] * len(texts))
    graph = candidate_graph(tree, Verdict((), tuple(range(len(texts))), 0), texts.__getitem__)
    labels = [graph.nodes[node]["label"] for node in range(len(texts))]
    assert len(set(labels)) == len(texts) and max(map(len, labels)) <= LABEL_LENGTH
    assert labels[0] == graph.nodes[NEXT]["label"] == "xxxxxxxxxxx…#0" and labels[-1] == "plain"


def test_a_walk_on_its_way_has_no_token_of_the_targets_own():
    walk, done = (candidate_graph(TREE, Verdict((0,), (), token)) for token in (None, 3))
    assert set(done) - set(walk) == {NEXT} and walk.nodes[0]["state"] == "accepted"
    figure = new_figure(6)
    draw_tree(TREE, Verdict((0,), (), None), ax=figure.axes[0], legend=False)
    assert pixels(figure, ACCEPTED) > 100
    assert describe(walk) == "已接受前缀（1 / 6 个候选）: 5"


def test_a_graph_in_words():
    graph = candidate_graph(TREE, VERDICT, labels="abcdefghij".__getitem__, root_label="R")
    assert describe(graph) == "已接受前缀（2 / 6 个候选）: f → h; 首个拒绝位置: j; 目标模型自己的 token: d"
    assert describe(candidate_graph(TREE)) == "候选节点: 6"
    assert "（一个也没有）" in describe(candidate_graph(TREE, Verdict((), (0, 1), 3)))


def test_a_second_tree_replaces_the_first_and_nothing_else():
    figure = new_figure(6)
    ax = figure.axes[0]
    (line,) = ax.plot([0, 1], [0, 1])
    draw_tree(TREE, VERDICT, ax=ax)
    counts = [artist.get_gid() == OURS for artist in ax.get_children()].count(True)
    for _ in range(3):
        draw_tree(TREE, VERDICT, ax=ax)
    assert [artist.get_gid() == OURS for artist in ax.get_children()].count(True) == counts
    assert line in ax.lines
    assert plt.get_fignums() == []


def test_a_plain_pass_is_a_root_and_the_targets_own_token():
    verdict = Verdict((), (), 7)
    round_ = Round(root=5, start=3, tree=None, verdict=verdict, tokens=(7,))
    graph, figure = draw_round(load_pair("stories"), round_, verdict)
    assert list(graph) == [-1, NEXT] and list(graph.edges) == [(-1, NEXT)] and ending(round_) == "next"
    assert describe(graph).startswith("已接受前缀（0 / 0 个候选）: （一个也没有）; 目标模型自己的 token")
    assert pixels(figure, OWN) > 50
    assert draw_tree(None, verdict).figure.get_size_inches().tolist() == new_figure(1).get_size_inches().tolist()


def test_a_colour_is_changed_in_one_place():
    """A cross and what it stands on have one colour, the style's."""
    ax = draw_tree(TREE, VERDICT, legend=False)
    places = layout(candidate_graph(TREE, VERDICT), ax.get_xlim()[1], ax.get_ylim()[1])
    circle, _halo, cross = strokes_at(ax, places.x[4], places.y[4])
    assert circle.outline == cross.outline == list(to_rgba(STYLES["rejected"].outline))


def test_what_strayed_from_the_target_is_marked_and_named():
    graph = candidate_graph(TREE, VERDICT, "abcdefghij".__getitem__, "R", strayed={2, NEXT})
    assert {node: graph.nodes[node]["state"] for node in (0, 2, 4, NEXT)} == {
        0: "accepted",
        2: "strayed",
        4: "rejected",
        NEXT: "strayed",
    }
    assert describe(graph) == "已接受前缀（2 / 6 个候选）: f → h; 不是目标模型的选择: h, d; 首个拒绝位置: j"
    first = candidate_graph(TREE, Verdict((0,), (), None), strayed=[2, NEXT])  # the walk has not come by them yet
    assert {data["state"] for _, data in first.nodes(data=True)} == {"root", "accepted", "open"}


def test_what_strayed_reaches_the_pixels_and_the_legend_only_where_it_is():
    tree, verdict = CandidateTree([-1], [5], [-0.5]), Verdict((0,), (), 9)
    plain, marked = new_figure(1), new_figure(1)
    draw_tree(tree, verdict, ax=plain.axes[0])
    draw_tree(tree, verdict, ax=marked.axes[0], strayed=(0, NEXT))
    assert pixels(marked, ALARM) > 4 * pixels(plain, ALARM) > 0  # the legend alone has a red cross
    drawn = [len(ax.collections[0].get_paths()) for ax in (plain.axes[0], marked.axes[0])]
    assert drawn[1] > drawn[0]


def test_a_round_hands_on_what_strayed():
    round_ = Round(root=5, start=3, tree=None, verdict=Verdict((), (), 7), tokens=(7,))
    graph, figure = draw_round(load_pair("stories"), round_, round_.verdict, strayed={NEXT})
    assert graph.nodes[NEXT]["state"] == "strayed" and pixels(figure, ALARM) > 50


def test_a_walk_that_is_no_path_is_refused():
    with pytest.raises(ValueError, match=r"verdict\.accepted\[1\] is 3: it is no child of node 1"):
        draw_tree(TREE, Verdict((1, 3), (), None))


def test_a_tree_that_no_eye_can_read_is_refused():
    for nodes in (501, 5000):
        tree = CandidateTree([-1] * nodes, range(nodes), [-0.5] * nodes)
        for ax in (None, new_figure(8).axes[0]):
            with pytest.raises(ValueError, match=f"the tree has {nodes:,} nodes: this picture shows at most 500"):
                draw_tree(tree, ax=ax)


def test_a_picture_that_fails_leaves_the_figure_as_it_was():
    round_ = Round(root=5, start=3, tree=TREE, verdict=VERDICT, tokens=(1, 2, 3))
    _, figure = draw_round(load_pair("stories"), round_, VERDICT)
    before = to_png(figure)
    with pytest.raises(ValueError, match="strayed is 99"):
        draw_round(load_pair("stories"), replace(round_, tree=random_tree(60, 0)), VERDICT, figure, strayed=[99])
    with pytest.raises(ValueError, match="the tree has 501 nodes"):
        draw_round(load_pair("stories"), replace(round_, tree=random_tree(501, 0)), VERDICT, figure)
    assert to_png(figure) == before
