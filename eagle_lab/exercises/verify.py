"""`verify_tree(parents, tokens, choices)`: what is asked, and what a wrong answer shows."""

from collections.abc import Sequence

from ..language import Text
from .kinds import Case, Exercise, is_number, same

CASES = [
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
    Case(Text("第一层就被拒绝", "refused at once"), ([-1, 0, 1], [10, 11, 12], [3, 31, 32, 33]), ([], 3)),
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
    Case(Text("只有一个节点，被接受", "a single node, accepted"), ([-1], [4], [4, 0]), ([0], 0)),
    Case(
        Text("交错的分支中走五步", "five steps among interleaved branches"),
        ([-1, -1, 0, 1, 1, 4, -1, 5, 3, 7], [3, 7, 2, 6, 1, 9, 8, 4, 6, 5], [7, 9, 1, 5, 0, 9, 4, 5, 5, 1, 10]),
        ([1, 4, 5, 7, 9], 10),
    ),
]

_OFF_BY_ONE = Text("choices 错了一位：节点 i 之后是 choices[1+i]。", "choices off by one: after node i, choices[1+i].")


def _look(got, expected, parents, tokens, choices):
    if isinstance(got, IndexError):
        yield Text("下标越界：节点 i 之后的选择是 choices[1+i]。", "Out of range: after node i, choices[1+i].")
    if same(got, expected[0]):
        yield Text("只返回了走过的节点；还要 next_token。", "The nodes alone: give the next token as well.")
    if same(got, expected[1]):
        yield Text("只返回了 next_token；还要走过的节点。", "The next token alone: give the nodes as well.")
    if same(got, [*expected[0], expected[1]]):
        yield Text(
            "答案要分成两项：节点的列表，和 next_token。", "Give two parts: the list of nodes, and the next token."
        )
    if not (isinstance(got, Sequence) and len(got) == 2):
        return
    if same(got[0], len(expected[0])):
        yield Text("返回的是个数；应列出走过的节点。", "Returns how many: list the nodes walked.")
    if not isinstance(got[0], Sequence):
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
            yield from _look_early_stop(walk, right[len(walk)], parents, tokens, choices)


def _walk_by_token(parents, choices):
    """The walk of whoever takes the chosen tokens for nodes."""
    walk, node = [], -1
    while 0 <= choices[1 + node] < len(parents) and parents[choices[1 + node]] == node:
        node = choices[1 + node]
        walk.append(node)
    return walk


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


def _look_early_stop(walk, node, parents, tokens, choices):
    if node == 0:
        yield Text("没走到节点 0：0 也是下标，不表示“没找到”。", "Node 0 is not reached: 0 is an index, not nothing.")
    if tokens.count(tokens[node]) > 1:
        yield Text("token 会重复：要在孩子里找，不能按 token 查。", "Tokens may repeat: search among the children.")
    if node != parents.index([-1, *walk][-1]):
        yield Text("没走到靠后的孩子：每个孩子都要看。", "A later child is not reached: look at every child.")
    if walk == _walk_by_token(parents, choices):
        yield Text(
            "choices 里是 token，不是节点下标：要在孩子里找。", "Choices are tokens, not nodes: look at the children."
        )
    yield Text(
        "停早了：目标模型选的 token 就在孩子当中。", "Stops too early: the target's choice is among the children."
    )


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


EXERCISE = Exercise(CASES, _look)
