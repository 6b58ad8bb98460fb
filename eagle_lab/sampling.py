"""What one row of the target's logits says: the law of the next token, and a draw from it. So far greedy only.

A pass over one row and a pass over many add up in other orders, and no BLAS promises equal bits for both. So where the
target's two largest logits lie within `ROUNDING`, the choice between them may differ with the number of rows that are
read together. Whatever this package says of equal texts holds barring such gaps.
"""

from dataclasses import dataclass

import numpy as np

from .inputs import as_numbers, check_number

ROUNDING = 1e-4  # two logits nearer than this may change places with the number of rows in a pass


@dataclass(frozen=True)
class Sampling:
    """How tokens are drawn, from the first of a text to the last: `temperature` 0 always takes the likeliest.

    Raises `TypeError` or `ValueError` for what is no temperature, and `NotImplementedError` for one above 0.
    """

    temperature: float = 0.0

    def __post_init__(self):
        if not check_number(self.temperature, "temperature") >= 0:
            raise ValueError(f"temperature is {self.temperature!r}: it must be 0 or more")
        if self.temperature > 0:
            raise NotImplementedError("tokens are chosen greedily so far: only temperature 0 is supported")


GREEDY = Sampling()


def choose(logits: np.ndarray, sampling: Sampling = GREEDY, name: str = "logits") -> int:
    """The token that a row of logits `[vocabulary]` stands for; among equals the lowest id.

    Raises `ValueError` where the row is empty or holds NaN, which is no choice, `TypeError` for what is no row.

    >>> choose(np.array([0.5, 2.0, 2.0]))
    1
    """
    logits = as_numbers(logits, name)
    if logits.ndim != 1 or not logits.size:
        raise ValueError(f"{name} must be [vocabulary], one number a token, not of shape {logits.shape}")
    token = int(logits.argmax())
    if np.isnan(logits[token]):  # NaN wins every argmax
        raise ValueError(f"{name} holds NaN")
    return token
