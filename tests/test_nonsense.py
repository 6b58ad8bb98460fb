"""Nonsense at every public door of the engine: a `TypeError` or `ValueError` that names the argument.

Each callable is given a right call; then one argument after another is replaced by every kind of nonsense. Whatever is
still a right value passes; anything else must be refused by name, at once, with no warning, no NaN, nothing committed.
"""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from eagle_lab import (
    CandidateTree,
    Generation,
    accepted_prefix,
    benchmark,
    counterexamples,
    decode,
    fuse_layer_features,
    fusion_shares,
    normalize_fusion_weights,
    rerank,
    sampling,
    score_candidate_tree,
    verification,
)
from eagle_lab.growth import TreeShape

from models import random_pair

NONSENSE = {
    "None": None,
    "text": "abc",
    "empty text": "",
    "bytes": b"abc",
    "object": object(),
    "True": True,
    "-1": -1,
    "0": 0,
    "1.5": 1.5,
    "nan": math.nan,
    "inf": math.inf,
    "complex": 1j,
    "huge": 10**30,
    "beyond writing": 10**5000,
    "[]": [],
    "{}": {},
    "set": {1},
    "generator": (x for x in ()),
    "nested": [[1, 2], [3]],
    "mixed": [1, "a", None],
    "huge inside": [10**30],
    "long": ["abc"] * 10_000,
    "class": CandidateTree,
    "array class": np.ndarray,
    "function": len,
    "object array": np.array([object()] * 3),
    "matrix": np.ones((2, 3)),
    "flags": np.ones(3, dtype=bool),
    "complex array": np.ones(3, dtype=complex),
    "empty array": np.zeros(0),
    "nan array": np.full(3, math.nan),
    "cube": np.zeros((2, 2, 2)),
    "words": np.array(["a", "b"]),
}

PAIR = random_pair(0, vocab=8)
TREE = CandidateTree([-1, -1, 0], [5, 6, 7], [-0.5, -1.0, -2.0])
LOGITS = np.eye(8)[[5, 7, 0, 1]]
TEXTS = benchmark.write_texts(PAIR, [[1, 2, 3]], 20)
SHAPE = TreeShape(2, 2, 3)


def previewed(**arguments):
    return Generation(PAIR, [1, 2]).preview(**{"top_k": 2, "depth": 2, "budget": 3, **arguments})


def started(**arguments):
    return Generation(**{"pair": PAIR, "prompt_ids": [1, 2], **arguments})


def advanced(**arguments):
    given = {"drafter": PAIR.drafter, "shape": SHAPE, "sampling": sampling.GREEDY}
    return Generation(PAIR, [1, 2]).advance(**{**given, **arguments})


def mean_tau(**arguments):
    return benchmark.mean_tau(**{"pair": PAIR, "texts": TEXTS, "layer_weights": [1, 1, 1], "depth": 2, **arguments})


def from_nodes(**arguments):
    return CandidateTree.from_nodes(**arguments)


RECORD = {"parent": -1, "token": 1, "log_score": -0.5}
COLUMNS = {"parents": [-1, 0], "tokens": [1, 2], "log_scores": [-1.0, -2.0], "scores": [-1.0, -3.0]}
WALK = {"tree": TREE, "logits": LOGITS, "temperature": 0.0}
DECODING = {"prompt_ids": [1, 2], "max_new_tokens": 3, "eos_id": 5}
SETTINGS = {"layer_weights": [1, 2, 3], "top_k": 2, "depth": 2, "budget": 3, "temperature": 0.0}

CALLS = {
    "normalize_fusion_weights": (normalize_fusion_weights, {"weights": [1, 3]}),
    "fuse_layer_features": (fuse_layer_features, {"layer_features": [[1, 2], [3, 4]], "weights": [1, 3]}),
    "fusion_shares": (fusion_shares, {"layer_features": [[1, 2], [3, 4]], "weights": [1, 3]}),
    "score_candidate_tree": (score_candidate_tree, {"nodes": [RECORD]}),
    "CandidateTree": (CandidateTree, COLUMNS),
    "CandidateTree.from_nodes": (from_nodes, {"nodes": [RECORD]}),
    "CandidateTree.path": (TREE.path, {"node": 0}),
    "CandidateTree.children": (TREE.children, {"node": 0}),
    "rerank": (rerank, {"tree": TREE, "budget": 2}),
    "accepted_prefix": (accepted_prefix, {"draft_tokens": [1, 2], "target_tokens": [1, 3]}),
    "verify": (verification.verify, WALK),
    "choose": (sampling.choose, {"logits": np.ones(3)}),
    "Sampling": (sampling.Sampling, {"temperature": 0.0}),
    "TreeShape": (TreeShape, {"top_k": 2, "depth": 2, "budget": 3}),
    "EagleHead.configured": (PAIR.drafter.configured, {"layer_weights": [1, 2, 3], "fuse": None, "score": None}),
    "Generation": (started, dict.fromkeys(("pair", "prompt_ids", "sampling", "verify", "mask"))),
    "Generation.preview": (previewed, dict.fromkeys(SETTINGS)),
    "Generation.advance": (advanced, dict.fromkeys(("drafter", "shape", "sampling"))),
    "greedy_decode": (decode.greedy_decode, {"target": PAIR.target, **DECODING}),
    "speculative_decode": (
        decode.speculative_decode,
        {"pair": PAIR, **DECODING, **SETTINGS, "verify": verification.verify, "mask": CandidateTree.attention_mask},
    ),
    "replay": (benchmark.replay, {"pair": PAIR, "prompt_ids": [1], "text_ids": [2, 3, 4], "shape": SHAPE}),
    "write_texts": (benchmark.write_texts, {"pair": PAIR, "prompts": [[1, 2]], "tokens": 3}),
    "mean_tau": (mean_tau, dict.fromkeys(("pair", "texts", "layer_weights", "top_k", "depth", "budget"))),
    "tau_map": (benchmark.tau_map, {"pair": PAIR, "prompts": [[1, 2]], "steps": 1}),
    "tap_accuracy": (benchmark.tap_accuracy, {"pair": PAIR, "texts": TEXTS}),
    "add_raw_features": (counterexamples.add_raw_features, {"layer_features": [[1, 2]], "weights": [1]}),
    "accept_best_leaf": (counterexamples.accept_best_leaf, {"tree": TREE, "logits": LOGITS}),
    "accept_every_match": (counterexamples.accept_every_match, {"tree": TREE, "logits": LOGITS}),
    "mask_as_a_chain": (counterexamples.mask_as_a_chain, {"tree": TREE}),
    "PositionsApart": (counterexamples.PositionsApart, {"drafter": PAIR.drafter}),
    "untrained": (counterexamples.untrained, {"drafter": PAIR.drafter, "seed": 3}),
}

NAMED = {"layer_weights": "weights", "prompts": "tokenizer"}  # what a message may say of an argument, beside its name
FUNCTIONS = {"score", "fuse", "verify", "mask"}  # whatever can be called is one; what it raises is its own


def refused(error: Exception, name: str) -> bool:
    """Whether the message names the argument, and is no longer than somebody reads."""
    message = str(error)
    return (name in message or NAMED.get(name, name) in message) and len(message) < 400


def with_nonsense(function, right: dict, judge, passed_over=()) -> tuple[int, list[str]]:
    """How often one argument of a right call was nonsense, and what `judge(argument, call)` found wrong with it.

    `passed_over`: the arguments for which whatever can be called is right, since what it raises is its own.
    """
    tried, found = 0, []
    for argument in right:
        given = {key: value for key, value in right.items() if value is not None and key != argument}
        for kind, value in NONSENSE.items():
            if callable(value) and argument in passed_over:
                continue
            tried += 1
            wrong = judge(argument, partial(function, **given, **{argument: value}))
            found += [f"{argument} = {kind}: {wrong}"] if wrong else []
    return tried, found


def accidents(name: str) -> tuple[int, list[str]]:
    """How many calls with one argument of nonsense there were, and which of them were not refused by name."""
    return with_nonsense(*CALLS[name], judge, FUNCTIONS)


def judge(argument: str, call) -> str | None:
    """What is wrong with how a call takes nonsense."""
    try:
        result = call()
    except (TypeError, ValueError, NotImplementedError) as error:
        return None if refused(error, argument) else shown_error(error)
    except Exception as error:
        return shown_error(error)
    return "NaN" if isinstance(result, float) and math.isnan(result) else None


def shown_error(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:200]}"


@pytest.mark.parametrize("name", CALLS)
def test_nonsense_is_refused_by_name(name):
    _, found = accidents(name)
    assert not found, "\n".join(found)


def test_the_right_calls_are_right():
    for function, right in CALLS.values():
        function(**{key: value for key, value in right.items() if value is not None})


def test_what_asks_for_far_too_much_is_refused_with_the_bound():
    pair = replace(PAIR)
    for call, message in (
        (lambda: TreeShape(depth=10**9), "depth must be at most 100, not 1000000000"),
        (lambda: TreeShape(top_k=1351), "top_k must be at most 100, not 1351"),
        (lambda: TreeShape(budget=10**6), "budget must be at most 1,000, not 1000000"),
        (lambda: TreeShape(top_k=100, depth=7), r"draft top_k \+ \(depth − 1\)·top_k² = 60,100 nodes: at most 50,000"),
        (lambda: decode.greedy_decode(pair.target, [1], 10**9), "max_new_tokens must be at most 100,000"),
        (lambda: decode.speculative_decode(pair, [1], 10**9), "max_new_tokens must be at most 100,000"),
        (lambda: benchmark.write_texts(pair, [[1]], 10**9), "tokens must be at most 100,000"),
        (lambda: benchmark.tau_map(pair, [[1]], 10**9), "steps must be at most 50"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
