"""The head made blind: the same weights, shown something else than they were trained on."""

import numpy as np

from eagle_lab.drafter import EagleHead
from eagle_lab.growth import TreeShape
from eagle_lab.inputs import check_count, check_index
from eagle_lab.llama import KVCache


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
