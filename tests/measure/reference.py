"""The tree bookkeeping of the official EAGLE-2/3 code, as numpy tensor operations: what `make bench` compares with.

Written anew after `topK_genrate` of SafeAILab/EAGLE: cumulative scores by broadcasting, top-k over a level's k·k
scores and over all of them, parents as places in one long list, a loop over the nodes for the mask. What the
drafter says comes in as tables, so that neither its passes nor its log-softmax and top-k are part of it. N counts
the root: the budget + 1.
"""

from typing import NamedTuple

import numpy as np


class Grown(NamedTuple):
    """A tree as the official code describes it; node 0 is the root."""

    tokens: np.ndarray  # [N]
    parents: np.ndarray  # [N], the root's is −1
    selected: np.ndarray  # [budget], places of the kept nodes among all that were drafted, ascending


def grow(root: int, candidates, expand, top_k: int, depth: int, budget: int) -> Grown:
    """Grow `depth` levels and keep the `budget` best nodes.

    `candidates`, `expand`: as in `eagle_lab.growth.grow_tree`, tokens and log-probabilities of a level's children.
    Equal scores may be kept in any order, and a child then without its parent, as with torch's top-k.
    """
    tokens, log_probs = candidates  # [1, top_k]
    scores = log_probs[0]  # [top_k], of the beam that is expanded next
    beam, rows = np.arange(top_k), np.zeros(top_k, dtype=int)  # the root's children, all of them
    drafted, cumulative, parents = [tokens], [log_probs], [np.zeros(1, dtype=int)]
    for step in range(depth - 1):
        before = 1 + top_k * min(step, 1) + top_k**2 * max(step - 1, 0)  # root and nodes above the beam's level
        parents.append(beam + before)
        tokens, log_probs = expand(tokens.ravel()[beam], rows)  # [top_k, top_k]
        level = log_probs + scores[:, None]
        beam = np.argsort(-level.ravel(), kind="stable")[:top_k]
        scores, rows = level.ravel()[beam], beam // top_k
        drafted.append(tokens)
        cumulative.append(level)
    pool = np.concatenate(cumulative).ravel()  # [top_k + (depth − 1)·top_k²]
    selected = np.sort(np.argpartition(-pool, budget - 1)[:budget])
    owners = np.concatenate(parents)[selected // top_k]  # each beam node owns top_k places of the pool
    places = np.where(owners == 0, 0, 1 + np.searchsorted(selected, owners - 1))
    return Grown(
        np.concatenate(([root], np.concatenate(drafted).ravel()[selected])),
        np.concatenate(([-1], places)),
        selected,
    )


def mask_and_positions(parents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Who sees whom, bool `[N, N]`, and the depth of every node `[N]`."""
    mask = np.eye(len(parents), dtype=bool)
    mask[:, 0] = True
    for node, parent in enumerate(parents[1:].tolist(), start=1):
        mask[node] |= mask[parent]
    return mask, mask.sum(axis=1) - 1


def retrieve(parents: np.ndarray, positions: np.ndarray, in_order: bool = False) -> list[list[int]]:
    """The node indices from the root to every leaf, −1 behind a short path: rows of the deepest path's length.

    `in_order`: rows sorted, −1 last, as the official code does where it samples.
    """
    inner, width = set(parents.tolist()), 1 + int(positions.max())
    paths = []
    for leaf in range(len(parents)):
        if leaf in inner:
            continue
        path, node = [], leaf
        while node != -1:
            path.append(node)
            node = int(parents[node])
        paths.append(path[::-1] + [-1] * (width - len(path)))
    return sorted(paths, key=lambda path: [len(parents) if node < 0 else node for node in path]) if in_order else paths
