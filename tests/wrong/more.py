"""More wrong answers with what their first hint must say: slips of many kinds, written to try the hints."""

# ruff: noqa: B905 (learners write zip without strict)

import math
from itertools import accumulate

import numpy as np

from . import Wrong
from .right import (
    accepted_right,
    children_of,
    climb,
    leaf_indices,
    matrix_of,
    refuse_unless,
    right_mask,
    right_walk,
    scored,
    shares_of,
)

MORE: list[Wrong] = []


def wrong(exercise, phrase):
    def note(function):
        MORE.append(Wrong(exercise, function, phrase))
        return function

    return note


# ── 1. ────────────────────────────────────────────────────────────────────────────────────────────


def checked(weights):
    refuse_unless(weights and min(weights) >= 0 and sum(weights) > 0)
    return list(weights)


@wrong("normalize_fusion_weights", "总和小于 1")
def tiny_sums_refused(weights):
    refuse_unless(weights and min(weights) >= 0 and sum(weights) >= 1e-8)
    return [w / sum(weights) for w in weights]


@wrong("normalize_fusion_weights", "总和小于 1")
def close_to_zero_refused(weights):
    refuse_unless(weights and min(weights) >= 0 and not math.isclose(sum(weights), 0, abs_tol=1e-9))
    return [w / sum(weights) for w in weights]


@wrong("normalize_fusion_weights", "百分数")
def in_percent(weights):
    return [100 * w / sum(checked(weights)) for w in weights]


@wrong("normalize_fusion_weights", "有权重为 0")
def zeros_refused(weights):
    refuse_unless(all(w > 0 for w in checked(weights)))
    return [w / sum(weights) for w in weights]


@wrong("normalize_fusion_weights", "只有一个权重")
def one_weight_refused(weights):
    refuse_unless(len(checked(weights)) > 1)
    return [w / sum(weights) for w in weights]


@wrong("normalize_fusion_weights", "return 是不是放在循环里了")
def first_share_alone(weights):
    for w in checked(weights):
        return [w / sum(weights)]


@wrong("normalize_fusion_weights", "return 是不是放在循环里了")
def first_share_as_a_number(weights):
    for w in checked(weights):
        return w / sum(weights)


@wrong("normalize_fusion_weights", "返回的是总和")
def the_total(weights):
    return sum(checked(weights))


@wrong("normalize_fusion_weights", "结果[1] 是 1，应为 0")
def cumulated(weights):
    return list(accumulate(shares_of(weights)))


@wrong("normalize_fusion_weights", "结果[0] 是 0.3333")
def odds(weights):
    return [w / ((sum(weights) - w) or 1) for w in checked(weights)]


@wrong("normalize_fusion_weights", "<str>")
def as_text(weights):
    return str([w / sum(weights) for w in checked(weights)])


@wrong("normalize_fusion_weights", "多套了一层列表")
def nested_in_a_list(weights):
    return [[w / sum(weights) for w in checked(weights)]]


@wrong("normalize_fusion_weights", "次序变了")
def turned_round(weights):
    return [w / sum(weights) for w in reversed(checked(weights))]


@wrong("normalize_fusion_weights", "输入合法，却抛出了 ValueError，原因见上")
def two_weights_by_name(weights):
    a, b = checked(weights)
    return [a / (a + b), b / (a + b)]


@wrong("normalize_fusion_weights", "没有归一化")
def divides_a_copy(weights):
    shares = checked(weights)
    for share in shares:
        share /= sum(weights)
    return shares


@wrong("normalize_fusion_weights", "相同的权重只留下了一个")
def without_duplicates(weights):
    return sorted({w / sum(weights) for w in checked(weights)})


# ── 2. ────────────────────────────────────────────────────────────────────────────────────────────


@wrong("fuse_layer_features", "return 是不是放在循环里了")
def leaves_after_one_dimension(layer_features, weights):
    rows, shares = matrix_of(layer_features, weights), shares_of(weights)
    fused = []
    for d in range(len(rows[0])):
        fused.append(sum(s * row[d] for s, row in zip(shares, rows)))
        return fused


@wrong("fuse_layer_features", "return 是不是放在循环里了")
def one_dimension_as_a_number(layer_features, weights):
    rows, shares = matrix_of(layer_features, weights), shares_of(weights)
    for d in range(len(rows[0])):
        return sum(s * row[d] for s, row in zip(shares, rows))


@wrong("fuse_layer_features", "结果是 6，应为列表。")
def grand_total(layer_features, weights):
    return float((shares_of(weights)[:, None] * matrix_of(layer_features, weights)).sum())


@wrong("fuse_layer_features", "结果的长度是 1，应为 2。")
def grand_total_in_a_list(layer_features, weights):
    total = 0
    for share, row in zip(shares_of(weights), matrix_of(layer_features, weights)):
        for x in row:
            total += share * x
    return [total]


@wrong("fuse_layer_features", "只有一层")
def one_layer_refused(layer_features, weights):
    refuse_unless(len(layer_features) > 1)
    return shares_of(weights) @ matrix_of(layer_features, weights)


@wrong("fuse_layer_features", "宽度为 1，或有权重为 0")
def width_1_refused(layer_features, weights):
    refuse_unless(len(layer_features[0]) > 1)
    return shares_of(weights) @ matrix_of(layer_features, weights)


@wrong("fuse_layer_features", "宽度为 1，或有权重为 0")
def zero_weights_refused(layer_features, weights):
    refuse_unless(min(weights) > 0)
    return shares_of(weights) @ matrix_of(layer_features, weights)


@wrong("fuse_layer_features", "第一层没有乘")
def first_layer_unweighted(layer_features, weights):
    rows, shares = matrix_of(layer_features, weights), shares_of(weights)
    fused = rows[0].copy()
    for share, row in zip(shares[1:], rows[1:]):
        fused += share * row
    return fused


@wrong("fuse_layer_features", "输入被改动了")
def adds_into_the_first_layer(layer_features, weights):
    matrix_of(layer_features, weights)
    shares = shares_of(weights)
    fused = layer_features[0]
    for d in range(len(fused)):
        fused[d] = sum(s * row[d] for s, row in zip(shares, layer_features))
    return fused


@wrong("fuse_layer_features", "次序不对")
def weights_sorted(layer_features, weights):
    return np.sort(shares_of(weights))[::-1] @ matrix_of(layer_features, weights)


@wrong("fuse_layer_features", "softmax")
def softmax_shares(layer_features, weights):
    shares_of(weights)
    e = np.exp(np.array(weights, dtype=float))
    return e / e.sum() @ matrix_of(layer_features, weights)


@wrong("fuse_layer_features", "又除以了层数")
def mean_instead_of_sum(layer_features, weights):
    return np.mean(shares_of(weights)[:, None] * matrix_of(layer_features, weights), axis=0)


@wrong("fuse_layer_features", "输入合法，却抛出了 ValueError，原因见上")
def three_layers_by_name(layer_features, weights):
    matrix_of(layer_features, weights)
    low, mid, high = layer_features
    a, b, c = shares_of(weights)
    return [a * x + b * y + c * z for x, y, z in zip(low, mid, high)]


@wrong("fuse_layer_features", "<generator>")
def lazily(layer_features, weights):
    rows, shares = matrix_of(layer_features, weights), shares_of(weights)
    return (sum(s * row[d] for s, row in zip(shares, rows)) for d in range(len(rows[0])))


# ── 3. ────────────────────────────────────────────────────────────────────────────────────────────


def answer(nodes, scores, best=None):
    best = max(leaf_indices(nodes), key=lambda i: scores[i]) if best is None else best
    return scores, [nodes[i]["token"] for i in climb(nodes, best)]


@wrong("score_candidate_tree", "前面所有节点的分数之和")
def all_earlier_scores(nodes):
    scores = []
    for node in nodes:
        scores.append(sum(scores) + node["log_score"])
    return answer(nodes, scores)


@wrong("score_candidate_tree", "祖先的分数都加上了")
def all_ancestors_scores(nodes):
    scores = []
    for node in nodes:
        above, total = node["parent"], node["log_score"]
        while above != -1:
            total += scores[above]
            above = nodes[above]["parent"]
        scores.append(total)
    return answer(nodes, scores)


@wrong("score_candidate_tree", "上一个节点")
def running_total(nodes):
    return answer(nodes, list(accumulate(node["log_score"] for node in nodes)))


@wrong("score_candidate_tree", "根的分数是 0")
def scores_in_a_dict(nodes):
    scores = {}
    for i, node in enumerate(nodes):
        scores[i] = scores[node["parent"]] + node["log_score"]
    return answer(nodes, list(scores.values()))


@wrong("score_candidate_tree", "有边为 -inf")
def impossible_refused(nodes):
    refuse_unless(all(math.isfinite(node["log_score"]) for node in nodes))
    return answer(nodes, scored(nodes))


@wrong("score_candidate_tree", "-inf")
def impossible_softened(nodes):
    edges = [dict(node, log_score=max(node["log_score"], -1e9)) for node in nodes]
    return answer(nodes, scored(edges))


@wrong("score_candidate_tree", "有边为 0")
def certain_refused(nodes):
    refuse_unless(all(node["log_score"] < 0 for node in nodes))
    return answer(nodes, scored(nodes))


@wrong("score_candidate_tree", "树只有一个节点")
def single_refused(nodes):
    refuse_unless(len(nodes) > 1)
    return answer(nodes, scored(nodes))


@wrong("score_candidate_tree", "token 有重复")
def same_tokens_refused(nodes):
    refuse_unless(len({node["token"] for node in nodes}) == len(nodes))
    return answer(nodes, scored(nodes))


@wrong("score_candidate_tree", "下标")
def spelled_in_nodes(nodes):
    return scored(nodes), climb(nodes, max(leaf_indices(nodes), key=scored(nodes).__getitem__))


@wrong("score_candidate_tree", "路径里是分数")
def path_of_scores(nodes):
    scores = scored(nodes)
    return scores, [scores[i] for i in climb(nodes, max(leaf_indices(nodes), key=scores.__getitem__))]


@wrong("score_candidate_tree", "最深的叶子")
def deepest(nodes):
    scores = scored(nodes)
    return answer(nodes, scores, max(leaf_indices(nodes), key=lambda i: (len(climb(nodes, i)), scores[i])))


@wrong("score_candidate_tree", "路径反了")
def from_the_leaf(nodes):
    scores, path = answer(nodes, scored(nodes))
    return scores, list(reversed(path))


@wrong("score_candidate_tree", "只返回了分数")
def no_path(nodes):
    return scored(nodes)


@wrong("score_candidate_tree", "只返回了路径")
def no_scores(nodes):
    return answer(nodes, scored(nodes))[1]


@wrong("score_candidate_tree", "分数的次序变了")
def scores_ranked(nodes):
    scores, path = answer(nodes, scored(nodes))
    return sorted(scores, reverse=True), path


@wrong("score_candidate_tree", "减法")
def subtracts_below_the_root(nodes):
    scores = []
    for node in nodes:
        scores.append(node["log_score"] if node["parent"] == -1 else scores[node["parent"]] - node["log_score"])
    return answer(nodes, scores)


@wrong("score_candidate_tree", "正负号")
def costs(nodes):
    scores, path = answer(nodes, scored(nodes))
    return [-score for score in scores], path


@wrong("score_candidate_tree", "只给了叶子的分数")
def leaves_only(nodes):
    scores, path = answer(nodes, scored(nodes))
    return [scores[leaf] for leaf in leaf_indices(nodes)], path


@wrong("score_candidate_tree", "停得下来吗")
def endless_recursion(nodes):
    def score(i):
        return score(nodes[i]["parent"]) + nodes[i]["log_score"]

    return answer(nodes, [score(i) for i in range(len(nodes))])


@wrong("score_candidate_tree", "输入合法，却抛出了 ValueError，原因见上")
def child_of_every_node_wanted(nodes):
    parents = [node["parent"] for node in nodes]
    children = [parents.index(i) for i in range(len(nodes))]
    return answer(nodes, scored(nodes), children[-1])


@wrong("candidate_tree_contract", "没有拒绝父节点为 0 的第一个节点")
def first_node_unchecked(nodes):
    refuse_unless(nodes and all(-1 <= node["parent"] < i for i, node in enumerate(nodes) if i))
    scores = [0.0] * len(nodes)
    for i, node in enumerate(nodes):
        scores[i] = node["log_score"] + (scores[node["parent"]] if node["parent"] >= 0 else 0)
    return scores, []


# ── 4. ────────────────────────────────────────────────────────────────────────────────────────────


@wrong("accepted_prefix", "多算了一个")
def counts_the_correction(draft_tokens, target_tokens):
    return accepted_right(draft_tokens, target_tokens) + 1


@wrong("accepted_prefix", "少算了一个")
def last_index_that_agrees(draft_tokens, target_tokens):
    return max(0, accepted_right(draft_tokens, target_tokens) - 1)


@wrong("accepted_prefix", "排了序")
def sorted_first(draft_tokens, target_tokens):
    return accepted_right(sorted(draft_tokens), sorted(target_tokens))


@wrong("accepted_prefix", "有一边为空")
def empty_refused(draft_tokens, target_tokens):
    refuse_unless(draft_tokens and target_tokens)
    return accepted_right(draft_tokens, target_tokens)


@wrong("accepted_prefix", "两边长度不等")
def unequal_refused(draft_tokens, target_tokens):
    refuse_unless(len(draft_tokens) == len(target_tokens))
    return accepted_right(draft_tokens, target_tokens)


@wrong("accepted_prefix", "两边长度不等")
def strict_zip(draft_tokens, target_tokens):
    count = 0
    for a, b in zip(draft_tokens, target_tokens, strict=True):
        if a != b:
            break
        count += 1
    return count


@wrong("accepted_prefix", "每个位置的真假")
def list_of_agreements(draft_tokens, target_tokens):
    return [a == b for a, b in zip(draft_tokens, target_tokens)]


@wrong("accepted_prefix", "输入被改动了")
def pops(draft_tokens, target_tokens):
    count = 0
    while draft_tokens and target_tokens and draft_tokens.pop(0) == target_tokens.pop(0):
        count += 1
    return count


# ── 5. ────────────────────────────────────────────────────────────────────────────────────────────


@wrong("tree_attention_mask", "只看见父节点和自己")
def parent_and_itself(parents):
    mask = np.eye(1 + len(parents))
    for node, parent in enumerate(parents):
        mask[1 + node, 1 + parent] = 1
    return mask


@wrong("tree_attention_mask", "每行只看见自己")
def identity(parents):
    return np.eye(1 + len(parents))


@wrong("tree_attention_mask", "列号")
def lists_of_columns(parents):
    return [[column for column, cell in enumerate(row) if cell] for row in right_mask(parents)]


@wrong("tree_attention_mask", "正方形")
def no_column_for_the_root(parents):
    return right_mask(parents)[:, 1:]


@wrong("tree_attention_mask", "拉成了一行")
def flat(parents):
    return right_mask(parents).ravel()


@wrong("tree_attention_mask", "下三角")
def strictly_lower(parents):
    return np.tril(np.ones((1 + len(parents),) * 2), -1) + np.eye(1 + len(parents))


@wrong("tree_attention_mask", "兄弟")
def brothers(parents):
    seen = right_mask(parents)
    for younger in range(len(parents)):
        for older in range(younger):
            if parents[younger] == parents[older]:
                seen[1 + younger, 1 + older] = 1
    return seen


@wrong("tree_attention_mask", "结果[1][0] 是 2，应")
def distances(parents):
    depths = [0]
    for parent in parents:
        depths.append(depths[1 + parent] + 1)
    mask = right_mask(parents)
    return [[cell * (1 + depths[i] - depths[j]) for j, cell in enumerate(row)] for i, row in enumerate(mask)]


# ── 6. ────────────────────────────────────────────────────────────────────────────────────────────


@wrong("verify_tree", "只返回了走过的节点")
def no_next_token(parents, tokens, choices):
    return right_walk(parents, tokens, choices)[0]


@wrong("verify_tree", "只返回了 next_token")
def no_nodes(parents, tokens, choices):
    return right_walk(parents, tokens, choices)[1]


@wrong("verify_tree", "分成两项")
def flat_answer(parents, tokens, choices):
    accepted, next_token = right_walk(parents, tokens, choices)
    return [*accepted, next_token]


@wrong("verify_tree", "个数")
def how_many(parents, tokens, choices):
    accepted, next_token = right_walk(parents, tokens, choices)
    return len(accepted), next_token


@wrong("verify_tree", "别的分支")
def level_by_level(parents, tokens, choices):
    accepted, node = [], -1
    for child in range(len(parents)):
        if tokens[child] == choices[1 + node]:
            accepted.append(child)
            node = child
    return accepted, choices[1 + node]


@wrong("verify_tree", "两项次序反了")
def next_token_first(parents, tokens, choices):
    return right_walk(parents, tokens, choices)[::-1]


@wrong("verify_tree", "要在孩子里找")
def token_as_node(parents, tokens, choices):
    accepted, node = [], -1
    while choices[1 + node] < len(parents) and parents[choices[1 + node]] == node:
        node = choices[1 + node]
        accepted.append(node)
    return accepted, choices[1 + node]


@wrong("verify_tree", "token 会重复")
def found_by_dict(parents, tokens, choices):
    node_of = {token: node for node, token in reversed(list(enumerate(tokens)))}
    accepted, node = [], -1
    while (child := node_of.get(choices[1 + node])) is not None and parents[child] == node:
        accepted.append(child)
        node = child
    return accepted, choices[1 + node]


@wrong("verify_tree", "token 有重复 或 要走三步或更多")
def two_steps(parents, tokens, choices):
    accepted = right_walk(parents, tokens, choices)[0][:2]
    return accepted, choices[1 + [-1, *accepted][-1]]


@wrong("verify_tree", "没有更新")
def children_of_the_root_only(parents, tokens, choices):
    accepted = [child for child in children_of(parents, -1) if tokens[child] == choices[0]]
    return accepted, choices[0]
