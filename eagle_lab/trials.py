"""Trials: one setting on one prompt, a reader's functions in place; whole recordings; τ behind a prompt.

What panels and notebooks try out, in numbers only: how it looks is the pictures' business.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from itertools import groupby
from typing import NamedTuple

import numpy as np

from .contracts import MOST_TOKENS, Target
from .decode import Decoding, Generation, Round, speculative_decode, tau
from .fusion import fuse_layer_features, normalize_fusion_weights
from .inputs import check_count, check_kind, check_numbers, check_tokens
from .language import word
from .own import fuse_by, score_by, weighted_sum, weights_by
from .pairs import Pair
from .sampling import ROUNDING
from .verification import accepted_prefix

LAYERS = ("low", "mid", "high")  # the tapped layers, by the keys of their words
MAX_PROMPT_TOKENS = 200
TAU_TOKENS = 32  # how far τ is followed behind the prompt
RECORDED_TOKENS = 40


# ── one setting on one prompt ────────────────────────────────────────────────────────────────────


class Drafting(NamedTuple):
    """What a reader set, as the engine takes it."""

    weights: list[float] | None  # as they were normalised; None for a drafter that reads no layers
    fuse: Callable | None  # what fuses in place of the library's, if anything does
    settings: dict  # what `Generation.step` and `preview` take


def drafting(
    pair: Pair, layer_weights=(1, 1, 1), *, normalize=normalize_fusion_weights, fuse=None, score=None, **shape
) -> Drafting:
    """A reader's setting, read: layer weights, and `top_k`, `depth`, `budget` in `shape`.

    `normalize`, `fuse`, `score`: a reader's own versions of the course's three functions. What an own `normalize`
    returns is used as it is, not normalised again. Raises `ValueError` and `TypeError` as `read_weights` does, and
    `ValueError` for a function that the pair's drafter would not call.

    >>> from eagle_lab import load_pair
    >>> drafting(load_pair("stories"), (1, 2, 1), budget=8).settings
    {'layer_weights': [0.25, 0.5, 0.25], 'budget': 8}
    """
    check_kind(pair, Pair, "pair")
    _check_called(pair.drafter, normalize, fuse, score)
    settings = ({"score": score_by(score)} if score is not None else {}) | shape
    if not pair.drafter.layers:
        return Drafting(None, None, settings)
    weights = read_weights(layer_weights, normalize)
    own = None if fuse is None or fuse is fuse_layer_features else fuse_by(fuse)
    if normalize is normalize_fusion_weights:
        reading = {"layer_weights": weights} | ({"fuse": own} if own else {})
    else:
        own = own or weighted_sum  # not the library's fusion, which would normalise once more
        reading = {"fuse": lambda features, _: own(features, weights)}
    return Drafting(weights, own, reading | settings)


def _check_called(drafter, normalize, fuse, score) -> None:
    """Refuse a reader's function that this drafter has no use for: it would be passed over in silence."""
    kind = type(drafter).__name__
    for name, given in (("normalize", normalize is not normalize_fusion_weights), ("fuse", fuse is not None)):
        if given and not drafter.layers:
            raise ValueError(f"{name}: {kind} reads no layer features, so it would never be called")
    if score is not None and "score" not in signature(drafter.configured).parameters:
        raise ValueError(f"score: {kind} scores its candidates itself, so it would never be called")


def first_round(pair: Pair, prompt, **setting) -> Round:
    """The round that follows a prompt, committing nothing; `prompt` as in `read_prompt`, `setting` as in `drafting`.

    >>> from eagle_lab import load_pair
    >>> len(first_round(load_pair("stories"), "Once upon a time", budget=8).tree)
    8
    """
    settings = drafting(pair, **setting).settings
    return read_prompt(pair, prompt).preview(**settings)


def tau_after(pair: Pair, prompt, **setting) -> float:
    """τ over some 32 tokens behind `prompt`, or up to an end token: mean accepted drafts + 1 a round.

    `prompt`: text or token ids; `setting` as in `drafting`; NaN where the text ends at once.

    >>> from eagle_lab import load_pair
    >>> 1 <= tau_after(load_pair("stories"), "Once upon a time", top_k=2, depth=3, budget=5) <= 4
    True
    """
    settings = drafting(pair, **setting).settings
    generation, lengths = Generation(pair, prompt_tokens(pair, prompt)), []
    ends, new = set(pair.eos_ids), {generation.root}
    while sum(lengths) < TAU_TOKENS and ends.isdisjoint(new):
        new = generation.step(**settings).tokens
        lengths.append(len(new))
    return tau(lengths)


def read_weights(layer_weights, normalize=normalize_fusion_weights) -> list[float]:
    """A reader's layer weights, normalised; `ValueError` where that cannot be done.

    >>> read_weights((1, 2, 1))
    [0.25, 0.5, 0.25]
    """
    given = check_numbers(layer_weights, "layer_weights")
    if normalize is not normalize_fusion_weights:
        return weights_by(normalize, given, len(given))
    if given and not any(given):
        raise ValueError(word("weights_zero"))
    return normalize_fusion_weights(given)


def read_prompt(pair: Pair, prompt) -> Generation:
    """Let the target read a prompt, unless it has; errors as in `prompt_tokens`."""
    return prompt if isinstance(prompt, Generation) else Generation(pair, prompt_tokens(pair, prompt))


def prompt_tokens(pair: Pair, prompt, name: str = "prompt") -> list[int]:
    """The token ids of a prompt, which is text or has them; `ValueError` where there are none or more than 200.

    A text is put to a target that answers as a message; where a pair has no tokenizer, it is read as token ids.

    >>> from dataclasses import replace
    >>> from eagle_lab import load_pair
    >>> prompt_tokens(replace(load_pair("stories"), tokenizer=None), "5, 7 9")
    [5, 7, 9]
    """
    check_kind(pair, Pair, "pair")
    tokens = prompt
    if isinstance(prompt, str):
        if not prompt.strip():
            raise ValueError(word("prompt_empty"))
        read = pair.chat if pair.chat_template else pair.encode if pair.tokenizer else _ids_in
        tokens = read(prompt)
    tokens = check_tokens(tokens, pair.target.config.vocab_size, name).tolist()
    if len(tokens) > MAX_PROMPT_TOKENS:
        raise ValueError(word("prompt_long", count=len(tokens), limit=MAX_PROMPT_TOKENS))
    return tokens


def _ids_in(text: str) -> list[int]:
    """Token ids as a reader writes them, apart by spaces or commas."""
    try:
        return [int(number) for number in text.replace(",", " ").split()]
    except ValueError:
        raise ValueError(word("prompt_ids")) from None


# ── whole recordings ─────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Recording:
    """A prompt and all rounds that continued it."""

    pair: Pair
    prompt: list[int]
    decoding: Decoding

    @cached_property
    def text(self) -> list[int]:
        """All tokens that the rounds committed, the first behind the prompt included; nothing is cut."""
        return [*self.decoding.tokens[:1], *(token for round_ in self.decoding.rounds for token in round_.tokens)]

    def end_of(self, number: int) -> int:
        """How many tokens of `text` there are after that many rounds."""
        return 1 + sum(len(round_.tokens) for round_ in self.decoding.rounds[:number])

    @cached_property
    def choices(self) -> list[int]:
        """What the target itself chooses at each place of `text`, after what stands there before it."""
        return own_choices(self.pair.target, self.prompt, self.text)

    @cached_property
    def strayed(self) -> list[int]:
        """The places of `text` at which the target would have gone on otherwise, barring gaps below rounding."""
        return [place for place, pair in enumerate(zip(self.text, self.choices, strict=True)) if pair[0] != pair[1]]


def own_choices(target: Target, prompt: list[int], text: list[int]) -> list[int]:
    """The target's choice at each place of a `text` behind a `prompt`, given what stands before it there.

    One plain pass says so, whoever wrote the text. A token whose logit is within rounding of the largest is a choice
    of the target's as well: another number of rows in a pass might have made it the first.

    >>> from eagle_lab import greedy_decode, load_pair
    >>> pair = load_pair("stories")
    >>> prompt = pair.encode("Once upon a time")
    >>> text = greedy_decode(pair.target, prompt, 8)
    >>> own_choices(pair.target, prompt, text) == text
    True
    """
    if not text:
        return []
    hidden, _ = target.forward([*prompt, *text[:-1]], target.new_cache())
    logits = target.logits(hidden[len(prompt) - 1 :])  # [len(text), V]
    best, given = logits.argmax(axis=1), logits[np.arange(len(text)), text]
    return np.where(logits.max(axis=1) - given < ROUNDING, text, best).tolist()


def first_gap(target: Target, prompt: list[int], text: list[int], other: list[int]) -> tuple[int | None, float]:
    """Where two texts behind a prompt part, and how far apart the target's two largest logits are there.

    None and infinity where they do not.

    >>> from eagle_lab import load_pair
    >>> first_gap(load_pair("stories").target, [5, 6], [7, 8], [7, 8])
    (None, inf)
    """
    place = accepted_prefix(text, other)
    if place == min(len(text), len(other)):
        return None, np.inf
    hidden, _ = target.forward([*prompt, *text[:place]], target.new_cache())
    second, first = np.partition(target.logits(hidden[-1]), -2)[-2:]
    return place, float(first - second)


def record(pair: Pair, prompt, tokens: int = RECORDED_TOKENS, **settings) -> Recording:
    """Continue `prompt` by `tokens` tokens or up to an end token, and keep every round.

    `prompt`: text or token ids; `settings` as in `speculative_decode`. Raises `ValueError` for a prompt without tokens
    or with more than 200.

    >>> from eagle_lab import load_pair
    >>> len(record(load_pair("stories"), "Once upon a time", 8).decoding.tokens)
    8
    """
    ids, tokens = prompt_tokens(pair, prompt), check_count(tokens, "tokens", least=0, most=MOST_TOKENS)
    return Recording(pair, ids, speculative_decode(pair, ids, tokens, **{"eos_id": pair.eos_ids, **settings}))


def written(recording: Recording, rounds: int | None = None) -> list[tuple[str, int]]:
    """Every token behind the prompt with its origin, up to a number of rounds (default: all).

    "draft" or "target"; "strayed" where the target itself would have gone on otherwise, whoever put it there. The
    last round is whole where a limit cut the text, and ends where an end token did. Raises `ValueError` for more
    rounds than there are.
    """
    check_kind(recording, Recording, "recording")
    decoding = recording.decoding
    if rounds is not None:
        check_count(rounds, "rounds", least=0, most=len(decoding.rounds))
    tokens = [("target", token) for token in decoding.tokens[:1]]  # reading the prompt already gives one token
    for round_ in decoding.rounds[:rounds]:
        tokens += [("draft", token) for token in round_.tokens[:-1]] + [("target", round_.tokens[-1])]
    for place in recording.strayed:
        tokens[place : place + 1] = [("strayed", token) for _, token in tokens[place : place + 1]]
    return tokens[: len(decoding.tokens)] if decoding.stop_reason == "eos" else tokens


def origins(recording: Recording, rounds: int | None = None) -> Iterator[tuple[str, list[int]]]:
    """Runs of tokens of one origin, the "prompt" first and then as `written` has them."""
    new = written(recording, rounds)
    tokens = [("prompt", token) for token in recording.prompt] + new
    for origin, run in groupby(tokens, key=lambda pair: pair[0]):
        yield origin, [token for _, token in run]


def origin_text(recording: Recording, rounds: int | None = None) -> str:
    """The continuation as plain text, accepted drafts in 〔 〕, and in ✗〔 〕 what is not the target's choice.

    >>> from eagle_lab import load_pair
    >>> text = origin_text(record(load_pair("stories"), "Once upon a time", 12))
    >>> text.count("〔") == text.count("〕") > 0
    True
    """
    runs = [(origin, recording.pair.text(run)) for origin, run in origins(recording, rounds) if origin != "prompt"]
    return "".join(bracketed(origin, text) for origin, text in runs)


def bracketed(origin: str, text: str) -> str:
    """A run of text in the brackets of its origin.

    >>> bracketed("draft", "a"), bracketed("target", "b"), bracketed("strayed", "c")
    ('〔a〕', 'b', '✗〔c〕')
    """
    return {"draft": f"〔{text}〕", "strayed": f"✗〔{text}〕"}.get(origin, text)
