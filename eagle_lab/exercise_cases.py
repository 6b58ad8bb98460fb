"""What the exercises ask for: the cases of each, and what can be seen of a wrong answer.

`look` gives sentences that are true of one wrong answer, the most telling first. One case may show by chance what is
not the mistake; so `exercises.check` picks, of the sentences that are true of a case, the one that is true of most.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from .fusion import normalize_fusion_weights
from .language import current_language

TOLERANCE = 1e-9


class Text(NamedTuple):
    """One sentence in both languages; `str()` gives the one in use."""

    zh: str
    en: str

    def __str__(self) -> str:
        return getattr(self, current_language())


class Case(NamedTuple):
    """One call of the learner's function; `expected` is the answer, or `ValueError` for input to refuse."""

    title: Text
    arguments: tuple
    expected: object


class Exercise(NamedTuple):
    """What one named test asks; `look(got, expected, *arguments)`: `got` is the value, or the exception raised."""

    cases: list[Case]
    look: Callable[..., Iterator[Text]]


class OneRow(list):
    """Rows of which several are one and the same list."""


def is_number(value) -> bool:
    """Whether this is a plain number, which is what `exercises` makes of every kind of number."""
    return isinstance(value, (int, float))


def same(left, right) -> bool:
    """Whether two answers are equal: numbers within 1e-9, lists and tuples item by item."""
    if is_number(left) and is_number(right):
        both_nan = math.isnan(left) and math.isnan(right)
        return both_nan or math.isclose(left, right, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


def alike(left, right) -> bool:
    """Whether two answers have the same form: numbers where the other has numbers, lists of the same length."""
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        return len(left) == len(right) and all(map(alike, left, right))
    return is_number(left) and is_number(right)


# ── 1. normalize_fusion_weights(weights) ─────────────────────────────────────────────────────────


def _shares(weights):
    weights = list(weights)
    return [weight / sum(weights) for weight in weights]


def _look_normalize(got, expected, weights):
    if expected is ValueError:
        yield from _look_let_through(got, weights)
        return
    if same(got, [share for share in expected if share]):
        yield Text("权重为 0 的层也要留在结果里，份额是 0。", "A layer of weight 0 stays in the result, as a 0.")
    if not alike(got, expected):
        return
    if same(got, _shares(map(math.exp, weights))):
        yield Text("用了 softmax；直接除以总和，不取指数。", "This is softmax; divide by the plain sum.")
    if same(got, _shares(weight**2 for weight in weights)):
        yield Text("权重先平方了；直接除以总和。", "The weights are squared first; divide them as they are.")
    low, high, total = min(weights), max(weights), sum(weights)
    if same(got, [(weight - low) / ((high - low) or 1) for weight in weights]):
        yield Text("用了最小-最大缩放；应除以总和。", "This is min-max scaling; divide by the sum.")
    if same(got, [total / weight if weight else 0 for weight in weights]):
        yield Text("除反了：应是权重除以总和。", "Upside down: divide the weight by the sum.")
    if same(got, [1 / len(weights) for _ in weights]):
        yield Text("各层平分了，没有用到权重。", "Equal shares: the weights are not used.")
    if same(sorted(got), sorted(expected)):
        yield Text("份额的次序变了：第 i 个份额属于第 i 层。", "The order has changed: share i belongs to layer i.")
    divisors = [weight / share if share else math.inf for weight, share in zip(weights, got, strict=True) if weight]
    divisor = divisors[0] if same(divisors, divisors[:1] * len(divisors)) else None
    if divisor is None:
        yield Text("各权重除以的数不一样：先求好总和，再逐个除。", "The divisor varies: take the sum first, once.")
    if same(divisor, 1):
        yield Text("没有归一化：每个权重都要除以总和。", "Not normalised: divide every weight by their sum.")
    if same(divisor, len(weights)):
        yield Text("除以了层数，应除以权重之和。", "Divided by the number of layers; divide by the sum.")
    if same(divisor, high):
        yield Text("除以了最大值，应除以权重之和。", "Divided by the largest weight; divide by the sum.")
    if same(divisor, math.hypot(*weights)):
        yield Text("除以了 L2 范数，应除以权重之和。", "Divided by the L2 norm; divide by the plain sum.")
    if same(divisor, sum(map(int, weights))):
        yield Text("求和时权重被取整，小数丢了：不要用 int()。", "The sum is taken of whole numbers: drop int().")
    if divisor is not None:
        zh = f"权重除以的是 {divisor:g}，应除以总和 {total:g}。"
        yield Text(zh, f"The weights are divided by {divisor:g}, not by the sum {total:g}.")


def _look_let_through(got, weights):
    if weights and sum(weights) == 0 and same(got, [math.nan for _ in weights]):
        yield Text("0 除以 0 得到 NaN；总和为 0 应先拒绝。", "0 / 0 became NaN; refuse a sum of 0 first.")
    if weights and sum(weights) == 0 and same(got, [1 / len(weights) for _ in weights]):
        yield Text("总和为 0 时改成了平均分配；应当拒绝。", "A sum of 0 became equal weights; refuse it.")
    if weights and min(weights) < 0 < max(weights):
        if same(got, _shares(map(abs, weights))):
            yield Text("负权重取了绝对值；应当拒绝它。", "abs() hides a negative weight; refuse it.")
        if same(got, _shares(max(weight, 0) for weight in weights)):
            yield Text("负权重被当成了 0；应当拒绝它。", "A negative weight became 0; refuse it.")


NORMALIZE = [
    Case(Text("两层：[1, 3]", "two layers: [1, 3]"), ([1, 3],), [0.25, 0.75]),
    Case(Text("有小数：[3, 1.5, 4.5]", "with fractions: [3, 1.5, 4.5]"), ([3, 1.5, 4.5],), [1 / 3, 1 / 6, 1 / 2]),
    Case(Text("有一层权重为 0：[0, 2, 2]", "one weight is 0: [0, 2, 2]"), ([0, 2, 2],), [0, 0.5, 0.5]),
    Case(Text("权重都很小，约 1e-9", "tiny weights, about 1e-9"), ([1e-9, 1e-9, 2e-9],), [0.25, 0.25, 0.5]),
    Case(Text("空列表 []", "the empty list []"), ([],), ValueError),
    Case(Text("总和为 0 的 [0, 0]", "a sum of 0: [0, 0]"), ([0, 0],), ValueError),
    Case(Text("含负权重的 [1, -1]", "a negative weight: [1, -1]"), ([1, -1],), ValueError),
    Case(Text("总和为正但含负权重的 [3, -1]", "negative, yet a sum above 0: [3, -1]"), ([3, -1],), ValueError),
    Case(Text("全为负数的 [-1, -3]", "only negative weights: [-1, -3]"), ([-1, -3],), ValueError),
]


# ── 2. fuse_layer_features(layer_features, weights) ──────────────────────────────────────────────


def _dot(left, right):
    return sum(a * b for a, b in zip(left, right, strict=False))


def _look_fuse(got, expected, rows, weights):
    columns, layers = list(zip(*rows, strict=False)), len(rows)
    if expected is ValueError:
        widths = list(map(len, rows))
        if isinstance(got, Sequence) and len(got) == min(widths) < max(widths):
            zh = f"各层宽 {widths}，多出的被悄悄截掉了，zip 就会这样；应先拒绝，每层都要比。"
            yield Text(zh, f"Widths {widths}: the rest is cut off, as zip would; compare every layer and refuse.")
        if layers != len(weights) and same(got, [_dot(_shares(weights), column) for column in columns]):
            zh = f"{layers} 层、{len(weights)} 个权重，多出的被悄悄丢掉了，zip 就会这样；应先拒绝。"
            yield Text(zh, f"Layers: {layers}, weights: {len(weights)}; what is over is dropped, as zip would; refuse.")
        return
    shares, width = normalize_fusion_weights(weights), len(columns)
    weighted = [[share * x for x in row] for share, row in zip(shares, rows, strict=True)]
    if isinstance(got, IndexError):
        zh = f"下标越界：这里有 {layers} 层、{width} 维，别把层数当成宽度。"
        yield Text(zh, f"Out of range: {layers} layers of width {width}, do not mix them up.")
    if same(got, [x for row in weighted for x in row]):
        yield Text("各层首尾拼接了；应逐维相加。", "The layers are joined end to end; add them up.")
    if same(got, weighted) or same(got, list(zip(*weighted, strict=True))):
        yield Text("乘了权重，但没有把各层加起来。", "Weighted, but the layers are not added up.")
    if same(got, list(map(sum, weighted))) or same(got, list(map(sum, rows))):
        yield Text("把一层的各维加起来了；应对每一维把各层相加。", "Summed within a layer; sum over the layers.")
    if same(got, [_dot(shares, row) for row in rows]):
        yield Text("行列弄反了：一个权重对应一层，不是一维。", "Transposed: a weight belongs to a layer.")
    if same(got, [share * sum(column) for share, column in zip(shares, columns, strict=False)]):
        yield Text("权重乘到维上了：一个权重对应一层，不是一维。", "Weights along the width: each is a layer's.")
    if same(got, list(map(max, columns))) or same(got, list(map(max, zip(*weighted, strict=True)))):
        yield Text("逐维取了最大值；应加权求和。", "The maximum over the layers; take the weighted sum.")
    if same(got, [math.prod(column) for column in zip(*weighted, strict=True)]):
        yield Text("各层相乘了；乘以权重后应相加。", "The layers are multiplied; weight them, then add.")
    if isinstance(got, Sequence) and len(got) == layers != width:
        zh = f"结果有 {layers} 个数，那是层数；应有 {width} 个，一维一个。"
        yield Text(zh, f"{layers} numbers, as many as layers; give {width}, one for each dimension.")
    if alike(got, expected) and all(abs(x) < 1e9 for x in got):
        yield from _look_shares(got, rows, weights, shares)
        yield from _look_dimensions(got, expected, columns, shares)


def _look_shares(got, rows, weights, shares):
    """What the layers' shares tell: they follow from the result, if it is a sum of the layers at all."""
    matrix, rest = np.transpose(rows), [0] * (len(rows) - 1)
    used = np.linalg.lstsq(matrix, np.array(got), rcond=None)[0].round(12).tolist()
    if not np.allclose(matrix @ used, got, rtol=TOLERANCE):
        return
    if same(used, weights):
        yield Text("权重没有归一化：先归一化，再融合。", "The weights are not normalised: do that before fusing.")
    if same(used, used[:1] * len(rows)):
        yield Text("各层的份额一样：没有用到权重。", "All layers have the same share: the weights are not used.")
    if same(used, [*shares[:-1], 0]):
        yield Text("漏了最后一层。", "The last layer is left out.")
    if same(used, [0, *shares[1:]]):
        yield Text("漏了第一层。", "The first layer is left out.")
    if same(used, [1 + shares[0], *shares[1:]]):
        yield Text("第一层多加了一次：累加从 0 开始。", "The first layer counts twice: the sum starts from 0.")
    if same(used[1:], rest):
        yield Text("只有第一层算进去了：return 是不是放在循环里了？", "The first layer alone: return after the loop.")
    if same(used[:-1], rest):
        yield Text("只有最后一层算进去了：要用 +=，不是 =。", "The last layer alone: add with +=, do not overwrite.")
    if same(sorted(used), sorted(shares)):
        yield Text("权重的次序不对：weights[i] 属于第 i 层。", "The weights are out of order: weights[i] is layer i's.")
    if same(used, [share / len(rows) for share in shares]):
        yield Text("加权之后又除以了层数；相加即可。", "Divided by the number of layers once more: only add.")
    if len(got) > len(rows):  # or else any result would be a sum of the layers
        zh, en = (", ".join(f"{share:.3g}" for share in numbers) for numbers in (used, shares))
        yield Text(f"各层的份额成了 {zh}，应为 {en}。", f"The layers' shares are {zh}, not {en}.")


def _look_dimensions(got, expected, columns, shares):
    sums = [sum(share for share, x in zip(shares, column, strict=True) if x) or 1 for column in columns]
    if same(got, [x / total for x, total in zip(expected, sums, strict=True)]):
        yield Text(
            "值为 0 的层被跳过了，份额又重新分配；它照样占份额。", "Layers whose value is 0 are skipped: count them."
        )
    if same(got, list(accumulate(expected))):
        yield Text("上一维的和带进了下一维：每一维都从 0 加起。", "Each dimension starts from the last: start from 0.")
    place = list(map(same, got, expected)).index(False)
    terms = " + ".join(f"{share:g}*{x:g}" for share, x in zip(shares, columns[place], strict=True))
    terms = f"{terms} = {expected[place]:g}"
    yield Text(f"第 {place} 维应为 {terms}。", f"Dimension {place} must be {terms}.")


FUSE = [
    Case(Text("两层，权重 [1, 3]", "two layers, weights [1, 3]"), ([[2, 4], [6, 0]], [1, 3]), [5, 1]),
    Case(
        Text("三层四维", "three layers, width 4"),
        ([[4, 0, 1, 2], [8, -2, 0, 1], [2, 6, 3, -1]], [2, 1, 1]),
        [4.5, 1, 1.25, 1],
    ),
    Case(Text("宽度不等的 [[1], [1, 2]]", "unequal widths: [[1], [1, 2]]"), ([[1], [1, 2]], [1, 1]), ValueError),
    Case(Text("中间一层较宽的输入", "a wider middle layer"), ([[1], [2], [3, 4], [5]], [1, 1, 1, 1]), ValueError),
    Case(Text("两层却只有一个权重的输入", "two layers, one weight"), ([[1, 2], [3, 4]], [1]), ValueError),
    Case(Text("一层却有两个权重的输入", "one layer, two weights"), ([[1, 2]], [1, 1]), ValueError),
    Case(Text("负权重 [3, -1]", "a negative weight: [3, -1]"), ([[1], [2]], [3, -1]), ValueError),
]


# ── 3. score_candidate_tree(nodes), under two names ──────────────────────────────────────────────


def _nodes(*rows):
    """The arguments of `score_candidate_tree` from rows of parent, token, log_score."""
    return ([{"parent": parent, "token": token, "log_score": log_score} for parent, token, log_score in rows],)


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


def _look_score(got, expected, nodes):
    if isinstance(got, TypeError) and "ellipsis" in str(got):
        yield Text("parent_score 还是 ...：请换成父节点的分数。", "parent_score is still ...: put the score there.")
    if expected is ValueError:
        return
    if isinstance(got, IndexError) or getattr(got, "args", None) == (-1,):
        yield Text("parent 为 -1 时无分数可查：根的分数是 0。", "Parent -1 has no entry: take 0 for the root.")
    if isinstance(got, ValueError):
        yield Text("合法的树被拒绝了：-1 表示根的孩子，可有几个。", "Legal, yet refused: any node may have parent -1.")
    if not (isinstance(got, Sequence) and len(got) == 2 and alike(got[0], expected[0])):
        return
    tree = _read(nodes)
    if not same(got[0], tree.scores):
        yield from _look_scores(got[0], tree)
    elif isinstance(got[1], Sequence):
        yield from _look_path(got[1], expected[1], tree)


def _look_scores(scores, tree):
    """What the scores tell, by the learner's own score of each parent: so that one slip is not found twice."""
    edges, parents, tokens, before = tree.edges, tree.parents, tree.tokens, [0, *scores[:-1]]
    above = [_above(scores, parent) for parent in parents]
    wrong = [node for node, score in enumerate(scores) if not same(score, above[node] + edges[node])]
    added = [score - edge for score, edge in zip(scores, edges, strict=True)]
    node, parent = wrong[0], parents[wrong[0]]

    def wrong_are(numbers, others):
        return all(same(numbers[node], others[node]) for node in wrong)

    if same(scores, [math.exp(score) for score in tree.scores]):
        yield Text("取了 exp，分数成了概率；应保持对数。", "exp() makes probabilities: keep the logs.")
    if same(scores, [score / len(path) for score, path in zip(tree.scores, tree.paths, strict=True)]):
        yield Text("分数除以了路径长度；应是各边之和。", "Scores are divided by depth: give the sums.")
    if wrong_are(scores, [edge * score for edge, score in zip(edges, above, strict=True)]):
        yield Text("把对数概率相乘了；对数概率要相加。", "Log-probabilities are multiplied: add them.")
    if wrong_are(scores, [score - edge for edge, score in zip(edges, above, strict=True)]):
        yield Text("做了减法：边的对数概率要加到父节点的分数上。", "Subtracted: add the edge to the parent's score.")
    if all(parents[node] < 0 for node in wrong):
        if wrong_are(added, before):
            yield Text("parent 为 -1 时读到了 scores[-1]：应取 0。", "Parent -1 reads scores[-1]: the root is 0.")
        root = f"{added[node]:g}"
        yield Text(f"根的分数当成了 {root}；应从 0 开始累加。", f"The root counts {root}: the sum starts from 0.")
    by_token = [scores[tokens.index(parent)] if parent in tokens[:node] else 0 for node, parent in enumerate(parents)]
    if any(by_token[node] for node in wrong) and wrong_are(added, by_token):
        yield Text("按 token 找父节点了：parent 是下标。", "The parent is looked up by token: it is an index.")
    if wrong_are(added, [0] * len(scores)):
        if all(parents[node] == 0 for node in wrong):
            yield Text("节点 0 被当成了根：parent 为 -1 才是根。", "Node 0 is taken for the root: that is parent -1.")
        yield Text("只有边的对数概率，没有加父节点的累计分数。", "Only the edge: add the parent's cumulative score.")
    if wrong_are(added, [_above(edges, parent) for parent in parents]):
        yield Text("加的是父节点的边，不是它的累计分数。", "Adds the parent's edge, not its cumulative score.")
    if wrong_are(added, before):
        yield Text("加的是上一个节点的分数，不是父节点的。", "Adds the previous node's score, not the parent's.")
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
    best, leaves = tree.spelled.index(right), tree.leaves
    if same(path, tree.paths[best]):
        yield Text("路径里是节点下标；应换成 token。", "The path holds node indices: give the tokens.")
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
    if path not in tree.spelled:
        return
    node, greedy = tree.spelled.index(path), -1
    while greedy in tree.parents:
        greedy = _best([child for child, parent in enumerate(tree.parents) if parent == greedy], tree.scores)
    if node == _best(range(len(tree.scores)), tree.scores):
        yield Text("在全部节点里选了最高分；只在叶子里选。", "The best of all nodes: choose among the leaves.")
    if node == 0:
        yield Text("总选节点 0：比较的初值比所有分数都高？", "Always node 0: does the search start too high?")
    if node not in leaves:
        yield Text(f"路径停在节点 {node}，它还有孩子，不是叶子。", f"The path ends at node {node}, which is no leaf.")
        return
    if same(tree.scores[node], tree.scores[best]):
        yield Text("同分时取了靠后的叶子；用 >，不用 >=。", "A tie goes to the later leaf: use >, not >=.")
    if node == greedy:
        yield Text("每步只走当下最好的孩子；应比较所有叶子。", "Takes the best child at each step: compare all leaves.")
    if node == _best(leaves, [tree.scores[path[-1]] / len(path) for path in tree.paths]):
        yield Text("叶子按平均每步的分数选了；应比较累计分数。", "The leaf with the best mean: compare the sums.")
    if node == _best(leaves, tree.edges):
        yield Text("叶子按自己的边选了；应比较累计分数。", "The leaf with the best edge: compare the sums.")
    if len(tree.paths[node]) == max(map(len, tree.paths)) > len(right):
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


_EXAMPLE = _nodes((-1, 10, -0.1), (0, 11, -0.2), (0, 12, -1.0), (1, 13, -0.05))
_EXAMPLE_ANSWER = ([-0.1, -0.30000000000000004, -1.1, -0.35000000000000003], [10, 11, 13])

SCORE = [
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
]

CONTRACT = [
    Case(Text("空树 []", "the empty tree []"), ([],), ValueError),
    Case(Text("父节点为 -2 的节点", "a parent of -2"), _nodes((-1, 10, -0.1), (-2, 11, -0.2)), ValueError),
    Case(Text("以自己为父节点的节点", "a node that is its own parent"), _nodes((-1, 1, -1), (1, 2, 0)), ValueError),
    Case(
        Text("父节点排在后面的节点", "a parent that comes later"),
        _nodes((-1, 10, -0.1), (2, 11, -0.2), (0, 12, -0.3)),
        ValueError,
    ),
    Case(Text("合法的树照常评分", "a legal tree is still scored"), _EXAMPLE, _EXAMPLE_ANSWER),
    Case(
        Text("根的孩子也可排在后面", "a child of the root may come late"),
        _nodes((-1, 10, -1.0), (0, 11, -1.0), (-1, 12, -0.5)),
        ([-1.0, -2.0, -0.5], [12]),
    ),
]


# ── 4. accepted_prefix(draft_tokens, target_tokens) ──────────────────────────────────────────────


def _run(agreements):
    return [*agreements, False].index(False)


def _look_prefix(got, run, draft, target):
    def agrees(left, right):
        return [a == b for a, b in zip(left, right, strict=False)]

    agreements = agrees(draft, target)
    no_break, shared = run == len(agreements), set(draft) & set(target)
    if no_break and isinstance(got, IndexError):
        yield Text("一路一致，却没有停下：比到短的那个末尾为止。", "Runs off the end: the shorter list ends it.")
    if no_break and got is None:
        yield Text("全部一致时没有返回值：循环之后还要 return。", "None where all agree: return after the loop too.")
    if same(got, draft[:run]):
        yield Text("返回的是 token 列表；应返回个数。", "Returns the tokens: give their number.")
    if not is_number(got):
        return
    if got == sum(agreements):
        yield Text("数了所有一致的位置；断开之后的不算。", "Counts every agreement: stop at the first break.")
    if got == max((_run(agreements[start:]) for start in range(len(agreements))), default=0):
        yield Text("取了最长的一段；只算从头开始的那一段。", "The longest run: only the leading one counts.")
    if got == _run(token in shared for token in draft):
        yield Text("只看 token 在不在目标里；要逐个位置比较。", "Asks whether a token occurs: compare by position.")
    if got == len(shared):
        yield Text("数了两边共有的 token；要逐个位置比较。", "Counts shared tokens: compare position by position.")
    if got == len(agreements):
        yield Text("返回了整段的长度，没有比较。", "Returns the whole length, with nothing compared.")
    if agreements and run == 0 and got == 1 + _run(agreements[1:]):
        yield Text("没有检查第一个 token。", "The first token is not checked.")
    if got in range(run) and draft[int(got)] == 0:
        yield Text("遇到 token 0 就停了：0 也是 token。", "Stops at token 0: 0 is a token like any other.")
    if no_break and got == 0:
        yield Text("全部一致时返回了 0；没有断开就全部接受。", "0 where all agree: with no break all are accepted.")
    if got == agreements.count(False):
        yield Text("数的是不一致的位置；要数一致的。", "Counts the disagreements: count what agrees.")
    if not no_break and got == 0:
        yield Text("中途断开就返回了 0；断开之前的仍算接受。", "A break gives 0: what agrees before it is accepted.")
    if got == _run(agrees(draft[::-1], target[::-1])):
        yield Text("数的是末尾那一段；要从头开始。", "Counts the run at the end: start from the front.")
    if got in (_run(agrees(draft, target[1:])), _run(agrees(draft[1:], target))):
        yield Text("错开了一位：要比同一个位置上的两个 token。", "Off by one: compare the tokens at the same position.")
    if got == 1 < run:
        yield Text(
            "只看了第一个位置：return 是不是放在循环里了？", "Only the first is compared: return after the loop."
        )
    if not float(got).is_integer():
        yield Text("结果不是整数：要的是个数，不是比例。", "Not a whole number: give the count, not the rate.")
    if no_break and got == run - 1:
        yield Text("全部一致时少了一个：最后一个位置也要比。", "One short where all agree: compare the last too.")
    if got == run - 1:
        yield Text("少数了一个：返回不一致处的下标即可。", "One too few: the index of the first break is the count.")
    if not no_break and got == run + 1:
        yield Text("多数了一个：不一致的那个不算。", "One too many: the token that disagrees does not count.")
    if no_break and got > run:
        yield Text(f"数过头了：短的那个只有 {run} 个。", f"Too many: the shorter list has {run}.")
    elif got > run:
        yield Text("断开之后的也算了：第一个不一致处起都不算。", "Counts past the break: nothing counts from there.")
    else:
        yield Text(f"从头起有 {run} 个一致，没有数全。", f"The first {run} agree: not all of them are counted.")


PREFIX = [
    Case(Text("中间断开，后面又一致", "a break, then agreement again"), ([5, 6, 7, 8], [5, 9, 7, 8]), 1),
    Case(Text("全部一致", "full agreement"), ([5, 6, 7], [5, 6, 7]), 3),
    Case(Text("第一个就不一致", "no agreement on the first"), ([5, 6, 7, 8], [9, 6, 7, 4]), 0),
    Case(Text("token 0 也是真实的 token", "token 0 is a real token"), ([4, 0, 3], [4, 0, 7]), 2),
    Case(Text("两个 token 换了位置", "two tokens change places"), ([5, 6, 7], [5, 7, 6]), 1),
    Case(Text("草稿为空", "an empty draft"), ([], [1]), 0),
    Case(Text("草稿较长", "the draft is longer"), ([5, 6, 7], [5, 6]), 2),
    Case(Text("目标较长", "the target is longer"), ([5, 6], [5, 6, 7]), 2),
]


# ── 5. tree_attention_mask(parents) ──────────────────────────────────────────────────────────────


def _look_mask(got, expected, parents):
    paths = [[0]]  # to each row, the rows from the root
    for row, parent in enumerate(parents, start=1):
        paths.append([*paths[1 + parent], row])

    def is_grid(sees):
        return same(got, [[sees(row, column) for column in range(len(paths))] for row in range(len(paths))])

    corner = [row[1:] for row in expected[1:]]
    if same(got, corner):
        yield Text("没有根那一行一列：应为 [1+n][1+n]。", "No row and column for the root: it is [1+n][1+n].")
    if is_grid(lambda row, column: 0 if expected[row][column] else -math.inf):
        yield Text("这是相加用的 0 / -inf 掩码；应为 1 / 0。", "This mask is to be added (0 / -inf): give 1 / 0.")
    if isinstance(got, OneRow):
        yield Text("有几行是同一个列表，改一行全都变：要逐行新建。", "Rows are one and the same list: make each anew.")
    if not alike(got, expected):
        return
    if is_grid(lambda row, column: 1):
        yield Text("全是 1：谁都能看见谁。", "All ones: everybody sees everybody.")
    if is_grid(lambda row, column: not expected[row][column]):
        yield Text("0 和 1 反了：1 表示看得见。", "0 and 1 are swapped: 1 means it is seen.")
    if any(cell not in (0, 1) for row in got for cell in row):
        yield Text("格子里只能是 0 和 1。", "Only 0 and 1 may stand in a cell.")
    if is_grid(lambda row, column: column <= row):
        yield Text("用了下三角掩码：旁支也被看见了。", "Lower triangular: other branches are seen too.")
    if is_grid(lambda row, column: column in (0, row) or column + 1 in paths[row][:-1]) or (
        is_grid(lambda row, column: column == 0 or column + 1 in paths[row])
    ):
        yield Text("列错了一位：节点 i 在第 1+i 列。", "Columns are off by one: node i is column 1+i.")
    if not any(got[-1][1:]) and (same(got[:-1], expected[1:]) or same([row[:-1] for row in got[:-1]], corner)):
        yield Text("行错了一位：节点 i 在第 1+i 行。", "Rows are off by one: node i is row 1+i.")
    yield from _look_cells(got, expected, paths)


def _look_cells(got, expected, paths):
    cells = [(row, column) for row in range(len(paths)) for column in range(len(paths))]
    missing = {(row, column) for row, column in cells if expected[row][column] and not same(got[row][column], 1)}
    extra = {(row, column) for row, column in cells if not expected[row][column] and not same(got[row][column], 0)}
    levels = {(path[-1], row): up for path in paths for up, row in enumerate(path[-2:0:-1], start=1)}  # to ancestors
    if missing and extra == {(column, row) for row, column in missing}:
        yield Text("行列反了：看到的是后代，应是祖先。", "Transposed: descendants are seen, not ancestors.")
    if missing == {(0, 0)}:
        yield Text("根看不见自己：第 0 行是根的，[0][0] 应为 1。", "The root does not see itself: [0][0] must be 1.")
    elif missing and all(column == 0 for row, column in missing):
        yield Text("看不见根：第 0 列应全为 1。", "The root is not seen: column 0 is all 1.")
    elif missing and all(row == column for row, column in missing):
        yield Text("看不见自己：对角线应为 1。", "A row does not see itself: the diagonal is 1.")
    elif missing and missing == levels.keys():
        yield Text("看不见祖先：沿 parent 走到 -1，逐个填 1。", "No ancestor is seen: walk up to -1 and mark each.")
    elif missing and missing == {(row, column) for row, column in levels if column == 1}:
        yield Text("后代看不见节点 0：走到 parent 为 -1 再停。", "Node 0 is not seen from below: walk up to -1.")
    elif missing and missing <= levels.keys():
        up = min(levels[cell] for cell in missing)
        zh = f"往上第 {up} 级的祖先看不见：从父节点起，一直走到根。"
        yield Text(zh, f"Ancestors {up} up are not seen: walk from the parent all the way to the root.")
    elif missing:
        row, column = min(missing)
        zh = f"第 {row} 行看不见第 {column} 列：根、祖先和自己都应为 1。"
        yield Text(zh, f"Row {row} does not see column {column}: the root, ancestors and itself are 1.")
    if extra and all(row == 0 for row, column in extra):
        yield Text("根那一行看见了节点：第 0 行只有 [0][0] 是 1。", "The root sees nodes: only [0][0] is 1 in its row.")
    elif extra and all(row in paths[column] for row, column in extra):
        yield Text("看见了自己的后代；只该看祖先。", "A row sees its descendants: only ancestors are seen.")
    elif extra and all(paths[row][:-1] == paths[column][:-1] for row, column in extra):
        yield Text("兄弟节点互相看见了。", "Siblings see each other.")
    elif extra and all(row and column and paths[column][-2] in paths[row] for row, column in extra):
        yield Text("看见了旁支：自己或祖先的兄弟。", "Other branches are seen: siblings, its own or its ancestors'.")
    elif extra:
        row, column = min(extra)
        zh = f"第 {row} 行看见了第 {column} 列，那不是它的祖先：应为 0。"
        yield Text(zh, f"Row {row} sees column {column}, which is no ancestor: it must be 0.")


def _rows(text):
    return [[int(cell) for cell in row] for row in text.split()]


MASK = [
    Case(Text("本节例子中的树", "the tree of the text"), ([-1, 0, 0, 1],), _rows("10000 11000 11100 11010 11101")),
    Case(Text("根有两个孩子", "two children of the root"), ([-1, -1, 0, 1],), _rows("10000 11000 10100 11010 10101")),
    Case(Text("一条链", "a chain"), ([-1, 0, 1, 2],), _rows("10000 11000 11100 11110 11111")),
]


# ── 6. verify_tree(parents, tokens, choices) ─────────────────────────────────────────────────────


def _look_verify(got, expected, parents, tokens, choices):
    if isinstance(got, IndexError):
        yield Text("下标越界：节点 i 之后的选择是 choices[1+i]。", "Out of range: after node i, choices[1+i].")
    if not (isinstance(got, Sequence) and len(got) == 2 and isinstance(got[0], Sequence)):
        return
    (walk, next_token), right = got, expected[0]
    if right and same(walk, [tokens[node] for node in right]):
        yield Text("返回的是 token；应返回节点下标。", "Returns tokens: give node indices.")
    elif right and same(walk, [1 + node for node in right]):
        yield Text("下标多了 1：根不是节点，从 0 数起。", "Indices are one too high: the root is no node.")
    elif len(right) > 1 and same(walk, right[::-1]):
        yield Text("次序反了：从根往下列出节点。", "The order is reversed: list the nodes from the root down.")
    elif same(walk, [*right, next_token]):
        yield Text("next_token 也列进去了：它不是节点。", "The next token is listed, too: it is no node.")
    elif -1 in walk:
        yield Text("根也列进去了：-1 不是节点。", "The root is listed: -1 is no node.")
    elif all(node in range(len(parents)) for node in walk):
        walk = list(map(int, walk))
        yield from _look_steps(walk, right, parents, tokens, choices)
        if walk and walk == right[:1] and next_token == choices[0]:
            yield Text("走了一步，node 却没有更新。", "The present node is not updated after the first step.")
        if right != walk == right[: len(walk)] and same(next_token, expected[1]):
            yield Text("next_token 对了，accepted 却没有列全。", "The next token is right, but nodes are missing.")
        yield from _look_next_token(walk, next_token, parents, tokens, choices)
        if right != walk == right[: len(walk)]:
            yield from _look_early_stop([-1, *walk][-1], right[len(walk)], parents, tokens)


def _look_steps(walk, right, parents, tokens, choices):
    """What is wrong with the first wrong step."""
    steps = zip([-1, *walk], walk, strict=False)
    wrong = [(last, node) for last, node in steps if (parents[node], tokens[node]) != (last, choices[1 + last])]
    if not wrong:
        return
    (last, node), choice = wrong[0], choices[1 + wrong[0][0]]
    if tokens[node] == choices[1 + node]:
        yield Text("与节点自己之后的选择比了；应与父节点之后的比。", "Compared with the choice after the node itself.")
    if walk == [parents.index(parent) for parent in [-1, *walk] if parent in parents]:
        yield Text("总走第一个孩子，没有与 choices 比较。", "Takes the first child without a look at choices.")
    if parents[node] != last and tokens[node] == choices[1 + parents[node]]:
        yield Text("吻合中断之后的也算上了：从根起走，不吻合就停。", "Matches below a break are taken: stop there.")
    if parents[node] != last:
        yield Text("走到了别的分支：下一个只能是当前节点的孩子。", "Goes to another branch: look at children only.")
    if walk == [*right, node]:
        yield Text("把被拒绝的节点也算上了。", "A refused node is among the accepted.")
    if last < 0 and tokens[node] != choice:
        yield Text("没有检查第一个 token：要与 choices[0] 比。", "The first token is not checked against choices[0].")
    if last >= 0 and tokens[node] == choices[last]:
        yield _OFF_BY_ONE
    zh = f"节点 {node} 是 {tokens[node]}，目标模型选的是 {choice}：应停在它之前。"
    yield Text(zh, f"Node {node} is {tokens[node]}, but the target chose {choice}: stop before it.")


def _look_early_stop(last, node, parents, tokens):
    if node == 0:
        yield Text("没走到节点 0：0 也是下标，不表示“没找到”。", "Node 0 is not reached: 0 is an index, not nothing.")
    if tokens.count(tokens[node]) > 1:
        yield Text("token 会重复：要在孩子里找，不能按 token 查。", "Tokens may repeat: search among the children.")
    if node != parents.index(last):
        yield Text("没走到靠后的孩子：每个孩子都要看。", "A later child is not reached: look at every child.")
    zh = f"停早了：目标模型选的是 {tokens[node]}，孩子 {node} 正是。"
    yield Text(zh, f"Stops too early: the target chose {tokens[node]}, and node {node} is that child.")


def _look_next_token(walk, next_token, parents, tokens, choices):
    """What the next token tells, by the learner's own walk."""
    last = [-1, *walk][-1]
    drafted = parents.index(last) if last in parents else last
    if same(next_token, choices[1 + last]):
        return
    if next_token is None and last not in parents:
        yield Text("走到叶子时缺了 next_token：应是目标模型的选择。", "No next token at a leaf: it is the target's.")
    if not is_number(next_token):
        return
    if walk and next_token == tokens[last]:
        yield Text("next_token 取了最后接受的 token；它已经写下了。", "The next token repeats the last accepted one.")
    if next_token == tokens[drafted]:
        yield Text("next_token 取了草稿的 token；应取 choices 里的。", "The next token is a drafted one: take choices.")
    if [next_token] == choices[len(walk) : len(walk) + 1]:
        yield Text("next_token 按接受的个数取了；应按最后的节点。", "The next token goes by the count: go by the node.")
    if walk and next_token == choices[last]:
        yield _OFF_BY_ONE
    if next_token == last:
        yield Text("next_token 是节点下标；应是 token。", "The next token is a node's index: give a token.")
    if next_token == choices[0]:
        yield Text("next_token 总取 choices[0]；应取停下处的选择。", "The next token is always choices[0].")
    zh = f"最后接受的是节点 {last}，next_token 应是 choices[{1 + last}]。".replace("节点 -1", "根")
    yield Text(zh, f"The walk ends at node {last}: next is choices[{1 + last}].".replace("node -1", "the root"))


_OFF_BY_ONE = Text("choices 错了一位：节点 i 之后是 choices[1+i]。", "choices off by one: after node i, choices[1+i].")

VERIFY = [
    Case(
        Text("接受到叶子，再加奖励 token", "accepted down to a leaf, then a bonus token"),
        ([-1, -1, 1], [1, 2, 0], [2, 1, 0, 3]),
        ([1, 2], 3),
    ),
    Case(
        Text("中途被拒绝，后面再吻合也不算", "refused half-way; agreement further down does not count"),
        ([-1, 0, 0, 1], [10, 11, 12, 13], [10, 20, 13, 21, 22]),
        ([0], 20),
    ),
    Case(Text("第一层就被拒绝", "refused at once"), ([-1, 0, 1], [10, 11, 12], [30, 31, 32, 33]), ([], 30)),
    Case(
        Text("吻合的 token 在另一分支", "the matching token is in another branch"),
        ([-1, -1, 0, 1], [5, 6, 7, 8], [5, 8, 7, 9, 4]),
        ([0], 8),
    ),
    Case(
        Text("几个分支里有同样的 token", "the same token in several branches"),
        ([-1, -1, 0, 1, 2, 3], [5, 6, 7, 7, 7, 9], [6, 1, 7, 3, 9, 2, 8]),
        ([1, 3, 5], 8),
    ),
]

EXERCISES = {
    "normalize_fusion_weights": Exercise(NORMALIZE, _look_normalize),
    "fuse_layer_features": Exercise(FUSE, _look_fuse),
    "score_candidate_tree": Exercise(SCORE, _look_score),
    "candidate_tree_contract": Exercise(CONTRACT, _look_score),
    "accepted_prefix": Exercise(PREFIX, _look_prefix),
    "tree_attention_mask": Exercise(MASK, _look_mask),
    "verify_tree": Exercise(VERIFY, _look_verify),
}
