"""Decoding: draft, verify, commit, round after round, with exactly the target's own tokens."""

import numbers
from dataclasses import dataclass

import numpy as np

from .fusion import normalize_fusion_weights
from .llama import Llama, check_tokens
from .tree import ROOT, CandidateTree, check_count
from .verification import Verdict, check_temperature, verify


@dataclass(frozen=True)
class Round:
    """One round of speculative decoding, with all that a picture of it needs.

    `root`: the token that the tree hangs from; `start`: rows in the target's cache before the round,
    so that the root sits at position `start` and a node at `start` + its depth; `tokens`: what the
    round commits, accepted drafts first, the target's own token last.
    """

    root: int
    start: int
    tree: CandidateTree
    verdict: Verdict
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class Decoding:
    """The new `tokens`, the `rounds` that made them, and what ended them: "length" or "eos"."""

    tokens: list[int]
    rounds: list[Round]
    stop_reason: str

    @property
    def tau(self) -> float:
        """Mean tokens committed per round, accepted drafts + 1, before an end token or a limit cuts the last.

        NaN where there was no round.
        """
        return float(np.mean([len(r.tokens) for r in self.rounds])) if self.rounds else float("nan")


class Generation:
    """One text in the making: the prompt is read at once, then every `step` commits one round.

    `pair`: a `target` and the `drafter` that belongs to it. After each round the target's cache holds
    every committed token but the last, which is the next `root`; a head's cache holds the committed tokens
    too, read from the target's features. `verify` and `mask` may be a learner's own, or a wrong way:
    `verify(tree, logits, temperature=…) -> Verdict`, `mask(tree) -> bool [1+n, 1+n]`.
    """

    def __init__(self, pair, prompt_ids, *, verify=verify, mask=CandidateTree.attention_mask):
        self.target, self.drafter, self.verify, self.mask = pair.target, pair.drafter, verify, mask
        prompt = check_tokens(prompt_ids, self.target.config.vocab_size, "prompt_ids").tolist()
        self.cache, self.draft_cache = self.target.new_cache(), self.drafter.new_cache(prompt[0])
        hidden, self.features = self.target.forward(prompt, self.cache)  # [layers, n, Ht]
        self.root = int(np.argmax(self.target.logits(hidden[-1])))
        self.following = (*prompt[1:], self.root)  # [n] the token after each feature

    def step(self, *, temperature=0.0, **shape) -> Round:
        """Draft a tree, verify it in one target pass, commit the root and the accepted prefix.

        `shape`: `layer_weights`, `top_k`, `depth`, `budget` of `Drafter.draft`.
        """
        round_, features = self._draft_and_verify(temperature, shape)
        rows = [0, *(1 + node for node in round_.verdict.accepted)]  # refused siblings never enter the cache
        self.cache.commit(round_.start, rows)
        self.features, self.following, self.root = features[:, rows], round_.tokens, round_.tokens[-1]
        return round_

    def preview(self, *, temperature=0.0, **shape) -> Round:
        """The round that `step` would commit, committing nothing: every setting starts from the same place."""
        drafted = self.draft_cache.length
        round_, _ = self._draft_and_verify(temperature, shape)
        self.cache.commit(round_.start, [])
        self.draft_cache.commit(drafted, [])
        return round_

    def _draft_and_verify(self, temperature, shape) -> tuple[Round, np.ndarray]:
        check_temperature(temperature)
        start = self.cache.length
        with self.cache.undo_on_error(), self.draft_cache.undo_on_error():
            tree = self.drafter.draft(self.features, self.following, self.draft_cache, **shape)
            hidden, features = self.target.forward(
                [self.root, *tree.tokens.tolist()],
                self.cache,
                positions=start + np.array([0, *tree.depths]),
                mask=self.mask(tree),
            )
            verdict = self.verify(tree, self.target.logits(hidden), temperature=temperature)
        tokens = (*tree.tokens[list(verdict.accepted)].tolist(), verdict.next_token)
        return Round(self.root, start, tree, verdict, tokens), features


def replay(pair, prompt_ids, text_ids, **shape) -> list[int]:
    """Count what every round would commit of a text that the target has already written: tokens per round.

    `text_ids`: what `greedy_decode` wrote after `prompt_ids`; `shape` as in `Generation.step`. Greedy decoding
    writes one text whatever is drafted, so drafts can be judged against it without the target: one pass
    gives the features, and drafting alone is repeated. Ends where too little text is left for a whole round.

    >>> from eagle_lab import load_pair
    >>> pair = load_pair("stories")
    >>> prompt = pair.encode("Once upon a time")
    >>> shape = {"layer_weights": [1, 1, 1], "top_k": 4, "depth": 3, "budget": 8}
    >>> lengths = replay(pair, prompt, greedy_decode(pair.target, prompt, 30), **shape)
    >>> [len(r.tokens) for r in speculative_decode(pair, prompt, 20, **shape).rounds][:5] == lengths[:5]
    True
    """
    tokens = [*prompt_ids, *text_ids]
    features = pair.target.forward(tokens, pair.target.new_cache()).features  # [layers, n, Ht]
    cache, read, root, lengths = pair.drafter.new_cache(tokens[0]), 0, len(prompt_ids), []
    while root + shape["depth"] + 1 < len(tokens):
        tree = pair.drafter.draft(features[:, read:root], tokens[read + 1 : root + 1], cache, **shape)
        node, accepted = ROOT, 0
        while (node := _child(tree, node, tokens[root + accepted + 1])) is not None:
            accepted += 1
        read, root = root, root + accepted + 1
        lengths.append(accepted + 1)
    return lengths


def _child(tree: CandidateTree, node: int, token: int) -> int | None:
    return next((child for child in tree.children(node) if tree.tokens[child] == token), None)


def greedy_decode(target: Llama, prompt_ids, max_new_tokens: int, *, eos_id: int | None = None) -> list[int]:
    """Write up to `max_new_tokens` tokens the plain way: one target pass for each.

    `prompt_ids` `[n]`; `eos_id` ends the text and is part of it (None or −1: nothing does).
    Returns the new tokens without the prompt. Raises `ValueError` for an empty prompt, tokens outside
    the vocabulary, a negative limit or an `eos_id` that is no token id.

    >>> from eagle_lab import load_pair
    >>> pair = load_pair("stories")
    >>> prompt = pair.tokenizer.encode("Once upon a time").ids
    >>> greedy_decode(pair.target, prompt, 8) == speculative_decode(pair, prompt, 8).tokens
    True
    """
    _check_limits(max_new_tokens, eos_id, target.config.vocab_size)
    step = check_tokens(prompt_ids, target.config.vocab_size, "prompt_ids")
    tokens, cache = [], target.new_cache()
    while _stop_reason(tokens, max_new_tokens, eos_id) is None:
        hidden, _ = target.forward(step, cache)
        step = [int(np.argmax(target.logits(hidden[-1])))]
        tokens += step
    return tokens


def speculative_decode(
    pair,
    prompt_ids,
    max_new_tokens: int,
    *,
    layer_weights=None,
    top_k: int = 4,
    depth: int = 5,
    budget: int = 16,
    temperature: float = 0.0,
    seed: int | None = None,
    eos_id: int | None = None,
    verify=verify,
    mask=CandidateTree.attention_mask,
) -> Decoding:
    """Write the same tokens as `greedy_decode`, several for each target pass.

    `layer_weights` `[layers]`: how much of each tapped layer the drafter reads (None: equal shares).
    `top_k`, `depth` (levels) and `budget` (nodes) shape the candidate tree. A limit or an end token
    cuts the output, never a tree. `seed` is for sampling, which is still to come. `verify` and `mask`:
    other ways than the library's, as in `Generation`.

    Raises `ValueError` as `greedy_decode` and `Drafter.draft` do, and `NotImplementedError` for a
    temperature above 0.

    Source: EAGLE-2 and EAGLE-3 (arXiv 2406.16858, 2503.01840).

    >>> from eagle_lab import load_pair
    >>> pair = load_pair("stories")
    >>> decoding = speculative_decode(pair, pair.tokenizer.encode("Once upon a time").ids, 12)
    >>> len(decoding.tokens), decoding.stop_reason, len(decoding.rounds) < 12
    (12, 'length', True)
    """
    _check_limits(max_new_tokens, eos_id, pair.target.config.vocab_size)
    check_temperature(temperature)
    check_tokens(prompt_ids, pair.target.config.vocab_size, "prompt_ids")
    layers = len(pair.target.taps)
    weights = normalize_fusion_weights([1] * layers if layer_weights is None else layer_weights)
    shape = {"layer_weights": weights, "top_k": top_k, "depth": depth, "budget": budget}
    pair.drafter.check_settings(**shape)
    if max_new_tokens == 0:
        return Decoding([], [], "length")
    generation = Generation(pair, prompt_ids, verify=verify, mask=mask)
    tokens, rounds = [generation.root], []
    while (reason := _stop_reason(tokens, max_new_tokens, eos_id)) is None:
        rounds.append(generation.step(temperature=temperature, **shape))
        tokens += rounds[-1].tokens
    return Decoding(_cut(tokens, max_new_tokens, eos_id), rounds, reason)


def _check_limits(max_new_tokens, eos_id, vocab_size: int) -> None:
    check_count(max_new_tokens, "max_new_tokens", least=0)
    if eos_id is None:
        return
    if isinstance(eos_id, bool) or not isinstance(eos_id, numbers.Integral) or not -1 <= eos_id < vocab_size:
        raise ValueError(f"eos_id must be one token id below {vocab_size}, −1 or None, not {eos_id!r}")


def _cut(tokens: list[int], limit: int, eos_id: int | None) -> list[int]:
    """The tokens up to the limit and, where an end token stands among them, up to and with that."""
    kept = tokens[:limit]
    return kept[: kept.index(eos_id) + 1] if eos_id in kept else kept


def _stop_reason(tokens: list[int], limit: int, eos_id: int | None) -> str | None:
    if eos_id in tokens[:limit]:
        return "eos"
    return "length" if len(tokens) >= limit else None
