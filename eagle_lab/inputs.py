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
    """A value as a message shows it, cut where it is long."""
    if isinstance(value, int) and abs(value) >= 10**SHOWN:  # Python refuses to write out the longest of these
        return f"a number of more than {SHOWN} digits"
    text = repr(value[:SHOWN] if isinstance(value, (list, tuple)) else value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def kind_of(value) -> str:
    """What a message calls a value that is of the wrong kind."""
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


def check_kind(value, kind: type, name: str) -> None:
    """An instance of one class, or of one that is derived from it."""
    if not isinstance(value, kind):
        called = "array" if kind is np.ndarray else kind.__name__
        raise TypeError(f"{name} must be {'an' if called[0] in 'aE' else 'a'} {called}, not {kind_of(value)}")


def check_has(value, name: str, *names: str) -> None:
    """Something that offers these names, whatever its class; a class in place of its instance does not."""
    for wanted in names:
        if isinstance(value, type) or not hasattr(value, wanted):
            raise TypeError(f"{name} must have {', '.join(names)}: {kind_of(value)} has no {wanted}")


def check_callable(value, name: str) -> Callable:
    """Whatever can be called."""
    if not callable(value):
        raise TypeError(f"{name} must be a function, not {kind_of(value)}")
    return value


def check_sequence(values, name: str) -> Sequence:
    """`values` as they stand in a list, tuple, array or tensor; text, sets, dicts and generators have no such order."""
    if hasattr(values, "tolist") and not isinstance(values, type):  # numpy arrays and torch tensors, of any format
        values = values.tolist()
    if not isinstance(values, Sequence) or isinstance(values, (str, bytes)):
        raise TypeError(f"{name} must be a list, tuple or 1-D array, not {kind_of(values)}")
    return values


def check_numbers(values, name: str) -> list[float]:
    """A sequence of real numbers as floats; the message names the place of one that is none."""
    return [check_number(value, f"{name}[{place}]") for place, value in enumerate(check_sequence(values, name))]


def check_wholes(values, name: str) -> list[int]:
    """A sequence of whole numbers as ints, likewise."""
    return [check_whole(value, f"{name}[{place}]") for place, value in enumerate(check_sequence(values, name))]


def check_number(value, name: str) -> float:
    """A real number, finite or not, as a float."""
    value = _plain(value)
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number, not {kind_of(value)}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} is too large for a float") from None


def check_positive(value, name: str) -> float:
    """A finite number above 0."""
    number = check_number(value, name)
    if not 0 < number < math.inf:
        raise ValueError(f"{name} must be a positive number, not {shown(value)}")
    return number


def check_whole(value, name: str) -> int:
    """A whole number as an int; 3.0 is one, as columns of numbers may come as floats."""
    value = _plain(value)
    if _is_int(value):
        return int(value)
    number = check_number(value, name)
    if not number.is_integer():
        raise ValueError(f"{name} is {shown(value)}: it must be a whole number")
    return int(number)


def check_count(value, name: str, least: int = 1, most: int | None = None) -> int:
    """How many of something: an int of at least `least`, and no float; more than `most` could only be a slip."""
    if not _is_int(value) or value < least:
        raise _fault(value, f"{name} must be a whole number of at least {least}, not {shown(value)}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most:,}, not {shown(value)}")
    return int(value)


def check_index(value, name: str, least: int, most: int, what: str) -> int:
    """One of the ints from `least` to `most`, and no float; the message says `what` has them."""
    if not _is_int(value) or not least <= value <= most:
        raise _fault(value, f"{name} is {shown(value)}: {what} {least} to {most}")
    return int(value)


def as_numbers(values, name: str, kinds: str = "iuf") -> np.ndarray:
    """`values` as numpy reads them: rows of equal length, of real numbers or what else these `kinds` of dtype say."""
    try:
        array = np.asarray(values)
    except ValueError:  # numpy's words for rows of unequal length
        raise ValueError(f"{name} has rows of unequal length") from None
    if array.dtype.kind not in kinds:
        raise TypeError(f"{name} must hold {'booleans' if kinds == 'b' else 'real numbers'}, not {array.dtype}")
    return array


def check_array(values, name: str, shape: tuple[int, ...], kinds: str = "iuf") -> np.ndarray:
    """A numpy array of one shape, which somebody's own function made; `kinds` as in `as_numbers`."""
    check_kind(values, np.ndarray, name)
    if as_numbers(values, name, kinds).shape != shape:
        raise ValueError(f"{name} must be {list(shape)}, not {list(values.shape)}")
    return values


def check_tokens(tokens, vocab_size: int, name: str, least: int = 1) -> np.ndarray:
    """Token ids of one vocabulary, int64 `[n]`, at least one; or none, where `least` is 0."""
    ids, last, what = check_sequence(tokens, name), vocab_size - 1, "the vocabulary has ids"
    if len(ids) < least:
        raise ValueError(f"{name} is empty: give at least one token id")
    return np.array([check_index(n, f"{name}[{i}]", 0, last, what) for i, n in enumerate(ids)], dtype=np.int64)


def check_end_ids(eos_id, vocab_size: int, name: str = "eos_id") -> frozenset[int]:
    """The token ids that end a text: one id, several, or none (None, −1 or an empty list)."""
    if eos_id is None:
        return frozenset()
    given = eos_id.tolist() if isinstance(eos_id, np.ndarray) else eos_id
    ids = given if isinstance(given, (list, tuple, set, frozenset)) else [given]
    what = "an end token is −1 (none) or an id, from"
    return frozenset(check_index(token, name, -1, vocab_size - 1, what) for token in ids) - {-1}


def _is_int(value) -> bool:
    """Whether a value is an int of Python's or numpy's; True and False are none."""
    return value.__class__ is int or (isinstance(value, numbers.Integral) and not isinstance(value, bool))


def _fault(value, message: str) -> Exception:
    """The error for what is no such int: another number is of the right kind."""
    is_number = isinstance(value, numbers.Number) and not isinstance(value, bool)
    return ValueError(message) if is_number else TypeError(message)


def _plain(value):
    """A numpy or torch scalar as Python's own number; anything else as it is."""
    scalar = hasattr(value, "item") and not isinstance(value, type) and getattr(value, "ndim", 0) == 0
    return value.item() if scalar else value
