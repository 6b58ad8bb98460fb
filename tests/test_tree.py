"""The ledger: scores, paths, leaves, masks, reranking, and every tree that must be refused."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eagle_lab import CandidateTree, rerank, score_candidate_tree
from eagle_lab.tree import ROOT

from checks import assert_mask_is_ancestry, assert_rerank, naive_path
from models import random_tree

NAN, INF = math.nan, math.inf
COURSE = [(-1, 10, -0.1), (0, 11, -0.2), (0, 12, -1.0), (1, 13, -0.05)]


def record(parent=-1, token=1, log_score=-0.5) -> dict:
    return {"parent": parent, "token": token, "log_score": log_score}


def records(rows) -> list[dict]:
    return [record(*row) for row in rows]


@st.composite
def trees(draw, edges=None, max_size=40):
    seed, size = draw(st.integers(0, 2**32 - 1)), draw(st.integers(1, max_size))
    return random_tree(np.random.default_rng(seed), size, edges=edges)


def test_scores_are_the_course_values_bit_for_bit():
    scores, path = score_candidate_tree(records(COURSE))
    assert scores == [-0.1, -0.30000000000000004, -1.1, -0.35000000000000003]
    assert path == [10, 11, 13]
    assert [type(score) for score in scores] == [float] * 4 and [type(token) for token in path] == [int] * 3
    assert CandidateTree.from_nodes(records(COURSE)).scores.tolist() == scores


def test_numbers_of_any_kind_give_the_same_scores():
    rows = [(np.int64(p), np.int32(t), np.float64(s)) for p, t, s in COURSE]
    assert score_candidate_tree(tuple(records(rows))) == score_candidate_tree(records(COURSE))
    assert score_candidate_tree([record(-1.0, 3.0, 0), record(np.array(0), 4, -1)]) == ([0.0, -1.0], [3, 4])


def test_the_records_stay_as_they_were_and_extra_keys_do_no_harm():
    nodes = [{**node, "word": "x"} for node in records(COURSE)]
    before = json.dumps(nodes)
    assert score_candidate_tree(nodes)[1] == [10, 11, 13]
    assert json.dumps(nodes) == before


def test_equal_leaves_favour_the_lowest_index_and_strangers_change_nothing():
    nodes = records([(-1, 1, -2.0), (-1, 2, -1.0), (1, 3, -1.0), (-1, 4, -2.0)])
    assert score_candidate_tree(nodes)[1] == [1]
    assert score_candidate_tree([*nodes, record(token=9, log_score=-7.0)])[1] == [1]


def test_the_sum_and_not_the_paper_decides_near_ties():
    nodes = records([(-1, 1, -0.1), (0, 2, -0.2), (-1, 3, -0.3)])
    assert score_candidate_tree(nodes)[1] == [3]  # -0.1 - 0.2 is a little below -0.3


def test_an_impossible_branch_never_wins_over_a_finite_one():
    assert score_candidate_tree(records([(-1, 1, -INF), (-1, 2, -1e308)])) == ([-INF, -1e308], [2])
    assert score_candidate_tree(records([(-1, 1, -INF), (0, 2, -1.0)])) == ([-INF, -INF], [1, 2])


def test_the_best_leaf_is_biased_to_short_paths():
    nodes = records([(-1, 1, -1.0), (-1, 2, -0.1), (1, 3, -0.4), (2, 4, -0.6)])
    assert score_candidate_tree(nodes)[1] == [1]  # a path of three likelier tokens sums up to less


@given(trees())
def test_the_ledger_agrees_with_brute_force(tree):
    scores = []
    for node in range(len(tree)):
        total = 0.0
        for step in naive_path(tree.parents, node):
            total += float(tree.log_scores[step])
        scores.append(total)
    leaves = [node for node in range(len(tree)) if node not in tree.parents]
    best = max(leaves, key=lambda leaf: (scores[leaf], -leaf))
    assert tree.scores.tolist() == pytest.approx(scores, abs=1e-12)
    assert tree.leaves == leaves and tree.best_leaf == best
    assert [tree.path(node) for node in range(len(tree))] == [naive_path(tree.parents, n) for n in range(len(tree))]
    assert tree.depths.tolist() == [len(tree.path(node)) for node in range(len(tree))]
    assert sorted(n for node in range(-1, len(tree)) for n in tree.children(node)) == list(range(len(tree)))
    assert all(tree.parents[n] == node for node in range(-1, len(tree)) for n in tree.children(node))
    assert score_candidate_tree(tree.nodes) == (tree.scores.tolist(), tree.tokens[tree.path(best)].tolist())


def test_the_mask_is_the_ancestry_for_300_trees():
    rng = np.random.default_rng(1)
    for _ in range(300):
        assert_mask_is_ancestry(random_tree(rng, int(rng.integers(1, 30))))


def test_siblings_share_their_position():
    tree = CandidateTree([-1, 0, 0, 1, 2, -1], range(6), [-1.0] * 6)
    assert tree.depths.tolist() == [1, 2, 2, 3, 3, 1]


@given(trees())
def test_relabelling_the_nodes_changes_no_mask_and_no_score(tree):
    order = np.random.default_rng(len(tree)).permutation(len(tree))
    order = order[np.argsort(tree.depths[order], kind="stable")]  # any order with parents before children
    place = np.append(np.argsort(order), ROOT)
    moved = CandidateTree(place[tree.parents[order]], tree.tokens[order], tree.log_scores[order])
    rows = np.append(0, 1 + order)
    assert np.array_equal(moved.attention_mask(), tree.attention_mask()[np.ix_(rows, rows)])
    assert np.array_equal(moved.scores, tree.scores[order]) and np.array_equal(moved.depths, tree.depths[order])


@pytest.mark.parametrize("edges", [None, [0.0, -1.0], [0.0], [-INF, 0.0], [-INF], [-INF, -1.0, 0.0, -1e-300]])
def test_rerank_keeps_the_best_and_never_an_orphan(edges):
    rng = np.random.default_rng(2)
    for _ in range(12):
        tree = random_tree(rng, int(rng.integers(1, 26)), edges=edges)
        for budget in range(1, len(tree) + 3):
            assert_rerank(tree, budget)


def test_rerank_prefers_the_parent_on_a_tie():
    tree = CandidateTree([-1, 0, -1], [1, 2, 3], [-1.0, 0.0, -2.0])
    assert rerank(tree, 1).tokens.tolist() == [1]
    assert rerank(tree, 2).tokens.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("budget", "error"),
    [*((value, ValueError) for value in (0, -1, 1.5, 2.0, NAN)), *((value, TypeError) for value in (True, "3", None))],
)
def test_a_budget_must_be_a_count(budget, error):
    with pytest.raises(error, match="budget must be a whole number of at least 1"):
        rerank(CandidateTree([-1], [1], [-1.0]), budget)


@pytest.mark.parametrize(
    ("nodes", "error", "message"),
    [
        ([], ValueError, "nodes is empty"),
        ([record(parent=-2)], ValueError, r"nodes\[0\]\['parent'\] is -2"),
        ([record(parent=0)], ValueError, r"nodes\[0\]\['parent'\] is 0: a parent must come before"),
        ([record(), record(parent=1)], ValueError, r"nodes\[1\]\['parent'\] is 1"),
        ([record(), record(parent=5)], ValueError, r"nodes\[1\]\['parent'\] is 5"),
        ([record(), record(parent=0.9)], ValueError, r"nodes\[1\]\['parent'\] is 0.9.*whole"),
        ([record(parent=-0.5)], ValueError, r"nodes\[0\]\['parent'\] is -0.5.*whole"),
        ([record(), record(parent=True)], TypeError, r"nodes\[1\]\['parent'\] must be a number, not bool"),
        ([record(), record(parent=np.False_)], TypeError, r"nodes\[1\]\['parent'\] must be a number, not bool"),
        ([record(), record(parent="0")], TypeError, r"nodes\[1\]\['parent'\] must be a number, not str"),
        ([record(parent=NAN)], ValueError, r"nodes\[0\]\['parent'\] is nan.*whole"),
        ([record(parent=INF)], ValueError, r"nodes\[0\]\['parent'\] is inf.*whole"),
        ([record(parent=None)], TypeError, r"nodes\[0\]\['parent'\] must be a number, not NoneType"),
        ([record(parent=np.array([0, 1]))], TypeError, r"nodes\[0\]\['parent'\] must be a number, not ndarray"),
        ([record(token=3.7)], ValueError, r"nodes\[0\]\['token'\] is 3.7.*whole"),
        ([record(token="a")], TypeError, r"nodes\[0\]\['token'\] must be a number, not str"),
        ([record(token=True)], TypeError, r"nodes\[0\]\['token'\] must be a number, not bool"),
        ([record(token=NAN)], ValueError, r"nodes\[0\]\['token'\] is nan.*whole"),
        ([record(log_score=NAN)], ValueError, r"nodes\[0\]\['log_score'\] is nan"),
        ([record(log_score=INF)], ValueError, r"nodes\[0\]\['log_score'\] is inf"),
        ([record(log_score=0.5)], ValueError, r"nodes\[0\]\['log_score'\] is 0.5.*at most 0"),
        ([record(), record(log_score=5e-324)], ValueError, r"nodes\[1\]\['log_score'\]"),
        ([record(log_score="-1")], TypeError, r"nodes\[0\]\['log_score'\] must be a number, not str"),
        ([record(log_score=True)], TypeError, r"nodes\[0\]\['log_score'\] must be a number, not bool"),
        ([record(log_score=None)], TypeError, r"nodes\[0\]\['log_score'\] must be a number, not NoneType"),
        ([record(log_score=-(10**400))], ValueError, r"nodes\[0\]\['log_score'\] is too large"),
        ([record(log_score=-1j)], TypeError, r"nodes\[0\]\['log_score'\].*number"),
        ([{"token": 1, "log_score": -1.0}], ValueError, r"nodes\[0\] has no 'parent'"),
        ([record(), {"parent": 0, "log_score": -1.0}], ValueError, r"nodes\[1\] has no 'token'"),
        ([{"parent": -1, "token": 1}], ValueError, r"nodes\[0\] has no 'log_score'"),
        ([{}], ValueError, r"nodes\[0\] has no 'parent'"),
        ([(-1, 1, -0.5)], TypeError, r"nodes\[0\] must be a record"),
        (["abc"], TypeError, r"nodes\[0\] must be a record.*str"),
        ([None], TypeError, r"nodes\[0\] must be a record.*NoneType"),
        ([np.zeros(3)], TypeError, r"nodes\[0\] must be a record.*ndarray"),
        ({0: record()}, TypeError, "nodes must be a list, tuple or 1-D array, not dict"),
        ("abc", TypeError, "nodes must be a list, tuple or 1-D array, not str"),
        ((node for node in [record()]), TypeError, "nodes must be a list, tuple or 1-D array, not generator"),
        (None, TypeError, "nodes must be a list, tuple or 1-D array, not NoneType"),
    ],
)
def test_bad_records_are_refused_by_place(nodes, error, message):
    with pytest.raises(error, match=message):
        score_candidate_tree(nodes)
    with pytest.raises(error, match=message):
        CandidateTree.from_nodes(nodes)


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        (([], [], []), ValueError, "empty"),
        (([-1], [1, 2], [-1.0]), ValueError, "differ in length.*'tokens': 2"),
        (([-1, -2], [1, 2], [-1.0, -1.0]), ValueError, r"parents\[1\] is -2"),
        ((np.array([-1, 1]), [1, 2], [-1.0, -1.0]), ValueError, r"parents\[1\] is 1"),
        ((np.array([-1, 0.5]), [1, 2], [-1.0, -1.0]), ValueError, r"parents\[1\] is 0.5"),
        ((np.array([True]), [1], [-1.0]), TypeError, r"parents\[0\] must be a number, not bool"),
        ((np.array([[-1]]), [1], [-1.0]), TypeError, r"parents\[0\] must be a number, not list"),
        (([-1], ["a"], [-1.0]), TypeError, r"tokens\[0\] must be a number, not str"),
        (([-1], [2**70], [-1.0]), ValueError, "tokens holds a number beyond 64 bits"),
        (([-1], np.array([2**63 + 5], dtype=np.uint64), [-1.0]), ValueError, "tokens holds a number beyond 64 bits"),
        (([-1], [1], np.array([NAN], dtype=np.float32)), ValueError, r"log_scores\[0\] is nan"),
        (([-1], [1], np.array([0.25], dtype=np.float16)), ValueError, r"log_scores\[0\] is 0.25"),
        (([-1], [1], np.array([True])), TypeError, r"log_scores\[0\] must be a number, not bool"),
        (({-1}, [1], [-1.0]), TypeError, "parents must be a list.*set"),
        (([-1], "a", [-1.0]), TypeError, "tokens must be a list.*str"),
        (([-1], [1], -1.0), TypeError, "log_scores must be a list.*float"),
    ],
)
def test_bad_columns_are_refused_by_place(columns, error, message):
    with pytest.raises(error, match=message):
        CandidateTree(*columns)


@pytest.mark.parametrize("node", [-1, 3, 100])
def test_a_path_needs_a_node_of_the_tree(node):
    with pytest.raises(ValueError, match=f"node is {node}: the tree has nodes 0 to 2"):
        CandidateTree([-1, 0, 0], [1, 2, 3], [-1.0] * 3).path(node)


def test_a_tree_is_read_only_and_owns_its_data():
    parents, tokens, log_scores = np.array([-1, 0]), np.array([1, 2]), np.array([-1.0, -0.5])
    tree = CandidateTree(parents, tokens, log_scores)
    assert tree.scores.tolist() == [-1.0, -1.5]
    parents[1], tokens[0], log_scores[0] = -1, 9, -9.0
    assert tree.nodes == records([(-1, 1, -1.0), (0, 2, -0.5)])
    for name in ("parents", "tokens", "log_scores", "scores", "depths"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(tree, name)[0] = 0
        with pytest.raises(AttributeError):
            setattr(tree, name, None)
    tree.leaves.append(0)
    tree.path(1).append(7)
    tree.attention_mask()[:] = False
    assert tree.leaves == [1] and tree.path(1) == [0, 1] and tree.attention_mask().sum() == 6


@given(trees(edges=[0.0, -1.0, -0.25]))
def test_records_survive_a_journey_through_json(tree):
    again = CandidateTree.from_nodes(json.loads(json.dumps(tree.nodes)))
    assert again.nodes == tree.nodes and np.array_equal(again.scores, tree.scores)


def test_a_float32_edge_is_added_in_float64():
    edges = np.array([-0.1, -0.2], dtype=np.float32)
    tree = CandidateTree([-1, 0], [1, 2], edges)
    assert tree.scores.dtype == np.float64 and tree.scores[1] == float(edges[0]) + float(edges[1])


@pytest.mark.parametrize("shape", ["chain", "random"])
def test_a_hundred_thousand_nodes_meet_no_recursion_limit(shape):
    size, rng = 100_000, np.random.default_rng(3)
    parents = np.arange(-1, size - 1) if shape == "chain" else rng.integers(-1, np.arange(size).clip(min=0))
    parents[0] = -1
    tree = CandidateTree(parents, np.arange(size), -rng.exponential(size=size))
    scores, path = score_candidate_tree(tree.nodes)
    assert scores == tree.scores.tolist()
    assert path == tree.tokens[tree.path(tree.best_leaf)].tolist()
    assert len(tree.path(size - 1)) == tree.depths[-1]
    assert len(tree.leaves) == size - len(set(parents.tolist()) - {ROOT})
    kept = rerank(tree, size // 2)
    assert len(kept) == size // 2 and kept.scores.min() >= np.sort(tree.scores)[-(size // 2)]
    with pytest.raises(ValueError, match=r"100,000 nodes needs 9\.3 GiB.*rerank"):
        tree.attention_mask()
    if shape == "chain":
        assert tree.leaves == path[-1:] == [size - 1] and tree.depths[-1] == size
