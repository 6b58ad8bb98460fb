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


DESCRIBED = {  # mistakes that no slip names: what is said of them instead
    "normalize_fusion_weights": {
        "百分数": "第 0 个份额应为",
        "return 是不是放在循环里了": "结果",
        "返回的是总和": "结果是 4，应为列表",
        "结果[1] 是 1，应为 0": "第 1 个份额应为",
        "结果[0] 是 0.3333": "第 0 个份额应为",
        "多套了一层列表": "结果的长度是 1，应为 2",
        "次序变了": "第 0 个份额应为",
        "相同的权重只留下了一个": "第 0 个份额应为",
        "结果[0] 是 0.1，应为": "第 0 个份额应为",
        "结果[0] 是 0，应为 0": "第 0 个份额应为",
        "除反了": "第 0 个份额应为",
        "平分": "第 0 个份额应为",
    },
    "fuse_layer_features": {
        "只有一层": "抛出了 ValueError",
        "宽度为 1，或有权重为 0": "抛出了 ValueError",
        "次序不对": "第 0 维应为",
        "softmax": "第 0 维应为",
        "没有用到权重": "第 0 维应为",
        "加起来": "结果[0] 是 [0.5, 1]，应为一个数",
        "第一层": "第 0 维应为",
        "最后一层": "第 0 维应为",
        "漏了最后一层": "第 0 维应为",
        "漏了第一层": "第 0 维应为",
        "多加了一次": "第 0 维应为",
        "行列弄反了": "第 0 维应为",
    },
    "score_candidate_tree": {
        "前面所有节点的分数之和": "分数应为",
        "上一个节点": "分数应为",
        "根的分数是 0": "抛出了 KeyError",
        "有边为 -inf": "抛出了 ValueError",
        "树只有一个节点": "抛出了 ValueError",
        "路径里是分数": "最高分的叶子是",
        "只返回了分数": "结果的长度是 4，应为 2",
        "只返回了路径": "结果的长度是 3，应为 2",
        "分数的次序变了": "分数应为",
        "减法": "分数应为",
        "正负号": "分数应为",
        "只给了叶子的分数": "结果[0] 的长度是 2，应为 4",
        "停得下来吗": "递归超出了 Python 的限度：要么停不下来，要么输入太深；用循环就没有这个限度",
        "只有边": "分数应为",
        "根的分数当成了 1": "分数应为",
        "正负号反了": "分数应为",
        "parent 这个下标": "分数应为",
        "exp": "分数应为",
        "按 token": "分数应为",
        "最低": "最高分的叶子是",
        "最后一个叶子": "最高分的叶子是",
        "没有走到叶子": "最高分的叶子是",
        "只有叶子自己": "最高分的叶子是",
        "有 -1": "最高分的叶子是",
        "路径是空的": "最高分的叶子是",
        "第一个叶子": "最高分的叶子是",
        "路径长度": "分数应为",
        "两项次序反了": "结果[0] 的长度是 3，应为 4",
    },
    "accepted_prefix": {
        "排了序": "最先不一致",
        "有一边为空": "抛出了 ValueError",
        "每个位置的真假": "结果是 [1, 0, 1, 1]，应为一个数",
        "共有的 token": "最先不一致",
        "结果是 3，应为 0。": "最先不一致",
        "token 列表": "结果是 [5]，应为一个数",
        "结果是 2，应为 1。": "最先不一致",
        "没有比较": "只在这种情况下出错：中途断开",
        "要数一致的": "没有不一致的",
        "比例": "最先不一致",
        "放在循环里": "没有不一致的",
    },
    "tree_attention_mask": {
        "只看见父节点和自己": "第 2 行应为 1 的是第 [0, 1, 2] 列",
        "每行只看见自己": "第 1 行应为 1 的是第 [0, 1] 列",
        "列号": "结果[0] 的长度是 1，应为 5",
        "正方形": "结果[0] 的长度是 4，应为 5",
        "拉成了一行": "结果的长度是 25，应为 5",
        "兄弟": "第 3 行应为 1 的是第 [0, 1, 3] 列",
        "结果[1][0] 是 2，应": "第 1 行应为 1 的是第 [0, 1] 列",
        "[1+n][1+n]": "结果的长度是 4，应为 5",
        "全是 1": "第 0 行应为 1 的是第 [0] 列",
        "有分支": "第 3 行应为 1 的是第 [0, 1, 3] 列",
        "看不见祖先": "第 2 行应为 1 的是第 [0, 1, 2] 列",
        "行错了一位": "第 0 行应为 1 的是第 [0] 列",
        "结果[0][0] 是 2，应": "第 0 行应为 1 的是第 [0] 列",
        "结果[0][0] 是 0，应": "第 0 行应为 1 的是第 [0] 列",
    },
    "verify_tree": {
        "只返回了走过的节点": "结果[0] 是 1，应为列表",
        "只返回了 next_token": "结果是 3，应为列表",
        "分成两项": "结果的长度是 3，应为 2",
        "个数": "结果[0] 是 2，应为列表",
        "两项次序反了": "结果[0] 是 3，应为列表",
        "没有更新": "停早了",
        "第一个孩子": "走错了",
        "next_token 取了最": "节点 2 是终点，next_token 应是 choices[3]",
        "总取 choices[0]": "节点 2 是终点，next_token 应是 choices[3]",
        "第一个 token": "走错了",
        "下标多了 1": "走错了",
        "最后走到的节点漏了": "停早了",
        "次序反了": "走错了",
        "也列进去了：它不是节点": "没有停下",
        "节点下标": "节点 2 是终点，next_token 应是 choices[3]",
        "错了一位": "抛出了 IndexError",
        "停在有孩子的节点上": "节点 0 是终点，next_token 应是 choices[1]",
    },
    "candidate_tree_contract": {
        "只有边的对数概率": "分数应为",
    },
}


def test_wrong_answers_are_refused_and_their_mistakes_named_or_described():
    """And no mistake goes by the name of another."""
    named = 0
    for answer in WRONG + MORE:
        report = check(answer.exercise, answer.function)
        assert not report.passed, answer
        first = hints(report)[0]
        if answer.mistake in first.zh:
            named += 1
        else:
            assert DESCRIBED[answer.exercise][answer.mistake] in first.zh, answer
            assert first not in [slip.says for slip in EXERCISES[answer.exercise].slips], answer
    print(f"{len(WRONG + MORE)} wrong answers, {named} mistakes named by the first hint, the others described")
    assert len(WRONG + MORE) >= 200 and {answer.exercise for answer in WRONG} == set(EXERCISES)
    assert named >= 125


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
        (
            "tree_attention_mask",
            lambda p: np.eye(1 + len(p)),
            "第 1 行应为 1 的是第 [0, 1] 列",
            "in the columns [0, 1]",
        ),
        ("verify_tree", lambda *_: 7, "结果是 7，应为列表。", "it must be a list."),
        ("verify_tree", lambda *_: ([1, 2], "x"), "结果[1] 是 <str>", "result[1] is <str>"),
        ("normalize_fusion_weights", lambda _: [0.3], "长度是 1，应为 2", "has length 1, not 2"),
        ("normalize_fusion_weights", lambda _: [0.5, 1.5], "份额应为 1 / 4 = 0.25", "Share 0 must be 1 / 4 = 0.25"),
        ("accepted_prefix", lambda *_: 9, "5 与 9：前面有 1 个。", "5 against 9: 1 agree before it."),
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
