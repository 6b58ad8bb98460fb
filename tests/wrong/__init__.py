"""Wrong answers to the exercises: written with the checker, or blind, and functions that are no answers at all."""

from collections.abc import Callable
from typing import Any, NamedTuple

from eagle_lab.exercises import EXERCISES, check, checks
from eagle_lab.guard import Ear
from eagle_lab.language import Text


class Wrong(NamedTuple):
    """One wrong answer to an exercise.

    `mistake`: what is wrong with it, told by whoever wrote it; in `with_the_checker`, the words that its first hint
    must contain.
    """

    exercise: str
    function: Callable[..., Any]
    mistake: str


def passes(exercise: str, function) -> bool:
    """Whether a function passes all named tests of an exercise: the third has two.

    Most wrong ones fail an early case, as the check would judge it; what passes them all is checked as a whole.
    """
    names = [exercise, "candidate_tree_contract"] if exercise == "score_candidate_tree" else [exercise]
    cases = [case for name in names for case in EXERCISES[name].cases]
    if not all(case.accepts(checks._outcome(function, case, None, Ear(0))) for case in cases):
        return False
    return all(check(name, function).passed for name in names)


def hints(report) -> list[Text]:
    """What a report says of wrong outcomes, case by case."""
    return [result.hint for result in report.results if result.hint]
