"""`tree_attention_mask(parents)`: what is asked, and the slips that we know."""

import math
from types import SimpleNamespace

import numpy as np

from .kinds import Exercise, alike, cases, draw_parents, drawn, first_difference, says, slips, traits


def _table(parents):
    """The right table with all that a rule may ask of its cells; every item is `[1+n, 1+n]` but `above`, `[1+n]`."""
    right = np.eye(1 + len(parents), dtype=int)
    for row, parent in enumerate(parents, start=1):
        right[row] |= right[1 + parent]
    row, column = np.indices(right.shape)
    deeper = right.sum(axis=1) - right.sum(axis=1)[:, None]  # than its row's, the column's node
    up = np.where(right, -deeper, -1)  # levels to the ancestor, 0 to itself, -1 to others
    above = np.array([-1, *(1 + parent for parent in parents)])  # the row of each row's parent
    return SimpleNamespace(right=right, row=row, column=column, up=up, deeper=deeper, above=above)


def _right(parents):
    return _table(parents).right.tolist()


CASES = cases("mask", _right, deep=(list(range(-1, 69)),))


def _besides(rule):
    """What should be seen, and more."""
    return lambda t: t.right | rule(t)


def _sees_up(levels):
    """Ancestors are seen up to a level alone, and the root."""
    return lambda t: t.right & ((t.up <= levels) | (t.column == 0))


def _one_to_the_left(table):
    return np.pad(table, ((0, 0), (0, 1)))[:, 1:]


def _marked_above(parents):
    """Every row is a copy of the parent's, in which the node was marked instead."""
    table = np.zeros((1 + len(parents),) * 2, int)
    table[0, 0] = 1
    for node, parent in enumerate(parents):
        table[1 + parent, 1 + node] = 1
        table[1 + node] |= table[1 + parent]
    return table


SLIPS = slips(
    "mask",
    _table,
    additive=lambda t: np.where(t.right, 0, -math.inf),
    inverted=lambda t: 1 - t.right,
    transposed=lambda t: t.right.T,
    triangular=lambda t: t.column <= t.row,
    columns_off=[
        lambda t: _one_to_the_left((t.up > 0) & (t.column > 0)) | (t.up == 0) | (t.column == 0),
        lambda t: _one_to_the_left((t.up >= 0) & (t.column > 0)) | (t.column == 0),
    ],
    root_blind=lambda t: t.right & (t.row > 0),
    root_unseen=lambda t: t.right & ((t.up == 0) | (t.column > 0)),
    itself_unseen=lambda t: t.right & ((t.up > 0) | (t.row == 0)),
    node_zero_unseen=lambda t: t.right & ((t.up == 0) | (t.column != 1)),
    above_1_unseen=_sees_up(1),
    above_2_unseen=_sees_up(2),
    root_sees_nodes=_besides(lambda t: t.row == 0),
    descendants=[_besides(lambda t: t.right.T), _besides(lambda t: t.right.T & (t.row > 0))],
    siblings=_besides(lambda t: t.above[t.row] == t.above[t.column]),
    branches=[
        _besides(lambda t: (t.column > 0) & t.right[t.row, t.above[t.column]] & (t.above[t.column] != t.row)),
        _besides(lambda t: t.deeper < 0),
        lambda t: t.right @ ((t.above[t.row] == t.above[t.column]) & (t.column <= t.row)) > 0,
    ],
) + slips(
    "mask",
    rows_off=lambda parents: _right([max(parent, 0) - 1 for parent in parents]),
    parents_row_marked=_marked_above,
)


def _fact(got, expected, parents):
    """What the first wrong row should see."""
    if not alike(got, expected):
        return None
    row = first_difference(got, expected)
    return says("facts", "row", row=row, columns=[column for column, cell in enumerate(expected[row]) if cell])


TRAITS = traits("mask", empty=lambda parents: not parents, deep=lambda parents: len(parents) == 70)
EXERCISE = Exercise(CASES, SLIPS, TRAITS, _fact, drawn(_right, lambda chance: (draw_parents(chance),)))
