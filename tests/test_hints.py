"""Wrong answers are refused, and the hint names the mistake; every hint in both languages."""

import math
import pkgutil
import random
from functools import cache
from importlib import import_module

import numpy as np
import pytest

from eagle_lab import exercises
from eagle_lab.exercises import EXERCISES, check
from eagle_lab.language import Text

from wrong import hints
from wrong.blind import BLIND
from wrong.blind_fifth import FIFTH
from wrong.blind_fourth import FOURTH
from wrong.blind_second import SECOND
from wrong.blind_sixth import SIXTH
from wrong.blind_third import THIRD
from wrong.more import MORE
from wrong.narrow import NARROW
from wrong.right import right_mask
from wrong.strange import WEIRD, poisoned, raising
from wrong.with_the_checker import WRONG

pytestmark = pytest.mark.usefixtures("chinese")
ROOMS = [import_module(f"eagle_lab.exercises.{room.name}") for room in pkgutil.iter_modules(exercises.__path__)]


def test_wrong_answers_are_refused_and_their_mistakes_named():
    named = 0
    for answer in WRONG + MORE:
        report = check(answer.exercise, answer.function)
        assert not report.passed, answer
        assert hints(report), answer
        named += answer.mistake in hints(report)[0].zh
    print(f"{len(WRONG + MORE)} wrong answers, {named} mistakes named by the first hint")
    assert len(WRONG + MORE) >= 200 and {answer.exercise for answer in WRONG} == set(EXERCISES)
    assert named >= 0.95 * len(WRONG + MORE)


@pytest.mark.parametrize("name", EXERCISES)
def test_every_case_is_needed(name):
    """Without it a wrong answer would pass: for each case there is one that fails nowhere else.

    The tree that notebook 04 prints with its answer stands there for the reader's sake.
    """
    answers = NARROW[name] + [answer.function for answer in WRONG + MORE if answer.exercise == name]
    failures = [[result.state == "failed" for result in check(name, answer).results] for answer in answers]
    needed = {failed.index(True) for failed in failures if sum(failed) == 1}
    cases = EXERCISES[name].cases
    assert [case.title.en for place, case in enumerate(cases) if place not in needed] in ([], ["the tree of the text"])


def test_what_is_true_by_chance_is_not_shown():
    """Of both it is true on one case that siblings are seen; the other cases tell more."""
    lower = check("tree_attention_mask", lambda parents: np.tri(1 + len(parents)))
    assert {hint.en for hint in hints(lower)} == {"Lower triangular: other branches are seen too."}

    def two_cells_too_many(parents):
        mask = right_mask(parents)
        mask[3:, 2:4] = 1
        return mask

    assert "下三角" not in "".join(hint.zh for hint in hints(check("tree_attention_mask", two_cells_too_many)))


@pytest.mark.parametrize("name", EXERCISES)
def test_any_value_of_the_right_form_is_described(name):
    """Right answers with a few numbers changed, left out, doubled or moved: always a hint, never an error."""
    chance = random.Random(name)

    def spoil(value):
        if isinstance(value, (int, float)):
            return chance.choice([*[value] * 4, -1, 0, 1, 2, -value, value + 1, 0.5, math.nan, -math.inf, 10**300])
        items = [spoil(item) for item in value]
        return chance.choice([items, items, items, items, items[::-1], items[1:], items + items[:1]])

    for _ in range(80):
        answers = [case.expected for case in EXERCISES[name].cases if case.expected is not ValueError]
        spoiled = spoil(chance.choice(answers))
        report = check(name, lambda *_, spoiled=spoiled: spoiled)
        for result in report.results:
            assert result.state == "passed" or (result.hint.zh and result.hint.en.isascii())


@pytest.mark.parametrize(
    ("name", "function", "zh", "en"),
    [
        ("accepted_prefix", lambda *_: None, "忘了 return", "is a return missing?"),
        ("accepted_prefix", lambda *_: True, "结果是 <bool>", "result is <bool>"),
        ("accepted_prefix", lambda *_: "2", "结果是 <str>，应为一个数。", "result is <str>: it must be a number."),
        ("verify_tree", lambda *_: 7, "结果是 7，应为列表。", "it must be a list."),
        ("verify_tree", lambda *_: ([1, 2], "x"), "结果[1] 是 <str>", "result[1] is <str>"),
        ("normalize_fusion_weights", lambda _: [0.3], "长度是 1，应为 2", "has length 1, not 2"),
        ("normalize_fusion_weights", lambda _: [0.5, 1.5], "结果[0] 是 0.5，应为 0.25", "result[0] is 0.5, not 0.25"),
        ("verify_tree", lambda *_: ([7], 3), "走错了：根之后目标模型选 2", "A wrong step"),
        ("normalize_fusion_weights", raising(KeyError("w")), "输入合法，却抛出了 KeyError", "KeyError was raised"),
        ("candidate_tree_contract", raising(KeyError("w")), "主动抛出 ValueError", "raise ValueError"),
        ("candidate_tree_contract", lambda _: [], "没有拒绝空树 []", "Let through: the empty tree []"),
        ("normalize_fusion_weights", poisoned, "输入被改动了", "The input was changed"),
    ],
)
def test_what_no_mistake_explains_is_described(name, function, zh, en):
    hint = hints(check(name, function))[0]
    assert zh in hint.zh and en in hint.en


# ── both languages ────────────────────────────────────────────────────────────────────────────────


def every_text():
    for exercise in EXERCISES.values():
        yield from (case.title for case in exercise.cases)
    yield from (value for room in ROOMS for value in vars(room).values() if isinstance(value, Text))
    yield from (slip.says for exercise in EXERCISES.values() for slip in exercise.slips)
    yield from every_hint()


@cache
def every_hint() -> list[Text]:
    blind = BLIND + SECOND + THIRD + FOURTH + FIFTH + SIXTH
    answers = [(answer.exercise, answer.function) for answer in WRONG + MORE + blind]
    answers += [(name, function) for name in EXERCISES for function in NARROW[name] + WEIRD]
    return [hint for answer in answers for hint in hints(check(*answer))]


def test_every_text_is_there_in_both_languages_and_can_be_written():
    for text in every_text():
        assert text.zh and text.en and text.zh != text.en
        assert text.en.isascii()
        assert any("\u4e00" <= sign <= "\u9fff" for sign in text.zh)
        assert text.zh.encode("gbk").decode("gbk") == text.zh
        for language in text:
            assert "{" not in language.replace("{}", "") and "\n" not in language


def test_hints_differ_in_both_languages():
    found = set(every_hint())
    for language in Text._fields:
        assert len({getattr(hint, language) for hint in found}) == len(found)
