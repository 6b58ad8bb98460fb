"""The likely mistake behind each wrong outcome: the slip that does just the same, or what is plain from the outcome."""

import math
from collections.abc import Iterator, Sequence

from ..language import Text
from .kinds import Case, Exercise, OneRow, Outcome, Slip, alike, in_plain_form, is_number, is_refusal, same, show

_CHANGED = Text("输入被改动了：请把结果放进新的列表。", "The input was changed: put the results into a new list.")
_ONE_ROW = Text("有几行是同一个列表，改一行全都变：要逐行新建。", "Rows are one and the same list: make each anew.")
_NO_RETURN = Text("函数返回了 None：是不是忘了 return？", "The function returned None: is a return missing?")
_BLANK = Text("还有 ... 没有填：请换成要算的值。", "A ... is still there: put the value in its place.")
_CLOSE = Text("结果接近而不相等：是否用了 float32？", "Close but not equal: was it float32?")
_TOO_DEEP = Text(
    "递归超出了 Python 的限度：停得下来吗？用循环就没有这个限度。",
    "Recursion beyond Python's limit: does it stop? A loop has no such limit.",
)
TINY = 1e-30  # a slip's numbers are met as they are, also where weights are tiny
_CODE = NameError, TypeError, AttributeError  # errors of the code, whatever the input


def likely_mistakes(exercise: Exercise, outcomes: list[Outcome]) -> list[Text | None]:
    """A hint for each wrong outcome, in the order of the cases; None for the right ones.

    A slip is named where it does just what was done, if it does so in most cases of legal input that went wrong, and
    in none that went right does wrong. Of several it is the one that explains most. What no slip explains is described.

    >>> cases = [Case(Text("一", "one"), (1,), 2), Case(Text("零", "zero"), (0,), 0)]
    >>> undoubled = Slip(Text("没有翻倍。", "Not doubled."), lambda x: x, None)
    >>> exercise = Exercise(cases, [undoubled], lambda got, expected, x: None)
    >>> [hint and hint.en for hint in likely_mistakes(exercise, [Outcome(1.0), Outcome(0.0)])]
    ['Not doubled.', None]
    """
    cases = list(zip(exercise.cases, outcomes, strict=True))
    wrong = [place for place, (case, outcome) in enumerate(cases) if not case.accepts(outcome)]
    hints = [_description(*pair, exercise.fact) if place in wrong else None for place, pair in enumerate(cases)]
    most = [0] * len(cases)
    for slip in exercise.slips:
        likeness = _likeness(slip, cases, wrong)
        total = sum(likeness.values())
        for place in likeness:
            if likeness[place] and total > most[place] and not _is_plain(outcomes[place]):
                hints[place], most[place] = slip.says, total
    return hints


def _likeness(slip: Slip, cases: list[tuple[Case, Outcome]], wrong: list[int]) -> dict[int, int]:
    """How like a slip each wrong answer to legal input is; nothing where it is unlike most, or one that is right."""
    legal = [place for place, (case, _) in enumerate(cases) if not case.refuses]
    likeness, unlike, asked = {}, 0, len(set(legal) & set(wrong))
    for place in legal:
        likeness[place] = _alike(slip, *cases[place], right=place not in wrong)
        unlike += place in wrong and not likeness[place]
        if not likeness[place] and (place not in wrong or 2 * unlike >= asked):
            return {}
    return {place: likeness[place] for place in legal if place in wrong}


def _alike(slip: Slip, case: Case, outcome: Outcome, right: bool) -> int:
    """2 where a slip does in a case just what was done, 1 where the part that it is about is the same, else 0."""
    got = outcome.value
    try:
        value = in_plain_form(slip.answer(*case.arguments))
    except Exception as error:
        return 2 * (not isinstance(error, _CODE) and _kind(error) == _kind(outcome.error))
    if outcome.error or same(value, got, TINY):
        return 0 if outcome.error else 2
    if slip.part is None or not (isinstance(got, Sequence) and len(got) == 2):
        return 0
    mine, theirs = value[slip.part], got[slip.part]
    return int(same(mine, theirs, TINY) and (right or not same(theirs, case.expected[slip.part])))


def _is_plain(outcome: Outcome) -> bool:
    """Whether the mistake shows by itself."""
    return outcome.changed or isinstance(outcome.value, OneRow)


def _kind(error: BaseException | None) -> tuple:
    return type(error), is_refusal(error)


def _description(case: Case, outcome: Outcome, fact) -> Text:
    """What can be said where the mistake is not known."""
    title, got, error = case.title, outcome.value, type(outcome.error).__name__
    if _is_plain(outcome):
        return _CHANGED if outcome.changed else _ONE_ROW
    if isinstance(outcome.error, TypeError) and "ellipsis" in outcome.said:
        return _BLANK
    if isinstance(outcome.error, _CODE):
        return Text(f"代码本身出错了：{error}，原因见上。", f"The code itself fails with {error}: see above.")
    if isinstance(outcome.error, RecursionError) and not case.refuses:
        return _TOO_DEEP
    if outcome.error and case.refuses:
        zh = f"{title.zh}：抛出的是 {error}，应先检查输入，主动抛出 ValueError。"
        return Text(zh, f"{title.en}: {error}, but check the input first and raise ValueError.")
    if outcome.error:
        zh = f"输入合法，却抛出了 {error}，原因见上。"
        return Text(zh, f"Legal input, yet {error} was raised; its message is above.")
    if (said := fact(got, case.expected, *case.arguments)) is not None:
        return said
    if case.refuses:
        return Text(f"没有拒绝{title.zh}：请抛出 ValueError。", f"Let through: {title.en}. Raise ValueError.")
    if got is None:
        return _NO_RETURN
    if alike(got, case.expected) and all(math.isclose(*pair, rel_tol=1e-3) for pair in _pairs(got, case.expected)):
        return _CLOSE
    return _difference(got, in_plain_form(case.expected))


def _pairs(got, expected) -> Iterator[tuple[float, float]]:
    """The numbers of two answers of the same form, side by side."""
    if is_number(got):
        yield got, expected
    else:
        for pair in zip(got, expected, strict=True):
            yield from _pairs(*pair)


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
