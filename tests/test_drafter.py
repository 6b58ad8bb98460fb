"""The drafter: golden trees on tables of logits, paths of its own, layer weights, and its cache."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eagle_lab import CandidateTree, growth, verify
from eagle_lab.drafter import DraftWeights, EagleHead
from eagle_lab.growth import TreeShape
from eagle_lab.llama import LlamaConfig, log_softmax

from checks import (
    assert_close,
    assert_draft_extends_its_own_path,
    assert_layer_weights_count,
    assert_same,
    spy,
    spy_on_draft,
)
from models import GOLDEN, LLAMA, QWEN3, golden_pair, random_pair

TREE_CASES = json.loads((GOLDEN / "tree_cases" / "tree_cases_k1_k2_k3.json").read_text())
TIED_CASES = json.loads((GOLDEN / "tree_cases" / "pathological_ties.json").read_text())["cases"]
EQUAL = [1, 1, 1]


class TableDrafter(EagleHead):
    """A head whose logits are read from a table: step 0, then a row for each node of every level's beam."""

    def __init__(self, case: dict):
        offsets = case["d2t"] or [0] * case["draft_vocab_size"]
        fc = np.zeros((3, 1, 1), dtype=np.float32)
        config = LlamaConfig(case["vocab_size"], 1, 1, 1, 1, 1, 2)
        weights = DraftWeights(fc, *[None] * 7)
        super().__init__(config, weights, np.zeros((case["vocab_size"], 1)), np.arange(len(offsets)) + offsets)
        self.tables = [[case["logits_step0"]], *case["logits_steps"]]
        self.calls = []

    def forward(self, tokens, hidden, cache, positions, mask):
        cache.length += len(tokens)
        self.calls.append((tokens.tolist(), positions.tolist(), mask.astype(int).tolist()))
        table = np.array(self.tables[len(self.calls) - 1], dtype=np.float32)
        return np.repeat(table, len(tokens), axis=0) if len(self.calls) == 1 else table

    def log_probs(self, out):
        return log_softmax(out)


def drafted(head: EagleHead, features, tokens, cache, *, layer_weights=EQUAL, fuse=None, score=None, **shape):
    """One draft under settings by keyword, as `Generation.step` takes them."""
    head = head.configured(layer_weights=layer_weights, fuse=fuse, score=score)
    return head.draft(features, tokens, cache, TreeShape(**shape))


def draft_from_table(case: dict):
    head, prompt = TableDrafter(case), case["beam_inputs"][0]["input_ids"]
    with pytest.MonkeyPatch.context() as patch:
        pools = spy(patch, growth, "keep_nodes", results=False)
        steps = spy(patch, EagleHead, "candidates")
        cache = head.new_cache()
        tree = head.draft(
            np.zeros((3, len(prompt), 1), dtype=np.float32),
            prompt,
            cache,
            TreeShape(top_k=case["top_k"], depth=case["depth"] + 1, budget=case["total_token"] - 1),
        )
    assert cache.length == len(prompt)
    return head, tree, pools[0][0], steps


@pytest.mark.parametrize("case", TREE_CASES["cases"], ids=lambda case: case["name"])
def test_golden_tree_cases(case):
    head, tree, pool, steps = draft_from_table(case)
    assert min(case["beam_margin"], case["rank_margin"] or 1) > 1e-4  # nothing here needs to be excepted
    assert_same(tree.tokens, case["draft_tokens"][1:], "tokens")
    assert_same(tree.parents, np.array(case["parents"][1:]) - 1, "parents")
    assert_same([0, *tree.depths], case["tree_position_ids"], "positions")
    assert_same(tree.attention_mask().astype(int), case["tree_mask"], "mask")
    assert_close(tree.scores, case["node_cum_logprob"][1:], "cumulative scores", 1e-5)
    paths = {(0, *(1 + node for node in tree.path(leaf))) for leaf in tree.leaves}
    assert paths == {tuple(node for node in row if node >= 0) for row in case["retrieve_indices"]}
    assert len(pool.tokens) == case["pool_size"]
    assert_same(pool.parents[case["selected_flat_index"]], case["parent_flat_index"], "parents in the pool")
    assert_same(pool.tokens[case["selected_flat_index"]], tree.tokens, "kept of the pool")
    for step, record in zip(steps, case["expansion"], strict=True):
        assert_same(step[0], head.token_ids[np.array(record["topk_index"])], "top-k ids")
        assert_close(step[1], record["topk_logprob"], "log-probabilities", 1e-5)
    for (tokens, positions, mask), record in zip(head.calls[1:], case["beam_inputs"][1:], strict=True):
        assert tokens == record["input_ids"] and positions == record["position_ids"]
        assert mask == record["tree_mask"], "mask among the drafted rows"


def test_the_golden_tree_cases_are_all_there():
    assert len(TREE_CASES["cases"]) == 50 and len(TREE_CASES["infeasible"]) == 7 and len(TIED_CASES) == 6
    assert sum(case["d2t"] is not None for case in TREE_CASES["cases"]) > 10


@pytest.mark.parametrize("case", TIED_CASES, ids=lambda case: case["name"])
def test_saturated_scores_never_make_an_orphan(case):
    _, tree, pool, _ = draft_from_table(case)
    pool = CandidateTree(*pool[:3])
    assert len(tree) == min(case["total_token"] - 1, len(pool)) and len(pool) == case["pool_size"]
    whole = {tuple(pool.tokens[pool.path(node)]): pool.scores[node] for node in range(len(pool))}
    for node in range(len(tree)):  # every kept node still hangs where it was drafted
        assert whole[tuple(tree.tokens[tree.path(node)])] == tree.scores[node]
    assert_close(sorted(tree.scores), sorted(case["node_cum_logprob"][1:]), "scores", 1e-5)
    wanted = np.zeros((1 + len(tree), case["vocab_size"]))
    assert verify(tree, wanted).next_token == 0  # siblings differ, or verification would refuse the tree


def test_the_official_recordings_do_hold_orphans():
    assert sum(bool(case["orphans"]) for case in TIED_CASES) == 2


PATHS = {
    "llama": (golden_pair(*LLAMA), {"top_k": 3, "depth": 4, "budget": 20}),
    "qwen3": (golden_pair(*QWEN3), {"top_k": 2, "depth": 5, "budget": 12}),
    "random": (random_pair(1, vocab=12, draft_vocab=7, kv_heads=1), {"top_k": 7, "depth": 2, "budget": 99}),
    "chain": (random_pair(2, vocab=12), {"top_k": 1, "depth": 6, "budget": 6}),
}


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize("prompt", [[3], [0, 11, 5, 5, 2]], ids=["one token", "five tokens"])
def test_every_candidate_extends_its_own_history(name, prompt):
    pair, shape = PATHS[name]
    assert_draft_extends_its_own_path(pair, prompt, shape)


@pytest.mark.parametrize("names", [LLAMA, QWEN3], ids=["llama", "qwen3"])
def test_layer_weights_reach_the_head(names):
    assert_layer_weights_count(golden_pair(*names), [1, 2, 3, 4])


@pytest.mark.parametrize("names", [LLAMA, QWEN3], ids=["llama", "qwen3"])
@pytest.mark.parametrize("weights", [EQUAL, [0.1, 0.1, 0.1], np.full(3, 7.0)])
def test_equal_weights_are_the_plain_checkpoint(names, weights):
    pair = golden_pair(*names)
    _, features = pair.target.forward([5, 6, 7, 8], pair.target.new_cache())
    with pytest.MonkeyPatch.context() as patch:
        calls = spy_on_draft(patch)
        head = pair.drafter.configured(layer_weights=weights)
        head.draft(features, [6, 7, 8, 9], head.new_cache(), TreeShape(depth=1))
    plain = features.transpose(1, 0, 2).reshape(4, -1) @ pair.drafter.weights.fc.reshape(-1, features.shape[-1])
    assert_close(calls[0].hidden, plain, "fc on the concatenated features", 1e-5)
    assert calls[0].hidden.dtype == np.float32


def prompt_features(pair, prompt):
    return pair.target.forward(prompt, pair.target.new_cache()).features


@given(st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any), st.floats(1e-3, 1e3))
def test_a_common_factor_of_the_layer_weights_changes_no_tree(weights, factor):
    pair, prompt = golden_pair(*LLAMA), [9, 3, 60, 72]
    features = prompt_features(pair, prompt)
    trees = [
        pair.drafter.configured(layer_weights=[scale * w for w in weights]).draft(
            features, prompt, pair.drafter.new_cache(), TreeShape(top_k=3)
        )
        for scale in (1, factor)
    ]
    assert_same(trees[0].tokens, trees[1].tokens, "tokens")
    assert_same(trees[0].parents, trees[1].parents, "parents")
    assert_close(trees[0].scores, trees[1].scores, "scores")


def test_layer_weights_change_the_tree():
    pair, prompt = golden_pair(*LLAMA), [9, 3, 60, 72]
    features = prompt_features(pair, prompt)
    drafts = [
        pair.drafter.configured(layer_weights=weights).draft(features, prompt, pair.drafter.new_cache())
        for weights in ([1, 0, 0], [0, 1, 0], [0, 0, 1])
    ]
    assert len({tuple(tree.tokens.tolist()) for tree in drafts}) == 3


@pytest.mark.parametrize("draft_vocab", [5, 12])
@pytest.mark.parametrize("depth", [1, 2, 4])
@pytest.mark.parametrize("top_k", [1, 2, 5])
@pytest.mark.parametrize("budget", [1, 7, 1000])
def test_sizes_at_the_edges(draft_vocab, depth, top_k, budget):
    pair, prompt = random_pair(3, vocab=12, draft_vocab=draft_vocab), [0, 11, 4]
    cache = pair.drafter.new_cache()
    tree = pair.drafter.draft(
        prompt_features(pair, prompt), prompt, cache, TreeShape(top_k=top_k, depth=depth, budget=budget)
    )
    pool = top_k + (depth - 1) * top_k**2
    assert len(tree) == min(budget, pool) and tree.depths.max() <= depth
    assert set(tree.tokens.tolist()) <= set(pair.drafter.token_ids.tolist())
    assert cache.length == len(prompt) and cache.keys.dtype == np.float32


def test_the_pool_has_no_twins():
    pair, prompt = random_pair(4, vocab=6), [0, 5]
    features = prompt_features(pair, prompt)
    tree = pair.drafter.draft(features, prompt, pair.drafter.new_cache(), TreeShape(top_k=6, depth=3, budget=999))
    for node in range(-1, len(tree)):
        children = tree.tokens[tree.children(node)].tolist()
        assert len(set(children)) == len(children) and len(children) in (0, 6)


BAD_SETTINGS = [
    ({"top_k": 0}, ValueError, "top_k must be a whole number of at least 1, not 0"),
    ({"top_k": 2.0}, ValueError, "top_k must be a whole number"),
    ({"top_k": True}, TypeError, "top_k must be a whole number"),
    ({"top_k": 17}, ValueError, "top_k is 17: the draft vocabulary has only 16 tokens"),
    ({"depth": 0}, ValueError, "depth must be a whole number of at least 1, not 0"),
    ({"depth": "3"}, TypeError, "depth must be a whole number"),
    ({"budget": -4}, ValueError, "budget must be a whole number of at least 1, not -4"),
    ({"budget": None}, TypeError, "budget must be a whole number"),
    ({"layer_weights": [1, 1]}, ValueError, "layer_weights has 2 weights, but the drafter reads 3 layers"),
    ({"layer_weights": []}, ValueError, "weights is empty"),
    ({"layer_weights": [0, 0, 0]}, ValueError, "weights sum to 0"),
    ({"layer_weights": [1, -1, 1]}, ValueError, r"weights\[1\] is -1"),
    ({"layer_weights": [1, 1, np.nan]}, ValueError, r"weights\[2\] is nan"),
]


@pytest.mark.parametrize(("settings", "error", "message"), BAD_SETTINGS)
def test_bad_settings_are_refused_before_anything_is_computed(settings, error, message, monkeypatch):
    pair, cache = random_pair(5), random_pair(5).drafter.new_cache()
    features = prompt_features(pair, [1, 2, 3])
    calls = spy_on_draft(monkeypatch)
    with pytest.raises(error, match=message):
        drafted(pair.drafter, features, [2, 3, 4], cache, **settings)
    assert calls == [] and cache.length == 0


@pytest.mark.parametrize(
    ("features", "tokens", "message"),
    [
        (np.zeros((2, 3, 16)), [1, 2, 3], r"features must be \[3, n, 16\] for this drafter, not \[2, 3, 16\]"),
        (np.zeros((3, 3, 8)), [1, 2, 3], r"features must be \[3, n, 16\]"),
        (np.zeros((3, 16)), [1, 2, 3], r"features must be \[3, n, 16\]"),
        (np.zeros((3, 2, 16)), [1, 2, 3], "features covers 2 tokens, but tokens has 3"),
        (np.zeros((3, 1, 16)), [16], r"tokens\[0\] is 16: the vocabulary has ids 0 to 15"),
        (np.zeros((3, 0, 16)), [], "tokens is empty"),
        (np.full((3, 1, 16), np.nan), [1], r"layer_features\[0\]\[0\]\[0\] is not finite"),
    ],
)
def test_features_that_do_not_fit_are_refused(features, tokens, message):
    pair = random_pair(5)
    cache = pair.drafter.new_cache()
    with pytest.raises(ValueError, match=message):
        pair.drafter.draft(features.astype(np.float32), tokens, cache)
    assert cache.length == 0


def test_drafting_leaves_its_input_alone():
    pair, prompt = random_pair(7), [1, 2, 3]
    features = prompt_features(pair, prompt)
    before = features.copy()
    pair.drafter.draft(features, prompt, pair.drafter.new_cache())
    assert np.array_equal(features, before) and prompt == [1, 2, 3]


def test_the_head_stays_in_float32(monkeypatch):
    pair = random_pair(8)
    calls, steps = spy_on_draft(monkeypatch), spy(monkeypatch, EagleHead, "log_probs")
    head = pair.drafter.configured(layer_weights=np.array([1.0, 2, 3]))
    head.draft(prompt_features(pair, [1, 2]), [2, 3], head.new_cache())
    assert {array.dtype for call in calls for array in (call.hidden, call.result)} == {np.dtype(np.float32)}
    assert {step.dtype for step in steps} == {np.dtype(np.float32)}


# ── a learner's own functions ────────────────────────────────────────────────────────────────────


def own_draft(**own) -> CandidateTree:
    pair, prompt = golden_pair(*LLAMA), [3, 60, 72]
    _, features = pair.target.forward(prompt, pair.target.new_cache())
    shape = {"top_k": 3, "depth": 4, "budget": 12}
    return drafted(
        pair.drafter, features, [60, 72, 5], pair.drafter.new_cache(), layer_weights=[1, 2, 1], **own, **shape
    )


def test_a_right_function_of_ones_own_drafts_the_same_tree():
    def fuse(features, weights):
        return np.tensordot(np.array(weights) / sum(weights), features, axes=1).astype(np.float32)

    def score(beam, above, edges):
        return np.array([[score + edge for edge in row] for score, row in zip(above, edges, strict=True)])

    ours, theirs = own_draft(), own_draft(fuse=fuse, score=score)
    assert theirs.tokens.tolist() == ours.tokens.tolist() and theirs.parents.tolist() == ours.parents.tolist()
    np.testing.assert_allclose(theirs.scores, ours.scores, atol=1e-5)


def test_a_wrong_function_of_ones_own_shows():
    ours = own_draft()
    last_layer_only = own_draft(fuse=lambda features, weights: features[-1])
    assert last_layer_only.log_scores.tolist() != ours.log_scores.tolist()
    with pytest.raises(ValueError, match="scores above its parent"):
        own_draft(score=lambda beam, above, edges: edges)  # the edge's score instead of the path's
    with pytest.raises(ValueError, match="one number for each of the 30 nodes, not NaN"):
        own_draft(score=lambda beam, above, edges: np.full(edges.shape, np.nan))
