"""Prints how the checks judge answers, right, wrong and mutated: `cd tests && python -m measure.answers`."""

from collections import Counter

import test_blind

from eagle_lab.exercises import EXERCISES, check

from wrong import hints, oracle, passes
from wrong.blind import BLIND
from wrong.more import MORE
from wrong.mutants import mutants
from wrong.narrow import NARROW
from wrong.right import RIGHT
from wrong.strange import WEIRD
from wrong.with_the_checker import WRONG


def right_answers() -> None:
    """Answers in many styles."""
    passed = [check(exercise, function).passed for exercise in RIGHT for function in RIGHT[exercise]]
    print(f"right answers: {sum(passed)} of {len(passed)} accepted")


def wrong_answers() -> None:
    """Answers by hand; a first hint names the mistake if it says what was expected of it."""
    for title, answers, expected in (
        ("with the checker", WRONG, [answer.mistake for answer in WRONG]),
        ("to try the hints", MORE, [answer.mistake for answer in MORE]),
        ("blind, then learnt from", BLIND, list(test_blind.NAMED.values())),
        *(("blind later, then learnt from", answers, list(named.values())) for answers, named in test_blind.LATER),
    ):
        reports = [test_blind.refused(answer)[:1] for answer in answers]
        pairs = [(hints(*report)[0].zh, words) for report, words in zip(reports, expected, strict=True) if report]
        named = sum(words in hint for hint, words in pairs)
        print(
            f"written {title}: {sum(map(len, reports))} of {len(answers)} refused, "
            f"{named} of them with the hint that the tests expect"
        )
    others = [(name, function) for name in EXERCISES for function in NARROW[name] + WEIRD]
    print(f"narrow and strange ones: {sum(not check(*answer).passed for answer in others)} of {len(others)} refused")


def mutated_answers() -> None:
    """Mutants, which brute force has told apart."""
    counts: Counter = Counter()
    for mutant in mutants():
        is_right = oracle.is_right(mutant.exercise, mutant.function)
        counts[mutant.exercise, is_right, passes(mutant.exercise, mutant.function)] += 1
    for exercise in oracle.EXERCISES:
        wrong, equivalent = ([counts[exercise, is_right, passed] for passed in (False, True)] for is_right in (0, 1))
        print(
            f"mutants of {exercise}: wrong {sum(wrong)}, of them {wrong[1]} certified; "
            f"equivalent {sum(equivalent)}, of them {equivalent[0]} refused"
        )
    wrong, certified = (
        sum(counts[e, False, p] for e in oracle.EXERCISES for p in ps) for ps in ((False, True), (True,))
    )
    print(f"mutants: {counts.total()}, of them {wrong} wrong, {certified} certified")


if __name__ == "__main__":
    right_answers()
    wrong_answers()
    mutated_answers()
