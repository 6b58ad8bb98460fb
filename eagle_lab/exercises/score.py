"""`score_candidate_tree(nodes)`, asked twice: right trees are scored, and illegal ones refused."""

import math
from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np

from ..tree import score_candidate_tree
from .kinds import Exercise, alike, cases, draw_parents, drawn, same, says, traits
from .slips import slips, spoilt


def _nodes(*rows):
    """The arguments of `score_candidate_tree` from rows of parent, token, log_score."""
    return ([{"parent": parent, "token": token, "log_score": log_score} for parent, token, log_score in rows],)


_EXAMPLE = _nodes((-1, 10, -0.1), (0, 11, -0.2), (0, 12, -1.0), (1, 13, -0.05))
_EXAMPLE_ANSWER = ([-0.1, -0.30000000000000004, -1.1, -0.35000000000000003], [10, 11, 13])

_LEVELS = 1100  # more than Python's recursion goes down

CASES = cases(
    "score",
    example=(_EXAMPLE, _EXAMPLE_ANSWER),
    tokens_unlike_indices=(
        _nodes((-1, 7, -0.5), (-1, 3, -0.2), (0, 5, -0.1), (1, 2, -1.6), (1, 0, -0.3), (0, 1, -0.9)),
        ([-0.5, -0.2, -0.6, -1.8, -0.5, -1.4], [3, 0]),
    ),
    short_beats_long=(
        _nodes((-1, 4, -0.5), (-1, 5, -0.3), (1, 6, -0.3), (1, 7, -0.35), (3, 8, -0.1), (3, 9, -0.9), (5, 3, -0.8)),
        ([-0.5, -0.3, -0.6, -0.65, -0.75, -1.55, -2.35], [4]),
    ),
    tie=(_nodes((-1, 8, -0.5), (0, 9, -0.25), (0, 6, -0.25)), ([-0.5, -0.75, -0.75], [8, 9])),
    low=(
        _nodes((-1, 1, -400.123456), (0, 2, -500.123456), (0, 3, -450.5), (2, 4, -0.5)),
        ([-400.123456, -900.246912, -850.623456, -851.123456], [1, 3, 4]),
    ),
    single=(_nodes((-1, 0, 0)), ([0], [0])),
    impossible=(_nodes((-1, 3, -math.inf), (0, 5, -0.5), (-1, 4, -2)), ([-math.inf, -math.inf, -2], [4])),
    interleaved=(
        _nodes(
            *[(-1, 1, -1), (-1, 0, -0.5), (0, 3, -0.25), (1, 3, -1), (0, 2, -2)],
            *[(3, 4, -0.75), (-1, 1, -2.5), (2, 9, 0), (3, 4, 0.0), (7, 4, -0.125)],
        ),
        ([-1, -0.5, -1.25, -1.5, -3, -2.25, -2.5, -1.25, -1.5, -1.375], [1, 3, 9, 4]),
    ),
    deep=(
        _nodes(*((level - 1, level, -1 / 64) for level in range(_LEVELS))),
        ([-level / 64 for level in range(1, 1 + _LEVELS)], list(range(_LEVELS))),
    ),
)

CONTRACT_CASES = cases(
    "score",
    empty=(([],), ValueError),
    below_root=(_nodes((-1, 10, -0.1), (0, 12, -0.3), (-2, 11, -0.2)), ValueError),
    own_parent=(_nodes((-1, 1, -1), (1, 2, 0)), ValueError),
    first_below_itself=(_nodes((0, 1, -1), (0, 2, -1)), ValueError),
    later_parent=(_nodes((-1, 10, -0.1), (2, 11, -0.2), (0, 12, -0.3)), ValueError),
    still_scored=(_EXAMPLE, _EXAMPLE_ANSWER),
    late_child_of_the_root=(_nodes((-1, 10, -1.0), (0, 11, 0.0), (-1, 12, -0.5)), ([-1.0, -1.0, -0.5], [12])),
)


def _climb(parents, node):
    """The nodes from one up to a child of the root."""
    path = []
    while node != -1:
        path.append(node)
        node = parents[node]
    return path


def _best(nodes, values):
    return max(nodes, key=lambda node: values[node])  # max keeps the first of equals


def _tree(nodes, score_of=lambda t: t.above + t.edge):
    """A tree's columns and what follows from them; a node's score is `score_of(t)`, when those before it are there."""
    t = SimpleNamespace(scores=[], depths=[])
    t.parents, t.tokens, t.edges = ([node[key] for node in nodes] for key in ("parent", "token", "log_score"))
    for node, parent in enumerate(t.parents):
        t.node, t.parent, t.edge = node, parent, t.edges[node]
        t.above = t.scores[parent] if parent >= 0 else 0
        t.scores.append(score_of(t))
        t.depths.append(1 + (t.depths[parent] if parent >= 0 else 0))
    t.leaves = sorted(set(range(len(nodes))) - set(t.parents))
    t.path = _climb(t.parents, _best(t.leaves, t.scores))[::-1]
    return t


def _spelled(tree, path):
    return tree.scores, [tree.tokens[node] for node in path]


def _scored(score_of):
    """Scores of another kind, and the path that is best by them."""

    def answer(nodes):
        tree = _tree(nodes, score_of)
        return _spelled(tree, tree.path)

    return answer


def _adds(number):
    """Scores that add `number(at)` to the edge, and nothing below the root."""
    return _scored(lambda at: at.edge + (number(at) if at.parent >= 0 else 0))


def _root(number):
    """Right scores, if the root counted `number(at)`."""
    return _scored(lambda at: at.edge + (at.above if at.parent >= 0 else number(at)))


def _with(change):
    """What is made of the right tree: `change(tree)`."""
    return lambda nodes: change(_tree(nodes))


def _scores(change):
    return _with(lambda t: (change(t), None))


def _path(change):
    """Right scores and another path: `change(tree)`."""
    return _with(lambda t: (t.scores, change(t)))


def _nodes_of(some):
    """Right scores, and the tokens of some nodes of the best path."""
    return _with(lambda t: _spelled(t, some(t.path)))


def _ends(choose):
    """Right scores, and the path to another node: `choose(tree)`."""
    return _with(lambda t: _spelled(t, _climb(t.parents, choose(t))[::-1]))


def _leaf(values):
    """Right scores, and the path to the leaf that is best by other `values(tree)`."""
    return _ends(lambda t: _best(t.leaves, values(t)))


def _step_by_step(values):
    """The node to which the best child of each leads."""

    def choose(t):
        node = -1
        while node in t.parents:
            node = _best([child for child, parent in enumerate(t.parents) if parent == node], values(t))
        return node

    return choose


def _recursive(nodes):
    def score(node):
        return nodes[node]["log_score"] + score(nodes[node]["parent"]) if node >= 0 else 0

    return [score(node) for node in range(len(nodes))], None


def _last_with_token(at, token):
    """The score of the last node so far that holds a token."""
    return next((at.scores[node] for node in range(at.node - 1, -1, -1) if at.tokens[node] == token), 0)


SLIPS = [
    *slips(
        "score",
        scores_alone=_with(lambda t: t.scores),
        path_alone=_with(lambda t: _spelled(t, t.path)[1]),
        no_entry_above=_root(lambda at: at.scores[-1]),
        no_key_above=_root(lambda at: dict(enumerate(at.scores))[-1]),
        path_of_indices=_path(lambda t: t.path),
        path_of_scores=[_path(lambda t: [t.scores[n] for n in t.path]), _path(lambda t: [t.edges[n] for n in t.path])],
        path_reversed=_nodes_of(lambda path: path[::-1]),
        path_lacks_first=_nodes_of(lambda path: path[1:]),
        path_stops_at_zero=_nodes_of(lambda path: [node for node in path if node] or path),
        leaf_itself_alone=[_nodes_of(lambda path: path[-1:]), _path(lambda t: t.tokens[t.path[-1]])],
        path_lacks_leaf=_nodes_of(lambda path: path[:-1]),
        path_with_root=[_path(lambda t: [-1, *_spelled(t, t.path)[1]]), _nodes_of(lambda path: [-1, *path])],
        path_empty=_path(lambda t: []),
        best_of_all=_ends(lambda t: _best(range(len(t.tokens)), t.scores)),
        node_zero_always=[
            _ends(lambda t, low=low: _best([leaf for leaf in t.leaves if t.scores[leaf] > low] or [0], t.scores))
            for low in (math.inf, 0, -1, -10, -100)
        ],
        inner_as_zero=_ends(
            lambda t: int(np.argmax([t.scores[n] if n in t.leaves else 0 for n in range(len(t.tokens))]))
        ),
        not_a_leaf=[
            _ends(lambda t: _best(sorted(set(range(len(t.tokens))) - set(t.parents[:-1])), t.scores)),
            _ends(lambda t: _best(range(1 + max(t.parents), len(t.tokens)), t.scores)),
            _ends(lambda t: _best([n for n in range(len(t.tokens)) if t.parents[n + 1 : n + 2] != [n]], t.scores)),
        ],
        later_tie=_ends(lambda t: _best(t.leaves[::-1], t.scores)),
        greedy=[_ends(_step_by_step(lambda t: t.scores)), _ends(_step_by_step(lambda t: t.edges))],
        best_mean=_leaf(lambda t: np.divide(t.scores, t.depths)),
        best_edge=_leaf(lambda t: t.edges),
        deepest=[_leaf(lambda t: list(zip(t.depths, t.scores, strict=True))), _leaf(lambda t: t.depths)],
        first_leaf=_ends(lambda t: t.leaves[0]),
        last_leaf=_ends(lambda t: t.leaves[-1]),
        worst_leaf=_leaf(lambda t: np.negative(t.scores)),
    ),
    *slips(
        "score",
        0,
        recursion=_recursive,
        leaves_alone=_scores(lambda t: [t.scores[leaf] for leaf in t.leaves]),
        rounded=[_scored(lambda at, digits=digits: round(at.edge + at.above, digits)) for digits in range(6)],
        sign=[_scored(lambda at: at.above - at.edge), _scores(lambda t: np.negative(t.scores))],
        reordered=[_scores(lambda t, step=step: sorted(t.scores)[::step]) for step in (1, -1)]
        + [_scores(lambda t: t.scores[::-1])],
        exp=[_scores(lambda t: np.exp(t.scores)), _scored(lambda at: math.exp(at.edge) + at.above)],
        by_depth=_scores(lambda t: np.divide(t.scores, t.depths)),
        multiplied=_scored(lambda at: at.edge * (at.above if at.parent >= 0 else 1)),
        subtracted=[_adds(lambda at: at.above - 2 * at.edge), _adds(lambda at: -at.above)],
        wraps=_root(lambda at: at.scores[-1] if at.scores else 0),
        root_counts_one=_root(lambda at: 1),
        node_zero_is_root=_adds(lambda at: at.above if at.parent else 0),
        edge_alone=_scored(lambda at: at.edge),
        edge_missing=[_scored(lambda at: at.above if at.parent >= 0 else at.edge), _scored(lambda at: at.above)],
        parents_edge=_adds(lambda at: at.edges[at.parent]),
        parent_by_token=_adds(lambda at: _last_with_token(at, at.parent)),
        kept_by_token=_adds(lambda at: _last_with_token(at, at.tokens[at.parent])),
        previous=_scored(lambda at: at.edge + (at.scores[-1] if at.scores else 0)),
        all_earlier=_scored(lambda at: at.edge + sum(at.scores)),
        all_ancestors=_adds(lambda at: sum(at.scores[node] for node in _climb(at.parents, at.parent))),
        two_levels=_adds(lambda at: sum(at.edges[node] for node in _climb(at.parents, at.parent)[:2])),
        index_added=[_scored(lambda at: at.edge + at.parent), _adds(lambda at: at.parent)],
    ),
]


def _fact(got, expected, nodes):
    """The first wrong score and how it is made, by the learner's own score of the parent; or which leaf is the best."""
    if expected is ValueError or not (isinstance(got, Sequence) and len(got) == 2 and alike(got[0], expected[0])):
        return None
    tree, scores = _tree(nodes), got[0]
    node = next((node for node, pair in enumerate(zip(scores, tree.scores, strict=True)) if not same(*pair)), None)
    if node is None:
        return says("facts", "best_leaf", node=tree.path[-1], score=tree.scores[tree.path[-1]])
    parent, edge = tree.parents[node], tree.edges[node]
    above = scores[parent] if parent >= 0 else 0
    return says("facts", "score", node=node, parent=parent, above=above, edge=edge, score=above + edge)


TRAITS = traits(
    "score",
    _tree,
    single=lambda t: len(t.tokens) == 1,
    impossible=lambda t: -math.inf in t.edges,
    certain=lambda t: 0 in t.edges,
    repeated=lambda t: len(set(t.tokens)) < len(t.tokens),
    several_below_root=lambda t: t.parents.count(-1) > 1,
    unordered=lambda t: t.parents != sorted(t.parents),
    by_levels=lambda t: t.depths != sorted(t.depths),
    low=lambda t: -math.inf < min(t.scores) < -100,
    vanishing=lambda t: min(t.scores) < -745,
    last_is_best=lambda t: t.path[-1] == len(t.tokens) - 1,
    short_path=lambda t: len(t.path) < max(t.depths),
)


def _draw(chance):
    edges = [0, -0.25, -0.5, -1, -1.75, -300]
    return _nodes(*((parent, chance.randrange(9), chance.choice(edges)) for parent in draw_parents(chance, 1)))


_ALL = SLIPS + spoilt(score_candidate_tree, "rounded", "swapped", "nested")
EXERCISE = Exercise(CASES, _ALL, TRAITS, _fact, drawn(score_candidate_tree, _draw))
CONTRACT = Exercise(CONTRACT_CASES, _ALL, [], _fact)
