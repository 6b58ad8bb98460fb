# %% [markdown] lang="zh"
# # INF-EAGLE. Feature Drafter and Candidate Tree | 特征草稿器与候选树
#
# ## Step 4. Three TODOs, and Three More | 三个 TODO，再加三题
#
# **难度：** Hard　|　**环境：** CPU-first　|　**标签：** 推理优化 / 投机解码 / EAGLE　|　**用时：** 约 60 分钟
#
# {{launch}}
#
# ## 本节导读
#
# **你将做什么：** 亲手写出前两节的三个核心函数，用它们驱动真实的融合面板和候选树面板；再写三个验证一侧的函数，让你的代码验证整段生成。
#
# **你将学到：** 每个函数要守哪些约束，漏掉一条会错成什么样。
#
# **你需要：** 会写 Python 的循环和列表，读过前三节。每道题只需填标出来的地方；检查会逐项告诉你哪里不对、多半错在哪一步，想跑几次就跑几次。
#
# ## 前置阅读
#
# - [Step 2. 多层特征融合与轻量草稿器](02_feature_fusion.ipynb)　·　[Step 3. 候选树、累计分数与连续验证](03_candidate_tree.ipynb)

# %% [markdown] lang="en"
# # INF-EAGLE. Feature Drafter and Candidate Tree | 特征草稿器与候选树
#
# ## Step 4. Three TODOs, and Three More | 三个 TODO，再加三题
#
# **Difficulty:** Hard　|　**Runs on:** CPU-first　|　**Tags:** inference optimisation / speculative decoding / EAGLE　|　**Time:** about 60 minutes
#
# {{launch}}
#
# ## In this step
#
# **What you will do:** write the three functions at the heart of the last two steps yourself, and let them drive the real fusion and tree panels; then three more on the side of verification, until your code verifies a whole generation.
#
# **What you will learn:** which constraints each function keeps, and what goes wrong when one is missed.
#
# **What you need:** to write Python loops and lists, and to have read the first three steps. Only the marked places are to be filled; the checks say case by case what is wrong and which mistake is likely, as often as you like.
#
# ## Read first
#
# - [Step 2. Layer feature fusion and the light drafter](02_feature_fusion.ipynb)　·　[Step 3. Candidate tree, cumulative score, continuous verification](03_candidate_tree.ipynb)

# %%
from eagle_lab import exercises, load_pair, use_language

use_language("zh")
pair = load_pair("stories")
openings = pair.prompts["zh"]
print(len(openings), "openings,", len(pair.target.taps), "tapped layers")

# %% [markdown] lang="zh"
# ## TODO 1：归一化权重
#
# | 机制 | 约束 | 证据 |
# |---|---|---|
# | 每个权重除以总和 | 权重非空、非负，总和为正 | `[1, 3]` → `[0.25, 0.75]`；`[]`、`[0, 0]`、`[1, -1]` 报 `ValueError` |
#
# 空列表和负数已经替你检查过。要填的是：求出总和，确认它为正，返回归一化后的列表。

# %% [markdown] lang="en"
# ## TODO 1: normalise the weights
#
# | mechanism | constraint | evidence |
# |---|---|---|
# | divide every weight by the total | weights not empty, not negative, total above 0 | `[1, 3]` → `[0.25, 0.75]`; `[]`, `[0, 0]`, `[1, -1]` raise `ValueError` |
#
# Empty lists and negative numbers are checked for you. Fill in: the total, that it is positive, and the normalised list.


# %% tags=["todo-1"]
def normalize_fusion_weights(weights):
    values = [float(weight) for weight in weights]
    if not values:
        raise ValueError("weights is empty")
    if any(value < 0 for value in values):
        raise ValueError("weights must not be negative")
    # TODO 1: 总和为正，返回归一化后的列表 · a positive total, and the normalised list
    raise NotImplementedError("请先完成 TODO 代码！ Please fill in TODO 1 first.")


# %%
exercises.test_normalize_fusion_weights(normalize_fusion_weights)

# %% [markdown] lang="zh"
# ## TODO 2：融合多层特征
#
# | 机制 | 约束 | 证据 |
# |---|---|---|
# | 逐维求加权和 | 各层宽度相同，一层一个权重，权重先归一化 | `[[2, 4], [6, 0]]` 与 `[1, 3]` → `[5, 1]`；`[[1], [1, 2]]` 报 `ValueError` |
#
# 归一化用的是你刚写的函数，形状也已检查。要填的是：每一维上，把各层的值乘以各自的份额，再加起来。

# %% [markdown] lang="en"
# ## TODO 2: fuse the layers
#
# | mechanism | constraint | evidence |
# |---|---|---|
# | a weighted sum in every dimension | layers of one width, one weight per layer, weights normalised first | `[[2, 4], [6, 0]]` with `[1, 3]` → `[5, 1]`; `[[1], [1, 2]]` raises `ValueError` |
#
# Your own function does the normalising, and shapes are checked. Fill in: in each dimension, every layer's value times its share, added up.


# %% tags=["todo-2"]
def fuse_layer_features(layer_features, weights):
    shares = normalize_fusion_weights(weights)
    if len(layer_features) != len(shares):
        raise ValueError("there must be one weight for each layer")
    hidden = len(layer_features[0])
    if hidden == 0 or any(len(feature) != hidden for feature in layer_features):
        raise ValueError("all layers must have the same hidden size")
    # TODO 2: 逐维的加权和 · the weighted sum in each dimension
    raise NotImplementedError("请先完成 TODO 代码！ Please fill in TODO 2 first.")


# %%
exercises.test_fuse_layer_features(fuse_layer_features)

# %% [markdown] lang="zh"
# ### 用你的函数融合
#
# 下面的面板调用的正是上面两个函数：三层真实的特征经你融合，交给草稿器。写好 TODO 之后，重新运行这个单元格。

# %% [markdown] lang="en"
# ### Fuse with your functions
#
# This panel calls the two functions above: real features of three layers are fused by you and handed to the drafter. Once the TODOs are done, run this cell again.

# %%
from eagle_lab import fusion_panel

fusion_panel(pair, normalize=normalize_fusion_weights, fuse=fuse_layer_features)

# %% [markdown] lang="zh"
# ## TODO 3：给候选树打分
#
# | 机制 | 约束 | 证据 |
# |---|---|---|
# | 节点分数 = 父节点分数 + 边的对数概率 | 父节点在前；−1 表示根的孩子，根的分数为 0；树可以有上千层 | 下面的例子 → 分数 `[-0.1, -0.30000000000000004, -1.1, -0.35000000000000003]`，最高分路径 `[10, 11, 13]`；空树、父节点是自己或在后面、父节点 −2 报 `ValueError` |
#
# 例子是 Step 3 里的四个节点，依次为父节点、token、对数概率：`(-1, 10, -0.1)`、`(0, 11, -0.2)`、`(0, 12, -1.0)`、`(1, 13, -0.05)`。合法性检查、找最高分的叶子、走回根，都已写好。要填的只有父节点的分数。

# %% [markdown] lang="en"
# ## TODO 3: score the candidate tree
#
# | mechanism | constraint | evidence |
# |---|---|---|
# | node score = parent's score + the edge's log-probability | parents come first; −1 is a child of the root, whose score is 0; a tree may be a thousand levels deep | the example below → scores `[-0.1, -0.30000000000000004, -1.1, -0.35000000000000003]`, best path `[10, 11, 13]`; an empty tree, a parent that is the node itself or a later one, and parent −2 raise `ValueError` |
#
# The example is Step 3's four nodes, each as parent, token, log-probability: `(-1, 10, -0.1)`, `(0, 11, -0.2)`, `(0, 12, -1.0)`, `(1, 13, -0.05)`. Validation, the search for the best leaf and the way back to the root are there. Fill in the parent's score only.


# %% tags=["todo-3"]
def score_candidate_tree(nodes):
    if not nodes:
        raise ValueError("the candidate tree is empty")
    scores = []
    for index, node in enumerate(nodes):
        if not -1 <= node["parent"] < index:
            raise ValueError(f"node {index} has the parent {node['parent']}")
        # TODO 3: 父节点的分数，根的孩子为 0 · the parent's score, 0 for a child of the root
        raise NotImplementedError("请先完成 TODO 代码！ Please fill in TODO 3 first.")
        parent_score = ...
        scores.append(parent_score + node["log_score"])
    leaves = sorted(set(range(len(nodes))) - {node["parent"] for node in nodes})
    step, path = max(leaves, key=lambda leaf: scores[leaf]), []
    while step != -1:
        path.append(nodes[step]["token"])
        step = nodes[step]["parent"]
    return scores, path[::-1]


# %%
exercises.test_score_candidate_tree(score_candidate_tree)
exercises.test_candidate_tree_contract(score_candidate_tree)

# %% [markdown] lang="zh"
# ### 用你的函数长树
#
# 草稿器每长一层，都用你的分数挑出继续往下长的节点，最后再用它选出留下的节点。三个函数都写好之后，重新运行：

# %% [markdown] lang="en"
# ### Grow trees with your functions
#
# On every level the drafter picks the nodes that grow on by your scores, and by them it chooses in the end which nodes to keep. Once all three functions are done, run this cell again:

# %%
from eagle_lab import tree_panel

tree_panel(pair, normalize=normalize_fusion_weights, fuse=fuse_layer_features, score=score_candidate_tree)

# %% [markdown] lang="zh"
# ## 再来三题：验证一侧
#
# ### 第 4 题：已接受前缀
#
# 草稿是一条链时，验证就是逐个比较：草稿 token 与目标模型的选择，从头起连续一致的有几个？中断之后再一致也不算。长度不等时，比到短的那个为止。

# %% [markdown] lang="en"
# ## Three more: the side of verification
#
# ### Exercise 4: the accepted prefix
#
# Where the draft is a chain, verifying is comparing one by one: how many drafted tokens agree with the target's choices from the start without a break? Agreement after a break does not count. With unequal lengths, the shorter one ends the comparison.


# %% tags=["todo-4"]
def accepted_prefix(draft_tokens, target_tokens):
    # TODO 4: 从头起连续一致的个数 · the length of the leading run of agreement
    raise NotImplementedError("请先完成 TODO 代码！ Please fill in TODO 4 first.")


# %%
exercises.test_accepted_prefix(accepted_prefix)

# %% [markdown] lang="zh"
# ### 第 5 题：树掩码
#
# `parents` 是每个节点的父节点（−1 是根的孩子；可以一个节点也没有，最深 100 层）。返回 (1+n)×(1+n) 的真假表，第 0 行、第 0 列是根，节点 i 在第 1+i 行：每一行看得见根、自己的祖先和自己。

# %% [markdown] lang="en"
# ### Exercise 5: the tree mask
#
# `parents` gives each node's parent (−1 for a child of the root; there may be no node at all, and 100 levels at most). Return a (1+n)×(1+n) table of true and false; row and column 0 are the root's, row 1+i is node i's: each row sees the root, its own ancestors and itself.


# %% tags=["todo-5"]
def tree_attention_mask(parents):
    size = 1 + len(parents)
    mask = [[False] * size for _ in range(size)]
    # TODO 5: 填好每一行 · fill in every row
    raise NotImplementedError("请先完成 TODO 代码！ Please fill in TODO 5 first.")
    return mask


# %%
exercises.test_tree_attention_mask(tree_attention_mask)

# %% [markdown] lang="zh"
# ### 第 6 题：贪心验证一棵树
#
# `tokens` 是每个节点的 token；`choices[0]` 是目标模型在根之后的选择，`choices[1+i]` 是它在节点 i 之后的选择。从根出发：目标模型的选择在当前节点的孩子当中，就走过去；不在，就停。返回走过的节点，以及停下处目标模型自己的 token。

# %% [markdown] lang="en"
# ### Exercise 6: greedy verification of a tree
#
# `tokens` are the nodes' tokens; `choices[0]` is what the target chooses after the root, `choices[1+i]` after node i. Start at the root: if the target's choice is among the children of the current node, step there; if not, stop. Return the nodes walked, and the target's own token where the walk ends.


# %% tags=["todo-6"]
def verify_tree(parents, tokens, choices):
    accepted, node = [], -1
    # TODO 6: 走到不能再走 · walk for as long as the target agrees
    raise NotImplementedError("请先完成 TODO 代码！ Please fill in TODO 6 first.")
    return accepted, choices[1 + node]


# %%
exercises.test_verify_tree(verify_tree)

# %% [markdown] lang="zh"
# ### 用你的代码验证整段生成
#
# 掩码和验证都换成你的。写对了，正文就是目标模型独自写的那一篇（相差不到舍入误差的并列除外，见 Step 3）；写错了，播放器会标出从哪个 token 起走了样，也不再报 τ：

# %% [markdown] lang="en"
# ### A whole generation, verified by your code
#
# Mask and verification are yours now. If they are right, the text is the one that the target writes alone (barring ties below rounding, see Step 3). If not, the player marks the token from which it is another text, and gives no τ for it:

# %%
from eagle_lab import round_player
from eagle_lab.own import mask_by, verify_by

round_player(pair, mask=mask_by(tree_attention_mask), verify=verify_by(verify_tree))

# %% [markdown] lang="zh"
# 一篇写对了还不算数：错的掩码也可能碰巧写出对的正文。下面把中英文所有开头都试一遍，每一轮的掩码和走法都与正确的比较；哪里先出错，就指向哪个函数。

# %% [markdown] lang="en"
# One right text proves little: a wrong mask may write it by luck. So here are all openings in both languages, with every round's mask and walk compared with the right ones; whatever goes wrong first says which function it was.

# %%
exercises.test_generation(pair, tree_attention_mask, verify_tree)

# %% [markdown] lang="zh"
# ---
#
# 🛑 **STOP HERE** 🛑
# <br><br><br><br><br><br><br><br><br><br>
# > 请先自己写完并跑通检查。<br>
# > 提示看过了还是没有思路，再往下看参考代码。
#
# <br><br><br><br><br><br><br><br><br><br>
#
# ---
#
# ## 参考代码与解析
#
# 答案就是 `eagle_lab` 自己的源码，前面的图背后都是它们。库里的版本还拒绝 NaN、布尔值等坏输入，你的函数不必。
#
# ### TODO 1
#
# 填空处可以这样写：
#
# ```python
# total = sum(values)
# if total == 0:
#     raise ValueError("weights must sum to more than 0")
# return [value / total for value in values]
# ```

# %% [markdown] lang="en"
# ---
#
# 🛑 **STOP HERE** 🛑
# <br><br><br><br><br><br><br><br><br><br>
# > Write and check your own first.<br>
# > If the hints have not helped, scroll down for the answers.
#
# <br><br><br><br><br><br><br><br><br><br>
#
# ---
#
# ## Answers and explanations
#
# The answers are `eagle_lab`'s own source, which stands behind the pictures so far. The library's versions also refuse NaN, booleans and other bad input; yours need not.
#
# ### TODO 1
#
# The blank may be filled like this:
#
# ```python
# total = sum(values)
# if total == 0:
#     raise ValueError("weights must sum to more than 0")
# return [value / total for value in values]
# ```

# %%
import inspect
import textwrap

from IPython.display import Markdown, display

import eagle_lab


# %%
def show(function):  # the source without its docstring
    head, _, body = inspect.getsource(function).split('"""')
    source = textwrap.dedent(head.rstrip() + body)
    display(Markdown(f"```python\n{source}```"))


# %%
show(eagle_lab.normalize_fusion_weights)

# %% [markdown] lang="zh"
# 先把输入读成普通的浮点数，再逐个检查，最后除以总和。总和为 0 时没有比例可言，返回什么都是编造，所以要报错，而不是返回均匀的权重。比较用 `total == 0` 就够了：非负数之和不会小于 0。
#
# ### TODO 2
#
# 填空处：
#
# ```python
# return [sum(share * feature[d] for share, feature in zip(shares, layer_features)) for d in range(hidden)]
# ```

# %% [markdown] lang="en"
# The input is read as plain floats, checked one by one, and divided by the total. With a total of 0 there are no proportions, and whatever was returned would be made up: so it raises an error, and does not fall back to equal weights. `total == 0` is enough, since non-negative numbers never sum to less.
#
# ### TODO 2
#
# The blank:
#
# ```python
# return [sum(share * feature[d] for share, feature in zip(shares, layer_features)) for d in range(hidden)]
# ```

# %%
show(eagle_lab.fuse_layer_features)

# %% [markdown] lang="zh"
# 循环走的是**层**，每一步给整行加上「份额 × 这一层」；写成「对每一维，把各层的份额 × 值加起来」也一样。两种常见的错：在层内部求和（把方向弄反了），以及忘了先归一化，结果的尺度就随权重的大小漂移。
#
# ### TODO 3
#
# 填空处：
#
# ```python
# parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
# ```

# %% [markdown] lang="en"
# The loop runs over **layers** and adds share × layer to a whole row; adding share × value for each dimension is the same. Two frequent mistakes: summing within a layer, which is the wrong direction, and forgetting to normalise, so that the scale of the result drifts with the size of the weights.
#
# ### TODO 3
#
# The blank:
#
# ```python
# parent_score = 0.0 if node["parent"] == -1 else scores[node["parent"]]
# ```

# %%
from eagle_lab.tree import path_sums

show(path_sums)
show(eagle_lab.score_candidate_tree)

# %% [markdown] lang="zh"
# 父节点总在孩子前面，所以一遍循环就够，不用递归，一万层的链也不怕。加的是父节点的**累计分数**，不是父节点那条边；根的孩子加 0。`scores[-1]` 在 Python 里是最后一个元素，把 −1 直接当下标，是这道题最隐蔽的错。
#
# ### 第 4–6 题

# %% [markdown] lang="en"
# Parents always come before their children, so one loop is enough, without recursion, and a chain of ten thousand levels is no danger. What is added is the parent's **cumulative** score, not the parent's edge; a child of the root adds 0. In Python `scores[-1]` is the last element: using −1 as an index is the most hidden mistake here.
#
# ### Exercises 4 to 6

# %%
show(eagle_lab.accepted_prefix)
show(eagle_lab.CandidateTree.attention_mask)
show(eagle_lab.verify)

# %% [markdown] lang="zh"
# 掩码利用了父节点在前这件事：父节点那一行已经含有它的全部祖先，孩子照抄，再加上自己。验证只在走到的节点上取目标模型的选择；分数一次也没用到。
#
# ## 结语
#
# 真正的 EAGLE 草稿器，除了这几个函数，还需要三样东西：与目标模型**配对训练**的权重，能从目标模型中间**取出多层特征**的推理引擎，以及后端对**树掩码和缓存提交**的支持。至于在 GPU 上到底快多少，要在同一个验证器、同样的输入、同样的预算和同样的质量下比，那是第 68 章的事。
#
# ## 想一想
#
# 1. 在候选树面板上把 `top_k` 拖到 1（候选预算不小于深度）：这时你的 `score_candidate_tree` 换成任何打分，树里的节点都一样。为什么？
# 2. 在播放器里找一轮停在叶子上的：你的 `verify_tree` 返回的 token 这时叫什么？
# 3. 在融合面板上把三个权重都拖到 0：你的哪一行代码挡住了它？面板说了什么？
#
# <details><summary>答案</summary>
#
# 1. 每层只有一个候选，没有什么可排序的；分数只管排序。
# 2. 奖励 token：叶子没有孩子，也就没有候选被拒绝。
# 3. TODO 1 里对总和的检查。面板显示你抛出的错误；图停在上一次成功的样子，权重一有效就恢复。
#
# </details>
#
# <br>
#
# ## 相关阅读
#
# - [68. Speculative Decoding Benchmark | 投机解码基准]({{course}})
# - [EAGLE-3 论文](https://arxiv.org/abs/2503.01840)　·　[EAGLE 官方实现](https://github.com/SafeAILab/EAGLE)　·　[vLLM Speculators](https://github.com/vllm-project/speculators)

# %% [markdown] lang="en"
# The mask relies on parents coming first: the parent's row already holds all of its ancestors, so a child copies it and adds itself. Verification looks up the target's choice only at the nodes that the walk reaches; scores are never used.
#
# ## In closing
#
# Besides these functions a real EAGLE drafter needs three things: weights that were **trained for its target**, an engine that can **take features out of several layers** of that target, and a backend that supports **tree masks and committing chosen cache rows**. How much faster it is on a GPU has to be measured under the same verifier, input, budget and quality: that is chapter 68.
#
# ## Think about it
#
# 1. On the tree panel, set `top_k` to 1, with a budget no smaller than the depth: now any other scoring in place of your `score_candidate_tree` gives the same nodes. Why?
# 2. In the player, find a round that ends at a leaf: what is the token called that your `verify_tree` returns there?
# 3. On the fusion panel, set all three weights to 0: which line of yours stops that, and what does the panel say?
#
# <details><summary>Answers</summary>
#
# 1. There is one candidate on each level, so nothing to order; and ordering is all that scores do.
# 2. A bonus token: a leaf has no children, so none was refused.
# 3. The check of the total in TODO 1. The panel shows the error that you raise; the picture stays as it last was, until the weights are valid again.
#
# </details>
#
# <br>
#
# ## Read on
#
# - [68. Speculative Decoding Benchmark | 投机解码基准]({{course}}) (in Chinese)
# - [EAGLE-3 paper](https://arxiv.org/abs/2503.01840)　·　[official EAGLE implementation](https://github.com/SafeAILab/EAGLE)　·　[vLLM Speculators](https://github.com/vllm-project/speculators)
