"""The checks against brute force: right answers and equivalent mutants pass, wrong ones never do."""

import pytest

from eagle_lab.exercises import EXERCISES

from wrong import oracle, passes
from wrong.blind import BLIND
from wrong.blind_second import SECOND
from wrong.more import MORE
from wrong.mutants import mutants
from wrong.right import RIGHT
from wrong.with_the_checker import WRONG

pytestmark = pytest.mark.usefixtures("chinese")


@pytest.mark.parametrize("exercise", oracle.EXERCISES)
def test_brute_force_knows_right_from_wrong(exercise):
    """It has references of its own; so it, too, is held against answers that are known."""
    assert len(oracle.tries(exercise)) >= 300
    assert all(oracle.is_right(exercise, function) for function in RIGHT[exercise])
    others = {"score_candidate_tree": "candidate_tree_contract"}
    for answer in WRONG + MORE + BLIND + SECOND:
        if answer.exercise in (exercise, others.get(exercise)):
            assert not oracle.is_right(exercise, answer.function), answer


@pytest.mark.parametrize("exercise", oracle.EXERCISES)
def test_every_wrong_mutant_is_refused_and_every_equivalent_one_accepted(exercise):
    judged = [mutant for mutant in mutants() if mutant.exercise == exercise]
    wrong = [mutant for mutant in judged if not oracle.is_right(exercise, mutant.function)]
    certified = [mutant.source for mutant in wrong if passes(exercise, mutant.function)]
    assert not certified, "\n\n".join(certified)
    refused = [mutant.source for mutant in judged if mutant not in wrong and not passes(exercise, mutant.function)]
    assert not refused, "\n\n".join(refused)
    assert len(judged) > len(wrong) >= 100


def test_no_exercise_has_more_cases_than_one_reads():
    assert max(len(exercise.cases) for exercise in EXERCISES.values()) <= 13
