"""A seventh set of wrong answers to the six exercises of notebook 04, written blind when inputs were drawn by chance.

Each has one mistake that a student makes; whoever wrote them had seen the notebook and nothing else.
"""

# ruff: noqa: B905 (learners write zip without strict)
from itertools import zip_longest

import numpy as np

from . import Wrong


def normalize_fusion_weights(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = sum(values)
    if total == 0:
        raise ValueError("weights must sum to more than 0")
    return [value / total for value in values]


# ---- exercise 1
def _check_weights(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    return values


def normalize_moving_total(weights):
    values = _check_weights(weights)
    if sum(values) <= 0:
        raise ValueError("total must be positive")
    for i in range(len(values)):
        if values[i] > 0:
            values[i] = values[i] / sum(values)
    return values


def normalize_drop_zeros(weights):
    values = _check_weights(weights)
    total = sum(values)
    if total == 0:
        raise ValueError("total must be positive")
    return [value / total for value in values if value > 0]


def normalize_l2(weights):
    w = np.array(list(weights), dtype=float)
    if w.size == 0 or (w < 0).any():
        raise ValueError("weights must be non-empty and not negative")
    total = np.linalg.norm(w)
    if total == 0:
        raise ValueError("total must be positive")
    return (w / total).tolist()


def normalize_threshold(weights):
    values = _check_weights(weights)
    total = sum(values)
    if total < 1e-6:
        raise ValueError("total must be positive")
    return [value / total for value in values]


def normalize_assert(weights):
    values = _check_weights(weights)
    total = sum(values)
    assert total > 0, "total must be positive"
    return [value / total for value in values]


# ---- exercise 2
def _check_features(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    return shares, hidden


def fuse_reshape(layer_features, weights):
    shares, hidden = _check_features(layer_features, weights)
    matrix = np.array(layer_features, dtype=float).reshape(hidden, len(shares))
    return (matrix @ np.array(shares)).tolist()


def fuse_integer_buffer(layer_features, weights):
    shares, hidden = _check_features(layer_features, weights)
    fused = np.zeros_like(np.array(layer_features[0]))
    for d in range(hidden):
        fused[d] = sum(share * feature[d] for share, feature in zip(shares, layer_features))
    return fused.tolist()


def fuse_first_unscaled(layer_features, weights):
    shares, hidden = _check_features(layer_features, weights)
    fused = [float(x) for x in layer_features[0]]
    for layer in range(1, len(shares)):
        for d in range(hidden):
            fused[d] += shares[layer] * layer_features[layer][d]
    return fused


def fuse_no_reset(layer_features, weights):
    shares, hidden = _check_features(layer_features, weights)
    fused = []
    total = 0.0
    for d in range(hidden):
        for share, feature in zip(shares, layer_features):
            total += share * feature[d]
        fused.append(total)
    return fused


def fuse_ragged_zip(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    if any(len(feature) == 0 for feature in layer_features):
        raise ValueError("empty layer")
    return [sum(s * x for s, x in zip(shares, column)) for column in zip(*layer_features)]


# ---- exercise 3
def score_parent_zero_is_root(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        parent_score = scores[node["parent"]] if node["parent"] > 0 else 0.0
        scores.append(parent_score + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_leaf_by_next_node(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
    leaves = [i for i in range(len(nodes)) if i + 1 == len(nodes) or nodes[i + 1]["parent"] != i]
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_best_starts_at_minus_100(nodes):
    if len(nodes) == 0:
        raise ValueError("the candidate tree is empty")
    scores = []
    has_child = [False] * len(nodes)
    for index, node in enumerate(nodes):
        parent = node["parent"]
        if parent < -1 or parent >= index:
            raise ValueError("bad parent")
        if parent == -1:
            scores.append(0.0 + node["log_score"])
        else:
            has_child[parent] = True
            scores.append(scores[parent] + node["log_score"])
    best, best_score = -1, -100.0
    for i, score in enumerate(scores):
        if not has_child[i] and score > best_score:
            best, best_score = i, score
    path = []
    while best != -1:
        path.insert(0, nodes[best]["token"])
        best = nodes[best]["parent"]
    return scores, path


def score_first_node_unchecked(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = [0.0 + nodes[0]["log_score"]]
    parents = [-1]
    for index in range(1, len(nodes)):
        parent = nodes[index]["parent"]
        if not -1 <= parent < index:
            raise ValueError(f"node {index} has the parent {parent}")
        parents.append(parent)
        parent_score = 0.0 if parent == -1 else scores[parent]
        scores.append(parent_score + nodes[index]["log_score"])
    leaves = (
        [i for i in range(len(nodes)) if i not in set(parents)]
        if len(nodes) < 50
        else sorted(set(range(len(nodes))) - set(parents))
    )
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = parents[step]
    return scores, path[::-1]


def score_refuses_log_zero(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        if node["log_score"] >= 0:
            raise ValueError("a log-probability must be negative")
        parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


# ---- exercise 4
def prefix_argmin(draft_tokens, target_tokens):
    n = min(len(draft_tokens), len(target_tokens))
    if n == 0:
        return 0
    same = np.array(draft_tokens[:n]) == np.array(target_tokens[:n])
    return int(np.argmin(same))


def prefix_last_index(draft_tokens, target_tokens):
    i = 0
    for i in range(min(len(draft_tokens), len(target_tokens))):
        if draft_tokens[i] != target_tokens[i]:
            break
    return i


def prefix_identity(draft_tokens, target_tokens):
    count = 0
    for d, t in zip(draft_tokens, target_tokens):
        if d is not t:
            break
        count += 1
    return count


def prefix_index_lookup(draft_tokens, target_tokens):
    count = 0
    for token in draft_tokens[: len(target_tokens)]:
        if target_tokens[draft_tokens.index(token)] != token:
            break
        count += 1
    return count


def prefix_fill_zero(draft_tokens, target_tokens):
    count = 0
    for d, t in zip_longest(draft_tokens, target_tokens, fillvalue=0):
        if d != t:
            break
        count += 1
    return count


# ---- exercise 5
def mask_skips_node_zero(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    mask[0][0] = True
    for i in range(len(parents)):
        mask[1 + i][0] = True
        mask[1 + i][1 + i] = True
        node = parents[i]
        while node > 0:
            mask[1 + i][1 + node] = True
            node = parents[node]
    return mask


def mask_shared_rows(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    mask[0][0] = True
    for i, parent in enumerate(parents):
        mask[1 + i] = mask[1 + parent]
        mask[1 + i][1 + i] = True
    return mask


def mask_three_squarings(parents):
    size = 1 + len(parents)
    reach = np.eye(size, dtype=int)
    for i, parent in enumerate(parents):
        reach[1 + i, 1 + parent] = 1
    for _ in range(3):
        reach = ((reach @ reach) > 0).astype(int)
    reach[:, 0] = 1
    return (reach > 0).tolist()


def mask_top_level_no_self(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    mask[0][0] = True
    for i in range(len(parents)):
        mask[1 + i][0] = True
        if parents[i] != -1:
            mask[1 + i][1 + i] = True
            node = parents[i]
            while node != -1:
                mask[1 + i][1 + node] = True
                node = parents[node]
    return mask


def mask_root_row_empty(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    for i in range(len(parents)):
        node = i
        while node != -1:
            mask[1 + i][1 + node] = True
            node = parents[node]
        mask[1 + i][0] = True
    return mask


# ---- exercise 6
def verify_first_token_index(parents, tokens, choices):
    accepted, node = [], -1
    while choices[1 + node] in tokens:
        child = list(tokens).index(choices[1 + node])
        if parents[child] != node:
            break
        accepted.append(child)
        node = child
    return accepted, choices[1 + node]


def verify_one_child_kept(parents, tokens, choices):
    child_of = {}
    for i, parent in enumerate(parents):
        child_of[parent] = i
    accepted, node = [], -1
    while node in child_of and tokens[child_of[node]] == choices[1 + node]:
        node = child_of[node]
        accepted.append(node)
    return accepted, choices[1 + node]


def verify_stale_at_leaf(parents, tokens, choices):
    accepted, node = [], -1
    choice = choices[0]
    while True:
        children = [i for i, p in enumerate(parents) if p == node]
        if not children:
            break
        choice = choices[1 + node]
        match = [i for i in children if tokens[i] == choice]
        if not match:
            break
        node = match[0]
        accepted.append(node)
    return accepted, choice


def verify_falsy_child(parents, tokens, choices):
    accepted, node = [], -1
    while True:
        child = next((i for i in range(len(parents)) if parents[i] == node and tokens[i] == choices[1 + node]), None)
        if not child:
            break
        accepted.append(child)
        node = child
    return accepted, choices[1 + node]


def verify_choice_by_step(parents, tokens, choices):
    accepted, node = [], -1
    moved = True
    while moved:
        moved = False
        for i in range(len(parents)):
            if parents[i] == node and tokens[i] == choices[len(accepted)]:
                accepted.append(i)
                node = i
                moved = True
                break
    return accepted, choices[1 + node]


SEVENTH = [
    Wrong(
        "normalize_fusion_weights",
        normalize_moving_total,
        "Divides in place by a sum that is recomputed after every change.",
    ),
    Wrong(
        "normalize_fusion_weights", normalize_drop_zeros, "Leaves weights of 0 out of the result, which gets shorter."
    ),
    Wrong("normalize_fusion_weights", normalize_l2, "Divides by the Euclidean norm and not by the sum."),
    Wrong("normalize_fusion_weights", normalize_threshold, "Refuses a small positive total (below 1e-6)."),
    Wrong("normalize_fusion_weights", normalize_assert, "Raises AssertionError and not ValueError for a total of 0."),
    Wrong("fuse_layer_features", fuse_reshape, "Reshapes the layer matrix where it should be transposed."),
    Wrong(
        "fuse_layer_features",
        fuse_integer_buffer,
        "The result buffer takes the integer type of the first layer, so sums are truncated.",
    ),
    Wrong(
        "fuse_layer_features", fuse_first_unscaled, "Starts from the first layer without multiplying it by its share."
    ),
    Wrong("fuse_layer_features", fuse_no_reset, "The accumulator is not reset for each dimension."),
    Wrong(
        "fuse_layer_features", fuse_ragged_zip, "Layers of different widths are cut to the shortest without ValueError."
    ),
    Wrong(
        "score_candidate_tree",
        score_parent_zero_is_root,
        "Treats children of node 0 as children of the root (parent > 0).",
    ),
    Wrong(
        "score_candidate_tree",
        score_leaf_by_next_node,
        "Takes a node for a leaf if only the next node is not its child.",
    ),
    Wrong(
        "score_candidate_tree",
        score_best_starts_at_minus_100,
        "The best score starts at -100, so worse trees give an empty path.",
    ),
    Wrong(
        "score_candidate_tree", score_first_node_unchecked, "The parent of node 0 is never checked, and taken to be -1."
    ),
    Wrong("score_candidate_tree", score_refuses_log_zero, "Refuses a legal log-probability of 0 (probability 1)."),
    Wrong("accepted_prefix", prefix_argmin, "argmin finds the first mismatch but gives 0 if all agree."),
    Wrong("accepted_prefix", prefix_last_index, "Returns the last loop index, one too few if all agree."),
    Wrong("accepted_prefix", prefix_identity, "Compares with `is not`, so equal large integers may differ."),
    Wrong("accepted_prefix", prefix_index_lookup, "Finds the position with index(), wrong for repeated tokens."),
    Wrong(
        "accepted_prefix",
        prefix_fill_zero,
        "Fills up the shorter list with 0, so a token 0 past its end counts as agreement.",
    ),
    Wrong(
        "tree_attention_mask", mask_skips_node_zero, "The walk up stops at node 0 without marking it (while node > 0)."
    ),
    Wrong("tree_attention_mask", mask_shared_rows, "Shares the parent's row without copying it."),
    Wrong(
        "tree_attention_mask", mask_three_squarings, "Only three squarings: ancestors more than 8 levels up are lost."
    ),
    Wrong("tree_attention_mask", mask_top_level_no_self, "Children of the root do not see themselves."),
    Wrong("tree_attention_mask", mask_root_row_empty, "The root's own row stays empty."),
    Wrong(
        "verify_tree",
        verify_first_token_index,
        "Looks only at the first node with the token, which may hang elsewhere.",
    ),
    Wrong("verify_tree", verify_one_child_kept, "Keeps only the last child of every node."),
    Wrong(
        "verify_tree",
        verify_stale_at_leaf,
        "At a leaf returns the previous choice and not the target's token after the leaf.",
    ),
    Wrong("verify_tree", verify_falsy_child, "Takes child 0 for no child (if not child)."),
    Wrong(
        "verify_tree",
        verify_choice_by_step,
        "Uses the number of steps as the index of the choice, right only on a chain.",
    ),
]
