"""What the checks of the house return and say: every kind of right value, and what a message shows of a wrong one."""

import math
from fractions import Fraction

import numpy as np
import pytest

from eagle_lab import CandidateTree, inputs


@pytest.mark.parametrize("value", [3, 3.0, np.int8(3), np.float32(3), np.array(3), Fraction(3)])
def test_numbers_of_every_kind_become_plain_ones(value):
    for check, kind in ((inputs.check_whole, int), (inputs.check_number, float), (inputs.check_positive, float)):
        found = check(value, "x")
        assert found == 3 and type(found) is kind


@pytest.mark.parametrize(
    "values", [[1, 2], (1, 2), range(1, 3), np.array([1.0, 2.0]), np.array([1, 2], dtype=np.uint8)]
)
def test_sequences_of_every_kind_become_lists(values):
    assert list(inputs.check_sequence(values, "x")) == inputs.check_wholes(values, "x") == [1, 2]
    assert inputs.check_numbers(values, "x") == inputs.as_numbers(values, "x").tolist() == [1.0, 2.0]


@pytest.mark.parametrize("value", [4, np.int64(4), np.uint8(4)])
def test_a_count_is_an_int_and_no_float(value):
    for found in (inputs.check_count(value, "x", most=4), inputs.check_index(value, "x", 0, 4, "there are")):
        assert found == 4 and type(found) is int


@pytest.mark.parametrize("ids", [2, [2], {2, -1}, (np.int64(2),), np.array(2), np.array([2, 2])])
def test_end_tokens_are_one_or_several(ids):
    assert inputs.check_end_ids(ids, 8) == {2} and {type(token) for token in inputs.check_end_ids(ids, 8)} == {int}


@pytest.mark.parametrize("ids", [None, -1, [], [-1], np.array([])])
def test_there_may_be_no_end_token(ids):
    assert inputs.check_end_ids(ids, 8) == frozenset()


@pytest.mark.parametrize(
    ("check", "error", "message"),
    [
        (lambda: inputs.check_count(5, "x", most=4), ValueError, "x must be at most 4, not 5"),
        (lambda: inputs.check_count(0, "x"), ValueError, "x must be a whole number of at least 1, not 0"),
        (lambda: inputs.check_count("4", "x"), TypeError, "x must be a whole number of at least 1, not '4'"),
        (lambda: inputs.check_count(True, "x"), TypeError, "x must be a whole number of at least 1, not True"),
        (lambda: inputs.check_index(1.0, "x", 0, 4, "there are"), ValueError, "x is 1.0: there are 0 to 4"),
        (lambda: inputs.check_index(None, "x", 0, 4, "there are"), TypeError, "x is None: there are 0 to 4"),
        (lambda: inputs.check_positive(math.inf, "x"), ValueError, "x must be a positive number, not inf"),
        (lambda: inputs.check_whole(1.5, "x"), ValueError, "x is 1.5: it must be a whole number"),
        (lambda: inputs.check_wholes([1, "2"], "x"), TypeError, r"x\[1\] must be a number, not str"),
        (lambda: inputs.check_number(10**400, "x"), ValueError, "x is too large for a float"),
        (lambda: inputs.check_number(int, "x"), TypeError, "x must be a number, not the class int"),
        (lambda: inputs.check_sequence(list, "x"), TypeError, "x must be a list, tuple or 1-D array, not the class"),
        (lambda: inputs.check_kind(1, CandidateTree, "x"), TypeError, "x must be a CandidateTree, not int"),
        (lambda: inputs.check_has(1, "x", "real", "sign"), TypeError, "x must have real, sign: int has no sign"),
        (lambda: inputs.check_has(int, "x", "real"), TypeError, "x must have real: the class int has no real"),
        (lambda: inputs.check_callable(3, "x"), TypeError, "x must be a function, not int"),
        (lambda: inputs.check_end_ids(np.ones((2, 2), dtype=int), 8), TypeError, r"eos_id is \[1, 1\]: an end token"),
        (lambda: inputs.as_numbers([[1], [1, 2]], "x"), ValueError, "x has rows of unequal length"),
        (lambda: inputs.as_numbers(["a"], "x"), TypeError, "x must hold real numbers, not <U1"),
        (lambda: inputs.check_array([1], "x", (1,)), TypeError, "x must be an array, not list"),
        (lambda: inputs.check_array(np.ones(2), "x", (1,)), ValueError, r"x must be \[1\], not \[2\]"),
        (lambda: inputs.check_array(np.ones(1), "x", (1,), "b"), TypeError, "x must hold booleans, not float64"),
    ],
)
def test_what_a_message_says(check, error, message):
    with pytest.raises(error, match=message):
        check()


def test_no_message_is_long():
    for value in (10**5000, "x" * 10**6, [0] * 10**6, np.zeros(10**6), {"a": "x" * 10**6}):
        assert len(inputs.shown(value)) <= inputs.SHOWN
