"""A slice of `measure.misbehaving` in a real kernel: it lives, the reader is told, and nothing is left changed."""

import pytest

from measure.misbehaving import Kernel, press_stop, try_out
from wrong.misbehaving import MISBEHAVING

SLICE = [
    "raise SystemExit",
    "get_ipython().ask_exit()",
    "raise ValueError('\\ud800 half a sign')",
    "while True: display(weights)",
    "return sys.stdin.read()",
    "return getpass.getpass()",
    "del sys.stdout, sys.stderr",
    "builtins.setattr = builtins.getattr = None",
    "sys.path.clear()",
    "os.chdir('/')",
    "global calls",
    "normalize_fusion_weights = 5",
]


@pytest.fixture(scope="module")
def kernel():
    kernel = Kernel("en")
    kernel.cell("from eagle_lab import guard; guard.SECONDS = 0.5")
    yield kernel
    kernel.close()


def case_with(line: str):
    return next(case for case in MISBEHAVING if any(line in each for each in case.source.splitlines()))


@pytest.mark.parametrize("line", SLICE)
def test_the_kernel_lives_and_the_reader_is_told(kernel, line):
    assert try_out(kernel, case_with(line)) == []


def test_the_stop_button_is_told_and_the_controls_come_back(kernel):
    kernel.cell("guard.SECONDS = 20")
    assert press_stop(kernel) == []
