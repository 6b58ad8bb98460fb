"""Measuring drafts under one verifier, one set of inputs and one budget: τ, its map over the weights, and the taps.

Greedy decoding writes the same text whatever is drafted, so the target writes every text once, and drafters and
weightings are then judged against it (`decode.replay`).
"""

from typing import NamedTuple

import numpy as np

from .decode import greedy_decode, replay, tau
from .fusion import fuse_layer_features
from .growth import TreeShape
from .llama import causal_mask, rms_norm
from .pairs import Pair

TEXT_TOKENS = 40


class Written(NamedTuple):
    """What the target wrote after a prompt."""

    prompt: list[int]
    written: list[int]


def write_texts(pair: Pair, prompts: list[str], tokens: int = TEXT_TOKENS) -> list[Written]:
    """Let the target write `tokens` tokens after each prompt, greedily and alone.

    >>> from eagle_lab import load_pair
    >>> [len(text.written) for text in write_texts(load_pair("stories"), ["Once upon a time"], 9)]
    [9]
    """
    ids = [pair.encode(prompt) for prompt in prompts]
    return [Written(prompt, greedy_decode(pair.target, prompt, tokens, eos_id=pair.eos_ids)) for prompt in ids]


def mean_tau(pair: Pair, texts: list[Written], layer_weights=None, **shape) -> float:
    """τ over these texts: mean accepted drafts + 1 over all rounds that fit into them.

    `layer_weights` as in `speculative_decode`; `shape`: `top_k`, `depth`, `budget` where they differ from 4, 5, 16.

    >>> from eagle_lab import load_pair
    >>> pair = load_pair("stories")
    >>> 1 <= mean_tau(pair, write_texts(pair, ["Once upon a time"], 20), top_k=1, depth=3, budget=3) <= 4
    True
    """
    grown = TreeShape(**shape)
    return tau([n for text in texts for n in replay(pair, *text, layer_weights=layer_weights, shape=grown)])


class TauMap(NamedTuple):
    """τ over the weight simplex, and what it was measured with."""

    pair: Pair
    texts: list[Written]
    taus: dict[tuple[float, ...], float]  # (low, mid, high), normalised -> τ


def tau_map(pair: Pair, prompts: list[str], steps: int = 6) -> TauMap:
    """Measure τ at every point of a grid over the weight simplex, in steps of 1/`steps`.

    >>> from eagle_lab import load_pair
    >>> sorted(tau_map(load_pair("stories"), ["Once upon a time"], steps=1).taus)
    [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)]
    """
    texts = write_texts(pair, prompts)
    grid = [(low, mid, steps - low - mid) for low in range(steps + 1) for mid in range(steps + 1 - low)]
    taus = {tuple(weight / steps for weight in weights): mean_tau(pair, texts, weights) for weights in grid}
    return TauMap(pair, texts, taus)


class TapAccuracy(NamedTuple):
    """How often one tap alone names the target's next token, over the texts' positions."""

    layer: int  # the layer whose input is tapped
    lens: float  # read straight through the target's own head, as if no layer followed
    draft: float  # by the drafter, with all weight on this tap


def tap_accuracy(pair: Pair, texts: list[Written]) -> list[TapAccuracy]:
    """What each tapped layer knows of the next token, alone.

    Source: the lens is the "logit lens": final norm and head applied to a hidden state on the way.
    """
    target, drafter, hits = pair.target, pair.drafter, []
    for text in texts:
        ids = np.array([*text.prompt, *text.written])
        features = target.forward(ids[:-1], target.new_cache()).features  # [taps, n, Ht]
        start = len(text.prompt) - 1  # from here on the next token is one that the target chose
        seen = rms_norm(features, target.norm, target.config.rms_norm_eps) @ target.head
        lens = seen.argmax(-1)[:, start:] == ids[start + 1 :]
        drafts = np.stack([_first_draft(drafter, features, ids[1:], tap) for tap in range(len(features))])
        hits.append((lens[:, 1:], drafts[:, start:-1] == ids[start + 2 :]))
    lens, draft = (np.concatenate(columns, axis=1).mean(axis=1) for columns in zip(*hits, strict=True))
    return [TapAccuracy(*row) for row in zip(target.taps, lens.tolist(), draft.tolist(), strict=True)]


def _first_draft(drafter, features: np.ndarray, following: np.ndarray, tap: int) -> np.ndarray:
    """The drafter's likeliest token two places after every feature `[n]`, with all weight on one tap."""
    weights = np.eye(len(features))[tap].tolist()
    hidden, n = fuse_layer_features(drafter.project(features), weights), len(following)
    out = drafter.forward(following, hidden, drafter.new_cache(), np.arange(n), causal_mask(n))
    return drafter.candidates(out, 1)[0][:, 0]
