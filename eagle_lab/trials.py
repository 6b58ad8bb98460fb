"""Trials: one setting on one prompt, a learner's functions in place; whole recordings; τ behind a prompt.

What panels and notebooks try out, in numbers only: how it looks is the pictures' business.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

import numpy as np

from .decode import Decoding, Generation, Round, speculative_decode, tau
from .fusion import fuse_layer_features, normalize_fusion_weights
from .language import word
from .pairs import Pair
from .tree import CandidateTree
from .verification import Verdict

LAYERS = ("low", "mid", "high")  # the tapped layers, by the keys of their words
MAX_PROMPT_TOKENS = 200
TAU_TOKENS = 32  # how far τ is followed behind the prompt
RECORDED_TOKENS = 40


class TreeShape(NamedTuple):
    """What shapes a candidate tree: candidates a node, levels, nodes kept."""

    top_k: int = 4
    depth: int = 5
    budget: int = 16


SHAPE = TreeShape()  # the one place of the shape that is meant where a reader says nothing


# ── one setting on one prompt ────────────────────────────────────────────────────────────────────


def drafting(layer_weights=(1, 1, 1), *, normalize=normalize_fusion_weights, fuse=None, score=None, **shape) -> dict:
    """What `Generation.step` and `preview` take, of what a reader set; the `layer_weights` in it are normalised.

    `normalize`, `fuse`, `score`: a learner's own versions of the course's three functions. `shape`: `top_k`,
    `depth`, `budget` where they differ from SHAPE. Raises `ValueError` as `read_weights` does.

    >>> drafting((1, 2, 1))
    {'layer_weights': [0.25, 0.5, 0.25], 'top_k': 4, 'depth': 5, 'budget': 16}
    """
    return {"layer_weights": read_weights(layer_weights, normalize), **SHAPE._asdict(), **shape, **_own(fuse, score)}


def first_round(pair: Pair, prompt, **setting) -> Round:
    """The round that follows a prompt, committing nothing; `prompt` as in `read_prompt`, `setting` as in `drafting`.

    >>> from eagle_lab import load_pair
    >>> len(first_round(load_pair("stories"), "Once upon a time", budget=8).tree)
    8
    """
    settings = drafting(**setting)
    return read_prompt(pair, prompt).preview(**settings)


def tau_after(pair: Pair, prompt: str, **setting) -> float:
    """τ over some 32 tokens behind `prompt`, or up to an end token: mean accepted drafts + 1 a round.

    `setting` as in `drafting`; NaN where the text ends at once.

    >>> from eagle_lab import load_pair
    >>> 1 <= tau_after(load_pair("stories"), "Once upon a time", top_k=2, depth=3, budget=5) <= 4
    True
    """
    settings = drafting(**setting)
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
    return normalize(list(layer_weights))


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


def _own(fuse, score) -> dict:
    """A learner's list functions, dressed for the drafter: fusion position by position, scores from records."""
    own = {}
    if fuse is not None and fuse is not fuse_layer_features:
        own["fuse"] = lambda features, weights: _fused_by(fuse, features, weights)
    if score is not None:
        own["score"] = lambda parents, edges: _scored_by(score, parents, edges)
    return own


def _fused_by(fuse, features: np.ndarray, weights) -> np.ndarray:
    """`fuse` on every position of `[layers, n, H]`, lists in and lists out."""
    fused = np.array([fuse(features[:, n].tolist(), list(weights)) for n in range(features.shape[1])], dtype=np.float32)
    if fused.shape != features.shape[1:]:
        raise ValueError(f"fuse must return {features.shape[2]} numbers, not an array of shape {list(fused.shape[1:])}")
    return fused


def _scored_by(score, parents: list[int], edges: list[float]) -> list[float]:
    rows = zip(parents, edges, strict=True)
    answer = score([{"parent": p, "token": i, "log_score": e} for i, (p, e) in enumerate(rows)])
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        raise TypeError(f"score must return the scores and a path, not {type(answer).__name__}")
    return answer[0]


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
