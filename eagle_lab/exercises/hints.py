"""The likely mistake behind each wrong outcome: the slip that does just the same, or what is plain from the outcome."""

from collections.abc import Sequence

from ..language import Text
from .kinds import Case, Exercise, OneRow, Outcome, Slip, Trait, in_plain_form, is_number, is_refusal, same, says, show

TINY = 1e-30  # a slip's numbers are met as they are, also where weights are tiny
_CODE = NameError, TypeError, AttributeError  # errors of the code, whatever the input


def likely_mistakes(exercise: Exercise, outcomes: list[Outcome]) -> list[Text | None]:
    """A hint for each wrong outcome, in the order of the cases; None for the right ones.

    A slip is named where it does just what was done, if it does so in most cases of legal input that went wrong, and
    in none that went right does wrong. Where none explains them all, a trait may: one that these cases have, and no
    other. What neither explains is described.

    >>> cases = [Case(Text("一", "one"), (1,), 2), Case(Text("零", "zero"), (0,), 0)]
    >>> undoubled = Slip(Text("没有翻倍。", "Not doubled."), lambda x: x, None)
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
    trait = _trait(exercise.traits, legal, wrong)
    most = dict.fromkeys(wrong, 0)
    for place in wrong if trait else ():
        hints[place] = trait
    for slip in exercise.slips:
        likeness = _likeness(slip, legal, wrong)
        may_be_it = likeness and (all(likeness.values()) or not trait)
        if may_be_it and all(_alike(slip, legal[place], outcomes[place], True) for place in right):
            total = sum(likeness.values())
            for place in likeness:
                if likeness[place] and total > most[place]:
                    hints[place], most[place] = slip.says, total
    return hints


def _trait(traits: list[Trait], legal: dict[int, Case], wrong: dict[int, Outcome]) -> Text | None:
    """What the cases that went wrong have in common, and no other of legal input has."""
    if not wrong or any(isinstance(outcome.error, (*_CODE, RecursionError)) for outcome in wrong.values()):
        return None
    refused = all(is_refusal(outcome.error) for outcome in wrong.values())
    if refused and len(wrong) == len(legal):
        return says("hints", "always_refused")
    shared = [t.says for t in traits if [p for p, case in legal.items() if t.holds(*case.arguments)] == list(wrong)]
    told = Text(" 或 ".join(text.zh for text in shared), ", or where ".join(text.en for text in shared))
    return says("hints", "refused" if refused else "exactly", trait=told) if shared else None


def _likeness(slip: Slip, legal: dict[int, Case], wrong: dict[int, Outcome]) -> dict[int, int]:
    """How like a slip each wrong answer to legal input is; nothing where it is unlike half of them."""
    likeness: dict[int, int] = {}
    for place, outcome in wrong.items():
        likeness[place] = _alike(slip, legal[place], outcome, False)
        if 2 * list(likeness.values()).count(0) >= len(wrong):
            return {}
    return likeness


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
    return _difference(got, in_plain_form(case.expected))


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
