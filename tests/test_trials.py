"""Verdicts on a learner's functions: left by a check, read by panels, gone with the function."""

import gc

from eagle_lab import trials
from eagle_lab.trials import leave_verdict, verdict_on


def test_the_last_run_of_every_check_counts():
    def function():
        pass

    assert verdict_on(function) is None
    for name, passed, verdict in [
        ("scores", True, True),
        ("contract", False, False),
        ("scores", True, False),
        ("contract", True, True),
        ("scores", False, False),
    ]:
        leave_verdict(function, name, passed)
        assert verdict_on(function) is verdict


def test_a_function_that_is_defined_anew_starts_unchecked():
    def define():
        def function():
            pass

        return function

    first, second = define(), define()
    leave_verdict(first, "scores", True)
    assert verdict_on(first) is True and verdict_on(second) is None


def test_a_verdict_goes_with_its_function():
    gc.collect()
    before = len(trials._verdicts)

    def function():
        pass

    leave_verdict(function, "scores", True)
    assert len(trials._verdicts) == before + 1
    del function
    gc.collect()
    assert len(trials._verdicts) == before


def test_what_cannot_be_kept_is_passed_over():
    class Slotted:
        __slots__ = ()

        def __call__(self):
            pass

    class Unhashable:
        __hash__ = None

        def __call__(self):
            pass

    for function in ([0.25, 0.75], None, 7, Slotted(), Unhashable()):
        leave_verdict(function, "scores", True)
        assert verdict_on(function) is None
