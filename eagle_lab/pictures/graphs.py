"""A tree and its verification as one networkx graph: states, labels, and what cannot be one."""

from collections import Counter
from collections.abc import Collection

import networkx as nx

from ..inputs import check_sequence, check_whole
from ..language import word
from ..tree import ROOT, CandidateTree
from ..verification import Verdict
from .layout import NEXT
from .marks import STYLES
from .text import LABEL_LENGTH, check_text, display_token


def candidate_graph(
    tree: CandidateTree | None, verdict: Verdict | None = None, labels=None, root_label=None, strayed=()
) -> nx.DiGraph:
    """The tree as a networkx graph, with all that a picture or a table of it says.

    No tree (None) is a plain pass: the graph holds the root and the target's own token.
    Nodes: −1 (the root), 0 … n−1, and with a verdict "next", the target's own token. Node attributes:
    `label`, `token`, `depth`, `score`, `state` ("root", "accepted", "rejected", "strayed", "open", "next"). A
    verdict whose `next_token` is None is a walk that has not ended yet: it gets no "next".
    `labels`: a function from token id to text (default: the id as text); tokens that would look alike
    carry their id. `strayed`: which accepted nodes, or "next", are not the target's choice there, although
    somebody's own `verify` took them; what the verdict has not accepted yet keeps its state.
    Raises `TypeError` and `ValueError` that name the argument, also for an accepted node that is no child of the
    one before.

    >>> tree = CandidateTree([-1, 0, 0], [7, 8, 9], [-0.1, -0.5, -2.0])
    >>> graph = candidate_graph(tree, Verdict(accepted=(0, 2), rejected=(), next_token=4), strayed={2})
    >>> [graph.nodes[node]["state"] for node in (-1, 0, 1, 2, "next")]
    ['root', 'accepted', 'open', 'strayed', 'next']
    >>> list(candidate_graph(tree, Verdict(accepted=(0,), rejected=(), next_token=None)))
    [-1, 0, 1, 2]
    >>> list(candidate_graph(None, Verdict(accepted=(), rejected=(), next_token=4)))
    [-1, 'next']
    """
    columns = tree_columns(tree)
    accepted, rejected, own = _read_verdict(columns[0], verdict)
    strayed = _read_strayed(columns[0], strayed)
    label = _labels(columns[1] if own is None else [*columns[1], own], labels)
    state = dict.fromkeys(accepted, "accepted") | dict.fromkeys(rejected, "rejected")
    state |= {node: "strayed" for node in accepted if node in strayed}
    graph = nx.DiGraph()
    graph.add_node(ROOT, label=root_name(root_label), token=None, depth=0, score=0.0, state="root")
    for node, (parent, token, depth, score) in enumerate(zip(*columns, strict=True)):
        node_state = state.get(node, "open")
        graph.add_node(node, label=label[token], token=token, depth=depth, score=score, state=node_state)
        graph.add_edge(parent, node)
    if own is not None:
        own_state = "strayed" if NEXT in strayed else "next"
        graph.add_node(NEXT, label=label[own], token=own, depth=len(accepted) + 1, score=None, state=own_state)
        graph.add_edge(accepted[-1] if accepted else ROOT, NEXT)
    return graph


def tree_columns(tree) -> list[list]:
    """Parents, tokens, depths and scores, all empty for a plain pass."""
    if tree is None:
        return [[], [], [], []]
    if not isinstance(tree, CandidateTree):
        raise TypeError(f"tree must be a CandidateTree or None, not {type(tree).__name__}")
    return [column.tolist() for column in (tree.parents, tree.tokens, tree.depths, tree.scores)]


def _read_verdict(parents: list[int], verdict) -> tuple[list[int], list[int], int | None]:
    """Accepted nodes, refused nodes and own token of a verdict that fits the tree."""
    if verdict is None:
        return [], [], None
    if not isinstance(verdict, Verdict):
        raise TypeError(f"verdict must be a Verdict or None, not {type(verdict).__name__}")
    accepted, rejected = (
        [
            _check_node(node, f"verdict.{name}[{place}]", len(parents))
            for place, node in enumerate(check_sequence(getattr(verdict, name), f"verdict.{name}"))
        ]
        for name in ("accepted", "rejected")
    )
    for place, (before, node) in enumerate(zip([ROOT, *accepted], accepted, strict=False)):
        if parents[node] != before:
            raise ValueError(f"verdict.accepted[{place}] is {node}: it is no child of node {before}")
    own = verdict.next_token
    return accepted, rejected, None if own is None else check_whole(own, "verdict.next_token")


def _read_strayed(parents: list[int], strayed) -> set:
    strayed = strayed.tolist() if hasattr(strayed, "tolist") else strayed
    if not isinstance(strayed, Collection) or isinstance(strayed, (str, bytes, dict)):
        raise TypeError(f'strayed must be a collection of nodes and "{NEXT}", not {type(strayed).__name__}')
    nodes = [node for node in strayed if not (isinstance(node, str) and node == NEXT)]
    found: set = {_check_node(node, "strayed", len(parents)) for node in nodes}
    return found | {NEXT} if len(nodes) < len(strayed) else found


def _check_node(value, name: str, nodes: int) -> int:
    node = check_whole(value, name)
    if not 0 <= node < nodes:
        raise ValueError(f"{name} is {node}: the tree has {f'nodes 0 to {nodes - 1}' if nodes else 'no nodes'}")
    return node


def token_names(tokens: list[int], labels) -> dict[int, str]:
    """What `labels`, a function from token id to text, says of every token; the ids as text where it is None.

    >>> token_names([5, 6], None)
    {5: '5', 6: '6'}
    """
    if labels is None:
        return {token: str(token) for token in tokens}
    if not callable(labels):
        raise TypeError(f"labels must be a function from token id to text, not {type(labels).__name__}")
    return {token: check_text(labels(token), f"labels({token})") for token in tokens}


def root_name(root_label) -> str:
    """The root's label: the text given, or the word for it."""
    if root_label is None or not check_text(root_label, "root_label"):
        return word("root")
    return display_token(root_label)


def _labels(tokens: list[int], labels) -> dict[int, str]:
    """A label for every token id; tokens that would look alike carry their id."""
    names = token_names(tokens, labels)
    shown = {token: display_token(name) for token, name in names.items()}
    alike = Counter(shown.values())
    for token, label in shown.items():
        if alike[label] > 1:
            mark = f"#{token}"
            shown[token] = display_token(names[token], max(1, LABEL_LENGTH - len(mark))) + mark
    return shown


def drafted(graph: nx.DiGraph) -> int:
    """How many nodes a graph has beside the root and the target's own token."""
    return sum(node not in (ROOT, NEXT) for node in graph)


def check_graph(graph) -> nx.DiGraph:
    """A graph of `candidate_graph`: every node with its attributes, and after the one parent that it has."""
    if not isinstance(graph, nx.DiGraph):
        raise TypeError(f"graph must be a networkx DiGraph, not {type(graph).__name__}")
    if ROOT not in graph:
        raise ValueError(f"graph is none of candidate_graph's: it has no root {ROOT}")
    seen: set = {None}
    for node, data in graph.nodes(data=True):
        if not {"label", "depth", "score", "state"} <= data.keys() or data["state"] not in STYLES:
            raise ValueError(f"graph is none of candidate_graph's: node {node!r} lacks label, depth, score or state")
        above = list(graph.pred[node]) or [None if node == ROOT else node]
        if len(above) > 1 or above[0] not in seen:
            raise ValueError(f"graph is none of candidate_graph's: node {node!r} has not one parent before it")
        seen.add(node)
    return graph
