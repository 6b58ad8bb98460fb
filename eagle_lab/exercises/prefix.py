"""`accepted_prefix(draft_tokens, target_tokens)`: what is asked, and what a wrong answer shows."""

from ..language import Text
from .kinds import Case, Exercise, is_number, is_refusal, same

_LARGE, _ALIKE = [int("1000"), 1], [int("1000"), 12]  # equal numbers, yet not one and the same object

CASES = [
    Case(Text("中间断开，后面又一致", "a break, then agreement again"), ([5, 6, 7, 8], [5, 9, 7, 8]), 1),
    Case(Text("全部一致", "full agreement"), ([5, 6, 7], [5, 6, 7]), 3),
    Case(Text("第一个就不一致", "no agreement on the first"), ([9, 6, 7, 4], [5, 6, 7, 8]), 0),
    Case(Text("token 0 也是真实的 token", "token 0 is a real token"), ([4, 0, 0, 4, 3], [4, 0, 0, 4, 7]), 4),
    Case(Text("两个 token 换了位置", "two tokens change places"), ([5, 6, 7], [5, 7, 6]), 1),
    Case(Text("草稿为空", "an empty draft"), ([], [1]), 0),
    Case(Text("草稿较长", "the draft is longer"), ([5, 6, 7], [5, 6]), 2),
    Case(Text("草稿只有一个，目标较长", "one drafted token, a longer target"), ([5], [5, 5, 7]), 1),
    Case(Text("目标为空", "an empty target"), ([4], []), 0),
    Case(Text("编号很大，另一个只有开头的数字相同", "large ids, and one that only begins alike"), (_LARGE, _ALIKE), 1),
]


def _run(agreements):
    return [*agreements, False].index(False)


def _agrees(left, right):
    return [a == b for a, b in zip(left, right, strict=False)]


def _look(got, run, draft, target):
    agreements = _agrees(draft, target)
    no_break = run == len(agreements)
    if is_refusal(got) and not (draft and target):
        yield Text("空的输入也合法：个数是 0。", "Empty input is legal: the count is 0.")
    if isinstance(got, ValueError) and len(draft) != len(target):
        yield Text("长度可以不等：比到短的那个为止。", "Lengths may differ: compare up to the shorter one.")
    if same(got, agreements) and agreements:
        yield Text("返回的是每个位置的真假；应返回个数。", "True or false for each place: give the number.")
    if no_break and isinstance(got, IndexError):
        yield Text("一路一致，却没有停下：比到短的那个末尾为止。", "Runs off the end: the shorter list ends it.")
    if no_break and got is None:
        yield Text("全部一致时没有返回值：循环之后还要 return。", "None where all agree: return after the loop too.")
    if same(got, draft[:run]):
        yield Text("返回的是 token 列表；应返回个数。", "Returns the tokens: give their number.")
    if is_number(got):
        yield from _look_what_is_counted(got, run, draft, target, agreements)
        yield from _look_length(got, run, no_break)


def _look_what_is_counted(got, run, draft, target, agreements):
    """Counts of something else than the leading agreements."""
    no_break, shared = run == len(agreements), set(draft) & set(target)
    if got == sum(agreements):
        yield Text("数了所有一致的位置；断开之后的不算。", "Counts every agreement: stop at the first break.")
    if got == max((_run(agreements[start:]) for start in range(len(agreements))), default=0):
        yield Text("取了最长的一段；只算从头开始的那一段。", "The longest run: only the leading one counts.")
    if got == _run(token in shared for token in draft):
        yield Text("只看 token 在不在目标里；要逐个位置比较。", "Asks whether a token occurs: compare by position.")
    if got == _run(_agrees(sorted(draft), sorted(target))):
        yield Text("先排了序再比；要按原来的位置比较。", "Sorted before comparing: keep the positions.")
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
    if got == _run(_agrees(draft[::-1], target[::-1])):
        yield Text("数的是末尾那一段；要从头开始。", "Counts the run at the end: start from the front.")
    if got in (_run(_agrees(draft, target[1:])), _run(_agrees(draft[1:], target))):
        yield Text("错开了一位：要比同一个位置上的两个 token。", "Off by one: compare the tokens at the same position.")


def _look_length(got, run, no_break):
    """Counts that begin rightly and end too early or too late."""
    if got == 1 < run:
        yield Text(
            "只看了第一个位置：return 是不是放在循环里了？", "Only the first is compared: return after the loop."
        )
    if not float(got).is_integer():
        yield Text("结果不是整数：要的是个数，不是比例。", "Not a whole number: give the count, not the rate.")
    if no_break and got == run - 1:
        yield Text("全部一致时少了一个：最后一个位置也要比。", "One short where all agree: compare the last too.")
    if got == run - 1:
        yield Text("少算了一个：返回不一致处的下标即可。", "One too few: the index of the first break is the count.")
    if not no_break and got == run + 1:
        yield Text("多算了一个：不一致的那个不算。", "One too many: the token that disagrees does not count.")
    if no_break and got > run:
        yield Text(f"数过头了：短的那个只有 {run} 个。", f"Too many: the shorter list has {run}.")
    elif got > run:
        yield Text("断开之后的也算了：第一个不一致处起都不算。", "Counts past the break: nothing counts from there.")
    else:
        yield Text(f"从头起有 {run} 个一致，没有数全。", f"The first {run} agree: not all of them are counted.")


EXERCISE = Exercise(CASES, _look)
