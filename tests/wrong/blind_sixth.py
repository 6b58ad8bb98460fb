"""A sixth set of wrong answers to the six exercises of notebook 04, written blind for what the fifth had taught.

Each has one mistake that a student makes; whoever wrote them had seen the notebook and nothing else.
"""

# ruff: noqa: B905 (learners write zip without strict)

import math
from itertools import groupby

import numpy as np

from . import Wrong


def normalize_fusion_weights(weights):
    """The right one, for the answers to exercise 2."""
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = sum(values)
    if total == 0:
        raise ValueError("weights must sum to more than 0")
    return [value / total for value in values]


# Exercise 1: normalize_fusion_weights


def normalize_total_in_loop(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    if sum(values) <= 0:
        raise ValueError("the total must be positive")
    for i in range(len(values)):
        values[i] = values[i] / sum(values)
    return values


def normalize_numpy_nan(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    array = np.array(values)
    with np.errstate(all="ignore"):
        return (array / array.sum()).tolist()


def normalize_close_to_zero(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = sum(values)
    if math.isclose(total, 0, abs_tol=1e-6):
        raise ValueError("weights must sum to more than 0")
    return [value / total for value in values]


def normalize_only_total_checked(weights):
    array = np.asarray(list(weights), dtype=float)
    total = array.sum()
    if array.size == 0 or total <= 0:
        raise ValueError("weights need a positive total")
    return [float(share) for share in array / total]


def normalize_by_largest(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = max(values)
    if total == 0:
        raise ValueError("weights must sum to more than 0")
    return [value / total for value in values]


def normalize_only_above_one(weights):
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


# Exercise 2: fuse_layer_features


def fuse_reshape(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    columns = np.array(layer_features, dtype=float).reshape(hidden, len(shares))
    return (columns @ np.array(shares)).tolist()


def fuse_zeros_like(layer_features, weights):
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


def fuse_mean(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    weighted = np.array(shares)[:, None] * np.array(layer_features, dtype=float)
    return weighted.mean(axis=0).tolist()


def fuse_return_in_loop(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    fused = [0.0] * hidden
    for share, feature in zip(shares, layer_features):
        for d in range(hidden):
            fused[d] += share * feature[d]
        return fused


def fuse_spare_layers(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) < len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    return [sum(share * value for share, value in zip(shares, column)) for column in zip(*layer_features)]


def fuse_raw_weights(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    result = []
    for d in range(hidden):
        total = 0.0
        for layer in range(len(layer_features)):
            total += weights[layer] * layer_features[layer][d]
        result.append(total)
    return result


# Exercise 3: score_candidate_tree


def score_node_zero_as_root(nodes):
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


def score_recursive(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
    known = {-1: 0.0}

    def score(index):
        if index not in known:
            known[index] = score(nodes[index]["parent"]) + nodes[index]["log_score"]
        return known[index]

    def path_to(index):
        return [] if index == -1 else path_to(nodes[index]["parent"]) + [nodes[index]["token"]]

    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    best = max(leaves, key=score)
    return [score(index) for index in range(len(nodes))], path_to(best)


def score_best_of_all_nodes(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
    step, path = int(np.argmax(scores)), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_deepest_leaves(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores, depths = [], []
    for index, node in enumerate(nodes):
        parent = node["parent"]
        if parent < -1 or parent >= index:
            raise ValueError(f"node {index} has the parent {parent}")
        if parent == -1:
            scores.append(node["log_score"])
            depths.append(1)
        else:
            scores.append(scores[parent] + node["log_score"])
            depths.append(depths[parent] + 1)
    deepest = max(depths)
    leaves = [index for index in range(len(nodes)) if depths[index] == deepest]
    best = leaves[0]
    for leaf in leaves:
        if scores[leaf] > scores[best]:
            best = leaf
    path = []
    while best != -1:
        path.insert(0, nodes[best]["token"])
        best = nodes[best]["parent"]
    return scores, path


def score_any_negative_parent(nodes):
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


def score_single_first_node(nodes):
    if len(nodes) == 0:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        parent = node["parent"]
        if index == 0:
            if parent != -1:
                raise ValueError("the first node must hang on the root")
            scores.append(0.0 + node["log_score"])
        else:
            if parent not in range(index):
                raise ValueError(f"node {index} has the parent {parent}")
            scores.append(scores[parent] + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


# Exercise 4: accepted_prefix


def prefix_argmin(draft_tokens, target_tokens):
    n = min(len(draft_tokens), len(target_tokens))
    if n == 0:
        return 0
    same = np.array(draft_tokens[:n]) == np.array(target_tokens[:n])
    return int(np.argmin(same))


def prefix_identity(draft_tokens, target_tokens):
    count = 0
    for draft, target in zip(draft_tokens, target_tokens):
        if draft is not target:
            break
        count += 1
    return count


def prefix_longest_run(draft_tokens, target_tokens):
    same = [draft == target for draft, target in zip(draft_tokens, target_tokens)]
    return max((len(list(run)) for agree, run in groupby(same) if agree), default=0)


def prefix_draft_length(draft_tokens, target_tokens):
    count = 0
    while count < len(draft_tokens) and draft_tokens[count] == target_tokens[count]:
        count += 1
    return count


def prefix_membership(draft_tokens, target_tokens):
    count = 0
    for token in draft_tokens[: len(target_tokens)]:
        if token not in target_tokens:
            return count
        count += 1
    return count


def prefix_zero_padding(draft_tokens, target_tokens):
    n = max(len(draft_tokens), len(target_tokens))
    draft = np.zeros(n, dtype=int)
    target = np.zeros(n, dtype=int)
    draft[: len(draft_tokens)] = draft_tokens
    target[: len(target_tokens)] = target_tokens
    return int(np.cumprod(draft == target).sum())


# Exercise 5: tree_attention_mask


def mask_row_not_copied(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    mask[0][0] = True
    for i, parent in enumerate(parents):
        mask[1 + i] = mask[1 + parent]
        mask[1 + i][1 + i] = True
    return mask


def mask_matrix_power(parents):
    size = 1 + len(parents)
    step = np.eye(size, dtype=np.int64)
    for i, parent in enumerate(parents):
        step[1 + i, 1 + parent] = 1
    return (np.linalg.matrix_power(step, size) > 0).tolist()


def mask_node_zero_missed(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    for row in mask:
        row[0] = True
    for i in range(len(parents)):
        mask[1 + i][1 + i] = True
        ancestor = parents[i]
        while ancestor > 0:
            mask[1 + i][1 + ancestor] = True
            ancestor = parents[ancestor]
    return mask


def mask_root_row_empty(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    for i in range(len(parents)):
        mask[1 + i][0] = True
        node = i
        while node != -1:
            mask[1 + i][1 + node] = True
            node = parents[node]
    return mask


def mask_two_generations(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    mask[0][0] = True
    for i, parent in enumerate(parents):
        mask[1 + i][0] = True
        mask[1 + i][1 + i] = True
        mask[1 + i][1 + parent] = True
        if parent != -1:
            mask[1 + i][1 + parents[parent]] = True
    return mask


def mask_both_directions(parents):
    size = 1 + len(parents)
    mask = np.eye(size, dtype=bool)
    for i, parent in enumerate(parents):
        mask[1 + i] |= mask[1 + parent]
    mask = mask | mask.T
    return mask.tolist()


# Exercise 6: verify_tree


def verify_choice_by_count(parents, tokens, choices):
    accepted, node = [], -1
    while True:
        children = [i for i in range(len(parents)) if parents[i] == node and tokens[i] == choices[1 + node]]
        if not children:
            break
        node = children[0]
        accepted.append(node)
    return accepted, choices[len(accepted)]


def verify_token_dictionary(parents, tokens, choices):
    accepted, node = [], -1
    where = {token: i for i, token in enumerate(tokens)}
    while True:
        found = where.get(choices[1 + node])
        if found is None or parents[found] != node:
            break
        accepted.append(found)
        node = found
    return accepted, choices[1 + node]


def verify_no_break(parents, tokens, choices):
    accepted, node = [], -1
    moved = True
    while moved:
        moved = False
        children = [i for i, parent in enumerate(parents) if parent == node]
        for child in children:
            if tokens[child] == choices[1 + node]:
                accepted.append(child)
                node = child
                moved = True
    return accepted, choices[1 + node]


def verify_sorted_parents(parents, tokens, choices):
    accepted, node = [], -1
    while True:
        first = np.searchsorted(parents, node, side="left")
        last = np.searchsorted(parents, node, side="right")
        matching = [int(i) for i in range(first, last) if parents[i] == node and tokens[i] == choices[1 + node]]
        if not matching:
            return accepted, choices[1 + node]
        node = matching[0]
        accepted.append(node)


def verify_first_child(parents, tokens, choices):
    accepted, node = [], -1
    while node in parents:
        child = parents.index(node)
        if tokens[child] != choices[1 + node]:
            break
        accepted.append(child)
        node = child
    return accepted, choices[1 + node]


def verify_node_zero_falsy(parents, tokens, choices):
    accepted, node = [], -1
    while True:
        children = (i for i, parent in enumerate(parents) if parent == node)
        child = next((i for i in children if tokens[i] == choices[1 + node]), None)
        if not child:
            break
        accepted.append(child)
        node = child
    return accepted, choices[1 + node]


SIXTH = [
    Wrong(
        "normalize_fusion_weights",
        normalize_total_in_loop,
        "The total is computed anew in the loop, after earlier values were already overwritten by their shares.",
    ),
    Wrong(
        "normalize_fusion_weights",
        normalize_numpy_nan,
        "The total is never checked, so numpy divides zero by zero and all-zero weights give NaN, not ValueError.",
    ),
    Wrong(
        "normalize_fusion_weights",
        normalize_close_to_zero,
        "The total is compared with 0 by a tolerance, so small but legal weights such as [1e-8, 3e-8] are refused.",
    ),
    Wrong(
        "normalize_fusion_weights",
        normalize_only_total_checked,
        "Only the total is checked, so negative weights with a positive total such as [-1, 3] are let through.",
    ),
    Wrong(
        "normalize_fusion_weights",
        normalize_by_largest,
        "The weights are divided by the largest of them and not by their sum.",
    ),
    Wrong(
        "normalize_fusion_weights",
        normalize_only_above_one,
        "The weights are divided only where the total is above 1, so [0.1, 0.3] is returned as it is.",
    ),
    Wrong(
        "fuse_layer_features",
        fuse_reshape,
        "The layers are reshaped to (hidden, layers) where they should be transposed, which mixes up the values.",
    ),
    Wrong(
        "fuse_layer_features",
        fuse_zeros_like,
        "The result takes the type of the first layer by zeros_like, so with integer features the sums are truncated.",
    ),
    Wrong(
        "fuse_layer_features",
        fuse_mean,
        "The weighted layers are averaged and not summed, so the result is divided by the number of layers again.",
    ),
    Wrong(
        "fuse_layer_features",
        fuse_return_in_loop,
        "The return stands inside the loop over layers, so only the first layer is counted.",
    ),
    Wrong(
        "fuse_layer_features",
        fuse_spare_layers,
        "Only too few layers are refused; layers without a weight are let through and dropped by zip.",
    ),
    Wrong(
        "fuse_layer_features",
        fuse_raw_weights,
        "The features are multiplied by the weights as given and not by the normalised shares.",
    ),
    Wrong(
        "score_candidate_tree",
        score_node_zero_as_root,
        "The test is parent > 0, so children of node 0 are scored as children of the root.",
    ),
    Wrong(
        "score_candidate_tree",
        score_recursive,
        "Scores and path are computed by recursion, which ends in RecursionError on trees a thousand levels deep.",
    ),
    Wrong(
        "score_candidate_tree",
        score_best_of_all_nodes,
        "The best node is looked for among all nodes and not only among the leaves, so the path stops early.",
    ),
    Wrong(
        "score_candidate_tree",
        score_deepest_leaves,
        "Only nodes on the deepest level are taken for leaves, so a better leaf higher up is never chosen.",
    ),
    Wrong(
        "score_candidate_tree",
        score_any_negative_parent,
        "Any negative parent counts as the root, so the parent -2 is let through.",
    ),
    Wrong(
        "score_candidate_tree",
        score_single_first_node,
        "Only the first node may be a child of the root, so legal trees with several such children are refused.",
    ),
    Wrong(
        "accepted_prefix",
        prefix_argmin,
        "The first disagreement is found by argmin, which gives 0 where everything agrees.",
    ),
    Wrong(
        "accepted_prefix",
        prefix_identity,
        "Tokens are compared by identity (is) and not by value, which fails for equal numbers above 256.",
    ),
    Wrong(
        "accepted_prefix",
        prefix_longest_run,
        "The longest run of agreement anywhere is counted and not the one at the start.",
    ),
    Wrong(
        "accepted_prefix",
        prefix_draft_length,
        "Only the draft's length ends the loop, so a shorter target that agrees to its end gives an IndexError.",
    ),
    Wrong(
        "accepted_prefix",
        prefix_membership,
        "A drafted token counts if it occurs anywhere among the target's tokens, not only at the same position.",
    ),
    Wrong(
        "accepted_prefix",
        prefix_zero_padding,
        "The shorter list is padded with zeros, so a token 0 beyond its end counts as agreement.",
    ),
    Wrong(
        "tree_attention_mask",
        mask_row_not_copied,
        "The parent's row is assigned without a copy, so all rows are one list.",
    ),
    Wrong(
        "tree_attention_mask",
        mask_matrix_power,
        "Paths are counted by an integer matrix power that overflows on large trees, so that > 0 fails there.",
    ),
    Wrong(
        "tree_attention_mask",
        mask_node_zero_missed,
        "The way up ends at ancestor > 0, so node 0 is never marked as an ancestor.",
    ),
    Wrong(
        "tree_attention_mask",
        mask_root_row_empty,
        "The root's own row is never filled in, so the root does not see itself.",
    ),
    Wrong(
        "tree_attention_mask",
        mask_two_generations,
        "Only the parent and the grandparent are marked, not the ancestors further up.",
    ),
    Wrong(
        "tree_attention_mask",
        mask_both_directions,
        "The mask is made symmetric, so nodes see their descendants too.",
    ),
    Wrong(
        "verify_tree",
        verify_choice_by_count,
        "The last token is looked up by the number of accepted nodes and not by the node where the walk ends.",
    ),
    Wrong(
        "verify_tree",
        verify_token_dictionary,
        "Nodes are looked up in a dictionary by token, so of equal tokens in several branches only the last is found.",
    ),
    Wrong(
        "verify_tree",
        verify_no_break,
        "The loop over children goes on after a step, so a sibling may be taken by the choice after the new node.",
    ),
    Wrong(
        "verify_tree",
        verify_sorted_parents,
        "Children are found by binary search, which takes the parents to be sorted: wrong for depth-first order.",
    ),
    Wrong(
        "verify_tree",
        verify_first_child,
        "Only the first child of each node is compared, so a match with a later child is missed.",
    ),
    Wrong(
        "verify_tree",
        verify_node_zero_falsy,
        "The child found is tested by its truth value, so node 0 counts as not found.",
    ),
]
