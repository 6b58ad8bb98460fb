"""Somebody's own code, run so that the kernel outlives it: in a thread of its own, for a limited time, in few words.

A thread can be left where it hangs, on every system; a signal cannot interrupt on Windows, and a trace function not
what waits in C. What no thread survives is an end of the whole process: `os._exit`, or a crash in C code.
"""

import builtins
import ctypes
import io
import linecache
import sys
import threading
import time
import traceback
from inspect import unwrap

from .language import word

SECONDS = 2.0  # for one call; the exercises take microseconds
PRINTED = 2000  # characters that one call may print
_one_at_a_time = threading.Lock()


class EndlessError(Exception):
    """What stands for the end of a call that came to none within its seconds."""


class OwnError(Exception):
    """What went wrong in somebody's own function, told in the language in use.

    `function`: its name; `error`: what it raised, or `EndlessError`; `said`: that error's message; `line`, `code`:
    where in the reader's own lines (0 and "" where that is not known).
    """

    def __init__(self, function: str, error: BaseException, said: str = "", line: int = 0, code: str = ""):
        super().__init__(function, error)
        self.function, self.error, self.said, self.line, self.code = function, error, said, line, code

    @property
    def where(self) -> str:
        """The line as text, with what stands in it: empty where it is not known."""
        key = "own_code" if self.code else "own_line"
        return word(key, line=self.line, code=self.code) if self.line else ""

    def __str__(self) -> str:
        if isinstance(self.error, EndlessError):
            return word("own_endless", function=self.function, seconds=self.error.args[0], where=self.where)
        error = f"{type(self.error).__name__}: {self.said}".removesuffix(": ")
        return word("own_raised", function=self.function, error=error, where=self.where)


def guarded(function, work, *, seconds: float | None = None, silent: bool = False):
    """What `work()` returns, which calls somebody's own `function`; whatever goes wrong in it is an `OwnError`.

    Nothing that it does ends the kernel or keeps it: it may raise, exit, loop, print without end (`PRINTED` characters
    pass, none if `silent`), ask for input or close its output. A call that does not end within `seconds` (default:
    `SECONDS`) is left behind, and stopped as soon as it comes to another line of Python. An interrupt from the keyboard
    goes to the caller.

    >>> guarded(len, lambda: len([1, 2]))
    2
    >>> def leave(): raise SystemExit("bye")
    >>> try: guarded(leave, leave)
    ... except OwnError as error: print(error.function, repr(error.error), error.said)
    leave SystemExit('bye') bye
    """
    seconds = SECONDS if seconds is None else seconds
    outcome, where = _run_apart(work, f"own code: {name_of(function)}", seconds, silent)
    if "value" in outcome:
        return outcome["value"]
    error = outcome.get("error") or EndlessError(seconds)
    if isinstance(error, OwnError):  # it has been told already
        raise error
    told = OwnError(name_of(function), error, outcome.get("said", ""), *_place(_innermost(function), where))
    raise told from error  # whose traceback leads to the reader's line


def _run_apart(work, name: str, seconds: float, silent: bool) -> tuple[dict, list]:
    """What came of `work` in a thread of its own, and the frames where it failed or hangs, the innermost first."""
    outcome: dict = {}

    def run() -> None:
        try:
            outcome["value"] = work()
        except BaseException as error:
            outcome["said"], outcome["error"] = _message(error), error  # its text may be somebody's own code too
        stage.clear()

    worker = threading.Thread(target=run, name=name, daemon=True)
    with _one_at_a_time:  # or two panels' threads would leave each other's output in the kernel's place
        stage = _Stage()
        try:
            stage.set()
            worker.start()
            stage.cleared.wait(seconds)
            ended = dict(outcome)  # what comes later is only how a thread that was left behind was stopped
            hangs = None if ended else sys._current_frames().get(worker.ident)
            frames = list(traceback.walk_stack(hangs)) if hangs else []
        finally:
            stage.clear()
            if not outcome and worker.is_alive():
                _stop(worker)
            if not silent:
                stage.heard.pass_on()
    if "error" in ended:
        frames = list(traceback.walk_tb(ended["error"].__traceback__))[::-1]
    return ended, frames


def name_of(function) -> str:
    """What a function is called, or its class where it has no name of its own.

    >>> name_of(len), name_of(3)
    ('len', 'int')
    """
    name = getattr(_innermost(function), "__name__", None) if callable(function) else None
    return name if isinstance(name, str) else type(function).__name__


def _innermost(function):
    """The function inside its wrappers."""
    try:
        return unwrap(function)
    except Exception:  # a thing that pretends to have every attribute
        return function


def _place(function, frames: list) -> tuple[int, str]:
    """Line and text of the innermost frame that runs in the namespace of `function`, which is the reader's."""
    own = getattr(function, "__globals__", None)
    for frame, line in frames:
        if frame.f_globals is own:
            return line, linecache.getline(frame.f_code.co_filename, line).strip()[:80]
    return 0, ""


def _message(error: BaseException) -> str:
    try:
        return " ".join(str(error).split())[:300]
    except BaseException:  # also what stops it, if it has no end
        return ""


def _stop(worker: threading.Thread) -> None:
    """Make a thread leave: an exception at its next line, again and again, since its code may catch one."""

    def insist() -> None:
        while worker.is_alive():
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker.ident), ctypes.py_object(SystemExit))
            time.sleep(0.01)

    threading.Thread(target=insist, name=f"the end of {worker.name}", daemon=True).start()
    worker.join(0.2)  # most are gone by then


class _Stage:
    """What own code finds in place of the kernel's own: an output with an end, no input, and no way out."""

    def __init__(self):
        self.heard, self.cleared, self._lock = _Heard(sys.stdout), threading.Event(), threading.Lock()
        shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
        props = [(sys, "stdout", self.heard), (sys, "stderr", self.heard), (builtins, "input", _no_input)]
        props += [(sys, "setrecursionlimit", _no_depth)]
        props += [(shell, "ask_exit", _no_exit)] if shell else []  # what IPython's exit() and quit() call
        self._props = [(place, name, new, getattr(place, name)) for place, name, new in props]

    def set(self) -> None:
        for place, name, new, _ in self._props:
            setattr(place, name, new)

    def clear(self) -> None:
        """Put everything back, once: a thread that was left behind must not do so later on."""
        with self._lock:
            if not self.cleared.is_set():
                for place, name, _, old in self._props:
                    setattr(place, name, old)
                self.cleared.set()


class _Heard(io.TextIOBase):
    """The beginning of what was printed, and how much more there was."""

    def __init__(self, real):
        self._real, self._text, self._length = real, [], 0

    def write(self, text: str) -> int:
        room = PRINTED - self._length
        if room > 0:
            self._text.append(str(text)[:room])
        self._length += len(text)
        return len(text)

    def close(self) -> None:
        """Nobody's to close."""

    def pass_on(self) -> None:
        more = self._length - PRINTED
        said = "".join(self._text) + (word("own_printed", count=more) if more > 0 else "")
        if said and self._real is not None:
            encoding = getattr(self._real, "encoding", None) or "utf-8"
            self._real.write(said.encode(encoding, "backslashreplace").decode(encoding))


def _no_input(*_question):
    raise EOFError("input() gets no answer here")


def _no_exit(*_how):
    raise SystemExit("exit() is not for here")


def _no_depth(_limit):
    """A deeper stack is not for here: putting the limit back over a thread deep in recursion ends the process."""
