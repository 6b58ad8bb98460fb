"""The slips that the checks know: every one is a wrong answer, told from the others, and has words of its own."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

from eagle_lab import exercises
from eagle_lab.exercises import EXERCISES, check
from eagle_lab.exercises.hints import likely_mistakes
from eagle_lab.exercises.kinds import Foreign, Outcome, in_plain_form, same

from wrong import hints, oracle

pytestmark = pytest.mark.usefixtures("chinese")
SENTENCES = tomllib.loads((Path(exercises.__file__).parent / "texts.toml").read_text(encoding="utf-8"))
ASKED = [name for name in EXERCISES if name != "candidate_tree_contract"]  # whose table is that of the scores


def made_by_a_learner(name, slip):
    """The slip as somebody's function: it refuses what it should refuse, and gives both parts of its answer."""
    cases = EXERCISES[name].cases
    illegal = [repr(case.arguments) for case in cases if case.refuses]
    right = {repr(case.arguments): case.expected for case in cases}

    def function(*arguments):
        if repr(arguments) in illegal:
            raise ValueError("illegal")
        value = in_plain_form(slip.answer(*arguments))
        if slip.part == 0 and value[1] is None:  # a slip of the first part alone
            return value[0], right[repr(arguments)][1]
        return value

    return function


@pytest.mark.parametrize("name", ASKED)
def test_every_slip_is_refused_and_named(name):
    """By its own sentence, or that of a slip which does the same in all cases that are asked."""
    for slip in EXERCISES[name].slips:
        report = check(name, made_by_a_learner(name, slip))
        assert not report.passed, slip
        assert hints(report)[0] == slip.says or any(
            other.says == hints(report)[0] and does_the_same(name, slip, other) for other in EXERCISES[name].slips
        ), (slip.says.zh, hints(report)[0].zh)


def does_the_same(name, slip, other):
    def outcomes(one):
        for case in EXERCISES[name].cases:
            if not case.refuses:
                try:
                    yield in_plain_form(made_by_a_learner(name, one)(*case.arguments))
                except Exception as error:
                    yield Foreign(type(error).__name__)

    pairs = zip(outcomes(slip), outcomes(other), strict=True)
    return all(same(*pair, 0) for pair in pairs)


def test_every_sentence_about_a_slip_belongs_to_one():
    """One that belongs to none would be said to nobody."""
    said = {slip.says for exercise in EXERCISES.values() for slip in exercise.slips}
    tables = ["normalize", "fuse", "score", "prefix", "mask", "verify", "anywhere"]
    written = [tuple(sentence) for table in tables for sentence in SENTENCES[table].values()]
    assert set(written) == said and len(written) >= 180
    for table in tables:
        assert len({tuple(sentence) for sentence in SENTENCES[table].values()}) == len(SENTENCES[table])


def test_every_other_sentence_is_said_somewhere():
    rooms = "".join(path.read_text(encoding="utf-8") for path in Path(exercises.__file__).parent.glob("*.py"))
    for part in ("facts", "hints", "report", "generation"):
        assert all(f'"{key}"' in rooms or f"'{key}'" in rooms for key in SENTENCES[part])
    titles = {case.title for exercise in EXERCISES.values() for case in exercise.cases}
    assert titles == {
        tuple(title) for part in SENTENCES if part.endswith("_cases") for title in SENTENCES[part].values()
    }


@pytest.mark.parametrize("name", EXERCISES)
def test_the_right_answer_is_that_of_the_library(name):
    """What may be made of the right answer to any exercise is made of the right one."""
    for case in EXERCISES[name].cases:
        for slip in EXERCISES[name].slips:
            if not case.refuses and slip.says.en.startswith("One list too many"):
                assert same(in_plain_form(slip.answer(*case.arguments)), [case.expected])


def test_a_slip_that_explains_a_single_case_of_several_is_not_named():
    """The first two weights come back as they are, which is what forgetting to divide gives; the others are not."""
    cases = EXERCISES["normalize_fusion_weights"].cases

    def outcome(place, case):
        if case.refuses:
            return Outcome(error=refusal())
        return Outcome([float(weight) for weight in case.arguments[0]] if place == 0 else [0.1, *[0.2] * (place + 1)])

    said = likely_mistakes(EXERCISES["normalize_fusion_weights"], [outcome(*pair) for pair in enumerate(cases)])
    assert said[0].zh == "结果[0] 是 1，应为 0.25。"


def refusal():
    try:
        raise ValueError
    except ValueError as error:
        return error


def test_a_slip_is_not_named_where_an_answer_that_is_right_tells_against_it():
    """Weights of two layers are divided by nothing; all else is right, so nothing was forgotten."""

    def two_layers_as_they_are(weights):
        if not weights or min(weights) < 0 or sum(weights) == 0:
            raise ValueError
        return weights if len(weights) == 2 else (np.array(weights) / sum(weights)).tolist()

    report = check("normalize_fusion_weights", two_layers_as_they_are)
    assert [hint.zh for hint in hints(report)] == ["结果[0] 是 1，应为 0.25。"]


@pytest.mark.parametrize("name", ASKED)
def test_every_trait_is_had_by_some_cases_and_not_by_others(name):
    legal = [case for case in EXERCISES[name].cases if not case.refuses]
    for trait in EXERCISES[name].traits:
        assert len({trait.holds(*case.arguments) for case in legal}) == 2, trait


def test_traits_that_the_same_cases_have_are_told_together():
    """Nobody can say which of them it was."""

    def two_steps(parents, tokens, choices):
        walk, node = [], -1
        for _ in range(2):
            found = [i for i, parent in enumerate(parents) if (parent, tokens[i]) == (node, choices[1 + node])]
            node = found[0] if found else node
            walk += found
        return walk, choices[1 + node]

    assert hints(check("verify_tree", two_steps))[0].en == (
        "Goes wrong exactly where a token is there twice, or where the walk has three steps or more."
    )


@pytest.mark.parametrize("name", ASKED)
def test_what_is_drawn_by_chance_is_answered_as_by_brute_force(name):
    answer = oracle.EXERCISES[name][1]
    inputs = [repr(case.arguments) for case in EXERCISES[name].drawn]
    assert len(inputs) == 60 and len(set(inputs)) > 30
    for case in EXERCISES[name].drawn:
        assert same(in_plain_form(answer(*case.arguments)), in_plain_form(case.expected)), case


def test_what_all_cases_pass_may_fail_by_chance_and_is_shown_with_its_smallest_input():
    def wrong_with_four_weights(weights):
        if not weights or min(weights) < 0 or sum(weights) == 0:
            raise ValueError
        shares = [weight / sum(weights) for weight in weights]
        return shares[::-1] if len(weights) == 4 and len(set(weights)) > 2 else shares

    report = check("normalize_fusion_weights", wrong_with_four_weights)
    assert [result.state for result in report.results] == ["passed"] * len(report.results[:-1]) + ["failed"]
    assert report.results[-1].title.en.startswith("by chance: [") and report.results[-1].title.en.count(",") == 3
