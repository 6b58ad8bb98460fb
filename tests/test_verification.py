"""Verification: the accepted prefix on a path, on a tree, and in the official recordings."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eagle_lab import CandidateTree, Verdict, accepted_prefix, verify
from eagle_lab.tree import ROOT

from checks import assert_prefix, assert_verify_case, golden_verify_cases, naive_path, naive_prefix
from models import random_tree

CASES = golden_verify_cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_golden_greedy_cases(case):
    assert_verify_case(case)


def test_the_golden_cases_hold_every_kind():
    tags = {tag for case in CASES for tag in case["tags"]}
    assert len(CASES) == 46
    assert tags >= {"random", "reject_first", "full_accept", "row_tie", "argmax_tie", "padding"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_golden_accept_length_of_every_path(case):
    for row, length in zip(case["retrieve_indices"], case["accept_length_per_row"], strict=True):
        nodes = [node for node in row if node >= 0]
        drafted = [case["draft_tokens"][node] for node in nodes[1:]]
        wanted = [case["node_argmax"][node] for node in nodes[:-1]]
        assert accepted_prefix(drafted, wanted) == length


@pytest.mark.parametrize("length", range(11))
def test_the_prefix_agrees_with_a_plain_loop_for_every_mask(length):
    for bits in range(2**length):
        agreement = [bits >> place & 1 for place in range(length)]
        assert_prefix(agreement, [1] * length)
        assert_prefix([5 + bit for bit in agreement], np.full(length, 6))


def test_later_agreement_does_not_count_and_the_first_token_does():
    assert accepted_prefix([1, 0, 1, 1], [1, 1, 1, 1]) == 1
    assert accepted_prefix([9, 6, 7], [5, 6, 7]) == 0
    assert accepted_prefix([9], [5]) == accepted_prefix([], [5]) == accepted_prefix([], []) == 0
    assert accepted_prefix([5, 6], [5, 6, 7]) == accepted_prefix([5, 6, 7], (5, 6)) == 2


def random_logits(rng, tree, vocab, agree: float):
    """Logits whose argmax follows a child of the node with probability `agree`."""
    logits = rng.standard_normal((1 + len(tree), vocab)).astype(np.float32)
    for node in range(-1, len(tree)):
        children = tree.children(node)
        if children and rng.random() < agree:
            logits[1 + node, tree.tokens[rng.choice(children)]] = 9
    return logits


def naive_verdict(tree, logits) -> Verdict:
    """The longest of all root-to-node paths on which every token is the argmax after its parent."""
    wanted = logits.argmax(axis=1)
    paths = [[], *(naive_path(tree.parents, node) for node in range(len(tree)))]
    right = [p for p in paths if naive_prefix(tree.tokens[p], [wanted[1 + tree.parents[n]] for n in p]) == len(p)]
    best = max(right, key=len)
    last = best[-1] if best else ROOT
    return Verdict(tuple(best), tuple(np.flatnonzero(tree.parents == last).tolist()), int(wanted[1 + last]))


@given(st.integers(0, 2**32 - 1), st.integers(1, 25), st.sampled_from([0.0, 0.5, 0.9, 1.0]))
def test_a_verdict_agrees_with_brute_force(seed, size, agree):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, size, vocab=30)
    logits = random_logits(rng, tree, 30, agree)
    before = logits.copy()
    assert verify(tree, logits) == naive_verdict(tree, logits)
    assert verify(tree, logits.tolist()) == verify(tree, logits) and np.array_equal(logits, before)


def test_scores_play_no_part():
    logits = np.eye(3)[[2, 1, 0, 1]]
    for scores in ([-0.1, -3.0, -0.5], [-9.0, 0.0, -math.inf]):
        verdict = verify(CandidateTree([-1, -1, 1], [1, 2, 0], scores), logits)
        assert verdict == Verdict(accepted=(1, 2), rejected=(), next_token=1)
        assert [type(value) for value in (*verdict.accepted, verdict.next_token)] == [int] * 3


def test_equal_logits_mean_the_lowest_id():
    tree = CandidateTree([-1, -1], [2, 1], [-0.1, -0.2])
    assert verify(tree, np.ones((3, 4))) == Verdict((), (0, 1), 0)
    assert verify(tree, [[0, 5, 5, 0], [0, 0, 0, 0], [0, 0, 7, 7]]) == Verdict((1,), (), 2)


def test_token_0_can_be_drafted_and_can_be_the_bonus():
    assert verify(CandidateTree([-1], [0], [-0.1]), [[5, 1], [5, 1]]) == Verdict((0,), (), 0)


def test_only_visited_rows_need_to_be_numbers():
    tree = CandidateTree([-1, -1], [0, 1], [-0.1, -0.2])
    logits = np.array([[0.0, 1.0], [math.nan, math.nan], [1.0, 0.0]])
    assert verify(tree, logits) == Verdict((1,), (), 0)
    with pytest.raises(ValueError, match=r"logits\[2\] holds NaN"):
        verify(tree, [[0, 1], [0, 1], [0, math.nan]])
    with pytest.raises(ValueError, match=r"logits\[0\] holds NaN"):
        verify(tree, [[math.nan, 1], [0, 1], [0, 1]])


PLAIN = CandidateTree([-1, 0], [0, 1], [-0.1, -0.2])


@pytest.mark.parametrize(
    ("tree", "logits", "options", "error", "message"),
    [
        (PLAIN, np.zeros((2, 4)), {}, ValueError, r"logits must be \[3, vocabulary\].*\(2, 4\)"),
        (PLAIN, np.zeros((4, 4)), {}, ValueError, r"logits must be \[3, vocabulary\].*\(4, 4\)"),
        (PLAIN, np.zeros(3), {}, ValueError, r"logits must be \[3, vocabulary\]"),
        (PLAIN, np.zeros((1, 3, 4)), {}, ValueError, r"logits must be \[3, vocabulary\]"),
        (PLAIN, np.zeros((3, 1)), {}, ValueError, "tokens reach from 0 to 1: logits has 1"),
        (PLAIN, np.zeros((3, 0)), {}, ValueError, "logits has 0"),
        (PLAIN, [[1, 2], [3]], {}, ValueError, "logits has rows of unequal length"),
        (PLAIN, [["a", "b"]] * 3, {}, TypeError, "logits must hold real numbers"),
        (PLAIN, [[1j, 2]] * 3, {}, TypeError, "logits must hold real numbers"),
        (CandidateTree([-1], [-3], [-0.1]), np.zeros((2, 4)), {}, ValueError, "tokens reach from -3"),
        (CandidateTree([-1, -1], [2, 2], [-1.0, -2.0]), np.zeros((3, 4)), {}, ValueError, "nodes 0 and 1 are siblings"),
        (CandidateTree([-1, 0, 0], [2, 2, 2], [-1.0] * 3), np.zeros((4, 4)), {}, ValueError, "nodes 1 and 2 are sib"),
        (PLAIN, np.zeros((3, 4)), {"temperature": -0.5}, ValueError, "temperature is -0.5"),
        (PLAIN, np.zeros((3, 4)), {"temperature": math.nan}, ValueError, "temperature is nan"),
        (PLAIN, np.zeros((3, 4)), {"temperature": "hot"}, TypeError, "temperature must be a number, not str"),
        (PLAIN, np.zeros((3, 4)), {"temperature": None}, TypeError, "temperature must be a number, not NoneType"),
        (PLAIN, np.zeros((3, 4)), {"temperature": 1.0}, NotImplementedError, "only temperature 0"),
    ],
)
def test_bad_input_is_refused_by_name(tree, logits, options, error, message):
    with pytest.raises(error, match=message):
        verify(tree, logits, **options)


def test_cousins_may_share_a_token():
    tree = CandidateTree([-1, -1, 0, 1], [1, 2, 3, 3], [-0.1] * 4)
    assert verify(tree, np.eye(5)[[2, 0, 3, 0, 4]]) == Verdict((1, 3), (), 4)
