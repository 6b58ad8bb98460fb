"""A second set of wrong answers to the exercises, as students might write them.

They were written without having read the checker, after it was finished: from the stubs in the notebook alone.
Most are a stub with its TODO filled in wrongly, some a whole function of the student's own; each has one mistake.
"""

from . import Wrong


def _normalize(weights):
    """A right TODO 1, for the answers to TODO 2 that call it."""
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = sum(values)
    if total <= 0:
        raise ValueError("the total must be positive")
    return [value / total for value in values]


# TODO 1: normalise the weights


def normalize_by_running_total(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    if not any(values):
        raise ValueError("the total must be positive")
    total = 0.0
    shares = []
    for value in values:
        total += value
        shares.append(value / total if total else 0.0)
    return shares


def normalize_by_euclidean_length(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = sum(value**2 for value in values) ** 0.5
    if total <= 0:
        raise ValueError("the total must be positive")
    return [value / total for value in values]


def normalize_wants_a_total_of_one(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = sum(values)
    if total < 1:
        raise ValueError("the total is too small")
    return [value / total for value in values]


def normalize_zeros_to_equal_shares(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    total = sum(values)
    if total == 0:
        return [1 / len(values)] * len(values)
    return [value / total for value in values]


def normalize_checks_the_total_only(weights):
    total = sum(weights)
    if total <= 0:
        raise ValueError("the total must be positive")
    return [weight / total for weight in weights]


# TODO 2: fuse the layers


def fuse_indexes_shares_by_dimension(layer_features, weights):
    shares = _normalize(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    fused = [0.0] * hidden
    for feature in layer_features:
        for i in range(hidden):
            fused[i] += shares[i] * feature[i]
    return fused


def fuse_never_resets_the_sum(layer_features, weights):
    shares = _normalize(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    fused = []
    total = 0.0
    for i in range(hidden):
        for share, feature in zip(shares, layer_features, strict=True):
            total += share * feature[i]
        fused.append(total)
    return fused


def fuse_starts_from_the_first_layer(layer_features, weights):
    shares = _normalize(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    fused = [float(value) for value in layer_features[0]]
    for layer in range(1, len(layer_features)):
        for i in range(hidden):
            fused[i] += shares[layer] * layer_features[layer][i]
    return fused


def fuse_concatenates_the_layers(layer_features, weights):
    shares = _normalize(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    fused = []
    for share, feature in zip(shares, layer_features, strict=True):
        fused.extend(share * value for value in feature)
    return fused


def fuse_cuts_to_the_narrowest_layer(layer_features, weights):
    shares = _normalize(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    columns = zip(*layer_features)  # noqa: B905
    return [sum(share * value for share, value in zip(shares, column, strict=True)) for column in columns]


# TODO 3: score the candidate tree


def score_adds_the_totals_of_all_ancestors(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        parent_score = 0.0
        above = node["parent"]
        while above != -1:
            parent_score += scores[above]
            above = nodes[above]["parent"]
        scores.append(parent_score + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


def score_takes_node_zero_for_the_root(nodes):
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


def score_picks_the_leaf_by_mean(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores, paths = [], []
    for index, node in enumerate(nodes):
        parent = node["parent"]
        if parent < -1 or parent >= index:
            raise ValueError(f"node {index} has the parent {parent}")
        if parent == -1:
            scores.append(node["log_score"])
            paths.append([node["token"]])
        else:
            scores.append(scores[parent] + node["log_score"])
            paths.append([*paths[parent], node["token"]])
    parents = {node["parent"] for node in nodes}
    leaves = [index for index in range(len(nodes)) if index not in parents]
    best = max(leaves, key=lambda leaf: scores[leaf] / len(paths[leaf]))
    return scores, paths[best]


def score_hangs_any_negative_parent_on_the_root(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores, paths = [], []
    for index, node in enumerate(nodes):
        parent = node["parent"]
        if parent >= index:
            raise ValueError(f"node {index} has the parent {parent}")
        if parent < 0:
            scores.append(node["log_score"])
            paths.append([node["token"]])
        else:
            scores.append(scores[parent] + node["log_score"])
            paths.append([*paths[parent], node["token"]])
    parents = {node["parent"] for node in nodes}
    leaves = [index for index in range(len(nodes)) if index not in parents]
    best = max(leaves, key=lambda leaf: scores[leaf])
    return scores, paths[best]


def score_is_written_into_the_nodes(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        parent_score = 0.0 if node["parent"] == -1 else nodes[node["parent"]]["log_score"]
        node["log_score"] += parent_score
        scores.append(node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


# TODO 4: the accepted prefix


def prefix_returns_the_last_index(draft_tokens, target_tokens):
    index = 0
    for index, (draft, target) in enumerate(zip(draft_tokens, target_tokens, strict=False)):
        if draft != target:
            return index
    return index


def prefix_compares_with_the_next_target_token(draft_tokens, target_tokens):
    count = 0
    for draft, target in zip(draft_tokens, target_tokens[1:], strict=False):
        if draft != target:
            break
        count += 1
    return count


def prefix_counts_the_bonus_token(draft_tokens, target_tokens):
    count = 0
    while count < min(len(draft_tokens), len(target_tokens)):
        if draft_tokens[count] != target_tokens[count]:
            break
        count += 1
    return count + 1


def prefix_runs_past_a_short_target(draft_tokens, target_tokens):
    count = 0
    while count < len(draft_tokens) and draft_tokens[count] == target_tokens[count]:
        count += 1
    return count


def prefix_takes_the_longest_run(draft_tokens, target_tokens):
    longest = run = 0
    for draft, target in zip(draft_tokens, target_tokens, strict=False):
        run = run + 1 if draft == target else 0
        longest = max(longest, run)
    return longest


# TODO 5: the tree mask


def mask_shares_the_row_of_the_parent(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    mask[0][0] = True
    for i, parent in enumerate(parents):
        mask[1 + i] = mask[1 + parent]
        mask[1 + i][1 + i] = True
    return mask


def mask_marks_what_is_hidden(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    for row in range(size):
        visible = {0, row}
        node = row - 1
        while node != -1:
            visible.add(1 + node)
            node = parents[node]
        for column in range(size):
            mask[row][column] = column not in visible
    return mask


def mask_columns_are_not_shifted(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    mask[0][0] = True
    for i in range(len(parents)):
        mask[1 + i][0] = True
        node = i
        while node != -1:
            mask[1 + i][node] = True
            node = parents[node]
    return mask


def mask_shows_every_shallower_node(parents):
    depths = [0]
    for parent in parents:
        depths.append(depths[1 + parent] + 1)
    size = len(depths)
    return [[column == row or depths[column] < depths[row] for column in range(size)] for row in range(size)]


def mask_stops_at_the_grandparent(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    mask[0][0] = True
    for i, parent in enumerate(parents):
        mask[1 + i][0] = True
        mask[1 + i][1 + i] = True
        if parent != -1:
            mask[1 + i][1 + parent] = True
            mask[1 + i][1 + parents[parent]] = True
    return mask


# TODO 6: verify a tree


def verify_reads_the_choice_by_depth(parents, tokens, choices):
    accepted, node = [], -1
    while True:
        wanted = choices[len(accepted)]
        children = [i for i, parent in enumerate(parents) if parent == node and tokens[i] == wanted]
        if not children:
            break
        node = children[0]
        accepted.append(node)
    return accepted, choices[1 + node]


def verify_ignores_whose_child_it_is(parents, tokens, choices):
    accepted, node = [], -1
    for i, token in enumerate(tokens):
        if token == choices[1 + node]:
            accepted.append(i)
            node = i
    return accepted, choices[1 + node]


def verify_looks_at_the_first_child_only(parents, tokens, choices):
    accepted, node = [], -1
    while node in parents:
        child = parents.index(node)
        if tokens[child] != choices[1 + node]:
            break
        accepted.append(child)
        node = child
    return accepted, choices[1 + node]


def verify_compares_with_the_childs_own_choice(parents, tokens, choices):
    accepted, node = [], -1
    for i in range(len(parents)):
        if parents[i] == node and tokens[i] == choices[1 + i]:
            accepted.append(i)
            node = i
    return accepted, choices[1 + node]


def verify_forgets_the_root_in_choices(parents, tokens, choices):
    accepted, current, wanted = [], -1, choices[0]
    while True:
        following = None
        for i in range(len(parents)):
            if parents[i] == current and tokens[i] == wanted:
                following = i
        if following is None:
            return accepted, wanted
        accepted.append(following)
        current, wanted = following, choices[following]


SECOND = [
    Wrong(
        exercise="normalize_fusion_weights",
        function=normalize_by_running_total,
        mistake="Each weight is divided by the running total so far, not by the total of all.",
    ),
    Wrong(
        exercise="normalize_fusion_weights",
        function=normalize_by_euclidean_length,
        mistake="The weights are divided by the root of the sum of their squares, as a vector is made of length 1.",
    ),
    Wrong(
        exercise="normalize_fusion_weights",
        function=normalize_wants_a_total_of_one,
        mistake="A total below 1 is refused, where every total above 0 is allowed.",
    ),
    Wrong(
        exercise="normalize_fusion_weights",
        function=normalize_zeros_to_equal_shares,
        mistake="Weights that are all zero become equal shares instead of a ValueError.",
    ),
    Wrong(
        exercise="normalize_fusion_weights",
        function=normalize_checks_the_total_only,
        mistake="Only the total is checked, so that a negative weight passes where the others outweigh it.",
    ),
    Wrong(
        exercise="fuse_layer_features",
        function=fuse_indexes_shares_by_dimension,
        mistake="The share is looked up by dimension, not by layer.",
    ),
    Wrong(
        exercise="fuse_layer_features",
        function=fuse_never_resets_the_sum,
        mistake="The sum is not set back to 0 for the next dimension and runs on.",
    ),
    Wrong(
        exercise="fuse_layer_features",
        function=fuse_starts_from_the_first_layer,
        mistake="The sum starts from the first layer's values without multiplying them by their share.",
    ),
    Wrong(
        exercise="fuse_layer_features",
        function=fuse_concatenates_the_layers,
        mistake="The weighted layers are put one after another instead of being added up.",
    ),
    Wrong(
        exercise="fuse_layer_features",
        function=fuse_cuts_to_the_narrowest_layer,
        mistake="The widths are not checked, and zip silently cuts every layer to the narrowest.",
    ),
    Wrong(
        exercise="score_candidate_tree",
        function=score_adds_the_totals_of_all_ancestors,
        mistake="The cumulative scores of all ancestors are added up, so that the upper edges count several times.",
    ),
    Wrong(
        exercise="score_candidate_tree",
        function=score_takes_node_zero_for_the_root,
        mistake="The parent is tested with > 0, so that children of node 0 are scored as children of the root.",
    ),
    Wrong(
        exercise="score_candidate_tree",
        function=score_picks_the_leaf_by_mean,
        mistake="The best leaf is chosen by score per token of its path, not by score.",
    ),
    Wrong(
        exercise="candidate_tree_contract",
        function=score_hangs_any_negative_parent_on_the_root,
        mistake="Every negative parent, -2 too, is taken for the root.",
    ),
    Wrong(
        exercise="candidate_tree_contract",
        function=score_is_written_into_the_nodes,
        mistake="The cumulative score is written over the caller's log_score.",
    ),
    Wrong(
        exercise="accepted_prefix",
        function=prefix_returns_the_last_index,
        mistake="Where everything agrees, the last index is returned, one less than the count.",
    ),
    Wrong(
        exercise="accepted_prefix",
        function=prefix_compares_with_the_next_target_token,
        mistake="Each drafted token is compared with the target's token one position later.",
    ),
    Wrong(
        exercise="accepted_prefix",
        function=prefix_counts_the_bonus_token,
        mistake="The token that the target adds itself is counted as accepted.",
    ),
    Wrong(
        exercise="accepted_prefix",
        function=prefix_runs_past_a_short_target,
        mistake="Only the draft's length ends the loop, which runs past the end of a shorter target.",
    ),
    Wrong(
        exercise="accepted_prefix",
        function=prefix_takes_the_longest_run,
        mistake="The longest run of agreement is returned, wherever it begins.",
    ),
    Wrong(
        exercise="tree_attention_mask",
        function=mask_shares_the_row_of_the_parent,
        mistake="The parent's row is taken over without a copy, so that the child's mark lands in both rows.",
    ),
    Wrong(
        exercise="tree_attention_mask",
        function=mask_marks_what_is_hidden,
        mistake="True marks the places that are hidden instead of those that are seen.",
    ),
    Wrong(
        exercise="tree_attention_mask",
        function=mask_columns_are_not_shifted,
        mistake="Node j is marked in column j instead of column 1 + j.",
    ),
    Wrong(
        exercise="tree_attention_mask",
        function=mask_shows_every_shallower_node,
        mistake="A row sees every node of the levels above it, not only its own ancestors.",
    ),
    Wrong(
        exercise="tree_attention_mask",
        function=mask_stops_at_the_grandparent,
        mistake="Only the parent and the grandparent are marked, no ancestor further up.",
    ),
    Wrong(
        exercise="verify_tree",
        function=verify_reads_the_choice_by_depth,
        mistake="The target's choice is looked up by the number of accepted nodes, not by the current node.",
    ),
    Wrong(
        exercise="verify_tree",
        function=verify_ignores_whose_child_it_is,
        mistake="Any later node with the chosen token is accepted, whether or not it is a child of the current node.",
    ),
    Wrong(
        exercise="verify_tree",
        function=verify_looks_at_the_first_child_only,
        mistake="Only the first child of the current node is compared with the target's choice.",
    ),
    Wrong(
        exercise="verify_tree",
        function=verify_compares_with_the_childs_own_choice,
        mistake="A child is compared with the target's choice after that child, not after its parent.",
    ),
    Wrong(
        exercise="verify_tree",
        function=verify_forgets_the_root_in_choices,
        mistake="The choice after node i is read from choices[i] instead of choices[1 + i].",
    ),
]
