"""Checks of the learner's own functions: every case of an exercise is run, judged, and reported.

A wrong answer comes with the likely mistake (`hints.py`). What a check found stays with the function, where panels
read it (`trials.verdict_on`).
"""

import contextlib
import copy
import io
import warnings

from ..language import Text, console_encoding, console_takes, current_language
from ..trials import leave_verdict
from . import fuse, mask, normalize, prefix, score, verify
from .hints import likely_mistakes
from .kinds import Case, Outcome, cut, in_plain_form, show
from .report import MARKS, PLAIN_MARKS, REFUSAL, Report, Result

__test__ = {}  # pytest collects no test_… function from a module that says so: these are for notebooks

EXERCISES = {
    "normalize_fusion_weights": normalize.EXERCISE,
    "fuse_layer_features": fuse.EXERCISE,
    "score_candidate_tree": score.EXERCISE,  # scores and best path
    "candidate_tree_contract": score.CONTRACT,  # illegal trees, and the input left alone
    "accepted_prefix": prefix.EXERCISE,
    "tree_attention_mask": mask.EXERCISE,
    "verify_tree": verify.EXERCISE,
}


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
    return _examine(name, function)


def _examine(name: str, function) -> Report:
    cases = EXERCISES[name].cases
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what numpy warns of must not hang on the reader's filters
        outcomes = [_outcome(function, case) for case in cases]
        with contextlib.redirect_stdout(io.StringIO()):  # what the learner prints is seen once
            again = [_outcome(function, case) for case in cases]
        hints = likely_mistakes(EXERCISES[name], outcomes)
    report = Report(name, tuple(map(_judge, cases, outcomes, again, hints)))
    leave_verdict(function, name, report.passed)
    return report


def _outcome(function, case: Case) -> Outcome:
    arguments = copy.deepcopy(case.arguments)
    value = error = None
    try:
        value = in_plain_form(function(*arguments))
    except Exception as caught:  # the function's own, or that of a value which resists reading
        error = caught
    try:
        changed = repr(arguments) != repr(case.arguments)
    except Exception:  # something strange was put in
        changed = True
    return Outcome(value, error, changed)


_UNSTEADY = Text(
    "同样的输入，第二次调用的结果却不同：不要用全局变量、可变默认参数或随机数。",
    "The same input gives another answer the second time: no globals, mutable defaults or random numbers.",
)


def _judge(case: Case, outcome: Outcome, again: Outcome, hint: Text | None) -> Result:
    title, expected = case.title, show(in_plain_form(case.expected))
    if case.refuses:
        title, expected = Text(f"应拒绝：{title.zh}", f"to refuse: {title.en}"), REFUSAL
    if isinstance(outcome.error, NotImplementedError):
        return Result(title, "unfinished", _message(outcome.error), expected, None)
    if not outcome.equals(again):
        return Result(title, "failed", _show_outcome(again), expected, _UNSTEADY)
    return Result(title, "failed" if hint else "passed", _show_outcome(outcome), expected, hint)


def _show_outcome(outcome: Outcome) -> str:
    if outcome.error is None:
        return show(outcome.value)
    return cut(f"{type(outcome.error).__name__}: {_message(outcome.error)}".removesuffix(": "))


def _message(error: Exception) -> str:
    try:
        return " ".join(str(error).split())
    except Exception:  # even this may be the learner's own code
        return ""


# ── the tests by name, as the notebook calls them ────────────────────────────────────────────────


def _print_check(name: str, function) -> None:
    """Print a report in what the console can write: Chinese or English, emoji or plain marks, all else escaped.

    Something that is no function fails in the table instead of raising here.

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
    report = _examine(name, function)
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
test_score_candidate_tree = _named_test("score_candidate_tree")
test_candidate_tree_contract = _named_test("candidate_tree_contract")
test_accepted_prefix = _named_test("accepted_prefix")
test_tree_attention_mask = _named_test("tree_attention_mask")
test_verify_tree = _named_test("verify_tree")
