"""Growing a dynamic candidate tree, whoever drafts: beams, pool, reranking."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .inputs import check_array, check_count
from .tree import ROOT, CandidateTree, keep_nodes

MOST = {"top_k": 100, "depth": 100, "budget": 1000}  # published trees have 10, 8 and 63
MOST_DRAFTED = 50_000


@dataclass(frozen=True)
class TreeShape:
    """How a tree grows: `top_k` candidates a node and nodes of a beam, `depth` levels, `budget` nodes kept.

    Raises `ValueError` for what is less than 1 and for more than `MOST` and `MOST_DRAFTED`, which could only be a
    slip, `TypeError` for what is no number.
    """

    top_k: int = 4
    depth: int = 5
    budget: int = 16

    def __post_init__(self):
        for name, most in MOST.items():
            object.__setattr__(self, name, check_count(getattr(self, name), name, most=most))
        drafted = self.top_k + (self.depth - 1) * self.top_k**2
        if drafted > MOST_DRAFTED:
            asked = f"top_k {self.top_k} and depth {self.depth} draft top_k + (depth − 1)·top_k² = {drafted:,} nodes"
            raise ValueError(f"{asked}: at most {MOST_DRAFTED:,} are grown")

    def check_vocabulary(self, size: int) -> None:
        """Refuse to ask for more candidates a node than a draft vocabulary of `size` tokens has."""
        if self.top_k > size:
            raise ValueError(f"top_k is {self.top_k}: the draft vocabulary has only {size} tokens")


DEFAULT_SHAPE = TreeShape()


class Pool(NamedTuple):
    """All nodes that were drafted, level after level, each `[pool]`: what `tree.keep_nodes` chooses from."""

    parents: np.ndarray  # places in the pool, −1: child of the root
    tokens: np.ndarray
    log_scores: np.ndarray  # of the edges
    scores: np.ndarray  # cumulative


def path_scores(beam: np.ndarray, above: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The cumulative scores `[beam, top_k]` of one level's nodes: each parent's score plus the node's own edge.

    `beam` `[beam]`: the parents in the pool (−1: the root), `above` `[beam]`: their scores, `edges` `[beam, top_k]`.
    """
    return above[:, None] + edges


def grow_tree(candidates, expand, shape: TreeShape = DEFAULT_SHAPE, score: Callable = path_scores) -> CandidateTree:
    """Grow a dynamic candidate tree: a beam of `top_k` nodes a level, then the `budget` best of all drafted.

    `candidates`: the root's children, `(tokens, log-probabilities)`, each `[1, top_k]`. `expand(tokens, rows)`: the
    same, `[top_k, top_k]`, for the beam's `tokens` `[top_k]`, whose parents are `rows` `[top_k]` of the previous
    level's beam; called once for each level after the first. Every drafted node joins the pool, and may be kept without
    having been expanded. `score` gives a level's cumulative scores, as `path_scores` does; raises `TypeError` or
    `ValueError` where it does not give one number a node.

    Source: expansion and reranking of EAGLE-2 (arXiv 2406.16858).
    """
    beam, above, size, levels = np.array([ROOT]), np.zeros(1), 0, []
    for level in range(1, shape.depth + 1):
        tokens, edges = candidates  # [beam, top_k]
        scores = check_array(score(beam, above, edges), "what score returns", edges.shape).astype(np.float64).ravel()
        levels.append(Pool(beam.repeat(shape.top_k), tokens.ravel(), edges.ravel(), scores))  # [beam · top_k] each
        if level < shape.depth:
            chosen = (-scores).argsort(kind="stable")[: shape.top_k]
            candidates = expand(tokens.ravel()[chosen], chosen // shape.top_k)  # every row of the beam has top_k nodes
            beam, above, size = size + chosen, scores[chosen], size + scores.size
    pool = Pool(*map(np.concatenate, zip(*levels, strict=True)))
    if np.count_nonzero(np.isnan(pool.scores)):
        raise ValueError(f"what score returns must be one number for each of the {len(pool.scores)} nodes, not NaN")
    kept = (-pool.scores).argsort(kind="stable")[: shape.budget]  # of equal ones the first, which are the shallow
    return keep_nodes(pool, np.sort(kept))


def grow_branches(model, cache, out: np.ndarray, shape: TreeShape, score: Callable) -> CandidateTree:
    """The tree that a model grows, level by level, from what it made of the root: `out` `[1, H]`.

    `model`: whoever reads drafted tokens, `forward(tokens, out, cache, positions, mask) -> out` and
    `candidates(out, top_k)`. Every drafted row goes behind the committed ones in the cache, and out again when the
    tree is grown.
    """
    committed, itself = cache.length, np.eye(shape.top_k, dtype=bool)
    mask = np.zeros((1, 0), dtype=bool)  # [rows of a level, drafted rows]: ancestors and self
    position = committed  # shared by a whole level

    def expand(tokens: np.ndarray, rows: np.ndarray):
        nonlocal out, mask, position
        mask = np.concatenate((mask[rows], itself), axis=1)
        out = model.forward(tokens, out[rows], cache, np.full(len(tokens), position), mask)
        position += 1
        return model.candidates(out, shape.top_k)

    tree = grow_tree(model.candidates(out, shape.top_k), expand, shape, score)
    cache.commit(committed, [])  # the tree's rows were only scaffolding
    return tree


def top_k_rows(rows: np.ndarray, top_k: int) -> tuple[np.ndarray, np.ndarray]:
    """The `top_k` largest values of each row and where they stand, best first, equals in order.

    `rows` `[n, width]`; returns indices and values `[n, top_k]`. Raises `ValueError` where fewer than `top_k` values of
    a row are finite. Rounds of argmax: exact on ties, and as fast as a partial sort.
    """
    left, n = rows.copy(), np.arange(len(rows))
    picked, values = np.empty((len(rows), top_k), dtype=np.int64), np.empty((len(rows), top_k), dtype=rows.dtype)
    for column in range(top_k):
        best = left.argmax(axis=1)
        picked[:, column], values[:, column] = best, left[n, best]  # -inf once a row has nothing finite left
        left[n, best] = -np.inf
    if not np.isfinite(values).all():
        raise ValueError(f"the drafter's log-probabilities hold fewer than {top_k} finite values in a row")
    return picked, values
