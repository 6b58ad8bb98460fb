"""Verification: which drafted tokens the target itself would have written."""

from dataclasses import dataclass

import numpy as np

from .inputs import as_numbers, check_kind, check_wholes
from .sampling import Sampling, choose
from .tree import ROOT, CandidateTree


@dataclass(frozen=True)
class Verdict:
    """What one verification pass decided about a candidate tree.

    `accepted`: node indices from the root's child down, the accepted prefix. `rejected`: the tried and
    refused children of the last accepted node, empty at a leaf. `next_token`: the target's own token
    after the accepted prefix (a correction where children were refused, a bonus at a leaf).
    """

    accepted: tuple[int, ...]
    rejected: tuple[int, ...]
    next_token: int


def accepted_prefix(draft_tokens, target_tokens) -> int:
    """Count the leading run on which draft and target agree; later agreement does not count.

    `draft_tokens`, `target_tokens`: token ids `[n]` of one path; the shorter one ends the comparison. Raises
    `TypeError` for what is no sequence of numbers, `ValueError` for numbers that are not whole.

    Source: greedy speculative decoding (arXiv 2211.17192, at temperature 0).

    >>> accepted_prefix([5, 6, 9, 8], [5, 6, 7, 8])
    2
    """
    drafts, targets = check_wholes(draft_tokens, "draft_tokens"), check_wholes(target_tokens, "target_tokens")
    count = 0
    for drafted, wanted in zip(drafts, targets, strict=False):
        if drafted != wanted:
            break
        count += 1
    return count


def verify(tree: CandidateTree, logits, *, temperature: float = 0.0) -> Verdict:
    """Walk down from the root for as long as the target's own choice is among the children.

    `logits` `[1+n, vocabulary]`: row 0 is what the target says after the root, row 1+i after node i.
    The tree's scores play no part. Equal logits: the lowest token id is the target's choice.

    Raises `ValueError` for logits of another shape, a visited row that holds NaN, siblings that
    share a token, or a negative temperature, `TypeError` for what is no tree and for logits that are no numbers,
    and `NotImplementedError` for a temperature above 0.

    Source: greedy verification in the official EAGLE implementation.

    >>> tree = CandidateTree([-1, -1, 1], [1, 2, 0], [-0.1, -3.0, -0.5])
    >>> logits = np.eye(3)[[2, 1, 0, 1]]  # the target wants 2, then (after node 1) 0, then 1
    >>> verify(tree, logits)
    Verdict(accepted=(1, 2), rejected=(), next_token=1)
    """
    sampling, logits = Sampling(temperature), check_logits(tree, logits)
    child_of = _children_by_token(tree)
    node = ROOT
    accepted: list[int] = []
    while True:
        choice = choose(logits[1 + node], sampling, f"logits[{1 + node}]")  # only where the walk comes by
        child = child_of.get((node, choice))
        if child is None:
            return Verdict(tuple(accepted), tuple(tree.children(node)), choice)
        accepted.append(child)
        node = child


def check_logits(tree: CandidateTree, logits) -> np.ndarray:
    """The target's logits `[1+n, vocabulary]` for a tree of n nodes as an array; errors as in `verify`."""
    check_kind(tree, CandidateTree, "tree")
    logits = as_numbers(logits, "logits")
    if logits.ndim != 2 or len(logits) != 1 + len(tree):
        raise ValueError(f"logits must be [{1 + len(tree)}, vocabulary] for this tree, not of shape {logits.shape}")
    largest = int(tree.tokens.max())
    if largest >= logits.shape[1] or tree.tokens.min() < 0:
        raise ValueError(f"the tree's tokens reach from {tree.tokens.min()} to {largest}: logits has {logits.shape[1]}")
    return logits


def _children_by_token(tree: CandidateTree) -> dict[tuple[int, int], int]:
    """(parent, token) -> node; siblings must differ, or a token could be tried twice."""
    found: dict[tuple[int, int], int] = {}
    for node, key in enumerate(zip(tree.parents.tolist(), tree.tokens.tolist(), strict=True)):
        if key in found:
            raise ValueError(f"nodes {found[key]} and {node} are siblings with the same token {key[1]}")
        found[key] = node
    return found
