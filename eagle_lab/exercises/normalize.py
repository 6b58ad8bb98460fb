"""`normalize_fusion_weights(weights)`: what is asked, and the slips that we know."""

import math

import numpy as np

from ..fusion import normalize_fusion_weights
from .kinds import Exercise, cases, drawn, in_plain_form, same, says, traits
from .slips import slips, spoilt

CASES = cases(
    "normalize",
    pair=(([1, 3],), [0.25, 0.75]),
    fractions=(([3, 1.5, 4.5],), [1 / 3, 1 / 6, 1 / 2]),
    zeros=(([0, 2, 2, 0],), [0, 0.5, 0.5, 0]),
    tiny=(([1e-20, 1e-20, 2e-20, 3e-20, 1e-20],), [0.125, 0.125, 0.25, 0.375, 0.125]),
    single=(([20],), [1]),
    empty=(([],), ValueError),
    no_sum=(([0, 0],), ValueError),
    negative=(([1, -1],), ValueError),
    negative_but_a_sum=(([3, -1],), ValueError),
    negative_first=(([-1, 3],), ValueError),
    all_negative=(([-1, -3],), ValueError),
)


def _by(rule):
    return lambda weights: rule(np.array(weights, float))


def _over(divisor):
    """Weights divided by another number than their sum: `divisor(weights)`."""
    return lambda weights: [weight / divisor(weights) for weight in weights]


def _of(change):
    """The shares of weights that were changed before: `change(weights)`, an array."""
    return _by(lambda weights: change(weights) / change(weights).sum())


def _then(change):
    """Right shares with which something was done: `change(shares)`, an array."""
    return _by(lambda weights: change(weights / weights.sum()))


def _one_by_one(weights):
    """Each share takes its weight's place before the next sum is taken."""
    weights = list(weights)
    for place, weight in enumerate(weights):
        weights[place] = weight / sum(weights)
    return weights


_SMALL = [10.0**-digits for digits in range(6, 17)]
SLIPS = slips(
    "normalize",
    untouched=list,
    by_count=_over(len),
    by_largest=_over(max),
    by_length=_over(np.linalg.norm),
    by_whole_sum=[_over(lambda weights: sum(map(int, weights))), _over(lambda weights: int(sum(weights)))],
    by_set=_over(lambda weights: sum(set(weights))),
    whole_weights=[_of(np.trunc), _by(lambda weights: np.trunc(weights) / weights.sum())],
    sum_lacks_last=_over(lambda weights: sum(weights[:-1])),
    sum_lacks_first=_over(lambda weights: sum(weights[1:])),
    sum_from_one=_over(lambda weights: 1 + sum(weights)),
    sum_counts_first_twice=_over(lambda weights: weights[0] + sum(weights)),
    epsilon=[_over(lambda weights, more=more: more + sum(weights)) for more in _SMALL]
    + [_over(lambda weights, least=least: max(least, sum(weights))) for least in _SMALL],
    only_above_one=_over(lambda weights: max(1, sum(weights))),
    moving_sum=[_one_by_one, _by(lambda weights: weights / weights.cumsum())],
    upside_down=lambda weights: [sum(weights) / weight if weight else 0 for weight in weights],
    softmax=_of(np.exp),
    equal=_of(np.ones_like),
    percent=_then(lambda shares: 100 * shares),
    reordered=[_then(np.sort), _then(lambda shares: np.sort(shares)[::-1]), _then(lambda shares: shares[::-1])],
    zeros_dropped=_then(lambda shares: shares[shares > 0]),
    equals_dropped=[_then(np.unique), _then(lambda shares: list(dict.fromkeys(shares))), _of(np.unique)],
    first_alone=[_then(lambda shares: shares[0]), _then(lambda shares: shares[:1])],
    the_sum=sum,
)


def _fact(got, expected, weights):
    """What became of weights that should have been refused."""
    if expected is not ValueError:
        return None
    if weights and same(got, [math.nan for _ in weights]):
        return says("facts", "nan")
    for key, change in (("absolute", np.abs), ("clipped", lambda weights: weights.clip(0)), ("equal", np.ones_like)):
        told = weights and (min(weights) < 0 < max(weights) or not sum(weights))
        if told and same(got, in_plain_form(_of(change)(weights))):
            return says("facts", key)
    return None


TRAITS = traits(
    "normalize",
    single=lambda weights: len(weights) == 1,
    many=lambda weights: len(weights) > 2,
    zero=lambda weights: 0 in weights,
    tiny=lambda weights: sum(weights) < 1,
    fractions=lambda weights: any(weight % 1 for weight in weights),
    alike=lambda weights: len(set(weights)) < len(weights),
)


def _draw(chance):
    weights = [chance.choice([0, 1, 2, 3, 0.5, 2.25]) for _ in range(chance.randrange(5))]
    return ([*weights, chance.choice([1, 4, 0.75]), *weights[:1]],)


EXERCISE = Exercise(
    CASES,
    SLIPS + spoilt(normalize_fusion_weights, "rounded", "nested"),
    TRAITS,
    _fact,
    drawn(normalize_fusion_weights, _draw),
)
