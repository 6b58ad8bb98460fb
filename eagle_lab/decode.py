"""Decoding: draft, verify, commit, round after round, with exactly the target's own tokens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .contracts import Drafter, Target
from .growth import DEFAULT_SHAPE, TreeShape
from .inputs import check_count, check_end_ids, check_tokens
from .llama import undo_on_error
from .sampling import GREEDY, Sampling, choose
from .tree import ROOT, CandidateTree
from .verification import Verdict, verify


@dataclass(frozen=True)
class Round:
    """One round of speculative decoding, with all that a picture of it needs.

    `root`: the token that the tree hangs from; `start`: rows in the target's cache before the round,
    so that the root sits at position `start` and a node at `start` + its depth; `tree`: None where the drafter
    had no draft; `tokens`: what the round commits, accepted drafts first, the target's own token last.
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
    """Mean tokens committed per round, accepted drafts + 1, before an end token or a limit cuts the last.

    `lengths`: what each round commits. NaN where there was no round.

    >>> tau([3, 1, 4, 4])
    3.0
    """
    return float(np.mean(lengths)) if len(lengths) else float("nan")


class Generation:
    """One text in the making: the prompt is read at once, then every `step` commits one round.

    `pair`: a `target` and the `drafter` that belongs to it, as in `contracts`. After each round the target's cache
    holds every committed token but the last, which is the next `root`; a head's cache holds the committed tokens
    too, read from the target's features. `sampling` rules every token from the first on. `verify` and `mask` may be
    a learner's own, or a wrong way: `verify(tree, logits, temperature=…) -> Verdict`,
    `mask(tree) -> bool [1+n, 1+n]`.
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
        self.target: Target = pair.target
        self.drafter: Drafter = pair.drafter
        self.sampling, self.verify, self.mask = sampling, verify, mask
        prompt = check_tokens(prompt_ids, self.target.config.vocab_size, "prompt_ids").tolist()
        self.cache, self.draft_cache = self.target.new_cache(), self.drafter.new_cache(prompt[0])
        hidden, self.features = self.target.forward(prompt, self.cache)  # [layers, n, H]
        self.root = choose(self.target.logits(hidden[-1]), sampling)
        self.following = (*prompt[1:], self.root)  # [n] the token after each feature

    def step(self, **settings) -> Round:
        """Draft a tree, verify it in one target pass, commit the root and the accepted prefix.

        `settings`: `top_k`, `depth`, `budget` of the tree (4, 5, 16); `temperature` where it differs from the
        generation's; and what the drafter's `configured` takes, such as a head's `layer_weights`.
        """
        return self.advance(*self._read(**settings))

    def preview(self, **settings) -> Round:
        """The round that `step` would commit, committing nothing: every setting starts from the same place."""
        drafted = self.draft_cache.length
        with undo_on_error(self.cache), undo_on_error(self.draft_cache):
            round_, _ = self._draft_and_verify(*self._read(**settings))
        self.cache.commit(round_.start, [])
        self.draft_cache.commit(drafted, [])
        return round_

    def advance(self, drafter: Drafter, shape: TreeShape, sampling: Sampling) -> Round:
        """One round, committed; `step` is the same by keywords."""
        with undo_on_error(self.cache), undo_on_error(self.draft_cache):
            round_, features = self._draft_and_verify(drafter, shape, sampling)
            rows = [0, *(1 + node for node in round_.verdict.accepted)]  # refused siblings never enter the cache
            self.cache.commit(round_.start, rows)
        self.features, self.following, self.root = features[:, rows], round_.tokens, round_.tokens[-1]
        return round_

    def _read(
        self,
        *,
        top_k: int = DEFAULT_SHAPE.top_k,
        depth: int = DEFAULT_SHAPE.depth,
        budget: int = DEFAULT_SHAPE.budget,
        temperature: float | None = None,
        **reading,
    ) -> tuple[Drafter, TreeShape, Sampling]:
        """Settings by keyword as the records that everything inside carries whole."""
        sampling = self.sampling if temperature is None else Sampling(temperature)
        return configured(self.drafter, **reading), TreeShape(top_k, depth, budget), sampling

    def _draft_and_verify(self, drafter: Drafter, shape: TreeShape, sampling: Sampling) -> tuple[Round, np.ndarray]:
        """Draft, and run the root and the drafted nodes through the target; also the features `[layers, 1+n, H]`."""
        tree, start = drafter.draft(self.features, self.following, self.draft_cache, shape), self.cache.length
        if tree is None:  # no draft: the root alone, and the target's own token after it
            hidden, features = self.target.forward([self.root], self.cache)
            verdict = Verdict((), (), choose(self.target.logits(hidden[0]), sampling))
            return Round(self.root, start, None, verdict, (verdict.next_token,)), features
        hidden, features = self.target.forward(
            [self.root, *tree.tokens.tolist()],
            self.cache,
            positions=start + np.array([0, *tree.depths]),
            mask=self.mask(tree),
        )
        verdict = self.verify(tree, self.target.logits(hidden), temperature=sampling.temperature)
        tokens = (*tree.tokens[list(verdict.accepted)].tolist(), verdict.next_token)
        return Round(self.root, start, tree, verdict, tokens), features


def configured(drafter: Drafter, *, layer_weights=None, **reading) -> Drafter:
    """The drafter under these settings; `ValueError` for layer weights that it would not read.

    >>> from eagle_lab import load_pair
    >>> configured(load_pair("stories").drafter, layer_weights=[1, 2, 1]).layer_weights
    [1, 2, 1]
    """
    if layer_weights is None:
        return drafter.configured(**reading) if reading else drafter
    if not drafter.layers:
        raise ValueError(f"layer_weights: {type(drafter).__name__} reads no layer features, so it has no such weights")
    return drafter.configured(layer_weights=layer_weights, **reading)


def replay(pair, prompt_ids, text_ids, *, layer_weights=None, shape: TreeShape = DEFAULT_SHAPE) -> list[int]:
    """Count what every round would commit of a text that the target has already written: tokens per round.

    `text_ids`: what `greedy_decode` wrote after `prompt_ids`. Greedy decoding writes one text whatever is drafted,
    so drafts can be judged against it without the target: one pass gives the features, and drafting alone is
    repeated. Ends where too little text is left for a whole round.

    >>> from eagle_lab import load_pair
    >>> pair = load_pair("stories")
    >>> prompt, shape = pair.encode("Once upon a time"), {"top_k": 4, "depth": 3, "budget": 8}
    >>> lengths = replay(pair, prompt, greedy_decode(pair.target, prompt, 30), shape=TreeShape(**shape))
    >>> [len(r.tokens) for r in speculative_decode(pair, prompt, 20, **shape).rounds][:5] == lengths[:5]
    True
    """
    tokens, drafter = [*prompt_ids, *text_ids], configured(pair.drafter, layer_weights=layer_weights)
    features = pair.target.forward(tokens, pair.target.new_cache()).features  # [layers, n, Ht]
    cache, read, root, lengths = drafter.new_cache(tokens[0]), 0, len(prompt_ids), []
    while root + shape.depth + 1 < len(tokens):
        tree = drafter.draft(features[:, read:root], tokens[read + 1 : root + 1], cache, shape)
        accepted = 0 if tree is None else _agreement(tree, tokens[root + 1 :])
        read, root = root, root + accepted + 1
        lengths.append(accepted + 1)
    return lengths


def _agreement(tree: CandidateTree, text: list[int]) -> int:
    """How far down the tree has drafted this text."""
    node, accepted = ROOT, 0
    for token in text:
        children = [child for child in tree.children(node) if tree.tokens[child] == token]
        if not children:
            break
        node, accepted = children[0], accepted + 1
    return accepted


def greedy_decode(target: Target, prompt_ids, max_new_tokens: int, *, eos_id=None) -> list[int]:
    """Write up to `max_new_tokens` tokens the plain way: one target pass for each.

    `prompt_ids` `[n]`; `eos_id`: one token id or several that end the text and are part of it (None or −1: nothing
    does). Returns the new tokens without the prompt. Raises `ValueError` for an empty prompt, tokens outside
    the vocabulary and a negative limit, `TypeError` for what is no token id.

    >>> from eagle_lab import load_pair
    >>> pair = load_pair("stories")
    >>> prompt = pair.tokenizer.encode("Once upon a time").ids
    >>> greedy_decode(pair.target, prompt, 8) == speculative_decode(pair, prompt, 8).tokens
    True
    """
    ends = _check_limits(max_new_tokens, eos_id, target)
    step = check_tokens(prompt_ids, target.config.vocab_size, "prompt_ids").tolist()
    tokens: list[int] = []
    cache = target.new_cache()
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
    """Write the same tokens as `greedy_decode`, several for each target pass.

    `layer_weights` `[layers]`: how much of each tapped layer the drafter reads (None: equal shares).
    `top_k`, `depth` (levels) and `budget` (nodes) shape the candidate tree. A limit or an end token
    cuts the output, never a tree. `eos_id` as in `greedy_decode`. `verify` and `mask`: other ways than the
    library's, as in `Generation`.

    Raises `ValueError` and `TypeError` as `greedy_decode`, `growth.TreeShape` and the drafter's `configured` do, and
    `NotImplementedError` for a temperature above 0.

    Source: EAGLE-2 and EAGLE-3 (arXiv 2406.16858, 2503.01840).

    >>> from eagle_lab import load_pair
    >>> pair = load_pair("stories")
    >>> decoding = speculative_decode(pair, pair.tokenizer.encode("Once upon a time").ids, 12)
    >>> len(decoding.tokens), decoding.stop_reason, len(decoding.rounds) < 12
    (12, 'length', True)
    """
    ends, sampling = _check_limits(max_new_tokens, eos_id, pair.target), Sampling(temperature)
    check_tokens(prompt_ids, pair.target.config.vocab_size, "prompt_ids")
    shape = TreeShape(top_k, depth, budget)
    drafter = configured(pair.drafter, layer_weights=layer_weights)
    drafter.check_shape(shape)
    if max_new_tokens == 0:
        return Decoding([], [], "length")
    generation = Generation(pair, prompt_ids, sampling=sampling, verify=verify, mask=mask)
    tokens, rounds = [generation.root], list[Round]()
    while len(tokens) < max_new_tokens and not ends.intersection(rounds[-1].tokens if rounds else tokens):
        rounds.append(generation.advance(drafter, shape, sampling))
        tokens += rounds[-1].tokens
    return _cut(tokens[:max_new_tokens], rounds, ends)


def _check_limits(max_new_tokens, eos_id, target: Target) -> frozenset[int]:
    """The end tokens, once both limits of a text are known to be some."""
    check_count(max_new_tokens, "max_new_tokens", least=0)
    return check_end_ids(eos_id, target.config.vocab_size)


def _cut(tokens: list[int], rounds: list[Round], ends: frozenset[int]) -> Decoding:
    """The tokens up to and with the first end token, if one stands among them."""
    for place, token in enumerate(tokens):
        if token in ends:
            return Decoding(tokens[: place + 1], rounds, "eos")
    return Decoding(tokens, rounds, "length")
