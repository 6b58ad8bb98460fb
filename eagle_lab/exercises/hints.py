"""The likely mistake behind each wrong outcome: the slip that does just the same, or what is plain from the outcome."""

import dis
from collections.abc import Sequence

from ..language import Text
from .kinds import Case, Exercise, OneRow, Outcome, Slip, first_difference, in_plain_form, is_number, same, says, show

TINY = 1e-30  # a slip's numbers are met as they are, also where weights are tiny
_CODE = NameError, TypeError, AttributeError  # errors of the code, whatever the input


def likely_mistakes(exercise: Exercise, outcomes: list[Outcome]) -> list[Text | None]:
    """A hint for each wrong outcome, in the order of the cases; None for the right ones.

    A slip is named where it does just what was done, if it does so in most cases of legal input that went wrong, and
    in none that went right does wrong. Where none explains them all, a trait may: one that these cases have, and no
    other. What neither explains is described.

    >>> cases = [Case(Text("一", "one"), (1,), 2), Case(Text("零", "zero"), (0,), 0)]
    >>> undoubled = Slip(Text("没有翻倍。", "Not doubled."), lambda x: x)
    >>> exercise = Exercise(cases, [undoubled], [], lambda got, expected, x: None)
    >>> [hint and hint.en for hint in likely_mistakes(exercise, [Outcome(1.0), Outcome(0.0)])]
    ['Not doubled.', None]
    """
    hints = [
        None if case.accepts(outcome) else _description(case, outcome, exercise.fact)
        for case, outcome in zip(exercise.cases, outcomes, strict=True)
    ]
    legal = {place: case for place, case in enumerate(exercise.cases) if not case.refuses}
    wrong = {place: outcomes[place] for place in legal if hints[place] and not _is_plain(outcomes[place])}
    right = [place for place in legal if not hints[place]]
    trait = _trait(exercise, legal, wrong)
    for place in wrong if trait else ():
        hints[place] = trait
    most = dict.fromkeys(wrong, 0)
    for slip in exercise.slips:
        met = [place for place in wrong if _does(slip, legal[place], outcomes[place])]
        explains = len(met) == len(wrong) or (2 * len(met) > len(wrong) and not trait)
        if explains and all(_does(slip, legal[place], outcomes[place]) for place in right):
            for place in met:
                if len(met) > most[place]:
                    hints[place], most[place] = slip.says, len(met)
    return hints


def _trait(exercise: Exercise, legal: dict[int, Case], wrong: dict[int, Outcome]) -> Text | None:
    """What the cases that went wrong have in common, and no other of legal input has."""
    if not wrong or any(isinstance(outcome.error, (*_CODE, RecursionError)) for outcome in wrong.values()):
        return None
    refused = all(_is_refusal(outcome.error) for outcome in wrong.values())
    if refused and len(wrong) == len(legal):
        return says("hints", "always_refused")
    places = {trait.says: [p for p in legal if trait.holds(*legal[p].arguments)] for trait in exercise.traits}
    shared = [said for said, where in places.items() if where == list(wrong)]
    told = Text(" 或 ".join(text.zh for text in shared), ", or where ".join(text.en for text in shared))
    return says("hints", "refused" if refused else "exactly", trait=told) if shared else None


def _does(slip: Slip, case: Case, outcome: Outcome) -> bool:
    """Whether a slip does in a case just what was done."""
    try:
        value = in_plain_form(slip.answer(*case.arguments))
    except Exception as error:
        alike = type(error) is type(outcome.error) and _is_refusal(error) == _is_refusal(outcome.error)
        return alike and not isinstance(error, _CODE)
    return outcome.error is None and same(value, outcome.value, TINY)


def _is_refusal(value) -> bool:
    """Whether a value is a `ValueError` that code raised by itself: not one that befell it, as `int("x")` would."""
    if not isinstance(value, ValueError) or value.__traceback__ is None:
        return False
    last = value.__traceback__
    while last.tb_next:
        last = last.tb_next
    return last.tb_frame.f_code.co_code[last.tb_lasti] == dis.opmap["RAISE_VARARGS"]


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
    return _difference(got, in_plain_form(case.expected))


def _difference(got, expected, place: str = "") -> Text:
    """Where `got` first leaves `expected`, and how."""
    where = Text(f"{place} " if place else "", place)
    if isinstance(got, Sequence) and isinstance(expected, Sequence):
        if len(got) != len(expected):
            return says("hints", "length", place=where, got=len(got), expected=len(expected))
        index = first_difference(got, expected)
        return _difference(got[index], expected[index], f"{place}[{index}]")
    kind = "other" if is_number(got) and is_number(expected) else "list" if isinstance(expected, Sequence) else "number"
    return says("hints", kind, place=where, got=show(got), expected=show(expected))
