"""`normalize_fusion_weights(weights)`: what is asked, and what a wrong answer shows."""

import math
from itertools import accumulate

from ..language import Text
from .kinds import TOLERANCE, Case, Exercise, alike, is_refusal, same

CASES = [
    Case(Text("两层：[1, 3]", "two layers: [1, 3]"), ([1, 3],), [0.25, 0.75]),
    Case(Text("有小数：[3, 1.5, 4.5]", "with fractions: [3, 1.5, 4.5]"), ([3, 1.5, 4.5],), [1 / 3, 1 / 6, 1 / 2]),
    Case(Text("有的权重为 0：[0, 2, 2, 0]", "some weights are 0: [0, 2, 2, 0]"), ([0, 2, 2, 0],), [0, 0.5, 0.5, 0]),
    Case(
        Text("五个很小的权重，约 1e-20", "five tiny weights, about 1e-20"),
        ([1e-20, 1e-20, 2e-20, 3e-20, 1e-20],),
        [0.125, 0.125, 0.25, 0.375, 0.125],
    ),
    Case(Text("只有一个权重：[20]", "a single weight: [20]"), ([20],), [1]),
    Case(Text("空列表 []", "the empty list []"), ([],), ValueError),
    Case(Text("总和为 0 的 [0, 0]", "a sum of 0: [0, 0]"), ([0, 0],), ValueError),
    Case(Text("含负权重的 [1, -1]", "a negative weight: [1, -1]"), ([1, -1],), ValueError),
    Case(Text("总和为正但含负权重的 [3, -1]", "negative, yet a sum above 0: [3, -1]"), ([3, -1],), ValueError),
    Case(Text("第一个为负的 [-1, 3]", "the first is negative: [-1, 3]"), ([-1, 3],), ValueError),
    Case(Text("全为负数的 [-1, -3]", "only negative weights: [-1, -3]"), ([-1, -3],), ValueError),
]


def _shares(weights):
    weights = list(weights)
    return [weight / sum(weights) for weight in weights]


def _look(got, expected, weights):
    if expected is ValueError:
        yield from _look_let_through(got, weights)
        return
    if is_refusal(got):
        yield from _look_refused(weights)
    if same(got, [share for share in expected if share]):
        yield Text("权重为 0 的层也要留在结果里，份额是 0。", "A layer of weight 0 stays in the result, as a 0.")
    if same(got, expected[0]) or (len(weights) > 1 and same(got, expected[:1])):
        yield Text("只有第一个份额：return 是不是放在循环里了？", "The first share alone: return after the loop.")
    if same(got, sum(weights)):
        yield Text("返回的是总和；要返回每个权重的份额。", "Returns the sum: give every weight's share of it.")
    if alike(got, expected) and all(map(math.isfinite, got)):
        yield from _look_shares(got, expected, weights)
        yield from _look_divisors(got, weights)


def _look_refused(weights):
    """What legal weights teach that were refused."""
    if sum(weights) < 1e-6:
        yield Text("很小的总和也大于 0：等于 0 才拒绝。", "A tiny sum is still above 0: refuse a sum of 0 alone.")
    if len(weights) == 1:
        yield Text("只有一个权重也合法：份额是 1。", "A single weight is legal: its share is 1.")
    if 0 in weights:
        yield Text("单个权重可以为 0：总和为 0 才拒绝。", "A weight may be 0: refuse only where the sum is 0.")


def _look_shares(got, expected, weights):
    """Shares that were made in another way than by dividing."""
    low, high, total = min(weights), max(weights), sum(weights)
    if same(got, _shares(map(math.exp, weights))):
        yield Text("用了 softmax；直接除以总和，不取指数。", "This is softmax; divide by the plain sum.")
    if same(got, _shares(weight**2 for weight in weights)):
        yield Text("权重先平方了；直接除以总和。", "The weights are squared first; divide them as they are.")
    if same(got, [(weight - low) / ((high - low) or 1) for weight in weights]):
        yield Text("用了最小-最大缩放；应除以总和。", "This is min-max scaling; divide by the sum.")
    if same(got, [total / weight if weight else 0 for weight in weights]):
        yield Text("除反了：应是权重除以总和。", "Upside down: divide the weight by the sum.")
    if same(got, [1 / len(weights) for _ in weights]):
        yield Text("各层平分了，没有用到权重。", "Equal shares: the weights are not used.")
    if same(got, list(accumulate(expected))):
        yield Text("份额被逐个累加了；每个权重只要除以总和。", "Shares are summed up on the way: only divide each.")
    if same(sorted(got), sorted(expected)):
        yield Text("份额的次序变了：第 i 个份额属于第 i 层。", "The order has changed: share i belongs to layer i.")


def _look_divisors(got, weights):
    """What the weights were divided by."""
    total = sum(weights)
    divisors = [weight / share if share else math.inf for weight, share in zip(weights, got, strict=True) if weight]
    if math.inf in divisors:
        return
    if not all(math.isclose(divisor, divisors[0], rel_tol=TOLERANCE) for divisor in divisors):
        yield Text("各权重除以的数不一样：先求好总和，再逐个除。", "The divisor varies: take the sum first, once.")
        return

    def is_divided_by(number):
        return math.isclose(divisors[0], number, rel_tol=TOLERANCE)

    if is_divided_by(1):
        yield Text("没有归一化：每个权重都要除以总和。", "Not normalised: divide every weight by their sum.")
    if is_divided_by(total / 100):
        yield Text("写成了百分数：份额之和应为 1。", "These are percentages: shares sum to 1.")
    if is_divided_by(len(weights)):
        yield Text("除以了层数，应除以权重之和。", "Divided by the number of layers; divide by the sum.")
    if is_divided_by(max(weights)):
        yield Text("除以了最大值，应除以权重之和。", "Divided by the largest weight; divide by the sum.")
    if is_divided_by(math.hypot(*weights)):
        yield Text("除以了 L2 范数，应除以权重之和。", "Divided by the L2 norm; divide by the plain sum.")
    if is_divided_by(sum(map(int, weights))):
        yield Text("求和时权重被取整，小数丢了：不要用 int()。", "The sum is taken of whole numbers: drop int().")
    zh = f"权重除以的是 {divisors[0]:g}，应除以总和 {total:g}。"
    yield Text(zh, f"The weights are divided by {divisors[0]:g}, not by the sum {total:g}.")


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


EXERCISE = Exercise(CASES, _look)
