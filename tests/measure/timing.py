"""Timing two functions in turn, so that a busy machine slows both alike: read the ratios."""

import time
from statistics import median

PAIRS = 201
WIDTH = 72  # of the names in a report


def paired(ours, theirs, repeats: int = 1, pairs: int = PAIRS) -> tuple[float, float, float]:
    """Median seconds of both, run in turn, and the median of the pairs' ratios ours / theirs."""
    times = []
    for _ in range(pairs):
        row = []
        for function in (ours, theirs):
            start = time.perf_counter()
            for _ in range(repeats):
                function()
            row.append((time.perf_counter() - start) / repeats)
        times.append(row)
    mine, other = zip(*times, strict=True)
    return median(mine), median(other), median(a / b for a, b in times)


def report(name: str, ours: float, theirs: float, ratio: float) -> None:
    """One line of figures: both times and the ratio of the pairs."""
    print(f"{name:{WIDTH}} {ours * 1e6:9.1f} µs {theirs * 1e6:9.1f} µs   ratio {ratio:.2f}")
