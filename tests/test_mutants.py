"""Engines broken on purpose: for each wrong way at least one named check of this suite must fail."""

import numpy as np
import pytest

from eagle_lab import CandidateTree, checkpoints, counterexamples, decode, tree, verification
from eagle_lab.decode import Generation
from eagle_lab.drafter import EagleHead
from eagle_lab.llama import KVCache, Llama, rms_norm
from eagle_lab.weights import INTEGERS, MARKS

from checks import (
    assert_caches_hold,
    assert_draft_extends_its_own_path,
    assert_draft_ids,
    assert_layer_weights_count,
    assert_mask_is_ancestry,
    assert_prefix,
    assert_replays,
    assert_rerank,
    assert_tree_pass_equals_path_passes,
    assert_verify_case,
    compare_with_greedy,
    golden_verify_cases,
)
from models import LLAMA, golden_pair, random_pair, random_tree

SHAPE = {"top_k": 3, "depth": 5, "budget": 20}


# ── the checks ───────────────────────────────────────────────────────────────────────────────────


def golden_run():
    assert_replays("g02_llama_a_trained_tt26_d5_k3")


def lossless():
    prompts = np.random.default_rng(0).integers(0, 128, (6, 5)).tolist()
    report = compare_with_greedy(golden_pair(*LLAMA), prompts, [SHAPE], 24)
    assert not report.ties


def caches():
    assert_caches_hold(golden_pair(*LLAMA), [7, 3, 60, 72], 6, SHAPE)


def masks():
    assert_mask_is_ancestry(random_tree(np.random.default_rng(1), 12))


def tree_passes():
    assert_tree_pass_equals_path_passes(
        random_pair(3).target, [1, 2, 3], 4, random_tree(np.random.default_rng(1), 9, 16)
    )


def reranking():
    rng = np.random.default_rng(2)
    for _ in range(40):
        candidates = random_tree(rng, 20, edges=[0.0, 0.0, -1.0])
        for budget in range(1, 21):
            assert_rerank(candidates, budget)


def prefixes():
    for bits in range(64):
        assert_prefix([bits >> place & 1 for place in range(6)], [1] * 6)


def verify_cases():
    for case in golden_verify_cases():
        assert_verify_case(case)


def draft_paths():
    assert_draft_extends_its_own_path(golden_pair(*LLAMA), [1, 2, 3], {"top_k": 3, "depth": 4, "budget": 20})


def layer_weights():
    assert_layer_weights_count(golden_pair(*LLAMA), [1, 2, 3, 4])


def draft_ids():
    assert_draft_ids(LLAMA)


# ── the mutants ──────────────────────────────────────────────────────────────────────────────────


def in_every_round(patch, **ways):
    """Let every generation verify or mask by other ways than the library's, whatever it was told."""
    begin = Generation.__init__
    patch.setattr(Generation, "__init__", lambda self, pair, prompt, **_: begin(self, pair, prompt, **ways))


def lower_triangular_mask(patch):
    patch.setattr(CandidateTree, "attention_mask", counterexamples.mask_as_a_chain)
    in_every_round(patch, mask=counterexamples.mask_as_a_chain)


def index_as_position(patch):
    forward = Llama.forward

    def by_index(self, tokens, cache, positions=None, mask=None):
        return forward(self, tokens, cache, None, mask)  # counts on from the cache's length, row by row

    patch.setattr(Llama, "forward", by_index)


def best_leaf_committed(patch):
    patch.setattr(decode, "verify", counterexamples.accept_best_leaf)
    in_every_round(patch, verify=counterexamples.accept_best_leaf)


def child_kept_without_its_parent(patch):
    def by_score_alone(candidates, budget):
        kept = np.sort(np.argsort(candidates.scores, kind="stable")[::-1][:budget])
        place = np.searchsorted(kept, candidates.parents[kept])  # finds another node where the parent is gone
        place = np.where(candidates.parents[kept] < 0, -1, np.minimum(place, np.arange(len(kept)) - 1))
        return CandidateTree(place, candidates.tokens[kept], candidates.log_scores[kept])

    patch.setattr(tree, "rerank", by_score_alone)


def sibling_rows_stay(patch):
    advance = Generation.advance

    def keeping(self, *settings):
        commit = KVCache.commit

        def first_rows(cache, start, rows):  # right in number, but the rows are whichever stand first
            commit(cache, start, list(range(len(rows))))

        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(KVCache, "commit", first_rows)
            return advance(self, *settings)

    patch.setattr(Generation, "advance", keeping)


def nothing_dropped(patch):
    commit = KVCache.commit
    patch.setattr(KVCache, "commit", lambda self, start, rows: None if len(rows) else commit(self, start, rows))


def first_token_unchecked(patch):
    verify = verification.verify

    def shifted(candidates, logits, **_):
        return verify(candidates, np.concatenate((logits[1:], logits[:1])))

    patch.setattr(decode, "verify", shifted)
    in_every_round(patch, verify=shifted)


def agreements_summed(patch):
    def summed(draft_tokens, target_tokens):
        return sum(a == b for a, b in zip(draft_tokens, target_tokens, strict=False))

    patch.setattr(verification, "accepted_prefix", summed)


def draft_cache_not_cut_back(patch):
    commit = KVCache.commit
    patch.setattr(KVCache, "commit", lambda self, start, rows: commit(self, start, rows) if len(rows) else None)


def normed_hidden_fed_back(patch):
    forward = EagleHead.forward

    def normed(self, *args):
        return rms_norm(forward(self, *args), self.weights.norm, self.config.rms_norm_eps)

    patch.setattr(EagleHead, "forward", normed)


def layer_weights_ignored(patch):
    patch.setattr(EagleHead, "fuse", staticmethod(lambda features, weights: features.mean(axis=0)))


def siblings_at_growing_positions(patch):
    forward = EagleHead.forward

    def growing(self, tokens, hidden, cache, positions, mask):
        return forward(self, tokens, hidden, cache, positions[0] + np.arange(len(tokens)), mask)

    patch.setattr(EagleHead, "forward", growing)


def offsets_read_as_ids(patch):
    def absolute(tensors, draft_vocab, vocab_size):
        tensors.take("t2d", MARKS)
        return tensors.take("d2t", INTEGERS)

    patch.setattr(checkpoints, "_draft_token_ids", absolute)


@pytest.mark.parametrize(
    ("mutant", "checks"),
    [
        (lower_triangular_mask, [masks, golden_run, lossless]),
        (index_as_position, [tree_passes, golden_run, lossless]),
        (best_leaf_committed, [verify_cases, golden_run, lossless]),
        (child_kept_without_its_parent, [reranking]),
        (sibling_rows_stay, [caches, golden_run, lossless]),
        (nothing_dropped, [caches, golden_run]),
        (first_token_unchecked, [verify_cases, golden_run, lossless]),
        (agreements_summed, [prefixes]),
        (draft_cache_not_cut_back, [caches, golden_run]),
        (normed_hidden_fed_back, [golden_run]),
        (layer_weights_ignored, [layer_weights, caches]),
        (siblings_at_growing_positions, [golden_run, draft_paths]),
        (offsets_read_as_ids, [draft_ids]),
    ],
    ids=lambda value: value.__name__ if callable(value) else None,
)
def test_every_mutant_is_caught(mutant, checks):
    for check in checks:
        with pytest.MonkeyPatch.context() as patch:
            mutant(patch)
            with pytest.raises(AssertionError):
                check()


@pytest.mark.parametrize(
    "check",
    [
        golden_run,
        lossless,
        caches,
        masks,
        tree_passes,
        reranking,
        prefixes,
        verify_cases,
        draft_paths,
        layer_weights,
        draft_ids,
    ],
    ids=lambda check: check.__name__,
)
def test_the_engine_itself_passes_every_check(check):
    check()
