"""Somebody's own code under guard: whatever it does, the process goes on, and the reader is told where and what."""

import builtins
import functools
import getpass
import io
import os
import sys
import threading
import time
import warnings

import pytest

from eagle_lab import guard
from eagle_lab.guard import PRINTED, Ear, EndlessError, OwnError, guarded, name_of
from eagle_lab.language import speaking

pytestmark = pytest.mark.usefixtures("chinese")


def stage() -> tuple:
    return sys.stdout, sys.stderr, builtins.input, sys.setrecursionlimit, sys.getrecursionlimit()


def told(function, **settings) -> OwnError:
    before = stage()
    with pytest.raises(OwnError) as caught:
        guarded(function, function, **settings)
    assert stage() == before, "everything stands where it stood"
    return caught.value


def divides():
    return 1 / 0


def leaves():
    sys.exit(3)


def interrupts():
    raise KeyboardInterrupt("my own")


def asks():
    return input("how many? ")


def falls():
    return falls()


def falls_deeper():
    sys.setrecursionlimit(10**8)
    return falls()


def hogs():
    return [0] * 10**14


class MuteError(Exception):
    def __str__(self):
        raise RuntimeError("no message")


def mutters():
    raise MuteError


RAISING = {
    divides: (ZeroDivisionError, "return 1 / 0", "division by zero"),
    leaves: (SystemExit, "sys.exit(3)", "3"),
    interrupts: (KeyboardInterrupt, 'raise KeyboardInterrupt("my own")', "my own"),
    asks: (EOFError, 'return input("how many? ")', "input() gets no answer here"),
    falls: (RecursionError, "return falls()", "maximum recursion depth exceeded"),
    falls_deeper: (RecursionError, "return falls()", "maximum recursion depth exceeded"),
    hogs: (MemoryError, "return [0] * 10**14", ""),
    mutters: (MuteError, "raise MuteError", ""),
}


@pytest.mark.parametrize("function", RAISING, ids=lambda function: function.__name__)
def test_what_is_raised_is_told_with_its_line(function):
    kind, code, said = RAISING[function]
    error = told(function)
    assert type(error.error).__name__ == kind.__name__ and error.code == code and error.said.startswith(said)
    assert error.function == function.__name__
    assert f"你的 {function.__name__} 出错了（第 {error.line} 行：{code}）：{kind.__name__}" in str(error)
    with speaking("en"):
        assert f"your {function.__name__} failed (line {error.line}: {code}): {kind.__name__}" in str(error)


def loops():
    while True:
        pass


def clings():
    for _ in range(20):  # without end it would go on, beside all other tests
        try:
            while True:
                pass
        except BaseException:
            pass


def waits():
    time.sleep(3)  # an exception from outside does not wake it


def talks():
    while True:
        print("and again")


class EndlessTextError(Exception):
    def __str__(self):
        loops()


def raises_endless_text():
    raise EndlessTextError


@pytest.mark.parametrize("function", [loops, clings, waits, talks, raises_endless_text])
def test_what_does_not_end_is_left_and_stopped(function):
    error = told(function, seconds=0.2)
    assert isinstance(error.error, EndlessError) and error.function == function.__name__ and error.line
    assert "在 0.2 秒内没有结束" in str(error) and "循环每一步都在往前走吗" in str(error)
    gone(function)


def gone(function) -> None:
    """Wait until the thread that runs a function has ended."""
    deadline = time.monotonic() + 20
    while any(thread.name == f"own code: {function.__name__}" for thread in threading.enumerate()):
        assert time.monotonic() < deadline, "still running"
        time.sleep(0.01)


def test_an_answer_comes_back_as_it_is():
    thing = object()
    assert guarded(len, lambda: thing) is thing and guarded(len, lambda: None) is None


def test_what_is_printed_is_heard_to_an_end(capsys):
    guarded(print, lambda: print("here", file=sys.stderr) or print("there"))
    assert capsys.readouterr().out == "here\nthere\n"
    guarded(print, lambda: print("x" * 10**7))
    said = capsys.readouterr().out
    assert said.count("x") == PRINTED and f"另有 {10**7 + 1 - PRINTED} 个字符没有显示" in said
    guarded(print, lambda: print("x"), ear=Ear(0))
    assert capsys.readouterr() == ("", "")


def test_what_a_console_cannot_write_is_escaped(monkeypatch):
    raw = io.BytesIO()
    console = io.TextIOWrapper(raw, encoding="ascii")
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", console)
        guarded(print, lambda: print("完成 \ud800"))
    console.flush()
    assert raw.getvalue() == rb"\u5b8c\u6210 \ud800" + os.linesep.encode()


def closes():
    sys.stdout.close()
    sys.stderr.close()
    sys.stdout = sys.stderr = None
    builtins.input = None
    return 5


def test_what_is_closed_or_replaced_is_put_back(capsys):
    before = stage()
    assert guarded(closes, closes) == 5 and stage() == before
    print("still here")
    assert capsys.readouterr().out == "still here\n"


def test_a_thread_that_was_left_behind_changes_nothing_later():
    gate = threading.Event()

    def late():
        gate.wait(10)
        sys.stdout = "mine"

    told_error = None
    before = sys.stdout
    try:
        guarded(late, late, seconds=0.05)
    except OwnError as error:
        told_error = error
    gate.set()
    gone(late)
    assert told_error and sys.stdout is before


def test_four_threads_leave_each_other_s_output_alone():
    before, heard = stage(), []
    threads = [threading.Thread(target=lambda n=n: heard.append(guarded(len, lambda: n))) for n in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(heard) == list(range(40)) and stage() == before


def test_a_keyboard_interrupt_goes_to_the_caller_and_stops_the_call(monkeypatch):
    """As the stop button does: the signal finds the main thread waiting."""
    real = threading.Event.wait

    def pressed(event, timeout=None):
        if timeout == guard.SECONDS:
            real(event, 0.05)
            raise KeyboardInterrupt
        return real(event, timeout)

    before = stage()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Event, "wait", pressed)
        with pytest.raises(KeyboardInterrupt):
            guarded(loops, loops)
    assert stage() == before
    gone(loops)


class HostileError(ValueError):
    def __getattribute__(self, name):
        raise RuntimeError(name)

    __eq__ = __hash__ = __repr__ = __str__ = None


def hostile():
    raise HostileError(object())


def test_what_stands_for_an_error_has_none_of_its_code():
    error, again = told(hostile), told(hostile)
    assert isinstance(error.error, ValueError) and not isinstance(error.error, HostileError)
    assert type(error.error).__name__ == "HostileError" and type(error.error) is type(again.error)
    assert error.code == "raise HostileError(object())" and "HostileError" in str(error)
    assert type(error.__cause__) is HostileError, "its traceback leads to the reader's line"


def test_an_error_of_several_kinds_or_made_of_others():
    class BothError(KeyError, ValueError):
        pass

    def both():
        raise BothError(-1)

    def grouped():
        raise ExceptionGroup("several", [ValueError(1)])

    assert isinstance(told(both).error, KeyError) and told(both).said == "-1"
    assert type(told(grouped).error).__name__ == "ExceptionGroup"
    assert told(grouped).said == "several (1 sub-exception)"


def test_half_a_sign_in_a_message_can_be_sent_to_a_page():
    def half():
        raise ValueError("\ud800 half")

    assert str(told(half)).encode() and told(half).said == "\\ud800 half"


def litters():
    os.chdir("/")
    sys.path.clear()
    warnings.simplefilter("error")
    builtins.len = builtins.setattr = builtins.dict = None
    sys.setswitchinterval(100)
    sys.stdin = None
    return 5


def litters_and_loops():
    litters()
    loops()


def test_what_the_whole_process_shares_is_put_back():
    def house():
        return [os.getcwd(), list(sys.path), list(warnings.filters), dict(vars(builtins)), sys.stdin]

    before, interval = house(), sys.getswitchinterval()
    assert guarded(litters, litters) == 5 and house() == before
    told(litters_and_loops, seconds=0.2)
    gone(litters_and_loops)
    assert house() == before and sys.getswitchinterval() == interval


def reads():
    return sys.stdin.read()


def reads_lines():
    for line in sys.stdin:
        return line


def asks_in_secret():
    return getpass.getpass()


def stops_to_debug():
    breakpoint()


@pytest.mark.parametrize("function", [reads, reads_lines, asks_in_secret, stops_to_debug])
def test_nobody_answers_whatever_asks(function):
    assert isinstance(told(function).error, EOFError)


def test_who_keeps_the_output_writes_on_to_what_is_the_output_then(capsys):
    kept = []
    guarded(print, lambda: kept.append(sys.stderr))
    kept[0].write("later\n")
    assert capsys.readouterr().out == "later\n"
    guarded(print, lambda: kept[0].write("y" * 10**5))
    assert capsys.readouterr().out.count("y") == PRINTED, "and that has an end, too"


def test_what_is_printed_last_ends_its_line_and_only_text_is_written(capsys):
    guarded(print, lambda: print("no end", end=""))
    assert capsys.readouterr().out == "no end\n"
    with pytest.raises(OwnError, match="must be str, not int"):
        guarded(print, lambda: sys.stdout.write(5))
    assert capsys.readouterr().out == ""


def test_many_calls_may_share_what_is_heard(capsys):
    ear = Ear()
    for _ in range(5):
        guarded(print, lambda: print("z" * 1500, end=""), ear=ear)
    said = capsys.readouterr().out
    assert said.count("z") == PRINTED and said.count("没有显示") == 1


def test_own_code_within_own_code_has_one_guard(capsys):
    def inner():
        return guarded(divides, divides)

    error = told(inner)
    assert isinstance(error.error, ZeroDivisionError) and error.function == "inner" and error.code == "return 1 / 0"


class Endless:
    def __getattribute__(self, name):
        loops()

    def __call__(self):
        return 1 / 0


def test_no_code_of_a_thing_is_run_for_its_name_or_its_lines():
    assert name_of(Endless()) == "Endless"
    assert told(Endless()).code == "return 1 / 0"
    assert told(functools.partial(divides)).code == "return 1 / 0"
    ring = functools.wraps(divides)(lambda: 1 / 0)
    ring.__wrapped__ = ring
    assert told(ring).function == "divides"


def test_names():
    class Everything:
        def __getattr__(self, name):
            return self

        def __call__(self):
            return 1

    assert (name_of(divides), name_of(Everything()), name_of(None)) == ("divides", "Everything", "NoneType")
    assert guarded(Everything(), Everything()) == 1
