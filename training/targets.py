"""Where training finds a target, and what it computes on."""

import torch

from eagle_lab import Pair, load_pair
from eagle_lab.packaged import PACKAGES, unpacked


def open_target(where: str) -> Pair:
    """A target with its tokenizer and end tokens: a packaged one by name, or a Hugging Face folder."""
    return load_pair(target=unpacked(where) if where in PACKAGES else where)


def device() -> str:
    """A GPU where there is one."""
    return "cuda" if torch.cuda.is_available() else "cpu"
