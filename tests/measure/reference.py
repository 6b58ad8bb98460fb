"""The tree bookkeeping of the official EAGLE-2/3 code in numpy: what `make bench` compares with.

Written anew after `topK_genrate` of SafeAILab/EAGLE, a tensor operation where it has one and a loop where it loops:
cumulative scores by broadcasting, top-k over a level's k·k scores and over all of them, parents as places in one long
list, the mask row by row, positions from the mask, a row of node indices from the root to every leaf. What the drafter
says comes in as tables, so that neither its passes, with what they read, nor its log-softmax and top-k are part of it.
N counts the root: the budget + 1.
"""

from typing import NamedTuple

import numpy as np


class Grown(NamedTuple):
    """A tree as the official code describes it; node 0 is the root."""

    tokens: np.ndarray  # [N]
    parents: np.ndarray  # [N], the root's is −1
    selected: np.ndarray  # [budget], places of the kept nodes among all that were drafted, ascending
    mask: np.ndarray  # float32 [N, N], who sees whom
    positions: np.ndarray  # [N], the depth of every node
    retrieve: np.ndarray  # [leaves, deepest + 1], from the root to each leaf, −1 behind a short path


def grow(root: int, candidates, expand, d2t, top_k: int, depth: int, budget: int, in_order: bool = False) -> Grown:
    """Grow `depth` levels and keep the `budget` best nodes.

    `candidates`, `expand`: as in `eagle_lab.growth.grow_tree`, but with draft ids, which the offsets `d2t` turn into
    the target's (None: they are the target's).
    `in_order`: leaves sorted by their paths, as the official code does where it samples.
    """
    tokens, log_probs = candidates  # [1, top_k]
    scores, beam = log_probs[0], np.arange(top_k)  # of the beam that is expanded next: all of the root's children
    rows = np.zeros(top_k, dtype=int)
    drafted, cumulative, parents = [_mapped(tokens, d2t)], [log_probs], [np.zeros(1, dtype=int)]
    for step in range(depth - 1):
        before = 1 + top_k * min(step, 1) + top_k**2 * max(step - 1, 0)  # root and nodes above the beam's level
        parents.append(beam + before)
        tokens, log_probs = expand(_mapped(tokens.ravel()[beam], d2t), rows)  # [top_k, top_k]
        level = log_probs + scores[:, None]
        scores, beam = _top_k(level.ravel(), top_k)
        rows = beam // top_k
        drafted.append(_mapped(tokens, d2t))
        cumulative.append(level)
    pool = np.concatenate(cumulative).ravel()  # [top_k + (depth − 1)·top_k²]
    selected = np.sort(_top_k(pool, budget)[1])
    owners = np.concatenate(parents)[selected // top_k]  # each beam node owns top_k places of the pool
    places = np.where(owners == 0, 0, 1 + np.searchsorted(selected, owners - 1)).tolist()
    visible = np.eye(1 + budget, dtype=bool)
    visible[:, 0] = True
    for node, parent in enumerate(places, start=1):
        visible[node] |= visible[parent]
    positions = visible.sum(axis=1) - 1
    return Grown(
        tokens=np.concatenate(([root], np.concatenate(drafted).ravel()[selected])),
        parents=np.array([-1, *places]),
        selected=selected,
        mask=visible.astype(np.float32),
        positions=positions,
        retrieve=_retrieve(places, positions.tolist(), in_order),
    )


def _mapped(ids: np.ndarray, d2t) -> np.ndarray:
    return ids if d2t is None else ids + d2t[ids]


def _top_k(values: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The largest values, best first, and where they stand; numpy has no operation of its own for it."""
    places = np.argsort(-values, kind="stable")[:count]
    return values[places], places


def _retrieve(places: list[int], positions: list[int], in_order: bool) -> np.ndarray:
    """Leaf by leaf the way up to the root, written from its end."""
    inner, width = np.unique(places).tolist(), 1 + max(positions)
    rows = np.full((len(positions) - len(inner), width), -1).tolist()
    leaves = [node for node in range(len(positions)) if node not in inner]
    for row, node in zip(rows, leaves, strict=True):
        for place in reversed(range(1 + positions[node])):
            row[place], node = node, places[node - 1]
    if in_order:
        rows.sort(key=lambda row: [node if node >= 0 else len(positions) for node in row])
    return np.array(rows)
