"""Functions that are no answers at all: hostile values, errors, and what never ends."""

import math

import numpy as np


class Hostile:
    def __eq__(self, other):
        raise RuntimeError("no comparing")

    __hash__ = None

    def __repr__(self):
        raise RuntimeError("no repr")

    def __len__(self):
        raise RuntimeError("no length")


class Shy:
    @property
    def tolist(self):
        raise RuntimeError("no list")


class MuteError(Exception):
    def __str__(self):
        raise RuntimeError("no message")


def nested():
    knot = []
    knot.append(knot)
    return knot


def endless(*arguments):
    return endless(*arguments)


def poisoned(weights):
    weights.append(Hostile())
    return [1.0]


WEIRD = [
    *(
        lambda *_, value=value: value
        for value in (None, "0.25", b"x", math.nan, math.inf, {}, {1}, [], [[]], 10**400, 1j)
    ),
    *(
        lambda *_, value=value: value
        for value in ([None], [math.nan] * 2, ["a", [1]], object(), int, np.ndarray, [3, {}])
    ),
    lambda *_: list(range(1000)),
    lambda *_: nested(),
    lambda *_: Hostile(),
    lambda *_: [Hostile(), Hostile()],
    lambda *_: Shy(),
    lambda *_: (x for x in (1, 2)),
    lambda *_: np.array([[1, 2], [3, 4]], dtype=object),
    lambda: None,
    lambda *_: 1 / 0,
    lambda *_: [][1],
    endless,
    poisoned,
    Hostile,
]


def raising(error):
    def function(*_):
        raise error

    return function
