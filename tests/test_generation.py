"""The closing check of notebook 04: what writes another text is never certified, and the right function is blamed."""

import random

import numpy as np
import pytest

from eagle_lab import CandidateTree, exercises, greedy_decode, load_pair, use_language
from eagle_lab.exercises import check_generation
from eagle_lab.own import mask_by, verdict_on, verify_by
from eagle_lab.trials import record

from wrong.right import right_mask, right_walk

pytestmark = pytest.mark.usefixtures("chinese")


@pytest.fixture(scope="module")
def pair():
    return load_pair("stories")


# ── ten wrong masks, ten wrong walks ─────────────────────────────────────────────────────────────


def changed(change):
    """A mask that is right but for what `change(rows, parents)` does to it."""

    def mask(parents):
        rows = [list(row) for row in right_mask(parents)]
        change(rows, parents)
        return rows

    return mask


def _grid(sees):
    return lambda parents: [[sees(r, c) for c in range(1 + len(parents))] for r in range(1 + len(parents))]


def _siblings(rows, parents):
    for node, parent in enumerate(parents):
        for other, above in enumerate(parents):
            rows[1 + node][1 + other] |= above == parent


def _no_grandparents(rows, parents):
    for node, parent in enumerate(parents):
        for column in range(1, len(rows)):
            rows[1 + node][column] = column in (1 + node, 1 + parent)


MASKS = {
    "lower": _grid(lambda row, column: column <= row),
    "everybody": _grid(lambda row, column: True),
    "self_alone": _grid(lambda row, column: row == column),
    "self_and_root": _grid(lambda row, column: column in (0, row)),
    "root_unseen": changed(lambda rows, parents: [row.__setitem__(0, i == 0) for i, row in enumerate(rows)]),
    "not_itself": changed(lambda rows, parents: [rows[i].__setitem__(i, False) for i in range(1, len(rows))]),
    "siblings": changed(_siblings),
    "parent_only": changed(_no_grandparents),
    "node_zero_unseen": changed(lambda rows, parents: [row.__setitem__(1, i == 1) for i, row in enumerate(rows)]),
    "descendants": lambda parents: np.array(right_mask(parents)).T,
}


def _children(parents, node):
    return [child for child, parent in enumerate(parents) if parent == node]


def walking(choose, token=lambda tokens, choices, node: choices[1 + node]):
    """A walk down the tree that goes on by `choose(children, tokens, choices, node)`, which gives a child or None."""

    def walk(parents, tokens, choices):
        accepted, node = [], -1
        while (child := choose(_children(parents, node), tokens, choices, node)) is not None:
            accepted.append(node := child)
        return accepted, token(tokens, choices, node)

    return walk


def _agreed(children, tokens, choices, node):
    return next((child for child in children if tokens[child] == choices[1 + node]), None)


def _first_step(parents, tokens, choices):
    accepted = right_walk(parents, tokens, choices)[0][:1]
    return accepted, choices[1 + (accepted or [-1])[0]]


WALKS = {
    "first_child": walking(lambda children, *_: children[0] if children else None),
    "last_child": walking(lambda children, *_: children[-1] if children else None),
    "one_child": lambda parents, tokens, choices: ([0], choices[1]),
    "bonus_is_roots": walking(_agreed, lambda tokens, choices, node: choices[0]),
    "bonus_is_draft": walking(_agreed, lambda tokens, choices, node: tokens[node] if node >= 0 else choices[0]),
    "off_by_one": walking(lambda ch, tokens, choices, node: next((c for c in ch if tokens[c] == choices[1 + c]), None)),
    "token_zero": walking(_agreed, lambda tokens, choices, node: 0),
    "never": lambda parents, tokens, choices: ([], choices[0]),
    "one_step": _first_step,
    "first_child_or_stop": walking(
        lambda children, tokens, choices, node: _agreed(children[:1], tokens, choices, node)
    ),
}


def own_text(pair, prompt, mask, walk) -> list[int]:
    """What these two really write: decoded on its own, without the check that is on trial."""
    return record(pair, prompt, mask=mask_by(mask), verify=verify_by(walk)).decoding.tokens


@pytest.mark.parametrize("name", [*MASKS, *WALKS])
def test_wrong_functions_are_told_as_what_they_are(pair, name):
    mask, walk = MASKS.get(name, right_mask), WALKS.get(name, right_walk)
    report = check_generation(pair, mask, walk)
    prompts = [prompt for several in pair.prompts.values() for prompt in several]
    assert not report.passed and len(report.results) == len(prompts) == 12
    wrong, guiltless = (mask, walk) if name in MASKS else (walk, mask)
    for prompt, result in zip(prompts, report.results, strict=True):
        ids = pair.encode(prompt)
        ours, plain = own_text(pair, prompt, mask, walk), greedy_decode(pair.target, ids, 40, eos_id=pair.eos_ids)
        if ours != plain:
            assert result.state == "failed", prompt
            place = next(i for i, tokens in enumerate(zip(ours, plain, strict=False)) if tokens[0] != tokens[1])
            assert result.got == f"[{place}] {pair.token_text(ours[place])}"
            assert result.expected == f"[{place}] {pair.token_text(plain[place])}"
        else:
            assert result.state != "failed", "the text is the target's own"
        if result.state != "passed":
            assert f"{wrong.__name__}：" in result.hint.zh
            if guiltless.__name__ != wrong.__name__:
                assert f"{guiltless.__name__}：" not in result.hint.zh
    if name in ("never", "one_step", "first_child_or_stop"):
        assert {result.state for result in report.results} == {"costly"} and "提交得少了" in str(report)
    else:
        assert "failed" in {result.state for result in report.results}
    assert verdict_on(wrong) is False


def test_right_functions_pass_at_every_opening(pair):
    report = check_generation(pair, right_mask, right_walk)
    assert report.passed and verdict_on(right_mask) and verdict_on(right_walk)
    assert str(report).splitlines()[-1] == "✅ test_generation: 12 项全部通过"
    assert all(result.got == result.expected for result in report.results), "the same τ"
    library = check_generation(
        pair, lambda parents: CandidateTree(parents, parents, [0] * len(parents)).attention_mask(), right_walk
    )
    assert library.passed


def test_both_functions_wrong_are_both_named(pair):
    report = check_generation(pair, MASKS["everybody"], WALKS["first_child"], pair.prompts["zh"][:2])
    assert "mask" not in report.results[0].title.zh
    for result in report.results:
        assert result.hint.zh.count("第 1 轮") == 2


@pytest.mark.parametrize("seed", range(4))
def test_a_walk_that_errs_now_and_then_is_caught_where_it_errs(pair, seed):
    """Refusing by chance only costs; accepting by chance changes the text."""

    def errs(parents, tokens, choices):
        rng = random.Random(seed * 1000 + sum(tokens))
        if rng.random() > 0.2:
            return right_walk(parents, tokens, choices)
        return [0], choices[1]

    prompts = pair.prompts["en"]
    report = check_generation(pair, right_mask, errs, prompts)
    for prompt, result in zip(prompts, report.results, strict=True):
        ours = own_text(pair, prompt, right_mask, errs)
        plain = greedy_decode(pair.target, pair.encode(prompt), 40, eos_id=pair.eos_ids)
        assert (result.state == "failed") == (ours != plain)


def test_unwritten_and_broken_functions(pair, capsys):
    def todo(*_):
        raise NotImplementedError("请先完成 TODO 代码！")

    def broken(parents, tokens, choices):
        return choices[0]

    exercises.test_generation(pair, todo, todo)
    assert capsys.readouterr().out == "○ test_generation: 尚未完成。请先完成 TODO 代码！\n"
    exercises.test_generation(pair, right_mask, broken)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("❌ ") and "你的 broken 返回的是" in lines[1] and "指向 broken" in lines[3]
    assert sum(line.startswith("○ ") for line in lines) == 11, "the others are not tried"
    use_language("en")
    exercises.test_generation(pair, right_mask, broken, ["Once upon a time"])
    assert "your broken returned" in capsys.readouterr().out


def test_a_lucky_last_opening_does_not_clear_a_function(pair):
    """The verdict is of all openings: one that errs at the first alone has not passed."""
    first, last = pair.prompts["zh"][1], pair.prompts["en"][0]
    seen = []

    def errs_at_once_alone(parents):
        seen.append(1)
        return MASKS["everybody"](parents) if len(seen) == 1 else right_mask(parents)

    report = check_generation(pair, errs_at_once_alone, right_walk, [first, last])
    assert [result.state == "passed" for result in report.results] == [False, True]
    assert verdict_on(errs_at_once_alone) is False


def test_two_functions_of_one_name_are_told_apart(pair):
    def mine(parents, tokens=None, choices=None):
        return right_mask(parents) if tokens is None else ([0], choices[1])

    guiltless = lambda parents: right_mask(parents)  # noqa: E731
    guiltless.__name__ = "mine"
    assert not check_generation(pair, guiltless, mine, pair.prompts["zh"][:2]).passed
    assert verdict_on(guiltless) is True and verdict_on(mine) is False


def test_what_was_not_tried_at_every_opening_has_not_passed(pair):
    def breaks(parents, tokens, choices):
        raise RuntimeError("tired")

    def mask(parents):
        return right_mask(parents)

    check_generation(pair, mask, breaks, pair.prompts["zh"][:1])
    assert verdict_on(breaks) is False and verdict_on(mask) is None
