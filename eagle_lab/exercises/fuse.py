"""`fuse_layer_features(layer_features, weights)`: what is asked, and what a wrong answer shows."""

import math
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from ..fusion import normalize_fusion_weights
from ..language import Text
from .kinds import TOLERANCE, Case, Exercise, alike, is_refusal, same

CASES = [
    Case(Text("两层，权重 [1, 3]", "two layers, weights [1, 3]"), ([[2, 4], [6, 0]], [1, 3]), [5, 1]),
    Case(
        Text("三层四维", "three layers, width 4"),
        ([[4, 0, 1, 2], [8, -2, 0, 1], [2, 6, 3, -1]], [2, 1, 1]),
        [4.5, 1, 1.25, 1],
    ),
    Case(Text("只有一层", "a single layer"), ([[0, 2.5, -3, 2.5, 0]], [20]), [0, 2.5, -3, 2.5, 0]),
    Case(
        Text("宽度为 1，有的权重为 0", "width 1, some weights 0"),
        ([[1], [2.5], [-0.5], [2.5], [1]], [0, 0.5, 0.5, 0, 0]),
        [1],
    ),
    Case(Text("宽度不等的 [[1], [1, 2]]", "unequal widths: [[1], [1, 2]]"), ([[1], [1, 2]], [1, 1]), ValueError),
    Case(Text("中间一层较宽的输入", "a wider middle layer"), ([[1], [2], [3, 4], [5]], [1, 1, 1, 1]), ValueError),
    Case(
        Text("后一层较窄的 [[1, 2], [3]]", "a narrower last layer: [[1, 2], [3]]"), ([[1, 2], [3]], [1, 1]), ValueError
    ),
    Case(Text("两层却只有一个权重的输入", "two layers, one weight"), ([[1, 2], [3, 4]], [1]), ValueError),
    Case(Text("一层却有两个权重的输入", "one layer, two weights"), ([[1, 2]], [1, 1]), ValueError),
    Case(Text("负权重 [3, -1]", "a negative weight: [3, -1]"), ([[1], [2]], [3, -1]), ValueError),
    Case(Text("第一个为负的权重 [-1, 3]", "the first weight is negative: [-1, 3]"), ([[1], [2]], [-1, 3]), ValueError),
    Case(Text("总和为 0 的权重 [0, 0]", "weights that sum to 0: [0, 0]"), ([[1], [2]], [0, 0]), ValueError),
]


def _dot(left, right):
    return sum(a * b for a, b in zip(left, right, strict=False))


def _fused(columns, weights):
    """The weighted sums as far as layers and weights go together, as zip would have it."""
    shares = normalize_fusion_weights(weights)
    return [_dot(shares, column) for column in columns]


def _look(got, expected, rows, weights):
    columns = list(zip(*rows, strict=False))
    if expected is ValueError:
        yield from _look_let_through(got, rows, columns, weights)
        return
    shares = normalize_fusion_weights(weights)
    weighted = [[share * x for x in row] for share, row in zip(shares, rows, strict=True)]
    yield from _look_form(got, expected, rows, weighted)
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
    if isinstance(got, Sequence) and len(got) == len(rows) != len(columns):
        zh = f"结果有 {len(rows)} 个数，那是层数；应有 {len(columns)} 个，一维一个。"
        yield Text(zh, f"{len(rows)} numbers, as many as layers; give {len(columns)}, one for each dimension.")
    if alike(got, expected) and all(abs(x) < 1e9 for x in got):
        yield from _look_sums(got, columns, weights, shares)
        yield from _look_shares(got, columns, shares)
        yield from _look_dimensions(got, expected, columns, shares)


def _look_let_through(got, rows, columns, weights):
    widths = list(map(len, rows))
    if isinstance(got, Sequence) and len(got) == min(widths) < max(widths):
        zh = f"各层宽 {widths}，多出的被悄悄截掉了，zip 就会这样；应先拒绝，每层都要比。"
        yield Text(zh, f"Widths {widths}: the rest is cut off, as zip would; compare every layer and refuse.")
    if len(rows) != len(weights) and same(got, _fused(columns, weights)):
        zh = f"{len(rows)} 层、{len(weights)} 个权重，多出的被悄悄丢掉了，zip 就会这样；应先拒绝。"
        yield Text(zh, f"Layers: {len(rows)}, weights: {len(weights)}; what is over is dropped, as zip would; refuse.")


def _look_form(got, expected, rows, weighted):
    """What was refused, and results that are no list of one number for each dimension."""
    layers, width = len(rows), len(expected)
    if is_refusal(got) and layers == 1:
        yield Text("只有一层也合法：结果就是这一层。", "A single layer is legal: it is the result.")
    if is_refusal(got) and width == 1:
        yield Text("宽度为 1 也合法，单个权重也可以为 0。", "A width of 1 is legal, and so are weights of 0.")
    if isinstance(got, IndexError):
        zh = f"下标越界：这里有 {layers} 层、{width} 维，别把层数当成宽度。"
        yield Text(zh, f"Out of range: {layers} layers of width {width}, do not mix them up.")
    if same(got, [x for row in weighted for x in row]):
        yield Text("各层首尾拼接了；应逐维相加。", "The layers are joined end to end; add them up.")
    if same(got, weighted) or same(got, list(zip(*weighted, strict=True))):
        yield Text("乘了权重，但没有把各层加起来。", "Weighted, but the layers are not added up.")
    if any(same(got, whole) for total in (sum(map(sum, weighted)), sum(map(sum, rows))) for whole in (total, [total])):
        yield Text("各维加成了一个总数；应一维一个数。", "One grand total: give a number for each dimension.")
    if same(got, expected[0]) or (width > 1 and same(got, expected[:1])):
        yield Text("只有第 0 维：return 是不是放在循环里了？", "Dimension 0 alone: return after the loop.")


def _look_sums(got, columns, weights, shares):
    """Sums of the layers with other shares than theirs."""

    def is_sum(*others):
        return same(got, [_dot(others, column) for column in columns])

    if is_sum(*weights):
        yield Text("权重没有归一化：先归一化，再融合。", "The weights are not normalised: do that before fusing.")
    if len(weights) > 1 and is_sum(*shares[:-1]):
        yield Text("漏了最后一层。", "The last layer is left out.")
    if len(weights) > 1 and is_sum(0, *shares[1:]):
        yield Text("漏了第一层。", "The first layer is left out.")
    if is_sum(1 + shares[0], *shares[1:]):
        yield Text("第一层多加了一次：累加从 0 开始。", "The first layer counts twice: the sum starts from 0.")
    if is_sum(1, *shares[1:]):
        yield Text("第一层没有乘份额：每一层都要乘。", "The first layer is not weighted: weight every layer.")
    if is_sum(*[share / len(shares) for share in shares]):
        yield Text("加权之后又除以了层数；相加即可。", "Divided by the number of layers once more: only add.")
    if is_sum(*sorted(shares)) or is_sum(*sorted(shares, reverse=True)) or is_sum(*shares[::-1]):
        yield Text("权重的次序不对：weights[i] 属于第 i 层。", "The weights are out of order: weights[i] is layer i's.")


def _look_shares(got, columns, shares):
    """What the layers' shares tell: they follow from the result, if it is a sum of the layers at all."""
    layers, rest = len(shares), [0] * (len(shares) - 1)
    used = np.linalg.lstsq(columns, np.array(got), rcond=None)[0].round(12).tolist()
    if not np.allclose(columns @ np.array(used), got, rtol=TOLERANCE):
        return
    if same(used, used[:1] * layers):
        yield Text("各层的份额一样：没有用到权重。", "All layers have the same share: the weights are not used.")
    if same(used[1:], rest):
        yield Text("只有第一层算进去了：return 是不是放在循环里了？", "The first layer alone: return after the loop.")
    if same(used[:-1], rest):
        yield Text("只有最后一层算进去了：要用 +=，不是 =。", "The last layer alone: add with +=, do not overwrite.")
    if len(got) > layers:  # or else any result would be a sum of the layers
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


EXERCISE = Exercise(CASES, _look)
