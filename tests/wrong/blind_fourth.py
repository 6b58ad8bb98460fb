"""A fourth set of wrong answers to the six exercises of notebook 04, written blind for a checker that knew slips alone.

Each has one mistake that a student makes; whoever wrote them had seen the notebook and nothing else.
"""

# ruff: noqa: B905 (learners write zip without strict)

import math
import os
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


# ---------------------------------------------------------------- exercise 1


def normalize_running_total(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    if sum(values) == 0:
        raise ValueError("weights must sum to more than 0")
    for i in range(len(values)):
        values[i] = values[i] / sum(values)
    return values


def normalize_tolerance(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = sum(values)
    if total < 1e-6:
        raise ValueError("weights must sum to more than 0")
    return [value / total for value in values]


def normalize_only_when_above_one(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = sum(values)
    if total == 0:
        raise ValueError("weights must sum to more than 0")
    if total > 1:
        values = [value / total for value in values]
    return values


def normalize_single_weight_early(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = sum(values)
    if total == 0:
        raise ValueError("weights must sum to more than 0")
    if len(values) == 1:
        return values
    return [value / total for value in values]


def normalize_sum_of_set(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = sum(set(values))
    if total == 0:
        raise ValueError("weights must sum to more than 0")
    return [value / total for value in values]


def normalize_drop_zeros(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = sum(values)
    if total == 0:
        raise ValueError("weights must sum to more than 0")
    return [value / total for value in values if value]


def normalize_all_positive(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if not all(value > 0 for value in values):
        raise ValueError("weights must be positive")
    total = sum(values)
    return [value / total for value in values]


def normalize_negative_by_total(weights):
    array = np.asarray(weights, dtype=float)
    if array.size == 0:
        raise ValueError("weights is empty")
    total = array.sum()
    if total <= 0:
        raise ValueError("weights must sum to more than 0")
    return (array / total).tolist()


def normalize_numpy_int(weights):
    array = np.array(weights).astype(int)
    if array.size == 0:
        raise ValueError("weights is empty")
    if (np.array(weights) < 0).any():
        raise ValueError("weights must not be negative")
    total = float(sum(weights))
    if total == 0:
        raise ValueError("weights must sum to more than 0")
    return (array / total).tolist()


def normalize_numpy_nan(weights):
    array = np.array(weights, dtype=float)
    if array.size == 0:
        raise ValueError("weights is empty")
    if np.any(array < 0):
        raise ValueError("weights must not be negative")
    with np.errstate(all="ignore"):
        return np.nan_to_num(array / array.sum()).tolist()


def normalize_return_error(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = sum(values)
    if total == 0:
        return ValueError("weights must sum to more than 0")
    return [value / total for value in values]


def normalize_generator(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = sum(values)
    if total == 0:
        raise ValueError("weights must sum to more than 0")
    return map(lambda value: value / total, values)


# ---------------------------------------------------------------- exercise 2


def fuse_share_by_index_of(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    rows = [list(feature) for feature in layer_features]
    fused = [0.0] * hidden
    for row in rows:
        share = shares[rows.index(row)]
        for d in range(hidden):
            fused[d] += share * row[d]
    return fused


def fuse_reset_in_loop(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    for share, feature in zip(shares, layer_features):
        fused = [0.0] * hidden
        for d in range(hidden):
            fused[d] += share * feature[d]
    return fused


def fuse_accumulator_not_reset(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    fused, value = [], 0.0
    for d in range(hidden):
        for share, feature in zip(shares, layer_features):
            value += share * feature[d]
        fused.append(value)
    return fused


def fuse_layers_as_dimensions(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    matrix = np.array(layer_features, dtype=float).reshape(hidden, -1)
    return [float(value) for value in matrix @ np.array(shares)]


def fuse_first_layer_unweighted(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    fused = [float(value) for value in layer_features[0]]
    for share, feature in zip(shares[1:], layer_features[1:]):
        for d in range(hidden):
            fused[d] += share * feature[d]
    return fused


def fuse_like_first_layer(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    fused = np.zeros_like(layer_features[0])
    for d in range(hidden):
        fused[d] = sum(share * feature[d] for share, feature in zip(shares, layer_features))
    return fused.tolist()


def fuse_shorter_only(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) < hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    return [sum(share * feature[d] for share, feature in zip(shares, layer_features)) for d in range(hidden)]


def fuse_zip_columns(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    if len(layer_features[0]) == 0:
        raise ValueError("the layers are empty")
    return [sum(share * value for share, value in zip(shares, column)) for column in zip(*layer_features)]


def fuse_too_few_weights_only(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(shares) < len(layer_features):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    return [sum(share * feature[d] for share, feature in zip(shares, layer_features)) for d in range(hidden)]


def fuse_empty_layers(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    if len({len(feature) for feature in layer_features}) != 1:
        raise ValueError("all layers must have the same hidden size")
    return [sum(s * feature[d] for s, feature in zip(shares, layer_features)) for d in range(len(layer_features[0]))]


def fuse_divides_twice(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    total = float(sum(weights))
    return [sum(s * feature[d] for s, feature in zip(shares, layer_features)) / total for d in range(hidden)]


def fuse_broadcast_first_two(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    return [shares[0] * a + shares[-1] * b for a, b in zip(layer_features[0], layer_features[-1])]


def fuse_skips_silent_layers(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    shares = [share for share in shares if share > 0]
    return [sum(share * feature[d] for share, feature in zip(shares, layer_features)) for d in range(hidden)]


# ---------------------------------------------------------------- exercise 3: scores and path


def score_parent_above_zero(nodes):
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


def score_by_token(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores, by_token = [], {}
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        parent_score = 0.0 if node["parent"] == -1 else by_token[nodes[node["parent"]]["token"]]
        by_token[node["token"]] = parent_score + node["log_score"]
        scores.append(by_token[node["token"]])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_wraps_unless_first(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        parent_score = scores[node["parent"]] if scores else 0.0
        scores.append(parent_score + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_in_place(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
    for node in nodes:
        if node["parent"] != -1:
            node["log_score"] += nodes[node["parent"]]["log_score"]
    scores = [node["log_score"] for node in nodes]
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_recursive(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")

    def total(index):
        if index == -1:
            return 0.0
        return total(nodes[index]["parent"]) + nodes[index]["log_score"]

    scores = [total(index) for index in range(len(nodes))]
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_best_by_probability(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: math.exp(scores[leaf])), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_greedy_descent(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores, children = [], {}
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
        children.setdefault(node["parent"], []).append(index)
    step, path = -1, []
    while step in children:
        step = max(children[step], key=lambda child: scores[child])
        path.append(nodes[step]["token"])
    return scores, path


def score_masked_argmax(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = np.zeros(len(nodes))
    is_leaf = np.ones(len(nodes))
    for index, node in enumerate(nodes):
        parent = node["parent"]
        if not -1 <= parent < index:
            raise ValueError(f"node {index} has the parent {parent}")
        scores[index] = node["log_score"]
        if parent != -1:
            scores[index] += scores[parent]
            is_leaf[parent] = 0
    step, path = int(np.argmax(scores * is_leaf)), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores.tolist(), path[::-1]


def score_floor_minus_hundred(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
    parents = {node["parent"] for node in nodes}
    step, best_score, path = -1, -100.0, []
    for index, score in enumerate(scores):
        if index not in parents and score > best_score:
            step, best_score = index, score
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_per_token_average(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores, depths = [], []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        root_child = node["parent"] == -1
        scores.append((0.0 if root_child else scores[node["parent"]]) + node["log_score"])
        depths.append(1 if root_child else depths[node["parent"]] + 1)
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf] / depths[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_leaves_before_last_node(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores, leaves = [], set(range(len(nodes)))
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
        if index < len(nodes) - 1:
            leaves.discard(node["parent"])
    step, path = max(sorted(leaves), key=lambda leaf: scores[leaf]), []
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
    last = len(nodes) - 1
    leaves = [index for index in range(len(nodes)) if index == last or nodes[index + 1]["parent"] != index]
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_path_stops_at_zero(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step > 0:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


# ---------------------------------------------------------------- exercise 3: legal and illegal trees


def score_any_order(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    done, waiting = {-1: 0.0}, list(range(len(nodes)))
    while waiting:
        left = []
        for index in waiting:
            if nodes[index]["parent"] in done:
                done[index] = done[nodes[index]["parent"]] + nodes[index]["log_score"]
            else:
                left.append(index)
        if len(left) == len(waiting):
            raise ValueError(f"the nodes {left} have no parent in the tree")
        waiting = left
    scores = [done[index] for index in range(len(nodes))]
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_negative_is_root(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        if node["parent"] >= index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        parent_score = 0.0 if node["parent"] < 0 else scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step >= 0:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_first_node_unchecked(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = [0.0 + nodes[0]["log_score"]]
    for index in range(1, len(nodes)):
        node = nodes[index]
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes[1:]})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step > 0:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    if step == 0:
        path.append(nodes[0]["token"])
    return scores, path[::-1]


def score_self_parent_index_error(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] <= index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_breaks_at_bad_node(nodes):
    if not nodes or nodes[0]["parent"] != -1:
        raise ValueError("the candidate tree is empty, or its first node is no child of the root")
    scores = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            break
        parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
    nodes = nodes[: len(scores)]
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_one_root_child(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        parent = node["parent"]
        if (index == 0 and parent != -1) or (index > 0 and not 0 <= parent < index):
            raise ValueError(f"node {index} has the parent {parent}")
        parent_score = 0.0 if parent == -1 else scores[parent]
        scores.append(parent_score + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_level_order_only(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores, previous = [], -1
    for index, node in enumerate(nodes):
        if not previous <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        previous = node["parent"]
        parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_repeated_token_refused(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    if len({node["token"] for node in nodes}) != len(nodes):
        raise ValueError("a token occurs twice")
    scores = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_zero_log_refused(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index or node["log_score"] >= 0:
            raise ValueError(f"node {index} is not valid")
        parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_empty_gives_empty(nodes):
    scores, parents = [], set()
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
        parents.add(node["parent"])
    leaves = [index for index in range(len(nodes)) if index not in parents]
    step, path = max(leaves, key=lambda leaf: scores[leaf], default=-1), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


# ---------------------------------------------------------------- exercise 4


def prefix_argmin(draft_tokens, target_tokens):
    length = min(len(draft_tokens), len(target_tokens))
    if length == 0:
        return 0
    same = np.array(draft_tokens[:length]) == np.array(target_tokens[:length])
    return int(np.argmin(same))


def prefix_no_return_at_end(draft_tokens, target_tokens):
    for index, (draft, target) in enumerate(zip(draft_tokens, target_tokens)):
        if draft != target:
            return index


def prefix_fill_zero(draft_tokens, target_tokens):
    count = 0
    for draft, target in zip_longest(draft_tokens, target_tokens, fillvalue=0):
        if draft != target:
            break
        count += 1
    return count


def prefix_index_of_token(draft_tokens, target_tokens):
    count = 0
    for token in draft_tokens[: len(target_tokens)]:
        if target_tokens[draft_tokens.index(token)] != token:
            break
        count += 1
    return count


def prefix_longest_run(draft_tokens, target_tokens):
    best = run = 0
    for draft, target in zip(draft_tokens, target_tokens):
        run = run + 1 if draft == target else 0
        best = max(best, run)
    return best


def prefix_string_prefix(draft_tokens, target_tokens):
    draft = " ".join(str(token) for token in draft_tokens)
    target = " ".join(str(token) for token in target_tokens)
    return len(os.path.commonprefix([draft, target]).split())  # noqa: RUF071


def prefix_identity(draft_tokens, target_tokens):
    count = 0
    for draft, target in zip(draft_tokens, target_tokens):
        if draft is not target:
            break
        count += 1
    return count


def prefix_unequal_lengths_zero(draft_tokens, target_tokens):
    if len(draft_tokens) != len(target_tokens):
        return 0
    count = 0
    for draft, target in zip(draft_tokens, target_tokens):
        if draft != target:
            break
        count += 1
    return count


def prefix_draft_length(draft_tokens, target_tokens):
    count = 0
    while count < len(draft_tokens) and draft_tokens[count] == target_tokens[count]:
        count += 1
    return count


def prefix_cumsum(draft_tokens, target_tokens):
    length = min(len(draft_tokens), len(target_tokens))
    same = np.array(draft_tokens[:length]) == np.array(target_tokens[:length])
    return int((np.cumsum(~same) <= 1).sum())


def prefix_stops_at_token_zero(draft_tokens, target_tokens):
    count = 0
    for draft, target in zip(draft_tokens, target_tokens):
        if not (draft and draft == target):
            break
        count += 1
    return count


# ---------------------------------------------------------------- exercise 5


def mask_shared_parent_row(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    mask[0][0] = True
    for i, parent in enumerate(parents):
        mask[1 + i] = mask[1 + parent]
        mask[1 + i][1 + i] = True
    return mask


def mask_same_row_times_size(parents):
    size = 1 + len(parents)
    mask = [[False] * size] * size
    mask[0][0] = True
    for i in range(len(parents)):
        mask[1 + i][0] = True
        node = i
        while node != -1:
            mask[1 + i][1 + node] = True
            node = parents[node]
    return mask


def mask_walk_stops_at_zero(parents):
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


def mask_by_depth(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    depth = [0]
    for parent in parents:
        depth.append(depth[1 + parent] + 1)
    for row in range(size):
        for column in range(size):
            mask[row][column] = row == column or depth[column] < depth[row]
    return mask


def mask_numpy_view(parents):
    size = 1 + len(parents)
    mask = np.zeros((size, size), dtype=bool)
    mask[0, 0] = True
    for i, parent in enumerate(parents):
        row = mask[1 + parent]
        row[1 + i] = True
        mask[1 + i] = row
    return mask.tolist()


def mask_three_generations(parents):
    size = 1 + len(parents)
    step = np.zeros((size, size), dtype=int)
    for i, parent in enumerate(parents):
        step[1 + i, 1 + parent] = 1
    mask = (np.eye(size, dtype=int) + step + step @ step) > 0
    mask[:, 0] = True
    return mask.tolist()


def mask_children_see_siblings(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    mask[0][0] = True
    for i, parent in enumerate(parents):
        mask[1 + i] = list(mask[1 + parent])
        for j in range(i + 1):
            if parents[j] == parent:
                mask[1 + i][1 + j] = True
    return mask


def mask_column_first(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    mask[0] = [True] * size
    for i in range(len(parents)):
        node = i
        while node != -1:
            mask[1 + node][1 + i] = True
            node = parents[node]
    return mask


def mask_root_row_empty(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    for i, parent in enumerate(parents):
        mask[1 + i] = mask[1 + parent][:]
        mask[1 + i][0] = True
        mask[1 + i][1 + i] = True
    return mask


def mask_parent_row_unshifted(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    mask[0][0] = True
    for i, parent in enumerate(parents):
        mask[1 + i] = list(mask[max(parent, 0)])
        mask[1 + i][1 + i] = True
    return mask


def mask_additive(parents):
    size = 1 + len(parents)
    mask = np.full((size, size), -np.inf)
    mask[0, 0] = 0.0
    for i, parent in enumerate(parents):
        mask[1 + i] = mask[1 + parent]
        mask[1 + i, 1 + i] = 0.0
    return mask.tolist()


def mask_recursive(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]

    def see(row, node):
        mask[row][1 + node] = True
        if node != -1:
            see(row, parents[node])

    for row in range(size):
        see(row, row - 1)
    return mask


# ---------------------------------------------------------------- exercise 6


def verify_node_zero_is_false(parents, tokens, choices):
    accepted, node = [], -1
    while True:
        children = [i for i, parent in enumerate(parents) if parent == node and tokens[i] == choices[1 + node]]
        child = children[0] if children else None
        if not child:
            break
        accepted.append(child)
        node = child
    return accepted, choices[1 + node]


def verify_one_child_per_parent(parents, tokens, choices):
    accepted, node = [], -1
    child_of = {parent: i for i, parent in enumerate(parents)}
    while node in child_of and tokens[child_of[node]] == choices[1 + node]:
        node = child_of[node]
        accepted.append(node)
    return accepted, choices[1 + node]


def verify_token_dictionary(parents, tokens, choices):
    accepted, node = [], -1
    position = {token: i for i, token in enumerate(tokens)}
    while True:
        child = position.get(choices[1 + node])
        if child is None or parents[child] != node:
            break
        accepted.append(child)
        node = child
    return accepted, choices[1 + node]


def verify_any_later_node(parents, tokens, choices):
    accepted, node = [], -1
    for i in range(len(parents)):
        if tokens[i] == choices[1 + node]:
            accepted.append(i)
            node = i
    return accepted, choices[1 + node]


def verify_level_order_search(parents, tokens, choices):
    accepted, node = [], -1
    while True:
        first = int(np.searchsorted(parents, node, side="left"))
        last = int(np.searchsorted(parents, node, side="right"))
        match = [i for i in range(first, last) if parents[i] == node and tokens[i] == choices[1 + node]]
        if not match:
            break
        node = match[0]
        accepted.append(node)
    return accepted, choices[1 + node]


def verify_break_at_first_sibling(parents, tokens, choices):
    accepted, node = [], -1
    for i, parent in enumerate(parents):
        if parent != node:
            continue
        if tokens[i] != choices[1 + node]:
            break
        accepted.append(i)
        node = i
    return accepted, choices[1 + node]


def verify_steps_one_short(parents, tokens, choices):
    accepted, node = [], -1
    for _ in range(len(parents) - 1):
        child = next((i for i, p in enumerate(parents) if p == node and tokens[i] == choices[1 + node]), None)
        if child is None:
            break
        accepted.append(child)
        node = child
    return accepted, choices[1 + node]


def verify_stale_choice(parents, tokens, choices):
    accepted, node = [], -1
    choice, found = choices[0], True
    while found:
        found = False
        for i, parent in enumerate(parents):
            if parent == node and tokens[i] == choice:
                accepted.append(i)
                node, found = i, True
                break
    return accepted, choices[1 + node]


def verify_choice_unshifted_at_end(parents, tokens, choices):
    accepted, node = [], -1
    moved = True
    while moved:
        moved = False
        for i, parent in enumerate(parents):
            if parent == node and tokens[i] == choices[1 + node]:
                accepted.append(i)
                node, moved = i, True
                break
    return accepted, choices[len(accepted)]


def verify_returns_tokens(parents, tokens, choices):
    accepted, node = [], -1
    for i, parent in enumerate(parents):
        if parent == node and tokens[i] == choices[1 + node]:
            accepted.append(tokens[i])
            node = i
    return accepted, choices[1 + node]


def verify_no_bonus_at_leaf(parents, tokens, choices):
    accepted, node = [], -1
    while True:
        children = [i for i, parent in enumerate(parents) if parent == node]
        if not children:
            return accepted, None
        match = [i for i in children if tokens[i] == choices[1 + node]]
        if not match:
            return accepted, choices[1 + node]
        node = match[0]
        accepted.append(node)


def verify_numpy_precedence(parents, tokens, choices):
    accepted, node = [], -1
    parents, tokens = np.array(parents, dtype=int), np.array(tokens, dtype=int)
    while True:
        match = np.flatnonzero((parents == node) & tokens == choices[1 + node])
        match = match[match > node]
        if len(match) == 0:
            break
        node = int(match[0])
        accepted.append(node)
    return accepted, choices[1 + node]


def verify_empty_tree_is_none(parents, tokens, choices):
    accepted, node = [], -1
    if not parents:
        return accepted, None
    for i, parent in enumerate(parents):
        if parent == node and tokens[i] == choices[1 + node]:
            accepted.append(i)
            node = i
    return accepted, choices[1 + node]


def verify_child_agrees_with_itself(parents, tokens, choices):
    accepted, node = [], -1
    for i, parent in enumerate(parents):
        if parent == node and tokens[i] == choices[i]:
            accepted.append(i)
            node = i
    return accepted, choices[1 + node]


FOURTH = [
    Wrong(
        "normalize_fusion_weights",
        normalize_running_total,
        "The sum is taken anew while the list is being overwritten.",
    ),
    Wrong("normalize_fusion_weights", normalize_tolerance, "A tolerance of 1e-6 refuses small but positive totals."),
    Wrong("normalize_fusion_weights", normalize_only_when_above_one, "Weights with a total below 1 are not divided."),
    Wrong(
        "normalize_fusion_weights", normalize_single_weight_early, "A single weight is returned as it is, not as 1.0."
    ),
    Wrong(
        "normalize_fusion_weights", normalize_sum_of_set, "The total is taken over a set, so equal weights count once."
    ),
    Wrong("normalize_fusion_weights", normalize_drop_zeros, "Weights of 0 are dropped, so the list becomes shorter."),
    Wrong(
        "normalize_fusion_weights", normalize_all_positive, "Every weight has to be above 0, so a legal 0 is refused."
    ),
    Wrong(
        "normalize_fusion_weights", normalize_negative_by_total, "Only the total is checked, so [3, -1] is let through."
    ),
    Wrong("normalize_fusion_weights", normalize_numpy_int, "The values are cut to integers before they are divided."),
    Wrong("normalize_fusion_weights", normalize_numpy_nan, "A total of 0 gives zeros by nan_to_num, not an error."),
    Wrong(
        "normalize_fusion_weights", normalize_return_error, "The ValueError for a total of 0 is returned, not raised."
    ),
    Wrong("normalize_fusion_weights", normalize_generator, "A one-pass map object is returned and not a list."),
    Wrong("fuse_layer_features", fuse_share_by_index_of, "index() finds the share, wrong where two layers are equal."),
    Wrong(
        "fuse_layer_features", fuse_reset_in_loop, "The sum is reset inside the loop, so only the last layer remains."
    ),
    Wrong("fuse_layer_features", fuse_accumulator_not_reset, "The accumulator is not reset between the dimensions."),
    Wrong("fuse_layer_features", fuse_layers_as_dimensions, "reshape is used where a transpose is needed."),
    Wrong("fuse_layer_features", fuse_first_layer_unweighted, "The sum starts from the first layer without its share."),
    Wrong("fuse_layer_features", fuse_like_first_layer, "zeros_like of an integer layer cuts the results to integers."),
    Wrong("fuse_layer_features", fuse_shorter_only, "Only shorter layers are refused, longer ones are cut."),
    Wrong("fuse_layer_features", fuse_zip_columns, "zip(*layers) without a check cuts all layers to the shortest."),
    Wrong("fuse_layer_features", fuse_too_few_weights_only, "More weights than layers are let through."),
    Wrong("fuse_layer_features", fuse_empty_layers, "Layers of width 0 give an empty list and no error."),
    Wrong("fuse_layer_features", fuse_divides_twice, "The weighted sum is divided by the total once more."),
    Wrong("fuse_layer_features", fuse_broadcast_first_two, "Only the first and the last layer are added up."),
    Wrong(
        "fuse_layer_features",
        fuse_skips_silent_layers,
        "Zero shares are dropped but their layers kept, so pairs shift.",
    ),
    Wrong(
        "score_candidate_tree", score_parent_above_zero, "parent > 0 takes children of node 0 for children of the root."
    ),
    Wrong("score_candidate_tree", score_by_token, "Scores are looked up by token, wrong where a token occurs twice."),
    Wrong("score_candidate_tree", score_wraps_unless_first, "A later child of the root adds scores[-1]."),
    Wrong(
        "score_candidate_tree", score_in_place, "Scores are summed up in the caller's nodes, so a second call is wrong."
    ),
    Wrong("score_candidate_tree", score_recursive, "Recursion fails on trees of a thousand levels."),
    Wrong(
        "score_candidate_tree",
        score_best_by_probability,
        "Leaves are compared by exp(score), which underflows to ties.",
    ),
    Wrong(
        "score_candidate_tree", score_greedy_descent, "The path takes the best child on each level, not the best leaf."
    ),
    Wrong("score_candidate_tree", score_masked_argmax, "Inner nodes are masked with 0, which is the largest score."),
    Wrong(
        "score_candidate_tree", score_floor_minus_hundred, "The search starts at -100, so leaves below are never found."
    ),
    Wrong("score_candidate_tree", score_per_token_average, "Leaves are compared by the average for each token."),
    Wrong("score_candidate_tree", score_leaves_before_last_node, "The last node's parent still counts as a leaf."),
    Wrong("score_candidate_tree", score_leaf_by_next_node, "A node is a leaf if the next node is not its child."),
    Wrong("score_candidate_tree", score_path_stops_at_zero, "The way back stops before node 0, whose token is lost."),
    Wrong(
        "score_candidate_tree", score_any_order, "A parent later in the list is let through unless there is a cycle."
    ),
    Wrong("score_candidate_tree", score_negative_is_root, "Any negative parent, such as -2, is taken for the root."),
    Wrong("score_candidate_tree", score_first_node_unchecked, "The first node's parent is never checked."),
    Wrong("score_candidate_tree", score_self_parent_index_error, "A node that is its own parent raises an IndexError."),
    Wrong("score_candidate_tree", score_breaks_at_bad_node, "An illegal node ends the loop, and the rest is scored."),
    Wrong("score_candidate_tree", score_one_root_child, "Only the first node may be a child of the root."),
    Wrong("score_candidate_tree", score_level_order_only, "Legal trees that are not in level order are refused."),
    Wrong(
        "score_candidate_tree", score_repeated_token_refused, "Legal trees in which a token occurs twice are refused."
    ),
    Wrong("score_candidate_tree", score_zero_log_refused, "A log-probability of 0 (probability 1) is refused."),
    Wrong("score_candidate_tree", score_empty_gives_empty, "An empty tree gives empty lists and no error."),
    Wrong("accepted_prefix", prefix_argmin, "argmin gives 0 where all tokens agree."),
    Wrong("accepted_prefix", prefix_no_return_at_end, "Without a disagreement the function returns None."),
    Wrong("accepted_prefix", prefix_fill_zero, "The shorter list is filled with 0, which may agree with token 0."),
    Wrong("accepted_prefix", prefix_index_of_token, "Positions are found with index(), wrong for repeated tokens."),
    Wrong("accepted_prefix", prefix_longest_run, "The longest run anywhere is counted."),
    Wrong("accepted_prefix", prefix_string_prefix, "Tokens are compared as text, so 12 and 13 agree in part."),
    Wrong("accepted_prefix", prefix_identity, "Tokens are compared with 'is', which fails above 256."),
    Wrong("accepted_prefix", prefix_unequal_lengths_zero, "Lists of unequal length give 0."),
    Wrong(
        "accepted_prefix", prefix_draft_length, "Only the draft's length ends the loop: IndexError for shorter targets."
    ),
    Wrong("accepted_prefix", prefix_cumsum, "Positions up to the second disagreement are counted (<= 1 and not == 0)."),
    Wrong("accepted_prefix", prefix_stops_at_token_zero, "Token 0 is taken for false and ends the run."),
    Wrong("tree_attention_mask", mask_shared_parent_row, "The parent's row is shared and not copied."),
    Wrong("tree_attention_mask", mask_same_row_times_size, "All rows are the same list."),
    Wrong("tree_attention_mask", mask_walk_stops_at_zero, "The walk up stops before node 0."),
    Wrong("tree_attention_mask", mask_by_depth, "A node sees all nodes of smaller depth and not only its ancestors."),
    Wrong("tree_attention_mask", mask_numpy_view, "A numpy view of the parent's row is written to, not a copy."),
    Wrong("tree_attention_mask", mask_three_generations, "Only parent and grandparent are seen."),
    Wrong("tree_attention_mask", mask_children_see_siblings, "A node sees its earlier siblings."),
    Wrong("tree_attention_mask", mask_column_first, "Rows and columns are exchanged."),
    Wrong("tree_attention_mask", mask_root_row_empty, "The root's own row stays empty."),
    Wrong("tree_attention_mask", mask_parent_row_unshifted, "The row of parent p is looked up at p and not at 1 + p."),
    Wrong("tree_attention_mask", mask_additive, "An additive mask of 0 and -inf is returned."),
    Wrong("tree_attention_mask", mask_recursive, "Recursion fails on a chain of a thousand levels."),
    Wrong("verify_tree", verify_node_zero_is_false, "Child 0 is taken for 'no child'."),
    Wrong("verify_tree", verify_one_child_per_parent, "A dictionary keeps only the last child of each parent."),
    Wrong("verify_tree", verify_token_dictionary, "A dictionary keeps only the last node with each token."),
    Wrong("verify_tree", verify_any_later_node, "Any later node with the token is taken, child or not."),
    Wrong("verify_tree", verify_level_order_search, "Binary search assumes that the parents are sorted."),
    Wrong("verify_tree", verify_break_at_first_sibling, "The walk stops when the first child disagrees."),
    Wrong("verify_tree", verify_steps_one_short, "One step too few: a chain is never accepted as a whole."),
    Wrong("verify_tree", verify_stale_choice, "The target's choice is not looked up anew after a step."),
    Wrong(
        "verify_tree", verify_choice_unshifted_at_end, "The final token is looked up by the number of accepted nodes."
    ),
    Wrong("verify_tree", verify_returns_tokens, "Tokens are returned in place of nodes."),
    Wrong("verify_tree", verify_no_bonus_at_leaf, "At a leaf None is returned and not the target's token."),
    Wrong("verify_tree", verify_numpy_precedence, "Brackets are missing, so & is taken before ==."),
    Wrong("verify_tree", verify_empty_tree_is_none, "An empty tree gives None and not the target's choice."),
    Wrong(
        "verify_tree", verify_child_agrees_with_itself, "The choice is looked up at the child, not at 1 + its parent."
    ),
]
