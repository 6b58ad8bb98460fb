# %% [markdown] lang="zh"
# # INF-EAGLE · Step 3. Candidate Tree and Continuous Verification | 候选树、累计分数与连续验证
#
# **难度：** Hard　|　**环境：** CPU 即可　|　**标签：** 推理优化 / 投机解码 / EAGLE　|　**用时：** 约 25 分钟
#
# **你将做什么：** 拖动三个滑块，改变目标模型低、中、高三层特征的权重，看草稿器长出怎样的候选树，目标模型又接受了其中哪一段。
#
# **你将学到：** 累计分数怎么算、排的是什么序；目标模型怎样一次前向就验证整棵树；为什么只有从根开始、没有中断的那一段可以提交。
#
# **你需要：** 会读 Python，知道自回归解码是一次生成一个 token。这里的每一棵树都来自真实训练过的目标模型和草稿器，没有一处是摆拍。

# %% [markdown] lang="en"
# # INF-EAGLE · Step 3. Candidate Tree and Continuous Verification | 候选树、累计分数与连续验证
#
# **Difficulty:** Hard　|　**Runs on:** CPU　|　**Tags:** inference / speculative decoding / EAGLE　|　**Time:** about 25 minutes
#
# **What you will do:** move three sliders that weight the target's low, mid and high features, and watch which candidate tree the drafter grows and how much of it the target accepts.
#
# **What you will learn:** how a cumulative score is computed and what it orders; how the target checks a whole tree in one pass; why only the unbroken run from the root may be committed.
#
# **What you need:** to read Python, and to know that autoregressive decoding writes one token at a time. Every tree on this page comes from a trained target and a trained drafter; nothing is staged.

# %%
from eagle_lab import load_pair, use_language

use_language("zh")
pair = load_pair("stories")
openings = pair.prompts["zh"]
print(f"target: {pair.target.config.num_hidden_layers} layers, taps at {pair.target.taps}; drafter: 1 layer")

# %% [markdown] lang="zh"
# ## 一轮，一棵树
#
# 目标模型读完开头，写下第一个 token，它就是这棵树的**根**。草稿器接过目标模型三层的隐藏表示，融合成一个输入，然后向前猜：每个节点一个 token，每条边一个对数概率。
# 目标模型随后**只做一次前向**，就在每个节点上给出自己的选择。

# %% [markdown] lang="en"
# ## One round, one tree
#
# The target reads the opening and writes one token: the **root** of the tree. The drafter takes the hidden states of three of the target's layers, fuses them into one input and guesses ahead: a token for each node, a log-probability for each edge.
# Then the target runs **one forward pass**, and at every node says what it would have written itself.

# %%
from eagle_lab import tree_view

view = tree_view(pair, openings[0], top_k=4, depth=5, budget=16)
view

# %% [markdown] lang="zh"
# 颜色越深，累计分数越高。绿色粗线是**已接受前缀**；红叉是走到那里时试过、被目标模型拒绝的候选；虚线节点从未提交；绿色方块是目标模型自己写的下一个 token。
#
# ## 轮到你了
#
# 下面是同一幅图，加上了控件。可以试试：
#
# 1. 把「高层」拖到 0，再把「低层」也拖到 0：哪一层单独撑得住？
# 2. 把 `top_k` 降到 1：树退化成一条链。接受的草稿变少了吗？
# 3. 加大「候选预算」：多出来的节点有几个真的被接受？
# 4. 换一个开头，或者自己写一句。

# %% [markdown] lang="en"
# The darker a node, the higher its cumulative score. The thick green line is the **accepted prefix**; a red cross marks a candidate that was tried there and refused; dashed nodes were never committed; the green square is the token the target wrote itself.
#
# ## Your turn
#
# The same picture, now with controls. Things to try:
#
# 1. Drag "high layer" to 0, then "low layer" too: which layer can carry the draft alone?
# 2. Set `top_k` to 1: the tree becomes a chain. Are fewer drafts accepted?
# 3. Raise the budget: how many of the extra nodes are really accepted?
# 4. Pick another opening, or write one of your own.

# %%
from eagle_lab import tree_panel

panel = tree_panel(pair)
panel

# %% [markdown] lang="zh"
# 看不到滑块？网页预览只能显示静态的图；在 JupyterLab 里运行这个单元格，就会出现控件。
#
# ## 树上的四样东西
#
# | 状态 | 怎么算 | 用来做什么 |
# |---|---|---|
# | 节点分数 | 父节点的分数 + 这条边的对数概率 | 给候选排序 |
# | 候选路径 | 沿父节点一路走回根 | 把整棵树拼成一批，一次验证 |
# | 已接受前缀 | 从根开始、与目标模型连续一致的一段 | 提交 token 和 KV |
# | 首个拒绝位置 | 第一处不一致 | 放上目标模型自己的 token，开始下一轮 |
#
# ### 节点分数

# %% [markdown] lang="en"
# No sliders? A web preview shows only the still picture; run this cell in JupyterLab and the controls appear.
#
# ## Four things on a tree
#
# | state | how it is computed | what it is for |
# |---|---|---|
# | node score | parent's score + the edge's log-probability | ordering the candidates |
# | candidate path | follow the parents back to the root | checking the whole tree as one batch |
# | accepted prefix | the unbroken run from the root on which the target agrees | committing tokens and KV rows |
# | first rejection | the first place where it does not | putting the target's own token there, and starting the next round |
#
# ### The node score

# %%
from eagle_lab import score_candidate_tree

rows = [(-1, 10, -0.1), (0, 11, -0.2), (0, 12, -1.0), (1, 13, -0.05)]
nodes = [dict(zip(("parent", "token", "log_score"), row, strict=True)) for row in rows]
scores, best_path = score_candidate_tree(nodes)
print([round(score, 2) for score in scores], best_path)

# %% [markdown] lang="zh"
# 分数就是一路上对数概率之和：$-0.1 + (-0.2) + (-0.05) = -0.35$。两个叶子里，节点 3 的 −0.35 胜过节点 2 的 −1.1，所以分数最高的路径是 10 → 11 → 13。
# 这就是草稿器在运行时调用的那个函数，一字不差：

# %% [markdown] lang="en"
# The score is the sum of the log-probabilities along the way: $-0.1 + (-0.2) + (-0.05) = -0.35$. Of the two leaves, node 3 at −0.35 beats node 2 at −1.1, so the best-scoring path is 10 → 11 → 13.
# This is the very function that runs behind the pictures:

# %%
import inspect

from eagle_lab.tree import path_sums

print(inspect.getsource(path_sums).split('"""')[2])

# %% [markdown] lang="zh"
# ### 候选路径：一次前向验证整棵树
#
# 目标模型把根和所有节点排成一行读进去。**树掩码**规定谁能看见谁：每个节点只看根、自己的祖先和自己；兄弟之间互不可见。
# 位置由**深度**决定，而不是由排在第几个决定：同一层的节点是同一个位置上的不同猜测。

# %% [markdown] lang="en"
# ### The candidate path: one pass for the whole tree
#
# The target reads the root and all nodes in a row. The **tree mask** says who sees whom: a node sees the root, its own ancestors and itself, never its siblings.
# Its position follows from its **depth**, not from its place in the row: nodes of one level are different guesses at the same position.

# %%
from eagle_lab import CandidateTree

small = CandidateTree.from_nodes(nodes)
print(small.attention_mask().astype(int))
print("positions:", [0, *small.depths.tolist()])

# %% [markdown] lang="zh"
# ### 已接受前缀与首个拒绝位置
#
# 验证从根出发：目标模型在这里选的 token，是不是某个孩子？是，就走过去继续问；不是，就停。分数完全不参与。

# %% [markdown] lang="en"
# ### The accepted prefix and the first rejection
#
# Verification starts at the root: is the token that the target chooses here one of the children? If so, step there and ask again; if not, stop. Scores play no part.

# %%
verdict, drafted = view.round.verdict, view.round.tree
print("accepted nodes:", verdict.accepted, " refused:", verdict.rejected)
print("accepted:", view.accepted_path, " then the target's own:", view.next_token)

# %% [markdown] lang="zh"
# ## 分数管排序，不管接受
#
# 分数最高的叶子，常常不是接受停下的地方。把每个开头都试一遍：

# %% [markdown] lang="en"
# ## The score orders; it does not accept
#
# The best-scoring leaf is often not where acceptance ends. Try it on every opening:

# %%
for opening in openings:
    seen = tree_view(pair, opening).round
    best, accepted = seen.tree.path(seen.tree.best_leaf), list(seen.verdict.accepted)
    print(f"best leaf: {len(best)} deep, accepted: {len(accepted)}, same: {best == accepted}")

# %% [markdown] lang="zh"
# 还有一个偏差值得知道：每条边的对数概率都不大于 0，路越长，分数只会越低。所以「分数最高的叶子」偏爱短路径。
# 下面这棵树里，右边那条路每一步都更有把握（每步约 74 %），却输给了只走一步的叶子（约 41 %）：

# %% [markdown] lang="en"
# One more bias is worth knowing. Every edge's log-probability is at most 0, so a score can only fall along a path, and "the best-scoring leaf" favours short paths.
# In this tree the longer path is surer at every step (about 74 % each), and still loses to a leaf one step away (about 41 %):

# %%
biased = CandidateTree(parents=[-1, -1, 1, 2], tokens=[20, 30, 31, 32], log_scores=[-0.9, -0.3, -0.3, -0.35])
print("leaf scores:", biased.scores[biased.leaves].round(2).tolist())
print("best leaf:", biased.best_leaf, " its path:", biased.tokens[biased.path(biased.best_leaf)].tolist())

# %% [markdown] lang="zh"
# ## 一轮接一轮：文本不变，次数变少
#
# 每一轮提交「接受的草稿 + 目标模型自己的一个 token」。不管草稿猜得好坏，写出来的都与目标模型独自逐个生成的**完全相同**；草稿猜得好，目标模型就少跑几次。
# **τ（平均接受长度）** 是每轮平均提交的 token 数，即接受的草稿数 + 1，在结束符或长度上限截断之前计数。

# %% [markdown] lang="en"
# ## Round after round: the same text in fewer passes
#
# A round commits the accepted drafts plus one token of the target's own. Good drafts or bad, the text is **exactly** what the target would have written alone, token by token; good drafts only spare it passes.
# **τ** is the mean number of tokens committed per round, accepted drafts + 1, counted before an end token or a length limit cuts the last one.

# %%
from eagle_lab import greedy_decode, speculative_decode

prompt = pair.encode(openings[0])
plain = greedy_decode(pair.target, prompt, 60)
fast = speculative_decode(pair, prompt, 60, top_k=4, depth=5, budget=16)
print("same tokens:", fast.tokens == plain)
print(f"{len(fast.tokens)} tokens: {len(plain)} passes alone, {1 + len(fast.rounds)} with drafts, tau {fast.tau:.2f}")

# %%
print(pair.tokenizer.decode(prompt + plain))

# %% [markdown] lang="zh"
# 草稿变差会怎样？把权重全压在一层上：文本一个 token 也不会变，变的只有 τ。

# %% [markdown] lang="en"
# And with worse drafts? Put all the weight on one layer: not a token of the text changes, only τ does.

# %%
for weights in ([1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]):
    run = speculative_decode(pair, prompt, 60, layer_weights=weights)
    print(weights, "same tokens:", run.tokens == plain, f" tau {run.tau:.2f}")

# %% [markdown] lang="zh"
# ## 想一想
#
# 1. 一个节点的分数很高，它的父节点却被拒绝了。它还有可能被提交吗？（在面板上找一个这样的例子。）
# 2. 同一轮里，候选预算越大，接受的草稿只多不少；那为什么真实系统不把预算开到最大？
# 3. 每一轮结束后，目标模型的 KV 缓存里留下哪几行？
#
# **相关阅读：** [EAGLE-3 论文](https://arxiv.org/abs/2503.01840)　·　[EAGLE-2 论文（动态候选树）](https://arxiv.org/abs/2406.16858)　·　[EAGLE 官方实现](https://github.com/SafeAILab/EAGLE)　·　[vLLM Speculators](https://github.com/vllm-project/speculators)

# %% [markdown] lang="en"
# ## Think about it
#
# 1. A node scores high, but its parent was refused. Can it still be committed? (Find such a node on the panel.)
# 2. Within one round a larger budget never accepts fewer drafts. Why do real systems not use the largest budget?
# 3. Which rows stay in the target's KV cache after a round?
#
# **Read on:** [EAGLE-3 paper](https://arxiv.org/abs/2503.01840)　·　[EAGLE-2 paper (dynamic draft trees)](https://arxiv.org/abs/2406.16858)　·　[official EAGLE implementation](https://github.com/SafeAILab/EAGLE)　·　[vLLM Speculators](https://github.com/vllm-project/speculators)
