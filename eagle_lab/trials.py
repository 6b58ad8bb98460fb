"""One setting on one prompt, with a learner's functions in place of the library's, and what is known of those."""

import contextlib
from weakref import WeakKeyDictionary

# ── verdicts: the exercises leave them here, and panels read them ────────────────────────────────

_verdicts: WeakKeyDictionary = WeakKeyDictionary()  # function -> {name of the check: whether it passed}


def leave_verdict(function, name: str, passed: bool) -> None:
    """Note how the check `name` of a learner's `function` ended; its next run writes over this.

    The note goes when the function goes. What cannot be weakly referenced is passed over in silence.

    >>> def halve(x): return x / 2
    >>> leave_verdict(halve, "halving", True); verdict_on(halve)
    True
    """
    with contextlib.suppress(TypeError):
        _verdicts.setdefault(function, {})[name] = passed


def verdict_on(function) -> bool | None:
    """Whether every check that this function went through passed at its last run; None if there was none.

    A function that is defined anew is another one, and starts unchecked.

    >>> verdict_on(print) is None
    True
    """
    with contextlib.suppress(TypeError):
        checks = _verdicts.get(function)
        return checks and all(checks.values())
