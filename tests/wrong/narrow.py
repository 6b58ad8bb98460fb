"""Narrow wrong answers: each fails on a single case of its exercise, which is what that case is for."""

# ruff: noqa: B905 (learners write zip without strict)

from itertools import pairwise

import numpy as np

from .blind_third import score_recursive
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
from .with_the_checker import greater_or_equal, mean_log_score, never_stops


def two_layers_the_wrong_way_round(weights):
    shares = shares_of(weights)
    return shares[::-1] if len(shares) == 2 else shares


def whole_numbers_or_shares(weights):
    refuse_unless(all(weight < 1 or weight == int(weight) for weight in weights))
    return shares_of(weights)


def tiny_epsilon(weights):
    refuse_unless(weights and min(weights) >= 0 and sum(weights) > 0)
    return [weight / (sum(weights) + 1e-12) for weight in weights]


def signs_checked_after_dividing(weights):
    refuse_unless(weights and any(weights) and sum(weights) >= 0)
    shares = [weight / sum(weights) for weight in weights]
    refuse_unless(min(shares) >= 0)
    return shares


def signs_checked_in_the_shares(weights):
    refuse_unless(weights and sum(weights))
    shares = [weight / sum(weights) for weight in weights]
    refuse_unless(min(shares) >= 0)
    return shares


def only_the_first_sign_is_checked(weights):
    refuse_unless(weights and weights[0] >= 0 and sum(weights) > 0)
    return [weight / sum(weights) for weight in weights]


def all_signs_but_the_first_are_checked(weights):
    refuse_unless(weights and min(weights[1:], default=0) >= 0 and sum(weights) > 0)
    return [weight / sum(weights) for weight in weights]


def two_layers_between(layer_features, weights):
    shares, rows = shares_of(weights), matrix_of(layer_features, weights)
    return shares[0] * (rows[1] - rows[0]) + rows[0] if len(rows) == 2 else shares @ rows


def between_first_and_last(layer_features, weights):
    share, rows = shares_of(weights)[-1], matrix_of(layer_features, weights)
    return rows[0] + share * (rows[-1] - rows[0])


def fused_if(right, layer_features, weights):
    refuse_unless(right and layer_features[0])
    return [sum(s * x for s, x in zip(shares_of(weights), column)) for column in zip(*layer_features)]


def growing_widths_pass(layer_features, weights):
    widths = list(map(len, layer_features))
    return fused_if(all(a <= b for a, b in pairwise(widths)) and len(widths) == len(weights), layer_features, weights)


def first_and_last_row_compared(layer_features, weights):
    widths = list(map(len, layer_features))
    return fused_if(widths[0] == widths[-1] and len(widths) == len(weights), layer_features, weights)


def narrower_rows_pass(layer_features, weights):
    widths = list(map(len, layer_features))
    return fused_if(max(widths) == widths[0] and len(widths) == len(weights), layer_features, weights)


def fused_by(normalize, layer_features, weights):
    return np.array(normalize(weights)) @ matrix_of(layer_features, weights)


def fused_with_the_first_sign_checked(layer_features, weights):
    return fused_by(only_the_first_sign_is_checked, layer_features, weights)


def fused_with_the_first_sign_unchecked(layer_features, weights):
    return fused_by(all_signs_but_the_first_are_checked, layer_features, weights)


def fused_without_a_look_at_the_sum(layer_features, weights):
    refuse_unless(min(weights) >= 0)
    return np.array(weights) / sum(weights) @ matrix_of(layer_features, weights)


def too_few_weights_pass(layer_features, weights):
    widths = list(map(len, layer_features))
    return fused_if(len(set(widths)) == 1 and len(widths) >= len(weights), layer_features, weights)


def too_many_weights_pass(layer_features, weights):
    widths = list(map(len, layer_features))
    return fused_if(len(set(widths)) == 1 and len(widths) <= len(weights), layer_features, weights)


def spelled(nodes, scores, best):
    return scores, [nodes[i]["token"] for i in climb(nodes, best)]


def three_tokens_at_most(nodes):
    scores = scored(nodes)
    return scores, spelled(nodes, scores, max(leaf_indices(nodes), key=scores.__getitem__))[1][-3:]


def outer_leaves(nodes):
    scores, leaves = scored(nodes), leaf_indices(nodes)
    return spelled(nodes, scores, max(leaves[0], leaves[-1], key=scores.__getitem__))


def best_of(nodes):
    return spelled(nodes, scored(nodes), max(leaf_indices(nodes), key=scored(nodes).__getitem__))


def hundred_is_the_limit(nodes):
    scores, best, best_score = scored(nodes), 0, -100
    for leaf in leaf_indices(nodes):
        if scores[leaf] > best_score:
            best, best_score = leaf, scores[leaf]
    return spelled(nodes, scores, best)


def children_never_share_a_parent(nodes):
    parents = [node["parent"] for node in nodes if node["parent"] != -1]
    refuse_unless(nodes and all(-1 <= node["parent"] < i for i, node in enumerate(nodes)))
    refuse_unless(len(set(parents)) == len(parents))
    return best_of(nodes)


def later_nodes_may_be_their_own_parents(nodes):
    refuse_unless(nodes and nodes[0]["parent"] == -1)
    refuse_unless(all(-1 <= node["parent"] <= i for i, node in enumerate(nodes)))
    return ([], []) if any(node["parent"] == i for i, node in enumerate(nodes)) else best_of(nodes)


def first_node_is_not_looked_at(nodes):
    refuse_unless(nodes and all(-1 <= node["parent"] < i for i, node in enumerate(nodes) if i))
    return best_of([{**nodes[0], "parent": -1}, *nodes[1:]])


def one_child_of_the_root(nodes):
    refuse_unless(nodes and all(-1 <= node["parent"] < i for i, node in enumerate(nodes)))
    refuse_unless(all(node["parent"] >= 0 for node in nodes[1:]))
    return best_of(nodes)


def summed_if_the_first_agrees(draft_tokens, target_tokens):
    return sum(a == b for a, b in zip(draft_tokens, target_tokens)) if draft_tokens[:1] == target_tokens[:1] else 0


def no_answer_at_the_very_end(draft_tokens, target_tokens):
    for i in range(max(len(draft_tokens), len(target_tokens))):
        if i >= len(draft_tokens) or i >= len(target_tokens) or draft_tokens[i] != target_tokens[i]:
            return i


def first_counts_anyway(draft_tokens, target_tokens):
    return 1 + accepted_right(draft_tokens[1:], target_tokens[1:]) if draft_tokens and target_tokens else 0


def empty_draft_refused(draft_tokens, target_tokens):
    refuse_unless(draft_tokens)
    return accepted_right(draft_tokens, target_tokens)


def looks_at_the_first(draft_tokens, target_tokens):
    return accepted_right(draft_tokens, target_tokens) if draft_tokens and draft_tokens[0] == target_tokens[0] else 0


def as_long_as_the_draft(draft_tokens, target_tokens):
    if not target_tokens:
        return 0
    return next((i for i in range(len(draft_tokens)) if draft_tokens[i] != target_tokens[i]), len(draft_tokens))


def the_same_tokens_in_any_order(draft_tokens, target_tokens):
    lengths = range(1 + min(len(draft_tokens), len(target_tokens)))
    return max(n for n in lengths if sorted(draft_tokens[:n]) == sorted(target_tokens[:n]))


def no_width_is_fine(layer_features, weights):
    if not any(layer_features) and len(layer_features) == len(shares_of(weights)):
        return []
    return shares_of(weights) @ matrix_of(layer_features, weights)


def as_long_as_the_target(draft_tokens, target_tokens):
    if not draft_tokens:
        return 0
    return next((i for i in range(len(target_tokens)) if draft_tokens[i] != target_tokens[i]), len(target_tokens))


def whole_branch(parents):
    mask, top = right_mask(parents), []
    for node, parent in enumerate(parents):
        top.append(node if parent < 0 else top[parent])
        mask[1 + node, 1 : 2 + node] = [earlier == top[node] for earlier in top]
    return mask


def node_0_for_everybody(parents):
    mask = right_mask(parents)
    mask[1:, 1:2] = 1
    return mask


def two_ancestors(parents):
    mask = np.eye(1 + len(parents))
    mask[:, 0] = 1
    for node, parent in enumerate(parents):
        mask[1 + node, 1 + parent] = 1
        if parent >= 0:
            mask[1 + node, 1 + parents[parent]] = 1
    return mask


def lone_node_is_the_root(parents):
    return right_mask(parents) if len(parents) != 1 else [[1]]


def nothing_without_nodes(parents):
    return right_mask(parents) if parents else []


def as_many_steps_as_rows(parents):
    """The number of ways up to an ancestor, which is too large for 64 bits in a deep tree."""
    step = np.eye(1 + len(parents), dtype=np.int64)
    step[np.arange(1, len(step)), 1 + np.array(parents, dtype=int)] = 1
    return np.linalg.matrix_power(step, len(step)) > 0


def lone_node_is_never_accepted(parents, tokens, choices):
    return right_walk(parents, tokens, choices) if len(parents) != 1 else ([], choices[0])


def no_choice_without_nodes(parents, tokens, choices):
    return right_walk(parents, tokens, choices) if parents else ([], None)


def three_steps_at_most(parents, tokens, choices):
    accepted, _ = right_walk(parents, tokens, choices)
    return accepted[:3], choices[1 + [-1, *accepted[:3]][-1]]


def falls_back_to_the_first_child(parents, tokens, choices):
    accepted, next_token = right_walk(parents, tokens, choices)
    return (accepted, next_token) if accepted or not parents else ([0], choices[1])


def token_0_is_none(parents, tokens, choices):
    node, accepted = -1, []
    while choices[1 + node] and (found := [c for c in children_of(parents, node) if tokens[c] == choices[1 + node]]):
        node = found[0]
        accepted.append(node)
    return accepted, choices[1 + node]


def children_first_then_anywhere(parents, tokens, choices):
    node, accepted = -1, []
    while choices[1 + node] in tokens:
        fitting = [c for c in range(node + 1, len(tokens)) if tokens[c] == choices[1 + node]]
        if not fitting:
            break
        node = max(fitting, key=lambda c: parents[c] == node)
        accepted.append(node)
    return accepted, choices[1 + node]


def looks_past_a_refusal(parents, tokens, choices):
    """A child that is refused is passed over, if one of its own children would have been chosen after it."""
    accepted, last = right_walk(parents, tokens, choices)
    node = [-1, *accepted][-1]
    below = [i for i, parent in enumerate(parents) if parent >= 0 and parents[parent] == node]
    below = [i for i in below if tokens[i] == choices[1 + parents[i]]]
    return (accepted + below[:1], choices[1 + below[0]]) if accepted and below else (accepted, last)


def a_neighbours_child_will_do(parents, tokens, choices):
    node, accepted = -1, []
    while fitting := [i for i, p in enumerate(parents) if p in (node, node - 1) and tokens[i] == choices[1 + node]]:
        node = fitting[0]
        accepted.append(node)
    return accepted, choices[1 + node]


def first_node_of_that_token(parents, tokens, choices):
    node, accepted = -1, []
    while (wanted := choices[1 + node]) in tokens and parents[tokens.index(wanted)] == node:
        node = tokens.index(wanted)
        accepted.append(node)
    return accepted, wanted


def digits_that_begin_alike(draft_tokens, target_tokens):
    count = 0
    for drafted, wanted in zip(draft_tokens, target_tokens, strict=False):
        if not str(wanted).startswith(str(drafted)):
            break
        count += 1
    return count


NARROW = {
    "normalize_fusion_weights": [
        two_layers_the_wrong_way_round,
        whole_numbers_or_shares,
        tiny_epsilon,
        signs_checked_after_dividing,
        signs_checked_in_the_shares,
        only_the_first_sign_is_checked,
        all_signs_but_the_first_are_checked,
    ],
    "fuse_layer_features": [
        no_width_is_fine,
        two_layers_between,
        between_first_and_last,
        growing_widths_pass,
        first_and_last_row_compared,
        narrower_rows_pass,
        too_few_weights_pass,
        too_many_weights_pass,
        fused_with_the_first_sign_checked,
        fused_with_the_first_sign_unchecked,
        fused_without_a_look_at_the_sum,
    ],
    "score_candidate_tree": [
        three_tokens_at_most,
        outer_leaves,
        mean_log_score,
        greater_or_equal,
        hundred_is_the_limit,
        score_recursive,
    ],
    "candidate_tree_contract": [
        children_never_share_a_parent,
        one_child_of_the_root,
        later_nodes_may_be_their_own_parents,
        first_node_is_not_looked_at,
    ],
    "accepted_prefix": [
        the_same_tokens_in_any_order,
        summed_if_the_first_agrees,
        no_answer_at_the_very_end,
        first_counts_anyway,
        empty_draft_refused,
        looks_at_the_first,
        as_long_as_the_draft,
        as_long_as_the_target,
        digits_that_begin_alike,
    ],
    "tree_attention_mask": [
        whole_branch,
        node_0_for_everybody,
        two_ancestors,
        lone_node_is_the_root,
        nothing_without_nodes,
        as_many_steps_as_rows,
    ],
    "verify_tree": [
        token_0_is_none,
        never_stops,
        falls_back_to_the_first_child,
        children_first_then_anywhere,
        looks_past_a_refusal,
        a_neighbours_child_will_do,
        first_node_of_that_token,
        lone_node_is_never_accepted,
        no_choice_without_nodes,
        three_steps_at_most,
    ],
}
