"""What exercises are made of: cases and outcomes, values in plain form, when two are equal, and how one is shown."""

import math
import numbers
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

from ..language import Text

TOLERANCE, DRAWN = 1e-9, 60
_TEXTS = tomllib.loads(Path(__file__).with_name("texts.toml").read_text(encoding="utf-8"))


def says(part: str, key: str, **fields) -> Text:
    """A sentence of texts.toml in both languages, its `{fields}` filled in; a field may be such a text itself.

    >>> says("hints", "let_through", title=Text("空树", "the empty tree")).en
    'Let through: the empty tree. Raise ValueError.'
    """

    def filled(text: str, language: str) -> str:
        own = {key: getattr(field, language) if isinstance(field, Text) else field for key, field in fields.items()}
        return text.format(**own) if own else text

    return Text(*map(filled, _TEXTS[part][key], Text._fields))


class Outcome(NamedTuple):
    """What a function did: its value in plain form or its exception, and whether its input changed.

    `said`, `place`: the exception's message, and the reader's line that raised it.
    """

    value: object = None
    error: BaseException | None = None
    changed: bool = False
    said: str = ""
    place: str = ""

    def equals(self, other: "Outcome") -> bool:
        """Whether two outcomes are the same; exceptions go by their type."""
        errors = type(self.error) is type(other.error)
        return errors and self.changed == other.changed and same(self.value, other.value)


class Case(NamedTuple):
    """One call of the learner's function; `expected` is the answer, or `ValueError` for input to refuse."""

    title: Text
    arguments: tuple
    expected: object

    @property
    def refuses(self) -> bool:
        """Whether this input must be refused."""
        return self.expected is ValueError

    def accepts(self, outcome: Outcome) -> bool:
        """Whether an outcome is right."""
        if self.refuses:
            return isinstance(outcome.error, ValueError) and not outcome.changed
        return outcome.equals(Outcome(self.expected))


def cases(exercise: str, right: Callable, given: Callable = list, **made: tuple) -> list[Case]:
    """The cases of an exercise by their names in texts.toml, where each has its titles and its arguments.

    `given(argument)`: what an argument is, as written there; `made`: the arguments of cases that have none there;
    what `right` does with the arguments is expected.
    """

    def expected(arguments):
        try:
            return right(*arguments)
        except ValueError:
            return ValueError

    found = []
    for name, (_, _, *written) in _TEXTS[f"{exercise}_cases"].items():
        arguments = made[name] if name in made else tuple(map(given, written))
        found.append(Case(says(f"{exercise}_cases", name), arguments, expected(arguments)))
    return found


def drawn(right: Callable, draw: Callable[[Random], tuple]) -> list[Case]:
    """Cases by chance, the same every time, the smallest first: `draw` gives arguments, `right` what is expected."""
    chance = Random(0)
    inputs = sorted((draw(chance) for _ in range(DRAWN)), key=lambda arguments: len(repr(arguments)))
    return [Case(says("hints", "drawn", input=cut(str([*given])[1:-1])), given, right(*given)) for given in inputs]


def draw_parents(chance: Random, least: int = 0) -> list[int]:
    """A tree of at most 8 nodes by chance."""
    return [chance.randrange(-1, node) for node in range(chance.randint(least, 8))]


class Slip(NamedTuple):
    """A small wrong answer, as somebody may well write it, and what to tell whoever did."""

    says: Text
    answer: Callable


class Trait(NamedTuple):
    """What some cases of an exercise have and others have not: `holds(*arguments)`."""

    says: Text
    holds: Callable[..., bool]


def slips(exercise: str, view: Callable | None = None, /, **named: Callable | list[Callable]) -> list[Slip]:
    """The slips of an exercise by their names in texts.toml; one sentence may be due to several answers.

    `view(*arguments)`: what the answers are made of instead.

    >>> slips("normalize", untouched=list)[0].says.en
    'Not normalised: divide every weight by their sum.'
    """
    return [
        Slip(says(exercise, name), _of(view, answer))
        for name, several in named.items()
        for answer in (several if isinstance(several, list) else [several])
    ]


def traits(exercise: str, view: Callable | None = None, /, **named: Callable[..., bool]) -> list[Trait]:
    """The traits of an exercise by their names in texts.toml; `view(*arguments)`: what they ask about instead."""
    return [Trait(says(f"{exercise}_traits", name), _of(view, holds)) for name, holds in named.items()]


def _of(view: Callable | None, rule: Callable) -> Callable:
    return (lambda *arguments: rule(view(*arguments))) if view else rule


class Exercise(NamedTuple):
    """What one named test asks: its cases, the slips that we know, and what else can be said of a wrong answer.

    `fact(got, expected, *arguments)`: where a wrong value first goes wrong, and why; None where it has another form.
    `drawn`: what is asked once all cases are right.
    """

    cases: list[Case]
    slips: list[Slip]
    traits: list[Trait]
    fact: Callable[..., Text | None]
    drawn: list[Case] = []  # noqa: RUF012 (a NamedTuple's, which nobody changes)


# ── values in plain form ─────────────────────────────────────────────────────────────────────────


class OneRow(list):
    """Rows of which several are one and the same list."""


@dataclass(frozen=True)
class Foreign:
    """What is neither a number nor a list, known by the name of its type."""

    kind: str


def in_plain_form(value, levels: int = 3):
    """Numbers as floats, lists and their like as list or tuple, None as it is; all else `Foreign`, also a lone bool."""
    if hasattr(value, "tolist"):  # numpy and torch
        value = value.tolist()
    if value is None or type(value) is float:
        return value
    if isinstance(value, numbers.Real) and not (levels == 3 and isinstance(value, bool)):
        return float(value)
    if levels and isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        items = [in_plain_form(item, levels - 1) for item in value]
        rows = [id(row) for row in value if isinstance(row, list)]
        if len(set(rows)) < len(rows):
            return OneRow(items)
        return tuple(items) if isinstance(value, tuple) else items
    return Foreign(type(value).__name__)


def is_number(value) -> bool:
    """Whether a value in plain form is a number."""
    return isinstance(value, (int, float))


def same(left, right, absolute: float = TOLERANCE) -> bool:
    """Whether two answers are equal: numbers within 1e-9 of their size, or `absolute`; lists and tuples by items.

    >>> same([0.1 + 0.2, math.nan], (0.3, math.nan)), same([1.0], 1.0)
    (True, False)
    """
    if left == right:
        return True
    if is_number(left) and is_number(right):
        both_nan = math.isnan(left) and math.isnan(right)
        return both_nan or math.isclose(left, right, rel_tol=TOLERANCE, abs_tol=absolute)
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        return len(left) == len(right) and all(same(*pair, absolute) for pair in zip(left, right, strict=True))
    return False


def first_difference(left, right) -> int:
    """The first place at which two lists of one length differ."""
    return list(map(same, left, right)).index(False)


def alike(left, right) -> bool:
    """Whether two answers have the same form: numbers where the other has numbers, lists of the same length."""
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        return len(left) == len(right) and all(map(alike, left, right))
    return is_number(left) and is_number(right)


# ── showing ──────────────────────────────────────────────────────────────────────────────────────


def show(value) -> str:
    """A value in plain form on one line; a mask as its rows of 0 and 1.

    >>> show(([1 / 3, 2.0], 7.0)), show([[1.0, 0.0], [1.0, 1.0]]), show(Foreign("dict"))
    ('([0.3333333333, 2], 7)', '10 11', '<dict>')
    """
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, Foreign):
        return f"<{value.kind}>"
    if not isinstance(value, Sequence):
        return str(value)
    if value and all(isinstance(row, Sequence) and row and all(cell in (0, 1) for cell in row) for row in value):
        return cut(" ".join("".join(map(show, row)) for row in value))
    inside = ", ".join(map(show, value))
    return cut(f"({inside})" if isinstance(value, tuple) else f"[{inside}]")


def cut(text: str, width: int = 100) -> str:
    """A text of at most `width` characters."""
    return text if len(text) <= width else f"{text[: width - 3]}..."
