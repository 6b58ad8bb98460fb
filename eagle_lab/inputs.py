"""Every check of what a caller hands in, by one rule for all rooms.

A wrong kind (text for a number, a set for a list, a boolean for a count) is a `TypeError`; a value of the right kind
that cannot be is a `ValueError`. The message names the argument and the place; what is returned is plain and safe.
"""

import math
import numbers
from collections.abc import Callable, Sequence

import numpy as np

SHOWN = 60  # characters of a value that a message shows


def shown(value) -> str:
    """A value as a message shows it, cut where it is long.

    >>> shown("three"), shown(list(range(99)))
    ("'three'", '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, …')
    """
    if isinstance(value, int) and abs(value) >= 10**SHOWN:  # Python refuses to write out the longest of these
        return "a number of more than 60 digits"
    if isinstance(value, (list, tuple)):
        value = value[:SHOWN]
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def kind_of(value) -> str:
    """What a message calls a value that is of the wrong kind.

    >>> kind_of("text"), kind_of(str)
    ('str', 'the class str')
    """
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


def check_kind(value, kind: type, name: str) -> None:
    """An instance of one class, or of one that is derived from it.

    >>> check_kind(True, str, "text")
    Traceback (most recent call last):
    TypeError: text must be a str, not bool
    """
    if not isinstance(value, kind):
        called = "array" if kind is np.ndarray else kind.__name__
        article = "an" if called[0] in "aEIOU" else "a"
        raise TypeError(f"{name} must be {article} {called}, not {kind_of(value)}")


def check_has(value, name: str, *names: str) -> None:
    """Something that offers these names, whatever its class; a class in place of its instance does not.

    >>> check_has(3, "pair", "target", "drafter")
    Traceback (most recent call last):
    TypeError: pair must have target and drafter: int has no target
    """
    for wanted in names:
        if isinstance(value, type) or not hasattr(value, wanted):
            listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
            raise TypeError(f"{name} must have {listed}: {kind_of(value)} has no {wanted}")


def check_callable(value, name: str) -> Callable:
    """A function, or whatever else can be called.

    >>> check_callable(len, "score") is len
    True
    """
    if not callable(value):
        raise TypeError(f"{name} must be a function, not {kind_of(value)}")
    return value


def check_sequence(values, name: str) -> Sequence:
    """`values` as they stand in a list, tuple, array or tensor; text, sets, dicts and generators have no such order.

    >>> check_sequence(np.array([1, 2]), "weights")
    [1, 2]
    """
    if hasattr(values, "tolist") and not isinstance(values, type):  # numpy arrays and torch tensors, of any format
        values = values.tolist()
    if not isinstance(values, Sequence) or isinstance(values, (str, bytes)):
        raise TypeError(f"{name} must be a list, tuple or 1-D array, not {kind_of(values)}")
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
        raise TypeError(f"{name} must be a number, not {kind_of(value)}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} is too large for a float") from None


def check_positive(value, name: str) -> float:
    """A finite number above 0.

    >>> check_positive(1e-5, "rms_norm_eps")
    1e-05
    """
    message = f"{name} must be a positive number, not {shown(value)}"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(message)
    if not 0 < check_number(value, name) < math.inf:
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
        raise ValueError(f"{name} is {shown(value)}: it must be a whole number")
    return int(number)


def as_array(values, message: str) -> np.ndarray:
    """`values` as numpy reads them; rows of unequal length are a `ValueError` with this message.

    >>> as_array([1, 2], "tokens must be one sequence")
    array([1, 2])
    """
    try:
        return np.asarray(values)
    except ValueError:  # numpy's words for rows of unequal length
        raise ValueError(message) from None


def check_array(values, name: str, shape: tuple[int, ...], kinds: str = "iuf") -> None:
    """A numpy array of one shape, which holds numbers (or what else the `kinds` of its dtype say).

    >>> check_array(np.zeros((2, 3)), "scores", (2, 2))
    Traceback (most recent call last):
    ValueError: scores must be [2, 2], not [2, 3]
    """
    check_kind(values, np.ndarray, name)
    if values.dtype.kind not in kinds:
        raise TypeError(f"{name} must hold {'booleans' if kinds == 'b' else 'numbers'}, not {values.dtype}")
    if values.shape != shape:
        raise ValueError(f"{name} must be {list(shape)}, not {list(values.shape)}")


def check_count(value, name: str, least: int = 1, most: int | None = None) -> int:
    """How many of something: an int of at least `least`, and no float; more than `most` could only be a slip.

    >>> check_count(4, "top_k")
    4
    """
    if isinstance(value, int) and not isinstance(value, bool) and value >= least and (most is None or value <= most):
        return int(value)  # the common case costs no message
    message = f"{name} must be a whole number of at least {least}, not {shown(value)}"
    if isinstance(value, bool) or not isinstance(value, numbers.Number):
        raise TypeError(message)
    if not isinstance(value, numbers.Integral) or (count := int(value)) < least:
        raise ValueError(message)
    if most is not None and count > most:
        raise ValueError(f"{name} must be at most {most:,}, not {shown(value)}")
    return count


def check_index(value, name: str, least: int, most: int, what: str) -> int:
    """One of the ints from `least` to `most`, and no float; the message says `what` has them.

    >>> check_index(np.int64(2), "node", 0, 2, "the tree has nodes")
    2
    """
    if value.__class__ is int and least <= value <= most:
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Number):
        raise TypeError(f"{name} must be a whole number, not {kind_of(value)}")
    if not isinstance(value, numbers.Integral) or not least <= (index := int(value)) <= most:
        raise ValueError(f"{name} is {shown(value)}: {what} {least} to {most}")
    return index


def check_tokens(tokens, vocab_size: int, name: str) -> np.ndarray:
    """Token ids of one vocabulary, int64 `[n]`, at least one.

    >>> check_tokens([3, 5], 8, "prompt_ids")
    array([3, 5])
    """
    ids = as_array(tokens, f"{name} must be one sequence of token ids, not several of unequal length")
    if ids.ndim == 0:
        raise TypeError(f"{name} must be one sequence of token ids, not {kind_of(tokens)}")
    if ids.ndim > 1:
        raise ValueError(f"{name} must be one sequence of token ids, not of shape {ids.shape}")
    if not ids.size:
        raise ValueError(f"{name} is empty: give at least one token id")
    if ids.dtype.kind not in "iu":
        for place, value in enumerate(ids.tolist() if ids.dtype.kind == "O" else []):  # such as numbers beyond 64 bits
            check_index(value, f"{name}[{place}]", 0, vocab_size - 1, "the vocabulary has ids")
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
    is_array = not isinstance(eos_id, type) and getattr(eos_id, "ndim", 0) > 0
    several = is_array or isinstance(eos_id, (list, tuple, set, frozenset))
    ids = set()
    for value in eos_id if several else [eos_id]:
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            raise TypeError(f"{name} must be a token id, several, −1 or None, not {shown(value)}")
        if not -1 <= int(value) < vocab_size:
            raise ValueError(f"{name} must be a token id below {vocab_size}, several, −1 or None, not {shown(value)}")
        ids.add(int(value))
    return frozenset(ids - {-1})


def _plain(value):
    """A numpy or torch scalar as Python's own number; anything else as it is."""
    scalar = hasattr(value, "item") and not isinstance(value, type) and getattr(value, "ndim", 0) == 0
    return value.item() if scalar else value
