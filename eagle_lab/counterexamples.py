"""The wrong ways that the lessons show, each run for real so that its damage can be seen.

None of them is used by the library. Each takes the place of the right way at one named point:
`fuse`, `verify` or `mask` of a decoding, or the drafter of a pair.
"""

import copy

import numpy as np

from .drafter import EagleHead
from .fusion import fuse_layer_features
from .inputs import check_count, check_kind
from .llama import Llama
from .tree import CandidateTree
from .verification import Verdict, check_logits


def add_raw_features(layer_features, weights) -> list[float]:
    """In place of `fuse_layer_features`: weights as they come, not normalised, so that their size sets the scale.

    `layer_features` `[layers][hidden]`, `weights` `[layers]`; returns `[hidden]`. Errors as there.

    >>> add_raw_features([[2, 4], [6, 0]], [1, 3])
    [20.0, 4.0]
    """
    fuse_layer_features(layer_features, weights)  # refuses what cannot be fused
    return (np.asarray(weights, dtype=float) @ np.asarray(layer_features, dtype=float)).tolist()


def accept_best_leaf(tree: CandidateTree, logits, *, temperature=0.0) -> Verdict:
    """In place of `verify`: the score taken for acceptance. The target is asked only for the token after the leaf.

    `logits` `[1+n, vocabulary]`. What is committed are the drafter's words, not the target's.

    >>> tree = CandidateTree([-1, -1, 0], [1, 2, 0], [-0.1, -3.0, -0.5])
    >>> accept_best_leaf(tree, np.eye(3)[[2, 1, 0, 1]])  # the target wanted token 2 after the root
    Verdict(accepted=(0, 2), rejected=(), next_token=1)
    """
    choices = np.argmax(check_logits(tree, logits), axis=1).tolist()
    path = tree.path(tree.best_leaf)
    return Verdict(tuple(path), (), choices[1 + path[-1]])


def accept_every_match(tree: CandidateTree, logits, *, temperature=0.0) -> Verdict:
    """In place of `verify`: count every match on the best-scoring path, also behind a break, and accept as many nodes.

    `logits` `[1+n, vocabulary]`. A node behind a break agrees with a target that has read a refused token; counted, it
    lets that token in.

    >>> tree = CandidateTree([-1, 0, 1], [1, 2, 0], [-0.1, -0.2, -0.3])
    >>> accept_every_match(tree, np.eye(3)[[0, 2, 0, 1]])  # the first draft is refused, the others match
    Verdict(accepted=(0, 1), rejected=(), next_token=0)
    """
    choices = np.argmax(check_logits(tree, logits), axis=1).tolist()
    path = tree.path(tree.best_leaf)
    matches = [choices[1 + before] == tree.tokens[node] for before, node in zip([-1, *path], path, strict=False)]
    accepted = path[: sum(matches)]
    return Verdict(tuple(accepted), (), choices[1 + (accepted or [-1])[-1]])


def mask_as_a_chain(tree: CandidateTree) -> np.ndarray:
    """In place of `CandidateTree.attention_mask`: the ordinary lower triangle, bool `[1+n, 1+n]`.

    Right for a chain; on a tree every node sees the branches that were listed before its own.

    >>> mask_as_a_chain(CandidateTree([-1, -1], [5, 6], [-0.1, -0.2])).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    check_kind(tree, CandidateTree, "tree")
    return np.tri(1 + len(tree), dtype=bool)


class PositionsApart(EagleHead):
    """In place of a pair's drafter: every position guessed on its own, as if candidates had no history.

    All nodes of a level get the children of the level's likeliest node, whichever they continue themselves.
    """

    def __init__(self, drafter: EagleHead):
        check_kind(drafter, EagleHead, "drafter")
        super().__init__(drafter.config, drafter.weights, drafter.embedding, drafter.token_ids)

    def forward(self, tokens, hidden, cache, positions, mask) -> np.ndarray:
        """As `EagleHead.forward`, but the rows of one level all stand for its first."""
        if len(np.unique(positions)) == 1:
            first = np.zeros(len(tokens), dtype=int)
            tokens, hidden = np.asarray(tokens)[first], hidden[first]
        return super().forward(tokens, hidden, cache, positions, mask)


def untrained(drafter: EagleHead, seed: int = 0) -> EagleHead:
    """In place of a pair's drafter: a head of the same shapes whose matrices were drawn at random."""
    check_kind(drafter, EagleHead, "drafter")
    rng = np.random.default_rng(check_count(seed, "seed", least=0))

    def drawn(weights):
        if isinstance(weights, tuple):
            return type(weights)(*map(drawn, weights))
        if weights is None or weights.ndim == 1:  # no such tensor, or the gain of a norm
            return weights
        return (rng.standard_normal(weights.shape) * weights.shape[-2] ** -0.5).astype(np.float32)

    head = copy.copy(drafter)
    head.weights = drawn(drafter.weights)
    return head


def with_twin(target: Llama, token: int, twin: int = -1) -> Llama:
    """In place of a pair's target: one that cannot choose, as `twin` (default: the last id) has the logits of `token`.

    On paper the two are always equal; in floating point each pass decides by its last bits.
    """
    torn = copy.copy(target)
    torn.head = target.head.copy()
    torn.head[:, twin] = target.head[:, token]
    return torn
