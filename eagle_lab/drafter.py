"""The EAGLE-3 head: the target's features in, a candidate tree out. It proposes and never decides."""

import copy
from collections.abc import Callable
from typing import NamedTuple, Self

import numpy as np

from .fusion import fuse_layer_features, normalize_fusion_weights
from .growth import DEFAULT_SHAPE, TreeShape, grow_branches, path_scores, top_k_rows
from .inputs import check_array, check_callable, check_tokens
from .llama import Attention, FeedForward, KVCache, LlamaConfig, causal_mask, log_softmax, rms_norm, rope_tables
from .tree import CandidateTree


class DraftWeights(NamedTuple):
    """The tensors of one EAGLE-3 head; matrices `[in, out]`, H its own hidden size, Ht the target's."""

    fc: np.ndarray  # [layers, Ht, H]: one block for each tapped layer
    embedding_norm: np.ndarray  # [H]
    hidden_norm: np.ndarray  # [H]
    attention: Attention  # q, k, v from 2H
    post_norm: np.ndarray  # [H]
    feed_forward: FeedForward
    norm: np.ndarray  # [H]
    head: np.ndarray  # [H, draft vocabulary]


class EagleHead:
    """A light head, paired with one target, that drafts from the target's features.

    `embedding` `[V, H]` is the target's; `token_ids` `[draft vocabulary]` gives the target's id of every draft token.
    Layer weights α turn EAGLE-3's `fc` into a weighted fusion: each layer's feature passes its own block,
    g_l = 3·W_l·f_l, and h = Σ α_l·g_l with Σ α_l = 1, so that equal weights are the plain checkpoint.

    Source: EAGLE-3 (arXiv 2503.01840) and its official implementation.
    """

    fuse: Callable = staticmethod(fuse_layer_features)
    score: Callable = staticmethod(path_scores)

    def __init__(self, config: LlamaConfig, weights: DraftWeights, embedding: np.ndarray, token_ids: np.ndarray):
        self.config, self.weights, self.embedding, self.token_ids = config, weights, embedding, token_ids
        self.layers = len(weights.fc)
        self.layer_weights: list[float] = [1.0] * self.layers

    def configured(self, *, layer_weights=None, fuse: Callable | None = None, score: Callable | None = None) -> Self:
        """This head with other layer weights `[layers]`, or with a learner's own functions in place.

        `fuse(g [layers, n, H], weights) -> [n, H]`, and `score` as `growth.path_scores`. Raises `TypeError` or
        `ValueError` for what is no function, and for what are not weights, one for each layer.
        """
        head = copy.copy(self)
        if layer_weights is not None:
            given = len(normalize_fusion_weights(layer_weights))
            if given != self.layers:
                raise ValueError(f"layer_weights has {given} weights, but the drafter reads {self.layers} layers")
            head.layer_weights = layer_weights
        head.fuse = self.fuse if fuse is None else check_callable(fuse, "fuse")
        head.score = self.score if score is None else check_callable(score, "score")
        return head

    def check_shape(self, shape: TreeShape) -> None:
        """Refuse a tree that this head cannot grow."""
        shape.check_vocabulary(len(self.token_ids))

    def new_cache(self, first_token: int | None = None) -> KVCache:
        """An empty draft cache; the `first_token` is never read, since features are paired with the token after."""
        return KVCache(self.config)

    def project(self, features: np.ndarray) -> np.ndarray:
        """Each layer's own contribution g `[layers, n, H]` from the target's features `[layers, n, Ht]`."""
        if features.ndim != 3 or features.shape[::2] != self.weights.fc.shape[:2]:
            layers, width, _ = self.weights.fc.shape
            raise ValueError(f"features must be [{layers}, n, {width}] for this drafter, not {list(features.shape)}")
        return len(features) * (features @ self.weights.fc)

    def draft(self, features, tokens, cache: KVCache, shape: TreeShape = DEFAULT_SHAPE) -> CandidateTree:
        """Read what was committed since the last call, then grow a candidate tree from its end.

        `features` `[layers, n, Ht]` of n committed tokens, `tokens` `[n]` the token that **follows**
        each of them, so that the last one is the root. The cache grows by n rows, whatever the tree's size.
        """
        return grow_branches(self, cache, self.read(features, tokens, cache, shape), shape, self.score)

    def read(self, features, tokens, cache: KVCache, shape: TreeShape) -> np.ndarray:
        """What the head makes of the root `[1, H]`, once it has read what was committed; arguments as in `draft`."""
        self.check_shape(shape)
        tokens = check_tokens(tokens, len(self.embedding), "tokens")
        projected = self.project(features)
        if projected.shape[1] != len(tokens):
            raise ValueError(f"features covers {projected.shape[1]} tokens, but tokens has {len(tokens)}")
        hidden = self.fuse(projected, self.layer_weights)  # [n, H]
        check_array(hidden, "what fuse returns", projected.shape[1:])
        positions, mask = cache.length + np.arange(len(tokens)), causal_mask(len(tokens))
        return self.forward(tokens, hidden, cache, positions, mask)[-1:]

    def forward(self, tokens, hidden, cache: KVCache, positions, mask) -> np.ndarray:
        """One pass of the head over n rows `[n, H]`; returns what feeds the next step, `[n, H]` before the norm."""
        w, eps = self.weights, self.config.rms_norm_eps
        cache.reserve(len(tokens))
        embedded = rms_norm(self.embedding[tokens], w.embedding_norm, eps)
        x = np.concatenate((embedded, rms_norm(hidden, w.hidden_norm, eps)), axis=-1)  # [n, 2H]
        out = hidden + w.attention.forward(x, rope_tables(positions, self.config), cache, 0, mask, self.config)
        cache.length += len(tokens)
        return out + w.feed_forward.forward(rms_norm(out, w.post_norm, eps))

    def log_probs(self, out: np.ndarray) -> np.ndarray:
        """Log-probabilities over the draft vocabulary `[n, draft vocabulary]` after each row of `out`."""
        return log_softmax(rms_norm(out, self.weights.norm, self.config.rms_norm_eps) @ self.weights.head)

    def candidates(self, out: np.ndarray, top_k: int) -> tuple[np.ndarray, np.ndarray]:
        """The `top_k` likeliest next tokens after each row: target ids and log-probabilities `[n, top_k]`."""
        picked, log_probs = top_k_rows(self.log_probs(out), top_k)
        return self.token_ids[picked], log_probs
