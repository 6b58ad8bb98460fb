"""Where a tree's marks and labels stand: columns by depth, rows by leaves, nothing over anything else."""

from types import SimpleNamespace

import networkx as nx
import numpy as np

from ..tree import ROOT
from .graphs import NEXT
from .ink import MARGIN
from .text import FONT_SIZE, text_width

RADIUS, LABEL_GAP, GAP = 5.5, 10.5, 15.0  # points
ROW, LIFT, SMALLEST_TEXT = 14.0, 13.0, 5.5  # least height of a row; a number's place above its mark; least font size


def layout(graph: nx.DiGraph, width: float, height: float) -> SimpleNamespace:
    """Places in points: a column for each depth, a row for each leaf, parents midway between their children.

    Columns are as wide as their longest label. Where rows or columns get too tight, text and nodes
    shrink together (`scale`). Where that would make the text too small, the `labels` are the nodes'
    numbers, as in the table beside a picture: to the right of the marks, or, in the deepest trees, above
    them. The same graph always gets the same places.
    """
    names = dict(graph.nodes(data="label"))
    numbers = {node: label if node in (ROOT, NEXT) else str(node) for node, label in names.items()}
    rows, tried = _rows(graph), []
    for labels, above in ((names, False), (numbers, False), (numbers, True)):
        tried.append(_places(graph, rows, labels, above, width, height))
        if tried[-1].scale * FONT_SIZE >= SMALLEST_TEXT:
            return tried[-1]
    return max(tried, key=lambda places: places.scale)


def _places(graph: nx.DiGraph, rows: dict, labels: dict, above: bool, width: float, height: float) -> SimpleNamespace:
    """One way to lay out: labels beside their marks, or above them where columns must be narrow."""
    depth = dict(graph.nodes(data="depth"))
    widths = {node: text_width(label) for node, label in labels.items()}
    longest = [0.0] * (1 + max(depth.values()))
    for node, level in depth.items():
        longest[level] = max(longest[level], widths[node])
    columns = [max(size, 2 * RADIUS) + 2.5 if above else size + 3 * RADIUS + GAP for size in longest]
    row, top = (ROW + LIFT, MARGIN + LIFT) if above else (ROW, MARGIN)
    last_row, usable = max(rows.values()), height - top - MARGIN
    scale = min(1.0, (width - 2 * MARGIN) / sum(columns), usable / (row * (last_row or 1)))
    spare = min(max(0.0, width - 2 * MARGIN - scale * sum(columns)) / len(columns), 80.0)
    starts = np.cumsum([MARGIN + RADIUS] + [scale * column + spare for column in columns])
    x = {node: float(starts[level]) for node, level in depth.items()}
    pitch, first = (usable / last_row, height - top) if last_row else (0.0, height / 2)
    y = {node: first - rows[node] * pitch for node in graph}
    right, up, end = (-RADIUS, LIFT, 1.4 * RADIUS) if above else (LABEL_GAP, 0.0, None)
    return SimpleNamespace(
        x=x,
        y=y,
        text={node: (x[node] + scale * right, y[node] + scale * up) for node in graph},
        label_end={node: x[node] + scale * (end or LABEL_GAP + widths[node] + 3) for node in graph},
        labels=labels,
        scale=scale,
    )


def _rows(graph: nx.DiGraph) -> dict:
    """Every node's row: leaves count down in depth-first order, a parent stands midway."""
    rows, leaves = {}, 0
    for node in nx.dfs_postorder_nodes(graph, ROOT):
        below = [rows[child] for child in graph.successors(node)]
        if below:
            rows[node] = (min(below) + max(below)) / 2
        else:
            rows[node], leaves = float(leaves), leaves + 1
    return rows
