"""Decoding: draft, verify, commit, round after round: the target's own text, barring gaps below `sampling.ROUNDING`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .contracts import Drafter, Target, check_draft, check_drafter, check_pair, check_text, check_verdict, room_behind
from .growth import DEFAULT_SHAPE, TreeShape
from .inputs import check_array, check_callable, check_kind
from .sampling import GREEDY, Sampling, choose
from .tree import CandidateTree
from .verification import Verdict, verify


@dataclass(frozen=True)
class Round:
    """One round of speculative decoding, with all that a picture of it needs.

    `root`: the token that the tree hangs from, at position `start`, so that a node sits at `start` + its depth;
    `tree`: None where the drafter had no draft; `tokens`: what is committed, the target's own token last.
    """

    root: int
    start: int
    tree: CandidateTree | None
    verdict: Verdict
    tokens: tuple[int, ...]

    @property
    def nodes(self) -> int:
        """How many tokens were drafted."""
        return 0 if self.tree is None else len(self.tree)


@dataclass(frozen=True)
class Decoding:
    """The new `tokens`, the `rounds` that made them, and what ended them: "length" or "eos"."""

    tokens: list[int]
    rounds: list[Round]
    stop_reason: str

    @property
    def tau(self) -> float:
        """τ over these rounds; NaN where there was none."""
        return tau([len(round_.tokens) for round_ in self.rounds])


def tau(lengths: Sequence[int]) -> float:
    """Mean of what rounds commit, accepted drafts + 1, before an end or a limit cuts the last; NaN where none was."""
    return float(np.mean(lengths)) if len(lengths) else float("nan")


class Committed(NamedTuple):
    """All that a generation knows between two rounds, in one record, which a round replaces by its last assignment.

    So a round is committed as a whole or not at all, wherever an error or an interrupt ends it. Rows of the caches
    beyond the record are dropped by the next round.
    """

    rows: int  # of the target's cache: every committed token but the root
    drafted: int  # rows of the drafter's memory
    features: np.ndarray  # [layers, n, H] of the tokens that were committed last
    following: tuple[int, ...]  # [n] the token after each of them, the last one the root
    root: int


class Generation:
    """One text in the making: the prompt is read at once, then every `step` commits one round.

    `pair`: a `target` and the `drafter` that belongs to it, as in `contracts`. `sampling` rules every token from the
    first on. `verify` and `mask` may be a learner's own, or a wrong way:
    `verify(tree, logits, temperature=…) -> Verdict`, `mask(tree) -> bool [1+n, 1+n]`. Raises `TypeError` and
    `ValueError` for what cannot be a pair, a prompt or a function.
    """

    def __init__(
        self,
        pair,
        prompt_ids,
        *,
        sampling: Sampling = GREEDY,
        verify: Callable[..., Verdict] = verify,
        mask: Callable[[CandidateTree], np.ndarray] = CandidateTree.attention_mask,
    ):
        check_pair(pair)
        check_kind(sampling, Sampling, "sampling")
        self.target: Target = pair.target
        self.drafter: Drafter = pair.drafter
        self.sampling = sampling
        self.verify, self.mask = check_callable(verify, "verify"), check_callable(mask, "mask")
        prompt, _ = check_text(self.target, prompt_ids, 1)
        self.cache, self.draft_cache = self.target.new_cache(), self.drafter.new_cache(prompt[0])
        hidden, features = self.target.forward(prompt, self.cache)  # [layers, n, H]
        root = choose(self.target.logits(hidden[-1]), sampling)
        rows = self.cache.length, self.draft_cache.length
        self.committed = Committed(*rows, features, (*prompt[1:], root), root)

    @property
    def features(self) -> np.ndarray:
        """The target's features `[layers, n, H]` of the tokens that were committed last."""
        return self.committed.features

    @property
    def root(self) -> int:
        """The last committed token, from which the next tree hangs."""
        return self.committed.root

    def step(self, **settings) -> Round:
        """Draft a tree, verify it in one target pass, commit the root and the accepted prefix.

        `settings`: `top_k`, `depth`, `budget` of the tree (4, 5, 16); `temperature` where it differs from the
        generation's; and what the drafter's `configured` takes, such as a head's `layer_weights`.
        """
        return self.advance(*self._read(**settings))

    def preview(self, **settings) -> Round:
        """The round that `step` would commit, committing nothing: every setting starts from the same place."""
        round_, _ = self._draft_and_verify(*self._read(**settings))
        self._drop_scaffolding()
        return round_

    def advance(self, drafter: Drafter, shape: TreeShape, sampling: Sampling) -> Round:
        """One round, committed; `step` is the same by keywords."""
        check_drafter(drafter)
        check_kind(shape, TreeShape, "shape")
        check_kind(sampling, Sampling, "sampling")
        round_, features = self._draft_and_verify(drafter, shape, sampling)
        kept = [0, *(1 + node for node in round_.verdict.accepted)]  # refused siblings never enter the cache
        self.cache.commit(round_.start, kept)
        rows = self.cache.length, self.draft_cache.length
        self.committed = Committed(*rows, features[:, kept], round_.tokens, round_.tokens[-1])  # all of it, at once
        return round_

    def _read(self, *, temperature: float | None = None, **settings) -> tuple[Drafter, TreeShape, Sampling]:
        """Settings by keyword as the records that everything inside carries whole."""
        shape = {name: settings.pop(name) for name in ("top_k", "depth", "budget") if name in settings}
        sampling = self.sampling if temperature is None else Sampling(temperature)
        return configured(self.drafter, **settings), TreeShape(**shape), sampling

    def _draft_and_verify(self, drafter: Drafter, shape: TreeShape, sampling: Sampling) -> tuple[Round, np.ndarray]:
        """Draft, and run the root and the drafted nodes through the target; also the features `[layers, 1+n, H]`."""
        self._drop_scaffolding()
        start, _, features, following, root = self.committed
        vocab_size, room = self.target.config.vocab_size, room_behind(self.target, 1 + start)
        if room < 1:
            raise ValueError(f"the text has {1 + start} tokens, as many as the target has positions")
        tree = drafter.draft(features, following, self.draft_cache, shape)
        check_draft(tree, drafter, shape, vocab_size)
        if tree is None:  # no draft: the root alone, and the target's own token after it
            hidden, features = self.target.forward([root], self.cache)
            verdict = Verdict((), (), choose(self.target.logits(hidden[0]), sampling))
            return Round(root, start, None, verdict, (verdict.next_token,)), features
        mask = check_array(self.mask(tree), "what mask returns", (1 + len(tree), 1 + len(tree)), "b")
        hidden, features = self.target.forward(
            [root, *tree.tokens.tolist()], self.cache, positions=start + np.array([0, *tree.depths]), mask=mask
        )
        verdict = self.verify(tree, self.target.logits(hidden), temperature=sampling.temperature)
        verdict = _cut_walk(check_verdict(verdict, tree, vocab_size), tree, room)
        tokens = (*tree.tokens[list(verdict.accepted)].tolist(), verdict.next_token)
        return Round(root, start, tree, verdict, tokens), features

    def _drop_scaffolding(self) -> None:
        """Cut both caches back to what is committed; a round that was broken off may have left rows behind."""
        self.cache.commit(self.committed.rows, [])
        self.draft_cache.commit(self.committed.drafted, [])


def configured(drafter: Drafter, *, layer_weights=None, **reading) -> Drafter:
    """The drafter under these settings; `ValueError` for layer weights that it would not read."""
    if layer_weights is None:
        return drafter.configured(**reading) if reading else drafter
    if not drafter.layers:
        raise ValueError(f"layer_weights: {type(drafter).__name__} reads no layer features, so it has no such weights")
    return drafter.configured(layer_weights=layer_weights, **reading)


def greedy_decode(target: Target, prompt_ids, max_new_tokens: int, *, eos_id=None) -> list[int]:
    """Write up to `max_new_tokens` tokens the plain way: one target pass for each.

    `prompt_ids` `[n]`; `eos_id`: token ids that end the text and are part of it (None or −1: nothing does). Raises
    `TypeError` or `ValueError` for what is no target, prompt, limit or end token, and for more tokens than
    `contracts.MOST_TOKENS` or the target's positions.

    >>> from eagle_lab import load_pair
    >>> pair = load_pair("stories")
    >>> prompt = pair.tokenizer.encode("Once upon a time").ids
    >>> greedy_decode(pair.target, prompt, 8) == speculative_decode(pair, prompt, 8).tokens
    True
    """
    step, ends = check_text(target, prompt_ids, max_new_tokens, eos_id)
    tokens, cache = list[int](), target.new_cache()
    while len(tokens) < max_new_tokens and not ends.intersection(tokens[-1:]):
        hidden, _ = target.forward(step, cache)
        step = [choose(target.logits(hidden[-1]))]
        tokens += step
    return tokens


def speculative_decode(
    pair,
    prompt_ids,
    max_new_tokens: int,
    *,
    layer_weights=None,
    top_k: int = DEFAULT_SHAPE.top_k,
    depth: int = DEFAULT_SHAPE.depth,
    budget: int = DEFAULT_SHAPE.budget,
    temperature: float = 0.0,
    eos_id=None,
    verify: Callable[..., Verdict] = verify,
    mask: Callable[[CandidateTree], np.ndarray] = CandidateTree.attention_mask,
) -> Decoding:
    """Write the same tokens as `greedy_decode`, barring gaps below rounding, several for each target pass.

    `layer_weights` `[layers]`: how much of each tapped layer the drafter reads (None: equal shares). `top_k`, `depth`
    (levels) and `budget` (nodes) shape the candidate tree. A limit or an end token cuts the output, never a tree.
    `eos_id` as in `greedy_decode`, `verify` and `mask` as in `Generation`. Raises `ValueError` and `TypeError` as
    `greedy_decode`, `growth.TreeShape` and the drafter's `configured` do, `NotImplementedError` above temperature 0.

    Source: EAGLE-2 and EAGLE-3 (arXiv 2406.16858, 2503.01840).

    >>> from eagle_lab import load_pair
    >>> pair = load_pair("stories")
    >>> decoding = speculative_decode(pair, pair.tokenizer.encode("Once upon a time").ids, 12)
    >>> len(decoding.tokens), decoding.stop_reason, len(decoding.rounds) < 12
    (12, 'length', True)
    """
    check_pair(pair)
    _, ends = check_text(pair.target, prompt_ids, max_new_tokens, eos_id)
    sampling, shape = Sampling(temperature), TreeShape(top_k, depth, budget)
    drafter = configured(pair.drafter, layer_weights=layer_weights)
    drafter.check_shape(shape)
    if max_new_tokens == 0:
        return Decoding([], [], "length")
    generation = Generation(pair, prompt_ids, sampling=sampling, verify=verify, mask=mask)
    tokens, rounds = [generation.root], list[Round]()
    while len(tokens) < max_new_tokens and not ends.intersection(rounds[-1].tokens if rounds else tokens):
        rounds.append(generation.advance(drafter, shape, sampling))
        tokens += rounds[-1].tokens
    tokens = tokens[:max_new_tokens]
    for place, token in enumerate(tokens):
        if token in ends:
            return Decoding(tokens[: place + 1], rounds, "eos")
    return Decoding(tokens, rounds, "length")


def _cut_walk(verdict: Verdict, tree: CandidateTree, room: float) -> Verdict:
    """The walk as far as there is room for its tokens: where it is cut, the last node stands as the target's choice."""
    if len(verdict.accepted) < room:
        return verdict
    *accepted, last = verdict.accepted[: int(room)]
    return replace(verdict, accepted=tuple(accepted), rejected=(), next_token=int(tree.tokens[last]))
