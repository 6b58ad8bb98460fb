"""One BLAS thread, set before numpy is imported; hypothesis without clocks and without chance."""

import os
import re
import shutil

os.environ.update({f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL", "VECLIB_MAXIMUM")})

import pytest
from hypothesis import settings

from eagle_lab.language import use_language

from models import GOLDEN, LLAMA

settings.register_profile("eagle_lab", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("eagle_lab")


def pytest_make_parametrize_id(val):
    """Cases are named by their values, without addresses: every xdist worker must find the same names."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(val))


@pytest.fixture
def chinese():
    """Chinese is spoken before the test and after it, whatever it chooses."""
    use_language("zh")
    yield
    use_language("zh")


@pytest.fixture
def folders(tmp_path):
    """A writable copy of the golden Llama target and of its head."""
    for name, model in zip(("target", "drafter"), LLAMA, strict=True):
        shutil.copytree(GOLDEN / "models" / model, tmp_path / name)
    return tmp_path
