"""`fuse_layer_features(layer_features, weights)`: what is asked, and the slips that we know."""

from collections.abc import Sequence
from functools import reduce
from operator import mul
from types import SimpleNamespace

import numpy as np

from ..fusion import fuse_layer_features, normalize_fusion_weights
from .kinds import Exercise, alike, cases, drawn, same, says, traits
from .slips import slips, spoilt

CASES = cases(
    "fuse",
    pair=(([[2, 4], [6, 0]], [1, 3]), [5, 1]),
    three=(([[4, 0, 1, 2], [8, -2, 0, 1], [2, 6, 3, -1]], [3, 1, 2]), [4, 5 / 3, 1.5, 5 / 6]),
    single=(([[0, 2.5, -3, 2.5, 0]], [20]), [0, 2.5, -3, 2.5, 0]),
    width_one=(([[1], [2.5], [-0.5], [2.5], [1]], [0, 0.5, 0.5, 0, 0]), [1]),
    unequal=(([[1], [1, 2]], [1, 1]), ValueError),
    wider_middle=(([[1], [2], [3, 4], [5]], [1, 1, 1, 1]), ValueError),
    narrower_last=(([[1, 2], [3]], [1, 1]), ValueError),
    one_weight=(([[1, 2], [3, 4]], [1]), ValueError),
    one_layer=(([[1, 2]], [1, 1]), ValueError),
    negative=(([[1], [2]], [3, -1]), ValueError),
    negative_first=(([[1], [2]], [-1, 3]), ValueError),
    no_width=(([[], []], [1, 1]), ValueError),
    no_sum=(([[1], [2]], [0, 0]), ValueError),
)


def _by(rule):
    """What a rule makes of a case: `layers` and `weighted`, both `[layers, hidden]`; `fused`, the right answer."""

    def answer(rows, weights):
        t = SimpleNamespace(rows=rows, weights=np.array(weights), layers=np.array(rows, float))
        t.shares = np.array(normalize_fusion_weights(weights))
        t.weighted, t.fused = t.shares[:, None] * t.layers, t.shares @ t.layers
        return rule(t)

    return answer


def _shared(change):
    """The layers summed by other shares: `change(shares)`."""
    return _by(lambda t: np.array(change(t.shares)) @ t.layers)


def _zeros_skipped(t):
    """A layer whose value is 0 in a dimension has no part in it: the others share what was its."""
    used = (t.shares[:, None] * (t.layers != 0)).sum(axis=0)
    return t.fused / np.where(used, used, 1)


SLIPS = slips(
    "fuse",
    raw_weights=_by(lambda t: t.weights @ t.layers),
    weights_unused=[_by(lambda t: t.layers.mean(axis=0)), _by(lambda t: t.layers.sum(axis=0))],
    softmax=_by(lambda t: normalize_fusion_weights(np.exp(t.weights)) @ t.layers),
    mean_of_weighted=_by(lambda t: t.weighted.mean(axis=0)),
    first_layer_alone=[_by(lambda t: t.weighted[0]), _by(lambda t: t.layers[0])],
    last_layer_alone=[_by(lambda t: t.weighted[-1]), _by(lambda t: t.layers[-1])],
    last_layer_missing=_by(lambda t: t.weighted[:-1].sum(axis=0)),
    first_layer_missing=_by(lambda t: t.weighted[1:].sum(axis=0)),
    first_layer_twice=[_by(lambda t: t.layers[0] + t.fused), _by(lambda t: t.weighted[0] + t.fused)],
    divided_again=_by(lambda t: t.fused / sum(t.weights)),
    first_and_last=_by(lambda t: t.weighted[0] + t.weighted[-1]),
    first_layer_whole=_by(lambda t: t.layers[0] + t.weighted[1:].sum(axis=0)),
    reordered=[_shared(change) for change in (sorted, np.flip, lambda shares: sorted(shares)[::-1])]
    + [_shared(lambda shares, by=by: np.roll(shares, by)) for by in (1, -1)],
    one_share_for_all=[_by(lambda t, layer=layer: t.shares[layer] * t.layers.sum(axis=0)) for layer in (0, -1)],
    shares_moved_up=_by(lambda t: sum(map(mul, t.shares[t.shares > 0], t.layers))),
    share_by_content=_by(lambda t: t.shares[[t.rows.index(row) for row in t.rows]] @ t.layers),
    share_as_key=_by(
        lambda t: sum(share * layer for share, layer in dict(zip(t.shares, t.layers, strict=True)).items())
    ),
    whole_numbers=[
        _by(lambda t: t.fused.astype(np.array(t.rows[0]).dtype)),
        _by(lambda t: reduce(lambda total, row: (total + row).astype(np.array(t.rows[0]).dtype), t.weighted, 0)),
    ],
    summed_within=[_by(lambda t: t.weighted.sum(axis=1)), _by(lambda t: t.layers.sum(axis=1))],
    transposed=[_by(lambda t: t.layers @ t.shares), _by(lambda t: [sum(map(mul, t.shares, row)) for row in t.layers])],
    reshaped=_by(lambda t: t.layers.reshape(t.layers.T.shape) @ t.shares),
    along_width=[
        _by(lambda t: (t.layers * t.shares).sum(axis=0)),
        _by(lambda t: [t.shares[d] * t.layers[:, d].sum() for d in range(len(t.rows[0]))]),
    ],
    layers_for_dimensions=_by(lambda t: [t.shares @ t.layers[:, d] for d in range(len(t.rows))]),
    joined=[_by(lambda t: t.weighted.ravel()), _by(lambda t: t.layers.ravel())],
    not_added=[_by(lambda t: t.weighted), _by(lambda t: t.weighted.T)],
    first_dimension_alone=[_by(lambda t: t.fused[0]), _by(lambda t: t.fused[:1])],
    zeros_skipped=_by(_zeros_skipped),
    carried_over=_by(lambda t: t.fused.cumsum()),
)


def _fact(got, expected, rows, weights):
    """What was cut off in silence, or how the first wrong dimension comes to its value."""
    if expected is ValueError:
        return _dropped(got, rows, weights)
    if not alike(got, expected):
        return None
    place = list(map(same, got, expected)).index(False)
    shares = normalize_fusion_weights(weights)
    terms = " + ".join(f"{share:g}*{row[place]:g}" for share, row in zip(shares, rows, strict=True))
    return says("facts", "dimension", place=place, terms=terms, total=expected[place])


def _dropped(got, rows, weights):
    widths = list(map(len, rows))
    if isinstance(got, Sequence) and len(got) == min(widths) < max(widths):
        return says("facts", "cut_off", widths=widths)
    shares = normalize_fusion_weights(weights) if len(rows) != len(weights) else []
    if shares and same(got, [sum(map(mul, shares, column)) for column in zip(*rows, strict=True)]):
        return says("facts", "dropped", layers=len(rows), weights=len(weights))
    return None


TRAITS = traits(
    "fuse",
    single=lambda rows, weights: len(rows) == 1,
    many=lambda rows, weights: len(rows) > 2,
    narrow=lambda rows, weights: len(rows[0]) == 1,
    oblong=lambda rows, weights: len(rows) != len(rows[0]),
    fractions=lambda rows, weights: bool((np.array(fuse_layer_features(rows, weights)) % 1).any()),
)


def _draw(chance):
    layers, width = chance.randint(1, 4), chance.randint(1, 5)
    weights = [chance.choice([0, 1, 2, 3, 0.5]) for _ in range(layers - 1)]
    rows = [[chance.choice([0, 1, -2, 3, 0.5, 7]) for _ in range(width)] for _ in range(layers)]
    return rows, chance.sample([*weights, 1], layers)


EXERCISE = Exercise(
    CASES, SLIPS + spoilt(fuse_layer_features, "rounded", "nested"), TRAITS, _fact, drawn(fuse_layer_features, _draw)
)
