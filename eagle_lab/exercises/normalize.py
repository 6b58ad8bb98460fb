"""`normalize_fusion_weights(weights)`: what is asked, and the slips that we know."""

import math

import numpy as np

from ..fusion import normalize_fusion_weights
from .kinds import Exercise, alike, cases, drawn, first_difference, in_plain_form, same, says, slips, traits

CASES = cases("normalize", normalize_fusion_weights)


def _over(divisor):
    """Weights divided by another number than their sum: `divisor(weights)`."""
    return lambda weights: [weight / divisor(weights) for weight in weights]


def _of(change):
    """The shares of weights that were changed before: `change(weights)`."""
    return lambda weights: change(weights) / np.sum(change(weights))


def _rounded(digits):
    return lambda weights: np.round(np.array(weights) / sum(weights), digits)


def _one_by_one(weights):
    """Each share takes its weight's place before the next sum is taken."""
    weights = list(weights)
    for place, weight in enumerate(weights):
        weights[place] = weight / sum(weights)
    return weights


SLIPS = slips(
    "normalize",
    untouched=list,
    by_count=_over(len),
    by_largest=_over(max),
    by_length=_over(np.linalg.norm),
    by_set=_over(lambda weights: sum(set(weights))),
    whole_weights=lambda weights: np.trunc(weights) / sum(weights),
    epsilon=[_over(lambda weights, digits=digits: sum(weights) + 10.0**-digits) for digits in range(6, 17)],
    only_above_one=_over(lambda weights: max(1, sum(weights))),
    moving_sum=[_one_by_one, lambda weights: weights / np.cumsum(weights)],
    softmax=_of(np.exp),
    zeros_dropped=lambda weights: [weight / sum(weights) for weight in weights if weight],
    rounded=[lambda weights: np.floor_divide(weights, sum(weights)), *map(_rounded, range(6))],
)


def _fact(got, expected, weights):
    """How the first wrong share comes to its value, or what became of weights that should have been refused."""
    if expected is ValueError:
        return _let_through(got, weights)
    if not alike(got, expected):
        return None
    place = first_difference(got, expected)
    return says("facts", "share", place=place, weight=weights[place], total=sum(weights), share=expected[place])


def _let_through(got, weights):
    hidden = weights and (min(weights) < 0 < max(weights) or not sum(weights))
    if hidden and same(got, [math.nan for _ in weights]):
        return says("facts", "nan")
    for key, change in _HIDDEN_BY.items():
        if hidden and same(got, in_plain_form(_of(change)(weights))):
            return says("facts", key)
    return None


_HIDDEN_BY = {"absolute": np.abs, "clipped": lambda weights: np.clip(weights, 0, None), "equal": np.ones_like}

TRAITS = traits(
    "normalize",
    single=lambda weights: len(weights) == 1,
    zero=lambda weights: 0 in weights,
    tiny=lambda weights: sum(weights) < 1,
    fractions=lambda weights: any(weight % 1 for weight in weights),
)


def _draw(chance):
    weights = [chance.choice([0, 1, 2, 3, 0.5, 2.25]) for _ in range(chance.randrange(5))]
    return ([*weights, chance.choice([1, 4, 0.75]), *weights[:1]],)


EXERCISE = Exercise(CASES, SLIPS, TRAITS, _fact, drawn(normalize_fusion_weights, _draw))
