"""A panel's picture timed against the same picture drawn the common way."""

import gc
import io
import itertools
from pathlib import Path

import matplotlib.pyplot as plt
import networkx as nx

from eagle_lab import load_pair, tree_view, use_language
from eagle_lab.pictures.graphs import NEXT, candidate_graph
from eagle_lab.pictures.ink import new_figure, score_colour
from eagle_lab.tree import ROOT
from eagle_lab.trials import read_prompt

from .timing import WIDTH, paired, report


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


def bench_kept(pictures: int = 100, nodes: int = 26) -> None:
    """The memory of finished pictures that are kept, as each run of a cell keeps one (Linux: a page of /proc tells)."""
    pair = load_pair("stories")
    reading = read_prompt(pair, pair.prompts["en"][0])
    kept = [tree_view(pair, reading, budget=nodes)]
    before = _resident()
    kept += [tree_view(pair, reading, budget=nodes) for _ in range(pictures)]
    gc.collect()
    name, pngs = f"{pictures} pictures of {nodes} nodes, kept", sum(len(view.png) for view in kept) >> 20
    print(f"{name:{WIDTH}} {_resident() - before:9} MB, of which PNG {pngs} MB")


def _resident() -> int:
    """Resident memory of this process in MB."""
    page = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) // 1024 for line in page if line.startswith("VmRSS"))
