"""Every check of what a caller hands in, by one rule for all rooms.

A wrong kind (text for a number, a set for a list, a boolean for a count) is a `TypeError`; a value of the right kind
that cannot be is a `ValueError`. The message names the argument and the place; what is returned is plain and safe.
"""

import math
import numbers
from collections.abc import Sequence

import numpy as np


def check_sequence(values, name: str) -> Sequence:
    """`values` as they stand in a list, tuple, array or tensor; text, sets, dicts and generators have no such order.

    >>> check_sequence(np.array([1, 2]), "weights")
    [1, 2]
    """
    if hasattr(values, "tolist"):  # numpy arrays and torch tensors, of any number format
        values = values.tolist()
    if not isinstance(values, Sequence) or isinstance(values, (str, bytes)):
        raise TypeError(f"{name} must be a list, tuple or 1-D array, not {type(values).__name__}")
    return values


def check_numbers(values, name: str) -> list[float]:
    """A sequence of real numbers as floats; the message names the place of one that is none.

    >>> check_numbers((1, 3), "weights")
    [1.0, 3.0]
    """
    return [check_number(value, f"{name}[{place}]") for place, value in enumerate(check_sequence(values, name))]


def check_number(value, name: str) -> float:
    """A real number, finite or not, as a float.

    >>> check_number(np.float32(0.5), "weights[0]")
    0.5
    """
    value = _plain(value)
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} is too large for a float") from None


def check_positive(value, name: str) -> float:
    """A finite number above 0.

    >>> check_positive(1e-5, "rms_norm_eps")
    1e-05
    """
    message = f"{name} must be a positive number, not {value!r}"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(message)
    if not 0 < float(value) < math.inf:
        raise ValueError(message)
    return float(value)


def check_whole(value, name: str) -> int:
    """A whole number as an int; 3.0 is one, as columns of numbers may come as floats.

    >>> check_whole(3.0, "tokens[0]")
    3
    """
    value = _plain(value)
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return int(value)
    number = check_number(value, name)
    if not number.is_integer():
        raise ValueError(f"{name} is {value!r}: it must be a whole number")
    return int(number)


def check_count(value, name: str, least: int = 1) -> int:
    """How many of something: an int of at least `least`, and no float.

    >>> check_count(4, "top_k")
    4
    """
    message = f"{name} must be a whole number of at least {least}, not {value!r}"
    if isinstance(value, bool) or not isinstance(value, numbers.Number):
        raise TypeError(message)
    if not isinstance(value, numbers.Integral) or value < least:
        raise ValueError(message)
    return int(value)


def check_tokens(tokens, vocab_size: int, name: str) -> np.ndarray:
    """Token ids of one vocabulary, int64 `[n]`, at least one.

    >>> check_tokens([3, 5], 8, "prompt_ids")
    array([3, 5])
    """
    try:
        ids = np.asarray(tokens)
    except ValueError:  # numpy's words for rows of unequal length
        raise ValueError(f"{name} must be one sequence of token ids, not several of unequal length") from None
    if ids.ndim == 0:
        raise TypeError(f"{name} must be one sequence of token ids, not {type(tokens).__name__}")
    if ids.ndim > 1:
        raise ValueError(f"{name} must be one sequence of token ids, not of shape {ids.shape}")
    if not ids.size:
        raise ValueError(f"{name} is empty: give at least one token id")
    if ids.dtype.kind not in "iu":
        raise TypeError(f"{name} must be whole numbers, not {ids.dtype}")
    if ids.min() < 0 or ids.max() >= vocab_size:
        place = int(np.flatnonzero((ids < 0) | (ids >= vocab_size))[0])
        raise ValueError(f"{name}[{place}] is {ids[place]}: the vocabulary has ids 0 to {vocab_size - 1}")
    return ids.astype(np.int64)


def check_end_ids(eos_id, vocab_size: int, name: str = "eos_id") -> frozenset[int]:
    """The token ids that end a text: one id, several, or none (None, −1 or an empty list).

    >>> sorted(check_end_ids([2, 5], 8)), sorted(check_end_ids(None, 8))
    ([2, 5], [])
    """
    if eos_id is None:
        return frozenset()
    several = isinstance(eos_id, (list, tuple, set, frozenset)) or getattr(eos_id, "ndim", 0) > 0
    ids = set()
    for value in eos_id if several else [eos_id]:
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            raise TypeError(f"{name} must be a token id, several, −1 or None, not {value!r}")
        if not -1 <= int(value) < vocab_size:
            raise ValueError(f"{name} must be a token id below {vocab_size}, several, −1 or None, not {value!r}")
        ids.add(int(value))
    return frozenset(ids - {-1})


def _plain(value):
    """A numpy or torch scalar as Python's own number; anything else as it is."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value
