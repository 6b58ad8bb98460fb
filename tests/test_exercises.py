"""The checks of the learner's functions: what passes, what is left unfinished, what is seen, and the verdict left."""

import numpy as np
import pytest

from eagle_lab import accepted_prefix, exercises, score_candidate_tree
from eagle_lab.exercises import EXERCISES, check
from eagle_lab.language import use_language
from eagle_lab.own import verdict_on

from wrong import hints
from wrong.right import RIGHT, filled, refuse_unless, shares_of
from wrong.strange import WEIRD, MuteError, raising
from wrong.with_the_checker import WRONG

pytestmark = pytest.mark.usefixtures("chinese")


def states(report) -> set[str]:
    return {result.state for result in report.results}


@pytest.mark.parametrize("name", EXERCISES)
def test_right_answers_pass_however_they_are_written(name):
    assert len(RIGHT[name]) >= 4
    for function in RIGHT[name]:
        report = check(name, function)
        assert report.passed, f"{function}\n{report}"
        assert not hints(report)
        assert str(report).splitlines()[-1] == f"✅ test_{name}: {len(report.results)} 项全部通过"


def test_after_a_case_that_held_the_whole_kernel_no_other_is_begun(monkeypatch):
    monkeypatch.setattr("eagle_lab.exercises.checks.HELD", -1.0)  # any case has taken longer
    first, *others = check("accepted_prefix", accepted_prefix).results
    assert first.state == "passed" and others
    assert all(result.state == "failed" and "占住了整个内核" in result.hint.zh for result in others)


# ── what a function does ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", EXERCISES)
def test_nothing_that_a_function_does_gets_out(name, capsys):
    errors = [
        MuteError(),
        KeyError(),
        ExceptionGroup("many", [ValueError()]),
        StopIteration(),
        AssertionError("a\nb" * 500),
    ]
    for function in WEIRD + [raising(error) for error in errors]:
        report = check(name, function)
        assert not report.passed and "failed" in states(report)
        assert all(line for line in str(report).splitlines())
        assert max(map(len, str(report).splitlines())) < 160
        getattr(exercises, f"test_{name}")(function)
    assert "Traceback" not in capsys.readouterr().out


def test_an_error_is_shown_with_its_message():
    result = check("accepted_prefix", raising(KeyError("draft\n tokens"))).results[0]
    assert (result.got, result.expected) == (r"KeyError: 'draft\n tokens'", "1")


def test_changing_the_input_fails_even_with_the_right_answer():
    def sorts_first(nodes):
        answer = score_candidate_tree(nodes)
        nodes.reverse()
        return answer

    assert {hint.en for hint in hints(check("candidate_tree_contract", sorts_first))} == {
        "The input was changed: put the results into a new list."
    }


def test_input_that_is_refused_must_not_be_changed_either():
    def empties_what_it_refuses(nodes):
        try:
            return score_candidate_tree(nodes)
        except ValueError:
            nodes.append("refused")
            raise

    report = check("candidate_tree_contract", empties_what_it_refuses)
    assert [result.state for result in report.results] == ["failed"] * 5 + ["passed"] * 2


def test_warnings_are_no_errors():
    """This suite makes errors of warnings; a notebook would print them between the cases."""

    def divides_first(weights):
        shares = np.array(weights) / np.sum(weights)
        refuse_unless(len(weights) and min(weights) >= 0 and not np.isnan(shares).any())
        return shares

    assert check("normalize_fusion_weights", divides_first).passed


def test_a_memory_between_calls_is_noticed():
    seen = []

    def remembers(weights):
        seen.append(len(seen))
        return [0.0] * len(seen)

    assert "第二次" in hints(check("normalize_fusion_weights", remembers))[0].zh


def test_checks_know_nothing_of_each_other():
    answers = [(answer.exercise, answer.function) for answer in WRONG if answer.function.__name__ != "remembers"]
    once = [check(*answer) for answer in answers]
    again = [check(*answer) for answer in reversed(answers)][::-1]
    assert once == again
    for name in reversed(EXERCISES):
        assert check(name, RIGHT[name][0]).passed


def test_names_and_functions_are_checked():
    with pytest.raises(ValueError, match=r"'softmax': the exercises are normalize_fusion_weights, .*verify_tree"):
        check("softmax", sum)
    with pytest.raises(TypeError, match="function must be a function, not list"):
        check("normalize_fusion_weights", [0.25, 0.75])


def test_a_check_prints_nothing_and_what_the_learner_prints_is_seen_once(capsys):
    def talks(draft_tokens, target_tokens):
        print("here")
        return accepted_prefix(draft_tokens, target_tokens)

    assert check("accepted_prefix", talks).passed
    assert capsys.readouterr().out == "here\n" * len(EXERCISES["accepted_prefix"].cases)


def test_what_is_no_function_fails_in_the_table(capsys):
    exercises.test_normalize_fusion_weights([0.25, 0.75])
    assert "TypeError: 'list' object is not callable" in capsys.readouterr().out


# ── unfinished answers ────────────────────────────────────────────────────────────────────────────

STUB_MESSAGE = "请先完成 TODO 代码！"
TODO = f"raise NotImplementedError({STUB_MESSAGE!r})"


@pytest.mark.parametrize("name", EXERCISES)
def test_an_untouched_stub_gives_one_line(name):
    untouched = raising(NotImplementedError(STUB_MESSAGE))
    assert str(check(name, untouched)) == f"○ test_{name}: 尚未完成。{STUB_MESSAGE}"
    assert states(check(name, untouched)) == {"unfinished"}
    use_language("en")
    silent = raising(NotImplementedError)
    assert str(check(name, silent)) == f"○ test_{name}: not finished yet. Complete the function and run this again."


def test_a_stub_that_already_refuses_is_unfinished_not_wrong():
    stubs = {
        "normalize_fusion_weights": filled("normalize_fusion_weights", normalize=TODO),
        "fuse_layer_features": filled("fuse_layer_features", fuse=TODO),
        "score_candidate_tree": filled("score_candidate_tree", score=TODO),
        "candidate_tree_contract": filled("score_candidate_tree", score=TODO),
    }
    for name, stub in stubs.items():
        report = check(name, stub)
        assert str(report) == f"○ test_{name}: 尚未完成。{STUB_MESSAGE}" and not report.passed


def test_fusing_waits_for_the_learners_own_normalisation():
    report = check("fuse_layer_features", filled("fuse_layer_features", normalize=TODO))
    assert str(report) == f"○ test_fuse_layer_features: 尚未完成。{STUB_MESSAGE}"


def test_what_a_stub_lets_through_is_not_hidden():
    def lets_the_empty_list_through(weights):
        if not weights:
            return weights
        raise NotImplementedError

    report = check("normalize_fusion_weights", lets_the_empty_list_through)
    assert hints(report)[0].zh == "没有拒绝空列表 []：请抛出 ValueError。"
    lines = str(report).splitlines()
    assert "❌ 应拒绝：空列表 []" in lines and "○ 两层：[1, 3]" in lines
    assert lines[-1] == "❌ test_normalize_fusion_weights: 11 项中有 1 项未通过"


def test_a_half_finished_answer_shows_its_cases():
    def half(draft_tokens, target_tokens):
        if not draft_tokens:
            return 0
        raise NotImplementedError

    lines = str(check("accepted_prefix", half)).splitlines()
    assert lines[0] == "○ 中间断开，后面又一致" and "✅ 草稿为空" in lines
    assert lines[-1] == "○ test_accepted_prefix: 10 项中有 9 项尚未完成"


# ── verdicts ──────────────────────────────────────────────────────────────────────────────────────


def test_a_verdict_belongs_to_the_function_that_was_checked(capsys):
    def shares(weights):
        return shares_of(weights)

    assert verdict_on(shares) is None
    exercises.test_normalize_fusion_weights(shares)
    assert capsys.readouterr().out and verdict_on(shares) is True
    assert not check("fuse_layer_features", shares).passed
    assert verdict_on(shares) is False


def test_a_verdict_asks_for_every_check_of_a_function():
    def takes_the_empty_tree(nodes):
        return score_candidate_tree(nodes) if nodes else ([], [])

    assert check("score_candidate_tree", takes_the_empty_tree).passed and verdict_on(takes_the_empty_tree) is True
    assert not check("candidate_tree_contract", takes_the_empty_tree).passed
    assert verdict_on(takes_the_empty_tree) is False


def test_an_unfinished_answer_has_not_passed():
    stub = raising(NotImplementedError)
    check("accepted_prefix", stub)
    assert verdict_on(stub) is False
