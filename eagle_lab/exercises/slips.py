"""Slips: how a table of them is written, and those that may be made in any exercise."""

import math
from collections.abc import Callable, Sequence

from .kinds import Slip, in_plain_form, is_number, says


def slips(exercise: str, part: int | None = None, /, **answers: Callable | Sequence[Callable]) -> list[Slip]:
    """The slips of an exercise by their names in texts.toml; one sentence may be due to several answers.

    >>> slips("normalize", untouched=list)[0].says.en
    'Not normalised: divide every weight by their sum.'
    """
    return [
        Slip(says(exercise, name), answer, part)
        for name, several in answers.items()
        for answer in (several if isinstance(several, Sequence) else [several])
    ]


def spoilt(right: Callable, *ways: str) -> list[Slip]:
    """What may be made of the right answer to any exercise: "rounded", "swapped" or "nested"."""

    def each(change, value):
        if is_number(value):
            return change(value) if math.isfinite(value) else value
        return type(value)(each(change, item) for item in value)

    cuts = [math.trunc, math.floor, round, *(lambda x, digits=digits: round(x, digits) for digits in range(1, 6))]
    changes = {
        "rounded": [lambda value, cut=cut: each(cut, value) for cut in cuts],
        "swapped": [lambda value: value[::-1]],
        "nested": [lambda value: [value]],
    }

    def then(change):
        return lambda *arguments: change(in_plain_form(right(*arguments)))

    return slips("anywhere", **{way: [then(change) for change in changes[way]] for way in ways})
