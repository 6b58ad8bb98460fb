"""matplotlib's own defaults in place of the reader's settings, for as long as a picture is made or drawn."""

from contextlib import contextmanager
from threading import RLock

from matplotlib import rcParams, rcParamsDefault

_SHARED = {"backend", "backend_fallback", "interactive", "toolbar"}  # they decide where figures go, not how they look
_OURS = {key: value for key, value in dict.items(rcParamsDefault) if key not in _SHARED}
_drawing = RLock()  # matplotlib's settings are the process's: one thread at a time may have ours in place
_aside: list[dict] = []  # the reader's, while ours are in place


@contextmanager
def own_settings():
    """matplotlib's own defaults within, the reader's settings again afterwards; also as a decorator.

    The dictionary's own `update` skips matplotlib's validation, which would cost thirty times as much.
    """
    with _drawing:
        if _aside:  # ours are in place already
            yield
            return
        try:
            _aside.append(dict(dict.items(rcParams)))
            dict.update(rcParams, _OURS)
            yield
        finally:
            dict.update(rcParams, _aside.pop() if _aside else {})
