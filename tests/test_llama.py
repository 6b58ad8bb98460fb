"""The target: its forward pass against a naive one, tree attention, the cache, and every refusal."""

import math

import numpy as np
import pytest

from eagle_lab.llama import FeedForward, KVCache, Llama, LlamaConfig, log_softmax, softmax

from checks import assert_close, assert_rows, assert_tree_pass_equals_path_passes
from models import LLAMA, QWEN3, golden_pair, random_pair, random_tree

KINDS = {
    "four heads on one": {"kv_heads": 1},
    "pairs, q/k norms": {"kv_heads": 2, "qk_norm": True, "head_dim": 8},
    "no groups, wide heads": {"kv_heads": 4, "head_dim": 10, "tied": True},
    "nine layers": {"kv_heads": 2, "layers": 9, "qk_norm": True, "tied": True},
}


def naive_forward(target: Llama, tokens: list[int]):
    """Token by token, head by head, in float64: hidden after the final norm, and every layer's input."""
    c, d = target.config, target.config.head_dim
    group = c.num_attention_heads // c.num_key_value_heads

    def norm(x, gain):
        return [v / math.sqrt(np.mean(np.square(x)) + c.rms_norm_eps) * g for v, g in zip(x, gain, strict=True)]

    def turn(x, position):
        out = np.array(x, dtype=float)
        for i in range(d // 2):
            angle = position / c.rope_theta ** (2 * i / d)
            a, b = x[i], x[i + d // 2]
            out[i] = a * math.cos(angle) - b * math.sin(angle)
            out[i + d // 2] = b * math.cos(angle) + a * math.sin(angle)
        return out

    rows, inputs = [target.embedding[t].astype(float) for t in tokens], []
    for layer in target.layers:
        inputs.append(np.array(rows))
        att, keys, values, new = layer.attention, [], [], []
        for position, x in enumerate(rows):
            seen = np.array(norm(x, layer.input_norm))
            split = [(seen @ m).reshape(-1, d) for m in (att.q, att.k, att.v)]
            if att.q_norm is not None:
                split[0] = [norm(h, att.q_norm) for h in split[0]]
                split[1] = [norm(h, att.k_norm) for h in split[1]]
            keys.append([turn(h, position) for h in split[1]])
            values.append(split[2])
            mixed = []
            for head, query in enumerate(split[0]):
                query, source = turn(query, position), head // group
                weights = np.exp([query @ k[source] / math.sqrt(d) for k in keys])
                mixed.append(sum(w * v[source] for w, v in zip(weights / weights.sum(), values, strict=True)))
            x = x + np.concatenate(mixed) @ att.o
            seen, ff = np.array(norm(x, layer.post_norm)), layer.feed_forward
            gate = seen @ ff.gate
            new.append(x + (gate / (1 + np.exp(-gate)) * (seen @ ff.up)) @ ff.down)
        rows = new
    return np.array([norm(x, target.norm) for x in rows]), inputs


@pytest.mark.parametrize("kind", KINDS)
def test_forward_agrees_with_a_naive_one(kind):
    target = random_pair(5, **KINDS[kind]).target
    tokens = np.random.default_rng(0).integers(0, 16, 9).tolist()
    found = target.forward(tokens, target.new_cache())
    hidden, inputs = naive_forward(target, tokens)
    layers = target.config.num_hidden_layers
    assert target.taps == (2, layers // 2, layers - 3)
    assert_close(found.hidden, hidden, "hidden")
    assert_close(found.features, [inputs[tap] for tap in target.taps], "features")
    assert_close(target.logits(found.hidden), hidden @ target.head, "logits")


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_may_be_read_in_pieces(kind):
    target = random_pair(6, **KINDS[kind]).target
    tokens = np.random.default_rng(1).integers(0, 16, 200)
    whole = target.new_cache()
    expected = target.forward(tokens, whole)
    cache, parts = target.new_cache(), []
    for start, end in [(0, 1), (1, 64), (64, 65), (65, 200)]:  # 64 rows is where the cache first grows
        parts.append(target.forward(tokens[start:end], cache))
        assert cache.length == end
    assert_close(np.concatenate([part.hidden for part in parts]), expected.hidden, "hidden")
    assert_close(np.concatenate([part.features for part in parts], axis=1), expected.features, "features")
    assert_rows(cache, whole, "cache")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_a_tree_in_one_pass_equals_every_path_alone(kind, seed):
    rng = np.random.default_rng(seed)
    target = random_pair(seed, **KINDS[kind]).target
    prefix = rng.integers(0, 16, rng.integers(1, 6)).tolist()
    tree = random_tree(rng, 11, vocab=16)
    assert_tree_pass_equals_path_passes(target, prefix, 15, tree)


@pytest.mark.parametrize("names", [LLAMA, QWEN3], ids=["llama", "qwen3"])
def test_a_tree_of_the_trained_targets_equals_every_path_alone(names):
    target = golden_pair(*names).target
    assert_tree_pass_equals_path_passes(target, [0, 127, 5, 5], 0, random_tree(np.random.default_rng(4), 20, vocab=128))


def test_everything_stays_float32():
    target = random_pair(7, qk_norm=True).target
    cache = target.new_cache()
    found = target.forward([1, 2, 3], cache)
    found = target.forward([4, 5], cache, positions=np.array([3.0, 3.0]), mask=np.eye(2, dtype=bool))
    arrays = [found.hidden, found.features, target.logits(found.hidden), cache.keys, cache.values]
    arrays += [softmax(found.hidden), log_softmax(found.hidden)]
    assert {array.dtype for array in arrays} == {np.dtype(np.float32)}


def test_results_are_the_callers_own():
    target = random_pair(8).target
    first = target.forward([1, 2, 3], target.new_cache())
    kept = first.features.copy()
    first.features[:], first.hidden[:] = 0, 0
    assert np.array_equal(target.forward([1, 2, 3], target.new_cache()).features, kept)


def test_ids_at_both_edges_of_the_vocabulary_are_tokens():
    target = random_pair(9).target
    assert np.isfinite(target.forward(np.array([0, 15], dtype=np.uint8), target.new_cache()).hidden).all()


@pytest.mark.parametrize(
    ("tokens", "error", "message"),
    [
        ([], ValueError, "tokens is empty"),
        ([3, 16], ValueError, r"tokens\[1\] is 16: the vocabulary has ids 0 to 15"),
        ([-1], ValueError, r"tokens\[0\] is -1"),
        ([1.0], ValueError, r"tokens\[0\] is 1.0: the vocabulary has ids 0 to 15"),
        ([True], TypeError, r"tokens\[0\] is True: the vocabulary has ids 0 to 15"),
        (["1"], TypeError, r"tokens\[0\] is '1'"),
        ([2**70], ValueError, r"tokens\[0\] is 1180591620717411303424: the vocabulary has ids 0 to 15"),
        ([3, None], TypeError, r"tokens\[1\] is None: the vocabulary has ids 0 to 15"),
        ([[1, 2], [3]], TypeError, r"tokens\[0\] is \[1, 2\]"),
        (np.ones((2, 2), dtype=int), TypeError, r"tokens\[0\] is \[1, 1\]"),
        (3, TypeError, "tokens must be a list, tuple or 1-D array, not int"),
        ("12", TypeError, "tokens must be a list, tuple or 1-D array, not str"),
        ({1, 2}, TypeError, "tokens must be a list, tuple or 1-D array, not set"),
        (None, TypeError, "tokens must be a list, tuple or 1-D array, not NoneType"),
    ],
)
def test_bad_tokens_are_refused_and_the_cache_stays(tokens, error, message):
    target = random_pair(10).target
    cache = target.new_cache()
    target.forward([1, 2], cache)
    with pytest.raises(error, match=message):
        target.forward(tokens, cache)
    assert cache.length == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"positions": [0, 1]}, r"positions has shape \(2,\), but tokens has \(3,\)"),
        ({"positions": 0}, r"positions has shape \(\)"),
        ({"mask": np.ones((3, 3))}, r"mask must be bool \[3, 3 to 3\], not float64"),
        ({"mask": np.ones((2, 3), dtype=bool)}, r"mask must be bool \[3, 3 to 3\], not bool \[2, 3\]"),
        ({"mask": np.ones(3, dtype=bool)}, r"mask must be bool \[3, 3 to 3\]"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(options, message):
    target = random_pair(10).target
    with pytest.raises(ValueError, match=message):
        target.forward([1, 2, 3], target.new_cache(), **options)


def test_fewer_than_seven_layers_have_no_three_taps():
    good = random_pair(11).target
    small = LlamaConfig(16, 16, 24, 6, 4, 2, 6)
    with pytest.raises(ValueError, match="6 layers: three distinct feature taps need at least 7"):
        Llama(small, good.embedding, good.layers[:6], good.norm, good.head)
    own = Llama(small, good.embedding, good.layers[:6], good.norm, good.head, taps=(0, 5))
    features = own.forward([1, 2], own.new_cache()).features
    assert features.shape == (2, 2, 16) and np.array_equal(features[0], good.embedding[[1, 2]])


def test_strong_gates_neither_overflow_nor_warn():
    one = np.ones((1, 1), dtype=np.float32)
    gates = np.array([[-1e30], [-1e4], [-100], [-20], [0], [20], [1e4]], dtype=np.float32)
    found = FeedForward(one, one, one).forward(gates)[:, 0]  # silu(x)·x
    assert found[:3] == pytest.approx(0, abs=1e-2) and np.isfinite(found).all()
    assert found[3:] == pytest.approx([400 / (1 + math.exp(20)), 0, 400, 1e8], rel=1e-5)


class TestCache:
    CONFIG = LlamaConfig(8, 4, 4, 2, 2, 1, 4)

    def filled(self, rows: int) -> KVCache:
        """Row r of layer l holds 10·r + l in every place."""
        cache = KVCache(self.CONFIG)
        cache.reserve(rows)
        for layer in range(2):
            block = np.repeat(10.0 * np.arange(rows) + layer, 4).reshape(1, rows, 4)
            cache.write(layer, block, -block)
        cache.length += rows
        return cache

    def held(self, cache: KVCache) -> list[float]:
        for layer in range(2):
            keys = cache.keys[layer, 0, : cache.length]
            assert (keys == keys[:, :1]).all() and np.array_equal(keys, -cache.values[layer, 0, : cache.length])
            assert np.array_equal(keys - layer, cache.keys[0, 0, : cache.length])
        return (cache.keys[0, 0, : cache.length, 0] / 10).tolist()

    @pytest.mark.parametrize(
        ("start", "rows", "left"),
        [
            (3, [0, 2, 4], [0, 1, 2, 3, 5, 7]),
            (3, [0], [0, 1, 2, 3]),
            (3, [], [0, 1, 2]),
            (0, [], []),
            (0, [7, 6, 0], [7, 6, 0]),
            (8, [], list(range(8))),
            (2, np.arange(6), list(range(8))),
        ],
    )
    def test_commit_keeps_the_chosen_rows_in_their_order(self, start, rows, left):
        cache = self.filled(8)
        cache.commit(start, rows)
        assert self.held(cache) == left

    @pytest.mark.parametrize(
        ("start", "rows", "message"),
        [
            (9, [], "start is 9: the cache holds 8 rows"),
            (-1, [], "start is -1"),
            (3, [5], r"rows \[5\] are not all among the 5 rows after 3"),
            (3, [0, -1], r"rows \[0, -1\]"),
            (8, [0], r"rows \[0\] are not all among the 0 rows"),
        ],
    )
    def test_rows_that_are_not_there_are_refused(self, start, rows, message):
        cache = self.filled(8)
        with pytest.raises(ValueError, match=message):
            cache.commit(start, rows)
        assert self.held(cache) == list(range(8))

    @pytest.mark.parametrize("more", [1, 56, 57, 64, 1000])
    def test_room_grows_without_touching_what_is_there(self, more):
        cache = self.filled(8)
        cache.reserve(more)
        assert cache.keys.shape == cache.values.shape and cache.keys.shape[2] >= 8 + more
        assert cache.keys.dtype == cache.values.dtype == np.float32
        assert self.held(cache) == list(range(8))


def test_softmax_takes_impossible_and_large_scores():
    rows = np.array([[0, -np.inf, 1e4], [-1e30, -1e30, -np.inf]], dtype=np.float32)
    assert softmax(rows).tolist() == [[0, 0, 1], [0.5, 0.5, 0]]
    assert (log_softmax(rows[:, ::2]) <= 0).all()
