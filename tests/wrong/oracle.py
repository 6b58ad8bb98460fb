"""Which answers are right, by brute force: references of its own and hundreds of inputs, none of them the checker's.

What counts is what notebook 04 states: lists of whole numbers or floats, trees with parents in front and siblings
of different tokens, and the illegal inputs that its tables name.
"""

import copy
import math
import random
import warnings
from collections import deque
from fractions import Fraction
from functools import cache

import numpy as np

TRIES = 300


def is_right(exercise: str, function) -> bool:
    """Whether `function` does what the notebook asks for, on every input tried, and leaves the input as it is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return all(_agrees(function, arguments, expected) for arguments, expected in tries(exercise))


@cache
def tries(exercise: str) -> list[tuple[tuple, object]]:
    """The inputs and their answers; `ValueError` for what must be refused. The smallest come first."""
    legal, answer, illegal = EXERCISES[exercise]
    chance = random.Random(exercise)
    inputs = [legal(chance, 1 + number * 8 // TRIES) for number in range(TRIES)]
    return [(arguments, answer(*arguments)) for arguments in inputs] + [(bad, ValueError) for bad in illegal(chance)]


def _agrees(function, arguments: tuple, expected) -> bool:
    given = copy.deepcopy(arguments)
    try:
        got = function(*given)
    except ValueError:
        got = ValueError
    except Exception:
        return False
    refused = got is ValueError or expected is ValueError
    return repr(given) == repr(arguments) and (got is expected if refused else _equal(got, expected))


def _equal(got, expected) -> bool:
    got = got.tolist() if isinstance(got, np.ndarray | np.generic) else got
    if isinstance(expected, list | tuple):
        listed = isinstance(got, list | tuple | deque) and len(got) == len(expected)
        return listed and all(map(_equal, got, expected))
    return isinstance(got, int | float) and (got == expected or math.isclose(got, expected, rel_tol=1e-9, abs_tol=1e-9))


# ── the exercises ────────────────────────────────────────────────────────────────────────────────


def _weights(chance, size):
    scale = chance.choice([1, 1, 1, 0.125, 1e-9, 1e6])
    weights = [chance.choice([0, 1, 2, 3, 5, 0.5, 2.25]) * scale for _ in range(size)]
    weights[chance.randrange(size)] = chance.choice([1, 4, 0.75]) * scale
    return (weights,)


def _shares(weights):
    return [float(Fraction(weight) / sum(map(Fraction, weights))) for weight in weights]


def _bad_weights(chance):
    zeros = [([0] * n,) for n in range(6)] + [([0.0, 0.0],), ([-0.0],)]
    return [*zeros, ([1, -1],), ([3, -1],), ([-1, 3],), ([-2],), ([-1, -3],), ([2, 0, -1, 4],), ([-0.5, 0, 1],)]


def _features(chance, size):
    layers, width = chance.randint(1, size), chance.randint(1, size)
    rows = [[chance.choice([0, 1, -2, 3, 0.5, -1.25, 7]) for _ in range(width)] for _ in range(layers)]
    return rows, *_weights(chance, layers)


def _fused(rows, weights):
    shares = [Fraction(weight) / sum(map(Fraction, weights)) for weight in weights]
    return [
        float(sum(a * Fraction(x) for a, x in zip(shares, column, strict=True))) for column in zip(*rows, strict=True)
    ]


def _bad_features(chance):
    shapes = [[1, 2], [2, 1], [1, 1, 2], [1, 2, 1], [2, 1, 1], [3, 3, 3, 2], [3, 2, 3, 3], [3, 3, 4, 3]]
    ragged = [([list(range(1, 1 + width)) for width in shape], [1] * len(shape)) for shape in shapes]
    counts = [(layers, weights) for layers in range(1, 5) for weights in range(1, 5) if layers != weights]
    ragged += [([[]] * layers, [1] * layers) for layers in range(1, 4)]
    unequal = [([[1, 2]] * layers, [1] * weights) for layers, weights in counts]
    return [*ragged, *unequal, *(([[1, 2]] * len(weights), weights) for (weights,) in _bad_weights(chance) if weights)]


def _parents(chance, size):
    """Any tree, one in level order, or a long chain with a few twigs."""
    anywhere = [chance.randint(-1, node - 1) for node in range(size)]
    chained = [node - 1 if chance.random() < 0.8 else parent for node, parent in enumerate(anywhere)]
    return chance.choice([anywhere, sorted(anywhere), chained])


def _nodes(chance, size):
    edges = [0, 0.0, -1, -2, -0.5, -0.25, -0.125, -1.75, -300.5, -math.inf]
    while True:
        parents = _parents(chance, size)
        nodes = [{"parent": p, "token": chance.randrange(size * 3), "log_score": chance.choice(edges)} for p in parents]
        scores, _ = _scored(nodes)
        if any(scores[leaf] > -math.inf for leaf in set(range(size)) - set(parents)):
            return (nodes,)


def _scored(nodes):
    paths = []
    for index, node in enumerate(nodes):
        paths.append([*(paths[node["parent"]] if node["parent"] != -1 else []), index])
    scores = [sum(nodes[node]["log_score"] for node in path) for path in paths]
    leaves = [i for i in range(len(nodes)) if all(node["parent"] != i for node in nodes)]
    best = next(leaf for leaf in leaves if scores[leaf] == max(scores[other] for other in leaves))
    return scores, [nodes[node]["token"] for node in paths[best]]


def _bad_nodes(chance):
    yield ([],)
    for size in range(1, 6):
        for node in range(size):
            for parent in {-2, *range(node, size)}:
                (nodes,) = _nodes(chance, size)
                nodes[node]["parent"] = parent
                yield (nodes,)


def _tokens(chance, size):
    draft = [chance.randrange(3) for _ in range(chance.randrange(size + 1))]
    same = chance.randrange(size + 1)
    return draft, [*draft[:same], *(chance.randrange(3) for _ in range(chance.randrange(size + 1)))]


def _run(draft, target):
    return max(n for n in range(1 + min(len(draft), len(target))) if draft[:n] == target[:n])


def _mask(parents):
    rows = [{0}]
    for row, parent in enumerate(parents, start=1):
        rows.append(rows[1 + parent] | {row})
    return [[column in row for column in range(len(rows))] for row in rows]


def _drafted(chance, size):
    parents, tokens = _parents(chance, size), []
    for node, parent in enumerate(parents):
        taken = [tokens[other] for other in range(node) if parents[other] == parent]
        tokens.append(chance.choice([token for token in range(size * 4) if token not in taken]))
    below = [[tokens[child] for child in range(size) if parents[child] == node] for node in range(-1, size)]
    return parents, tokens, [chance.choice([*drafted, chance.randrange(1 + size * 4)]) for drafted in below]


def _walked(parents, tokens, choices, node=-1):
    for child in range(len(parents)):
        if parents[child] == node and tokens[child] == choices[1 + node]:
            walk, next_token = _walked(parents, tokens, choices, child)
            return [child, *walk], next_token
    return [], choices[1 + node]


def _nothing(chance):
    return []


EXERCISES = {
    "normalize_fusion_weights": (_weights, _shares, _bad_weights),
    "fuse_layer_features": (_features, _fused, _bad_features),
    "score_candidate_tree": (_nodes, _scored, _bad_nodes),
    "accepted_prefix": (_tokens, _run, _nothing),
    "tree_attention_mask": (lambda chance, size: (_parents(chance, size - 1),), _mask, _nothing),
    "verify_tree": (lambda chance, size: _drafted(chance, size - 1), _walked, _nothing),
}
