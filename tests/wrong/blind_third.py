"""A third set of wrong answers to the six exercises of notebook 04, each with one mistake that a student makes.
They were written by someone who had not read the checker, after it was finished."""

import numpy as np

from . import Wrong


def normalize_fusion_weights(weights):  # a right one, for the stub of exercise 2, which calls it
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = sum(values)
    if total == 0:
        raise ValueError("weights must sum to more than 0")
    return [value / total for value in values]


# ---------------------------------------------------------------- exercise 1: normalize_fusion_weights


def normalize_running_total(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    if sum(values) <= 0:
        raise ValueError("weights must have a positive sum")
    for i in range(len(values)):
        values[i] = values[i] / sum(values)
    return values


def normalize_epsilon(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = sum(values) + 1e-12  # never divide by zero
    return [value / total for value in values]


def normalize_assert(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = sum(values)
    assert total > 0, "the total must be positive"
    return [value / total for value in values]


def normalize_total_from_one(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = sum(values)
    if total < 1:
        raise ValueError("the total must be positive")
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
    result = []
    for value in values:
        if value:
            result.append(value / total)
    return result


def normalize_map(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = sum(values)
    if total == 0:
        raise ValueError("weights must sum to more than 0")
    return map(lambda value: value / total, values)


def normalize_softmax(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    if sum(values) == 0:
        raise ValueError("weights must sum to more than 0")
    exps = np.exp(np.array(values) - max(values))
    return (exps / exps.sum()).tolist()


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


# ---------------------------------------------------------------- exercise 2: fuse_layer_features


def fuse_total_not_reset(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    fused = []
    total = 0.0
    for d in range(hidden):
        for share, feature in zip(shares, layer_features):
            total += share * feature[d]
        fused.append(total)
    return fused


def fuse_return_too_early(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    fused = []
    for d in range(hidden):
        value = 0
        for layer in range(len(layer_features)):
            value += shares[layer] * layer_features[layer][d]
        fused.append(value)
        return fused


def fuse_reshape(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    columns = np.array(layer_features).reshape(hidden, len(shares))
    return (columns @ np.array(shares)).tolist()


def fuse_integer_zeros(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    fused = np.zeros_like(layer_features[0])
    for share, feature in zip(shares, layer_features):
        for d in range(hidden):
            fused[d] += share * feature[d]
    return fused.tolist()


def fuse_share_by_index(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    rows = [[float(value) for value in feature] for feature in layer_features]
    fused = [0.0] * hidden
    for row in rows:
        share = shares[rows.index(row)]
        for d in range(hidden):
            fused[d] += share * row[d]
    return fused


def fuse_dict_of_shares(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    layer_of = dict(zip(shares, layer_features))
    return [sum(share * feature[d] for share, feature in layer_of.items()) for d in range(hidden)]


def fuse_first_layer_unweighted(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    fused = list(layer_features[0])
    for layer in range(1, len(layer_features)):
        for d in range(hidden):
            fused[d] = fused[d] + shares[layer] * layer_features[layer][d]
    return fused


def fuse_zip_columns(layer_features, weights):
    """My own, shorter: columns with zip(*...)."""
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    if len(layer_features[0]) == 0:
        raise ValueError("no features")
    return [sum(s * x for s, x in zip(shares, column)) for column in zip(*layer_features)]


def fuse_concatenate(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    fused = []
    for share, feature in zip(shares, layer_features):
        fused += [share * value for value in feature]
    return fused


# ---------------------------------------------------------------- exercise 3: score_candidate_tree, scores and best path


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


def score_one_root_child(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        if index == 0:
            parent_score = 0.0
        else:
            parent_score = scores[node["parent"]]
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
    scores = []
    score_of = {}
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        if node["parent"] == -1:
            parent_score = 0.0
        else:
            parent_token = nodes[node["parent"]]["token"]
            parent_score = score_of[parent_token]
        score_of[node["token"]] = parent_score + node["log_score"]
        scores.append(parent_score + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_length_normalised(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores, depths = [], []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        root_child = node["parent"] == -1
        parent_score = 0.0 if root_child else scores[node["parent"]]
        depths.append(1 if root_child else depths[node["parent"]] + 1)
        scores.append(parent_score + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf] / depths[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_greedy_descent(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
    # the best path: from the root always on to the best child
    step, path = -1, []
    while True:
        children = [i for i in range(len(nodes)) if nodes[i]["parent"] == step]
        if not children:
            break
        step = max(children, key=lambda child: scores[child])
        path.append(nodes[step]["token"])
    return scores, path


def score_leaves_at_the_end(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
    last_parent = max(node["parent"] for node in nodes)
    leaves = range(last_parent + 1, len(nodes))
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_path_of_indices(nodes):
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
    while step != -1:
        path.append(step)
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_recursive(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")

    def score(index):
        if index == -1:
            return 0.0
        return score(nodes[index]["parent"]) + nodes[index]["log_score"]

    def path_to(index):
        if index == -1:
            return []
        return path_to(nodes[index]["parent"]) + [nodes[index]["token"]]

    scores = [score(index) for index in range(len(nodes))]
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    return scores, path_to(max(leaves, key=lambda leaf: scores[leaf]))


# ---------------------------------------------------------------- exercise 3: candidate_tree_contract


def contract_index_error(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        if node["parent"] == -1:
            parent_score = 0.0
        else:
            try:
                parent_score = scores[node["parent"]]
            except IndexError:
                raise ValueError(f"node {index} has the parent {node['parent']}")
        scores.append(parent_score + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step >= 0:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def contract_any_order(nodes):
    """Works in whatever order the nodes are listed."""
    if not nodes:
        raise ValueError("the candidate tree is empty")
    n = len(nodes)
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < n or node["parent"] == index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
    scores = [None] * n
    waiting = list(range(n))
    while waiting:
        later = []
        for index in waiting:
            parent = nodes[index]["parent"]
            if parent == -1:
                scores[index] = 0.0 + nodes[index]["log_score"]
            elif scores[parent] is not None:
                scores[index] = scores[parent] + nodes[index]["log_score"]
            else:
                later.append(index)
        if len(later) == len(waiting):
            raise ValueError("the tree has a cycle")
        waiting = later
    leaves = sorted(set(range(n)) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def contract_overwrites_log_score(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        if node["parent"] != -1:
            node["log_score"] += nodes[node["parent"]]["log_score"]
    scores = [node["log_score"] for node in nodes]
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def contract_inserts_root(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
    nodes.insert(0, {"parent": None, "token": None, "log_score": 0.0})  # now the root is node 0
    scores = [0.0]
    for node in nodes[1:]:
        scores.append(scores[node["parent"] + 1] + node["log_score"])
    parents = {node["parent"] + 1 for node in nodes[1:]}
    leaves = [i for i in range(len(nodes)) if i not in parents]
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != 0:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"] + 1
    return scores[1:], path[::-1]


def contract_empty_gives_empty(nodes):
    scores = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf], default=-1), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def contract_self_is_root_child(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] <= index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        if node["parent"] in (-1, index):
            parent_score = 0.0
        else:
            parent_score = scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
    has_child = {node["parent"] for index, node in enumerate(nodes) if node["parent"] != index}
    leaves = [index for index in range(len(nodes)) if index not in has_child]
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"] if nodes[step]["parent"] != step else -1
    return scores, path[::-1]


def contract_refuses_certainty(nodes):
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


def contract_prints_error(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            print(f"node {index} has the parent {node['parent']}")
            return [], []
        parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
        scores.append(parent_score + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


# ---------------------------------------------------------------- exercise 4: accepted_prefix


def prefix_argmin(draft_tokens, target_tokens):
    n = min(len(draft_tokens), len(target_tokens))
    if n == 0:
        return 0
    same = np.array(draft_tokens[:n]) == np.array(target_tokens[:n])
    return int(np.argmin(same))  # where the first False is


def prefix_no_return_at_end(draft_tokens, target_tokens):
    for i in range(min(len(draft_tokens), len(target_tokens))):
        if draft_tokens[i] != target_tokens[i]:
            return i


def prefix_index_error(draft_tokens, target_tokens):
    count = 0
    while count < len(draft_tokens) and draft_tokens[count] == target_tokens[count]:
        count += 1
    return count


def prefix_shifted(draft_tokens, target_tokens):
    count = 0
    for drafted, wanted in zip(draft_tokens, target_tokens[1:]):
        if drafted != wanted:
            break
        count += 1
    return count


def prefix_as_text(draft_tokens, target_tokens):
    target_text = " ".join(str(token) for token in target_tokens)
    for count in range(min(len(draft_tokens), len(target_tokens)), 0, -1):
        draft_text = " ".join(str(token) for token in draft_tokens[:count])
        if target_text.startswith(draft_text):
            return count
    return 0


def prefix_is(draft_tokens, target_tokens):
    count = 0
    for drafted, wanted in zip(draft_tokens, target_tokens):
        if drafted is not wanted:
            break
        count += 1
    return count


def prefix_longest_run(draft_tokens, target_tokens):
    best = run = 0
    for drafted, wanted in zip(draft_tokens, target_tokens):
        if drafted == wanted:
            run += 1
            best = max(best, run)
        else:
            run = 0
    return best


def prefix_counts_the_break(draft_tokens, target_tokens):
    count = 0
    for drafted, wanted in zip(draft_tokens, target_tokens):
        count += 1
        if drafted != wanted:
            break
    return count


# ---------------------------------------------------------------- exercise 5: tree_attention_mask


def mask_shared_row(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    mask[0][0] = True
    for i, parent in enumerate(parents):
        mask[1 + i] = mask[1 + parent]
        mask[1 + i][1 + i] = True
    return mask


def mask_without_shift(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    mask[0][0] = True
    for i, parent in enumerate(parents):
        row = mask[0] if parent == -1 else mask[parent]
        mask[1 + i] = list(row)
        mask[1 + i][1 + i] = True
    return mask


def mask_stops_before_node_zero(parents):
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


def mask_two_generations(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    mask[0][0] = True
    for i, parent in enumerate(parents):
        mask[1 + i][0] = True
        mask[1 + i][1 + i] = True
        if parent != -1:
            mask[1 + i][1 + parent] = True
            grandparent = parents[parent]
            if grandparent != -1:
                mask[1 + i][1 + grandparent] = True
    return mask


def mask_root_row_all(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    mask[0] = [True] * size
    for i in range(len(parents)):
        mask[1 + i][0] = True
        node = i
        while node != -1:
            mask[1 + i][1 + node] = True
            node = parents[node]
    return mask


def mask_inverted(parents):
    size = 1 + len(parents)
    mask = [[True] * size for _ in range(size)]  # True = masked out
    mask[0][0] = False
    for i, parent in enumerate(parents):
        mask[1 + i] = list(mask[1 + parent])
        mask[1 + i][1 + i] = False
    return mask


def mask_sees_siblings(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    mask[0][0] = True
    for i, parent in enumerate(parents):
        mask[1 + i][0] = True
        for j in range(len(parents)):
            if parents[j] == parent:
                mask[1 + i][1 + j] = True
        while parent != -1:
            mask[1 + i][1 + parent] = True
            parent = parents[parent]
    return mask


def mask_symmetric(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    mask[0][0] = True
    for i in range(len(parents)):
        mask[1 + i][0] = True
        node = i
        while node != -1:
            mask[1 + i][1 + node] = True
            mask[1 + node][1 + i] = True
            node = parents[node]
    return mask


# ---------------------------------------------------------------- exercise 6: verify_tree


def verify_zero_is_false(parents, tokens, choices):
    accepted, node = [], -1
    while True:
        child = None
        for i in range(len(parents)):
            if parents[i] == node and tokens[i] == choices[1 + node]:
                child = i
                break
        if not child:
            break
        accepted.append(child)
        node = child
    return accepted, choices[1 + node]


def verify_choices_by_depth(parents, tokens, choices):
    accepted, node = [], -1
    walking = True
    while walking:
        walking = False
        wanted = choices[len(accepted)]
        for i in range(len(parents)):
            if parents[i] == node and tokens[i] == wanted:
                accepted.append(i)
                node = i
                walking = True
                break
    return accepted, choices[1 + node]


def verify_dict_of_tokens(parents, tokens, choices):
    accepted, node = [], -1
    place = {token: i for i, token in enumerate(tokens)}
    while choices[1 + node] in place:
        child = place[choices[1 + node]]
        if parents[child] != node:
            break
        accepted.append(child)
        node = child
    return accepted, choices[1 + node]


def verify_first_child_only(parents, tokens, choices):
    accepted, node = [], -1
    while node in parents:
        child = parents.index(node)
        if tokens[child] != choices[1 + node]:
            break
        accepted.append(child)
        node = child
    return accepted, choices[1 + node]


def verify_nothing_at_leaf(parents, tokens, choices):
    accepted, node = [], -1
    while True:
        matching = [i for i, parent in enumerate(parents) if parent == node and tokens[i] == choices[1 + node]]
        if not matching:
            break
        node = matching[0]
        accepted.append(node)
    if node not in parents:  # a leaf: everything was accepted, there is nothing to correct
        return accepted, None
    return accepted, choices[1 + node]


def verify_any_later_node(parents, tokens, choices):
    accepted, node = [], -1
    for i in range(len(tokens)):
        if tokens[i] == choices[1 + node]:
            accepted.append(i)
            node = i
    return accepted, choices[1 + node]


def verify_records_where_it_left(parents, tokens, choices):
    accepted, node = [], -1
    going = True
    while going:
        going = False
        for child, parent in enumerate(parents):
            if parent == node and tokens[child] == choices[1 + node]:
                accepted.append(node)
                node = child
                going = True
                break
    return accepted, choices[1 + node]


def verify_last_accepted_token(parents, tokens, choices):
    accepted, node = [], -1
    while True:
        child = next((i for i in range(len(parents)) if parents[i] == node and tokens[i] == choices[1 + node]), None)
        if child is None:
            break
        accepted.append(child)
        node = child
    return accepted, tokens[node] if accepted else choices[0]


THIRD = [
    Wrong(
        "normalize_fusion_weights",
        normalize_running_total,
        "computes the total anew in every pass of the loop, while the list is being overwritten with shares, so later weights are divided by another total",
    ),
    Wrong(
        "normalize_fusion_weights",
        normalize_epsilon,
        "adds a tiny epsilon to the total instead of checking it, so weights that are all zero give zeros and no ValueError",
    ),
    Wrong(
        "normalize_fusion_weights",
        normalize_assert,
        "refuses a total of zero with assert, so an AssertionError is raised where a ValueError is asked for",
    ),
    Wrong(
        "normalize_fusion_weights",
        normalize_total_from_one,
        "takes a positive total to mean at least 1, so legal weights whose total lies between 0 and 1 are refused with ValueError",
    ),
    Wrong(
        "normalize_fusion_weights",
        normalize_drop_zeros,
        "leaves weights of zero out of the result, so the list is shorter than the weights",
    ),
    Wrong("normalize_fusion_weights", normalize_map, "returns a map object (an iterator) instead of a list"),
    Wrong(
        "normalize_fusion_weights",
        normalize_softmax,
        "applies softmax to the weights instead of dividing each by the total",
    ),
    Wrong(
        "normalize_fusion_weights",
        normalize_only_above_one,
        "divides by the total only when it is above 1, so weights with a total below 1 come back as they are and do not sum to 1",
    ),
    Wrong(
        "fuse_layer_features",
        fuse_total_not_reset,
        "sets the sum to zero once before the loop over dimensions and not in each dimension, so every dimension also contains the sums of those before it",
    ),
    Wrong(
        "fuse_layer_features",
        fuse_return_too_early,
        "has the return inside the loop over dimensions, so only the first dimension comes back",
    ),
    Wrong(
        "fuse_layer_features",
        fuse_reshape,
        "uses numpy reshape(hidden, layers) where a transpose is needed, so values of one layer are mixed up with the shares of others",
    ),
    Wrong(
        "fuse_layer_features",
        fuse_integer_zeros,
        "makes the result with np.zeros_like of the first layer, so with whole-number features the dtype is integer and every addition is cut to a whole number",
    ),
    Wrong(
        "fuse_layer_features",
        fuse_share_by_index,
        "looks up a layer's share with list.index on its values, so of two layers with equal values both get the share of the first",
    ),
    Wrong(
        "fuse_layer_features",
        fuse_dict_of_shares,
        "puts the layers into a dict with the shares as keys, so of layers with equal shares only the last is kept",
    ),
    Wrong(
        "fuse_layer_features",
        fuse_first_layer_unweighted,
        "starts the sum with the first layer as it is, without multiplying it by its share",
    ),
    Wrong(
        "fuse_layer_features",
        fuse_zip_columns,
        "has no check of the layers' widths and cuts all to the narrowest with zip, so layers of different width raise no ValueError",
    ),
    Wrong(
        "fuse_layer_features",
        fuse_concatenate,
        "joins the weighted layers one after the other instead of adding them up in each dimension, so the result is layers times hidden long",
    ),
    Wrong(
        "score_candidate_tree",
        score_parent_above_zero,
        "tests parent > 0 instead of parent != -1 (or >= 0), so children of node 0 are scored as if they were children of the root",
    ),
    Wrong(
        "score_candidate_tree",
        score_one_root_child,
        "gives only node 0 the parent score 0 and takes scores[-1], the last score so far, for every later child of the root",
    ),
    Wrong(
        "score_candidate_tree",
        score_by_token,
        "keeps the parents' scores in a dict by token, so when a token occurs twice in the tree a child gets the score of the later node with its parent's token",
    ),
    Wrong(
        "score_candidate_tree",
        score_length_normalised,
        "chooses the best leaf by score divided by depth (mean log-probability) instead of by the score itself",
    ),
    Wrong(
        "score_candidate_tree",
        score_greedy_descent,
        "finds the best path by always stepping to the best child from the root instead of searching for the leaf with the highest score",
    ),
    Wrong(
        "score_candidate_tree",
        score_leaves_at_the_end,
        "takes for leaves only the nodes listed after the last parent, so leaves that stand earlier in the list are never chosen",
    ),
    Wrong("score_candidate_tree", score_path_of_indices, "returns the best path as node indices instead of tokens"),
    Wrong(
        "score_candidate_tree",
        score_recursive,
        "computes scores by recursion up to the root, so a legal chain of a thousand or more levels ends in a RecursionError",
    ),
    Wrong(
        "candidate_tree_contract",
        contract_index_error,
        "has no check of its own and relies on an IndexError from scores[parent], so parent -2 is accepted as a negative index as soon as two nodes have been scored",
    ),
    Wrong(
        "candidate_tree_contract",
        contract_any_order,
        "accepts a parent that stands later in the list and works out the order by itself, where a ValueError is asked for",
    ),
    Wrong(
        "candidate_tree_contract",
        contract_overwrites_log_score,
        "adds the scores up in the nodes' own log_score fields, so the caller's input is overwritten",
    ),
    Wrong(
        "candidate_tree_contract",
        contract_inserts_root,
        "inserts a root node at the front of the caller's list and never removes it, so the input is one node longer afterwards",
    ),
    Wrong(
        "candidate_tree_contract",
        contract_empty_gives_empty,
        "returns two empty lists for an empty tree instead of raising ValueError",
    ),
    Wrong(
        "candidate_tree_contract",
        contract_self_is_root_child,
        "allows a node to be its own parent (<= index instead of < index) and treats it as a child of the root instead of raising ValueError",
    ),
    Wrong(
        "candidate_tree_contract",
        contract_refuses_certainty,
        "refuses a log-probability of 0 with ValueError, though it is legal (probability 1)",
    ),
    Wrong(
        "candidate_tree_contract",
        contract_prints_error,
        "prints a message and returns two empty lists for an illegal parent instead of raising ValueError",
    ),
    Wrong(
        "accepted_prefix",
        prefix_argmin,
        "takes np.argmin of the comparison as the first disagreement, which is 0 when all tokens agree",
    ),
    Wrong(
        "accepted_prefix",
        prefix_no_return_at_end,
        "returns only at a disagreement and has no return after the loop, so None comes back when the tokens agree to the end",
    ),
    Wrong(
        "accepted_prefix",
        prefix_index_error,
        "bounds the loop by the draft's length only, so an IndexError is raised when the target's list is shorter and agrees to its end",
    ),
    Wrong("accepted_prefix", prefix_shifted, "compares draft token i with the target's token i + 1 instead of i"),
    Wrong(
        "accepted_prefix",
        prefix_as_text,
        "compares the token numbers as text with startswith, so a last token that is only the beginning of the other's digits (1 and 12) counts as agreement",
    ),
    Wrong(
        "accepted_prefix",
        prefix_is,
        "compares tokens with 'is not' instead of !=, so equal numbers above 256 that are different objects count as disagreement",
    ),
    Wrong(
        "accepted_prefix",
        prefix_longest_run,
        "returns the longest run of agreement anywhere instead of the run from the start",
    ),
    Wrong(
        "accepted_prefix",
        prefix_counts_the_break,
        "counts before it compares, so the first disagreeing token is counted too",
    ),
    Wrong(
        "tree_attention_mask",
        mask_shared_row,
        "assigns the parent's row without copying it, so parent and children share one list and all rows see every node",
    ),
    Wrong(
        "tree_attention_mask",
        mask_without_shift,
        "copies row mask[parent] instead of mask[1 + parent], so a node inherits the row of the node before its parent",
    ),
    Wrong(
        "tree_attention_mask",
        mask_stops_before_node_zero,
        "walks up with while node > 0 and so never marks node 0 as an ancestor",
    ),
    Wrong(
        "tree_attention_mask",
        mask_two_generations,
        "marks only parent and grandparent, so ancestors from the great-grandparent upwards are missing",
    ),
    Wrong(
        "tree_attention_mask", mask_root_row_all, "lets the root's row see every node instead of only the root itself"
    ),
    Wrong(
        "tree_attention_mask",
        mask_inverted,
        "returns the mask the other way round, with True for what is hidden and False for what is seen",
    ),
    Wrong(
        "tree_attention_mask",
        mask_sees_siblings,
        "lets every node see its siblings too (all nodes with the same parent)",
    ),
    Wrong("tree_attention_mask", mask_symmetric, "makes the mask symmetric, so ancestors also see their descendants"),
    Wrong(
        "verify_tree",
        verify_zero_is_false,
        "tests 'if not child' for no child found, so node 0 counts as none and the walk never steps onto it",
    ),
    Wrong(
        "verify_tree",
        verify_choices_by_depth,
        "reads the target's choice by the number of steps so far, choices[len(accepted)], instead of at the current node, choices[1 + node]",
    ),
    Wrong(
        "verify_tree",
        verify_dict_of_tokens,
        "looks nodes up in a dict by token, so when a token occurs twice in the tree only the last node with it can be found and the walk stops too early",
    ),
    Wrong(
        "verify_tree",
        verify_first_child_only,
        "compares the target's choice with the first child of the current node only and stops if that one disagrees, though another child may agree",
    ),
    Wrong(
        "verify_tree",
        verify_nothing_at_leaf,
        "returns None instead of the target's own (bonus) token when the walk ends at a leaf",
    ),
    Wrong(
        "verify_tree",
        verify_any_later_node,
        "does not check that the node is a child of the current one and steps to any later node with the chosen token",
    ),
    Wrong(
        "verify_tree",
        verify_records_where_it_left,
        "records the node it leaves instead of the node it steps to, so the list begins with -1 and lacks the last node",
    ),
    Wrong(
        "verify_tree",
        verify_last_accepted_token,
        "returns the last accepted draft token instead of the target's choice after it",
    ),
]
