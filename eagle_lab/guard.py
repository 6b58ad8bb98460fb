"""Somebody's own code, run so that the kernel outlives it: in a thread of its own, for a limited time, in few words.

A thread can be left where it hangs, on every system; a signal cannot interrupt on Windows, and a trace function not
what waits in C. What no thread survives is an end of the whole process: `os._exit`, or a crash in C code.
"""

import builtins
import ctypes
import getpass
import io
import linecache
import os
import sys
import threading
import time
import traceback
import warnings
from contextlib import suppress
from functools import lru_cache, partial
from inspect import getattr_static
from types import BuiltinFunctionType, FunctionType, MethodType

from .language import word

SECONDS = 2.0  # for one call; the exercises take microseconds
PRINTED = 2000  # characters that one call may print
_one_at_a_time = threading.Lock()
_within = threading.local()
_traceback = BaseException.__dict__["__traceback__"].__get__  # by no code of an error's own class


class EndlessError(Exception):
    """What stands for the end of a call that came to none within its seconds."""


class OwnError(Exception):
    """What went wrong in somebody's own function, told in the language in use.

    `function`: its name; `error`: what it raised, or `EndlessError`; `said`: that error's message; `line`, `code`:
    where in the reader's own lines (0 and "" where that is not known). An error of a reader's own class is
    told by one of the same name and kind, without its code.
    """

    def __init__(self, function: str, error: BaseException, said: str = "", line: int = 0, code: str = ""):
        super().__init__(function, error)
        self.function, self.error, self.said, self.line, self.code = function, error, said, line, code

    def __str__(self) -> str:
        key = "own_code" if self.code else "own_line"
        where = word(key, line=self.line, code=self.code) if self.line else ""
        if isinstance(self.error, EndlessError):
            return word("own_endless", function=self.function, seconds=self.error.args[0], where=where)
        error = f"{type(self.error).__name__}: {self.said}".removesuffix(": ")
        return word("own_raised", function=self.function, error=error, where=where)


class Ear(io.TextIOBase):
    """What own code prints into: the beginning is heard, and how much more there was is counted.

    `room`: how many characters are still heard, of one call, or of all calls that are given the same ear.
    """

    def __init__(self, room: int = PRINTED):
        self.room = room

    def begin(self, real) -> None:
        """Listen to one call, in place of the `real` output, until `over`."""
        self._real, self._heard, self._more, self.over = real, [], 0, False
        self._said_so = self.room == 0  # that there is more

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if self.over:  # somebody has kept it, as a handler of logging does
            return (self._real if sys.stdout is self else sys.stdout).write(text)
        heard = text[: self.room]
        self.room -= len(heard)
        self._heard.append(heard)
        self._more += len(text) - len(heard)
        return len(text)

    def display(self, data, *_, **__) -> None:
        """Hear the text of what IPython's `display` shows."""
        self.write(f"{data.get('text/plain', '')}\n")

    def close(self) -> None:
        """Nobody's to close."""

    def pass_on(self) -> None:
        """Let the real output have what was heard."""
        more = word("own_printed", count=self._more) if self._more and not self._said_so else ""
        said = "".join(self._heard) + more
        if said and self._real is not None:
            said += "" if said.endswith("\n") else "\n"  # what comes next is not its line
            encoding = getattr(self._real, "encoding", None) or "utf-8"
            self._real.write(said.encode(encoding, "backslashreplace").decode(encoding))


def guarded(function, work, *, seconds: float | None = None, ear: Ear | None = None):
    """What `work()` returns, which calls somebody's own `function`; whatever goes wrong in it is an `OwnError`.

    Nothing that it does ends the kernel or keeps it: it may raise, exit, loop, print without end (`PRINTED` characters
    pass, or what room there is in `ear`), ask for input or close its output. A call that does not end within `seconds`
    (default: `SECONDS`) is left behind, and stopped as soon as it comes to another line of Python. An interrupt from
    the keyboard goes to the caller. Where own code calls what calls own code, the outer guard is the only one.

    >>> guarded(len, lambda: len([1, 2]))
    2
    >>> def leave(): raise SystemExit("bye")
    >>> try: guarded(leave, leave)
    ... except OwnError as error: print(error.function, repr(error.error), error.said)
    leave SystemExit('bye') bye
    """
    if getattr(_within, "own_code", False):  # which calls a check, or makes a panel
        return work()
    seconds, name = SECONDS if seconds is None else seconds, name_of(function)
    outcome, frames = _run_apart(work, f"own code: {name}", seconds, ear or Ear())
    if "value" in outcome:
        return outcome["value"]
    place = _place(_innermost(function), frames)
    if "error" not in outcome:
        raise OwnError(name, EndlessError(seconds), "", *place)
    error, said = outcome["error"], outcome["said"]
    if issubclass(type(error), OwnError):  # it has been told already
        raise error
    raise OwnError(name, _plain(error, said), said, *place) from error  # whose traceback leads to the reader's line


def _run_apart(work, name: str, seconds: float, ear: Ear) -> tuple[dict, list]:
    """What came of `work` in a thread of its own, and the frames where it failed or hangs, the innermost first."""
    outcome: dict = {}
    over, leaving = threading.Event(), threading.RLock()

    def run() -> None:
        _within.own_code = True
        try:
            outcome["value"] = work()
        except BaseException as error:
            outcome["said"], outcome["error"] = _message(error), error  # its text may be somebody's own code too
        finally:
            if not over.is_set():  # nobody has lost patience
                stage.put_house_back()  # before all else: an event needs Python's own names
                over.set()
            left = False
            while not left:
                with suppress(SystemExit):  # one that was on its way: behind this lock no other comes
                    left = leaving.acquire()

    worker = threading.Thread(target=run, name=name, daemon=True)
    with _one_at_a_time:  # or two panels' threads would leave each other's output in the kernel's place
        stage = _Stage(ear)
        try:
            stage.set()
            worker.start()
            over.wait(seconds)
        finally:
            try:
                stage.put_house_back()
                over.set()
                ended = dict(outcome)  # what comes later is only how a thread that was left behind was stopped
                hangs = None if ended else sys._current_frames().get(worker.ident)
                frames = list(traceback.walk_stack(hangs)) if hangs else []
                if hangs:
                    _stop(worker, leaving)
            finally:  # whoever presses stop twice
                stage.clear()
            ear.pass_on()
    if "error" in ended:
        frames = list(traceback.walk_tb(_traceback(ended["error"])))[::-1]
    return ended, frames


def name_of(function) -> str:
    """What a function is called, or its class where it has no name of its own. No code of its class is run.

    >>> name_of(name_of), name_of(len), name_of(5)
    ('name_of', 'len', 'int')
    """
    kind = type(function)
    if kind is MethodType:
        return name_of(function.__func__)
    if kind in (FunctionType, BuiltinFunctionType, type):
        return function.__name__
    name = getattr_static(function, "__name__", None)  # as functools.wraps writes it
    return name if isinstance(name, str) else kind.__name__


def _innermost(function):
    """The function inside its wrappers, or that of a thing which can be called. No code of its class is run."""
    for _ in range(20):  # a ring has no innermost
        kind = type(function)
        if kind is MethodType:
            function = function.__func__
        elif kind is partial:
            function = function.func
        elif (inside := getattr_static(function, "__wrapped__", None)) is not None:
            function = inside
        elif type(call := getattr_static(kind, "__call__", None)) is FunctionType:
            return call
        else:
            break
    return function


def _place(function, frames: list) -> tuple[int, str]:
    """Line and text of the innermost frame that runs in the namespace of `function`, which is the reader's."""
    own = function.__globals__ if type(function) is FunctionType else None
    for frame, line in frames:
        if frame.f_globals is own:
            return line, linecache.getline(frame.f_code.co_filename, line).strip()[:80]
    return 0, ""


def _message(error: BaseException) -> str:
    try:
        said = " ".join(str(error).split())[:300]
        return said.encode("utf-8", "backslashreplace").decode()  # half a sign cannot be sent to a page
    except BaseException:  # also what stops it, if it has no end
        return ""


def _plain(error: BaseException, said: str) -> BaseException:
    """An error to be looked into: one of a reader's own class, whose code may do anything, as one without code."""
    kind = _plain_kind(type(error))
    return error if kind is type(error) else kind.__new__(kind, said)


@lru_cache(64)  # two errors of one class are of one kind
def _plain_kind(own: type) -> type:
    kinds = [kind for kind in own.__mro__ if kind.__module__ == "builtins"]
    nearest = next(kind for kind in kinds if not issubclass(kind, BaseExceptionGroup))  # which is made of other errors
    return own if nearest is own else type(own.__name__, (nearest,), {})


def _stop(worker: threading.Thread, leaving: "threading.RLock") -> None:
    """Make a thread leave: an exception at its next line, again and again, since its code may catch one."""

    def insist() -> None:
        pause = 0.01
        while worker.is_alive() and leaving.acquire(blocking=False):  # it holds the lock when it leaves by itself
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker.ident), ctypes.py_object(SystemExit))
            leaving.release()
            time.sleep(pause)
            pause = min(1.01 * pause, 1)  # one that waits in C hears nothing until it wakes

    threading.Thread(target=insist, name=f"the end of {worker.name}", daemon=True).start()
    worker.join(0.2)  # most are gone by then


class _Stage:
    """What own code finds in place of the kernel's own: an output with an end, no input, and no way out.

    Beside these props there is the house: what the whole process shares, and a line of own code may leave changed.
    """

    def __init__(self, ear: Ear):
        self._ear = ear
        shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
        props = [(sys, name, ear) for name in ("stdout", "stderr", "__stdout__", "__stderr__")]
        props += [(builtins, "input", _no_input), (getpass, "getpass", _no_input), (sys, "stdin", _Deaf())]
        props += [(sys, "breakpointhook", _no_input)]
        props += [(sys, name, _nothing) for name in ("setrecursionlimit", "setswitchinterval")]
        if shell:
            props += [(shell, "ask_exit", _no_exit)]  # what IPython's exit() and quit() call
            props += [(shell.display_pub, "publish", ear.display), (shell.display_pub, "clear_output", _nothing)]
        self._props = [(place, name, new, getattr(place, name)) for place, name, new in props]
        self._names = {name: thing for name, thing in vars(builtins).items() if name != "input"}  # a prop
        self._path, self._filters, self._folder = list(sys.path), list(warnings.filters), ""
        with suppress(OSError):  # it may have been deleted
            self._folder = os.getcwd()
        ear.begin(sys.stdout)

    def set(self) -> None:
        for place, name, new, _ in self._props:
            setattr(place, name, new)

    def put_house_back(self) -> None:
        builtins.__dict__.update(self._names)  # first of all, and with none of them
        sys.path[:], warnings.filters[:] = self._path, self._filters
        with suppress(OSError):
            os.chdir(self._folder)

    def clear(self) -> None:
        self.put_house_back()
        for place, name, _, old in self._props:
            setattr(place, name, old)
        self._ear.over = True


class _Deaf(io.TextIOBase):
    """An input that nobody writes into."""

    def read(self, *_):
        _no_input()

    readline = read


def _no_input(*_question):
    raise EOFError("input() gets no answer here")


def _no_exit(*_how):
    raise SystemExit("exit() is not for here")


def _nothing(*_, **__):
    """Not for here. A deeper stack: putting the limit back over a thread deep in recursion ends the process."""
