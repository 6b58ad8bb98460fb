"""The candidate tree: a ledger of drafted tokens, their parents and their cumulative scores."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .inputs import (
    check_count,
    check_index,
    check_kind,
    check_number,
    check_numbers,
    check_sequence,
    check_whole,
    check_wholes,
    kind_of,
    shown,
)

ROOT = -1  # the parent of a node that hangs from the root; the root itself is no node
MASK_LIMIT = 2**30  # bytes of an attention mask beyond which building one is surely a mistake


def score_candidate_tree(nodes) -> tuple[list[float], list[int]]:
    """Give every node its cumulative score, and the token path of the best-scoring leaf.

    `nodes`: records `{'parent', 'token', 'log_score'}`, parents before children, parent −1 for the
    root's children; `log_score` is the edge's log-probability (natural log, ≤ 0, −inf allowed).
    A node's score is its parent's score plus its own edge, in that order; the root's score is 0.
    Equal best leaves: the lowest index wins.

    Raises `ValueError` that names the node for an empty tree, a missing key, or a value out of
    range, and `TypeError` where `nodes` is no list of records.

    Source: cumulative draft confidence, EAGLE-2 (arXiv 2406.16858).

    >>> score_candidate_tree([
    ...     {"parent": -1, "token": 10, "log_score": -0.5},
    ...     {"parent": 0, "token": 11, "log_score": -0.25},
    ...     {"parent": 0, "token": 12, "log_score": -2.0},
    ... ])
    ([-0.5, -0.75, -2.5], [10, 11])
    """
    parents, tokens, log_scores = _read_nodes(nodes)
    scores = path_sums(parents, log_scores)
    best = _best_leaf(parents, scores)
    return scores, [tokens[node] for node in _path(parents, best)]


def path_sums(parents: list[int], steps: list) -> list:
    """Add up `steps` along the way from the root to every node; the root counts 0.

    A loop, not a recursion: chains may be long. Scores are path sums of edge log-scores, depths are path sums of ones.

    >>> path_sums([-1, 0, 0, 1], [-0.1, -0.2, -1.0, -0.05])
    [-0.1, -0.30000000000000004, -1.1, -0.35000000000000003]
    """
    sums: list = []
    for parent, step in zip(parents, steps, strict=True):
        sums.append(step if parent == ROOT else sums[parent] + step)
    return sums


@dataclass(frozen=True, eq=False)
class CandidateTree:
    """Drafted tokens with their parents and edge log-scores, checked once and then read-only.

    `parents` `[n]` (−1: child of the root), `tokens` `[n]`, `log_scores` `[n]` (natural log).
    `scores` `[n]`: cumulative; default: parent's score plus edge. Errors as in `score_candidate_tree`.

    >>> tree = CandidateTree(parents=[-1, 0, 0, 1], tokens=[10, 11, 12, 13], log_scores=[-0.1, -0.2, -1.0, -0.05])
    >>> tree.depths.tolist(), tree.leaves, tree.path(3), tree.best_leaf
    ([1, 2, 2, 3], [2, 3], [0, 1, 3], 3)
    """

    parents: np.ndarray
    tokens: np.ndarray
    log_scores: np.ndarray
    scores: np.ndarray = None  # type: ignore[assignment]  # always there once the tree is made

    def __post_init__(self):
        parents, tokens = _integer_column(self.parents, "parents"), _integer_column(self.tokens, "tokens")
        log_scores = _float_column(self.log_scores, "log_scores")
        if not len(parents) == len(tokens) == len(log_scores):
            lengths = {"parents": len(parents), "tokens": len(tokens), "log_scores": len(log_scores)}
            raise ValueError(f"parents, tokens and log_scores differ in length: {lengths}")
        if not len(parents):
            raise ValueError("the candidate tree is empty: it needs at least one node")
        _check_ledger(parents.tolist(), log_scores.tolist(), "parents[{}]", "log_scores[{}]")
        sums = np.array(path_sums(parents.tolist(), log_scores.tolist())) if self.scores is None else self.scores
        scores = _float_column(sums, "scores")
        if scores.shape != parents.shape or np.count_nonzero(np.isnan(scores)):
            raise ValueError(f"scores must be one number for each of the {len(parents)} nodes")
        columns = {"parents": parents, "tokens": tokens, "log_scores": log_scores, "scores": scores}
        vars(self).update({name: _frozen(column) for name, column in columns.items()})

    @classmethod
    def from_nodes(cls, nodes) -> "CandidateTree":
        """The tree of a list of `{'parent', 'token', 'log_score'}` records."""
        return cls(*map(np.array, _read_nodes(nodes)))

    def __len__(self) -> int:
        return len(self.parents)

    @property
    def nodes(self) -> list[dict]:
        """The tree as the records that `score_candidate_tree` reads."""
        columns = self.parents.tolist(), self.tokens.tolist(), self.log_scores.tolist()
        return [{"parent": p, "token": t, "log_score": s} for p, t, s in zip(*columns, strict=True)]

    @cached_property
    def depths(self) -> np.ndarray:
        """Depths `[n]`: 1 for a child of the root."""
        return _frozen(np.array(path_sums(self.parents.tolist(), [1] * len(self))))

    @property
    def leaves(self) -> list[int]:
        """Nodes that are nobody's parent, ascending."""
        return np.setdiff1d(np.arange(len(self)), self.parents).tolist()

    @property
    def best_leaf(self) -> int:
        """The leaf with the highest cumulative score; among equals the lowest index."""
        return _best_leaf(self.parents.tolist(), self.scores.tolist())

    def path(self, node: int) -> list[int]:
        """Node indices from the root's child down to `node`; `ValueError` for a node that the tree has not."""
        check_index(node, "node", 0, len(self) - 1, "the tree has nodes")
        return [int(step) for step in _path(self.parents, node)]

    def children(self, node: int) -> list[int]:
        """The children of `node` (−1: of the root), ascending; `ValueError` for a node that the tree has not."""
        check_index(node, "node", ROOT, len(self) - 1, "the tree has nodes")
        return np.flatnonzero(self.parents == node).tolist()

    def attention_mask(self) -> np.ndarray:
        """Who may look at whom in one verification pass: bool `[1+n, 1+n]`, row and column 0 the root.

        A row sees the root, its own ancestors and itself. Raises `ValueError` where the mask would
        need more than 1 GiB.

        >>> CandidateTree([-1, -1, 0], [5, 6, 7], [-1, -2, -1]).attention_mask().astype(int).tolist()
        [[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 1]]
        """
        size = 1 + len(self)
        if size * size > MASK_LIMIT:
            raise ValueError(
                f"an attention mask for {len(self):,} nodes needs {size * size / 2**30:.1f} GiB: "
                "rerank the tree to a smaller budget first"
            )
        mask = np.eye(size, dtype=bool)
        rows = list(mask)  # views: what a row gains, the mask gains
        for row, parent in zip(rows[1:], self.parents.tolist(), strict=True):
            row |= rows[1 + parent]  # the parent's row already holds all of its ancestors
        return mask


def check_nodes(values, name: str, nodes: int) -> list[int]:
    """A sequence of nodes of a tree that has so many; the message names the place of what is none."""
    places = enumerate(check_sequence(values, name))
    return [check_index(node, f"{name}[{place}]", 0, nodes - 1, "the tree has nodes") for place, node in places]


def rerank(tree: CandidateTree, budget: int) -> CandidateTree:
    """Keep the `budget` best-scoring nodes of the whole tree, in level order.

    A parent never scores below its child, and equal scores favour the shallower node, so every kept node keeps its
    parent; a budget above the number of nodes keeps them all. Raises `ValueError` where a score of somebody's own
    rises along a path, so that a child would lose its parent, and `TypeError` for what is no tree.

    Source: reranking in EAGLE-2 (arXiv 2406.16858); torch's top-k may keep a tied child without its parent, not this.

    >>> tree = CandidateTree([-1, -1, 0, 1], [5, 6, 7, 8], [-0.5, -1.0, -2.0, -0.1])
    >>> rerank(tree, 3).tokens.tolist()
    [5, 6, 8]
    """
    check_kind(tree, CandidateTree, "tree")
    check_count(budget, "budget")
    best = np.lexsort((tree.depths, -tree.scores))[:budget]  # the last key counts first; equals as they are listed
    return keep_nodes(tree, best[np.lexsort((best, tree.depths[best]))])


class RisingScoreError(ValueError):
    """A `node` that scores above its parent, so that it would be kept alone."""

    def __init__(self, node: int):
        super().__init__(f"node {node} scores above its parent, which is dropped: a score must fall along a path")
        self.node = node


def keep_nodes(nodes, kept: np.ndarray) -> CandidateTree:
    """The tree of some nodes alone, in the order of `kept` `[m]`, which lists parents before their children.

    `nodes`: a tree, or any columns `parents`, `tokens`, `log_scores` and `scores` of one. Raises `RisingScoreError`
    where a node is kept without its parent.
    """
    place = np.full(1 + len(nodes.parents), ROOT)  # old index -> new index; the last cell serves parent −1
    place[kept] = np.arange(len(kept))
    above = nodes.parents[kept]
    parents = place[above]
    orphaned = (parents == ROOT) & (above != ROOT)
    if np.count_nonzero(orphaned):
        raise RisingScoreError(int(kept[orphaned.argmax()]))
    return CandidateTree(parents, nodes.tokens[kept], nodes.log_scores[kept], nodes.scores[kept])


def _best_leaf(parents: list[int], scores: list[float]) -> int:
    inner, best = set(parents), ROOT
    for node, score in enumerate(scores):
        if node not in inner and (best == ROOT or score > scores[best]):  # strictly: the first of equals stays
            best = node
    return best


def _path(parents, node: int) -> list[int]:
    path = []
    while node != ROOT:
        path.append(node)
        node = parents[node]
    return path[::-1]


def _read_nodes(nodes) -> tuple[list[int], list[int], list[float]]:
    """The records' three columns, checked; the common case costs one comparison a field."""
    nodes = check_sequence(nodes, "nodes")
    if not nodes:
        raise ValueError("nodes is empty: the candidate tree needs at least one node")
    parents, tokens, log_scores = [], [], []
    for index, node in enumerate(nodes):
        try:
            parent, token, log_score = node["parent"], node["token"], node["log_score"]
        except (LookupError, TypeError, ValueError):  # ValueError: numpy, asked for a field of no record
            raise _record_error(node, index) from None
        if not (parent.__class__ is token.__class__ is int and log_score.__class__ is float):
            parent = check_whole(parent, f"nodes[{index}]['parent']")
            token = check_whole(token, f"nodes[{index}]['token']")
            log_score = check_number(log_score, f"nodes[{index}]['log_score']")
        parents.append(parent)
        tokens.append(token)
        log_scores.append(log_score)
    _check_ledger(parents, log_scores, "nodes[{}]['parent']", "nodes[{}]['log_score']")
    return parents, tokens, log_scores


def _record_error(node, index: int) -> Exception:
    if not isinstance(node, Mapping):
        return TypeError(f"nodes[{index}] must be a record with parent, token and log_score, not {kind_of(node)}")
    missing = next(key for key in ("parent", "token", "log_score") if key not in node)
    return ValueError(f"nodes[{index}] has no {missing!r}")


def _check_ledger(parents: list[int], log_scores: list[float], parent_name: str, score_name: str) -> None:
    """Refuse a parent that does not come before its child, and an edge above 0; {} in the names is the node."""
    for node, (parent, log_score) in enumerate(zip(parents, log_scores, strict=True)):
        if not ROOT <= parent < node:
            below = "the root is −1, and nothing lies below it"
            fault = below if parent < ROOT else f"a parent must come before its child, node {node}"
            raise ValueError(f"{parent_name.format(node)} is {shown(parent)}: {fault}")
        if not log_score <= 0.0:  # catches NaN, which is neither above nor below
            raise ValueError(f"{score_name.format(node)} is {log_score}: a log-probability is a number of at most 0")


def _integer_column(values, name: str) -> np.ndarray:
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind == "i":
        return values.astype(np.int64)
    try:
        return np.array(check_wholes(values, name), dtype=np.int64)
    except OverflowError:
        raise ValueError(f"{name} holds a number beyond 64 bits") from None


def _float_column(values, name: str) -> np.ndarray:
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "iuf":
        return values.astype(np.float64)
    return np.array(check_numbers(values, name), dtype=np.float64)


def _frozen(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array
