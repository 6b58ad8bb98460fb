"""Checks of the learner's own functions: a table of cases, and for each wrong answer the likely mistake.

The diagnosis is a simulation: every known mistake (`exercise_cases`) is run beside the learner's function, and the one
that gives the same outcome gives the hint. What no mistake explains is described by what can be seen.
"""

import contextlib
import copy
import io
import math
import numbers
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from .exercise_cases import EXERCISES, Case, Text
from .language import current_language

__test__ = {}  # pytest collects no test_… function from a module that says so: these are for notebooks

MARKS = {"passed": "✅", "failed": "❌", "unfinished": "○"}
PLAIN_MARKS = {"passed": "[ok]", "failed": "[x]", "unfinished": "[ ]"}  # for consoles that cannot write the others
TOLERANCE = 1e-9
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
            return "unfinished", Text(
                f"{total} 项中有 {unfinished} 项尚未完成", f"{unfinished} of {total} cases unfinished"
            )
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
    cases, mistakes = EXERCISES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what numpy warns of must not hang on the reader's filters
        outcomes = [_outcome(function, case) for case in cases]
        with contextlib.redirect_stdout(io.StringIO()):  # what the learner prints is seen once
            again = [_outcome(function, case) for case in cases]
    likely = _likely_mistakes(cases, mistakes, outcomes)
    results = []
    for place, case in enumerate(cases):
        hint = next((hint for hint, theirs in likely if _same(theirs[place], outcomes[place])), None)
        results.append(_judge(case, outcomes[place], again[place], hint))
    return Report(name, tuple(results))


def _likely_mistakes(cases: list[Case], mistakes: dict[Text, Callable], outcomes: list[Outcome]) -> list[tuple]:
    """The known mistakes with their outcomes, the likeliest first: those that agree with the learner on most cases.

    One that agrees on half or fewer of the cases which it gets wrong is left out: what agrees there is chance.
    """
    likely = []
    for hint, mistake in mistakes.items():
        theirs = [_outcome(mistake, case) for case in cases]
        agrees = list(map(_same, theirs, outcomes))
        wrong = [agrees[place] for place, case in enumerate(cases) if not _is_right(case, theirs[place])]
        if sum(wrong) > len(wrong) / 2:
            likely.append((sum(agrees), hint, theirs))
    likely.sort(key=lambda mistake: -mistake[0])  # stable: among equals the first of the list
    return [(hint, theirs) for _, hint, theirs in likely]


def _judge(case: Case, outcome: Outcome, again: Outcome, hint: Text | None) -> Result:
    """The result of one case; `hint`: that of the known mistake with the same outcome."""
    title, expected = case.title, _show(_plain(case.expected))
    if case.expected is ValueError:
        title, expected = Text(f"应拒绝：{title.zh}", f"to refuse: {title.en}"), REFUSAL
    if isinstance(outcome.error, NotImplementedError):
        return Result(title, "unfinished", _message(outcome.error), expected, None)
    if not _same(outcome, again):
        return Result(title, "failed", _show_outcome(again), expected, _UNSTEADY)
    if _is_right(case, outcome):
        return Result(title, "passed", _show_outcome(outcome), expected, None)
    return Result(title, "failed", _show_outcome(outcome), expected, hint or _hint_by_sight(case, outcome))


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
    """Numbers as floats, lists and their like as list or tuple, None as it is; all else `Foreign`."""
    if hasattr(value, "tolist"):  # numpy and torch
        value = value.tolist()
    if value is None:
        return None
    if isinstance(value, numbers.Real):
        return float(value)
    if levels and isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        items = [_plain(item, levels - 1) for item in value]
        return tuple(items) if isinstance(value, tuple) else items
    return Foreign(type(value).__name__)


def _is_right(case: Case, outcome: Outcome) -> bool:
    if case.expected is ValueError:
        return isinstance(outcome.error, ValueError) and not outcome.changed
    return _same(outcome, Outcome(_plain(case.expected)))


def _same(left, right) -> bool:
    """Whether two outcomes or two plain values are equal: numbers within 1e-9, exceptions by their type."""
    if isinstance(left, Outcome):
        errors = type(left.error) is type(right.error)
        return errors and left.changed == right.changed and _same(left.value, right.value)
    if isinstance(left, float) and isinstance(right, float):
        both_nan = math.isnan(left) and math.isnan(right)
        return both_nan or math.isclose(left, right, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        return len(left) == len(right) and all(map(_same, left, right))
    return left == right


# ── hints by what is seen, where no known mistake explains it ────────────────────────────────────

_UNSTEADY = Text(
    "同样的输入，第二次调用的结果却不同：不要用全局变量、可变默认参数或随机数。",
    "The same input gives another answer the second time: no globals, mutable defaults or random numbers.",
)
_CHANGED = Text("输入被改动了：请把结果放进新的列表。", "The input was changed: put the results into a new list.")
_NO_RETURN = Text("函数返回了 None：是不是忘了 return？", "The function returned None: is a return missing?")


def _hint_by_sight(case: Case, outcome: Outcome) -> Text:
    title, refuse, error = case.title, case.expected is ValueError, type(outcome.error).__name__
    if outcome.changed:
        return _CHANGED
    if outcome.error and refuse:
        return Text(
            f"抛出的是 {error}：请先检查输入，主动抛出 ValueError。",
            f"{error}: check the input first and raise ValueError.",
        )
    if outcome.error:
        return Text(
            f"输入合法，却抛出了 {error}，原因见上。",
            f"The input is legal, yet {error} was raised; its message is above.",
        )
    if refuse:
        return Text(f"没有拒绝{title.zh}：请抛出 ValueError。", f"Let through: {title.en}. Raise ValueError.")
    if outcome.value is None:
        return _NO_RETURN
    return _difference(outcome.value, _plain(case.expected))


def _difference(got, expected, place: str = "") -> Text:
    """Where `got` first leaves `expected`, and how."""
    zh, en = f"结果{place} " if place else "结果", f"result{place}"
    if isinstance(got, Sequence) and isinstance(expected, Sequence):
        if len(got) != len(expected):
            return Text(
                f"{zh}的长度是 {len(got)}，应为 {len(expected)}。",
                f"{en} has length {len(got)}, not {len(expected)}.",
            )
        index = list(map(_same, got, expected)).index(False)
        return _difference(got[index], expected[index], f"{place}[{index}]")
    if not (isinstance(got, float) and isinstance(expected, float)):
        kind = Text("列表", "a list") if isinstance(expected, Sequence) else Text("一个数", "a number")
        return Text(f"{zh}是 {_show(got)}，应为{kind.zh}。", f"{en} is {_show(got)}: it must be {kind.en}.")
    if math.isclose(got, expected, rel_tol=0.02):
        return Text(
            f"{zh}接近而不相等：是否四舍五入了，或给分母加了一个很小的数？",
            f"{en} is close but not equal: was it rounded, or the divisor made a little larger?",
        )
    return Text(
        f"{zh}是 {_show(got)}，应为 {_show(expected)}。",
        f"{en} is {_show(got)}, not {_show(expected)}.",
    )


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


def test_normalize_fusion_weights(function) -> None:
    """Print how `function` does as `normalize_fusion_weights`."""
    _print_check("normalize_fusion_weights", function)


def test_fuse_layer_features(function) -> None:
    """Print how `function` does as `fuse_layer_features`."""
    _print_check("fuse_layer_features", function)


def test_score_candidate_tree(function) -> None:
    """Print how `function` does as `score_candidate_tree`: scores and best path.

    >>> from eagle_lab import score_candidate_tree, use_language
    >>> use_language("en"); test_score_candidate_tree(score_candidate_tree); use_language("zh")
    ✅ the tree of the text
    ✅ two children of the root, tokens unlike indices
    ✅ a short path beats a long one
    ✅ two equal leaves: the lower index wins
    ✅ a chain of very low scores
    ✅ test_score_candidate_tree: all 5 cases passed
    """
    _print_check("score_candidate_tree", function)


def test_candidate_tree_contract(function) -> None:
    """Print whether `function`, as `score_candidate_tree`, refuses illegal trees and leaves its input alone."""
    _print_check("candidate_tree_contract", function)


def test_accepted_prefix(function) -> None:
    """Print how `function` does as `accepted_prefix`."""
    _print_check("accepted_prefix", function)


def test_tree_attention_mask(function) -> None:
    """Print how `function` does as `tree_attention_mask`."""
    _print_check("tree_attention_mask", function)


def test_verify_tree(function) -> None:
    """Print how `function` does as `verify_tree`."""
    _print_check("verify_tree", function)


def _print_check(name: str, function) -> None:
    """Print a report in what the console can write: Chinese or English, emoji or plain marks, all else escaped."""
    # Called through a lambda, so that something that is no function fails in the table instead of raising here.
    report = check(name, lambda *arguments: function(*arguments))
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    titles = "".join(result.title.zh for result in report.results)
    language = current_language() if _writes(encoding, titles) else "en"
    marks = MARKS if _writes(encoding, "".join(MARKS.values())) else PLAIN_MARKS
    print(report.text(language, marks).encode(encoding, "backslashreplace").decode(encoding))


def _writes(encoding: str, text: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeError:
        return False
    return True
