"""Other ways to draft, by the contract of the EAGLE-3 head: what it is measured against."""

import copy
from collections.abc import Callable
from typing import Self

import numpy as np

from .drafter import DraftWeights, EagleHead
from .growth import DEFAULT_SHAPE, TreeShape, grow_branches, grow_tree, path_scores, top_k_rows
from .inputs import check_callable, check_count
from .llama import KVCache, Llama, LlamaConfig, log_softmax, silu
from .tree import CandidateTree


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


class PromptLookup:
    """Looks for the last tokens earlier in the text and drafts what followed there; no model at all.

    `longest`: how many tokens are looked for at most; fewer where so many never stood together before.

    Source: prompt lookup decoding (A. Saxena, 2023).
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
        """What followed the last tokens as a chain, as if it were certain; None where they never stood before."""
        cache.tokens += np.asarray(tokens).tolist()
        found = np.array(continuation(cache.tokens, self.longest, min(shape.depth, shape.budget)))
        return CandidateTree(np.arange(len(found)) - 1, found, np.zeros(len(found))) if len(found) else None


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


def continuation(text: list[int], longest: int, depth: int) -> list[int]:
    """What followed, up to `depth` tokens, where the last tokens of a text stood before: as many as were found.

    >>> continuation([1, 2, 3, 1, 2, 4, 9, 1, 2], 3, 2)
    [4, 9]
    """
    for n in range(min(longest, len(text) - 1), 0, -1):
        for end in range(len(text) - 1, n - 1, -1):  # the latest place first
            if text[end - n : end] == text[-n:]:
                return text[end : end + depth]
    return []
