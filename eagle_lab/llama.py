"""A decoder-only target in plain numpy: KV cache, tree attention, and taps for layer features.

Shapes: n new tokens, L layers, H hidden, D head_dim, V vocabulary. Matrices are stored `[in, out]`. Covers the Llama
and Qwen3 families (RMSNorm, RoPE, grouped-query attention, SwiGLU, optional q/k norms). Everything is float32.
"""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from .inputs import check_tokens


@dataclass(frozen=True)
class LlamaConfig:
    """The sizes of one model, named as in Hugging Face's config.json."""

    vocab_size: int
    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    rms_norm_eps: float = 1e-6
    rope_theta: float = 10000.0
    max_position_embeddings: int | None = None  # tokens of one text at most; None: as many as fit into memory


class KVCache:
    """Keys and values of one sequence, for all layers of one model: `[layers, kv heads, rows, D]` each.

    Rows are appended by forward passes; `commit` keeps chosen ones and drops the rest. Both are one array, so that they
    grow by one assignment: an interrupt finds both as they were or both as they shall be.
    """

    def __init__(self, config: LlamaConfig):
        shape = (2, config.num_hidden_layers, config.num_key_value_heads, 64, config.head_dim)
        self.both = np.zeros(shape, dtype=np.float32)
        self.length = 0  # rows from here on mean nothing

    @property
    def keys(self) -> np.ndarray:
        """The keys `[layers, kv heads, room, D]`."""
        return self.both[0]

    @property
    def values(self) -> np.ndarray:
        """The values, likewise."""
        return self.both[1]

    def reserve(self, rows: int) -> None:
        """Make room for `rows` more rows, doubling so that growth costs little."""
        room = self.both.shape[3]
        short = self.length + rows - room
        if short > 0:
            self.both = np.pad(self.both, ((0, 0), (0, 0), (0, 0), (0, max(short, room)), (0, 0)))

    def write(self, layer: int, keys: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Put new rows `[kv heads, n, D]` behind the committed ones; returns all rows of that layer."""
        end = self.length + keys.shape[1]
        all_keys, all_values = self.keys[layer, :, :end], self.values[layer, :, :end]
        all_keys[:, self.length :], all_values[:, self.length :] = keys, values
        return all_keys, all_values

    def commit(self, start: int, rows) -> None:
        """Of the rows from `start` on keep `start + rows`, in that order; `ValueError` where one is not there."""
        rows, behind = np.asarray(rows, dtype=np.int64), self.length - start
        if not 0 <= start <= self.length:
            raise ValueError(f"start is {start}: the cache holds {self.length} rows")
        if rows.size:
            if rows.min() < 0 or rows.max() >= behind:
                raise ValueError(f"rows {rows.tolist()} are not all among the {behind} rows after {start}")
            self.both[:, :, :, start : start + len(rows)] = self.both[:, :, :, start + rows]
        self.length = start + len(rows)


class Attention(NamedTuple):
    """Grouped-query attention with RoPE; `q`, `k`, `v` `[in, heads·D]`, `o` `[heads·D, H]`."""

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    o: np.ndarray
    q_norm: np.ndarray | None = None  # [D], Qwen3 only
    k_norm: np.ndarray | None = None

    def forward(self, x: np.ndarray, rope: tuple, cache: KVCache, layer: int, mask, config: LlamaConfig) -> np.ndarray:
        """Attend from rows `x` `[n, in]` to the cached rows and to themselves; returns `[n, H]`.

        `mask`: bool `[n, m]` over the last m cached rows, the new ones included; None hides nothing.
        """
        n, d, kv_heads = len(x), config.head_dim, config.num_key_value_heads
        q = (x @ self.q).reshape(n, -1, d)  # [n, heads, D]
        k = (x @ self.k).reshape(n, kv_heads, d)
        v = (x @ self.v).reshape(n, kv_heads, d)
        if self.q_norm is not None and self.k_norm is not None:
            q = rms_norm(q, self.q_norm, config.rms_norm_eps)
            k = rms_norm(k, self.k_norm, config.rms_norm_eps)
        turned = rotate(np.concatenate((q, k), axis=1), rope)  # [n, heads + kv heads, D]
        q, k = turned[:, :-kv_heads], turned[:, -kv_heads:]
        keys, values = cache.write(layer, k.transpose(1, 0, 2), v.transpose(1, 0, 2))  # [kv heads, rows, D]
        q = q.reshape(n, kv_heads, -1, d).transpose(1, 2, 0, 3).reshape(kv_heads, -1, d)  # [kv heads, group·n, D]
        scores = q @ keys.transpose(0, 2, 1) * d**-0.5  # [kv heads, group·n, rows]
        if mask is not None:
            by_query = scores.reshape(kv_heads, -1, n, scores.shape[-1])
            np.copyto(by_query[..., -mask.shape[1] :], -np.inf, where=~mask)
        mixed = softmax(scores) @ values  # [kv heads, group·n, D]
        mixed = mixed.reshape(kv_heads, -1, n, d).transpose(2, 0, 1, 3).reshape(n, -1)  # [n, heads·D]
        return mixed @ self.o


class FeedForward(NamedTuple):
    """SwiGLU: `gate`, `up` `[H, I]`, `down` `[I, H]`."""

    gate: np.ndarray
    up: np.ndarray
    down: np.ndarray

    def forward(self, x: np.ndarray) -> np.ndarray:
        return (silu(x @ self.gate) * (x @ self.up)) @ self.down  # [n, I] between


class Layer(NamedTuple):
    """One transformer layer of the target: pre-norm attention, then pre-norm SwiGLU."""

    input_norm: np.ndarray
    attention: Attention
    post_norm: np.ndarray
    feed_forward: FeedForward


class Pass(NamedTuple):
    """What one forward pass yields for n tokens."""

    hidden: np.ndarray  # [n, H], after the final norm: feed it to `logits`
    features: np.ndarray  # [taps, n, H], the residual stream at the tapped layers


class Llama:
    """The target model: `forward` runs tokens through all layers, `logits` reads the vocabulary.

    `embedding` `[V, H]`, `layers`, `norm` `[H]`, `head` `[H, V]`; `taps`: the layers whose input (the residual stream,
    not normed) is handed out as features, by default EAGLE-3's layers 2, L//2 and L−3; () taps nothing. Raises
    `ValueError` for a model of fewer than 7 layers without own taps, and for taps that are no rising layers of it.
    """

    def __init__(self, config: LlamaConfig, embedding, layers: list[Layer], norm, head, taps=None):
        depth = config.num_hidden_layers
        if taps is None and depth < 7:
            raise ValueError(f"the target has {depth} layers: three distinct feature taps need at least 7")
        self.config = config
        self.embedding, self.layers, self.norm, self.head = embedding, layers, norm, head
        self.taps = (2, depth // 2, depth - 3) if taps is None else tuple(taps)
        if list(self.taps) != sorted(set(self.taps).intersection(range(depth))):
            raise ValueError(f"taps are {self.taps}: they must rise within 0 to {depth - 1}, as L = {depth} layers")

    def new_cache(self) -> KVCache:
        """An empty cache for one sequence."""
        return KVCache(self.config)

    def forward(self, tokens, cache: KVCache, positions=None, mask=None) -> Pass:
        """Run n tokens behind the cached rows, and append their rows to the cache.

        `tokens` `[n]`; `positions` `[n]` (default: counting on from the cache's length); `mask` bool `[n, m]` with
        m ≥ n, who sees whom among the last m rows, the new ones included (default: causal over the new ones); all see
        the rows before those. Raises `ValueError` for tokens outside the vocabulary and for shapes that do not fit.
        """
        tokens = check_tokens(tokens, self.config.vocab_size, "tokens")
        n, rows = len(tokens), cache.length + len(tokens)
        positions = cache.length + np.arange(n) if positions is None else np.asarray(positions)
        if positions.shape != tokens.shape:
            raise ValueError(f"positions has shape {positions.shape}, but tokens has {tokens.shape}")
        if mask is not None:
            mask = np.asarray(mask)
            if mask.dtype != bool or mask.ndim != 2 or len(mask) != n or not n <= mask.shape[1] <= rows:
                raise ValueError(f"mask must be bool [{n}, {n} to {rows}], not {mask.dtype} {list(mask.shape)}")
        elif n > 1:  # a token alone sees every row
            mask = causal_mask(n)
        cache.reserve(len(tokens))
        rope = rope_tables(positions, self.config)
        x, features = self.embedding[tokens], []  # [n, H]
        for index, layer in enumerate(self.layers):
            if index in self.taps:
                features.append(x)
            seen = rms_norm(x, layer.input_norm, self.config.rms_norm_eps)
            x = x + layer.attention.forward(seen, rope, cache, index, mask, self.config)
            x = x + layer.feed_forward.forward(rms_norm(x, layer.post_norm, self.config.rms_norm_eps))
        cache.length += len(tokens)
        tapped = np.array(features) if features else np.zeros((0, *x.shape), dtype=x.dtype)
        return Pass(rms_norm(x, self.norm, self.config.rms_norm_eps), tapped)

    def logits(self, hidden: np.ndarray) -> np.ndarray:
        """The next token's logits `[n, V]` after each row of `hidden` `[n, H]`."""
        return hidden @ self.head


def causal_mask(n: int) -> np.ndarray:
    """Bool `[n, n]`: every token sees itself and the ones before it."""
    return np.tri(n, dtype=bool)


def rms_norm(x: np.ndarray, gain: np.ndarray, eps: float) -> np.ndarray:
    """Divide each row by its root mean square, then scale by `gain`."""
    mean_square = np.add.reduce(x * x, axis=-1, keepdims=True) / x.shape[-1]
    return x / np.sqrt(mean_square + eps) * gain


def rope_tables(positions: np.ndarray, config: LlamaConfig) -> tuple[np.ndarray, np.ndarray]:
    """Cosines `[n, 1, 1, D/2]` and signed sines `[n, 1, 2, D/2]` of the rotary position embedding."""
    angles = positions.astype(np.float32)[:, None, None, None] * _frequencies(config.head_dim, config.rope_theta)
    sin = np.sin(angles)
    return np.cos(angles), np.concatenate((-sin, sin), axis=2)


@cache
def _frequencies(head_dim: int, theta: float) -> np.ndarray:
    half = np.arange(0, head_dim, 2, dtype=np.float32)
    return (1.0 / theta ** (half / head_dim)).astype(np.float32)


def rotate(x: np.ndarray, rope: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Turn the two halves of every head `[n, heads, D]` by the position's angles."""
    cos, sin = rope
    halves = x.reshape(*x.shape[:-1], 2, -1)  # [n, heads, 2, D/2]
    return (halves * cos + halves[:, :, ::-1] * sin).reshape(x.shape)


def silu(x: np.ndarray) -> np.ndarray:
    """x times its sigmoid."""
    with np.errstate(over="ignore"):  # far below 0 exp becomes infinite, and SiLU 0 as it should
        return x / (1 + np.exp(-x))


def softmax(scores: np.ndarray) -> np.ndarray:
    """Probabilities along the last axis."""
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """Log-probabilities (natural log) along the last axis."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
