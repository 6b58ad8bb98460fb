"""A tree and its verification as one networkx graph: states, labels, and what cannot be one."""

from collections import Counter

import networkx as nx

from ..inputs import check_callable, check_index, check_kind, check_sequence, check_whole
from ..language import word
from ..tree import ROOT, CandidateTree, check_nodes
from ..verification import Verdict
from .text import LABEL_LENGTH, display_token

NEXT = "next"  # the graph's name for the target's own token
NODES = 500  # of the largest tree that a picture shows: more of them no eye can tell apart


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
    Raises `TypeError` and `ValueError` that name the argument, also for a tree of more than 500 nodes and for an
    accepted node that is no child of the one before.

    >>> tree = CandidateTree([-1, 0, 0], [7, 8, 9], [-0.1, -0.5, -2.0])
    >>> graph = candidate_graph(tree, Verdict(accepted=(0, 2), rejected=(), next_token=4), strayed={2})
    >>> [graph.nodes[node]["state"] for node in (-1, 0, 1, 2, "next")]
    ['root', 'accepted', 'open', 'strayed', 'next']
    >>> list(candidate_graph(None, Verdict(accepted=(), rejected=(), next_token=4)))
    [-1, 'next']
    """
    columns: list[list] = [[], [], [], []]
    if tree is not None:
        check_tree(tree)
        columns = [column.tolist() for column in (tree.parents, tree.tokens, tree.depths, tree.scores)]
    accepted, rejected, own = _read_verdict(verdict, columns[0])
    strayed = _read_strayed(strayed, len(columns[0]))
    label = _labels(columns[1] if own is None else [*columns[1], own], labels)
    state = dict.fromkeys(rejected, "rejected")
    state |= {node: "strayed" if node in strayed else "accepted" for node in accepted}
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


def check_tree(tree, most: int = NODES) -> None:
    """A tree of so few nodes that an eye can tell them apart."""
    check_kind(tree, CandidateTree, "tree")
    if len(tree) > most:
        raise ValueError(f"the tree has {len(tree):,} nodes: this picture shows at most {most}, so rerank it to fewer")


def token_names(tokens: list[int], labels) -> dict[int, str]:
    """What `labels`, a function from token id to text, says of every token; the ids as text where it is None."""
    name = str if labels is None else check_callable(labels, "labels")
    names = {token: name(token) for token in tokens}
    for token, text in names.items():
        check_kind(text, str, f"labels({token})")
    return names


def root_name(root_label) -> str:
    """The root's label: the text given, or the word for it."""
    if root_label is not None:
        check_kind(root_label, str, "root_label")
    return display_token(root_label) if root_label else word("root")


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


def _read_verdict(verdict, parents: list[int]) -> tuple[list[int], list[int], int | None]:
    """Accepted nodes, refused nodes and own token of a verdict that fits the tree."""
    if verdict is None:
        return [], [], None
    check_kind(verdict, Verdict, "verdict")
    accepted = check_nodes(verdict.accepted, "verdict.accepted", len(parents))
    rejected = check_nodes(verdict.rejected, "verdict.rejected", len(parents))
    for place, (above, node) in enumerate(zip([ROOT, *accepted], accepted, strict=False)):
        if parents[node] != above:
            raise ValueError(f"verdict.accepted[{place}] is {node}: it is no child of node {above}")
    own = verdict.next_token
    return accepted, rejected, None if own is None else check_whole(own, "verdict.next_token")


def _read_strayed(strayed, nodes: int) -> set:
    """Nodes of the tree, and `NEXT`."""
    found: set = set()
    for mark in strayed if isinstance(strayed, (set, frozenset)) else check_sequence(strayed, "strayed"):
        own = isinstance(mark, str) and mark == NEXT
        found.add(NEXT if own else check_index(mark, "strayed", 0, nodes - 1, "the tree has nodes"))
    return found
