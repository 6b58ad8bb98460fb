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
    """The slip as somebody's function: it refuses what it should refuse."""
    illegal = [repr(case.arguments) for case in EXERCISES[name].cases if case.refuses]

    def function(*arguments):
        if repr(arguments) in illegal:
            raise ValueError("illegal")
        return in_plain_form(slip.answer(*arguments))

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
    tables = ["normalize", "fuse", "score", "prefix", "mask", "verify"]
    written = [tuple(sentence) for table in tables for sentence in SENTENCES[table].values()]
    assert set(written) == said and len(written) >= 90
    for table in tables:
        assert len({tuple(sentence) for sentence in SENTENCES[table].values()}) == len(SENTENCES[table])


def test_every_other_sentence_is_said_somewhere():
    rooms = "".join(path.read_text(encoding="utf-8") for path in Path(exercises.__file__).parent.glob("*.py"))
    for part in ("facts", "hints", "report", "generation"):
        assert all(f'"{key}"' in rooms or f"'{key}'" in rooms for key in SENTENCES[part])
    titles = {case.title for exercise in EXERCISES.values() for case in exercise.cases}
    assert titles == {
        tuple(title[:2]) for part in SENTENCES if part.endswith("_cases") for title in SENTENCES[part].values()
    }


def test_a_slip_that_explains_a_single_case_of_several_is_not_named():
    """The first two weights come back as they are, which is what forgetting to divide gives; the others are not."""
    cases = EXERCISES["normalize_fusion_weights"].cases

    def outcome(place, case):
        if case.refuses:
            return Outcome(error=refusal())
        return Outcome([float(weight) for weight in case.arguments[0]] if place == 0 else [0.1, *[0.2] * (place + 1)])

    said = likely_mistakes(EXERCISES["normalize_fusion_weights"], [outcome(*pair) for pair in enumerate(cases)])
    assert said[0].zh == "第 0 个份额应为 1 / 4 = 0.25。"


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
    assert [hint.zh for hint in hints(report)] == ["第 0 个份额应为 1 / 4 = 0.25。"]


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


@pytest.mark.parametrize("name", EXERCISES)
def test_what_is_expected_is_what_brute_force_finds(name):
    """Of every case to be answered, whether it is written down or drawn by chance."""
    answer = oracle.EXERCISES[name.replace("candidate_tree_contract", "score_candidate_tree")][1]
    for case in EXERCISES[name].cases + EXERCISES[name].drawn:
        assert case.refuses or same(in_plain_form(answer(*case.arguments)), in_plain_form(case.expected)), case


@pytest.mark.parametrize("name", ASKED)
def test_inputs_are_drawn_by_chance(name):
    inputs = [repr(case.arguments) for case in EXERCISES[name].drawn]
    assert len(inputs) == 60 and len(set(inputs)) > 30


def test_what_is_to_be_refused():
    refused = {name: [case.arguments[0] for case in EXERCISES[name].cases if case.refuses] for name in EXERCISES}
    assert refused["normalize_fusion_weights"] == [[], [0, 0], [1, -1], [3, -1], [-1, 3], [-1, -3]]
    assert [len(cases) for cases in refused.values()] == [6, 9, 0, 5, 0, 0, 0]
    parents = [[node["parent"] for node in nodes] for nodes in refused["candidate_tree_contract"]]
    assert parents == [[], [-1, 0, -2], [-1, 1], [0, 0], [-1, 2, 0]]


def test_what_all_cases_pass_may_fail_by_chance_and_is_shown_with_its_smallest_input():
    def wrong_with_four_weights(weights):
        if not weights or min(weights) < 0 or sum(weights) == 0:
            raise ValueError
        shares = [weight / sum(weights) for weight in weights]
        return shares[::-1] if len(weights) == 4 and len(set(weights)) > 2 else shares

    report = check("normalize_fusion_weights", wrong_with_four_weights)
    assert [result.state for result in report.results] == ["passed"] * len(report.results[:-1]) + ["failed"]
    assert report.results[-1].title.en.startswith("by chance: [") and report.results[-1].title.en.count(",") == 3
