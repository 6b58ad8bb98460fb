"""The drafters: what was committed in, a candidate tree out. They propose and never decide.

`Drafter` is the EAGLE-3 head, which reads the target's features; `DraftModel` is the older way, an independent
small model that reads the tokens itself.
"""

from typing import NamedTuple

import numpy as np

from .fusion import fuse_layer_features, normalize_fusion_weights
from .llama import (
    Attention,
    FeedForward,
    KVCache,
    Llama,
    LlamaConfig,
    causal_mask,
    check_tokens,
    log_softmax,
    rms_norm,
    rope_tables,
)
from .tree import ROOT, CandidateTree, check_count, path_sums, rerank, scores_by


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


class Drafter:
    """A light head, paired with one target, that drafts from the target's features.

    `embedding` `[V, H]` is the target's; `token_ids` `[draft vocabulary]` gives the target's id of
    every draft token. Layer weights α turn EAGLE-3's `fc` into a weighted fusion: each layer's
    feature passes its own block, g_l = 3·W_l·f_l, and h = Σ α_l·g_l with Σ α_l = 1, so that equal
    weights are the plain checkpoint.

    Source: EAGLE-3 (arXiv 2503.01840) and its official implementation.
    """

    def __init__(self, config: LlamaConfig, weights: DraftWeights, embedding: np.ndarray, token_ids: np.ndarray):
        self.config, self.weights, self.embedding, self.token_ids = config, weights, embedding, token_ids

    def new_cache(self, first_token: int | None = None) -> KVCache:
        """An empty draft cache for one sequence; between rounds it holds committed tokens only.

        The head pairs each feature with the token after it, so it never reads the `first_token`.
        """
        return KVCache(self.config)

    def project(self, features: np.ndarray) -> np.ndarray:
        """Each layer's own contribution g `[layers, n, H]` from the target's features `[layers, n, Ht]`."""
        if features.ndim != 3 or features.shape[::2] != self.weights.fc.shape[:2]:
            layers, width, _ = self.weights.fc.shape
            raise ValueError(f"features must be [{layers}, n, {width}] for this drafter, not {list(features.shape)}")
        return len(features) * (features @ self.weights.fc)

    def draft(
        self,
        features,
        tokens,
        cache: KVCache,
        *,
        layer_weights,
        top_k: int = 4,
        depth: int = 5,
        budget: int = 16,
        fuse=fuse_layer_features,
        score=path_sums,
    ) -> CandidateTree:
        """Read what was committed since the last call, then grow a candidate tree from its end.

        `features` `[layers, n, Ht]` of n committed tokens, `tokens` `[n]` the token that **follows**
        each of them, so that the last one is the root. `top_k`: candidates per node and beam width;
        `depth`: levels; `budget`: nodes kept. The cache grows by n rows, whatever the tree's size.
        `fuse` and `score` may be a learner's own: `fuse(g [layers, n, H], weights) -> [n, H]`, and
        `score(parents, edges)`, the cumulative scores of the pool.
        """
        self.check_settings(layer_weights, top_k, depth, budget)
        tokens = check_tokens(tokens, len(self.embedding), "tokens")
        hidden = fuse(self.project(features), layer_weights)  # [n, H]
        if len(hidden) != len(tokens):
            raise ValueError(f"features covers {len(hidden)} tokens, but tokens has {len(tokens)}")
        with cache.undo_on_error():
            out = self.forward(tokens, hidden, cache, cache.length + np.arange(len(tokens)), causal_mask(len(tokens)))
            return _Branches(self, cache, out[-1:], top_k).grow(depth, budget, score)

    def check_settings(self, layer_weights, top_k, depth, budget) -> None:
        """Refuse the settings that `draft` cannot use; nothing is computed yet."""
        layers, given = len(self.weights.fc), len(normalize_fusion_weights(layer_weights))
        if given != layers:
            raise ValueError(f"layer_weights has {given} weights, but the drafter reads {layers} layers")
        _check_shape(top_k, depth, budget, len(self.token_ids))

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


class DraftModel:
    """An independent small language model as drafter: it reads the tokens itself, and no features.

    `model`: a Llama with the target's vocabulary. It takes the same calls as `Drafter` and grows the same
    kind of tree; features and layer weights mean nothing to it.

    Source: speculative decoding (arXiv 2211.17192), here with EAGLE-2's dynamic tree.
    """

    def __init__(self, model: Llama):
        self.model, self.config = model, model.config

    def new_cache(self, first_token: int) -> KVCache:
        """The cache of a sequence that begins with `first_token`, which the model reads at once."""
        cache = self.model.new_cache()
        self.model.forward([first_token], cache)
        return cache

    def draft(
        self, features, tokens, cache: KVCache, *, layer_weights=None, top_k=4, depth=5, budget=16, score=path_sums
    ) -> CandidateTree:
        """Read the `tokens` `[n]` committed since the last call, then grow a tree; all else as in `Drafter.draft`."""
        self.check_settings(layer_weights, top_k, depth, budget)
        with cache.undo_on_error():
            out = self.forward(tokens, None, cache)
            return _Branches(self, cache, out[-1:], top_k).grow(depth, budget, score)

    def check_settings(self, layer_weights, top_k, depth, budget) -> None:
        """Refuse the settings that `draft` cannot use; layer weights, which it does not read, may be anything."""
        _check_shape(top_k, depth, budget, self.config.vocab_size)

    def forward(self, tokens, hidden, cache: KVCache, positions=None, mask=None) -> np.ndarray:
        """One pass of the model over n tokens; `hidden`, which a head would read, is ignored. Returns `[n, H]`."""
        return self.model.forward(tokens, cache, positions, mask).hidden

    def candidates(self, out: np.ndarray, top_k: int) -> tuple[np.ndarray, np.ndarray]:
        """The `top_k` likeliest next tokens after each row: token ids and log-probabilities `[n, top_k]`."""
        return top_k_rows(log_softmax(self.model.logits(out)), top_k)


def _check_shape(top_k, depth, budget, vocabulary: int) -> None:
    for value, name in ((top_k, "top_k"), (depth, "depth"), (budget, "budget")):
        check_count(value, name)
    if top_k > vocabulary:
        raise ValueError(f"top_k is {top_k}: the draft vocabulary has only {vocabulary} tokens")


class _Branches:
    """A drafter at work on the growing ends of one tree, level by level.

    `out` `[1, H]`: what the drafter made of the root. Every drafted row goes behind the committed ones in the
    cache, and out again when the tree is grown.
    """

    def __init__(self, drafter, cache: KVCache, out: np.ndarray, top_k: int):
        self.drafter, self.cache, self.top_k = drafter, cache, top_k
        self.out = out  # [rows, H] of the last pass, with which the next level's tokens are read
        self.mask = np.zeros((len(out), 0), dtype=bool)  # [rows, drafted rows]: ancestors and self
        self.position = cache.length  # shared by a whole level

    def grow(self, depth: int, budget: int, score) -> CandidateTree:
        """The whole tree, `depth` levels grown and the best `budget` nodes kept."""
        committed = self.cache.length
        shape = {"top_k": self.top_k, "depth": depth, "budget": budget, "score": score}
        tree = grow_tree(self.candidates(), self.expand, **shape)
        self.cache.commit(committed, [])  # the tree's rows were only scaffolding
        return tree

    def candidates(self) -> tuple[np.ndarray, np.ndarray]:
        """The children of the level that was read last: tokens and log-probabilities `[rows, top_k]`."""
        return self.drafter.candidates(self.out, self.top_k)

    def expand(self, tokens: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Read a level's `tokens`, each behind its own parent, the one in `rows`; returns their children."""
        self.mask = np.hstack((self.mask[rows], np.eye(len(tokens), dtype=bool)))
        positions = np.full(len(tokens), self.position)
        self.out = self.drafter.forward(tokens, self.out[rows], self.cache, positions, self.mask)
        self.position += 1
        return self.candidates()


def grow_tree(candidates, expand, *, top_k: int, depth: int, budget: int, score=path_sums) -> CandidateTree:
    """Grow a dynamic candidate tree: a beam of `top_k` nodes a level, then the `budget` best of all drafted.

    `candidates`: the root's children, `(tokens, log-probabilities)`, each `[1, top_k]`.
    `expand(tokens, rows)`: the same, `[top_k, top_k]`, for the beam's `tokens` `[top_k]`, whose parents
    are `rows` `[top_k]` of the previous level's beam; called once for each level after the first.
    Every drafted node joins the pool of top_k + (depth − 1)·top_k² nodes, and may be kept without
    having been expanded. `score` turns the pool's parents and edges into cumulative scores.

    Source: expansion and reranking of EAGLE-2 (arXiv 2406.16858).

    >>> def seven_or_eight(tokens, rows):
    ...     return np.tile([7, 8], (len(tokens), 1)), np.tile(np.log([0.6, 0.4]), (len(tokens), 1))
    >>> tree = grow_tree(seven_or_eight([0], [0]), seven_or_eight, top_k=2, depth=2, budget=4)
    >>> tree.parents.tolist(), tree.tokens.tolist()
    ([-1, -1, 0, 0], [7, 8, 7, 8])
    """
    depth, budget = check_count(depth, "depth"), check_count(budget, "budget")
    beam, parents, tokens, edges = [ROOT], [], [], []  # the root alone; the pool
    for level in range(1, depth + 1):
        children, log_probs = candidates  # [beam, top_k]
        first = len(parents)
        parents += np.repeat(beam, top_k).tolist()
        tokens += children.ravel().tolist()
        edges += log_probs.ravel().tolist()
        if level < depth:
            scores = scores_by(score, parents, edges)[first:]
            chosen = np.argsort(-scores, kind="stable")[:top_k]
            candidates = expand(children.ravel()[chosen], chosen // top_k)
            beam = first + chosen
    return rerank(CandidateTree(np.array(parents), np.array(tokens), np.array(edges), score), budget)


def top_k_rows(rows: np.ndarray, top_k: int) -> tuple[np.ndarray, np.ndarray]:
    """The `top_k` largest values of each row and where they stand, best first, equals in order.

    `rows` `[n, width]`; returns indices and values `[n, top_k]`. Raises `ValueError` where fewer than
    `top_k` values of a row are finite. Rounds of argmax: exact on ties, and as fast as a partial sort.

    >>> top_k_rows(np.array([[1.0, 3.0, 3.0]]), 2)
    (array([[1, 2]]), array([[3., 3.]]))
    """
    left, n = rows.copy(), np.arange(len(rows))
    picked, values = np.empty((len(rows), top_k), dtype=np.int64), np.empty((len(rows), top_k), dtype=rows.dtype)
    for column in range(top_k):
        best = left.argmax(axis=1)
        picked[:, column], values[:, column] = best, left[n, best]  # -inf once a row has nothing finite left
        left[n, best] = -np.inf
    if not np.isfinite(values).all():
        raise ValueError(f"the drafter's log-probabilities hold fewer than {top_k} finite values in a row")
    return picked, values
