"""The target on torch against the target in numpy: the same contract, the same numbers, the same text."""

from dataclasses import replace

import numpy as np
import pytest

from eagle_lab import Generation, greedy_decode, speculative_decode
from eagle_lab.tree import CandidateTree

from models import random_pair

pytestmark = pytest.mark.training


def on_torch(target, dtype: str = "float32"):
    """The same target there; torch is imported by these tests alone."""
    import torch

    from training.torch_llama import TorchLlama

    return TorchLlama(target, getattr(torch, dtype))


def both(seed: int, **sizes):
    pair = random_pair(seed, vocab=20, **sizes)
    return pair, replace(pair, target=on_torch(pair.target))


@pytest.mark.parametrize("qk_norm", [False, True])
def test_a_pass_under_a_tree_mask_gives_the_same_logits_and_features(qk_norm):
    pair, other = both(0, qk_norm=qk_norm)
    caches = pair.target.new_cache(), other.target.new_cache()
    tree = CandidateTree([-1, -1, 0, 0, 1, 2], [5, 6, 7, 8, 9, 1], [-0.5] * 6)
    positions = 9 + np.array([0, *tree.depths])
    for tokens, settings in (
        (range(9), {}),
        ([4, *tree.tokens], {"positions": positions, "mask": tree.attention_mask()}),
    ):
        plain, ours = (
            p.target.forward(list(tokens), c, **settings) for p, c in zip((pair, other), caches, strict=True)
        )
        assert np.abs(ours.features - plain.features).max() < 1e-4 and ours.features.dtype == np.float32
        assert np.abs(other.target.logits(ours.hidden) - pair.target.logits(plain.hidden)).max() < 1e-4
    for cache in caches:
        cache.commit(9, [0, 1, 5])
    plain, ours = (p.target.forward([3], c) for p, c in zip((pair, other), caches, strict=True))
    assert caches[0].length == caches[1].length == 13
    assert np.abs(other.target.logits(ours.hidden) - pair.target.logits(plain.hidden)).max() < 1e-4


def test_several_sequences_at_once_read_as_each_alone():
    """Two texts of unlike length, the shorter padded on the left by rows that nobody sees."""
    pair, other = both(1)
    texts = [[1, 2, 3, 4, 5, 6], [7, 8, 9]]
    rows, pads = np.array([texts[0], [0, 0, 0, *texts[1]]]), np.array([0, 3])
    real = np.arange(6) >= pads[:, None]
    mask = np.tri(6, dtype=bool) & real[:, None] | np.eye(6, dtype=bool)
    cache = other.target.new_cache(2)
    hidden = other.target.forward(rows, cache, np.maximum(np.arange(6) - pads[:, None], 0), mask).hidden[:, -1]
    hidden = [hidden]
    after = np.concatenate((real, np.ones((2, 1), dtype=bool)), axis=1)[:, None]
    hidden.append(other.target.forward([[11], [12]], cache, 6 - pads[:, None], after).hidden[:, -1])
    for row, (text, new) in enumerate(zip(texts, (11, 12), strict=True)):
        alone = pair.target.forward([*text, new], pair.target.new_cache())
        expected = pair.target.logits(alone.hidden[-2:])
        found = np.array([other.target.logits(step)[row] for step in hidden])
        assert np.abs(found - expected).max() < 1e-4


@pytest.mark.parametrize("seed", range(3))
def test_it_writes_the_same_text_plain_and_with_drafts(seed):
    pair, other = both(seed)
    text = greedy_decode(pair.target, [1, 2, 3], 40)
    assert greedy_decode(other.target, [1, 2, 3], 40) == text
    assert speculative_decode(other, [1, 2, 3], 40, top_k=3, depth=3, budget=8).tokens == text
    rounds = [[r.tokens for r in speculative_decode(p, [1, 2, 3], 40).rounds] for p in (pair, other)]
    assert rounds[0] == rounds[1]


def test_a_preview_leaves_no_trace_and_bad_input_is_refused_by_name():
    _, other = both(2)
    generation = Generation(other, [1, 2, 3])
    shown = generation.preview()
    assert generation.cache.length == 3 and generation.step().tokens == shown.tokens
    with pytest.raises(ValueError, match="tokens"):
        other.target.forward([99], other.target.new_cache())


def test_bfloat16_reads_features_in_float32_and_stays_near():
    pair, _ = both(3)
    half = on_torch(pair.target, "bfloat16")
    found, exact = half.forward([1, 2, 3], half.new_cache()), pair.target.forward([1, 2, 3], pair.target.new_cache())
    assert found.features.dtype == np.float32
    assert np.abs(found.features - exact.features).max() < 0.05 * np.abs(exact.features).max()
    assert np.abs(half.logits(found.hidden) - pair.target.logits(exact.hidden)).max() < 0.3
