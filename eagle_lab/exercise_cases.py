"""What the exercises ask for: the cases of each, and the mistakes that learners typically make.

A mistake is a tiny wrong answer beside the hint for it. `exercises.check` runs them all on every case:
a learner whose function gives the same outcome has made the same mistake.
"""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import NamedTuple

from .fusion import normalize_fusion_weights
from .language import current_language


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
    """What one named test asks, and the mistakes that it knows: the hint, then the wrong answer itself."""

    cases: list[Case]
    mistakes: dict[Text, Callable]


# ── 1. normalize_fusion_weights(weights) ─────────────────────────────────────────────────────────


def _shares(divide, see=lambda weight: weight, negative=False, zero=False):
    """A wrong answer that sees each weight its own way, lets some through, and divides its own way."""

    def normalize(weights):
        weights = [see(weight) for weight in weights]
        if not weights or (min(weights) < 0 and not negative) or (sum(weights) == 0 and not zero):
            raise ValueError
        return divide(weights)

    return normalize


def _by_sum(weights):
    return [w / sum(weights) for w in weights]


NORMALIZE = Exercise(
    [
        Case(Text("两层：[1, 3]", "two layers: [1, 3]"), ([1, 3],), [0.25, 0.75]),
        Case(Text("三层：[2, 1, 3]", "three layers: [2, 1, 3]"), ([2, 1, 3],), [1 / 3, 1 / 6, 1 / 2]),
        Case(Text("有一层权重为 0：[0, 2, 2]", "one weight is 0: [0, 2, 2]"), ([0, 2, 2],), [0, 0.5, 0.5]),
        Case(Text("权重都很小，约 1e-9", "tiny weights, about 1e-9"), ([1e-9, 1e-9, 2e-9],), [0.25, 0.25, 0.5]),
        Case(Text("空列表 []", "the empty list []"), ([],), ValueError),
        Case(Text("总和为 0 的 [0, 0]", "a sum of 0: [0, 0]"), ([0, 0],), ValueError),
        Case(Text("含负权重的 [1, -1]", "a negative weight: [1, -1]"), ([1, -1],), ValueError),
        Case(Text("总和为正但含负权重的 [3, -1]", "negative, yet a sum above 0: [3, -1]"), ([3, -1],), ValueError),
        Case(Text("全为负数的 [-1, -3]", "only negative weights: [-1, -3]"), ([-1, -3],), ValueError),
    ],
    {
        Text("没有归一化：每个权重都要除以总和。", "Not normalised: divide every weight by their sum."): _shares(list),
        Text("除以了层数，应除以权重之和。", "Divided by the number of layers; divide by the sum."): _shares(
            lambda weights: [w / len(weights) for w in weights]
        ),
        Text("除以了最大值，应除以权重之和。", "Divided by the largest weight; divide by the sum."): _shares(
            lambda weights: [w / max(weights) for w in weights]
        ),
        Text("除以了 L2 范数，应除以权重之和。", "Divided by the L2 norm; divide by the plain sum."): _shares(
            lambda weights: [w / math.hypot(*weights) for w in weights]
        ),
        Text("用了 softmax；直接除以总和，不取指数。", "This is softmax; divide by the plain sum."): _shares(
            lambda weights: _by_sum([math.exp(w) for w in weights])
        ),
        Text("用了整除 //，小数丢了；请用 /。", "Integer division // drops the fraction; use /."): _shares(
            lambda weights: [w // sum(weights) for w in weights]
        ),
        Text("没有检查负权重：见到就抛出 ValueError。", "Negative weights are let through: refuse them."): _shares(
            _by_sum, negative=True
        ),
        Text("负权重取了绝对值；应当拒绝它。", "abs() hides a negative weight; refuse it."): _shares(_by_sum, see=abs),
        Text("总和为 0 时仍去做除法；应先拒绝。", "Divides by a sum of 0; refuse such weights first."): _shares(
            _by_sum, zero=True
        ),
        Text("0 除以 0 得到 NaN；总和为 0 应先拒绝。", "0 / 0 became NaN; refuse a sum of 0 first."): _shares(
            lambda weights: _by_sum(weights) if sum(weights) else [math.nan for _ in weights], zero=True
        ),
        Text("总和为 0 时改成了平均分配；应当拒绝。", "A sum of 0 became equal weights; refuse it."): _shares(
            lambda weights: _by_sum(weights if sum(weights) else [1 for _ in weights]), zero=True
        ),
    },
)


# ── 2. fuse_layer_features(layer_features, weights) ──────────────────────────────────────────────


def _fusion(combine, normalize=normalize_fusion_weights, widths=True, counts=True):
    """A wrong answer that checks the shapes, unless told not to, and combines the rows its own way."""

    def fuse(rows, weights):
        shares = normalize(weights)
        if (counts and len(rows) != len(shares)) or (widths and len({len(row) for row in rows}) > 1):
            raise ValueError
        return combine(rows, shares)

    return fuse


def _dot(left, right):
    return sum(a * b for a, b in zip(left, right, strict=False))


def _weighted_sum(rows, shares):
    return [_dot(shares, column) for column in zip(*rows, strict=False)]


FUSE = Exercise(
    [
        Case(Text("两层，权重 [1, 3]", "two layers, weights [1, 3]"), ([[2, 4], [6, 0]], [1, 3]), [5, 1]),
        Case(Text("三层两维", "three layers, width 2"), ([[4, 0], [8, -2], [0, 6]], [2, 1, 1]), [4, 1]),
        Case(Text("一层三维，权重 [7]", "one layer of width 3, weight [7]"), ([[3, -1, 2]], [7]), [3, -1, 2]),
        Case(Text("宽度不等的 [[1], [1, 2]]", "unequal widths: [[1], [1, 2]]"), ([[1], [1, 2]], [1, 1]), ValueError),
        Case(Text("第三层较窄的输入", "a narrower third layer"), ([[1, 2], [3, 4], [5]], [1, 1, 1]), ValueError),
        Case(Text("两层却只有一个权重的输入", "two layers, one weight"), ([[1, 2], [3, 4]], [1]), ValueError),
        Case(Text("一层却有两个权重的输入", "one layer, two weights"), ([[1, 2]], [1, 1]), ValueError),
        Case(Text("负权重 [3, -1]", "a negative weight: [3, -1]"), ([[1], [2]], [3, -1]), ValueError),
    ],
    {
        Text("权重没有归一化：先归一化，再融合。", "The weights are not normalised: do that before fusing."): _fusion(
            _weighted_sum, normalize=list
        ),
        Text("只取了平均，没有用到权重。", "A plain mean: the weights are not used."): _fusion(
            lambda rows, shares: [sum(column) / len(rows) for column in zip(*rows, strict=True)]
        ),
        Text("只把各层相加，没有用到权重。", "A plain sum: the weights are not used."): _fusion(
            lambda rows, shares: [sum(column) for column in zip(*rows, strict=True)]
        ),
        Text("各层相乘了；乘以权重后应相加。", "The layers are multiplied; weight them, then add."): _fusion(
            lambda rows, shares: [math.prod(shares) * math.prod(column) for column in zip(*rows, strict=True)]
        ),
        Text("各层首尾拼接了；应逐维相加。", "The layers are joined end to end; add them up."): _fusion(
            lambda rows, shares: [share * x for share, row in zip(shares, rows, strict=True) for x in row]
        ),
        Text("乘了权重，但没有把各层加起来。", "Weighted, but the layers are not added up."): _fusion(
            lambda rows, shares: [[share * x for x in row] for share, row in zip(shares, rows, strict=True)]
        ),
        Text("把一层的各维加起来了；应对每一维把各层相加。", "Summed within a layer; sum over the layers."): _fusion(
            lambda rows, shares: [share * sum(row) for share, row in zip(shares, rows, strict=True)]
        ),
        Text("行列弄反了：一个权重对应一层，不是一维。", "Transposed: a weight belongs to a layer."): _fusion(
            lambda rows, shares: [_dot(shares, row) for row in rows]
        ),
        Text("只用了第一层。", "Only the first layer is used."): _fusion(lambda rows, shares: rows[0]),
        Text("只用了最后一层。", "Only the last layer is used."): _fusion(lambda rows, shares: rows[-1]),
        Text("第一层之后就返回了；return 不要放在循环里。", "Returns after the first layer: too early."): _fusion(
            lambda rows, shares: [shares[0] * x for x in rows[0]]
        ),
        Text("后一层覆盖了前一层：要用 +=，不是 =。", "Each layer overwrites the one before: use +=, not =."): _fusion(
            lambda rows, shares: [shares[-1] * x for x in rows[-1]]
        ),
        Text("逐维取了最大值；应加权求和。", "The maximum over the layers; take the weighted sum."): _fusion(
            lambda rows, shares: [max(column) for column in zip(*rows, strict=True)]
        ),
        Text("权重的次序反了：weights[i] 属于第 i 层。", "The weights are reversed: weights[i] is layer i's."): _fusion(
            lambda rows, shares: _weighted_sum(rows, shares[::-1])
        ),
        Text("宽度不等时 zip 会悄悄截断；应先拒绝。", "zip cuts unequal widths silently; refuse them."): _fusion(
            _weighted_sum, widths=False
        ),
        Text(
            "层数与权重数不等时 zip 会悄悄截断；应先拒绝。", "zip cuts unequal counts silently; refuse them."
        ): _fusion(_weighted_sum, counts=False),
    },
)


# ── 3. score_candidate_tree(nodes), under two names ──────────────────────────────────────────────


def _nodes(*rows):
    """The arguments of `score_candidate_tree` from rows of parent, token, log_score."""
    return ([{"parent": parent, "token": token, "log_score": log_score} for parent, token, log_score in rows],)


def _above(values, parent, root=0.0):
    return values[parent] if parent >= 0 else root


def _step(at):
    return at.edge + _above(at.scores, at.parent)


def _best(at, leaves):
    return max(leaves, key=lambda leaf: at.scores[leaf])  # max keeps the first of equals


def _spell(path, tokens):
    return [tokens[node] for node in path]


def _tree(step=_step, choose=_best, spell=_spell, lowest=-1):
    """A wrong answer that scores a node, chooses a leaf or spells its path its own way.

    `step(at)`: `at.scores` and `at.depths` so far, all `at.tokens` and `at.edges`, and of the node at hand
    `at.parent` and `at.edge`; `choose(at, leaves)`: a node; `spell(path, tokens)`: `path` from the root's child down.
    """

    def score_tree(nodes):
        parents, tokens, edges = ([node[key] for node in nodes] for key in ("parent", "token", "log_score"))
        if not nodes or not all(lowest <= parent < index for index, parent in enumerate(parents)):
            raise ValueError
        at = SimpleNamespace(scores=[], depths=[], tokens=tokens, edges=edges)
        for at.parent, at.edge in zip(parents, edges, strict=True):
            at.scores.append(step(at))
            at.depths.append(1 + _above(at.depths, at.parent))
        path = [choose(at, [node for node in range(len(nodes)) if node not in parents])]
        while parents[path[0]] >= 0:
            path.insert(0, parents[path[0]])
        return at.scores, spell(path, tokens)

    return score_tree


_EXAMPLE = _nodes((-1, 10, -0.1), (0, 11, -0.2), (0, 12, -1.0), (1, 13, -0.05))
_EXAMPLE_ANSWER = ([-0.1, -0.30000000000000004, -1.1, -0.35000000000000003], [10, 11, 13])

SCORE = Exercise(
    [
        Case(Text("本节例子中的树", "the tree of the text"), _EXAMPLE, _EXAMPLE_ANSWER),
        Case(
            Text("根有两个子节点，token 与下标不同", "two children of the root, tokens unlike indices"),
            _nodes((-1, 7, -0.5), (-1, 3, -0.2), (0, 5, -0.1), (1, 0, -1.6), (1, 2, -0.3), (0, 1, -0.9)),
            ([-0.5, -0.2, -0.6, -1.8, -0.5, -1.4], [3, 2]),
        ),
        Case(
            Text("短路径胜过长路径", "a short path beats a long one"),
            _nodes((-1, 4, -0.5), (-1, 5, -0.3), (1, 6, -0.3)),
            ([-0.5, -0.3, -0.6], [4]),
        ),
        Case(
            Text("两个叶子同分，取下标小的", "two equal leaves: the lower index wins"),
            _nodes((-1, 8, -0.5), (0, 9, -0.25), (0, 6, -0.25)),
            ([-0.5, -0.75, -0.75], [8, 9]),
        ),
        Case(
            Text("分数极低的一条链", "a chain of very low scores"),
            _nodes((-1, 1, -400.0), (0, 2, -500.0)),
            ([-400.0, -900.0], [1, 2]),
        ),
    ],
    {
        Text("只有边的对数概率，没有加父节点的累计分数。", "Only the edge: add the parent's cumulative score."): _tree(
            lambda at: at.edge
        ),
        Text("加的是父节点的边，不是它的累计分数。", "Adds the parent's edge, not its cumulative score."): _tree(
            lambda at: at.edge + _above(at.edges, at.parent)
        ),
        Text("加的是上一个节点的分数，不是父节点的。", "Adds the previous node's score, not the parent's."): _tree(
            lambda at: at.edge + (at.scores[-1] if at.scores else 0)
        ),
        Text("节点 0 被当成了根：parent 为 -1 才是根。", "Node 0 is taken for the root: that is parent -1."): _tree(
            lambda at: at.edge + (at.scores[at.parent] if at.parent > 0 else 0)
        ),
        Text("parent 为 -1 时读到了 scores[-1]：应取 0。", "Parent -1 reads scores[-1]: the root is 0."): _tree(
            lambda at: at.edge + (at.scores[at.parent] if at.scores else 0)
        ),
        Text("parent 为 -1 时无分数可查：根的分数是 0。", "Parent -1 has no entry: take 0 for the root."): _tree(
            lambda at: at.edge + at.scores[at.parent]
        ),
        Text("按 token 找父节点了：parent 是下标。", "The parent is looked up by token: it is an index."): _tree(
            lambda at: at.edge + dict(zip(at.tokens, at.scores, strict=False)).get(at.parent, 0)
        ),
        Text("根的分数当成了 1；应从 0 开始累加。", "The root counts 1: the sum starts from 0."): _tree(
            lambda at: at.edge + _above(at.scores, at.parent, root=1)
        ),
        Text("把对数概率相乘了；对数概率要相加。", "Log-probabilities are multiplied: add them."): _tree(
            lambda at: at.edge * _above(at.scores, at.parent, root=1)
        ),
        Text("做了减法：边的对数概率要加到父节点的分数上。", "Subtracted: add the edge to the parent's score."): _tree(
            lambda at: _above(at.scores, at.parent) - at.edge
        ),
        Text("取了 exp，分数成了概率；应保持对数。", "exp() makes probabilities: keep the logs."): _tree(
            lambda at: math.exp(at.edge) * _above(at.scores, at.parent, root=1)
        ),
        Text("在全部节点里选了最高分；只在叶子里选。", "The best of all nodes: choose among the leaves."): _tree(
            choose=lambda at, leaves: _best(at, range(len(at.tokens)))
        ),
        Text("分数除以了路径长度；比较的是累计分数本身。", "Scores are divided by depth: compare the sums."): _tree(
            choose=lambda at, leaves: max(leaves, key=lambda leaf: at.scores[leaf] / at.depths[leaf])
        ),
        Text("选了分数最低的叶子；分数越大越好。", "The worst leaf is chosen: a higher score is better."): _tree(
            choose=lambda at, leaves: min(leaves, key=lambda leaf: at.scores[leaf])
        ),
        Text("选了第一个叶子，没有比较分数。", "The first leaf is chosen, whatever its score."): _tree(
            choose=lambda at, leaves: leaves[0]
        ),
        Text("选了最后一个叶子，没有比较分数。", "The last leaf is chosen, whatever its score."): _tree(
            choose=lambda at, leaves: leaves[-1]
        ),
        Text("同分时取了靠后的叶子；用 >，不用 >=。", "A tie goes to the later leaf: use >, not >=."): _tree(
            choose=lambda at, leaves: _best(at, leaves[::-1])
        ),
        Text("路径反了：应从根的子节点走到叶子。", "The path is reversed: it ends at the leaf."): _tree(
            spell=lambda path, tokens: _spell(path, tokens)[::-1]
        ),
        Text("路径里是节点下标；应换成 token。", "The path holds node indices: give the tokens."): _tree(
            spell=lambda path, tokens: path
        ),
        Text("路径缺开头的 token：走到 parent 为 -1 再停。", "The path lacks its first token: walk up to -1."): _tree(
            spell=lambda path, tokens: _spell(path[1:], tokens)
        ),
        Text("路径缺末尾的 token：叶子自己也算。", "The path lacks its last token: the leaf's own."): _tree(
            spell=lambda path, tokens: _spell(path[:-1], tokens)
        ),
    },
)

CONTRACT = Exercise(
    [
        Case(Text("空树 []", "the empty tree []"), ([],), ValueError),
        Case(Text("父节点为 -2 的节点", "a parent of -2"), _nodes((-1, 10, -0.1), (-2, 11, -0.2)), ValueError),
        Case(
            Text("以自己为父节点的节点", "a node that is its own parent"),
            _nodes((-1, 1, -0.1), (1, 2, -0.2)),
            ValueError,
        ),
        Case(
            Text("父节点排在后面的节点", "a parent that comes later"),
            _nodes((-1, 10, -0.1), (2, 11, -0.2), (0, 12, -0.3)),
            ValueError,
        ),
        Case(Text("合法的树照常评分", "a legal tree is still scored"), _EXAMPLE, _EXAMPLE_ANSWER),
        Case(
            Text("根的子节点也可排在后面", "a child of the root may come late"),
            _nodes((-1, 10, -1.0), (0, 11, -1.0), (-1, 12, -0.5)),
            ([-1.0, -2.0, -0.5], [12]),
        ),
    ],
    SCORE.mistakes
    | {
        Text("合法的树被拒绝了：-1 表示根的子节点。", "A legal tree is refused: -1 means a child of the root."): _tree(
            lowest=0
        ),
    },
)


# ── 4. accepted_prefix(draft_tokens, target_tokens) ──────────────────────────────────────────────


def _agreements(draft, target):
    return [drafted == wanted for drafted, wanted in zip(draft, target, strict=False)]


def _run(agreements):
    return [*agreements, False].index(False)


def _longest_run(draft, target):
    agreements = _agreements(draft, target)
    return max((_run(agreements[start:]) for start in range(len(agreements))), default=0)


PREFIX = Exercise(
    [
        Case(Text("中间断开，后面又一致", "a break, then agreement again"), ([5, 6, 7, 8], [5, 9, 7, 8]), 1),
        Case(Text("全部一致", "full agreement"), ([5, 6, 7], [5, 6, 7]), 3),
        Case(Text("第一个就不一致", "no agreement on the first"), ([5, 6], [9, 8]), 0),
        Case(Text("token 0 也是真实的 token", "token 0 is a real token"), ([4, 0, 3], [4, 0, 7]), 2),
        Case(Text("两个 token 换了位置", "two tokens change places"), ([5, 6, 7], [5, 7, 6]), 1),
        Case(Text("草稿为空", "an empty draft"), ([], [1]), 0),
        Case(Text("草稿较长", "the draft is longer"), ([5, 6, 7], [5, 6]), 2),
        Case(Text("目标较长", "the target is longer"), ([5, 6], [5, 6, 7]), 2),
    ],
    {
        Text("数了所有一致的位置；断开之后的不算。", "Counts every agreement: stop at the first break."): (
            lambda draft, target: sum(_agreements(draft, target))
        ),
        Text("取了最长的一段；只算从头开始的那一段。", "The longest run: only the leading one counts."): _longest_run,
        Text("只看 token 在不在目标里；要逐个位置比较。", "Asks whether a token occurs: compare by position."): (
            lambda draft, target: _run([token in target for token in draft])
        ),
        Text("数了两边共有的 token；要逐个位置比较。", "Counts shared tokens: compare position by position."): (
            lambda draft, target: len(set(draft) & set(target))
        ),
        Text("没有检查第一个 token。", "The first token is not checked."): (
            lambda draft, target: 1 + _run(_agreements(draft, target)[1:])
        ),
        Text("多数了一个：不一致的那个不算。", "One too many: the token that disagrees does not count."): (
            lambda draft, target: 1 + _run(_agreements(draft, target))
        ),
        Text("少数了一个：返回不一致处的下标即可。", "One too few: the index of the first break is the count."): (
            lambda draft, target: _run(_agreements(draft, target)) - 1
        ),
        Text("遇到 token 0 就停了：0 也是 token。", "Stops at token 0: 0 is a token like any other."): (
            lambda draft, target: _run([drafted == wanted != 0 for drafted, wanted in zip(draft, target, strict=False)])
        ),
        Text("返回的是 token 列表；应返回个数。", "Returns the tokens: give their number."): (
            lambda draft, target: draft[: _run(_agreements(draft, target))]
        ),
        Text("返回了整段的长度，没有比较。", "Returns the whole length, with nothing compared."): (
            lambda draft, target: min(len(draft), len(target))
        ),
        Text("没有不一致时没有返回值：循环之后还要 return。", "No break, no answer: return after the loop too."): (
            lambda draft, target: None if all(a := _agreements(draft, target)) else _run(a)
        ),
    },
)


# ── 5. tree_attention_mask(parents) ──────────────────────────────────────────────────────────────


def _mask(sees):
    """A mask in which row r sees column c where `sees(paths, r, c)`; `paths[r]`: the rows from the root, 0, to r."""

    def mask(parents):
        paths = [[0]]
        for row, parent in enumerate(parents, start=1):
            paths.append([*paths[1 + parent], row])
        return [[sees(paths, r, c) for c in range(len(paths))] for r in range(len(paths))]

    return mask


def _rows(text):
    return [[int(cell) for cell in row] for row in text.split()]


MASK = Exercise(
    [
        Case(Text("本节例子中的树", "the tree of the text"), ([-1, 0, 0, 1],), _rows("10000 11000 11100 11010 11101")),
        Case(
            Text("根有两个子节点", "two children of the root"),
            ([-1, -1, 0, 1],),
            _rows("10000 11000 10100 11010 10101"),
        ),
        Case(Text("一条链", "a chain"), ([-1, 0, 1, 2],), _rows("10000 11000 11100 11110 11111")),
    ],
    {
        Text("用了下三角掩码：旁支也被看见了。", "Lower triangular: other branches are seen too."): _mask(
            lambda paths, r, c: c <= r
        ),
        Text("全是 1：谁都能看见谁。", "All ones: everybody sees everybody."): _mask(lambda paths, r, c: 1),
        Text("少了祖先：不能只看到父节点。", "Ancestors are missing: the parent alone is not enough."): _mask(
            lambda paths, r, c: c == 0 or c in paths[r][-2:]
        ),
        Text("看不见自己：对角线应为 1。", "A row does not see itself: the diagonal is 1."): _mask(
            lambda paths, r, c: c in paths[r] and (c != r or r == 0)
        ),
        Text("看不见根：第 0 列应全为 1。", "The root is not seen: column 0 is all 1."): _mask(
            lambda paths, r, c: c in paths[r] and (c != 0 or r == 0)
        ),
        Text("没有根那一行一列：应为 [1+n][1+n]。", "No row and column for the root: it is [1+n][1+n]."): (
            lambda parents: [row[1:] for row in _mask(lambda paths, r, c: c in paths[r])(parents)[1:]]
        ),
        Text("列错了一位：节点 i 在第 1+i 列。", "Columns are off by one: node i is column 1+i."): _mask(
            lambda paths, r, c: c in (0, r) or c + 1 in paths[r]
        ),
        Text("行列反了：看到的是后代，应是祖先。", "Transposed: a row sees its ancestors, not its descendants."): _mask(
            lambda paths, r, c: r in paths[c]
        ),
        Text("按层放行了：上层的旁支也被看见了。", "Seen by depth: branches of the levels above are seen too."): _mask(
            lambda paths, r, c: c == r or len(paths[c]) < len(paths[r])
        ),
        Text("兄弟节点互相看见了。", "Siblings see each other."): _mask(
            lambda paths, r, c: c in paths[r] or paths[c][:-1] == paths[r][:-1]
        ),
        Text("0 和 1 反了：1 表示看得见。", "0 and 1 are swapped: 1 means it is seen."): _mask(
            lambda paths, r, c: c not in paths[r]
        ),
        Text("这是相加用的 0 / -inf 掩码；应为 1 / 0。", "This mask is to be added (0 / -inf): give 1 / 0."): _mask(
            lambda paths, r, c: 0.0 if c in paths[r] else -math.inf
        ),
    },
)


# ── 6. verify_tree(parents, tokens, choices) ─────────────────────────────────────────────────────


def _fits(at, node):
    return at.parents[node] == at.last and at.tokens[node] == at.choices[1 + at.last]


def _next(at):
    return at.choices[1 + at.last]


def _walk(fits=_fits, accept=lambda at: at.path, after=_next):
    """A wrong answer that picks the next node, names the accepted or gives the next token its own way.

    `at.parents`, `at.tokens`, `at.choices`: the arguments; `at.path`: the nodes so far; `at.last`: the last of them,
    at first −1; `at.children`: the children of the last one, all refused.
    """

    def verify_tree(parents, tokens, choices):
        at = SimpleNamespace(parents=parents, tokens=tokens, choices=choices, path=[], last=-1)
        while following := [node for node in range(at.last + 1, len(parents)) if fits(at, node)]:
            at.last = following[0]
            at.path.append(at.last)
        at.children = [node for node, parent in enumerate(parents) if parent == at.last]
        return accept(at), after(at)

    return verify_tree


def _all_matching(parents, tokens, choices):
    accepted = [node for node, parent in enumerate(parents) if tokens[node] == choices[1 + parent]]
    return accepted, choices[1 + accepted[-1]] if accepted else choices[0]


VERIFY = Exercise(
    [
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
            Text("两个分支里有同样的 token", "the same token in two branches"),
            ([-1, -1, 0, 1, 3], [5, 6, 7, 7, 8], [6, 1, 7, 3, 9, 9]),
            ([1, 3], 9),
        ),
    ],
    {
        Text(
            "把所有吻合的节点都算上了；应从根起逐个往下走。", "Takes every match: walk down from the root."
        ): _all_matching,
        Text("总走第一个子节点，没有与 choices 比较。", "Takes the first child without a look at choices."): _walk(
            lambda at, node: at.parents[node] == at.last
        ),
        Text(
            "choices 错了一位：节点 i 之后是 choices[1+i]。", "choices is off by one: after node i, choices[1+i]."
        ): _walk(
            lambda at, node: at.parents[node] == at.last and at.tokens[node] == at.choices[max(at.last, 0)],
            after=lambda at: at.choices[max(at.last, 0)],
        ),
        Text(
            "与节点自己之后的选择比了；应与父节点之后的比。", "Compared with the choice after the node itself."
        ): _walk(lambda at, node: at.parents[node] == at.last and at.tokens[node] == at.choices[1 + node]),
        Text(
            "在别的分支里找到了 token；只看子节点。", "Matches a token in another branch: look at children only."
        ): _walk(lambda at, node: at.tokens[node] == at.choices[1 + at.last]),
        Text("没有检查第一个 token。", "The first token is not checked against choices[0]."): _walk(
            lambda at, node: at.parents[node] == at.last == -1 or _fits(at, node)
        ),
        Text("把被拒绝的节点也算上了。", "A refused node is among the accepted."): _walk(
            accept=lambda at: at.path + at.children[:1]
        ),
        Text("返回的是 token；应返回节点下标。", "Returns tokens: give node indices."): _walk(
            accept=lambda at: [at.tokens[node] for node in at.path]
        ),
        Text("下标多了 1：根不是节点，从 0 数起。", "Indices are one too high: the root is no node."): _walk(
            accept=lambda at: [1 + node for node in at.path]
        ),
        Text(
            "走到叶子时缺了 next_token：应是目标模型的选择。", "No next token at a leaf: it is the target's choice."
        ): _walk(after=lambda at: _next(at) if at.children else None),
        Text(
            "next_token 取了草稿的 token；应取目标模型的选择。", "The next token is a drafted one: take choices."
        ): _walk(after=lambda at: at.tokens[at.children[0] if at.children else at.last]),
        Text("next_token 取了最后接受的 token；它已经写下了。", "The next token repeats the last accepted one."): _walk(
            after=lambda at: at.tokens[at.last] if at.last >= 0 else _next(at)
        ),
        Text("next_token 总取 choices[0]；应取最后接受处之后的。", "The next token is always choices[0]."): _walk(
            after=lambda at: at.choices[0]
        ),
    },
)

EXERCISES = {
    "normalize_fusion_weights": NORMALIZE,
    "fuse_layer_features": FUSE,
    "score_candidate_tree": SCORE,
    "candidate_tree_contract": CONTRACT,
    "accepted_prefix": PREFIX,
    "tree_attention_mask": MASK,
    "verify_tree": VERIFY,
}
