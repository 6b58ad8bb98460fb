"""Growth: levels, beams and the pool, whoever drafts; what is kept is what `rerank` would keep."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eagle_lab import CandidateTree, growth, rerank
from eagle_lab.growth import TreeShape, grow_tree, path_scores, top_k_rows
from eagle_lab.llama import log_softmax
from eagle_lab.tree import path_sums

from checks import spy
from models import GOLDEN

TREE_CASES = json.loads((GOLDEN / "tree_cases" / "tree_cases_k1_k2_k3.json").read_text())


def drafted(seed: int, shape: TreeShape, values: int, score=path_scores) -> tuple[CandidateTree, CandidateTree]:
    """A tree grown from log-probabilities of few different values, so that many scores tie; and its whole pool."""
    rng = np.random.default_rng(seed)

    def expand(tokens, rows):
        edges = -0.25 * np.sort(rng.integers(0, values, (len(tokens), shape.top_k)), axis=1)
        tokens = np.stack([rng.permutation(50)[: shape.top_k] for _ in tokens])
        return tokens, edges.astype(np.float32)

    with pytest.MonkeyPatch.context() as patch:
        pools = spy(patch, growth, "keep_nodes", results=False)
        tree = grow_tree(expand([0], [0]), expand, shape, score)
    pool = pools[0][0]
    return tree, CandidateTree(pool.parents, pool.tokens, pool.log_scores, pool.scores)


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 5),
    st.integers(1, 5),
    st.integers(1, 40),
    st.sampled_from([1, 2, 4, 1000]),
)
def test_what_is_kept_is_what_reranking_the_pool_keeps(seed, top_k, depth, budget, values):
    shape = TreeShape(top_k, depth, budget)
    tree, pool = drafted(seed, shape, values)
    assert len(pool) == top_k + (depth - 1) * top_k**2 and len(tree) == min(budget, len(pool))
    assert tree.nodes == rerank(pool, budget).nodes
    assert pool.scores.tolist() == path_sums(pool.parents.tolist(), pool.log_scores.tolist())
    assert (np.diff(pool.depths) >= 0).all(), "levels stand in order"
    assert tree.scores.tolist() == path_sums(tree.parents.tolist(), tree.log_scores.tolist())


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(2, 5))
def test_a_beam_is_the_best_of_its_level_the_first_of_equals(seed, top_k, depth):
    _, pool = drafted(seed, TreeShape(top_k, depth, 1), values=3)
    for level in range(1, depth):
        nodes = np.flatnonzero(pool.depths == level)
        best = nodes[np.argsort(-pool.scores[nodes], kind="stable")[:top_k]]
        below = pool.parents[pool.depths == level + 1]
        assert below.tolist() == best.repeat(top_k).tolist()


def test_scores_of_ones_own_choose_beam_and_nodes():
    """Scored by minus the edge, the least likely child of each node is kept."""

    def contrary(beam, above, edges):
        return above[:, None] - 10 - edges

    tree, pool = drafted(3, TreeShape(2, 3, 3), 30, contrary)
    assert sorted(tree.scores) == sorted(pool.scores)[-3:]
    assert tree.scores.tolist() != path_sums(tree.parents.tolist(), tree.log_scores.tolist())


@pytest.mark.parametrize("answer", [np.zeros(3), np.zeros((1, 2)), np.full((1, 3), np.nan)], ids=["flat", "few", "nan"])
def test_scores_that_are_not_one_number_a_node_are_refused(answer):
    with pytest.raises(
        ValueError, match=r"what score returns must be (\[1, 3\], not|one number for each of the 3 nodes, not NaN)"
    ):
        drafted(0, TreeShape(3, 1, 3), 5, lambda *_: answer)


@pytest.mark.parametrize("name", ["top_k", "depth", "budget"])
@pytest.mark.parametrize(
    ("value", "error"),
    [(0, ValueError), (-1, ValueError), (2.0, ValueError), (True, TypeError), ("3", TypeError), (None, TypeError)],
)
def test_a_shape_is_made_of_counts(name, value, error):
    with pytest.raises(error, match=f"{name} must be a whole number of at least 1"):
        TreeShape(**{name: value})


def test_a_shape_holds_plain_numbers():
    assert {type(value) for value in vars(TreeShape(np.int64(2), np.int32(3), 4)).values()} == {int}


@pytest.mark.parametrize(
    "case", TREE_CASES["infeasible"], ids=lambda case: "k{top_k}_d{depth}_t{total_token}".format(**case)
)
def test_a_budget_above_the_pool_keeps_the_whole_pool(case):
    top_k, rng = case["top_k"], np.random.default_rng(1)

    def expand(tokens, rows):
        picked, log_probs = top_k_rows(log_softmax(rng.standard_normal((len(tokens), 32))), top_k)
        return picked, log_probs

    shape = TreeShape(top_k=top_k, depth=case["depth"] + 1, budget=case["total_token"] - 1)
    tree = grow_tree(expand([0], [0]), expand, shape)
    assert len(tree) == case["available_nodes"] < case["total_token"] - 1


@given(st.lists(st.lists(st.integers(-5, 5), min_size=6, max_size=6), min_size=1, max_size=4), st.integers(1, 6))
def test_top_k_keeps_equals_in_order(rows, top_k):
    rows = np.array(rows, dtype=np.float32)
    before = rows.copy()
    picked, values = top_k_rows(rows, top_k)
    assert picked.tolist() == np.argsort(-rows, axis=1, kind="stable")[:, :top_k].tolist()
    assert np.array_equal(values, np.take_along_axis(rows, picked, axis=1)) and np.array_equal(rows, before)
    assert values.dtype == np.float32


@pytest.mark.parametrize(
    "row",
    [[5.0, -np.inf, -np.inf], [-np.inf, 5.0, -np.inf], [np.nan, 1.0, 2.0], [np.inf, 1.0, 2.0], [-np.inf] * 3, [5.0]],
)
def test_top_k_refuses_rows_with_too_few_finite_values(row):
    with pytest.raises(ValueError, match="fewer than 2 finite values"):
        top_k_rows(np.array([row]), 2)
