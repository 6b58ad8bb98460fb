"""The likely mistake behind each wrong outcome: what any exercise shows, and what the exercise itself can see."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from ..language import Text
from .kinds import Case, Exercise, Outcome, alike, in_plain_form, is_number, same, show


def likely_mistakes(exercise: Exercise, outcomes: list[Outcome]) -> list[Text | None]:
    """A hint for each wrong outcome, in the order of the cases; None for the right ones.

    Of the sentences that are true of an outcome it is the one that is true of most: so a slip is named once, and
    seldom by chance.

    >>> def look(got, expected, x): yield Text("没有翻倍。", "Not doubled.")
    >>> exercise = Exercise([Case(Text("一", "one"), (1,), 2), Case(Text("零", "zero"), (0,), 0)], look)
    >>> [hint and hint.en for hint in likely_mistakes(exercise, [Outcome(1.0), Outcome(0.0)])]
    ['Not doubled.', None]
    """
    pairs = zip(exercise.cases, outcomes, strict=True)
    true = [[] if case.accepts(outcome) else list(_sight(case, outcome, exercise.look)) for case, outcome in pairs]
    counts = Counter(hint for hints in true for hint in set(hints))
    return [max(hints, key=counts.__getitem__, default=None) for hints in true]


_CHANGED = Text("输入被改动了：请把结果放进新的列表。", "The input was changed: put the results into a new list.")
_NO_RETURN = Text("函数返回了 None：是不是忘了 return？", "The function returned None: is a return missing?")
_ROUNDED = Text("小数位被舍去了：不要用 round()、int() 或 //。", "Decimals are cut off: no round(), int() or //.")
_SWAPPED = Text("返回的两项次序反了。", "The two parts of the answer have changed places.")
_CLOSE = Text(
    "结果接近而不相等：是否用了 float32，或给分母加了一个很小的数？",
    "Close but not equal: was it float32, or was the divisor made a little larger?",
)
_NESTED = Text("答案多套了一层列表：去掉外面的方括号。", "One list too many: drop the outer brackets.")
_ENDLESS = Text("递归停不下来：要有停下的条件。", "The recursion never ends: it needs a condition to stop.")
_SLIPS = NameError, TypeError, AttributeError  # of the code, whatever the input


def _sight(case: Case, outcome: Outcome, look) -> Iterator[Text]:
    """What is true of a wrong outcome, the most telling first; there is always something."""
    if outcome.changed:
        yield _CHANGED
        return
    if alike(outcome.value, case.expected):
        pairs = list(_pairs(outcome.value, case.expected))
        if any(_are_rounded(pairs, digits) for digits in range(7)):
            yield _ROUNDED
        elif all(math.isclose(*pair, rel_tol=1e-3) for pair in pairs):
            yield _CLOSE
    if isinstance(case.expected, tuple) and same(outcome.value, case.expected[::-1]):
        yield _SWAPPED
    if same(outcome.value, [case.expected]):
        yield _NESTED
    yield from look(outcome.value if outcome.error is None else outcome.error, case.expected, *case.arguments)
    yield _in_general(case, outcome)


def _in_general(case: Case, outcome: Outcome) -> Text:
    """What can be said even where the mistake is not known."""
    title, error = case.title, type(outcome.error).__name__
    if isinstance(outcome.error, _SLIPS):
        return Text(f"代码本身出错了：{error}，原因见上。", f"The code itself fails with {error}: see above.")
    if isinstance(outcome.error, RecursionError) and not case.refuses:
        return _ENDLESS
    if outcome.error and case.refuses:
        zh = f"{title.zh}：抛出的是 {error}，应先检查输入，主动抛出 ValueError。"
        return Text(zh, f"{title.en}: {error}, but check the input first and raise ValueError.")
    if outcome.error:
        zh = f"输入合法，却抛出了 {error}，原因见上。"
        return Text(zh, f"Legal input, yet {error} was raised; its message is above.")
    if case.refuses:
        return Text(f"没有拒绝{title.zh}：请抛出 ValueError。", f"Let through: {title.en}. Raise ValueError.")
    if outcome.value is None:
        return _NO_RETURN
    return _difference(outcome.value, in_plain_form(case.expected))


def _pairs(got, expected) -> Iterator[tuple[float, float]]:
    """The numbers of two answers of the same form, side by side."""
    if is_number(got):
        yield got, expected
    else:
        for pair in zip(got, expected, strict=True):
            yield from _pairs(*pair)


def _are_rounded(pairs: list[tuple[float, float]], digits: int) -> bool:
    if not all(math.isfinite(got) for got, _ in pairs) or all(same(right, round(right, digits)) for _, right in pairs):
        return False
    return all(same(got, round(got, digits)) and abs(got - right) < 10**-digits for got, right in pairs)


def _difference(got, expected, place: str = "") -> Text:
    """Where `got` first leaves `expected`, and how."""
    zh, en = f"结果{place} " if place else "结果", f"result{place}"
    if isinstance(got, Sequence) and isinstance(expected, Sequence):
        if len(got) != len(expected):
            zh, en = f"{zh}的长度是 {len(got)}，应为", f"{en} has length {len(got)}, not"
            return Text(f"{zh} {len(expected)}。", f"{en} {len(expected)}.")
        index = list(map(same, got, expected)).index(False)
        return _difference(got[index], expected[index], f"{place}[{index}]")
    if not (is_number(got) and is_number(expected)):
        kind = Text("列表", "a list") if isinstance(expected, Sequence) else Text("一个数", "a number")
        return Text(f"{zh}是 {show(got)}，应为{kind.zh}。", f"{en} is {show(got)}: it must be {kind.en}.")
    return Text(f"{zh}是 {show(got)}，应为 {show(expected)}。", f"{en} is {show(got)}, not {show(expected)}.")
