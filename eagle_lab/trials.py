"""Trials: one setting on one prompt, a learner's functions in place; whole recordings; τ behind a prompt.

What panels and notebooks try out, in numbers only: how it looks is the pictures' business. A check of the exercises
leaves its verdict here, and panels read it.
"""

import contextlib
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from .decode import Decoding, Generation, Round, speculative_decode, tau
from .fusion import fuse_layer_features, normalize_fusion_weights
from .inputs import check_sequence
from .language import word
from .pairs import Pair
from .tree import ROOT, CandidateTree
from .verification import Verdict

LAYERS = ("low", "mid", "high")  # the tapped layers, by the keys of their words
MAX_PROMPT_TOKENS = 200
TAU_TOKENS = 32  # how far τ is followed behind the prompt
RECORDED_TOKENS = 40


# ── one setting on one prompt ────────────────────────────────────────────────────────────────────


def drafting(
    pair: Pair, layer_weights=(1, 1, 1), *, normalize=normalize_fusion_weights, fuse=None, score=None, **shape
) -> dict:
    """What `Generation.step` and `preview` take, of what a reader set; the `layer_weights` in it are normalised.

    `normalize`, `fuse`, `score`: a learner's own versions of the course's three functions. `shape`: `top_k`,
    `depth`, `budget`. A drafter that reads no layer features gets neither weights nor `fuse`. Raises `ValueError` as
    `read_weights` does.

    >>> from eagle_lab import load_pair
    >>> drafting(load_pair("stories"), (1, 2, 1), budget=8)
    {'layer_weights': [0.25, 0.5, 0.25], 'budget': 8}
    """
    own: dict = {}
    if pair.drafter.layers:
        own["layer_weights"] = read_weights(layer_weights, normalize)
        if fuse is not None and fuse is not fuse_layer_features:
            own["fuse"] = fuse_by(fuse)
    if score is not None:
        own["score"] = score_by(score)
    return own | shape


def first_round(pair: Pair, prompt, **setting) -> Round:
    """The round that follows a prompt, committing nothing; `prompt` as in `read_prompt`, `setting` as in `drafting`.

    >>> from eagle_lab import load_pair
    >>> len(first_round(load_pair("stories"), "Once upon a time", budget=8).tree)
    8
    """
    settings = drafting(pair, **setting)
    return read_prompt(pair, prompt).preview(**settings)


def tau_after(pair: Pair, prompt: str, **setting) -> float:
    """τ over some 32 tokens behind `prompt`, or up to an end token: mean accepted drafts + 1 a round.

    `setting` as in `drafting`; NaN where the text ends at once.

    >>> from eagle_lab import load_pair
    >>> 1 <= tau_after(load_pair("stories"), "Once upon a time", top_k=2, depth=3, budget=5) <= 4
    True
    """
    settings = drafting(pair, **setting)
    generation, lengths = read_prompt(pair, prompt), []
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
    if normalize is normalize_fusion_weights and not any(layer_weights):
        raise ValueError(word("weights_zero"))
    return check_sequence(normalize(list(layer_weights)), "weights")  # a learner's may give anything back


def read_prompt(pair: Pair, prompt: str | Generation) -> Generation:
    """Let the target read a prompt, unless it has; `ValueError` where it has no tokens or more than 200."""
    return prompt if isinstance(prompt, Generation) else Generation(pair, prompt_tokens(pair, prompt))


def prompt_tokens(pair: Pair, prompt: str) -> list[int]:
    """The token ids of a prompt; `ValueError` where it has none or more than 200."""
    if not prompt.strip():
        raise ValueError(word("prompt_empty"))
    tokens = pair.encode(prompt)
    if len(tokens) > MAX_PROMPT_TOKENS:
        raise ValueError(word("prompt_long", count=len(tokens), limit=MAX_PROMPT_TOKENS))
    return tokens


# ── a learner's functions, dressed for the engine ────────────────────────────────────────────────


def mask_by(function):
    """A learner's `tree_attention_mask(parents) -> rows`, dressed for `speculative_decode(mask=…)`.

    >>> mask_by(lambda parents: [[1, 0], [1, 1]])(CandidateTree([-1], [5], [-0.1])).tolist()
    [[True, False], [True, True]]
    """

    def mask(tree: CandidateTree) -> np.ndarray:
        return np.array(function(tree.parents.tolist()), dtype=bool)

    mask.__wrapped__ = function  # whose check it is
    return mask


def verify_by(function):
    """A learner's `verify_tree(parents, tokens, choices) -> (accepted, token)`, dressed for `verify=…` likewise.

    Raises `ValueError` for nodes that the tree has not.

    >>> tree = CandidateTree([-1, 0], [5, 6], [-0.1, -0.2])
    >>> verify_by(lambda parents, tokens, choices: ([0], choices[1]))(tree, np.eye(7)[[5, 4, 0]])
    Verdict(accepted=(0,), rejected=(1,), next_token=4)
    """

    def verify(tree: CandidateTree, logits, *, temperature=0.0) -> Verdict:
        accepted, token = function(tree.parents.tolist(), tree.tokens.tolist(), np.argmax(logits, axis=1).tolist())
        accepted = tuple(int(node) for node in accepted)
        if any(not 0 <= node < len(tree) for node in accepted):
            raise ValueError(f"accepted is {list(accepted)}: the tree has nodes 0 to {len(tree) - 1}")
        return Verdict(accepted, tuple(tree.children(accepted[-1] if accepted else -1)), int(token))

    verify.__wrapped__ = function
    return verify


def fuse_by(function) -> Callable:
    """A learner's `fuse_layer_features`, lists in and lists out, on every position of `[layers, n, H]`."""

    def fuse(features: np.ndarray, weights) -> np.ndarray:
        rows = [function(features[:, n].tolist(), list(weights)) for n in range(features.shape[1])]
        fused = np.array(rows, dtype=np.float32)
        if fused.shape != features.shape[1:]:
            width, given = features.shape[2], list(fused.shape[1:])
            raise ValueError(f"fuse must return {width} numbers, not an array of shape {given}")
        return fused

    return fuse


def score_by(function) -> Callable:
    """A learner's `score_candidate_tree`, asked for the whole pool so far whenever a tree has grown a level."""
    pool: list[dict] = []

    def score(beam: np.ndarray, above: np.ndarray, edges: np.ndarray) -> np.ndarray:
        if beam[0] == ROOT:  # a new tree
            pool.clear()
        for parent, row in zip(beam.tolist(), edges.tolist(), strict=True):
            pool.extend({"parent": parent, "token": len(pool) + i, "log_score": edge} for i, edge in enumerate(row))
        answer = function([dict(node) for node in pool])
        if not isinstance(answer, (tuple, list)) or len(answer) != 2:
            raise TypeError(f"score must return the scores and a path, not {type(answer).__name__}")
        scores = np.array(answer[0], dtype=np.float64)
        if scores.shape != (len(pool),):
            raise ValueError(f"score must give one number for each of the {len(pool)} nodes")
        return scores[-edges.size :].reshape(edges.shape)

    return score


# ── whole recordings ─────────────────────────────────────────────────────────────────────────────


class Recording(NamedTuple):
    """A prompt and all rounds that continued it."""

    pair: Pair
    prompt: list[int]
    decoding: Decoding


def record(pair: Pair, prompt: str, tokens: int = RECORDED_TOKENS, **settings) -> Recording:
    """Continue `prompt` by `tokens` tokens or up to an end token, and keep every round.

    `settings` as in `speculative_decode`. Raises `ValueError` for a prompt without tokens or with more than 200.

    >>> from eagle_lab import load_pair
    >>> len(record(load_pair("stories"), "Once upon a time", 8).decoding.tokens)
    8
    """
    ids = prompt_tokens(pair, prompt)
    return Recording(pair, ids, speculative_decode(pair, ids, tokens, **{"eos_id": pair.eos_ids, **settings}))


def written(recording: Recording, rounds: int | None = None) -> list[tuple[str, int]]:
    """Every token behind the prompt with its origin, "draft" or "target", up to a number of rounds (default: all).

    The last round is whole where a limit cut the text, and ends where an end token did.
    """
    decoding = recording.decoding
    tokens = [("target", token) for token in decoding.tokens[:1]]  # reading the prompt already gives one token
    for round_ in decoding.rounds[:rounds]:
        tokens += [("draft", token) for token in round_.tokens[:-1]] + [("target", round_.tokens[-1])]
    return tokens[: len(decoding.tokens)] if decoding.stop_reason == "eos" else tokens


def origins(recording: Recording, rounds: int | None = None) -> Iterator[tuple[str, list[int]]]:
    """Runs of tokens of one origin, "prompt", "draft" or "target", as `written` has them behind the prompt."""
    tokens = [("prompt", token) for token in recording.prompt] + written(recording, rounds)
    for origin, run in groupby(tokens, key=lambda pair: pair[0]):
        yield origin, [token for _, token in run]


def origin_text(recording: Recording, rounds: int | None = None) -> str:
    """The continuation as plain text, accepted drafts in 〔 〕.

    >>> from eagle_lab import load_pair
    >>> text = origin_text(record(load_pair("stories"), "Once upon a time", 12))
    >>> text.count("〔") == text.count("〕") > 0
    True
    """
    texts = [(origin, recording.pair.text(run)) for origin, run in origins(recording, rounds)]
    return "".join(f"〔{text}〕" if origin == "draft" else text for origin, text in texts if origin != "prompt")


# ── verdicts: the exercises leave them here, and panels read them ────────────────────────────────

_verdicts: WeakKeyDictionary = WeakKeyDictionary()  # function -> {name of the check: whether it passed}


def leave_verdict(function, name: str, passed: bool) -> None:
    """Note how the check `name` of a learner's `function` ended; its next run writes over this.

    The note goes when the function goes. What cannot be weakly referenced is passed over in silence.

    >>> def halve(x): return x / 2
    >>> leave_verdict(halve, "halving", True); verdict_on(halve)
    True
    """
    with contextlib.suppress(TypeError):
        _verdicts.setdefault(function, {})[name] = passed


def verdict_on(function) -> bool | None:
    """Whether every check that this function went through passed at its last run; None if there was none.

    A function that is defined anew is another one, and starts unchecked.

    >>> verdict_on(print) is None
    True
    """
    with contextlib.suppress(TypeError):
        checks = _verdicts.get(function)
        return checks and all(checks.values())
