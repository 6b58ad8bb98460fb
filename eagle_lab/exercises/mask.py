"""`tree_attention_mask(parents)`: what is asked, and what a wrong answer shows."""

import math

from ..language import Text
from .kinds import Case, Exercise, OneRow, alike, same


def _rows(text):
    return [[int(cell) for cell in row] for row in text.split()]


CASES = [
    Case(Text("本节例子中的树", "the tree of the text"), ([-1, 0, 0, 1],), _rows("10000 11000 11100 11010 11101")),
    Case(
        Text("三个交错的分支", "three branches, interleaved"),
        ([-1, -1, 0, 1, -1, 3, 2, 4],),
        _rows("100000000 110000000 101000000 110100000 101010000 100001000 101010100 110100010 100001001"),
    ),
    Case(Text("一条链", "a chain"), ([-1, 0, 1, 2, 3],), _rows("100000 110000 111000 111100 111110 111111")),
    Case(Text("只有一个节点", "a single node"), ([-1],), _rows("10 11")),
]


def _look(got, expected, parents):
    paths = [[0]]  # to each row, the rows from the root
    for row, parent in enumerate(parents, start=1):
        paths.append([*paths[1 + parent], row])
    yield from _look_form(got, expected)
    if isinstance(got, OneRow):
        yield Text("有几行是同一个列表，改一行全都变：要逐行新建。", "Rows are one and the same list: make each anew.")
    if alike(got, expected):
        yield from _look_grids(got, expected, paths)
        yield from _look_cells(got, expected, paths)


def _look_form(got, expected):
    """Tables of another shape, or that hold something else."""
    corner = [row[1:] for row in expected[1:]]
    if same(got, corner):
        yield Text("没有根那一行一列：应为 [1+n][1+n]。", "No row and column for the root: it is [1+n][1+n].")
    if same(got, [row[1:] for row in expected]) or same(got, expected[1:]):
        yield Text("不是正方形：根既有一行，也有一列。", "Not a square: the root has a row and a column.")
    if same(got, [cell for row in expected for cell in row]):
        yield Text("表拉成了一行；每一行应是一个列表。", "The table is flat: give one list for each row.")
    if same(got, [[0 if cell else -math.inf for cell in row] for row in expected]):
        yield Text("这是相加用的 0 / -inf 掩码；应为 1 / 0。", "This mask is to be added (0 / -inf): give 1 / 0.")
    if same(got, [[column for column, cell in enumerate(row) if cell] for row in expected]):
        yield Text("行里是看得见的列号；应为一排 1 和 0。", "Rows hold column numbers: give 1 and 0 for each.")
    if alike(got, expected) and any(cell not in (0, 1) for row in got for cell in row):
        yield Text("格子里只能是 0 和 1。", "Only 0 and 1 may stand in a cell.")


def _look_grids(got, expected, paths):
    """Tables that follow another rule throughout."""

    def is_grid(sees):
        return same(got, [[sees(row, column) for column in range(len(paths))] for row in range(len(paths))])

    if is_grid(lambda row, column: 1):
        yield Text("全是 1：谁都能看见谁。", "All ones: everybody sees everybody.")
    if is_grid(lambda row, column: not expected[row][column]):
        yield Text("0 和 1 反了：1 表示看得见。", "0 and 1 are swapped: 1 means it is seen.")
    if is_grid(lambda row, column: column == row):
        yield Text("每行只看见自己；根和祖先也要看见。", "Each row sees itself alone: add root and ancestors.")
    if is_grid(lambda row, column: column in (row, *paths[row][-2:-1])):
        yield Text("只看见父节点和自己；根和全部祖先也要看见。", "Parent and itself alone: add root and ancestors.")
    if is_grid(lambda row, column: column <= row):
        yield Text("用了下三角掩码：旁支也被看见了。", "Lower triangular: other branches are seen too.")
    if is_grid(lambda row, column: column in (0, row) or column + 1 in paths[row][:-1]) or (
        is_grid(lambda row, column: column == 0 or column + 1 in paths[row])
    ):
        yield Text("列错了一位：节点 i 在第 1+i 列。", "Columns are off by one: node i is column 1+i.")
    shifted = [row[:-1] for row in got[:-1]], [row[1:] for row in expected[1:]]
    if not any(got[-1][1:]) and (same(got[:-1], expected[1:]) or same(*shifted)):
        yield Text("行错了一位：节点 i 在第 1+i 行。", "Rows are off by one: node i is row 1+i.")


def _look_cells(got, expected, paths):
    cells = [(row, column) for row in range(len(paths)) for column in range(len(paths))]
    missing = {(row, column) for row, column in cells if expected[row][column] and not same(got[row][column], 1)}
    extra = {(row, column) for row, column in cells if not expected[row][column] and not same(got[row][column], 0)}
    if missing and extra == {(column, row) for row, column in missing}:
        yield Text("行列反了：看到的是后代，应是祖先。", "Transposed: descendants are seen, not ancestors.")
    if missing:
        yield from _look_missing(missing, paths)
    if extra:
        yield from _look_extra(extra, paths)


def _look_missing(missing, paths):
    levels = {(path[-1], row): up for path in paths for up, row in enumerate(path[-2:0:-1], start=1)}  # to ancestors
    if missing == {(0, 0)}:
        yield Text("根看不见自己：第 0 行是根的，[0][0] 应为 1。", "The root does not see itself: [0][0] must be 1.")
    if all(column == 0 for row, column in missing):
        yield Text("看不见根：第 0 列应全为 1。", "The root is not seen: column 0 is all 1.")
    if all(row == column for row, column in missing):
        yield Text("看不见自己：对角线应为 1。", "A row does not see itself: the diagonal is 1.")
    if missing == levels.keys():
        yield Text("看不见祖先：沿 parent 走到 -1，逐个填 1。", "No ancestor is seen: walk up to -1 and mark each.")
    if missing == {(row, column) for row, column in levels if column == 1}:
        yield Text("后代看不见节点 0：走到 parent 为 -1 再停。", "Node 0 is not seen from below: walk up to -1.")
    if missing <= levels.keys():
        up = min(levels[cell] for cell in missing)
        zh = f"往上第 {up} 级的祖先看不见：从父节点起，一直走到根。"
        yield Text(zh, f"Ancestors {up} up are not seen: walk from the parent all the way to the root.")
    row, column = min(missing)
    zh = f"第 {row} 行看不见第 {column} 列：根、祖先和自己都应为 1。"
    yield Text(zh, f"Row {row} does not see column {column}: the root, ancestors and itself are 1.")


def _look_extra(extra, paths):
    if all(row == 0 for row, column in extra):
        yield Text("根那一行看见了节点：第 0 行只有 [0][0] 是 1。", "The root sees nodes: only [0][0] is 1 in its row.")
    if all(row in paths[column] for row, column in extra):
        yield Text("看见了自己的后代；只该看祖先。", "A row sees its descendants: only ancestors are seen.")
    if all(paths[row][:-1] == paths[column][:-1] for row, column in extra):
        yield Text("兄弟节点互相看见了。", "Siblings see each other.")
    if all(row and column and paths[column][-2] in paths[row] for row, column in extra):
        yield Text("看见了旁支：自己或祖先的兄弟。", "Other branches are seen: siblings, its own or its ancestors'.")
    row, column = min(extra)
    if row not in paths[column]:
        zh = f"第 {row} 行看见了第 {column} 列，那不是它的祖先：应为 0。"
        yield Text(zh, f"Row {row} sees column {column}, which is no ancestor: it must be 0.")


EXERCISE = Exercise(CASES, _look)
