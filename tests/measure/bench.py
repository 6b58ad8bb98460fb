"""Timings, as ratios within one run: `make bench` (one BLAS thread, medians of paired runs)."""

import platform
import subprocess
import sys
from pathlib import Path
from statistics import median

import nbformat
import numpy as np
from nbclient import NotebookClient

from eagle_lab import Generation, greedy_decode, load_pair, speculative_decode
from eagle_lab.growth import TreeShape

from .bookkeeping import bench_score, bench_tree
from .pictures import bench_kept, bench_move
from .timing import PAIRS, WIDTH, paired, report


def bench_drafting() -> None:
    """What drafting costs beside the target on `stories`, and what is left of it: why the lessons count passes."""
    pair = load_pair("stories")
    prompt = pair.encode(pair.prompts["zh"][0])
    cache, reading = pair.target.new_cache(), Generation(pair, prompt)
    pair.target.forward(prompt, cache)

    def target_step():
        pair.target.logits(pair.target.forward([5], cache).hidden)
        cache.commit(len(prompt), [])

    reading.step()
    drafted = reading.draft_cache.length

    def draft_step():
        pair.drafter.draft(reading.features[:, -1:], [5], reading.draft_cache, TreeShape(1, 1, 1))
        reading.draft_cache.commit(drafted, [])

    report("a step of the drafter / a step of the target", *paired(draft_step, target_step))
    ratios = []
    for prompt in (pair.encode(text) for texts in pair.prompts.values() for text in texts):
        ways = lambda p=prompt: speculative_decode(pair, p, 60), lambda p=prompt: greedy_decode(pair.target, p, 60)
        ratios.append(paired(*ways, pairs=11)[2])
    name = f"60 tokens with drafts (4, 5, 16) / one by one, {len(ratios)} openings"
    print(f"{name:{WIDTH}} {'':27} ratio {median(ratios):.2f}, from {min(ratios):.2f} to {max(ratios):.2f}")


def bench_import() -> None:
    """What an import costs more than numpy's, each in an interpreter of its own."""

    def load(statement):
        return lambda: subprocess.run([sys.executable, "-c", statement], check=True)

    for name in ("import eagle_lab", "from eagle_lab import speculative_decode", "from eagle_lab import tree_panel"):
        ours, numpy_alone, ratio = paired(load(f"import numpy; {name}"), load("import numpy"), pairs=15)
        print(f"{name}, beyond numpy".ljust(WIDTH), f"{(ours - numpy_alone) * 1e3:9.1f} ms {'':15}ratio {ratio:.2f}")


def bench_memory() -> None:
    """The resident memory of a kernel that has run notebook 03 (Linux only: a page of /proc tells it)."""
    notebook = nbformat.read(Path(__file__).parents[2] / "notebooks" / "zh" / "03_candidate_tree.ipynb", as_version=4)
    resident = "print(next(int(line.split()[1]) // 1024 for line in open('/proc/self/status') if line[:5] == 'VmRSS'))"
    notebook.cells.append(nbformat.v4.new_code_cell(resident))
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    print(f"{'kernel memory after notebook 03':{WIDTH}} {notebook.cells[-1].outputs[0].text.strip():>9} MB")


def main() -> None:
    print(f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}; {PAIRS} pairs, medians")
    print(f"{'':{WIDTH}} {'ours':>12} {'plain':>12}")
    bench_tree()
    bench_score()
    for nodes in (8, 26, 60):
        bench_move(nodes)
    bench_drafting()
    bench_import()
    bench_kept()
    bench_memory()


if __name__ == "__main__":
    main()
