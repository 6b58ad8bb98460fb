"""`tree_attention_mask(parents)`: what is asked, and the slips that we know."""

import math
from types import SimpleNamespace

import numpy as np

from .kinds import Exercise, cases, draw_parents, drawn, traits
from .slips import slips, spoilt


def _rows(text):
    return [[int(cell) for cell in row] for row in text.split()]


CASES = cases(
    "mask",
    example=(([-1, 0, 0, 1],), _rows("10000 11000 11100 11010 11101")),
    interleaved=(
        ([-1, -1, 0, 1, -1, 3, 2, 4],),
        _rows("100000000 110000000 101000000 110100000 101010000 100001000 101010100 110100010 100001001"),
    ),
    single=(([-1],), _rows("10 11")),
    empty=(([],), [[1]]),
    deep=((list(range(-1, 69)),), np.tri(71, dtype=int).tolist()),
)


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


def _by(rule):
    return lambda parents: rule(_table(parents))


def _besides(rule):
    """What should be seen, and more."""
    return _by(lambda t: (t.up >= 0) | rule(t))


def _sees_up(levels):
    """Ancestors are seen up to a level alone; the root always, or by the same rule."""
    return [
        _by(lambda t: (t.up >= 0) & (t.up <= levels) | (t.column == 0)),
        _by(lambda t: (t.up >= 0) & (t.up <= levels)),
    ]


def _moved(table, rows, columns):
    """A table shifted up by `rows` and to the left by `columns`."""
    return np.pad(table, ((0, rows), (0, columns)))[rows:, columns:]


def _copies(row_of, marked=lambda node, parent: 1 + node):
    """Every row a copy of the row `row_of(parent)`; the node is marked in the row `marked(node, parent)`."""

    def answer(parents):
        table = np.zeros((1 + len(parents),) * 2, int)
        table[0, 0] = 1
        for node, parent in enumerate(parents):
            table[marked(node, parent), 1 + node] = 1
            table[1 + node] |= table[row_of(parent)]
        return table

    return answer


SLIPS = slips(
    "mask",
    no_root=_by(lambda t: t.right[1:, 1:]),
    not_square=[_by(lambda t: t.right[1:]), _by(lambda t: t.right[:, 1:])],
    flat=_by(lambda t: t.right.ravel()),
    additive=[_by(lambda t, low=low: np.where(t.right, 0, low)) for low in (-math.inf, -1e9, -1e4)],
    column_numbers=_by(lambda t: [np.flatnonzero(row) for row in t.right]),
    ones=_by(lambda t: np.ones_like(t.right)),
    inverted=_by(lambda t: 1 - t.right),
    transposed=_by(lambda t: t.right.T),
    itself_alone=_by(lambda t: t.up == 0),
    parent_alone=_sees_up(1)[1],
    triangular=[_by(lambda t: t.column <= t.row), _by(lambda t: t.column < t.row)],
    columns_off=[
        _by(lambda t: _moved((t.up > 0) & (t.column > 0), 0, 1) | (t.up == 0) | (t.column == 0)),
        _by(lambda t: _moved((t.up >= 0) & (t.column > 0), 0, 1) | (t.column == 0)),
    ],
    rows_off=[
        _by(lambda t: _moved(t.right, 1, 0)),
        _copies(lambda parent: parent),
        _copies(lambda parent: max(parent, 0)),
    ],
    root_blind=_by(lambda t: (t.up >= 0) & (t.row > 0)),
    root_unseen=[_by(lambda t: (t.up == 0) | (t.up > 0) & (t.column > 0)), _by(lambda t: (t.up >= 0) & (t.column > 0))],
    itself_unseen=[_by(lambda t: (t.up > 0) | (t.row + t.column == 0)), _by(lambda t: t.up > 0)],
    ancestors_unseen=_sees_up(0)[0],
    parent_unseen=_by(lambda t: (t.up == 0) | (t.up > 1) | (t.column == 0)),
    node_zero_unseen=_by(lambda t: (t.up == 0) | (t.up > 0) & (t.column != 1)),
    above_1_unseen=_sees_up(1)[0],
    above_2_unseen=_sees_up(2),
    above_3_unseen=_sees_up(3),
    root_sees_nodes=_besides(lambda t: t.row == 0),
    descendants=[_besides(lambda t: t.right.T), _besides(lambda t: t.right.T & (t.row > 0))],
    parents_row_marked=_copies(lambda parent: 1 + parent, lambda node, parent: 1 + parent),
    siblings=[
        _besides(lambda t: t.above[t.row] == t.above[t.column]),
        _besides(lambda t: (t.above[t.row] == t.above[t.column]) & (t.column < t.row)),
    ],
    branches=[
        _besides(lambda t: (t.column > 0) & t.right[t.row, t.above[t.column]] & (t.above[t.column] != t.row)),
        _besides(lambda t: t.deeper < 0),
        _by(lambda t: t.right @ ((t.above[t.row] == t.above[t.column]) & (t.column <= t.row)) > 0),
    ],
)


TRAITS = traits(
    "mask",
    empty=lambda parents: not parents,
    single=lambda parents: len(parents) == 1,
    branches=lambda parents: len(set(parents)) < len(parents),
    no_branches=lambda parents: len(set(parents)) == len(parents),
    several_below_root=lambda parents: parents.count(-1) > 1,
    deep=lambda parents: len(parents) == 70,
)
_right = _by(lambda t: t.right.tolist())
DRAWN = drawn(_right, lambda chance: (draw_parents(chance),))
EXERCISE = Exercise(CASES, SLIPS + spoilt(_right, "nested"), TRAITS, drawn=DRAWN)
