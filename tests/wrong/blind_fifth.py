"""A fifth set of wrong answers to the six exercises of notebook 04, written blind for slips and traits.

Each has one mistake that a student makes; whoever wrote them had seen the notebook and nothing else.
"""

# ruff: noqa: B905 (learners write zip without strict)

import math
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


def normalize_l2(weights):
    values = np.array([float(weight) for weight in weights])
    if values.size == 0:
        raise ValueError("weights is empty")
    if (values < 0).any():
        raise ValueError("weights must not be negative")
    norm = np.linalg.norm(values)
    if norm == 0:
        raise ValueError("weights must sum to more than 0")
    return (values / norm).tolist()


def normalize_in_place(weights):
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


def normalize_checks_total_only(weights):
    if len(weights) == 0:
        raise ValueError("weights is empty")
    total = float(sum(weights))
    if total <= 0:
        raise ValueError("weights must be positive")
    result = []
    for w in weights:
        result.append(w / total)
    return result


def normalize_refuses_any_zero(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    if not all(values):
        raise ValueError("weights must be above 0")
    total = sum(values)
    return [value / total for value in values]


def normalize_isclose_zero(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = sum(values)
    if np.isclose(total, 0):
        raise ValueError("weights must sum to more than 0")
    return [value / total for value in values]


def normalize_only_above_one(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = sum(values)
    if total <= 0:
        raise ValueError("weights must sum to more than 0")
    if total > 1:
        values = [value / total for value in values]
    return values


# ---------------------------------------------------------------- exercise 2


def fuse_loops_layers_as_dimensions(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    fused = []
    for d in range(len(layer_features)):
        value = 0.0
        for share, feature in zip(shares, layer_features):
            value += share * feature[d]
        fused.append(value)
    return fused


def fuse_zeros_like(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    fused = np.zeros_like(layer_features[0])
    for i in range(len(shares)):
        for d in range(hidden):
            fused[d] += shares[i] * layer_features[i][d]
    return fused.tolist()


def fuse_sum_not_reset(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    fused = []
    total = 0.0
    for d in range(hidden):
        for i, feature in enumerate(layer_features):
            total += shares[i] * feature[d]
        fused.append(total)
    return fused


def fuse_drops_zero_shares(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    used = [share for share in shares if share > 0]
    return [sum(share * feature[d] for share, feature in zip(used, layer_features)) for d in range(hidden)]


def fuse_compares_first_and_last_width(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    if len(layer_features[0]) == 0 or len(layer_features[0]) != len(layer_features[-1]):
        raise ValueError("all layers must have the same hidden size")
    return [sum(s * x for s, x in zip(shares, column)) for column in zip(*layer_features)]


def fuse_first_layer_unweighted(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    fused = [float(value) for value in layer_features[0]]
    for i in range(1, len(layer_features)):
        for d in range(hidden):
            fused[d] += shares[i] * layer_features[i][d]
    return fused


# ---------------------------------------------------------------- exercise 3


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


def score_by_probabilities(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    probs = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        parent_prob = 1.0 if node["parent"] == -1 else probs[node["parent"]]
        probs.append(parent_prob * math.exp(node["log_score"]))
        parent_score = math.log(parent_prob)
        scores.append(parent_score + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_greedy_descent(nodes):
    if len(nodes) == 0:
        raise ValueError("empty tree")
    scores = []
    children = {-1: []}
    for i, node in enumerate(nodes):
        p = node["parent"]
        if p < -1 or p >= i:
            raise ValueError("bad parent")
        scores.append(node["log_score"] + (scores[p] if p >= 0 else 0.0))
        children[p].append(i)
        children[i] = []
    path = []
    current = -1
    while children[current]:
        current = max(children[current], key=lambda c: scores[c])
        path.append(nodes[current]["token"])
    return scores, path


def score_leaf_if_next_is_no_child(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    best = None
    for index, node in enumerate(nodes):
        parent = node["parent"]
        if not -1 <= parent < index:
            raise ValueError(f"node {index} has the parent {parent}")
        scores.append(node["log_score"] if parent == -1 else scores[parent] + node["log_score"])
    for index in range(len(nodes)):
        is_leaf = index == len(nodes) - 1 or nodes[index + 1]["parent"] != index
        if is_leaf and (best is None or scores[index] > scores[best]):
            best = index
    path = []
    while best != -1:
        path.insert(0, nodes[best]["token"])
        best = nodes[best]["parent"]
    return scores, path


def score_checks_only_the_best_path(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = [0.0] * len(nodes)
    for index, node in enumerate(nodes):
        parent = node["parent"]
        if 0 <= parent < len(nodes):
            scores[index] = scores[parent] + node["log_score"]
        else:
            scores[index] = 0.0 + node["log_score"]
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        if not -1 <= nodes[step]["parent"] < step:
            raise ValueError(f"node {step} has the parent {nodes[step]['parent']}")
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_wants_sorted_parents(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    last_parent = -1
    for index, node in enumerate(nodes):
        if not last_parent <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        last_parent = node["parent"]
        parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


# ---------------------------------------------------------------- exercise 4


def prefix_longest_run(draft_tokens, target_tokens):
    best = run = 0
    for draft, target in zip(draft_tokens, target_tokens):
        if draft == target:
            run += 1
            best = max(best, run)
        else:
            run = 0
    return best


def prefix_bound_checked_last(draft_tokens, target_tokens):
    n = min(len(draft_tokens), len(target_tokens))
    i = 0
    while draft_tokens[i] == target_tokens[i] and i < n:
        i += 1
    return i


def prefix_identity(draft_tokens, target_tokens):
    count = 0
    for draft, target in zip(draft_tokens, target_tokens):
        if draft is not target:
            break
        count += 1
    return count


def prefix_padded_with_zero(draft_tokens, target_tokens):
    count = 0
    for draft, target in zip_longest(draft_tokens, target_tokens, fillvalue=0):
        if draft != target:
            break
        count += 1
    return count


def prefix_argmax(draft_tokens, target_tokens):
    n = min(len(draft_tokens), len(target_tokens))
    if n == 0:
        return 0
    differs = np.array(draft_tokens[:n]) != np.array(target_tokens[:n])
    return int(np.argmax(differs))


def prefix_position_by_index(draft_tokens, target_tokens):
    draft_tokens = list(draft_tokens)[: len(target_tokens)]
    count = 0
    for token in draft_tokens:
        position = draft_tokens.index(token)
        if target_tokens[position] != token:
            return count
        count += 1
    return count


# ---------------------------------------------------------------- exercise 5


def mask_shares_parent_row(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    mask[0][0] = True
    for i, parent in enumerate(parents):
        mask[1 + i] = mask[1 + parent]
        mask[1 + i][1 + i] = True
    return mask


def mask_walk_stops_at_node_zero(parents):
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


def mask_matrix_power(parents):
    size = 1 + len(parents)
    step = np.eye(size, dtype=np.int64)
    for i, parent in enumerate(parents):
        step[1 + i, 1 + parent] = 1
    reach = np.linalg.matrix_power(step, size)
    return (reach > 0).tolist()


def mask_root_row_inside_loop(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    for i, parent in enumerate(parents):
        mask[0][0] = True
        mask[1 + i] = list(mask[1 + parent])
        mask[1 + i][1 + i] = True
    return mask


def mask_two_generations(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    mask[0][0] = True
    for i, parent in enumerate(parents):
        row = mask[1 + i]
        row[0] = True
        row[1 + i] = True
        if parent != -1:
            row[1 + parent] = True
            grandparent = parents[parent]
            if grandparent != -1:
                row[1 + grandparent] = True
    return mask


def mask_by_depth(parents):
    depth = [0]
    for parent in parents:
        depth.append(depth[1 + parent] + 1)
    depth = np.array(depth)
    mask = depth[None, :] < depth[:, None]
    np.fill_diagonal(mask, True)
    return mask.tolist()


# ---------------------------------------------------------------- exercise 6


def verify_node_zero_is_false(parents, tokens, choices):
    accepted, node = [], -1
    while True:
        child = next((i for i, p in enumerate(parents) if p == node and tokens[i] == choices[1 + node]), None)
        if not child:
            break
        accepted.append(child)
        node = child
    return accepted, choices[1 + node]


def verify_choice_by_length(parents, tokens, choices):
    accepted, node = [], -1
    for i in range(len(tokens)):
        if parents[i] == node and tokens[i] == choices[1 + node]:
            accepted.append(i)
            node = i
    return accepted, choices[len(accepted)]


def verify_first_token_found(parents, tokens, choices):
    accepted, node = [], -1
    tokens = list(tokens)
    while choices[1 + node] in tokens:
        candidate = tokens.index(choices[1 + node])
        if parents[candidate] != node:
            break
        accepted.append(candidate)
        node = candidate
    return accepted, choices[1 + node]


def verify_every_agreeing_node(parents, tokens, choices):
    accepted = [i for i, parent in enumerate(parents) if tokens[i] == choices[1 + parent]]
    node = accepted[-1] if accepted else -1
    return accepted, choices[1 + node]


def verify_argmax_child(parents, tokens, choices):
    parents, tokens = np.array(parents), np.array(tokens)
    accepted, node = [], -1
    while True:
        children = np.where(parents == node)[0]
        if len(children) == 0:
            break
        node = int(children[np.argmax(tokens[children] == choices[1 + node])])
        accepted.append(node)
    return accepted, choices[1 + node]


def verify_one_child_per_parent(parents, tokens, choices):
    child_of = {parent: i for i, parent in enumerate(parents)}
    accepted, node = [], -1
    while node in child_of:
        child = child_of[node]
        if tokens[child] != choices[1 + node]:
            break
        accepted.append(child)
        node = child
    return accepted, choices[1 + node]


FIFTH = [
    Wrong("normalize_fusion_weights", normalize_l2, "Divides by the Euclidean norm instead of the sum."),
    Wrong(
        "normalize_fusion_weights",
        normalize_in_place,
        "Overwrites the list while dividing, so the total of the later weights is taken over changed values.",
    ),
    Wrong(
        "normalize_fusion_weights",
        normalize_checks_total_only,
        "Checks only that the total is positive, so a negative weight among larger ones gets through.",
    ),
    Wrong("normalize_fusion_weights", normalize_refuses_any_zero, "Refuses a single zero weight among positive ones."),
    Wrong(
        "normalize_fusion_weights",
        normalize_isclose_zero,
        "Compares the total with 0 by np.isclose, so legal weights with a tiny total are refused.",
    ),
    Wrong(
        "normalize_fusion_weights",
        normalize_only_above_one,
        "Divides only when the total is above 1, so weights with a smaller total come back unnormalised.",
    ),
    Wrong(
        "fuse_layer_features",
        fuse_loops_layers_as_dimensions,
        "The loop over dimensions runs to the number of layers, so only square input comes out right.",
    ),
    Wrong(
        "fuse_layer_features",
        fuse_zeros_like,
        "np.zeros_like of an integer layer is an integer array, so every addition is cut to a whole number.",
    ),
    Wrong("fuse_layer_features", fuse_sum_not_reset, "The running sum is not set back to 0 for the next dimension."),
    Wrong(
        "fuse_layer_features",
        fuse_drops_zero_shares,
        "Drops the shares that are 0 but not their layers, so the other shares meet the wrong layers.",
    ),
    Wrong(
        "fuse_layer_features",
        fuse_compares_first_and_last_width,
        "Compares the widths of the first and last layer only, so a layer of another width between them gets through.",
    ),
    Wrong(
        "fuse_layer_features",
        fuse_first_layer_unweighted,
        "Starts the sum from the first layer itself, without its share.",
    ),
    Wrong(
        "score_candidate_tree",
        score_parent_zero_is_root,
        "Tests parent > 0, so children of node 0 are scored as children of the root.",
    ),
    Wrong(
        "score_candidate_tree",
        score_by_probabilities,
        "Multiplies probabilities and takes the logarithm, which fails on long paths where the product is 0.",
    ),
    Wrong(
        "score_candidate_tree",
        score_greedy_descent,
        "Walks down to the best child at each level instead of looking for the best leaf.",
    ),
    Wrong(
        "score_candidate_tree",
        score_leaf_if_next_is_no_child,
        "Takes a node for a leaf when the next node is not its child, though a later one may be.",
    ),
    Wrong(
        "score_candidate_tree",
        score_checks_only_the_best_path,
        "Checks the parents only on the way back from the best leaf, so illegal parents elsewhere get through.",
    ),
    Wrong(
        "score_candidate_tree",
        score_wants_sorted_parents,
        "Demands that parents never decrease, so legal trees in depth-first order are refused.",
    ),
    Wrong("accepted_prefix", prefix_longest_run, "Counts the longest run of agreement anywhere, not the leading one."),
    Wrong(
        "accepted_prefix",
        prefix_bound_checked_last,
        "Looks at the tokens before checking the bound, so it raises IndexError at the end of the shorter list.",
    ),
    Wrong("accepted_prefix", prefix_identity, "Compares by identity (is not), so equal large tokens may differ."),
    Wrong(
        "accepted_prefix",
        prefix_padded_with_zero,
        "Pads the shorter list with 0, so tokens 0 beyond its end count as agreement.",
    ),
    Wrong(
        "accepted_prefix",
        prefix_argmax,
        "Uses argmax of the differences, which is 0 when there is no difference at all.",
    ),
    Wrong(
        "accepted_prefix",
        prefix_position_by_index,
        "Finds the position by list.index, so a repeated token is compared at its first place.",
    ),
    Wrong(
        "tree_attention_mask",
        mask_shares_parent_row,
        "Takes over the parent's row without a copy, so all rows are one and the same list.",
    ),
    Wrong(
        "tree_attention_mask",
        mask_walk_stops_at_node_zero,
        "The walk up runs while node > 0, so node 0 is never marked as an ancestor.",
    ),
    Wrong(
        "tree_attention_mask",
        mask_matrix_power,
        "A power of the step matrix overflows int64 in large, deep trees, and ancestors get lost.",
    ),
    Wrong(
        "tree_attention_mask",
        mask_root_row_inside_loop,
        "Sets the root's own entry inside the loop over nodes, so it stays False when there is no node.",
    ),
    Wrong(
        "tree_attention_mask",
        mask_two_generations,
        "Marks the parent and the grandparent, but no earlier ancestors.",
    ),
    Wrong(
        "tree_attention_mask",
        mask_by_depth,
        "Lets a node see every node that is less deep, also in other branches.",
    ),
    Wrong(
        "verify_tree",
        verify_node_zero_is_false,
        "Tests the child found with 'not child', so node 0 counts as not found.",
    ),
    Wrong(
        "verify_tree",
        verify_choice_by_length,
        "Takes the final token from choices[len(accepted)], which is right only for a chain.",
    ),
    Wrong(
        "verify_tree",
        verify_first_token_found,
        "Looks at the first node with the chosen token only, so a child with a token that occurs earlier is missed.",
    ),
    Wrong(
        "verify_tree",
        verify_every_agreeing_node,
        "Accepts every node that agrees with the choice after its parent, even if the parent was not accepted.",
    ),
    Wrong(
        "verify_tree",
        verify_argmax_child,
        "Takes argmax over the children's agreement, so it steps to the first child when none agrees.",
    ),
    Wrong(
        "verify_tree",
        verify_one_child_per_parent,
        "A dictionary from parent to child keeps the last child only, so the other children are never tried.",
    ),
]
