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


def refusing(right: Callable, is_refused: Callable) -> Callable:
    """The right answer, but some legal input is refused."""

    def answer(*arguments):
        if is_refused(*arguments):
            raise ValueError
        return right(*arguments)

    return answer


def spoilt(right: Callable, *ways: str) -> list[Slip]:
    """What may be made of the right answer to any exercise: "rounded", "swapped" or "nested"."""

    def then(change):
        return lambda *arguments: change(in_plain_form(right(*arguments)))

    def each(change, value):
        if is_number(value):
            return change(value) if math.isfinite(value) else value
        return type(value)(each(change, item) for item in value)

    whole = (math.trunc, math.floor, round)
    changes = {
        "rounded": [lambda value, digits=digits: each(lambda x: round(x, digits), value) for digits in range(1, 6)]
        + [lambda value, cut=cut: each(cut, value) for cut in whole],
        "swapped": [lambda value: value[::-1]],
        "nested": [lambda value: [value]],
    }
    return slips("anywhere", **{way: [then(change) for change in changes[way]] for way in ways})
