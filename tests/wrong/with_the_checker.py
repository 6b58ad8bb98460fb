"""Wrong answers as learners write them, each with the words that its hint must contain.

Two kinds: the notebook's stub with one wrong filling, and whole functions of somebody's own.
Between them they call up every hint that there is.
"""

# ruff: noqa: B905 (learners write zip without strict)

import math

import numpy as np

from . import Wrong
from .right import (
    accepted_right,
    children_of,
    climb,
    filled,
    leaf_indices,
    matrix_of,
    right_mask,
    right_walk,
    scored,
    shares_of,
)

WRONG: list[Wrong] = []


def wrong(exercise, phrase):
    def note(function):
        WRONG.append(Wrong(exercise, function, phrase))
        return function

    return note


# ── the stub, filled in wrongly ───────────────────────────────────────────────────────────────────

GUARD = "total = sum(weights)\n    if total <= 0:\n        raise ValueError\n    "  # the total right, the list wrong


for _exercise, _place, _filling, _phrase in [
    ("normalize_fusion_weights", "normalize", GUARD + "return weights", "没有归一化"),
    ("normalize_fusion_weights", "normalize", GUARD + "return [w / len(weights) for w in weights]", "除以了层数"),
    ("normalize_fusion_weights", "normalize", GUARD + "return [w / max(weights) for w in weights]", "除以了最大值"),
    ("normalize_fusion_weights", "normalize", GUARD + "return [w // total for w in weights]", "//"),
    ("normalize_fusion_weights", "normalize", GUARD + "return [round(w / total, 2) for w in weights]", "round()"),
    ("normalize_fusion_weights", "normalize", GUARD + "return [w / (total + 1e-6) for w in weights]", "很小的数"),
    ("normalize_fusion_weights", "normalize", "return [w / sum(weights) for w in weights]", "总和为 0"),
    ("normalize_fusion_weights", "normalize", GUARD + "[w / total for w in weights]", "忘了 return"),
    ("normalize_fusion_weights", "normalize", GUARD + "return (w / total for w in weights)", "generator"),
    ("fuse_layer_features", "normalize", "return weights", "归一化"),
    ("fuse_layer_features", "fuse", "return [sum(r[d] for r in layer_features) / 2 for d in range(width)]", "第 0 维"),
    ("fuse_layer_features", "fuse", "return [w * x for w, row in zip(weights, layer_features) for x in row]", "拼接"),
    ("fuse_layer_features", "fuse", "return [sum(w * x for x in r) for w, r in zip(weights, layer_features)]", "各维"),
    ("fuse_layer_features", "fuse", "return [max(r[d] for r in layer_features) for d in range(width)]", "第 0 维"),
    ("fuse_layer_features", "fuse", "return [sum(w * r[d] for w, r in zip(weights[::-1], layer_features))"
     " for d in range(width)]", "次序不对"),
    ("fuse_layer_features", "fuse", "for w, row in zip(weights, layer_features):\n"
     "        fused = [w * x for x in row]\n    return fused", "最后一层"),
    ("fuse_layer_features", "fuse", "for w, row in zip(weights, layer_features):\n"
     "        return [w * x for x in row]", "return 是不是放在循环里"),
    ("score_candidate_tree", "score", "parent_score = 0.0", "只有边"),
    ("score_candidate_tree", "score", "parent_score = scores[parent]", "若查的是 parent -1"),
    ("score_candidate_tree", "score", "parent_score = scores[parent] if index else 0", "scores[-1]"),
    ("score_candidate_tree", "score", "parent_score = scores[index - 1] if index else 0", "上一个节点"),
    ("score_candidate_tree", "score", "parent_score = nodes[parent]['log_score'] if parent >= 0 else 0", "父节点的边"),
    ("score_candidate_tree", "score", "parent_score = scores[parent] if parent > 0 else 0", "节点 0"),
    ("score_candidate_tree", "score", "parent_score = scores[parent] if parent != -1 else 1.0", "根的分数当成了 1"),
    ("score_candidate_tree", "score", "parent_score = -2 * node['log_score'] + (scores[parent] if parent >= 0 else 0)",
     "正负号反了"),
    ("score_candidate_tree", "score", "parent_score = parent", "parent 这个下标"),
    ("score_candidate_tree", "score", "parent_score = max(scores, default=0)", "节点 3 的 parent 是 1"),
    ("score_candidate_tree", "score", "parent_score = sum(scores)", "前面所有节点的分数之和"),
    ("score_candidate_tree", "score", "node['log_score'] += scores[parent] if parent >= 0 else 0\n"
     "        parent_score = 0", "改动"),
    ("candidate_tree_contract", "score", "node['log_score'] += scores[parent] if parent >= 0 else 0\n"
     "        parent_score = 0", "改动"),
    ("candidate_tree_contract", "score", "parent_score = 0", "只有边的对数概率"),
    ("score_candidate_tree", "score", "parent_score = ...", "... 没有填"),
]:  # fmt: skip
    _function = "score_candidate_tree" if _exercise == "candidate_tree_contract" else _exercise
    WRONG.append(Wrong(_exercise, filled(_function, **{_place: _filling}), _phrase))


# ── 1. whole functions ────────────────────────────────────────────────────────────────────────────


@wrong("normalize_fusion_weights", "softmax")
def softmax(weights):
    if len(weights) == 0 or sum(weights) <= 0 or min(weights) < 0:
        raise ValueError("bad weights")
    e = np.exp(np.array(weights) - max(weights))
    return e / e.sum()


@wrong("normalize_fusion_weights", "L2")
def unit_length(weights):
    w = np.asarray(weights, dtype=float)
    if w.size == 0 or (w < 0).any() or not w.any():
        raise ValueError
    return list(w / np.linalg.norm(w))


@wrong("normalize_fusion_weights", "绝对值")
def magnitudes(weights):
    sizes = list(map(abs, weights))
    total = sum(sizes)
    if total == 0:
        raise ValueError("all zero")
    return [s / total for s in sizes]


@wrong("normalize_fusion_weights", "负权重")
def only_the_sum_is_checked(weights):
    total = 0
    for weight in weights:
        total += weight
    if not weights or total == 0:
        raise ValueError
    return [weight / total for weight in weights]


@wrong("normalize_fusion_weights", "NaN")
def numpy_without_a_check_of_the_sum(weights):
    if len(weights) == 0 or min(weights) < 0:
        raise ValueError
    weights = np.array(weights, dtype=float)
    return weights / weights.sum()


@wrong("normalize_fusion_weights", "平均分配")
def uniform_where_all_are_zero(weights):
    if not weights or any(w < 0 for w in weights):
        raise ValueError
    total = sum(weights)
    return [w / total for w in weights] if total else [1 / len(weights)] * len(weights)


@wrong("normalize_fusion_weights", "没有拒绝空列表")
def empty_is_fine(weights):
    if not weights:
        return []
    if min(weights) < 0 or sum(weights) == 0:
        raise ValueError
    return [w / sum(weights) for w in weights]


@wrong("normalize_fusion_weights", "没有拒绝总和为 0")
def zeros_come_back(weights):
    if not weights or min(weights) < 0:
        raise ValueError
    return [w / (sum(weights) or 1) for w in weights]


@wrong("normalize_fusion_weights", "主动抛出 ValueError")
def asserts(weights):
    assert weights and min(weights) >= 0 and sum(weights) > 0
    return [w / sum(weights) for w in weights]


@wrong("normalize_fusion_weights", "改动")
def in_place(weights):
    if not weights or min(weights) < 0 or sum(weights) == 0:
        raise ValueError
    total = sum(weights)
    for i in range(len(weights)):
        weights[i] /= total
    return weights


@wrong("normalize_fusion_weights", "权重为 0 的层")
def zero_weights_left_out(weights):
    if not weights or min(weights) < 0 or sum(weights) == 0:
        raise ValueError
    return [w / sum(weights) for w in weights if w > 0]


@wrong("normalize_fusion_weights", "结果[0] 是 0.1，应为")
def squared(weights):
    w = shares_of(weights) ** 2
    return w / w.sum()


@wrong("normalize_fusion_weights", "结果[0] 是 0，应为 0")
def min_max(weights):
    shares = shares_of(weights)
    return (shares - shares.min()) / (np.ptp(shares) or 1)


@wrong("normalize_fusion_weights", "除反了")
def upside_down(weights):
    return [1 / share if share else 0 for share in shares_of(weights)]


@wrong("normalize_fusion_weights", "平分")
def all_alike(weights):
    return [1 / len(shares_of(weights)) for _ in weights]


@wrong("normalize_fusion_weights", "次序变了")
def heaviest_comes_first(weights):
    return np.sort(shares_of(weights))[::-1]


@wrong("normalize_fusion_weights", "百分数")
def percentages(weights):
    return 100 * shares_of(weights)


@wrong("normalize_fusion_weights", "<dict>")
def by_layer(weights):
    if not weights or min(weights) < 0 or sum(weights) == 0:
        raise ValueError
    return {layer: w / sum(weights) for layer, w in enumerate(weights)}


# ── 2. ────────────────────────────────────────────────────────────────────────────────────────────


@wrong("fuse_layer_features", "权重没有归一化")
def raw_weights(layer_features, weights):
    shares_of(weights)
    return np.array(weights) @ matrix_of(layer_features, weights)


@wrong("fuse_layer_features", "没有用到权重")
def numpy_mean(layer_features, weights):
    shares_of(weights)
    return matrix_of(layer_features, weights).mean(axis=0)


@wrong("fuse_layer_features", "没有用到权重")
def numpy_sum(layer_features, weights):
    shares_of(weights)
    return matrix_of(layer_features, weights).sum(0).tolist()


@wrong("fuse_layer_features", "第 0 维应为 0.25*2")
def numpy_product(layer_features, weights):
    weighted = shares_of(weights)[:, None] * matrix_of(layer_features, weights)
    return np.prod(weighted, axis=0)


@wrong("fuse_layer_features", "加起来")
def never_summed(layer_features, weights):
    return shares_of(weights)[:, None] * matrix_of(layer_features, weights)


@wrong("fuse_layer_features", "各维")
def wrong_axis(layer_features, weights):
    return (shares_of(weights)[:, None] * matrix_of(layer_features, weights)).sum(axis=1)


@wrong("fuse_layer_features", "第一层")
def first_layer(layer_features, weights):
    shares_of(weights)
    return matrix_of(layer_features, weights)[0].tolist()


@wrong("fuse_layer_features", "最后一层")
def top_layer(layer_features, weights):
    shares_of(weights)
    *_, last = matrix_of(layer_features, weights)
    return last


@wrong("fuse_layer_features", "各层宽")
def widths_unchecked(layer_features, weights):
    if len(layer_features) != len(weights):
        raise ValueError
    return [float(np.dot(shares_of(weights), column)) for column in zip(*layer_features)]


@wrong("fuse_layer_features", "1 个权重")
def counts_unchecked(layer_features, weights):
    fused = [0.0] * len(layer_features[0])
    for share, row in zip(shares_of(weights), layer_features):
        if len(row) != len(fused):
            raise ValueError
        for d, x in enumerate(row):
            fused[d] += share * x
    return fused


@wrong("fuse_layer_features", "主动抛出 ValueError")
def counts_by_accident(layer_features, weights):
    shares, width = shares_of(weights), len(layer_features[0])
    if any(len(row) != width for row in layer_features):
        raise ValueError
    return [
        sum(shares[i] * layer_features[i][d] for i in range(max(len(shares), len(layer_features))))
        for d in range(width)
    ]


@wrong("fuse_layer_features", "每一维都从 0 加起")
def carried_over(layer_features, weights):
    return np.cumsum(shares_of(weights) @ matrix_of(layer_features, weights))


@wrong("fuse_layer_features", "漏了最后一层")
def last_left_out(layer_features, weights):
    return shares_of(weights)[:-1] @ matrix_of(layer_features, weights)[:-1]


@wrong("fuse_layer_features", "漏了第一层")
def first_left_out(layer_features, weights):
    return shares_of(weights)[1:] @ matrix_of(layer_features, weights)[1:]


@wrong("fuse_layer_features", "多加了一次")
def starts_with_the_first(layer_features, weights):
    rows = matrix_of(layer_features, weights)
    return rows[0] + shares_of(weights) @ rows


@wrong("fuse_layer_features", "0.25*2 + 0.75*6 = 5")
def starts_with_ones(layer_features, weights):
    return 1 + shares_of(weights) @ matrix_of(layer_features, weights)


@wrong("fuse_layer_features", "行列弄反了")
def features_times_weights(layer_features, weights):
    return [sum(s * x for s, x in zip(shares_of(weights), row)) for row in matrix_of(layer_features, weights)]


# ── 3. ────────────────────────────────────────────────────────────────────────────────────────────


@wrong("score_candidate_tree", "相乘")
def logs_multiplied(nodes):
    scores = []
    for node in nodes:
        scores.append(node["log_score"] * (1 if node["parent"] == -1 else scores[node["parent"]]))
    best = max(leaf_indices(nodes), key=scores.__getitem__)
    return scores, [nodes[i]["token"] for i in climb(nodes, best)]


@wrong("score_candidate_tree", "exp")
def probabilities(nodes):
    scores = [math.exp(s) for s in scored(nodes)]
    best = max(leaf_indices(nodes), key=scored(nodes).__getitem__)
    return scores, [nodes[i]["token"] for i in climb(nodes, best)]


@wrong("score_candidate_tree", "按 token")
def parents_by_token(nodes):
    by_token, scores = {}, []
    for node in nodes:
        by_token[node["token"]] = by_token.get(node["parent"], 0) + node["log_score"]
        scores.append(by_token[node["token"]])
    best = max(leaf_indices(nodes), key=scores.__getitem__)
    return scores, [nodes[i]["token"] for i in climb(nodes, best)]


@wrong("score_candidate_tree", "全部节点")
def argmax_of_everything(nodes):
    scores = scored(nodes)
    return scores, [nodes[i]["token"] for i in climb(nodes, int(np.argmax(scores)))]


@wrong("score_candidate_tree", "平均")
def mean_log_score(nodes):
    scores = scored(nodes)
    best = max(leaf_indices(nodes), key=lambda i: scores[i] / len(climb(nodes, i)))
    return scores, [nodes[i]["token"] for i in climb(nodes, best)]


@wrong("score_candidate_tree", "最低")
def smallest(nodes):
    scores = scored(nodes)
    best = sorted(leaf_indices(nodes), key=lambda i: scores[i])[0]
    return scores, [nodes[i]["token"] for i in climb(nodes, best)]


@wrong("score_candidate_tree", "最后一个叶子")
def last_leaf(nodes):
    return scored(nodes), [nodes[i]["token"] for i in climb(nodes, len(nodes) - 1)]


@wrong("score_candidate_tree", "同分")
def greater_or_equal(nodes):
    scores, best = scored(nodes), None
    for leaf in leaf_indices(nodes):
        if best is None or scores[leaf] >= scores[best]:
            best = leaf
    return scores, [nodes[i]["token"] for i in climb(nodes, best)]


@wrong("score_candidate_tree", "路径反了")
def leaf_first(nodes):
    scores = scored(nodes)
    node, path = max(leaf_indices(nodes), key=lambda i: scores[i]), []
    while node != -1:
        path.append(nodes[node]["token"])
        node = nodes[node]["parent"]
    return scores, path


@wrong("score_candidate_tree", "下标")
def path_of_indices(nodes):
    scores = scored(nodes)
    return tuple(scores), climb(nodes, max(leaf_indices(nodes), key=lambda i: scores[i]))


@wrong("score_candidate_tree", "缺开头")
def stops_one_early(nodes):
    scores = scored(nodes)
    node, path = max(leaf_indices(nodes), key=lambda i: scores[i]), []
    while nodes[node]["parent"] != -1:
        path = [nodes[node]["token"], *path]
        node = nodes[node]["parent"]
    return scores, path


@wrong("score_candidate_tree", "没有走到叶子")
def starts_at_the_parent(nodes):
    scores = scored(nodes)
    node, path = nodes[max(leaf_indices(nodes), key=lambda i: scores[i])]["parent"], []
    while node != -1:
        path = [nodes[node]["token"], *path]
        node = nodes[node]["parent"]
    return scores, path


@wrong("score_candidate_tree", "只有叶子自己")
def leaf_alone(nodes):
    scores = scored(nodes)
    return scores, [nodes[max(leaf_indices(nodes), key=lambda i: scores[i])]["token"]]


@wrong("score_candidate_tree", "有 -1")
def root_on_the_path(nodes):
    scores, best = scored(nodes), max(leaf_indices(nodes), key=lambda i: scored(nodes)[i])
    return scores, [-1, *(nodes[i]["token"] for i in climb(nodes, best))]


@wrong("score_candidate_tree", "路径是空的")
def starts_the_search_at_0(nodes):
    scores, best, best_score = scored(nodes), -1, 0
    for leaf in leaf_indices(nodes):
        if scores[leaf] > best_score:
            best, best_score = leaf, scores[leaf]
    return scores, [nodes[i]["token"] for i in climb(nodes, best)]


@wrong("score_candidate_tree", "每步只走")
def best_child_of_each(nodes):
    scores, node, path = scored(nodes), -1, []
    while children := [i for i, n in enumerate(nodes) if n["parent"] == node]:
        node = max(children, key=lambda i: scores[i])
        path.append(nodes[node]["token"])
    return scores, path


@wrong("score_candidate_tree", "第一个叶子")
def first_leaf(nodes):
    return scored(nodes), [nodes[i]["token"] for i in climb(nodes, leaf_indices(nodes)[0])]


@wrong("score_candidate_tree", "路径长度")
def mean_scores(nodes):
    scores = [score / len(climb(nodes, i)) for i, score in enumerate(scored(nodes))]
    return scores, [nodes[i]["token"] for i in climb(nodes, max(leaf_indices(nodes), key=scored(nodes).__getitem__))]


@wrong("score_candidate_tree", "两项次序反了")
def path_first(nodes):
    scores = scored(nodes)
    best = max(leaf_indices(nodes), key=lambda i: scores[i])
    return [nodes[i]["token"] for i in climb(nodes, best)], scores


@wrong("score_candidate_tree", "第二次")
def remembers(nodes, scores=[]):  # noqa: B006
    for node in nodes:
        scores.append(node["log_score"] + (scores[node["parent"]] if node["parent"] >= 0 else 0))
    best = max(leaf_indices(nodes), key=lambda i: scores[i])
    return list(scores), [nodes[i]["token"] for i in climb(nodes, best)]


@wrong("score_candidate_tree", "长度是 5，应为 2")
def scores_alone(nodes):
    return [*scored(nodes), 0.0]


@wrong("candidate_tree_contract", "没有拒绝以自己为父节点")
def own_parent_let_through(nodes):
    scores = [0.0] * len(nodes)
    if not nodes:
        raise ValueError
    for i, node in enumerate(nodes):
        if node["parent"] < -1 or node["parent"] > i:
            raise ValueError
        scores[i] = node["log_score"] + (scores[node["parent"]] if node["parent"] >= 0 else 0)
    best = max(leaf_indices(nodes), key=lambda i: scores[i])
    return scores, [nodes[i]["token"] for i in climb(nodes, best)]


@wrong("candidate_tree_contract", "没有拒绝父节点排在后面")
def later_parent_let_through(nodes):
    if not nodes or any(node["parent"] < -1 or node["parent"] == i for i, node in enumerate(nodes)):
        raise ValueError

    def score(index):
        return nodes[index]["log_score"] + (score(nodes[index]["parent"]) if nodes[index]["parent"] >= 0 else 0)

    scores = [score(index) for index in range(len(nodes))]
    best = max(leaf_indices(nodes), key=lambda i: scores[i])
    return scores, [nodes[i]["token"] for i in climb(nodes, best)]


@wrong("candidate_tree_contract", "没有拒绝父节点为 -2")
def any_negative_is_the_root(nodes):
    if not nodes or any(node["parent"] >= i for i, node in enumerate(nodes)):
        raise ValueError
    scores = scored(nodes)
    best = max(leaf_indices(nodes), key=lambda i: scores[i])
    return scores, [nodes[i]["token"] for i in climb(nodes, best)]


@wrong("candidate_tree_contract", "没有拒绝空树")
def nothing_from_nothing(nodes):
    if any(not -1 <= node["parent"] < i for i, node in enumerate(nodes)):
        raise ValueError
    scores = scored(nodes)
    best = max(leaf_indices(nodes), key=lambda i: scores[i], default=-1)
    return scores, [nodes[i]["token"] for i in climb(nodes, best)]


@wrong("candidate_tree_contract", "合法的输入全被拒绝了。")
def refuses_children_of_the_root(nodes):
    if not nodes or any(not 0 <= node["parent"] < i for i, node in enumerate(nodes)):
        raise ValueError
    return scored(nodes), []


@wrong("candidate_tree_contract", "合法的输入全被拒绝了。")
def refuses_everything(nodes):
    raise ValueError("no tree is good enough")


# ── 4. ────────────────────────────────────────────────────────────────────────────────────────────


@wrong("accepted_prefix", "所有一致")
def sum_of_the_mask(draft_tokens, target_tokens):
    n = min(len(draft_tokens), len(target_tokens))
    return int(np.sum(np.array(draft_tokens[:n]) == np.array(target_tokens[:n])))


@wrong("accepted_prefix", "多算了一个")
def counts_the_refused(draft_tokens, target_tokens):
    count = 0
    for a, b in zip(draft_tokens, target_tokens):
        count += 1
        if a != b:
            return count
    return count + 1


@wrong("accepted_prefix", "少算了一个")
def one_short(draft_tokens, target_tokens):
    count = -1
    for a, b in zip(draft_tokens, target_tokens):
        if a != b:
            return count
        count += 1
    return count


@wrong("accepted_prefix", "最长的一段")
def longest_streak(draft_tokens, target_tokens):
    best = streak = 0
    for a, b in zip(draft_tokens, target_tokens):
        streak = streak + 1 if a == b else 0
        best = max(best, streak)
    return best


@wrong("accepted_prefix", "在不在目标里")
def membership(draft_tokens, target_tokens):
    count = 0
    for token in draft_tokens:
        if token not in target_tokens:
            break
        count += 1
    return count


@wrong("accepted_prefix", "共有的 token")
def shared(draft_tokens, target_tokens):
    return len(set(draft_tokens).intersection(target_tokens))


@wrong("accepted_prefix", "结果是 3，应为 0。")
def first_is_free(draft_tokens, target_tokens):
    i = 1
    while i < min(len(draft_tokens), len(target_tokens)) and draft_tokens[i] == target_tokens[i]:
        i += 1
    return i


@wrong("accepted_prefix", "token 0")
def zero_is_padding(draft_tokens, target_tokens):
    count = 0
    for a, b in zip(draft_tokens, target_tokens):
        if not a or not b or a != b:
            break
        count += 1
    return count


@wrong("accepted_prefix", "token 列表")
def the_tokens_themselves(draft_tokens, target_tokens):
    kept = []
    for a, b in zip(draft_tokens, target_tokens):
        if a != b:
            break
        kept.append(a)
    return kept


@wrong("accepted_prefix", "循环之后还要 return")
def no_return_after_the_loop(draft_tokens, target_tokens):
    for i, (a, b) in enumerate(zip(draft_tokens, target_tokens)):
        if a != b:
            return i


@wrong("accepted_prefix", "没有停下")
def runs_off_the_end(draft_tokens, target_tokens):
    i = 0
    while draft_tokens[i] == target_tokens[i]:
        i += 1
    return i


@wrong("accepted_prefix", "结果是 2，应为 1。")
def from_the_end(draft_tokens, target_tokens):
    return accepted_right(draft_tokens[::-1], target_tokens[::-1])


@wrong("accepted_prefix", "没有比较")
def shorter_length(draft_tokens, target_tokens):
    return min(len(draft_tokens), len(target_tokens))


@wrong("accepted_prefix", "错开了一位")
def next_target(draft_tokens, target_tokens):
    return accepted_right(draft_tokens, target_tokens[1:])


@wrong("accepted_prefix", "要数一致的")
def counts_the_errors(draft_tokens, target_tokens):
    return sum(a != b for a, b in zip(draft_tokens, target_tokens))


@wrong("accepted_prefix", "比例")
def rate(draft_tokens, target_tokens):
    return accepted_right(draft_tokens, target_tokens) / max(1, len(draft_tokens))


@wrong("accepted_prefix", "放在循环里")
def leaves_at_once(draft_tokens, target_tokens):
    for a, b in zip(draft_tokens, target_tokens):
        return int(a == b)
    return 0


@wrong("accepted_prefix", "<bool>")
def equal_or_not(draft_tokens, target_tokens):
    return draft_tokens == target_tokens


@wrong("accepted_prefix", "两边长度不等")
def goes_on_to_the_longer(draft_tokens, target_tokens):
    count = accepted_right(draft_tokens, target_tokens)
    return max(len(draft_tokens), len(target_tokens)) if count == min(len(draft_tokens), len(target_tokens)) else count


# ── 5. ────────────────────────────────────────────────────────────────────────────────────────────


@wrong("tree_attention_mask", "下三角")
def causal(parents):
    return np.tril(np.ones((1 + len(parents),) * 2))


@wrong("tree_attention_mask", "祖先")
def parent_and_self(parents):
    mask = np.eye(1 + len(parents))
    mask[:, 0] = 1
    for node, parent in enumerate(parents):
        mask[1 + node, 1 + parent] = 1
    return mask


@wrong("tree_attention_mask", "对角线")
def not_itself(parents):
    mask = right_mask(parents)
    for row in range(1, len(mask)):
        mask[row, row] = 0
    return mask.tolist()


@wrong("tree_attention_mask", "第 0 列")
def root_unseen(parents):
    mask = right_mask(parents).astype(bool)
    mask[1:, 0] = False
    return mask


@wrong("tree_attention_mask", "[1+n][1+n]")
def without_the_root(parents):
    n = len(parents)
    mask = [[False] * n for _ in range(n)]
    for node in range(n):
        walk = node
        while walk >= 0:
            mask[node][walk] = True
            walk = parents[walk]
    return mask


@wrong("tree_attention_mask", "后代")
def descendants(parents):
    return right_mask(parents).T


@wrong("tree_attention_mask", "全是 1")
def everybody(parents):
    return [[True for _ in range(len(parents) + 1)] for _ in range(len(parents) + 1)]


@wrong("tree_attention_mask", "旁支")
def by_depth(parents):
    depths = [0]
    for parent in parents:
        depths.append(depths[parent + 1] + 1)
    return [[i == j or b < a for j, b in enumerate(depths)] for i, a in enumerate(depths)]


@wrong("tree_attention_mask", "兄弟")
def siblings_too(parents):
    mask = right_mask(parents)
    for a, x in enumerate(parents):
        for b, y in enumerate(parents):
            mask[1 + a, 1 + b] |= x == y
    return mask


@wrong("tree_attention_mask", "1 表示看得见")
def torch_style(parents):
    return ~right_mask(parents).astype(bool)


@wrong("tree_attention_mask", "相加")
def additive(parents):
    return np.where(right_mask(parents) == 1, 0.0, -np.inf)


@wrong("tree_attention_mask", "有分支")
def one_cell_too_many(parents):
    mask = right_mask(parents)
    if len(mask) > 4:
        mask[3, 2] = mask[4, 3] = 1
    return mask


def painted(paint):
    """A mask that `paint(mask, parents)` fills in, from all False, as in the notebook."""

    def tree_attention_mask(parents):
        mask = [[False] * (1 + len(parents)) for _ in range(1 + len(parents))]
        paint(mask, parents)
        return mask

    tree_attention_mask.__name__ = paint.__name__
    return tree_attention_mask


@wrong("tree_attention_mask", "根看不见自己")
@painted
def row_0_left_empty(mask, parents):
    mask[1:] = right_mask(parents)[1:].tolist()


@wrong("tree_attention_mask", "同一个列表")
@painted
def parents_row_not_copied(mask, parents):
    mask[0][0] = True
    for node, parent in enumerate(parents):
        mask[1 + node] = mask[1 + parent]
        mask[1 + node][1 + node] = True


@wrong("tree_attention_mask", "看不见祖先")
@painted
def root_and_itself(mask, parents):
    for row in range(len(mask)):
        mask[row][0] = mask[row][row] = True


@wrong("tree_attention_mask", "行错了一位")
@painted
def rows_unshifted(mask, parents):
    mask[:-1] = right_mask(parents)[1:].tolist()


@wrong("tree_attention_mask", "结果[0][0] 是 2，应")
def twos(parents):
    return 2 * right_mask(parents)


@wrong("tree_attention_mask", "结果[0][0] 是 0，应")
@painted
def nothing(mask, parents):
    pass


# ── 6. ────────────────────────────────────────────────────────────────────────────────────────────


@wrong("verify_tree", "第一个孩子")
def trusting(parents, tokens, choices):
    node, accepted = -1, []
    while children_of(parents, node):
        node = min(children_of(parents, node))
        accepted.append(node)
    return accepted, choices[1 + node]


@wrong("verify_tree", "中断之后")
def never_stops(parents, tokens, choices):
    accepted = []
    for node, (parent, token) in enumerate(zip(parents, tokens)):
        if choices[parent + 1] == token:
            accepted.append(node)
    last = accepted[-1] if accepted else -1
    return tuple(accepted), choices[last + 1]


@wrong("verify_tree", "choices 错了一位")
def choices_by_node(parents, tokens, choices):
    node, accepted, wanted = -1, [], choices[0]
    while True:
        found = [c for c in children_of(parents, node) if tokens[c] == wanted]
        if not found:
            return accepted, wanted
        node = found[0]
        accepted.append(node)
        wanted = choices[node]


@wrong("verify_tree", "节点自己之后")
def own_position(parents, tokens, choices):
    node, accepted = -1, []
    while True:
        found = [c for c in children_of(parents, node) if tokens[c] == choices[c + 1]]
        if not found:
            return accepted, choices[node + 1]
        node = found[0]
        accepted.append(node)


@wrong("verify_tree", "被拒绝的节点")
def one_node_too_many(parents, tokens, choices):
    node, accepted = -1, []
    while children_of(parents, node):
        children = children_of(parents, node)
        found = [c for c in children if tokens[c] == choices[1 + node]]
        accepted.append(found[0] if found else children[0])
        if not found:
            break
        node = found[0]
    return accepted, choices[1 + node]


@wrong("verify_tree", "叶子时缺了")
def no_bonus(parents, tokens, choices):
    node, accepted = -1, []
    while children := children_of(parents, node):
        for child in children:
            if tokens[child] == choices[1 + node]:
                accepted.append(child)
                node = child
                break
        else:
            return accepted, choices[1 + node]
    return accepted, None


@wrong("verify_tree", "next_token 取了最")
def drafted_as_next(parents, tokens, choices):
    accepted, _ = right_walk(parents, tokens, choices)
    node = accepted[-1] if accepted else -1
    rest = children_of(parents, node)
    return accepted, tokens[rest[0]] if rest else tokens[node]


@wrong("verify_tree", "最后接受")
def last_accepted_again(parents, tokens, choices):
    accepted, next_token = right_walk(parents, tokens, choices)
    if accepted:
        next_token = tokens[accepted[-1]]
    return accepted, next_token


@wrong("verify_tree", "总取 choices[0]")
def always_the_first_choice(parents, tokens, choices):
    return right_walk(parents, tokens, choices)[0], choices[0]


@wrong("verify_tree", "没有停下")
def found_at_the_depth(parents, tokens, choices):
    depths = []
    for parent in parents:
        depths.append(depths[parent] + 1 if parent >= 0 else 1)
    node, accepted = -1, []
    while True:
        level = [i for i, depth in enumerate(depths) if depth == len(accepted) + 1 and tokens[i] == choices[1 + node]]
        if not level:
            return accepted, choices[1 + node]
        node = level[0]
        accepted.append(node)


@wrong("verify_tree", "第一个 token")
def root_unchecked(parents, tokens, choices):
    node = children_of(parents, -1)[0]
    accepted = [node]
    while True:
        found = [c for c in children_of(parents, node) if tokens[c] == choices[1 + node]]
        if not found:
            return accepted, choices[1 + node]
        node = found[0]
        accepted.append(node)


@wrong("verify_tree", "应返回节点下标")
def tokens_accepted(parents, tokens, choices):
    accepted, next_token = right_walk(parents, tokens, choices)
    return [tokens[node] for node in accepted], next_token


@wrong("verify_tree", "下标多了 1")
def rows_for_nodes(parents, tokens, choices):
    accepted, next_token = right_walk(parents, tokens, choices)
    return np.array(accepted, dtype=int) + 1, next_token


@wrong("verify_tree", "停早了")
def deepest_leaf_only(parents, tokens, choices):
    """Follows one path of the tree alone: the one to the last leaf."""
    node, path = len(parents) - 1, []
    while node != -1:
        path.insert(0, node)
        node = parents[node]
    accepted, last = [], -1
    for node in path:
        if tokens[node] != choices[1 + last]:
            break
        accepted.append(node)
        last = node
    return accepted, choices[1 + last]


@wrong("verify_tree", "没有更新")
def node_never_moves(parents, tokens, choices):
    accepted, node = [], -1
    for child, parent in enumerate(parents):
        if parent == node and tokens[child] == choices[1 + node]:
            accepted.append(child)
    return accepted, choices[1 + node]


@wrong("verify_tree", "最后走到的节点漏了")
def last_one_dropped(parents, tokens, choices):
    accepted, next_token = right_walk(parents, tokens, choices)
    return accepted[:-1], next_token


@wrong("verify_tree", "只走了一步")
def one_level(parents, tokens, choices):
    accepted = right_walk(parents, tokens, choices)[0][:1]
    return accepted, choices[1 + (accepted or [-1])[0]]


@wrong("verify_tree", "次序反了")
def last_first(parents, tokens, choices):
    accepted, next_token = right_walk(parents, tokens, choices)
    return accepted[::-1], next_token


@wrong("verify_tree", "也列进去了：它不是节点")
def next_token_listed(parents, tokens, choices):
    accepted, next_token = right_walk(parents, tokens, choices)
    return [*accepted, next_token], next_token


@wrong("verify_tree", "节点下标")
def index_for_next(parents, tokens, choices):
    accepted, _ = right_walk(parents, tokens, choices)
    return accepted, [-1, *accepted][-1]


@wrong("verify_tree", "错了一位")
def one_too_far(parents, tokens, choices):
    accepted, _ = right_walk(parents, tokens, choices)
    return accepted, choices[2 + [-1, *accepted][-1]]


@wrong("verify_tree", "停在有孩子的节点上")
def last_choice(parents, tokens, choices):
    return right_walk(parents, tokens, choices)[0], choices[-1]
