"""Candidate trees timed without a model: growing one, and scoring one, against plainer ways."""

import numpy as np

from eagle_lab import score_candidate_tree
from eagle_lab.growth import TreeShape, grow_tree

from . import reference
from .timing import paired, report

TOP_K, DEPTH, BUDGET = 10, 8, 59  # the official code's defaults, in our words


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
    """From what a drafter says to a tree that can be verified: against plain Python, and the official operations.

    Ours verifies by looking a child up, the official code along its rows of leaves, which it makes here.
    """
    tables, shape = drafted_tables(TOP_K, DEPTH), TreeShape(TOP_K, DEPTH, BUDGET)
    token_ids = np.arange(1000) * 3  # of a draft vocabulary of every third token
    d2t = token_ids - np.arange(1000)

    def ours():
        levels = ((token_ids[ids], log_probs) for ids, log_probs in tables)
        tree = grow_tree(next(levels), lambda *_: next(levels), shape)
        return tree, tree.attention_mask(), tree.depths

    def theirs():
        levels = iter(tables)
        return reference.grow(0, next(levels), lambda *_: next(levels), d2t, TOP_K, DEPTH, BUDGET)

    (tree, mask, depths), official = ours(), theirs()
    parents, tokens, plain_mask = plain_grow(tables, TOP_K, DEPTH, BUDGET)
    assert parents == tree.parents.tolist() == (official.parents[1:] - 1).tolist()
    assert token_ids[tokens].tolist() == tree.tokens.tolist() == official.tokens[1:].tolist()
    assert (mask[1:, 1:] == np.array(plain_mask)).all() and (mask == official.mask).all()
    assert depths.tolist() == official.positions[1:].tolist()
    ways = {(0, *(1 + node for node in tree.path(leaf))) for leaf in tree.leaves}
    assert ways == {tuple(node for node in row if node >= 0) for row in official.retrieve.tolist()}
    name = f"tree bookkeeping, top_k {TOP_K}, {DEPTH} levels, budget {BUDGET}"
    report(f"{name}: ours / plain Python", *paired(ours, lambda: plain_grow(tables, TOP_K, DEPTH, BUDGET)))
    report(f"{name}: ours / numpy reference", *paired(ours, theirs))


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
