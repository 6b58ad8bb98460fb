"""Measuring drafts under one verifier, one set of inputs and one budget: τ, its map over the weights, and the taps.

Greedy decoding writes the same text whatever is drafted, barring gaps below rounding, so the target writes every text
once, and drafts are then judged against it (`replay`). What cannot be measured is refused, so that no figure is NaN.
"""

from typing import NamedTuple

import numpy as np

from .contracts import MOST_TOKENS, check_draft, check_pair, check_prompt
from .decode import configured, greedy_decode, tau
from .fusion import fuse_layer_features
from .growth import DEFAULT_SHAPE, TreeShape
from .inputs import check_count, check_has, check_kind, check_sequence, check_tokens, kind_of
from .llama import causal_mask, rms_norm
from .pairs import Pair
from .tree import ROOT, CandidateTree


class Written(NamedTuple):
    """What the target wrote after a prompt."""

    prompt: list[int]
    written: list[int]


def write_texts(pair: Pair, prompts: list, tokens: int = 40) -> list[Written]:
    """Let the target write `tokens` tokens after each prompt, greedily and alone.

    `prompts`: texts, or token ids `[n]` each. Raises `TypeError` for one prompt in place of a list, `ValueError` for
    no prompt or an empty one, and as `greedy_decode` does.

    >>> from eagle_lab import load_pair
    >>> [len(text.written) for text in write_texts(load_pair("stories"), ["Once upon a time"], 9)]
    [9]
    """
    check_pair(pair)
    check_has(pair, "pair", "encode", "eos_ids")
    check_count(tokens, "tokens", most=MOST_TOKENS)
    if isinstance(prompts, str):
        raise TypeError("prompts must be a list of texts or of token ids, not one text")
    read = (pair.encode(prompt) if isinstance(prompt, str) else prompt for prompt in _some(prompts, "prompts"))
    ids = [check_prompt(pair.target, prompt, tokens, f"prompts[{place}]") for place, prompt in enumerate(read)]
    return [Written(prompt, greedy_decode(pair.target, prompt, tokens, eos_id=pair.eos_ids)) for prompt in ids]


def _some(values, name: str):
    """A sequence that is not empty, since of nothing there is nothing to measure."""
    if not len(found := check_sequence(values, name)):
        raise ValueError(f"{name} is empty: give at least one")
    return found


def mean_tau(pair: Pair, texts: list[Written], layer_weights=None, **shape) -> float:
    """τ over these texts: mean accepted drafts + 1 over all rounds that fit into them.

    `layer_weights` as in `speculative_decode`; `shape`: `top_k`, `depth`, `budget` where they differ from 4, 5, 16.
    Raises `ValueError` for no text and where all are too short for a round of `depth` levels, else as `replay` does.

    >>> from eagle_lab import load_pair
    >>> pair = load_pair("stories")
    >>> 1 <= mean_tau(pair, write_texts(pair, ["Once upon a time"], 20), top_k=1, depth=3, budget=3) <= 4
    True
    """
    check_pair(pair)
    grown, texts = TreeShape(**shape), _read_texts(pair, texts)
    lengths = [n for text in texts for n in replay(pair, *text, layer_weights=layer_weights, shape=grown)]
    if not lengths:
        needed, longest = grown.depth + 2, max(len(text.written) for text in texts)
        fault = f"a tree of {grown.depth} levels needs {needed} written tokens, and the longest text has {longest}"
        raise ValueError(f"texts are too short for a round: {fault}")
    return tau(lengths)


def _read_texts(pair, texts) -> list[Written]:
    """Texts as `write_texts` gives them."""
    found = []
    for place, text in enumerate(_some(texts, "texts")):
        name = f"texts[{place}]"
        if not isinstance(text, (tuple, list)) or len(text) != 2:
            raise TypeError(f"{name} must be a prompt and what was written after it, not {kind_of(text)}")
        found.append(_read_text(pair, text[0], text[1], f"{name}.prompt", f"{name}.written"))
    return found


def _read_text(pair, prompt, written, prompt_name: str, written_name: str) -> Written:
    """A prompt and what was written after it, in plain numbers of the pair's vocabulary."""
    ids = check_tokens(written, pair.target.config.vocab_size, written_name, least=0).tolist()
    return Written(check_prompt(pair.target, prompt, len(ids), prompt_name), ids)


def replay(pair, prompt_ids, text_ids, *, layer_weights=None, shape: TreeShape = DEFAULT_SHAPE) -> list[int]:
    """Count what every round would commit of a text that the target has already written: tokens per round.

    `text_ids`: what `greedy_decode` wrote after `prompt_ids`. One pass of the target gives the features, and drafting
    alone is repeated, until too little text is left for a whole round. Raises `TypeError` and `ValueError` as
    `speculative_decode` does.
    """
    check_pair(pair)
    check_kind(shape, TreeShape, "shape")
    vocab_size, drafter = pair.target.config.vocab_size, configured(pair.drafter, layer_weights=layer_weights)
    prompt, text = _read_text(pair, prompt_ids, text_ids, "prompt_ids", "text_ids")
    tokens = [*prompt, *text]
    features = pair.target.forward(tokens, pair.target.new_cache()).features  # [layers, n, Ht]
    cache, read, root, lengths = drafter.new_cache(tokens[0]), 0, len(prompt), []
    while root + shape.depth + 1 < len(tokens):
        tree = drafter.draft(features[:, read:root], tokens[read + 1 : root + 1], cache, shape)
        check_draft(tree, drafter, shape, vocab_size)
        accepted = 0 if tree is None else _agreement(tree, tokens[root + 1 :])
        read, root = root, root + accepted + 1
        lengths.append(accepted + 1)
    return lengths


def _agreement(tree: CandidateTree, text: list[int]) -> int:
    """How far down the tree has drafted this text, which is longer than the tree is deep."""
    node, accepted = ROOT, 0
    while agreeing := [child for child in tree.children(node) if tree.tokens[child] == text[accepted]]:
        node, accepted = agreeing[0], accepted + 1
    return accepted


class TauMap(NamedTuple):
    """τ over the weight simplex, and what it was measured with."""

    pair: Pair
    texts: list[Written]
    taus: dict[tuple[float, ...], float]  # (low, mid, high), normalised -> τ


def tau_map(pair: Pair, prompts: list, steps: int = 6) -> TauMap:
    """Measure τ at every point of a grid over the weight simplex, in steps of 1/`steps`.

    `prompts` as in `write_texts`. Raises `ValueError` for a drafter that does not read three layers, and for more
    than 50 steps (1,326 points).

    >>> from eagle_lab import load_pair
    >>> sorted(tau_map(load_pair("stories"), ["Once upon a time"], steps=1).taus)
    [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)]
    """
    check_pair(pair)
    check_count(steps, "steps", most=50)
    if pair.drafter.layers != 3:
        name = type(pair.drafter).__name__
        raise ValueError(f"a map of tau has three layer weights, but {name} reads {pair.drafter.layers} layers")
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

    `texts` as `write_texts` gives them; the first written token of each is not asked for, since no draft could name
    it. Raises `ValueError` for a drafter that reads no layers, for no text, and where none has two written tokens.

    Source: the lens is the "logit lens": final norm and head applied to a hidden state on the way.
    """
    check_pair(pair)
    target, drafter, hits = pair.target, pair.drafter, []
    if not drafter.layers:
        raise ValueError(f"taps cannot be told apart: {type(drafter).__name__} reads no layer features")
    check_has(drafter, "pair.drafter", "project", "forward", "candidates")
    texts = [text for text in _read_texts(pair, texts) if len(text.written) > 1]
    if not texts:
        raise ValueError("texts are too short: at least one must have two written tokens")
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
