"""Timings, as ratios within one run: `make bench` (one BLAS thread, medians of paired runs)."""

import io
import itertools
import platform
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import matplotlib.pyplot as plt
import nbformat
import networkx as nx
import numpy as np
from nbclient import NotebookClient

from eagle_lab import (
    Generation,
    greedy_decode,
    load_pair,
    score_candidate_tree,
    speculative_decode,
    tree_view,
    use_language,
)
from eagle_lab.drafter import grow_tree
from eagle_lab.drawing import NEXT, candidate_graph, new_figure, score_colour
from eagle_lab.tree import ROOT
from eagle_lab.views import read_prompt

PAIRS = 201


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


def plain_score(nodes):
    """The course's plain answer: one loop, its three checks, the leaf search and the way back."""
    if not nodes:
        raise ValueError("nodes is empty")
    scores = []
    for index, node in enumerate(nodes):
        parent = int(node["parent"])
        if parent < -1 or parent >= index:
            raise ValueError("illegal parent")
        base = 0.0 if parent == -1 else scores[parent]
        scores.append(base + float(node["log_score"]))
    parents = {int(node["parent"]) for node in nodes}
    leaves = [index for index in range(len(nodes)) if index not in parents]
    node = max(leaves, key=lambda index: scores[index])
    path = []
    while node != -1:
        path.append(int(nodes[node]["token"]))
        node = int(nodes[node]["parent"])
    return scores, path[::-1]


def plain_grow(tables, top_k, depth, budget):
    """A straightforward dynamic tree: records in lists, sorted in Python; mask and positions included."""
    pool, beam = [], [(-1, 0.0)]
    for level in range(depth):
        rows = []
        for row, (parent, score) in enumerate(beam):
            for token, log_prob in zip(*(table[row] for table in tables[level]), strict=True):
                rows.append((parent, int(token), float(log_prob), score + float(log_prob), level + 1))
        first = len(pool)
        pool += rows
        best = sorted(range(len(rows)), key=lambda i: -rows[i][3])[:top_k]
        beam = [(first + i, rows[i][3]) for i in best]
    kept = sorted(sorted(range(len(pool)), key=lambda i: (-pool[i][3], pool[i][4], i))[:budget])
    place = {node: index for index, node in enumerate(kept)} | {-1: -1}
    parents = [place[pool[node][0]] for node in kept]
    mask = []
    for index, parent in enumerate(parents):
        mask.append([*(mask[parent] if parent >= 0 else []), *[False] * len(parents)][: len(parents)])
        mask[-1][index] = True
    return parents, [pool[node][1] for node in kept], mask


def drafted_tables(top_k: int, depth: int):
    """What a drafter would have said: tokens and log-probabilities, sorted, for every level."""
    rng = np.random.default_rng(0)
    tables = []
    for level in range(depth):
        rows = 1 if level == 0 else top_k
        tokens = np.stack([rng.permutation(1000)[:top_k] for _ in range(rows)])
        log_probs = np.log(np.sort(rng.dirichlet(np.ones(40) * 0.3, rows), axis=1)[:, ::-1][:, :top_k])
        tables.append((tokens, log_probs.astype(np.float32)))
    return tables


def bench_tree() -> None:
    tables = drafted_tables(10, 8)

    def ours():
        later = iter(tables[1:])
        tree = grow_tree(tables[0], lambda tokens, rows: next(later), top_k=10, depth=8, budget=59)
        return tree, tree.attention_mask(), tree.depths

    tree, mask, _ = ours()
    parents, tokens, plain_mask = plain_grow(tables, 10, 8, 59)
    assert parents == tree.parents.tolist() and tokens == tree.tokens.tolist()
    assert (mask[1:, 1:] == np.array(plain_mask)).all()
    report("tree bookkeeping, top_k 10, 8 levels, budget 59", *paired(ours, lambda: plain_grow(tables, 10, 8, 59)))


def bench_score() -> None:
    rng = np.random.default_rng(1)
    for size in (16, 60):
        nodes = [
            {"parent": int(rng.integers(-1, i)), "token": int(rng.integers(1000)), "log_score": -float(rng.random())}
            for i in range(size)
        ]
        assert score_candidate_tree(nodes) == plain_score(nodes)
        times = paired(lambda n=nodes: score_candidate_tree(n), lambda n=nodes: plain_score(n), repeats=50)
        report(f"score_candidate_tree, {size} records", *times)


def common_figure(graph, size):
    """The same tree as it is usually drawn: a new figure, networkx's own layout and drawing."""
    figure, ax = plt.subplots(figsize=size, dpi=110)
    places = nx.multipartite_layout(graph, subset_key="depth")
    edge_colours = {"accepted": "green", "rejected": "red", "open": "grey", "next": "green", "root": "black"}
    nodes = dict(graph.nodes(data=True))
    nx.draw(
        graph,
        places,
        ax=ax,
        nodelist=list(nodes),
        node_color=["white" if data["score"] is None else score_colour(data["score"]) for data in nodes.values()],
        edgecolors=[edge_colours[data["state"]] for data in nodes.values()],
        labels={node: data["label"] for node, data in nodes.items()},
        font_size=8,
    )
    return figure


def common_picture(graph, size) -> bytes:
    """That figure by savefig."""
    buffer, figure = io.BytesIO(), common_figure(graph, size)
    figure.savefig(buffer, format="png")
    plt.close(figure)
    return buffer.getvalue()


def bench_move(nodes: int) -> None:
    """A slider move, from the layer weights to the PNG, against drawing alone the common way."""
    use_language("en")
    pair = load_pair("stories")
    reading, figure = read_prompt(pair, pair.prompts["en"][0]), new_figure(nodes)
    settings = itertools.cycle([(1, 1, 1), (0.9, 0.4, 1), (0.2, 1, 0.7), (1, 0, 0.3)])
    latest = []

    def ours():
        latest[:] = [tree_view(pair, reading, layer_weights=next(settings), budget=nodes, figure=figure)]

    def theirs():
        round_ = latest[0].round
        graph = candidate_graph(round_.tree, round_.verdict, pair.token_text)
        common_picture(nx.relabel_nodes(graph, {ROOT: "root", NEXT: "next"}), figure.get_size_inches())

    report(f"slider move, {nodes} nodes: all of ours / their drawing alone", *paired(ours, theirs, pairs=25))


def bench_drafting() -> None:
    """What drafting costs beside the target on `stories`, and what is left of it: why the lessons count passes."""
    pair = load_pair("stories")
    prompt = pair.encode(pair.prompts["zh"][0])
    cache, reading = pair.target.new_cache(), Generation(pair, prompt)
    pair.target.forward(prompt, cache)

    def target_step():
        pair.target.logits(pair.target.forward([5], cache).hidden)
        cache.commit(len(prompt), [])

    reading.step(layer_weights=[1, 1, 1])
    drafted = reading.draft_cache.length

    def draft_step():
        shape = {"layer_weights": [1, 1, 1], "top_k": 1, "depth": 1, "budget": 1}
        pair.drafter.draft(reading.features[:, -1:], [5], reading.draft_cache, **shape)
        reading.draft_cache.commit(drafted, [])

    report("a step of the drafter / a step of the target", *paired(draft_step, target_step))
    ways = lambda: speculative_decode(pair, prompt, 60), lambda: greedy_decode(pair.target, prompt, 60)
    report("60 tokens with drafts (4, 5, 16) / one by one", *paired(*ways, pairs=41))


def bench_import() -> None:
    """What an import costs more than numpy's, each in an interpreter of its own."""

    def load(statement):
        return lambda: subprocess.run([sys.executable, "-c", statement], check=True)

    for name in ("import eagle_lab", "from eagle_lab import speculative_decode", "from eagle_lab import tree_panel"):
        ours, numpy_alone, ratio = paired(load(f"import numpy; {name}"), load("import numpy"), pairs=15)
        print(f"{name}, beyond numpy".ljust(58), f"{(ours - numpy_alone) * 1e3:9.1f} ms {'':15}ratio {ratio:.2f}")


def bench_memory() -> None:
    """The resident memory of a kernel that has run notebook 03 (Linux only: a page of /proc tells it)."""
    notebook = nbformat.read(Path(__file__).parents[1] / "notebooks" / "zh" / "03_candidate_tree.ipynb", as_version=4)
    resident = "print(next(int(line.split()[1]) // 1024 for line in open('/proc/self/status') if line[:5] == 'VmRSS'))"
    notebook.cells.append(nbformat.v4.new_code_cell(resident))
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    print(f"{'kernel memory after notebook 03':58} {notebook.cells[-1].outputs[0].text.strip():>9} MB")


def report(name: str, ours: float, theirs: float, ratio: float) -> None:
    print(f"{name:58} {ours * 1e6:9.1f} µs {theirs * 1e6:9.1f} µs   ratio {ratio:.2f}")


def main() -> None:
    print(f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}; {PAIRS} pairs, medians")
    print(f"{'':58} {'ours':>12} {'plain':>12}")
    bench_tree()
    bench_score()
    for nodes in (8, 26, 60):
        bench_move(nodes)
    bench_drafting()
    bench_import()
    bench_memory()


if __name__ == "__main__":
    main()
