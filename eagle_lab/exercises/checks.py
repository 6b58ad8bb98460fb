"""Checks of the learner's own functions: every case of an exercise is run, judged, and reported.

A wrong answer comes with the likely mistake (`hints.py`). What a check found stays with the function, where panels
read it (`own.verdict_on`).
"""

import pickle
import time
import warnings
from contextlib import suppress

from ..guard import Ear, EndlessError, OwnError, guarded
from ..inputs import check_callable, shown
from ..language import Text
from ..own import leave_verdict
from . import fuse, mask, normalize, prefix, score, verify
from .hints import likely_mistakes
from .kinds import Case, Exercise, Outcome, cut, in_plain_form, says, show
from .report import REFUSAL, Report, Result, print_report

IMPATIENT = 0.5  # seconds for the other cases, once one has not ended
HELD = 5.0  # seconds that a case can only take where its limit could not be kept: C code let nobody else run

EXERCISES = {
    "normalize_fusion_weights": normalize.EXERCISE,
    "fuse_layer_features": fuse.EXERCISE,
    "score_candidate_tree": score.EXERCISE,  # scores and best path
    "candidate_tree_contract": score.CONTRACT,  # illegal trees, and the input left alone
    "accepted_prefix": prefix.EXERCISE,
    "tree_attention_mask": mask.EXERCISE,
    "verify_tree": verify.EXERCISE,
}


def check(name: str, function) -> Report:
    """Run the learner's `function` on every case of the exercise `name`, and find the likely mistakes.

    Nothing that the function does is raised: `NotImplementedError` marks a case as unfinished, any other exception is
    its outcome, and so is not to end in `guard.SECONDS`. Raises `ValueError` for an unknown name, `TypeError` for what
    cannot be called.

    >>> report = check("normalize_fusion_weights", lambda weights: [weight / len(weights) for weight in weights])
    >>> report.passed, report.results[0].got, report.results[0].hint.en
    (False, '[0.5, 1.5]', 'Divided by the number of layers; divide by the sum.')
    """
    if not isinstance(name, str) or name not in EXERCISES:
        raise ValueError(f"name is {shown(name)}: the exercises are {', '.join(EXERCISES)}")
    check_callable(function, "function")
    return _examine(name, function)


def _examine(name: str, function) -> Report:
    cases = EXERCISES[name].cases
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what numpy warns of must not hang on the reader's filters
        outcomes = _outcomes(function, cases)
        again = _outcomes(function, cases, outcomes, heard=False)
        hints = likely_mistakes(EXERCISES[name], outcomes)
        results = list(map(_judge, cases, outcomes, again, hints))
        if EXERCISES[name].drawn and all(result.state == "passed" for result in results):
            results.append(_by_chance(function, EXERCISES[name]))
    report = Report(name, tuple(results))
    leave_verdict(function, name, report.passed)
    return report


def _by_chance(function, exercise: Exercise) -> Result:
    """How a function does with inputs that were drawn by chance: what it first does wrong, if anything."""
    outcomes = _outcomes(function, exercise.drawn, heard=False)
    hints = likely_mistakes(exercise._replace(cases=exercise.drawn), outcomes)
    results = map(_judge, exercise.drawn, outcomes, outcomes, hints)
    passed = Result(says("hints", "by_chance", count=len(outcomes)), "passed", "", "")
    return next((result for result in results if result.state != "passed"), passed)


class StoppedError(Exception):
    """What stands for a case that was stopped from the keyboard, or never begun for that."""


class HeldError(Exception):
    """What stands for a case that was not begun, since the one before held the whole kernel."""


def _outcomes(function, cases: list[Case], before: list[Outcome] | None = None, heard: bool = True) -> list[Outcome]:
    """What the function does in each case; `before`: what it did the first time; `heard`: what it prints is shown."""
    outcomes: list[Outcome] = []
    for place, case in enumerate(cases):
        if before and isinstance(before[place].error, _UNENDED):
            outcomes.append(before[place])
            continue
        slow, start = any(isinstance(outcome.error, EndlessError) for outcome in outcomes), time.monotonic()
        try:
            outcomes.append(_outcome(function, case, IMPATIENT if slow else None, Ear() if heard else Ear(0)))
        except KeyboardInterrupt:
            return outcomes + [Outcome(error=StoppedError()) for _ in cases[place:]]
        if time.monotonic() - start > HELD:
            return outcomes + [Outcome(error=HeldError()) for _ in cases[place + 1 :]]
    return outcomes


def _outcome(function, case: Case, seconds: float | None, ear: Ear) -> Outcome:
    arguments = pickle.loads(pickle.dumps(case.arguments))  # a deep copy, in a tenth of the time
    value = error = None
    said = place = ""
    changed = True  # for as long as nobody could see that it is not

    def work():
        nonlocal changed
        try:
            return in_plain_form(function(*arguments))
        finally:
            with suppress(Exception):  # something strange may have been put in
                changed = repr(arguments) != repr(case.arguments)

    try:
        value = guarded(function, work, seconds=seconds, ear=ear)
    except OwnError as own:  # the function's own error, or that of a value which resists reading
        error, said, place = own.error, own.said, f"{own.line}: {own.code}" if own.line else ""
    return Outcome(value, error, changed, said, place)


_UNENDED = EndlessError, StoppedError, HeldError
_BEHAVIOUR = {  # what a function did, whatever it was asked
    EndlessError: "endless",
    StoppedError: "stopped",
    HeldError: "held",
    SystemExit: "exit",
    EOFError: "asks",
    MemoryError: "memory",
}


def _judge(case: Case, outcome: Outcome, again: Outcome, hint: Text | None) -> Result:
    title, expected = case.title, show(in_plain_form(case.expected))
    if case.refuses:
        title, expected = says("hints", "refuse", title=title), REFUSAL
    if isinstance(outcome.error, NotImplementedError):
        return Result(title, "unfinished", outcome.said, expected)
    if not outcome.equals(again):
        return Result(title, "failed", _show_outcome(again), expected, says("hints", "unsteady"), again.place)
    if type(outcome.error) in _BEHAVIOUR:
        hint = says("hints", _BEHAVIOUR[type(outcome.error)])
    return Result(title, "failed" if hint else "passed", _show_outcome(outcome), expected, hint, outcome.place)


def _show_outcome(outcome: Outcome) -> str:
    if outcome.error is None:
        return show(outcome.value)
    if isinstance(outcome.error, _UNENDED):
        return "…"
    return cut(f"{type(outcome.error).__name__}: {outcome.said}".removesuffix(": "))


def named_test(name: str):
    """A function that prints how another does; what is no function fails in the table instead of raising here.

    >>> from eagle_lab import accepted_prefix, use_language
    >>> use_language("en"); named_test("accepted_prefix")(accepted_prefix); use_language("zh")
    ✅ a break, then agreement again
    ✅ full agreement
    ✅ no agreement on the first
    ✅ token 0 is a real token
    ✅ two tokens change places
    ✅ an empty draft
    ✅ the draft is longer
    ✅ one drafted token, a longer target
    ✅ an empty target
    ✅ large ids, and one that only begins alike
    ✅ 60 inputs by chance
    ✅ test_accepted_prefix: all 11 cases passed
    """

    def test(function) -> None:
        print_report(_examine(name, function))

    test.__name__ = test.__qualname__ = f"test_{name}"
    test.__doc__ = f"Print how `function` does as `{name}`."
    return test
