"""The wrong ways that the lessons show, each run for real so that its damage can be seen.

None of them is used by the library. Each takes the place of the right way at one named point:
`fuse`, `verify` or `mask` of a decoding, or the drafter of a pair.
"""

import copy

import numpy as np

from .drafter import EagleHead
from .tree import CandidateTree
from .verification import Verdict


def add_raw_features(layer_features, weights) -> list[float]:
    """In place of `fuse_layer_features`: weights as they come, not normalised, so that their size sets the scale.

    `layer_features` `[layers][hidden]`, `weights` `[layers]`; returns `[hidden]`.

    >>> add_raw_features([[2, 4], [6, 0]], [1, 3])
    [20.0, 4.0]
    """
    return (np.asarray(weights, dtype=float) @ np.asarray(layer_features, dtype=float)).tolist()


def accept_best_leaf(tree: CandidateTree, logits, *, temperature=0.0) -> Verdict:
    """In place of `verify`: the score taken for acceptance. The target is asked only for the token after the leaf.

    `logits` `[1+n, vocabulary]`. What is committed are the drafter's words, not the target's.

    >>> tree = CandidateTree([-1, -1, 0], [1, 2, 0], [-0.1, -3.0, -0.5])
    >>> accept_best_leaf(tree, np.eye(3)[[2, 1, 0, 1]])  # the target wanted token 2 after the root
    Verdict(accepted=(0, 2), rejected=(), next_token=1)
    """
    path = tree.path(tree.best_leaf)
    return Verdict(tuple(path), (), int(np.argmax(logits[1 + path[-1]])))


def accept_every_match(tree: CandidateTree, logits, *, temperature=0.0) -> Verdict:
    """In place of `verify`: count agreements on the best-scoring path, also those after a break.

    `logits` `[1+n, vocabulary]`. A node behind a break agreed with a target that had read a refused token.

    >>> tree = CandidateTree([-1, 0, 1], [1, 2, 0], [-0.1, -0.2, -0.3])
    >>> accept_every_match(tree, np.eye(3)[[0, 2, 0, 1]])  # the first draft is refused, the others match
    Verdict(accepted=(1, 2), rejected=(), next_token=1)
    """
    path = tree.path(tree.best_leaf)
    choices = np.argmax(logits, axis=1).tolist()
    matching = [
        node for before, node in zip([-1, *path], path, strict=False) if choices[1 + before] == tree.tokens[node]
    ]
    return Verdict(tuple(matching), (), choices[1 + (matching or [-1])[-1]])


def mask_as_a_chain(tree: CandidateTree) -> np.ndarray:
    """In place of `CandidateTree.attention_mask`: the ordinary lower triangle, bool `[1+n, 1+n]`.

    Right for a chain; on a tree every node sees the branches that were listed before its own.

    >>> mask_as_a_chain(CandidateTree([-1, -1], [5, 6], [-0.1, -0.2])).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    return np.tri(1 + len(tree), dtype=bool)


class PositionsApart(EagleHead):
    """In place of a pair's drafter: every position guessed on its own, as if candidates had no history.

    All nodes of a level get the children of the level's likeliest node, whichever they continue themselves.
    """

    def __init__(self, drafter: EagleHead):
        super().__init__(drafter.config, drafter.weights, drafter.embedding, drafter.token_ids)

    def forward(self, tokens, hidden, cache, positions, mask) -> np.ndarray:
        """As `EagleHead.forward`, but the rows of one level all stand for its first."""
        if len(np.unique(positions)) == 1:
            first = np.zeros(len(tokens), dtype=int)
            tokens, hidden = np.asarray(tokens)[first], hidden[first]
        return super().forward(tokens, hidden, cache, positions, mask)


def untrained(drafter: EagleHead, seed: int = 0) -> EagleHead:
    """In place of a pair's drafter: a head of the same shapes whose matrices were drawn at random.

    >>> from eagle_lab import load_pair
    >>> drafter = load_pair("stories").drafter
    >>> untrained(drafter).weights.head.shape == drafter.weights.head.shape
    True
    """
    rng = np.random.default_rng(seed)

    def drawn(weights):
        if isinstance(weights, tuple):
            return type(weights)(*map(drawn, weights))
        if weights is None or weights.ndim == 1:  # no such tensor, or the gain of a norm
            return weights
        return (rng.standard_normal(weights.shape) * weights.shape[-2] ** -0.5).astype(np.float32)

    head = copy.copy(drafter)
    head.weights = drawn(drafter.weights)
    return head
