"""`fuse_layer_features(layer_features, weights)`: what is asked, and the slips that we know."""

from collections.abc import Sequence
from functools import reduce
from operator import mul
from types import SimpleNamespace

import numpy as np

from ..fusion import fuse_layer_features, normalize_fusion_weights
from .kinds import Exercise, alike, cases, drawn, first_difference, same, says, slips

CASES = cases("fuse", fuse_layer_features)


def _parts(rows, weights):
    """What slips are made of: `layers` and `weighted`, both `[layers, hidden]`; `fused`, the right answer."""
    t = SimpleNamespace(rows=rows, weights=np.array(weights), layers=np.array(rows, float))
    t.shares = np.array(normalize_fusion_weights(weights))
    t.weighted, t.fused = t.shares[:, None] * t.layers, t.shares @ t.layers
    return t


def _zeros_skipped(t):
    """A layer whose value is 0 in a dimension has no part in it: the others share what was its."""
    used = (t.shares[:, None] * (t.layers != 0)).sum(axis=0)
    return t.fused / np.where(used, used, 1)


def _whole_numbers(t):
    """Added up in an array of the kind of the first row."""
    return reduce(lambda total, row: (total + row).astype(np.array(t.rows[0]).dtype), t.weighted, 0)


SLIPS = slips(
    "fuse",
    _parts,
    raw_weights=lambda t: t.weights @ t.layers,
    mean_of_weighted=lambda t: t.weighted.mean(axis=0),
    first_layer_alone=lambda t: t.weighted[0],
    last_layer_alone=lambda t: t.weighted[-1],
    divided_again=lambda t: t.fused / sum(t.weights),
    first_and_last=lambda t: t.weighted[0] + t.weighted[-1],
    first_layer_whole=lambda t: t.layers[0] + t.weighted[1:].sum(axis=0),
    shares_moved_up=lambda t: sum(map(mul, t.shares[t.shares > 0], t.layers)),
    share_by_content=lambda t: t.shares[[t.rows.index(row) for row in t.rows]] @ t.layers,
    share_as_key=lambda t: sum(share * layer for share, layer in dict(zip(t.shares, t.layers, strict=True)).items()),
    whole_numbers=[_whole_numbers, lambda t: t.fused.astype(np.array(t.rows[0]).dtype)],
    summed_within=lambda t: t.weighted.sum(axis=1),
    reshaped=lambda t: t.layers.reshape(t.layers.T.shape) @ t.shares,
    along_width=[
        lambda t: (t.layers * t.shares).sum(axis=0),
        lambda t: [t.shares[d] * t.layers[:, d].sum() for d in range(len(t.rows[0]))],
    ],
    layers_for_dimensions=lambda t: [t.shares @ t.layers[:, d] for d in range(len(t.rows))],
    joined=lambda t: t.weighted.ravel(),
    first_dimension_alone=[lambda t: t.fused[0], lambda t: t.fused[:1]],
    zeros_skipped=_zeros_skipped,
    carried_over=lambda t: t.fused.cumsum(),
)


def _fact(got, expected, rows, weights):
    """What was cut off in silence, or how the first wrong dimension comes to its value."""
    if expected is ValueError:
        return _dropped(got, rows, weights)
    if not alike(got, expected):
        return None
    place = first_difference(got, expected)
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


def _draw(chance):
    layers, width = chance.randint(1, 4), chance.randint(1, 5)
    weights = [chance.choice([0, 1, 2, 3, 0.5]) for _ in range(layers - 1)]
    rows = [[chance.choice([0, 1, -2, 3, 0.5, 7]) for _ in range(width)] for _ in range(layers)]
    return rows, chance.sample([*weights, 1], layers)


EXERCISE = Exercise(CASES, SLIPS, [], _fact, drawn(fuse_layer_features, _draw))
