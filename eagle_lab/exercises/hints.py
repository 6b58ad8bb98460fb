"""The likely mistake behind each wrong outcome: the slip that does just the same, or what is plain from the outcome."""

import math
from collections.abc import Iterator, Sequence

from ..language import Text
from .kinds import Case, Exercise, OneRow, Outcome, Slip, alike, in_plain_form, is_number, is_refusal, same, says, show

TINY = 1e-30  # a slip's numbers are met as they are, also where weights are tiny
_CODE = NameError, TypeError, AttributeError  # errors of the code, whatever the input


def likely_mistakes(exercise: Exercise, outcomes: list[Outcome]) -> list[Text | None]:
    """A hint for each wrong outcome, in the order of the cases; None for the right ones.

    A slip is named where it does just what was done, if it does so in most cases of legal input that went wrong, and
    in none that went right does wrong. Of several it is the one that explains most. What no slip explains is described.

    >>> cases = [Case(Text("一", "one"), (1,), 2), Case(Text("零", "zero"), (0,), 0)]
    >>> undoubled = Slip(Text("没有翻倍。", "Not doubled."), lambda x: x, None)
    >>> exercise = Exercise(cases, [undoubled], lambda got, expected, x: None)
    >>> [hint and hint.en for hint in likely_mistakes(exercise, [Outcome(1.0), Outcome(0.0)])]
    ['Not doubled.', None]
    """
    cases = list(zip(exercise.cases, outcomes, strict=True))
    wrong = [place for place, (case, outcome) in enumerate(cases) if not case.accepts(outcome)]
    hints = [_description(*pair, exercise.fact) if place in wrong else None for place, pair in enumerate(cases)]
    most = [0] * len(cases)
    for slip in exercise.slips:
        likeness = _likeness(slip, cases, wrong)
        total = sum(likeness.values())
        for place in likeness:
            if likeness[place] and total > most[place] and not _is_plain(outcomes[place]):
                hints[place], most[place] = slip.says, total
    return hints


def _likeness(slip: Slip, cases: list[tuple[Case, Outcome]], wrong: list[int]) -> dict[int, int]:
    """How like a slip each wrong answer to legal input is; nothing where it is unlike most, or one that is right."""
    legal = [place for place, (case, _) in enumerate(cases) if not case.refuses]
    likeness, unlike, asked = {}, 0, len(set(legal) & set(wrong))
    for place in legal:
        likeness[place] = _alike(slip, *cases[place], right=place not in wrong)
        unlike += place in wrong and not likeness[place]
        if not likeness[place] and (place not in wrong or 2 * unlike >= asked):
            return {}
    return {place: likeness[place] for place in legal if place in wrong}


def _alike(slip: Slip, case: Case, outcome: Outcome, right: bool) -> int:
    """2 where a slip does in a case just what was done, 1 where the part that it is about is the same, else 0."""
    got = outcome.value
    try:
        value = in_plain_form(slip.answer(*case.arguments))
    except Exception as error:
        alike_errors = type(error) is type(outcome.error) and is_refusal(error) == is_refusal(outcome.error)
        return 2 * (alike_errors and not isinstance(error, _CODE))
    if outcome.error is None and same(value, got, TINY):
        return 2
    if slip.part is None or not (isinstance(got, Sequence) and len(got) == 2):
        return 0
    mine, theirs = value[slip.part], got[slip.part]
    return int(same(mine, theirs, TINY) and (right or not same(theirs, case.expected[slip.part])))


def _is_plain(outcome: Outcome) -> bool:
    """Whether the mistake shows by itself."""
    return outcome.changed or isinstance(outcome.value, OneRow)


def _description(case: Case, outcome: Outcome, fact) -> Text:
    """What can be said where the mistake is not known."""
    got, error = outcome.value, type(outcome.error).__name__
    if _is_plain(outcome):
        return says("hints", "changed" if outcome.changed else "one_row")
    if isinstance(outcome.error, TypeError) and "ellipsis" in outcome.said:
        return says("hints", "blank")
    if isinstance(outcome.error, _CODE):
        return says("hints", "code", error=error)
    if isinstance(outcome.error, RecursionError) and not case.refuses:
        return says("hints", "too_deep")
    if outcome.error:
        return says("hints", "other_error" if case.refuses else "legal", title=case.title, error=error)
    if (said := fact(got, case.expected, *case.arguments)) is not None:
        return said
    if case.refuses:
        return says("hints", "let_through", title=case.title)
    if got is None:
        return says("hints", "no_return")
    if alike(got, case.expected) and all(math.isclose(*pair, rel_tol=1e-3) for pair in _pairs(got, case.expected)):
        return says("hints", "close")
    return _difference(got, in_plain_form(case.expected))


def _pairs(got, expected) -> Iterator[tuple[float, float]]:
    """The numbers of two answers of the same form, side by side."""
    if is_number(got):
        yield got, expected
    else:
        for pair in zip(got, expected, strict=True):
            yield from _pairs(*pair)


def _difference(got, expected, place: str = "") -> Text:
    """Where `got` first leaves `expected`, and how."""
    where = Text(f"{place} " if place else "", place)
    if isinstance(got, Sequence) and isinstance(expected, Sequence):
        if len(got) != len(expected):
            return says("hints", "length", place=where, got=len(got), expected=len(expected))
        index = list(map(same, got, expected)).index(False)
        return _difference(got[index], expected[index], f"{place}[{index}]")
    kind = "other" if is_number(got) and is_number(expected) else "list" if isinstance(expected, Sequence) else "number"
    return says("hints", kind, place=where, got=show(got), expected=show(expected))
