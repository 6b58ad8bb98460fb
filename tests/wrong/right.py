"""Right answers to the exercises, however one writes them, and the right parts that wrong ones are made with."""

# ruff: noqa: B905 (learners write zip without strict)

import math
import operator
from collections import deque
from itertools import takewhile

import numpy as np

from eagle_lab import accepted_prefix, fuse_layer_features, normalize_fusion_weights, score_candidate_tree

# ── the notebook's stub ───────────────────────────────────────────────────────────────────────────

STUB = """
def normalize_fusion_weights(weights):
    if len(weights) == 0:
        raise ValueError("empty")
    if any(w < 0 for w in weights):
        raise ValueError("negative")
    {normalize}


def fuse_layer_features(layer_features, weights):
    weights = normalize_fusion_weights(weights)
    if len(layer_features) != len(weights):
        raise ValueError("layers and weights differ")
    width = len(layer_features[0])
    if not width or any(len(row) != width for row in layer_features):
        raise ValueError("widths differ")
    {fuse}


def score_candidate_tree(nodes):
    if not nodes:
        raise ValueError("empty tree")
    scores, has_child = [], set()
    for index, node in enumerate(nodes):
        parent = node["parent"]
        if parent < -1 or parent >= index:
            raise ValueError("illegal parent")
        if parent >= 0:
            has_child.add(parent)
        {score}
        scores.append(parent_score + node["log_score"])
    best = None
    for index in range(len(nodes)):
        if index not in has_child and (best is None or scores[index] > scores[best]):
            best = index
    path = []
    while best != -1:
        path.append(nodes[best]["token"])
        best = nodes[best]["parent"]
    return scores, path[::-1]
"""
FILLINGS = {
    "normalize": """total = sum(weights)
    if total <= 0:
        raise ValueError("sum is 0")
    return [w / total for w in weights]""",
    "fuse": "return [sum(weights[i] * layer_features[i][d] for i in range(len(weights))) for d in range(width)]",
    "score": "parent_score = scores[parent] if parent >= 0 else 0.0",
}


def filled(function, **places):
    """The stub's function `function`, right but for the places that are given."""
    names = {}
    exec(STUB.format(**FILLINGS | places), names)
    return names[function]


# ── the right parts ───────────────────────────────────────────────────────────────────────────────


def refuse_unless(right):
    if not right:
        raise ValueError


def shares_of(weights):
    if len(weights) == 0 or min(weights) < 0 or sum(weights) == 0:
        raise ValueError
    return np.array(weights) / sum(weights)


def matrix_of(rows, weights):
    if len(rows) != len(weights) or len({len(r) for r in rows}) != 1 or not len(rows[0]):
        raise ValueError
    return np.array(rows, dtype=float)


def scored(nodes):
    """The right scores."""
    scores = []
    for node in nodes:
        scores.append(node["log_score"] + (scores[node["parent"]] if node["parent"] >= 0 else 0))
    return scores


def leaf_indices(nodes):
    return sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})


def climb(nodes, index):
    path = []
    while index >= 0:
        path.append(index)
        index = nodes[index]["parent"]
    return path[::-1]


def accepted_right(draft_tokens, target_tokens):
    for i, (a, b) in enumerate(zip(draft_tokens, target_tokens)):
        if a != b:
            return i
    return min(len(draft_tokens), len(target_tokens))


def right_mask(parents):
    mask = np.zeros((1 + len(parents), 1 + len(parents)), dtype=int)
    mask[:, 0] = 1
    for node in range(len(parents)):
        walk = node
        while walk != -1:
            mask[1 + node, 1 + walk] = 1
            walk = parents[walk]
    return mask


def children_of(parents, node):
    return [i for i, parent in enumerate(parents) if parent == node]


def right_walk(parents, tokens, choices):
    node, accepted = -1, []
    while True:
        found = [c for c in children_of(parents, node) if tokens[c] == choices[1 + node]]
        if not found:
            return accepted, choices[1 + node]
        node = found[0]
        accepted.append(node)


# ── whole answers ─────────────────────────────────────────────────────────────────────────────────


def exact_shares(weights):
    refuse_unless(weights and min(weights) >= 0 and math.fsum(weights) > 0)
    return tuple(weight / math.fsum(weights) for weight in weights)


def recursive_shares(weights, total=None):
    if total is None:
        refuse_unless(weights and min(weights) >= 0 and sum(weights) > 0)
        total = sum(weights)
    return [weights[0] / total, *recursive_shares(weights[1:], total)] if weights else []


def shares_one_by_one(weights):
    total = 0
    for weight in weights:
        refuse_unless(weight >= 0)
        total += weight
    refuse_unless(total)
    return list(weight / total for weight in weights)  # noqa: C400 (a generator, consumed)


def numpy_fusion(layer_features, weights):
    refuse_unless(len(layer_features) == len(weights) and len(set(map(len, layer_features))) == 1 and layer_features[0])
    return np.average(np.array(layer_features, dtype=float), axis=0, weights=shares_of(weights))


def numpy_scalars(layer_features, weights):
    return [np.float64(value) for value in numpy_fusion(layer_features, weights)]


def by_hand(layer_features, weights):
    fused = deque([0.0] * len(layer_features[0]))
    refuse_unless(len(layer_features) == len(weights) and fused)
    for share, row in zip(exact_shares(weights), layer_features, strict=True):
        refuse_unless(len(row) == len(fused))
        fused = deque(f + share * x for f, x in zip(fused, row, strict=True))
    return fused


def fused_by_index(layer_features, weights):
    refuse_unless(len(layer_features) == len(weights) and layer_features[0])
    fused = []
    for d in range(len(layer_features[0])):
        fused.append(0)
        for layer in range(len(layer_features)):
            refuse_unless(len(layer_features[layer]) == len(layer_features[0]) and weights[layer] >= 0)
            fused[d] += weights[layer] * layer_features[layer][d]
    total = sum(weights)
    refuse_unless(total > 0)
    return [x / total for x in fused]


def fused_with_zip(layer_features, weights):
    shares = recursive_shares(weights)
    refuse_unless(len(shares) == len(layer_features) and layer_features[0])
    try:
        columns = list(zip(*layer_features, strict=True))
    except ValueError as uneven:
        raise ValueError("widths differ") from uneven
    return tuple(math.fsum(map(operator.mul, shares, column)) for column in columns)


def legal(nodes):
    refuse_unless(nodes and all(-1 <= node["parent"] < index for index, node in enumerate(nodes)))
    return nodes


def recursive_tree(nodes):
    scores = scored(legal(nodes))
    node, path = max(leaf_indices(nodes), key=lambda leaf: (scores[leaf], -leaf)), []
    while node >= 0:
        node, path = nodes[node]["parent"], [nodes[node]["token"], *path]
    return scores, path


def numpy_tree(nodes):
    scores, path = recursive_tree(nodes)
    return [np.array(scores), np.array(path)]


def summed_along_the_path(nodes):
    sums = (math.fsum(nodes[step]["log_score"] for step in climb(nodes, node)) for node in range(len(legal(nodes))))
    return tuple(sums), tuple(recursive_tree(nodes)[1])


def tree_in_one_pass(nodes):
    refuse_unless(nodes)
    scores, paths, inner = [], [], set()
    for index, node in enumerate(nodes):
        parent, token, edge = node["parent"], node["token"], node["log_score"]
        refuse_unless(parent in range(-1, index))
        inner.add(parent)
        scores.append(edge if parent == -1 else scores[parent] + edge)
        paths.append(([] if parent == -1 else paths[parent]) + [token])
    best = None
    for index in range(len(nodes)):
        if index not in inner and (best is None or scores[index] > scores[best]):
            best = index
    return scores, paths[best]


def index_of_the_break(draft_tokens, target_tokens):
    agrees = [a == b for a, b in zip(draft_tokens, target_tokens, strict=False)]
    return [*agrees, False].index(False)


def numpy_prefix(draft_tokens, target_tokens):
    length = min(len(draft_tokens), len(target_tokens))
    return np.cumprod(np.array(draft_tokens[:length]) == np.array(target_tokens[:length])).sum()


def prefix_while_it_lasts(draft_tokens, target_tokens):
    count = 0
    while count < len(draft_tokens) and count < len(target_tokens) and draft_tokens[count] == target_tokens[count]:
        count += 1
    return count


def prefix_from_a_generator(draft_tokens, target_tokens):
    pairs = zip(draft_tokens, target_tokens)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def recursive_prefix(draft, target):
    return 1 + recursive_prefix(draft[1:], target[1:]) if draft and target and draft[0] == target[0] else 0


def mask_of_sets(parents):
    seen = [{0}]
    for row, parent in enumerate(parents, start=1):
        seen.append(seen[1 + parent] | {row})
    return tuple(tuple(column in row for column in range(len(seen))) for row in seen)


def mask_walked_up(parents):
    size = len(parents) + 1
    mask = [[0] * size for _ in range(size)]
    for row in range(size):
        mask[row][0] = 1
        node = row - 1
        while node >= 0:
            mask[row][node + 1] = 1
            node = parents[node]
    return mask


def mask_asked_for_each_cell(parents):
    def sees(row, column):
        return row == column or (row > 0 and sees(1 + parents[row - 1], column))

    return [[sees(row, column) for column in range(len(parents) + 1)] for row in range(len(parents) + 1)]


def closure(parents):
    step = np.eye(1 + len(parents), dtype=int)
    step[np.arange(1, len(step)), 1 + np.array(parents, dtype=int)] = 1
    seen = step
    while (further := (seen @ step > 0).astype(int)).sum() > seen.sum():
        seen = further
    return seen > 0


def walk_as_tuple(parents, tokens, choices):
    accepted, next_token = right_walk(parents, tokens, choices)
    return tuple(accepted), np.int64(next_token)


def walk_in_numpy(parents, tokens, choices):
    return list(map(np.array, right_walk(parents, tokens, choices)))


def walk_by_lookup(parents, tokens, choices):
    child_of = {(parent, token): child for child, (parent, token) in enumerate(zip(parents, tokens))}
    accepted, wanted = [], choices[0]
    child = child_of.get((-1, wanted))
    while child is not None:
        accepted.append(child)
        wanted = choices[1 + child]
        child = child_of.get((child, wanted))
    return [accepted, wanted]


def walk_in_one_pass(parents, tokens, choices):
    accepted, node = [], -1
    for child in range(len(parents)):
        if parents[child] == node and tokens[child] == choices[node + 1]:
            accepted.append(child)
            node = child
    return accepted, choices[node + 1]


def recursive_walk(parents, tokens, choices, node=-1):
    for child, (parent, token) in enumerate(zip(parents, tokens, strict=True)):
        if parent == node and token == choices[1 + node]:
            below, next_token = recursive_walk(parents, tokens, choices, child)
            return [child, *below], next_token
    return [], choices[1 + node]


RIGHT = {
    "normalize_fusion_weights": [
        filled("normalize_fusion_weights"),
        normalize_fusion_weights,
        exact_shares,
        recursive_shares,
        shares_one_by_one,
        shares_of,
    ],
    "fuse_layer_features": [
        filled("fuse_layer_features"),
        fuse_layer_features,
        numpy_fusion,
        numpy_scalars,
        by_hand,
        fused_by_index,
        fused_with_zip,
    ],
    "score_candidate_tree": [
        filled("score_candidate_tree"),
        score_candidate_tree,
        recursive_tree,
        tree_in_one_pass,
        numpy_tree,
        summed_along_the_path,
    ],
    "accepted_prefix": [
        accepted_prefix,
        index_of_the_break,
        prefix_while_it_lasts,
        prefix_from_a_generator,
        numpy_prefix,
        recursive_prefix,
    ],
    "tree_attention_mask": [
        right_mask,
        mask_of_sets,
        mask_walked_up,
        mask_asked_for_each_cell,
        closure,
        lambda parents: right_mask(parents).tolist(),
    ],
    "verify_tree": [
        right_walk,
        walk_as_tuple,
        walk_by_lookup,
        walk_in_one_pass,
        walk_in_numpy,
        recursive_walk,
    ],
}
RIGHT["candidate_tree_contract"] = RIGHT["score_candidate_tree"]
