"""Wrong answers to the exercises, written from the task descriptions alone, without having read the checker.

The author saw neither the exercises' cases nor the other wrong answers. Each function is what one of six kinds of
student might hand in (hurried; a mathematician; a C programmer; a numpy fan; one who misunderstands acceptance; an
over-clever one) and holds the one mistake that its entry in BLIND names. None of them loops for ever, on illegal
trees either.
"""

import sys
from collections import defaultdict
from difflib import SequenceMatcher
from functools import cache
from itertools import takewhile, zip_longest

import numpy as np

from . import Wrong

# ---- normalize_fusion_weights


def normalize_softmax(weights):
    if len(weights) == 0 or sum(weights) == 0:
        raise ValueError("weights must not sum to zero")
    exponentials = np.exp(np.asarray(weights, dtype=float) - max(weights))
    return (exponentials / exponentials.sum()).tolist()


def normalize_euclidean(weights):
    if not weights:
        raise ValueError("no weights")
    if sum(weights) == 0:
        raise ValueError("weights sum to zero")
    norm = sum(w**2 for w in weights) ** 0.5
    return [w / norm for w in weights]


def normalize_int_total(weights):
    n = len(weights)
    if n == 0:
        raise ValueError("empty")
    total = 0
    for i in range(n):
        total += int(weights[i])
    if total == 0:
        raise ValueError("zero sum")
    result = [0.0] * n
    for i in range(n):
        result[i] = weights[i] / total
    return result


def normalize_moving_total(weights):
    shares = [float(w) for w in weights]
    if not shares or sum(shares) == 0:
        raise ValueError("cannot normalize these weights")
    for i, share in enumerate(shares):
        shares[i] = share / sum(shares)
    return shares


def normalize_all_zero_check(weights):
    if not weights:
        raise ValueError("weights are empty")
    if all(w == 0 for w in weights):
        raise ValueError("weights are all zero")
    total = sum(weights)
    return [w / total for w in weights]


def normalize_by_largest(weights):
    w = np.array(weights, dtype=np.float64)
    if w.size == 0 or w.sum() == 0:
        raise ValueError("bad weights")
    return (w / w.max()).tolist()


def normalize_no_zero_entry(weights):
    if not weights or not all(weights) or sum(weights) == 0:
        raise ValueError("weights must be there and must not be zero")
    total = sum(weights)
    return [w / total for w in weights]


def normalize_rounded(weights):
    total = sum(weights)
    if not total:
        raise ValueError("the weights sum to zero")
    return [round(w / total, 2) for w in weights]


def normalize_uniform_fallback(weights):
    if not weights:
        raise ValueError("no weights")
    total = sum(weights)
    if total == 0:
        # no preference given: every layer counts the same
        return [1.0 / len(weights)] * len(weights)
    return [w / total for w in weights]


def normalize_clamped(weights):
    usable = [max(float(w), 0.0) for w in weights]
    total = sum(usable)
    if total == 0.0:
        raise ValueError("no positive weight")
    return [w / total for w in usable]


def normalize_empty_is_fine(weights):
    if not weights:
        return []
    total = sum(weights)
    if total == 0:
        raise ValueError("sum of weights is zero")
    return [w / total for w in weights]


# ---- fuse_layer_features


def _shares(weights):
    """The weights, rightly normalised: what a student has left from the first exercise."""
    total = sum(weights)
    if total == 0:
        raise ValueError("weights must not sum to zero")
    return [w / total for w in weights]


def fuse_raw_weights(layer_features, weights):
    if len(layer_features) != len(weights):
        raise ValueError("one weight per layer")
    if len({len(features) for features in layer_features}) != 1:
        raise ValueError("all layers need the same width")
    if sum(weights) == 0:
        raise ValueError("weights sum to zero")
    columns = zip(*layer_features, strict=True)
    return [float(sum(w * x for w, x in zip(weights, column, strict=True))) for column in columns]


def fuse_shortest_width(layer_features, weights):
    if len(layer_features) != len(weights):
        raise ValueError("number of layers and weights differ")
    shares = _shares(weights)
    fused = []
    for values in zip(*layer_features, strict=False):
        fused.append(sum(s * v for s, v in zip(shares, values, strict=False)))
    return fused


def fuse_zip_drops_layers(layer_features, weights):
    shares = _shares(weights)
    width = len(layer_features[0])
    if any(len(features) != width for features in layer_features):
        raise ValueError("unequal widths")
    fused = [0.0] * width
    for features, share in zip(layer_features, shares, strict=False):
        for d in range(width):
            fused[d] += share * features[d]
    return fused


def fuse_assigns(layer_features, weights):
    if len(layer_features) != len(weights):
        raise ValueError("count mismatch")
    shares = _shares(weights)
    width = len(layer_features[0])
    fused = [0.0] * width
    for layer, features in enumerate(layer_features):
        if len(features) != width:
            raise ValueError("width mismatch")
        for d in range(width):
            fused[d] = shares[layer] * features[d]
    return fused


def fuse_wrong_axis(layer_features, weights):
    if len(layer_features) != len(weights):
        raise ValueError("len(layer_features) != len(weights)")
    if len({len(row) for row in layer_features}) > 1:
        raise ValueError("ragged features")
    shares = np.array(_shares(weights))
    return (np.array(layer_features, dtype=float) * shares[:, None]).sum(axis=1).tolist()


def fuse_square_only(layer_features, weights):
    layers = len(layer_features)
    if layers != len(weights):
        raise ValueError("layers and weights differ in number")
    for i in range(layers):
        if len(layer_features[i]) != len(layer_features[0]):
            raise ValueError("layers differ in width")
    shares = _shares(weights)
    out = []
    for d in range(layers):
        acc = 0.0
        for i in range(layers):
            acc += shares[i] * layer_features[i][d]
        out.append(acc)
    return out


def fuse_longer_layers_pass(layer_features, weights):
    if len(weights) != len(layer_features):
        raise ValueError("need one weight per layer")
    shares = _shares(weights)
    width = len(layer_features[0])
    if any(len(features) < width for features in layer_features):
        raise ValueError("a layer is too short")
    return [sum(s * f[d] for s, f in zip(shares, layer_features, strict=True)) for d in range(width)]


def fuse_first_and_last_width(layer_features, weights):
    if len(weights) != len(layer_features):
        raise ValueError("need one weight per layer")
    shares = _shares(weights)
    if len(layer_features[0]) != len(layer_features[-1]):
        raise ValueError("widths differ")
    return [sum(shares[i] * layer_features[i][d] for i in range(len(shares))) for d in range(len(layer_features[0]))]


def fuse_mean_of_weighted(layer_features, weights):
    if len(layer_features) != len(weights) or len(set(map(len, layer_features))) != 1:
        raise ValueError("shapes do not fit")
    shares = np.array(_shares(weights))
    weighted = np.array(layer_features, dtype=float) * shares.reshape(-1, 1)
    return weighted.mean(axis=0).tolist()


def fuse_weights_along_width(layer_features, weights):
    if len(layer_features) != len(weights) or len({len(f) for f in layer_features}) != 1:
        raise ValueError("shapes do not fit")
    features = np.asarray(layer_features, dtype=float)
    weights = np.asarray(weights, dtype=float)
    if weights.sum() == 0:
        raise ValueError("weights sum to zero")
    return np.sum(features * (weights / weights.sum()), axis=0).tolist()


def fuse_skips_zeros(layer_features, weights):
    if len(layer_features) != len(weights):
        raise ValueError("one weight per layer, please")
    if len({len(f) for f in layer_features}) != 1:
        raise ValueError("equal widths, please")
    _shares(weights)  # raises if they cannot be normalised
    fused = []
    for d in range(len(layer_features[0])):
        # a layer that has nothing to say in this dimension should not water down the others
        active = [(w, f[d]) for w, f in zip(weights, layer_features, strict=True) if f[d] != 0]
        total = sum(w for w, _ in active)
        fused.append(sum(w * x for w, x in active) / total if total else 0.0)
    return fused


def fuse_pads_with_zeros(layer_features, weights):
    if len(layer_features) != len(weights):
        raise ValueError("layers and weights do not match")
    shares = _shares(weights)
    columns = zip_longest(*layer_features, fillvalue=0.0)
    return [sum(s * x for s, x in zip(shares, column, strict=True)) for column in columns]


def fuse_spare_weights_pass(layer_features, weights):
    if len(weights) < len(layer_features):
        raise ValueError("too few weights")
    shares = _shares(weights)
    width = len(layer_features[0])
    fused = [0.0] * width
    for i in range(len(layer_features)):
        if len(layer_features[i]) != width:
            raise ValueError(f"layer {i} has another width")
        for d in range(width):
            fused[d] += shares[i] * layer_features[i][d]
    return fused


# ---- score_candidate_tree, wrong on legal trees


def score_best_of_all_nodes(nodes):
    if not nodes:
        raise ValueError("empty tree")
    scores = []
    for i, node in enumerate(nodes):
        parent = node["parent"]
        if not -1 <= parent < i:
            raise ValueError("bad parent")
        scores.append(node["log_score"] + (scores[parent] if parent >= 0 else 0.0))
    best = scores.index(max(scores))
    path = []
    while best != -1:
        path.insert(0, nodes[best]["token"])
        best = nodes[best]["parent"]
    return scores, path


def score_path_from_leaf(nodes):
    if len(nodes) == 0:
        raise ValueError("no nodes")
    scores, leaves = [], set(range(len(nodes)))
    for i, node in enumerate(nodes):
        if node["parent"] < -1 or node["parent"] >= i:
            raise ValueError(f"node {i} has an illegal parent")
        leaves.discard(node["parent"])
        above = 0.0 if node["parent"] == -1 else scores[node["parent"]]
        scores.append(above + node["log_score"])
    at = max(sorted(leaves), key=lambda leaf: scores[leaf])
    path = []
    while at >= 0:
        path.append(nodes[at]["token"])
        at = nodes[at]["parent"]
    return scores, path


def score_last_tie_wins(nodes):
    n = len(nodes)
    if n == 0:
        raise ValueError("n == 0")
    scores = [0.0] * n
    has_child = [False] * n
    for i in range(n):
        p = nodes[i]["parent"]
        if p < -1 or p >= i:
            raise ValueError("p out of range")
        scores[i] = nodes[i]["log_score"]
        if p != -1:
            scores[i] += scores[p]
            has_child[p] = True
    best, best_score = -1, float("-inf")
    for i in range(n):
        if not has_child[i] and scores[i] >= best_score:
            best, best_score = i, scores[i]
    path = []
    while best != -1:
        path.append(nodes[best]["token"])
        best = nodes[best]["parent"]
    return scores, path[::-1]


def score_best_per_token(nodes):
    if not nodes:
        raise ValueError("the tree has no nodes")
    scores, paths = [], []
    for i, node in enumerate(nodes):
        parent = node["parent"]
        if parent not in range(-1, i):
            raise ValueError("a parent must come before its child")
        if parent == -1:
            scores.append(node["log_score"])
            paths.append([node["token"]])
        else:
            scores.append(scores[parent] + node["log_score"])
            paths.append([*paths[parent], node["token"]])
    parents = {node["parent"] for node in nodes}
    leaves = [i for i in range(len(nodes)) if i not in parents]
    # long paths must not be punished for their length
    best = max(leaves, key=lambda i: scores[i] / len(paths[i]))
    return scores, paths[best]


def score_multiplies(nodes):
    if not nodes:
        raise ValueError("empty")
    scores = np.zeros(len(nodes))
    for i, node in enumerate(nodes):
        parent = node["parent"]
        if parent < -1 or parent >= i:
            raise ValueError("illegal parent")
        scores[i] = node["log_score"] if parent == -1 else scores[parent] * node["log_score"]
    leaves = np.setdiff1d(np.arange(len(nodes)), [node["parent"] for node in nodes])
    at = int(leaves[np.argmax(scores[leaves])])
    path = []
    while at != -1:
        path.append(nodes[at]["token"])
        at = nodes[at]["parent"]
    return scores.tolist(), path[::-1]


def score_best_by_own(nodes):
    if not nodes:
        raise ValueError("empty")
    scores = []
    for i, node in enumerate(nodes):
        if not (-1 <= node["parent"] < i):
            raise ValueError("illegal parent")
        scores.append(node["log_score"] + (0.0 if node["parent"] < 0 else scores[node["parent"]]))
    inner = {node["parent"] for node in nodes}
    leaves = [i for i in range(len(nodes)) if i not in inner]
    best = max(leaves, key=lambda i: nodes[i]["log_score"])
    tokens = []
    while best >= 0:
        tokens.append(nodes[best]["token"])
        best = nodes[best]["parent"]
    tokens.reverse()
    return scores, tokens


def score_leaf_by_next_node(nodes):
    if not nodes:
        raise ValueError("empty")
    n = len(nodes)
    scores = []
    for i in range(n):
        parent = nodes[i]["parent"]
        if parent < -1 or parent >= i:
            raise ValueError("illegal parent")
        scores.append(nodes[i]["log_score"] + (scores[parent] if parent != -1 else 0.0))
    best = None
    for i in range(n):
        is_leaf = i == n - 1 or nodes[i + 1]["parent"] != i
        if is_leaf and (best is None or scores[i] > scores[best]):
            best = i
    path = []
    while best != -1:
        path = [nodes[best]["token"], *path]
        best = nodes[best]["parent"]
    return scores, path


def score_smallest_float(nodes):
    n = len(nodes)
    if n == 0:
        raise ValueError("empty tree")
    scores = [0.0] * n
    children = [0] * n
    for i in range(n):
        parent = nodes[i]["parent"]
        if parent < -1 or parent >= i:
            raise ValueError("illegal parent")
        scores[i] = nodes[i]["log_score"]
        if parent >= 0:
            scores[i] += scores[parent]
            children[parent] += 1
    best = 0
    best_score = sys.float_info.min
    for i in range(n):
        if children[i] == 0 and scores[i] > best_score:
            best = i
            best_score = scores[i]
    path = []
    while best >= 0:
        path.append(nodes[best]["token"])
        best = nodes[best]["parent"]
    return scores, path[::-1]


def score_deepest_only(nodes):
    if not nodes:
        raise ValueError("empty tree")
    scores, depth = [], []
    for i, node in enumerate(nodes):
        p = node["parent"]
        if not -1 <= p < i:
            raise ValueError("illegal parent")
        scores.append(node["log_score"] + (scores[p] if p != -1 else 0.0))
        depth.append(1 + (depth[p] if p != -1 else 0))
    leaves = [i for i, d in enumerate(depth) if d == max(depth)]
    i = max(leaves, key=scores.__getitem__)
    path = []
    while i != -1:
        path.append(nodes[i]["token"])
        i = nodes[i]["parent"]
    return scores, path[::-1]


def score_node_zero_is_root(nodes):
    if not nodes:
        raise ValueError("nothing to score")
    scores = []
    for i, node in enumerate(nodes):
        parent = node["parent"]
        if parent < -1 or parent >= i:
            raise ValueError("illegal parent")
        scores.append(node["log_score"] + scores[parent] if parent > 0 else node["log_score"])
    used = [node["parent"] for node in nodes]
    best = max((i for i in range(len(nodes)) if i not in used), key=lambda i: scores[i])
    path = []
    while best != -1:
        path.append(nodes[best]["token"])
        best = nodes[best]["parent"]
    return scores, path[::-1]


def score_path_stops_early(nodes):
    if not nodes:
        raise ValueError("nothing to score")
    scores = []
    for i, node in enumerate(nodes):
        parent = node["parent"]
        if parent < -1 or parent >= i:
            raise ValueError("illegal parent")
        scores.append(node["log_score"] if parent == -1 else scores[parent] + node["log_score"])
    parents = {node["parent"] for node in nodes}
    i = max((i for i in range(len(nodes)) if i not in parents), key=lambda i: scores[i])
    path = [nodes[i]["token"]]
    while nodes[i]["parent"] > 0:
        i = nodes[i]["parent"]
        path.append(nodes[i]["token"])
    return scores, path[::-1]


def score_rounded(nodes):
    if not nodes:
        raise ValueError("empty")
    scores = []
    for i, node in enumerate(nodes):
        parent = node["parent"]
        if not -1 <= parent < i:
            raise ValueError("illegal parent")
        before = scores[parent] if parent >= 0 else 0.0
        scores.append(round(before + node["log_score"], 2))  # -0.30000000000000004 looks ugly
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    best = max(leaves, key=lambda i: scores[i])
    path = []
    while best >= 0:
        path.insert(0, nodes[best]["token"])
        best = nodes[best]["parent"]
    return scores, path


def score_minus_one_wraps(nodes):
    if not nodes:
        raise ValueError("empty tree")
    scores = []
    for i, node in enumerate(nodes):
        parent = node["parent"]
        if parent < -1 or parent >= i:
            raise ValueError("illegal parent")
        above = scores[parent] if scores else 0.0
        scores.append(above + node["log_score"])
    leaves = [i for i in range(len(nodes)) if all(node["parent"] != i for node in nodes)]
    best = max(leaves, key=lambda i: scores[i])
    path = []
    while best != -1:
        path.append(nodes[best]["token"])
        best = nodes[best]["parent"]
    return scores, path[::-1]


def score_single_first_token(nodes):
    if not nodes or nodes[0]["parent"] != -1:
        raise ValueError("the first node must hang on the root")
    scores = [nodes[0]["log_score"]]
    for i, node in enumerate(nodes[1:], start=1):
        if not 0 <= node["parent"] < i:
            raise ValueError(f"node {i}: illegal parent {node['parent']}")
        scores.append(scores[node["parent"]] + node["log_score"])
    inner = {node["parent"] for node in nodes}
    best = max((i for i in range(len(nodes)) if i not in inner), key=lambda i: scores[i])
    path = []
    while best != -1:
        path.append(nodes[best]["token"])
        best = nodes[best]["parent"]
    return scores, path[::-1]


# ---- score_candidate_tree, right on legal trees (candidate_tree_contract)


def contract_empty_is_fine(nodes):
    if not nodes:
        return [], []
    scores, paths = [], []
    for i, node in enumerate(nodes):
        parent = node["parent"]
        if not -1 <= parent < i:
            raise ValueError("parent must be -1 or an earlier node")
        scores.append(node["log_score"] + (scores[parent] if parent >= 0 else 0.0))
        paths.append([*(paths[parent] if parent >= 0 else []), node["token"]])
    inner = {node["parent"] for node in nodes}
    leaves = [i for i in range(len(nodes)) if i not in inner]
    return scores, paths[max(leaves, key=lambda i: scores[i])]


def contract_any_negative_is_root(nodes):
    if not nodes:
        raise ValueError("empty tree")
    scores = []
    for i, node in enumerate(nodes):
        parent = node["parent"]
        if parent >= i:
            raise ValueError("the parent must come first")
        scores.append(node["log_score"] if parent < 0 else scores[parent] + node["log_score"])
    inner = {node["parent"] for node in nodes}
    at = max((i for i in range(len(nodes)) if i not in inner), key=lambda i: scores[i])
    path = []
    while at >= 0:
        path.append(nodes[at]["token"])
        at = nodes[at]["parent"]
    return scores, path[::-1]


def contract_self_parent_slips(nodes):
    if not nodes:
        raise ValueError("empty tree")
    scores = []
    for i, node in enumerate(nodes):
        parent = node["parent"]
        if parent < -1 or parent > i:
            raise ValueError("illegal parent")
        scores.append((scores[parent] if parent != -1 else 0.0) + node["log_score"])
    inner = {node["parent"] for node in nodes}
    at = max((i for i in range(len(nodes)) if i not in inner), key=lambda i: scores[i])
    path = []
    while at != -1:
        path.append(nodes[at]["token"])
        at = nodes[at]["parent"]
    return scores, path[::-1]


def contract_self_parent_is_root(nodes):
    if not nodes:
        raise ValueError("empty tree")
    scores, paths, leaf = [], [], [True] * len(nodes)
    for i, node in enumerate(nodes):
        parent = node["parent"]
        if parent < -1 or parent > i:
            raise ValueError("illegal parent")
        if parent in (-1, i):  # as in union-find, a root may point at itself
            scores.append(node["log_score"])
            paths.append([node["token"]])
        else:
            leaf[parent] = False
            scores.append(scores[parent] + node["log_score"])
            paths.append([*paths[parent], node["token"]])
    best = None
    for i, score in enumerate(scores):
        if leaf[i] and (best is None or score > scores[best]):
            best = i
    return scores, paths[best]


def contract_any_order(nodes):
    if not nodes:
        raise ValueError("empty tree")
    for i, node in enumerate(nodes):
        if node["parent"] == i or not -1 <= node["parent"] < len(nodes):
            raise ValueError("illegal parent")

    @cache
    def walk(i):
        if i == -1:
            return 0.0, ()
        score, path = walk(nodes[i]["parent"])
        return score + nodes[i]["log_score"], (*path, nodes[i]["token"])

    results = [walk(i) for i in range(len(nodes))]
    inner = {node["parent"] for node in nodes}
    _, best = max((score, -i) for i, (score, _) in enumerate(results) if i not in inner)
    return [score for score, _ in results], list(results[-best][1])


def contract_asserts(nodes):
    assert len(nodes) > 0, "empty tree"
    scores = []
    for i, node in enumerate(nodes):
        assert -1 <= node["parent"] < i, "illegal parent"
        scores.append(node["log_score"] + (scores[node["parent"]] if node["parent"] != -1 else 0.0))
    inner = {node["parent"] for node in nodes}
    at = max((i for i in range(len(nodes)) if i not in inner), key=lambda i: scores[i])
    path = []
    while at != -1:
        path.append(nodes[at]["token"])
        at = nodes[at]["parent"]
    return scores, path[::-1]


def contract_drops_illegal_nodes(nodes):
    if not nodes:
        raise ValueError("empty tree")
    scores: list[float] = []
    paths: list[list[int]] = []
    inner = set()
    for i, node in enumerate(nodes):
        parent = node["parent"]
        if parent == -1:
            scores.append(node["log_score"])
            paths.append([node["token"]])
        elif 0 <= parent < i:
            inner.add(parent)
            scores.append(scores[parent] + node["log_score"])
            paths.append(paths[parent] + [node["token"]])
        else:  # a broken node can never win
            scores.append(float("-inf"))
            paths.append([])
    best = max((i for i in range(len(nodes)) if i not in inner), key=lambda i: scores[i])
    return scores, paths[best]


def contract_adds_in_place(nodes):
    if not nodes:
        raise ValueError("empty tree")
    for i, node in enumerate(nodes):
        if node["parent"] < -1 or node["parent"] >= i:
            raise ValueError("illegal parent")
    for node in nodes:
        if node["parent"] != -1:
            node["log_score"] += nodes[node["parent"]]["log_score"]
    scores = [node["log_score"] for node in nodes]
    inner = {node["parent"] for node in nodes}
    at = max((i for i in range(len(nodes)) if i not in inner), key=lambda i: scores[i])
    path = []
    while at != -1:
        path.append(nodes[at]["token"])
        at = nodes[at]["parent"]
    return scores, path[::-1]


def contract_leaves_children_behind(nodes):
    if not nodes:
        raise ValueError("empty tree")
    for i, node in enumerate(nodes):
        if not -1 <= node["parent"] < i:
            raise ValueError("illegal parent")
        node["children"] = []
        if node["parent"] != -1:
            nodes[node["parent"]]["children"].append(i)
    scores, paths, best = [], [], None
    for i, node in enumerate(nodes):
        parent = node["parent"]
        scores.append(node["log_score"] + (0.0 if parent == -1 else scores[parent]))
        paths.append(([] if parent == -1 else paths[parent]) + [node["token"]])
        if not node["children"] and (best is None or scores[i] > scores[best]):
            best = i
    return scores, paths[best]


# ---- accepted_prefix


def accepted_all_matches(draft_tokens, target_tokens):
    return sum(d == t for d, t in zip(draft_tokens, target_tokens, strict=False))


def accepted_with_correction(draft_tokens, target_tokens):
    count = 0
    for draft, target in zip(draft_tokens, target_tokens, strict=False):
        count += 1
        if draft != target:
            break  # the target's own token replaces this one
    return count


def accepted_no_bound(draft_tokens, target_tokens):
    i = 0
    while draft_tokens[i] == target_tokens[i]:
        i += 1
    return i


def accepted_zero_at_the_end(draft_tokens, target_tokens):
    for i, (d, t) in enumerate(zip(draft_tokens, target_tokens, strict=False)):
        if d != t:
            return i
    return 0


def accepted_longest_run(draft_tokens, target_tokens):
    matcher = SequenceMatcher(None, draft_tokens, target_tokens, autojunk=False)
    return matcher.find_longest_match().size


def accepted_if_written_anywhere(draft_tokens, target_tokens):
    known = set(target_tokens)
    accepted = 0
    for token in draft_tokens:
        if token not in known:
            break
        accepted += 1
    return accepted


def accepted_argmin(draft_tokens, target_tokens):
    n = min(len(draft_tokens), len(target_tokens))
    if n == 0:
        return 0
    same = np.asarray(draft_tokens[:n]) == np.asarray(target_tokens[:n])
    return int(np.argmin(same))


def accepted_last_forgotten(draft_tokens, target_tokens):
    n = min(len(draft_tokens), len(target_tokens))
    count = 0
    for i in range(n - 1):
        if draft_tokens[i] != target_tokens[i]:
            break
        count += 1
    return count


def accepted_binary_search(draft_tokens, target_tokens):
    low, high = 0, min(len(draft_tokens), len(target_tokens))
    while low < high:
        middle = (low + high) // 2
        if draft_tokens[middle] == target_tokens[middle]:
            low = middle + 1
        else:
            high = middle
    return low


def accepted_zero_terminated(draft_tokens, target_tokens):
    pairs = zip(draft_tokens, target_tokens, strict=False)
    return len(list(takewhile(lambda pair: pair[0] and pair[0] == pair[1], pairs)))


def accepted_all_or_nothing(draft_tokens, target_tokens):
    n = min(len(draft_tokens), len(target_tokens))
    if list(draft_tokens[:n]) == list(target_tokens[:n]):
        return n
    return 0


# ---- tree_attention_mask


def mask_parent_only(parents):
    size = len(parents) + 1
    mask = [[False] * size for _ in range(size)]
    for i in range(size):
        mask[i][0] = True
        mask[i][i] = True
    for i, parent in enumerate(parents):
        if not -1 <= parent < i:
            raise ValueError("illegal parent")
        mask[i + 1][parent + 1] = True
    return mask


def mask_causal(parents):
    for i, parent in enumerate(parents):
        if parent < -1 or parent >= i:
            raise ValueError("parents come first")
    size = len(parents) + 1
    return np.tril(np.ones((size, size), dtype=bool)).tolist()


def mask_without_self(parents):
    n = len(parents)
    mask = [[column == 0 for column in range(n + 1)] for _ in range(n + 1)]
    for i in range(n):
        if not -1 <= parents[i] < i:
            raise ValueError("illegal parent")
        ancestor = parents[i]
        while ancestor != -1:
            mask[i + 1][ancestor + 1] = True
            ancestor = parents[ancestor]
    return mask


def mask_transposed(parents):
    size = 1 + len(parents)
    mask = np.eye(size, dtype=bool)
    for i, parent in enumerate(parents):
        if not -1 <= parent < i:
            raise ValueError("illegal parent")
        mask[:, i + 1] |= mask[:, parent + 1]
    return mask.tolist()


def mask_without_root(parents):
    size = len(parents) + 1
    mask = [[False] * size for _ in range(size)]
    mask[0][0] = True
    for i, parent in enumerate(parents):
        if parent < -1 or parent >= i:
            raise ValueError("illegal parent")
        node = i
        while node != -1:
            mask[i + 1][node + 1] = True
            node = parents[node]
    return mask


def mask_column_shifted(parents):
    n = len(parents)
    mask = [[False] * (n + 1) for _ in range(n + 1)]
    mask[0][0] = True
    for i in range(n):
        p = parents[i]
        if p < -1 or p >= i:
            raise ValueError("illegal parent")
        mask[i + 1][0] = True
        mask[i + 1][i + 1] = True
        while p >= 0:
            mask[i + 1][p] = True
            p = parents[p]
    return mask


def mask_shared_rows(parents):
    size = len(parents) + 1
    mask = [[False] * size] * size
    mask[0][0] = True
    for i, parent in enumerate(parents):
        if not -1 <= parent < i:
            raise ValueError("illegal parent")
        mask[i + 1][0] = True
        node = i
        while node >= 0:
            mask[i + 1][node + 1] = True
            node = parents[node]
    return mask


def mask_node_zero_forgotten(parents):
    size = len(parents) + 1
    mask = [[row == column or column == 0 for column in range(size)] for row in range(size)]
    for i, parent in enumerate(parents):
        if not -1 <= parent < i:
            raise ValueError("illegal parent")
        while parent > 0:
            mask[i + 1][parent + 1] = True
            parent = parents[parent]
    return mask


def mask_symmetric(parents):
    size = len(parents) + 1
    related = np.eye(size, dtype=bool)
    for i, parent in enumerate(parents):
        if not -1 <= parent < i:
            raise ValueError("illegal parent")
        related[i + 1] |= related[parent + 1]
    return (related | related.T).tolist()


def mask_two_generations(parents):
    size = len(parents) + 1
    step = np.zeros((size, size), dtype=int)
    for i, parent in enumerate(parents):
        if not -1 <= parent < i:
            raise ValueError("illegal parent")
        step[i + 1, parent + 1] = 1
    reach = np.eye(size, dtype=int) + step + step @ step
    reach[:, 0] = 1
    return (reach > 0).tolist()


def mask_root_sees_all(parents):
    rows = [[True] + [False] * len(parents)]
    for i, parent in enumerate(parents):
        if not -1 <= parent < i:
            raise ValueError("illegal parent")
        row = list(rows[parent + 1])
        row[i + 1] = True
        rows.append(row)
    rows[0] = [True] * (len(parents) + 1)
    return rows


def mask_with_siblings(parents):
    n = len(parents)
    mask = []
    for i in range(-1, n):
        if i >= 0 and not -1 <= parents[i] < i:
            raise ValueError("illegal parent")
        row = [True] + [False] * n
        node = i
        while node != -1:
            for other in range(n):
                if parents[other] == parents[node]:
                    row[other + 1] = True
            node = parents[node]
        mask.append(row)
    return mask


# ---- verify_tree


def verify_every_match(parents, tokens, choices):
    accepted = [
        i for i, (parent, token) in enumerate(zip(parents, tokens, strict=True)) if choices[parent + 1] == token
    ]
    last = accepted[-1] if accepted else -1
    return accepted, choices[last + 1]


def verify_choice_before_node(parents, tokens, choices):
    accepted = []
    wanted = choices[0]
    current = -1
    while True:
        match = next((i for i, p in enumerate(parents) if p == current and tokens[i] == wanted), None)
        if match is None:
            return accepted, wanted
        accepted.append(match)
        current = match
        wanted = choices[match]


def verify_repeats_last(parents, tokens, choices):
    accepted, current, next_token = [], -1, choices[0]
    for i in range(len(parents)):
        if parents[i] == current and tokens[i] == choices[current + 1]:
            accepted.append(i)
            current = i
            next_token = tokens[i]
    return accepted, next_token


def verify_gives_tokens(parents, tokens, choices):
    children = defaultdict(list)
    for i, parent in enumerate(parents):
        children[parent].append(i)
    node, accepted = -1, []
    while True:
        hits = [child for child in children[node] if tokens[child] == choices[node + 1]]
        if not hits:
            return accepted, choices[node + 1]
        node = hits[0]
        accepted.append(tokens[node])


def verify_no_bonus(parents, tokens, choices):
    node = -1
    accepted = []
    while True:
        children = [i for i, parent in enumerate(parents) if parent == node]
        if not children:
            # end of the draft: the next round goes on from here
            return accepted, (choices[0] if node == -1 else None)
        for child in children:
            if tokens[child] == choices[node + 1]:
                accepted.append(child)
                node = child
                break
        else:
            return accepted, choices[node + 1]


def verify_first_child_only(parents, tokens, choices):
    accepted = []
    current = -1
    while current in parents:
        child = parents.index(current)
        if tokens[child] != choices[current + 1]:
            break
        accepted.append(child)
        current = child
    return accepted, choices[current + 1]


def verify_any_later_node(parents, tokens, choices):
    accepted = []
    current = -1
    for i in range(len(tokens)):
        if tokens[i] == choices[current + 1]:
            accepted.append(i)
            current = i
    return accepted, choices[current + 1]


def verify_root_listed(parents, tokens, choices):
    accepted = [-1]
    for i, (parent, token) in enumerate(zip(parents, tokens, strict=True)):
        if parent == accepted[-1] and token == choices[parent + 1]:
            accepted.append(i)
    return accepted, choices[accepted[-1] + 1]


def verify_most_matches(parents, tokens, choices):
    best = []
    for i in range(len(parents)):
        if not -1 <= parents[i] < i:
            raise ValueError("illegal parent")
        hits, node = [], i
        while node != -1:
            if tokens[node] == choices[parents[node] + 1]:
                hits.append(node)
            node = parents[node]
        if len(hits) > len(best):
            best = hits[::-1]
    return best, choices[best[-1] + 1 if best else 0]


def verify_node_zero_is_none(parents, tokens, choices):
    edges = {}
    for i, (parent, token) in enumerate(zip(parents, tokens, strict=True)):
        edges.setdefault((parent, token), i)
    accepted = []
    node = -1
    while child := edges.get((node, choices[node + 1])):
        accepted.append(child)
        node = child
    return accepted, choices[node + 1]


def verify_next_by_depth(parents, tokens, choices):
    accepted = []
    node = -1
    for i in range(len(parents)):
        if parents[i] == node and tokens[i] == choices[node + 1]:
            accepted.append(i)
            node = i
    return accepted, choices[len(accepted)]


def verify_corrected_node_counts(parents, tokens, choices):
    accepted, node = [], -1
    while True:
        children = [i for i, parent in enumerate(parents) if parent == node]
        match = [i for i in children if tokens[i] == choices[node + 1]]
        if not match:
            # the target corrects this position, so the node there counts as done
            return accepted + children[:1], choices[node + 1]
        node = match[0]
        accepted.append(node)


def verify_tokens_taken_as_unique(parents, tokens, choices):
    node_of = {token: i for i, token in enumerate(tokens)}
    accepted = []
    current = -1
    while choices[current + 1] in node_of:
        child = node_of[choices[current + 1]]
        if parents[child] != current:
            break
        accepted.append(child)
        current = child
    return accepted, choices[current + 1]


NORMALIZE = [
    (normalize_softmax, "It takes the softmax of the weights instead of dividing them by their sum."),
    (normalize_euclidean, "It divides by the Euclidean norm instead of the sum."),
    (normalize_int_total, "It adds the weights up as integers, so fractions are cut off in the sum."),
    (normalize_moving_total, "It takes the sum anew for every weight while it overwrites the list."),
    (normalize_all_zero_check, "It rejects only all-zero weights, so 1 and -1 end in ZeroDivisionError."),
    (normalize_by_largest, "It divides by the largest weight instead of the sum."),
    (normalize_no_zero_entry, "It rejects every list that holds a zero, although a layer may have weight zero."),
    (normalize_rounded, "It rounds the shares to two decimals, so thirds no longer sum to 1."),
    (normalize_uniform_fallback, "It answers a zero sum with equal shares instead of ValueError."),
    (normalize_clamped, "It sets negative weights to zero, so 1 and -1 are not rejected."),
    (normalize_empty_is_fine, "It returns an empty list for no weights instead of raising ValueError."),
]

FUSE = [
    (fuse_raw_weights, "It uses the weights as they are, without normalising them."),
    (fuse_shortest_width, "It does not check the widths and silently cuts every layer to the shortest."),
    (fuse_zip_drops_layers, "It does not compare the counts, so zip drops the layers or weights left over."),
    (fuse_assigns, "It overwrites the result for each layer instead of adding, so only the last layer is left."),
    (fuse_wrong_axis, "It sums within each layer instead of over the layers."),
    (fuse_square_only, "It takes the number of layers for the width, which is right only if they are equal."),
    (fuse_longer_layers_pass, "It rejects layers shorter than the first one but not longer ones."),
    (fuse_first_and_last_width, "It compares only the first and the last layer's width."),
    (fuse_mean_of_weighted, "It averages the weighted layers, so it divides by the number of layers once more."),
    (fuse_weights_along_width, "It applies the weights to the dimensions instead of the layers."),
    (fuse_skips_zeros, "It leaves layers that are zero in a dimension out of that dimension's normalisation."),
    (fuse_pads_with_zeros, "It pads short layers with zeros instead of rejecting unequal widths."),
    (fuse_spare_weights_pass, "It rejects too few weights but not too many."),
]

SCORE = [
    (score_best_of_all_nodes, "It looks for the best score among all nodes instead of the leaves."),
    (score_path_from_leaf, "It returns the path from the leaf up to the root."),
    (score_last_tie_wins, "It takes the last of several equally good leaves instead of the first."),
    (score_best_per_token, "It chooses the leaf by score per token instead of by score."),
    (score_multiplies, "It multiplies the log scores along the path instead of adding them."),
    (score_best_by_own, "It chooses the leaf by its own log score instead of the cumulative one."),
    (score_leaf_by_next_node, "It takes a node for a leaf if the very next node is not its child."),
    (score_smallest_float, "It starts the search at the smallest positive float, so negative scores never win."),
    (score_deepest_only, "It takes only the deepest nodes for leaves."),
    (score_node_zero_is_root, "It takes parent 0 for the root, so node 0's score is not passed on."),
    (score_path_stops_early, "It stops the path before node 0, whose token is then missing."),
    (score_rounded, "It rounds the scores to two decimals."),
    (score_minus_one_wraps, "It uses parent -1 as a list index, so children of the root go on from the last score."),
    (score_single_first_token, "It rejects trees in which more than one node hangs on the root."),
]

CONTRACT = [
    (contract_empty_is_fine, "It returns empty lists for an empty tree instead of raising ValueError."),
    (contract_any_negative_is_root, "It takes every negative parent for the root, -2 too."),
    (contract_self_parent_slips, "Its check lets a node be its own parent, which ends in IndexError."),
    (contract_self_parent_is_root, "It takes a node that is its own parent for a child of the root."),
    (contract_any_order, "It accepts parents that come after their children."),
    (contract_asserts, "It raises AssertionError instead of ValueError for illegal trees."),
    (contract_drops_illegal_nodes, "It gives nodes with illegal parents the score minus infinity and goes on."),
    (contract_adds_in_place, "It adds the scores up inside the caller's nodes."),
    (contract_leaves_children_behind, "It writes lists of children into the caller's nodes."),
]

ACCEPTED = [
    (accepted_all_matches, "It counts every position that agrees, also those after the first disagreement."),
    (accepted_with_correction, "It counts the first disagreeing position as accepted too."),
    (accepted_no_bound, "It runs off the end of the lists if all tokens agree."),
    (accepted_zero_at_the_end, "It returns 0 if the loop ends without a disagreement."),
    (accepted_longest_run, "It returns the longest common run, wherever it stands."),
    (accepted_if_written_anywhere, "It accepts a token if the target writes it anywhere, at whatever position."),
    (accepted_argmin, "It uses argmin, which gives 0 if all positions agree."),
    (accepted_last_forgotten, "It never compares the last position."),
    (accepted_binary_search, "It searches by halves, as if no position after a disagreement could agree."),
    (accepted_zero_terminated, "It stops at token 0 as if that ended the list."),
    (accepted_all_or_nothing, "It accepts the whole draft or nothing."),
]

MASK = [
    (mask_parent_only, "A row sees only its parent, not the ancestors further up."),
    (mask_causal, "A row sees every earlier row, as in a plain sequence, other branches too."),
    (mask_without_self, "A node's row does not see itself."),
    (mask_transposed, "Rows and columns are swapped: a node sees its descendants."),
    (mask_without_root, "The nodes' rows do not see the root."),
    (mask_column_shifted, "The ancestors' columns are not shifted by one for the root."),
    (mask_shared_rows, "All rows are one and the same list."),
    (mask_node_zero_forgotten, "The walk up stops before node 0, which its descendants then do not see."),
    (mask_symmetric, "The mask is made symmetric, so that ancestors see their descendants."),
    (mask_two_generations, "A row sees its parent and grandparent but no further."),
    (mask_root_sees_all, "The root's row sees every node."),
    (mask_with_siblings, "A row sees its own and its ancestors' siblings too."),
]

VERIFY = [
    (verify_every_match, "It accepts every node that its parent's choice names, even below a rejected node."),
    (verify_choice_before_node, "It reads choices[i] instead of choices[1+i] after node i."),
    (verify_repeats_last, "Its next_token is the last accepted token instead of the target's choice after it."),
    (verify_gives_tokens, "It returns the accepted tokens instead of the node indices."),
    (verify_no_bonus, "It gives no next_token if the walk ends at a leaf."),
    (verify_first_child_only, "It tries only the first child of each node."),
    (verify_any_later_node, "It takes any later node with the right token, whoever its parent is."),
    (verify_root_listed, "It lists the root, -1, among the accepted nodes."),
    (verify_most_matches, "It takes the path with the most matches, broken runs too."),
    (verify_node_zero_is_none, "It takes node index 0 for 'not found'."),
    (verify_next_by_depth, "It looks next_token up by the number of accepted nodes instead of the last node."),
    (verify_corrected_node_counts, "It counts the first child at the disagreement as accepted too."),
    (verify_tokens_taken_as_unique, "It looks nodes up by token alone, so a token that stands twice gets lost."),
]

BLIND = [
    Wrong(exercise, function, mistake)
    for exercise, answers in (
        ("normalize_fusion_weights", NORMALIZE),
        ("fuse_layer_features", FUSE),
        ("score_candidate_tree", SCORE),
        ("candidate_tree_contract", CONTRACT),
        ("accepted_prefix", ACCEPTED),
        ("tree_attention_mask", MASK),
        ("verify_tree", VERIFY),
    )
    for function, mistake in answers
]
