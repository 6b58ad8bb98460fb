"""Other ways to draft, beside the EAGLE-3 head: the same contract, the same trees, no features of the target."""

import copy
from collections.abc import Callable
from typing import Self

import numpy as np

from .growth import DEFAULT_SHAPE, TreeShape, grow_branches, path_scores, top_k_rows
from .inputs import check_callable
from .llama import KVCache, Llama, log_softmax
from .tree import CandidateTree


class DraftModel:
    """An independent small language model with the target's vocabulary as drafter: it reads the tokens itself.

    Source: speculative decoding (arXiv 2211.17192), here with EAGLE-2's dynamic tree.
    """

    layers = 0  # it reads none of the target's
    score: Callable = staticmethod(path_scores)

    def __init__(self, model: Llama):
        self.model, self.config = model, model.config

    def configured(self, *, score: Callable | None = None) -> Self:
        """This model with a learner's own `score` in place, as `growth.path_scores`."""
        other = copy.copy(self)
        other.score = self.score if score is None else check_callable(score, "score")
        return other

    def check_shape(self, shape: TreeShape) -> None:
        """Refuse a tree that this model cannot grow; nothing is computed yet."""
        shape.check_vocabulary(self.config.vocab_size)

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
        """The `top_k` likeliest next tokens after each row: token ids and log-probabilities `[n, top_k]`."""
        return top_k_rows(log_softmax(self.model.logits(out)), top_k)
