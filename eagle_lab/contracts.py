"""What a target, a drafter and a drafter's memory must offer, so that `decode` can work with any of them.

What they hand in is checked here, before anything of it is committed. A class needs no base: whatever has these names
fits, and `dataclasses.replace(pair, drafter=…)` puts it to work. A target may run on torch or a GPU, as long as numpy
arrays come out; a drafter may be a head, a model, or a search through the text.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from .growth import TreeShape
from .inputs import check_count, check_end_ids, check_has, check_index, check_kind, check_tokens
from .llama import LlamaConfig, Pass
from .tree import ROOT, CandidateTree, check_nodes
from .verification import Verdict

MOST_TOKENS = 100_000  # that one call writes: more could only be a slip


class Memory(Protocol):
    """What has been read of one sequence, a row for each token."""

    length: int

    def commit(self, start: int, rows) -> None:
        """Of the rows from `start` on keep `start + rows`, in that order, and drop every other one."""


class Target(Protocol):
    """The model whose distribution defines the output."""

    config: LlamaConfig  # of which decoding reads `vocab_size` and, where it has one, `max_position_embeddings`
    taps: tuple[int, ...]  # the layers whose input is handed out as features

    def new_cache(self) -> Any:
        """An empty `Memory` for one sequence."""

    def forward(self, tokens, cache, positions=None, mask=None) -> Pass:
        """Run n tokens behind the cached rows; `hidden` `[n, H]` and `features` `[taps, n, H]`, as `Llama.forward`."""

    def logits(self, hidden: np.ndarray) -> np.ndarray:
        """The next token's logits `[…, V]` after each row of `hidden` `[…, H]`."""


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
        root. The tree keeps within `shape`; its edges are log-probabilities, or whatever at most 0 orders as well. Who
        is interrupted need not put the memory right: it is cut back to committed tokens before the next draft.
        """


def check_target(target, name: str = "target") -> None:
    """Whatever decoding can run as a target; `TypeError` where it lacks a name of the contract."""
    check_has(target, name, "config", "new_cache", "forward", "logits")
    check_has(target.config, f"{name}.config", "vocab_size")


def check_pair(pair) -> None:
    """A target with its drafter, whatever class holds them; `TypeError` where one lacks a name of the contract."""
    check_has(pair, "pair", "target", "drafter")
    check_target(pair.target, "pair.target")
    check_drafter(pair.drafter, "pair.drafter")


def check_drafter(drafter, name: str = "drafter") -> None:
    """Whatever decoding can ask for drafts; `TypeError` where it lacks a name of the contract."""
    check_has(drafter, name, "layers", "configured", "check_shape", "new_cache", "draft")


def check_text(target, prompt_ids, max_new_tokens, eos_id=None) -> tuple[list[int], frozenset[int]]:
    """A prompt's token ids and the ids that end its text, once the target is known to be one with room for it."""
    check_target(target)
    check_count(max_new_tokens, "max_new_tokens", least=0, most=MOST_TOKENS)
    ends = check_end_ids(eos_id, target.config.vocab_size)
    return check_prompt(target, prompt_ids, max_new_tokens), ends


def check_prompt(target, prompt_ids, new: int, name: str = "prompt_ids") -> list[int]:
    """A prompt's token ids, once the target is known to have positions for them and `new` tokens more."""
    prompt = check_tokens(prompt_ids, target.config.vocab_size, name).tolist()
    if new > (room := room_behind(target, len(prompt))):
        asked, limit = f"{len(prompt)} tokens, which with {new} new ones are more", len(prompt) + int(room)
        raise ValueError(f"{name} has {asked} than the target's {limit} positions (max_position_embeddings)")
    return prompt


def room_behind(target, tokens: int) -> float:
    """How many tokens may follow so many before the target runs out of positions; infinite where it sets no limit."""
    limit = getattr(target.config, "max_position_embeddings", None)
    return np.inf if limit is None else limit - tokens


def check_draft(tree, drafter, shape: TreeShape, vocab_size: int) -> None:
    """What a drafter proposed: None, or a tree within `shape` of tokens of the target's vocabulary."""
    if tree is None:
        return
    name = f"the draft of {type(drafter).__name__}"
    check_kind(tree, CandidateTree, name)
    if len(tree) > shape.budget:
        raise ValueError(f"{name} has {len(tree)} nodes: the budget is {shape.budget}")
    if (deepest := int(tree.depths.max())) > shape.depth:
        raise ValueError(f"{name} is {deepest} levels deep: the depth is {shape.depth}")
    check_tokens(tree.tokens, vocab_size, f"{name}: tokens")


def check_verdict(verdict, tree: CandidateTree, vocab_size: int) -> Verdict:
    """What a `verify` function returned, in plain numbers: a walk down from the root, and a token to follow it."""
    check_kind(verdict, Verdict, "what verify returns")
    accepted = tuple(check_nodes(verdict.accepted, "accepted", len(tree)))
    rejected = tuple(check_nodes(verdict.rejected, "rejected", len(tree)))
    for place, (above, node) in enumerate(zip((ROOT, *accepted), accepted, strict=False)):
        if (parent := int(tree.parents[node])) != above:
            real, wanted = ("the root" if end == ROOT else f"node {end}" for end in (parent, above))
            child = f"accepted[{place}] is node {node}, a child of {real} and not of {wanted}"
            raise ValueError(f"{child}: what is accepted must be a path")
    token = check_index(verdict.next_token, "next_token", 0, vocab_size - 1, "the vocabulary has ids")
    return replace(verdict, accepted=accepted, rejected=rejected, next_token=token)
