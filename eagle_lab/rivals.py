"""Other ways to draft, by the contract of the EAGLE-3 head: what it is measured against, and the head made blind."""

import copy
from collections import Counter
from collections.abc import Callable
from typing import Self

import numpy as np

from .drafter import DraftWeights, EagleHead
from .growth import DEFAULT_SHAPE, TreeShape, grow_branches, grow_tree, path_scores, top_k_rows
from .inputs import check_callable, check_count, check_index
from .llama import KVCache, Llama, LlamaConfig, log_softmax, silu
from .tree import ROOT, CandidateTree, rerank


class DraftModel:
    """An independent small language model as drafter: it reads the tokens itself, and nothing of the target.

    `token_ids` `[draft vocabulary]`: the target's id of every token that its head knows (None: they are the same).

    Source: speculative decoding (arXiv 2211.17192), here with EAGLE-2's dynamic tree.
    """

    layers = 0  # it reads none of the target's
    score: Callable = staticmethod(path_scores)

    def __init__(self, model: Llama, token_ids: np.ndarray | None = None):
        self.model, self.config = model, model.config
        self.token_ids = np.arange(self.config.vocab_size) if token_ids is None else token_ids

    def configured(self, *, score: Callable | None = None) -> Self:
        """This model with a learner's own `score` in place, as `growth.path_scores`."""
        other = copy.copy(self)
        other.score = self.score if score is None else check_callable(score, "score")
        return other

    def check_shape(self, shape: TreeShape) -> None:
        """Refuse a tree that this model cannot grow; nothing is computed yet."""
        shape.check_vocabulary(len(self.token_ids))

    def new_cache(self, first_token: int) -> KVCache:
        """The cache of a sequence that begins with `first_token`, which the model reads at once."""
        cache = self.model.new_cache()
        self.model.forward([first_token], cache)
        return cache

    def draft(self, features, tokens, cache: KVCache, shape: TreeShape = DEFAULT_SHAPE) -> CandidateTree:
        """Read the `tokens` `[n]` committed since the last call, then grow a tree, as `EagleHead.draft` does."""
        self.check_shape(shape)
        out = self.forward(tokens, None, cache)
        return grow_branches(self, cache, out[-1:], shape, self.score)

    def forward(self, tokens, hidden, cache: KVCache, positions=None, mask=None) -> np.ndarray:
        """One pass of the model over n tokens; `hidden`, which a head would read, is ignored. Returns `[n, H]`."""
        return self.model.forward(tokens, cache, positions, mask).hidden

    def candidates(self, out: np.ndarray, top_k: int) -> tuple[np.ndarray, np.ndarray]:
        """The `top_k` likeliest next tokens after each row: target ids and log-probabilities `[n, top_k]`."""
        picked, log_probs = top_k_rows(log_softmax(self.model.logits(out)), top_k)
        return self.token_ids[picked], log_probs


class PositionHeads(EagleHead):
    """Heads that draft every position at once from what one layer made of the root: no draft knows another.

    `blocks` `[positions − 1, H, H]`: one residual block for each level after the first, before the shared head. The
    layer is the EAGLE-3 head's, and reads the same features; only that a candidate follows its own history is gone.

    Source: Medusa (arXiv 2401.10774) and parallel multi-token prediction (arXiv 2404.19737).
    """

    def __init__(self, config: LlamaConfig, weights: DraftWeights, embedding, token_ids, blocks: np.ndarray):
        super().__init__(config, weights, embedding, token_ids)
        self.blocks = blocks

    def check_shape(self, shape: TreeShape) -> None:
        """Refuse a tree of more levels than there are heads."""
        super().check_shape(shape)
        if shape.depth > 1 + len(self.blocks):
            raise ValueError(f"depth is {shape.depth}: these heads draft {1 + len(self.blocks)} positions")

    def draft(self, features, tokens, cache: KVCache, shape: TreeShape = DEFAULT_SHAPE) -> CandidateTree:
        """Read as `EagleHead.draft` does; then all nodes of a level have the same candidates."""
        out = self.read(features, tokens, cache, shape)  # [1, H]
        wide = np.concatenate([out, *(out + silu(out @ block) for block in self.blocks[: shape.depth - 1])])
        levels = zip(*(found[:, None] for found in self.candidates(wide, shape.top_k)), strict=True)  # each [1, top_k]

        def expand(beam, rows):
            return tuple(found.repeat(len(beam), axis=0) for found in next(levels))

        return grow_tree(next(levels), expand, shape, self.score)


class BlindHead(EagleHead):
    """An EAGLE-3 head that is shown something else than it was trained on: what is it worth without?

    `features`: how many tokens earlier the features it reads were taken (0: its own), or None for zeros. `token`: what
    it reads in place of every token (None: the tokens themselves).
    """

    def __init__(self, head: EagleHead, *, features: int | None = 0, token: int | None = None):
        super().__init__(head.config, head.weights, head.embedding, head.token_ids)
        self.shift = None if features is None else check_count(features, "features", least=0)
        last = len(head.embedding) - 1
        self.token = None if token is None else check_index(token, "token", 0, last, "the vocabulary has ids")

    def read(self, features, tokens, cache, shape: TreeShape) -> np.ndarray:
        """As `EagleHead.read`, with other features; those of the text so far stay with the cache."""
        if self.shift is None:
            return super().read(np.zeros_like(features), tokens, cache, shape)
        read, n = cache.length, features.shape[1]
        before = getattr(cache, "features", features)[:, :read]
        cache.features = np.concatenate((before, features), axis=1)
        return super().read(
            cache.features[:, np.maximum(np.arange(read, read + n) - self.shift, 0)], tokens, cache, shape
        )

    def forward(self, tokens, hidden, cache: KVCache, positions, mask) -> np.ndarray:
        """As `EagleHead.forward`, with the one token in place of all."""
        shown = tokens if self.token is None else np.full(len(tokens), self.token)
        return super().forward(shown, hidden, cache, positions, mask)


class PromptLookup:
    """Looks for the last tokens earlier in the text and drafts what followed there; no model at all.

    `longest`: how many tokens are looked for at most; fewer where so many never stood together before.

    Source: prompt lookup decoding (A. Saxena, 2023), here with all continuations as one tree.
    """

    layers = 0

    def __init__(self, longest: int = 3):
        self.longest = check_count(longest, "longest")

    def configured(self) -> Self:
        """It has no settings."""
        return self

    def check_shape(self, shape: TreeShape) -> None:
        """Every shape can be had."""

    def new_cache(self, first_token: int) -> "TextMemory":
        """The text, so far its first token."""
        return TextMemory([first_token])

    def draft(self, features, tokens, cache: "TextMemory", shape: TreeShape = DEFAULT_SHAPE) -> CandidateTree | None:
        """The continuations of the text's last tokens as a tree, each as likely as it was frequent; None for none."""
        cache.tokens += np.asarray(tokens).tolist()
        found = continuations(cache.tokens, self.longest, shape.depth)
        return tree_of(found, shape) if found else None


class TextMemory:
    """A text as a drafter's memory: one row a token."""

    def __init__(self, tokens: list[int]):
        self.tokens = tokens

    @property
    def length(self) -> int:
        """How many tokens there are."""
        return len(self.tokens)

    def commit(self, start: int, rows) -> None:
        """Of the tokens from `start` on keep `start + rows`, and drop every other one."""
        self.tokens[start:] = [self.tokens[start + row] for row in rows]


def continuations(text: list[int], longest: int, depth: int) -> list[tuple[int, ...]]:
    """What followed, up to `depth` tokens, wherever the last tokens of a text stood before: as many as were found.

    >>> continuations([1, 2, 3, 9, 1, 2, 4, 1, 2], 3, 2)
    [(3, 9), (4, 1)]
    """
    for n in range(min(longest, len(text) - 1), 0, -1):
        ends = range(n, len(text))
        found = [tuple(text[end : end + depth]) for end in ends if text[end - n : end] == text[-n:]]
        if found:
            return found
    return []


def tree_of(paths: list[tuple[int, ...]], shape: TreeShape) -> CandidateTree:
    """Token paths as one tree, each edge as likely as its share of the paths that came so far.

    >>> tree_of([(3, 9), (3, 7), (4,)], TreeShape(top_k=4, depth=2, budget=3)).tokens.tolist()
    [3, 4, 9]
    """
    counts = Counter(path[:end] for path in paths for end in range(len(path) + 1))
    nodes: dict[tuple[int, ...], int] = {(): ROOT}
    children = Counter[tuple[int, ...]]()
    for path in sorted(counts, key=lambda path: (len(path), -counts[path])):  # of equal ones the first that was found
        above = path[:-1]
        if path and above in nodes and children[above] < shape.top_k:
            nodes[path], children[above] = len(nodes) - 1, children[above] + 1
    kept = list(nodes)[1:]
    rows = [(nodes[path[:-1]], path[-1], np.log(counts[path] / counts[path[:-1]])) for path in kept]
    return rerank(CandidateTree(*map(np.array, zip(*rows, strict=True))), shape.budget)
