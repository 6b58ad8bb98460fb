"""`score_candidate_tree(nodes)`, asked twice: right trees are scored, and illegal ones refused."""

import math
from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np

from ..tree import score_candidate_tree
from .kinds import Exercise, alike, cases, draw_parents, drawn, same, says, slips, traits


def _nodes(rows):
    """The argument of `score_candidate_tree` from rows of parent, token, log_score."""
    return [{"parent": parent, "token": token, "log_score": log_score} for parent, token, log_score in rows]


_CHAIN = _nodes((level - 1, level, -1 / 64) for level in range(1100))  # deeper than Python's recursion goes
CASES = cases("score", score_candidate_tree, _nodes, deep=(_CHAIN,))
CONTRACT_CASES = cases("contract", score_candidate_tree, _nodes)


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


def _adds(number=lambda at: at.above, to_the_root=lambda at: 0):
    """Scores that add `number(at)` to the edge, or `to_the_root(at)` where the parent is -1."""
    return _scored(lambda at: at.edge + (number(at) if at.parent >= 0 else to_the_root(at)))


def _ends(choose):
    """Right scores, and the path to another node: `choose(tree)`."""
    return lambda t: _spelled(t, _climb(t.parents, choose(t))[::-1])


def _step_by_step(t):
    """The node to which the best child of each leads."""
    node = -1
    while node in t.parents:
        node = _best([child for child, parent in enumerate(t.parents) if parent == node], t.scores)
    return node


def _last_with_token(at, token):
    """The score of the last node so far that holds a token."""
    return next((at.scores[node] for node in range(at.node - 1, -1, -1) if at.tokens[node] == token), 0)


SLIPS = slips(
    "score",
    no_entry_above=_adds(to_the_root=lambda at: at.scores[-1]),
    wraps=_adds(to_the_root=lambda at: at.scores[-1] if at.scores else 0),
    node_zero_is_root=_adds(lambda at: at.above if at.parent else 0),
    parents_edge=_adds(lambda at: at.edges[at.parent]),
    kept_by_token=_adds(lambda at: _last_with_token(at, at.tokens[at.parent])),
    all_ancestors=_adds(lambda at: sum(at.scores[node] for node in _climb(at.parents, at.parent))),
    multiplied=_scored(lambda at: at.edge * (at.above if at.parent >= 0 else 1)),
    rounded=[_scored(lambda at, digits=digits: round(at.edge + at.above, digits)) for digits in range(6)],
) + slips(
    "score",
    _tree,
    path_of_indices=lambda t: (t.scores, t.path),
    path_reversed=lambda t: _spelled(t, t.path[::-1]),
    path_lacks_first=lambda t: _spelled(t, t.path[1:]),
    path_stops_at_zero=lambda t: _spelled(t, [node for node in t.path if node] or t.path),
    best_of_all=_ends(lambda t: _best(range(len(t.tokens)), t.scores)),
    node_zero_always=_ends(lambda t: 0),
    inner_as_zero=_ends(lambda t: int(np.argmax([t.scores[n] if n in t.leaves else 0 for n in range(len(t.tokens))]))),
    not_a_leaf=[
        _ends(lambda t: _best(sorted(set(range(len(t.tokens))) - set(t.parents[:-1])), t.scores)),
        _ends(lambda t: _best(range(1 + max(t.parents), len(t.tokens)), t.scores)),
        _ends(lambda t: _best([n for n in range(len(t.tokens)) if t.parents[n + 1 : n + 2] != [n]], t.scores)),
    ],
    later_tie=_ends(lambda t: _best(t.leaves[::-1], t.scores)),
    greedy=_ends(_step_by_step),
    best_mean=_ends(lambda t: _best(t.leaves, np.divide(t.scores, t.depths))),
    best_edge=_ends(lambda t: _best(t.leaves, t.edges)),
    deepest=_ends(lambda t: _best(t.leaves, list(zip(t.depths, t.scores, strict=True)))),
)


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
    certain=lambda t: 0 in t.edges,
    repeated=lambda t: len(set(t.tokens)) < len(t.tokens),
    several_below_root=lambda t: t.parents.count(-1) > 1,
    unordered=lambda t: t.parents != sorted(t.parents),
    low=lambda t: -math.inf < min(t.scores) < -100,
    vanishing=lambda t: min(t.scores) < -745,
)


def _draw(chance):
    edges = [0, -0.25, -0.5, -1, -1.75, -300]
    return (_nodes((parent, chance.randrange(9), chance.choice(edges)) for parent in draw_parents(chance, 1)),)


EXERCISE = Exercise(CASES, SLIPS, TRAITS, _fact, drawn(score_candidate_tree, _draw))
CONTRACT = Exercise(CONTRACT_CASES, SLIPS, [], _fact)
