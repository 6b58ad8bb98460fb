"""Checks of the learner's own functions: a table of cases, and for each wrong answer the likely mistake.

A hint is a sentence that is true of the outcome (`exercise_cases.py` says what can be seen of a wrong one); of several,
the one that is true of most cases. So a slip is named once, and seldom by chance.
"""

import contextlib
import copy
import io
import math
import numbers
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from .exercise_cases import EXERCISES, Case, OneRow, Text, alike, is_number, same
from .language import console_encoding, console_takes, current_language

__test__ = {}  # pytest collects no test_… function from a module that says so: these are for notebooks

MARKS = {"passed": "✅", "failed": "❌", "unfinished": "○"}
PLAIN_MARKS = {"passed": "[ok]", "failed": "[x]", "unfinished": "[ ]"}  # for consoles that cannot write the others
REFUSAL = ValueError.__name__


class Result(NamedTuple):
    """One case; `state`: "passed", "failed" or "unfinished"; `hint`: the likely mistake, None unless it failed."""

    title: Text
    state: str
    got: str
    expected: str
    hint: Text | None


@dataclass(frozen=True)
class Report:
    """What a check found; `str()` gives the table in the language in use."""

    name: str
    results: tuple[Result, ...]

    @property
    def passed(self) -> bool:
        """Whether every case passed."""
        return self._count("passed") == len(self.results)

    def __str__(self) -> str:
        return self.text(current_language())

    def text(self, language: str, marks: dict[str, str] = MARKS) -> str:
        """The table in "zh" or "en": a line for each case, what came where it failed, and a line that sums up."""
        say, lines, hints = attrgetter(language), [], []
        for result in self.results if not self._untouched else ():
            lines.append(f"{marks[result.state]} {say(result.title)}")
            if result.state == "failed":
                lines += [f"     {say(_GOT)}{result.got}", f"     {say(_EXPECTED)}{result.expected}"]
                lines += [f"     {say(_HINT)}{say(result.hint)}"] if result.hint not in hints else []
                hints.append(result.hint)
        state, summary = self._summary()
        return "\n".join([*lines, f"{marks[state]} test_{self.name}: {say(summary)}"])

    @property
    def _untouched(self) -> bool:
        """No answer is there yet, and nothing is wrong; refusals may pass, since a stub may come with its checks."""
        answers = [result for result in self.results if result.expected != REFUSAL]
        return not self._count("failed") and all(result.state == "unfinished" for result in answers)

    def _count(self, state: str) -> int:
        return sum(result.state == state for result in self.results)

    def _summary(self) -> tuple[str, Text]:
        total, failed, unfinished = len(self.results), self._count("failed"), self._count("unfinished")
        if failed:
            return "failed", Text(f"{total} 项中有 {failed} 项未通过", f"{failed} of {total} cases failed")
        if self._untouched:
            said = next(result.got for result in self.results if result.state == "unfinished")
            return "unfinished", Text(f"尚未完成。{said or _TODO.zh}", f"not finished yet. {said or _TODO.en}")
        if unfinished:
            zh = f"{total} 项中有 {unfinished} 项尚未完成"
            return "unfinished", Text(zh, f"{unfinished} of {total} cases unfinished")
        return "passed", Text(f"{total} 项全部通过", f"all {total} cases passed")


_GOT, _EXPECTED, _HINT = Text("实际：", "got:      "), Text("预期：", "expected: "), Text("提示：", "hint:     ")
_TODO = Text("请补全函数，再运行一次。", "Complete the function and run this again.")


class Outcome(NamedTuple):
    """What a function did: its value in plain form or its exception, and whether its input changed."""

    value: object = None
    error: Exception | None = None
    changed: bool = False


@dataclass(frozen=True)
class Foreign:
    """What is neither a number nor a list, known by the name of its type."""

    kind: str


def check(name: str, function) -> Report:
    """Run the learner's `function` on every case of the exercise `name`, and find the likely mistakes.

    Nothing that the function does is raised: `NotImplementedError` marks a case as unfinished, any other
    exception is its outcome. Raises `ValueError` for an unknown name, `TypeError` for what cannot be called.

    >>> report = check("normalize_fusion_weights", lambda weights: [weight / len(weights) for weight in weights])
    >>> report.passed, report.results[0].got, report.results[0].hint.en
    (False, '[0.5, 1.5]', 'Divided by the number of layers; divide by the sum.')
    """
    if name not in EXERCISES:
        raise ValueError(f"name is {name!r}: the exercises are {', '.join(EXERCISES)}")
    if not callable(function):
        raise TypeError(f"function must be callable, not {type(function).__name__}")
    cases, look = EXERCISES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what numpy warns of must not hang on the reader's filters
        outcomes = [_outcome(function, case) for case in cases]
        with contextlib.redirect_stdout(io.StringIO()):  # what the learner prints is seen once
            again = [_outcome(function, case) for case in cases]
        hints = _hints(cases, outcomes, look)
    return Report(name, tuple(map(_judge, cases, outcomes, again, hints)))


def _hints(cases: list[Case], outcomes: list[Outcome], look) -> list[Text | None]:
    """For each wrong outcome, of the sentences that are true of it the one that is true of most; None for the right."""
    true = [[] if _is_right(*pair) else list(_sight(*pair, look)) for pair in zip(cases, outcomes, strict=True)]
    counts = Counter(hint for hints in true for hint in set(hints))
    return [max(hints, key=counts.__getitem__, default=None) for hints in true]


def _judge(case: Case, outcome: Outcome, again: Outcome, hint: Text | None) -> Result:
    title, expected = case.title, _show(_plain(case.expected))
    if case.expected is ValueError:
        title, expected = Text(f"应拒绝：{title.zh}", f"to refuse: {title.en}"), REFUSAL
    if isinstance(outcome.error, NotImplementedError):
        return Result(title, "unfinished", _message(outcome.error), expected, None)
    if not _same(outcome, again):
        return Result(title, "failed", _show_outcome(again), expected, _UNSTEADY)
    return Result(title, "failed" if hint else "passed", _show_outcome(outcome), expected, hint)


# ── outcomes ─────────────────────────────────────────────────────────────────────────────────────


def _outcome(function, case: Case) -> Outcome:
    arguments = copy.deepcopy(case.arguments)
    value = error = None
    try:
        value = _plain(function(*arguments))
    except Exception as caught:  # the function's own, or that of a value which resists reading
        error = caught
    try:
        changed = repr(arguments) != repr(case.arguments)
    except Exception:  # something strange was put in
        changed = True
    return Outcome(value, error, changed)


def _plain(value, levels: int = 3):
    """Numbers as floats, lists and their like as list or tuple, None as it is; all else `Foreign`, also a lone bool."""
    if hasattr(value, "tolist"):  # numpy and torch
        value = value.tolist()
    if value is None:
        return None
    if isinstance(value, numbers.Real) and not (levels == 3 and isinstance(value, bool)):
        return float(value)
    if levels and isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        items = [_plain(item, levels - 1) for item in value]
        rows = [id(row) for row in value if isinstance(row, list)]
        if len(set(rows)) < len(rows):
            return OneRow(items)
        return tuple(items) if isinstance(value, tuple) else items
    return Foreign(type(value).__name__)


def _is_right(case: Case, outcome: Outcome) -> bool:
    if case.expected is ValueError:
        return isinstance(outcome.error, ValueError) and not outcome.changed
    return _same(outcome, Outcome(case.expected))


def _same(left: Outcome, right: Outcome) -> bool:
    """Whether two outcomes are equal; exceptions by their type."""
    errors = type(left.error) is type(right.error)
    return errors and left.changed == right.changed and same(left.value, right.value)


# ── what can be seen of any wrong outcome ────────────────────────────────────────────────────────

_UNSTEADY = Text(
    "同样的输入，第二次调用的结果却不同：不要用全局变量、可变默认参数或随机数。",
    "The same input gives another answer the second time: no globals, mutable defaults or random numbers.",
)
_CHANGED = Text("输入被改动了：请把结果放进新的列表。", "The input was changed: put the results into a new list.")
_NO_RETURN = Text("函数返回了 None：是不是忘了 return？", "The function returned None: is a return missing?")
_ROUNDED = Text("小数位被舍去了：不要用 round()、int() 或 //。", "Decimals are cut off: no round(), int() or //.")
_SLIPS = NameError, TypeError, AttributeError  # of the code, whatever the input
_SWAPPED = Text("返回的两项次序反了。", "The two parts of the answer have changed places.")
_CLOSE = Text(
    "结果接近而不相等：是否用了 float32，或给分母加了一个很小的数？",
    "Close but not equal: was it float32, or was the divisor made a little larger?",
)


def _sight(case: Case, outcome: Outcome, look) -> Iterator[Text]:
    """What is true of a wrong outcome, the most telling first; there is always something."""
    title, refuse, error = case.title, case.expected is ValueError, type(outcome.error).__name__
    if outcome.changed:
        yield _CHANGED
        return
    if alike(outcome.value, case.expected):
        pairs = list(_pairs(outcome.value, case.expected))
        if any(_are_rounded(pairs, digits) for digits in range(7)):
            yield _ROUNDED
        elif all(math.isclose(*pair, rel_tol=1e-3) for pair in pairs):
            yield _CLOSE
    if isinstance(case.expected, tuple) and same(outcome.value, case.expected[::-1]):
        yield _SWAPPED
    yield from look(outcome.value if outcome.error is None else outcome.error, case.expected, *case.arguments)
    if isinstance(outcome.error, _SLIPS):
        yield Text(f"代码本身出错了：{error}，原因见上。", f"The code itself fails with {error}: see above.")
    elif outcome.error and refuse:
        zh = f"{title.zh}：抛出的是 {error}，应先检查输入，主动抛出 ValueError。"
        yield Text(zh, f"{title.en}: {error}, but check the input first and raise ValueError.")
    elif outcome.error:
        zh = f"输入合法，却抛出了 {error}，原因见上。"
        yield Text(zh, f"Legal input, yet {error} was raised; its message is above.")
    elif refuse:
        yield Text(f"没有拒绝{title.zh}：请抛出 ValueError。", f"Let through: {title.en}. Raise ValueError.")
    elif outcome.value is None:
        yield _NO_RETURN
    else:
        yield _difference(outcome.value, _plain(case.expected))


def _pairs(got, expected) -> Iterator[tuple[float, float]]:
    """The numbers of two answers of the same form, side by side."""
    if is_number(got):
        yield got, expected
    else:
        for pair in zip(got, expected, strict=True):
            yield from _pairs(*pair)


def _are_rounded(pairs: list[tuple[float, float]], digits: int) -> bool:
    if not all(math.isfinite(got) for got, _ in pairs) or all(same(right, round(right, digits)) for _, right in pairs):
        return False
    return all(same(got, round(got, digits)) and abs(got - right) < 10**-digits for got, right in pairs)


def _difference(got, expected, place: str = "") -> Text:
    """Where `got` first leaves `expected`, and how."""
    zh, en = f"结果{place} " if place else "结果", f"result{place}"
    if isinstance(got, Sequence) and isinstance(expected, Sequence):
        if len(got) != len(expected):
            zh, en = f"{zh}的长度是 {len(got)}，应为", f"{en} has length {len(got)}, not"
            return Text(f"{zh} {len(expected)}。", f"{en} {len(expected)}.")
        index = list(map(same, got, expected)).index(False)
        return _difference(got[index], expected[index], f"{place}[{index}]")
    if not (is_number(got) and is_number(expected)):
        kind = Text("列表", "a list") if isinstance(expected, Sequence) else Text("一个数", "a number")
        return Text(f"{zh}是 {_show(got)}，应为{kind.zh}。", f"{en} is {_show(got)}: it must be {kind.en}.")
    return Text(f"{zh}是 {_show(got)}，应为 {_show(expected)}。", f"{en} is {_show(got)}, not {_show(expected)}.")


# ── showing ──────────────────────────────────────────────────────────────────────────────────────


def _show(value) -> str:
    """A plain value on one line; a mask as its rows of 0 and 1."""
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, Foreign):
        return f"<{value.kind}>"
    if not isinstance(value, Sequence):
        return str(value)
    if value and all(isinstance(row, Sequence) and row and all(cell in (0, 1) for cell in row) for row in value):
        return _cut(" ".join("".join(map(_show, row)) for row in value))
    inside = ", ".join(map(_show, value))
    return _cut(f"({inside})" if isinstance(value, tuple) else f"[{inside}]")


def _show_outcome(outcome: Outcome) -> str:
    if outcome.error is None:
        return _show(outcome.value)
    return _cut(f"{type(outcome.error).__name__}: {_message(outcome.error)}".removesuffix(": "))


def _message(error: Exception) -> str:
    try:
        return " ".join(str(error).split())
    except Exception:  # even this may be the learner's own code
        return ""


def _cut(text: str, width: int = 100) -> str:
    return text if len(text) <= width else f"{text[: width - 3]}..."


# ── the tests by name, as the notebook calls them ────────────────────────────────────────────────


def _print_check(name: str, function) -> None:
    """Print a report in what the console can write: Chinese or English, emoji or plain marks, all else escaped.

    >>> from eagle_lab import accepted_prefix, use_language
    >>> use_language("en"); test_accepted_prefix(accepted_prefix); use_language("zh")
    ✅ a break, then agreement again
    ✅ full agreement
    ✅ no agreement on the first
    ✅ token 0 is a real token
    ✅ two tokens change places
    ✅ an empty draft
    ✅ the draft is longer
    ✅ the target is longer
    ✅ test_accepted_prefix: all 8 cases passed
    """
    # Called through a lambda, so that something that is no function fails in the table instead of raising here.
    report = check(name, lambda *arguments: function(*arguments))
    encoding = console_encoding()
    titles = "".join(result.title.zh for result in report.results)
    language = current_language() if console_takes(titles) else "en"
    marks = MARKS if console_takes("".join(MARKS.values())) else PLAIN_MARKS
    print(report.text(language, marks).encode(encoding, "backslashreplace").decode(encoding))


def _named_test(name: str):
    def test(function) -> None:
        _print_check(name, function)

    test.__name__ = test.__qualname__ = f"test_{name}"
    test.__doc__ = f"Print how `function` does as `{name}`."
    return test


test_normalize_fusion_weights = _named_test("normalize_fusion_weights")
test_fuse_layer_features = _named_test("fuse_layer_features")
test_score_candidate_tree = _named_test("score_candidate_tree")  # scores and best path
test_candidate_tree_contract = _named_test("candidate_tree_contract")  # illegal trees, and the input left alone
test_accepted_prefix = _named_test("accepted_prefix")
test_tree_attention_mask = _named_test("tree_attention_mask")
test_verify_tree = _named_test("verify_tree")
