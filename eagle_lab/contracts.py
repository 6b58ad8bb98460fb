"""What a target, a drafter and a drafter's memory must offer, so that `decode` can work with any of them.

A class needs no base: whatever has these names fits, and `dataclasses.replace(pair, drafter=…)` puts it to work. A
target may run on torch or a GPU, as long as numpy arrays come out; a drafter may be a head, a model, or a search
through the text.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from .growth import TreeShape
from .llama import LlamaConfig, Pass
from .tree import CandidateTree


class Memory(Protocol):
    """What has been read of one sequence, a row for each token."""

    length: int

    def commit(self, start: int, rows) -> None:
        """Of the rows from `start` on keep `start + rows`, in that order, and drop every other one."""


class Target(Protocol):
    """The model whose distribution defines the output."""

    config: LlamaConfig  # of which decoding reads `vocab_size`
    taps: tuple[int, ...]  # the layers whose input is handed out as features

    def new_cache(self) -> Any:
        """An empty `Memory` for one sequence."""

    def forward(self, tokens, cache, positions=None, mask=None) -> Pass:
        """Run n tokens behind the cached rows; `hidden` `[n, H]` and `features` `[taps, n, H]`, as `Llama.forward`."""
        ...

    def logits(self, hidden: np.ndarray) -> np.ndarray:
        """The next token's logits `[…, V]` after each row of `hidden` `[…, H]`."""
        ...


class Drafter(Protocol):
    """Whoever proposes. It knows no target: what it may read is handed to it."""

    layers: int  # how many of the target's layers it reads; 0 where features mean nothing to it

    @property
    def configured(self) -> Callable[..., "Drafter"]:
        """The same drafter under settings of its own kind, by keyword, such as a head's `layer_weights`."""

    def check_shape(self, shape: TreeShape) -> None:
        """Raise `ValueError` for a tree that it cannot grow, before anything is computed."""

    def new_cache(self, first_token: int) -> Any:
        """A `Memory` for a sequence that begins with `first_token`."""

    def draft(self, features: np.ndarray, tokens, cache, shape: TreeShape) -> CandidateTree | None:
        """Read what was committed since the last call, and propose; None: no draft this round, a plain pass.

        `features` `[layers, n, Ht]` of n committed tokens, `tokens` `[n]` the token after each, the last one the
        root. The tree keeps within `shape`; its edges are log-probabilities, or whatever at most 0 orders as well.
        Between rounds the memory holds committed tokens only.
        """
