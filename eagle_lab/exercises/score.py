"""`score_candidate_tree(nodes)`, asked twice: right trees are scored, and illegal ones refused."""

import math
from collections.abc import Sequence
from types import SimpleNamespace

from ..language import Text
from .kinds import Case, Exercise, alike, is_refusal, same


def _nodes(*rows):
    """The arguments of `score_candidate_tree` from rows of parent, token, log_score."""
    return ([{"parent": parent, "token": token, "log_score": log_score} for parent, token, log_score in rows],)


_EXAMPLE = _nodes((-1, 10, -0.1), (0, 11, -0.2), (0, 12, -1.0), (1, 13, -0.05))
_EXAMPLE_ANSWER = ([-0.1, -0.30000000000000004, -1.1, -0.35000000000000003], [10, 11, 13])

CASES = [
    Case(Text("本节例子中的树", "the tree of the text"), _EXAMPLE, _EXAMPLE_ANSWER),
    Case(
        Text("根有两个孩子，token 与下标不同", "two children of the root, tokens unlike indices"),
        _nodes((-1, 7, -0.5), (-1, 3, -0.2), (0, 5, -0.1), (1, 2, -1.6), (1, 0, -0.3), (0, 1, -0.9)),
        ([-0.5, -0.2, -0.6, -1.8, -0.5, -1.4], [3, 0]),
    ),
    Case(
        Text("短路径胜过长路径", "a short path beats a long one"),
        _nodes((-1, 4, -0.5), (-1, 5, -0.3), (1, 6, -0.3), (1, 7, -0.35), (3, 8, -0.1), (3, 9, -0.9), (5, 3, -0.8)),
        ([-0.5, -0.3, -0.6, -0.65, -0.75, -1.55, -2.35], [4]),
    ),
    Case(
        Text("两个叶子同分，取下标小的", "two equal leaves: the lower index wins"),
        _nodes((-1, 8, -0.5), (0, 9, -0.25), (0, 6, -0.25)),
        ([-0.5, -0.75, -0.75], [8, 9]),
    ),
    Case(
        Text("分数极低的一条链", "a chain of very low scores"),
        _nodes((-1, 1, -400.123456), (0, 2, -500.123456)),
        ([-400.123456, -900.246912], [1, 2]),
    ),
    Case(Text("只有一个节点", "a single node"), _nodes((-1, 0, 0)), ([0], [0])),
    Case(
        Text("有一个分支不可能，边为 -inf", "an impossible branch: its edge is -inf"),
        _nodes((-1, 3, -math.inf), (0, 5, -0.5), (-1, 4, -2)),
        ([-math.inf, -math.inf, -2], [4]),
    ),
    Case(
        Text("分支交错的大树，有的边为 0", "a larger tree, its branches interleaved, some edges 0"),
        _nodes(
            *[(-1, 1, -1), (-1, 0, -0.5), (0, 3, -0.25), (1, 3, -1), (0, 2, -2)],
            *[(3, 4, -0.75), (-1, 1, -2.5), (2, 9, 0), (3, 4, 0.0), (7, 4, -0.125)],
        ),
        ([-1, -0.5, -1.25, -1.5, -3, -2.25, -2.5, -1.25, -1.5, -1.375], [1, 3, 9, 4]),
    ),
]

CONTRACT_CASES = [
    Case(Text("空树 []", "the empty tree []"), ([],), ValueError),
    Case(
        Text("父节点为 -2 的节点", "a parent of -2"), _nodes((-1, 10, -0.1), (0, 12, -0.3), (-2, 11, -0.2)), ValueError
    ),
    Case(Text("以自己为父节点的节点", "a node that is its own parent"), _nodes((-1, 1, -1), (1, 2, 0)), ValueError),
    Case(Text("父节点为 0 的第一个节点", "a first node with the parent 0"), _nodes((0, 1, -1), (0, 2, -1)), ValueError),
    Case(
        Text("父节点排在后面的节点", "a parent that comes later"),
        _nodes((-1, 10, -0.1), (2, 11, -0.2), (0, 12, -0.3)),
        ValueError,
    ),
    Case(Text("合法的树照常评分", "a legal tree is still scored"), _EXAMPLE, _EXAMPLE_ANSWER),
    Case(
        Text("根的孩子也可排在后面", "a child of the root may come late"),
        _nodes((-1, 10, -1.0), (0, 11, 0.0), (-1, 12, -0.5)),
        ([-1.0, -1.0, -0.5], [12]),
    ),
]


def _above(values, parent):
    return values[parent] if parent >= 0 else 0


def _read(nodes):
    """The columns of a legal tree and what follows from them: `paths` of nodes, `spelled` in tokens."""
    parents, tokens, edges = ([node[key] for node in nodes] for key in ("parent", "token", "log_score"))
    scores, paths = [], []
    for node, parent in enumerate(parents):
        scores.append(_above(scores, parent) + edges[node])
        paths.append([*(paths[parent] if parent >= 0 else []), node])
    leaves = [node for node in range(len(nodes)) if node not in parents]
    spelled = [[tokens[node] for node in path] for path in paths]
    return SimpleNamespace(
        parents=parents, tokens=tokens, edges=edges, scores=scores, paths=paths, leaves=leaves, spelled=spelled
    )


def _look(got, expected, nodes):
    if isinstance(got, TypeError) and "ellipsis" in str(got):
        yield Text("parent_score 还是 ...：请换成父节点的分数。", "parent_score is still ...: put the score there.")
    if expected is ValueError:
        return
    if isinstance(got, IndexError):
        yield Text("下标越界：若查的是 parent -1 的分数，根是 0。", "Out of range: if it was parent -1, the root is 0.")
    if isinstance(got, KeyError) and got.args == (-1,):
        yield Text("parent 为 -1 时无分数可查：根的分数是 0。", "Parent -1 has no entry: take 0 for the root.")
    tree = _read(nodes)
    if is_refusal(got):
        yield from _look_refused(tree)
    if same(got, expected[0]):
        yield Text("只返回了分数；还要最高分的路径。", "Scores alone: give the best path as well.")
    if same(got, expected[1]):
        yield Text("只返回了路径；还要全部分数。", "The path alone: give all the scores as well.")
    if not (isinstance(got, Sequence) and len(got) == 2):
        return
    if same(got[0], [tree.scores[leaf] for leaf in tree.leaves]) and len(tree.leaves) < len(nodes):
        yield Text("只给了叶子的分数；每个节点都要有。", "Scores of leaves alone: give every node's.")
    if alike(got[0], expected[0]) and not same(got[0], tree.scores):
        yield from _look_sums(got[0], tree)
        yield from _look_scores(got[0], tree)
    elif same(got[0], tree.scores) and isinstance(got[1], Sequence):
        yield from _look_path(got[1], expected[1], tree)


def _look_refused(tree):
    """What a legal tree teaches that was refused."""
    if len(tree.parents) == 1:
        yield Text("只有一个节点的树也合法。", "A tree of a single node is legal.")
    if -math.inf in tree.edges:
        yield Text(
            "log_score 可以是 -inf：不可能的分支也合法。", "A log_score may be -inf: an impossible branch is legal."
        )
    if len(set(tree.tokens)) < len(tree.tokens):
        yield Text("token 可以重复：不同分支里可有同样的。", "Tokens may repeat: other branches may hold the same.")
    if 0 in tree.edges:
        yield Text("log_score 可以是 0：概率为 1。", "A log_score may be 0: a probability of 1.")
    if tree.parents.count(-1) > 1:
        yield Text("合法的树被拒绝了：-1 表示根的孩子，可有几个。", "Legal, yet refused: any node may have parent -1.")
    yield Text(
        "合法的树被拒绝了：parent 可以是 -1 或前面任一节点。", "Legal, yet refused: -1 and any earlier parent are fine."
    )


def _look_sums(scores, tree):
    """Right sums with which something more was done."""
    if any(math.isinf(edge) and not same(score, edge) for score, edge in zip(scores, tree.edges, strict=True)):
        yield Text(
            "边为 -inf 时分数也是 -inf，不用换成别的数。", "An edge of -inf gives -inf: put no other number there."
        )
    if same(scores, [-score for score in tree.scores]):
        yield Text("正负号反了：把边原样加上去。", "The sign is turned: add the edges as they are.")
    if same(sorted(scores), sorted(tree.scores)):
        yield Text("分数的次序变了：第 i 个分数属于节点 i。", "The scores are out of order: score i is node i's.")
    if same(scores, [math.exp(score) for score in tree.scores]):
        yield Text("取了 exp，分数成了概率；应保持对数。", "exp() makes probabilities: keep the logs.")
    if same(scores, [score / len(path) for score, path in zip(tree.scores, tree.paths, strict=True)]):
        yield Text("分数除以了路径长度；应是各边之和。", "Scores are divided by depth: give the sums.")


def _look_scores(scores, tree):
    """What the scores tell, by the learner's own score of each parent: so that one slip is not found twice."""
    edges, parents, tokens, before = tree.edges, tree.parents, tree.tokens, [0, *scores[:-1]]
    above = [_above(scores, parent) for parent in parents]
    wrong = [node for node, score in enumerate(scores) if not same(score, above[node] + edges[node])]
    added = [score - edge for score, edge in zip(scores, edges, strict=True)]
    node, parent = wrong[0], parents[wrong[0]]

    def wrong_are(numbers, others):
        return all(same(numbers[node], others[node]) for node in wrong)

    if wrong_are(scores, [edge * score for edge, score in zip(edges, above, strict=True)]):
        yield Text("把对数概率相乘了；对数概率要相加。", "Log-probabilities are multiplied: add them.")
    if wrong_are(scores, [score - edge for edge, score in zip(edges, above, strict=True)]):
        yield Text("做了减法：边的对数概率要加到父节点的分数上。", "Subtracted: add the edge to the parent's score.")
    if all(parents[node] < 0 for node in wrong):
        if wrong_are(added, before):
            yield Text("parent 为 -1 时读到了 scores[-1]：应取 0。", "Parent -1 reads scores[-1]: the root is 0.")
        root = f"{added[node]:g}"
        yield Text(f"根的分数当成了 {root}；应从 0 开始累加。", f"The root counts {root}: the sum starts from 0.")
    if wrong_are(added, [0] * len(scores)):
        if all(parents[node] == 0 for node in wrong):
            yield Text("节点 0 被当成了根：parent 为 -1 才是根。", "Node 0 is taken for the root: that is parent -1.")
        yield Text("只有边的对数概率，没有加父节点的累计分数。", "Only the edge: add the parent's cumulative score.")
    by_token = [scores[tokens.index(parent)] if parent in tokens[:node] else 0 for node, parent in enumerate(parents)]
    if wrong_are(added, by_token):
        yield Text("按 token 找父节点了：parent 是下标。", "The parent is looked up by token: it is an index.")
    if wrong_are(added, [_above(edges, parent) for parent in parents]):
        yield Text("加的是父节点的边，不是它的累计分数。", "Adds the parent's edge, not its cumulative score.")
    if wrong_are(added, before):
        yield Text("加的是上一个节点的分数，不是父节点的。", "Adds the previous node's score, not the parent's.")
    if wrong_are(added, [sum(scores[:node]) for node in range(len(scores))]):
        yield Text("加的是前面所有节点的分数之和；只加父节点的。", "Adds all earlier scores: add the parent's alone.")
    if wrong_are(added, [sum(scores[other] for other in path[:-1]) for path in tree.paths]):
        yield Text("祖先的分数都加上了；父节点的已含它们。", "Adds all ancestors' scores: the parent's holds them.")
    if wrong_are(added, parents):
        yield Text("加的是 parent 这个下标，不是它的分数。", "Adds the parent's index, not its score.")
    for other in range(node):
        if same(added[node], scores[other]) and other != parent:
            zh = f"节点 {node} 加的是节点 {other} 的分数；它的 parent 是 {parent}。"
            yield Text(zh, f"Node {node} adds the score of node {other}; its parent is {parent}.")
    total = f"{above[node]:g} + ({edges[node]:g}) = {above[node] + edges[node]:g}"
    zh = f"节点 {node} 的 parent 是 {parent}，分数应为 {total}。"
    yield Text(zh, f"Node {node} has the parent {parent}: its score is {total}.")


def _look_path(path, right, tree):
    best = tree.spelled.index(right)
    if same(path, tree.paths[best]):
        yield Text("路径里是节点下标；应换成 token。", "The path holds node indices: give the tokens.")
    if same(path, [tree.scores[node] for node in tree.paths[best]]):
        yield Text("路径里是分数；应换成 token。", "The path holds scores: give the tokens.")
    if path[::-1] in tree.spelled and len(path) > 1:
        yield Text("路径反了：应从根的孩子走到叶子。", "The path is reversed: it ends at the leaf.")
    if same(path, right[1:]):
        yield Text("路径缺开头的 token：走到 parent 为 -1 再停。", "The path lacks its first token: walk up to -1.")
    if same(path, right[-1:]):
        yield Text("路径里只有叶子自己：沿 parent 一直走到 -1。", "The leaf alone: walk up from parent to parent.")
    if same(path, right[:-1]):
        yield Text("路径没有走到叶子：没有孩子的才是叶子，它也算。", "Ends above the leaf: a leaf has no child.")
    if -1 in path:
        yield Text("路径里有 -1：根没有 token，不在路径上。", "The path holds -1: the root has no token.")
    if not path:
        yield Text("路径是空的：比较的初值比所有分数都高？", "An empty path: does the search start too high?")
    if path in tree.spelled:
        yield from _look_end(tree.spelled.index(path), best, tree)


def _look_end(node, best, tree):
    """What the node tells at which a path ends, if it is one of the tree's."""
    leaves, greedy = tree.leaves, -1
    while greedy in tree.parents:
        greedy = _best([child for child, parent in enumerate(tree.parents) if parent == greedy], tree.scores)
    if node == _best(range(len(tree.scores)), tree.scores):
        yield Text("在全部节点里选了最高分；只在叶子里选。", "The best of all nodes: choose among the leaves.")
    if node == 0:
        yield Text("总选节点 0：比较的初值比所有分数都高？", "Always node 0: does the search start too high?")
    if node not in leaves:
        yield Text(
            f"路径停在节点 {node}，它还有孩子；没有孩子的才是叶子。", f"The path ends at node {node}, which is no leaf."
        )
        return
    if same(tree.scores[node], tree.scores[best]):
        yield Text("同分时取了靠后的叶子；用 >，不用 >=。", "A tie goes to the later leaf: use >, not >=.")
    if node == greedy:
        yield Text("每步只走当下最好的孩子；应比较所有叶子。", "Takes the best child at each step: compare all leaves.")
    if node == _best(leaves, [tree.scores[path[-1]] / len(path) for path in tree.paths]):
        yield Text("叶子按平均每步的分数选了；应比较累计分数。", "The leaf with the best mean: compare the sums.")
    if node == _best(leaves, tree.edges):
        yield Text("叶子按自己的边选了；应比较累计分数。", "The leaf with the best edge: compare the sums.")
    if len(tree.paths[node]) == max(map(len, tree.paths)) > len(tree.paths[best]):
        yield Text("只在最深的叶子里选了；浅的也可能更好。", "Only the deepest leaves: a short path may win.")
    if node == leaves[0]:
        yield Text("选了第一个叶子，没有比较分数。", "The first leaf is chosen, whatever its score.")
    if node == leaves[-1]:
        yield Text("选了最后一个叶子，没有比较分数。", "The last leaf is chosen, whatever its score.")
    if node == _best(leaves, [-score for score in tree.scores]):
        yield Text("选了分数最低的叶子；分数越大越好。", "The worst leaf is chosen: a higher score is better.")
    zh = f"选了叶子 {node}，分数 {tree.scores[node]:g}；叶子 {best} 的 {tree.scores[best]:g} 更高。"
    yield Text(zh, f"Leaf {node} is chosen, with {tree.scores[node]:g}; leaf {best} has {tree.scores[best]:g}.")


def _best(nodes, values):
    return max(nodes, key=lambda node: values[node])  # max keeps the first of equals


EXERCISE = Exercise(CASES, _look)
CONTRACT = Exercise(CONTRACT_CASES, _look)
