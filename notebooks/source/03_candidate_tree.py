# %% [markdown] lang="zh"
# # INF-EAGLE. Feature Drafter and Candidate Tree | 特征草稿器与候选树
#
# ## Step 3. Candidate Tree, Cumulative Score and Continuous Verification | 候选树、累计分数与连续验证
#
# **难度：** Hard　|　**环境：** CPU-first　|　**标签：** 推理优化 / 投机解码 / EAGLE　|　**用时：** 约 30 分钟
#
# {{launch}}
#
# ## 本节导读
#
# **你将做什么：** 拖动滑块，改变目标模型低、中、高三层特征的权重，看草稿器长出怎样的候选树，目标模型又接受其中哪一段；再一步一步走完一次验证。
#
# **你将学到：** 累计分数怎么算、用来给什么排序；目标模型怎样只用一次前向就验证整棵树；为什么只有从根开始、没有中断的那一段可以提交，不守这条规则又会写出什么来。
#
# **你需要：** 会读 Python。图里的每一棵树都出自真正训练过的目标模型和草稿器，没有摆拍。
#
# ## 前置阅读
#
# - [Step 2. 多层特征融合与轻量草稿器](02_feature_fusion.ipynb)
# - [23. Speculative Decoding | 投机解码]({{course}}/23_Speculative_Decoding.ipynb)

# %% [markdown] lang="en"
# # INF-EAGLE. Feature Drafter and Candidate Tree | 特征草稿器与候选树
#
# ## Step 3. Candidate Tree, Cumulative Score and Continuous Verification | 候选树、累计分数与连续验证
#
# **Difficulty:** Hard　|　**Runs on:** CPU-first　|　**Tags:** inference optimisation / speculative decoding / EAGLE　|　**Time:** about 30 minutes
#
# {{launch}}
#
# ## In this step
#
# **What you will do:** move the sliders that weight the target's low, mid and high features, and watch which candidate tree the drafter grows and how much of it the target accepts; then walk through one verification step by step.
#
# **What you will learn:** how a cumulative score is computed and what it orders; how the target checks a whole tree in one pass; why only the unbroken run from the root may be committed, and what gets written where that rule is broken.
#
# **What you need:** to read Python. Every tree in the pictures comes from a trained target and a trained drafter; nothing is staged.
#
# ## Read first
#
# - [Step 2. Layer feature fusion and the light drafter](02_feature_fusion.ipynb)
# - [23. Speculative Decoding | 投机解码]({{course}}/23_Speculative_Decoding.ipynb) (in Chinese)

# %%
from eagle_lab import load_pair, use_language

use_language("zh")
pair = load_pair("stories")
openings = pair.prompts["zh"]
print(f"target: {pair.target.config.num_hidden_layers} layers, taps at {pair.target.taps}; drafter: 1 layer")

# %% [markdown] lang="zh"
# ## 一轮，一棵树
#
# 目标模型读完开头，写下第一个 token，它就是这棵树的**根**；根本身不算节点。草稿器接过目标模型三层的隐藏表示，融合成一个输入，然后向前猜：每个节点一个 token，每条边一个对数概率。
#
# 树怎么长：「深度」是最多长几层；`top_k` 是每个节点的候选数，也是每一层继续往下长的节点数；长完以后，整棵树只留累计分数最高的一批节点，「候选预算」就是留下的个数，最深的几层可能一个也留不下。
#
# 目标模型随后**只做一次前向**，就在根和每个节点上给出自己的选择。

# %% [markdown] lang="en"
# ## One round, one tree
#
# The target reads the opening and writes one token: the **root** of the tree, which is not counted as a node. The drafter takes the hidden states of three of the target's layers, fuses them into one input and guesses ahead: a token for each node, a log-probability for each edge.
#
# How the tree grows: `depth` is the number of levels grown; `top_k` is the number of candidates of a node, and of nodes on a level that grow on; in the end only the nodes with the highest cumulative scores are kept, as many as the `budget` says, so the deepest levels may lose all of theirs.
#
# Then the target runs **one forward pass**, and at the root and every node says what it would have written itself.

# %%
from eagle_lab import tree_view

view = tree_view(pair, openings[0], top_k=4, depth=5, budget=16)
view

# %% [markdown] lang="zh"
# 颜色越深，累计分数越高。绿色粗线是**已接受前缀**（也可能一个节点都没有）；红叉是**首个拒绝位置**，即前缀之后试过、被目标模型拒绝的候选；虚线节点没有走到，和红叉一样不会提交；深色方块是根，绿色空心方块是目标模型自己写的下一个 token，也就是下一轮的根。
#
# ## 轮到你了
#
# 下面是同一幅图，加上了控件。可以试试：
#
# 1. 只留一层（另外两个拖到 0）：哪一层单独撑得住？
# 2. 把 `top_k` 降到 1：树退化成一条链。接受的草稿总会变少吗？多看几个开头。
# 3. 加大「候选预算」：多出来的节点有几个真的被接受？
# 4. 换一个开头，或者自己写一句。

# %% [markdown] lang="en"
# The darker a node, the higher its cumulative score. The thick green line is the **accepted prefix** (it may be empty); red crosses mark the **first rejection**, the candidates tried after that prefix and refused by the target; the walk never came to the dashed nodes, which are not committed either; the dark square is the root, and the hollow green square the target's own next token, which is the next round's root.
#
# ## Your turn
#
# The same picture, now with controls. Things to try:
#
# 1. Keep one layer only (drag the other two to 0): which layer can carry the draft alone?
# 2. Set `top_k` to 1: the tree becomes a chain. Are fewer drafts accepted every time? Look at several openings.
# 3. Raise the `budget`: how many of the extra nodes are really accepted?
# 4. Pick another opening, or write one of your own.

# %%
from eagle_lab import tree_panel

panel = tree_panel(pair)
panel

# %%
print(panel.text)

# %% [markdown] lang="zh"
# 看不到滑块？网页预览只有静态图和当时的数字；在 JupyterLab 里运行上面的单元格，控件就会出现。
#
# ## 树上的四样东西
#
# | 状态 | 怎么算 | 用来做什么 |
# |---|---|---|
# | 节点分数 | 父节点的分数 + 这条边的对数概率 | 给候选排序 |
# | 候选路径 | 沿父节点一路走回根 | 把整棵树拼成一批，一次验证 |
# | 已接受前缀 | 从根开始、与目标模型连续一致的一段 | 提交 token 和 KV |
# | 首个拒绝位置 | 第一处不一致 | 换上修正 token，开始下一轮 |
#
# ### 节点分数

# %% [markdown] lang="en"
# No sliders? A web preview has only the still picture and its numbers; run the cells above in JupyterLab and the controls appear.
#
# ## Four things on a tree
#
# | state | how it is computed | what it is for |
# |---|---|---|
# | node score | parent's score + the edge's log-probability | ordering the candidates |
# | candidate path | follow the parents back to the root | checking the whole tree as one batch |
# | accepted prefix | the unbroken run from the root on which the target agrees | committing tokens and KV rows |
# | first rejection | the first place where it does not | putting the correction token there, and starting the next round |
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
#
# 这个函数在 Step 4 由你来写；写好以后，那里的草稿器就用它长树。

# %% [markdown] lang="en"
# The score is the sum of the log-probabilities along the way: $-0.1 + (-0.2) + (-0.05) = -0.35$. Of the two leaves, node 3 at −0.35 beats node 2 at −1.1, so the best-scoring path is 10 → 11 → 13.
#
# In Step 4 you will write this function yourself, and the drafter there grows its trees with it.

# %% [markdown] lang="zh"
# ### 候选路径：一次前向验证整棵树
#
# 目标模型把根和所有节点排成一行读进去。**树掩码**规定它们谁能看见谁：每个节点只看根、自己的祖先和自己，别的分支一概看不见。（KV 缓存里的上文人人可见，不在这张掩码里。）
#
# 位置由**深度**决定，与排在第几个无关：节点的位置 = 缓存长度 + 深度，深度相同的节点是同一个位置上的不同猜测。下面的位置从根算起，深色格子是看得见的：

# %% [markdown] lang="en"
# ### The candidate path: one pass for the whole tree
#
# The target reads the root and all nodes in a row. The **tree mask** says who among them sees whom: a node sees the root, its own ancestors and itself, and nothing of any other branch. (The context in the KV cache is visible to all, and is no part of this mask.)
#
# A node's position follows from its **depth**, not from its place in the row: position = cache length + depth, and nodes of the same depth are different guesses at the same position. The positions below count from the root, and dark cells are visible:

# %%
from eagle_lab import mask_chart

little = tree_view(pair, openings[0], top_k=3, depth=3, budget=8).round
mask_chart(little.tree, pair.token_text, pair.token_text(little.root))

# %% [markdown] lang="zh"
# **错误的做法：照搬因果掩码。** 普通的下三角掩码让每个节点看见排在它前面的所有分支。目标模型于是读到了互相矛盾的上文，答案也就不再是它自己的：

# %% [markdown] lang="en"
# **The wrong way: an ordinary causal mask.** The lower triangle lets every node see all branches that were listed before its own. The target then reads contexts that contradict each other, and its answers are no longer its own:

# %%
from eagle_lab import greedy_decode, speculative_decode
from eagle_lab.counterexamples import mask_as_a_chain

prompts = [pair.encode(opening) for opening in openings]
texts = [greedy_decode(pair.target, prompt, 60) for prompt in prompts]
for name, ways in (("tree mask", {}), ("lower triangle", {"mask": mask_as_a_chain})):
    runs = [speculative_decode(pair, prompt, 60, **ways).tokens for prompt in prompts]
    print(f"{name}: {sum(map(list.__eq__, runs, texts))} of {len(texts)} texts are the target's own")

# %% [markdown] lang="zh"
# ### 已接受前缀与首个拒绝位置
#
# 验证从根出发（这里是贪心解码）：目标模型选的 token 在不在孩子当中？在，就走到那个孩子，接着问；不在，就停。分数完全不参与。停下之后，目标模型补上自己的 token：有孩子被拒绝时，它叫**修正 token**；停在叶子上时，它叫**奖励 token**。
#
# 为什么中断之后的节点一个也不能要？它们的 logits 和 KV 都以被拒绝的 token 为上文，而这段上文不会出现在正文里。所以只提交根和已接受节点的 KV，其余的全部丢掉；目标模型自己的那个 token 成为下一轮的根，它的 KV 到那时才算。
#
# 一步一步地走一遍：

# %% [markdown] lang="en"
# ### The accepted prefix and the first rejection
#
# Verification starts at the root (decoding is greedy here): is the token that the target chooses one of the children? If so, step there and ask again; if not, stop. Scores play no part. Then the target adds a token of its own: a **correction** where children were refused, a **bonus token** at a leaf.
#
# Why is nothing after a break of any use? The logits and KV rows of those nodes have a refused token in their context, and the text will not contain that context. So only the KV rows of the root and of the accepted nodes are committed, and all others dropped; the target's own token is the next round's root, and its KV row is computed then.
#
# Walk through it step by step:

# %%
from eagle_lab import walk_panel

walk = walk_panel(pair)
walk

# %%
print(walk.text)

# %% [markdown] lang="zh"
# 上面停在第一步；在 JupyterLab 里运行单元格，就能按「前进」往下走。走完之后，这一轮的结论是：

# %% [markdown] lang="en"
# That is the first step; run the cell in JupyterLab and press "forward" to go on. At the end of the walk, this round's verdict is:

# %%
verdict = view.round.verdict
print("accepted nodes:", verdict.accepted, " refused:", verdict.rejected)
print("accepted:", view.accepted_path, " then the target's own:", view.next_token)

# %% [markdown] lang="zh"
# ## 分数管排序，不管接受
#
# 分数最高的叶子，不一定就是接受停下的地方。把每个开头都试一遍：

# %% [markdown] lang="en"
# ## The score orders; it does not accept
#
# The best-scoring leaf need not be where acceptance ends. Try it on every opening:

# %%
for opening in openings:
    seen = tree_view(pair, opening).round
    best, accepted = seen.tree.path(seen.tree.best_leaf), list(seen.verdict.accepted)
    print(f"best leaf: {len(best)} deep, accepted: {len(accepted)}, same: {best == accepted}")

# %% [markdown] lang="zh"
# **错误的做法：把分数当成接受。** 不管目标模型怎么选，每轮都提交分数最高的那条路径；或者这条路径上猜中几个就提交几个，不管中间有没有断过。每轮照样提交好几个 token，写出来的却已经不是目标模型的文本：

# %% [markdown] lang="en"
# **The wrong way: taking the score for acceptance.** Commit the best-scoring path in every round, whatever the target chooses; or as many of its nodes as match, whether or not there was a break between. Each round still commits several tokens, but the text is no longer the target's:

# %%
from eagle_lab.counterexamples import accept_best_leaf, accept_every_match

prompt, plain = prompts[0], texts[0]
for name, way in (("best leaf", accept_best_leaf), ("every match", accept_every_match)):
    run = speculative_decode(pair, prompt, 60, verify=way)
    print(f"{name}: same tokens {run.tokens == plain}, {len(run.rounds)} rounds for 60 tokens")
    print("   ", pair.tokenizer.decode(run.tokens[:30]).replace("\n", " "))
print("the target:", pair.tokenizer.decode(plain[:30]).replace("\n", " "))

# %% [markdown] lang="zh"
# 还有一个偏差值得知道：每条边的对数概率都不大于 0，沿路往下，分数只降不升，所以「分数最高的叶子」偏爱短路径。下面这棵树里，三步的那条路每一步都有 70% 以上的把握，却输给了只有一步、把握约 41% 的叶子：

# %% [markdown] lang="en"
# One bias is worth knowing. Every edge's log-probability is at most 0, so a score never rises along a path, and "the best-scoring leaf" favours short paths. In this tree the path of three steps is over 70% sure at each, and still loses to a leaf one step away that is about 41% sure:

# %%
from eagle_lab import CandidateTree

biased = CandidateTree(parents=[-1, -1, 1, 2], tokens=[20, 30, 31, 32], log_scores=[-0.9, -0.3, -0.3, -0.35])
print("leaf scores:", biased.scores[biased.leaves].round(2).tolist())
print("best leaf:", biased.best_leaf, " its path:", biased.tokens[biased.path(biased.best_leaf)].tolist())

# %% [markdown] lang="zh"
# ## 一轮接一轮：文本不变，次数变少
#
# 每一轮提交「接受的草稿 + 目标模型自己的一个 token」。贪心解码时，不管草稿猜得好坏，写出来的就是目标模型独自逐个生成的那一篇，**只有并列的时候除外**（见下）；草稿猜得好，目标模型就少跑几次。
#
# **平均接受长度 τ** 是每轮平均提交的 token 数，即接受的草稿数 + 1，在结束符或长度上限截断最后一轮之前计数。

# %% [markdown] lang="en"
# ## Round after round: the same text in fewer passes
#
# A round commits the accepted drafts plus one token of the target's own. With greedy decoding, good drafts or bad, the text is what the target would have written alone, token by token, **barring ties** (see below); good drafts only spare it passes.
#
# **τ** is the mean number of tokens committed per round, accepted drafts + 1, counted before an end token or a length limit cuts the last round.

# %%
fast = speculative_decode(pair, prompt, 60, top_k=4, depth=5, budget=16)
print("same tokens:", fast.tokens == plain)
print(f"{len(fast.tokens)} tokens: {len(plain)} passes alone, {1 + len(fast.rounds)} with drafts, tau {fast.tau:.2f}")

# %%
print(pair.tokenizer.decode(prompt + plain))

# %% [markdown] lang="zh"
# **条件：差距不小于舍入误差。** 一行一行地算，与许多行一起算，加法的次序不同，最后几位也就不同。目标模型的前两名相差很远时，这无关紧要；两名并列时，谁在前就说不准了。真实的推理引擎同样如此。造一个这样的目标模型：把它写得最多的那个 token，在输出层里原样抄给另一个 token，两者的 logit 在纸面上永远相等。

# %% [markdown] lang="en"
# **The condition: gaps above rounding.** Row by row or many rows at once, the additions come in another order, and the last bits differ. Where the target's first two candidates are far apart, that is nothing; where they tie, either may come first. Serving engines are no different. Let us make such a target: the token that it writes most is copied, in the output layer, to another token, so that on paper the logits of the two are always equal.

# %%
from collections import Counter
from dataclasses import replace

from eagle_lab.counterexamples import with_twin

often = Counter(token for text in texts for token in text).most_common(1)[0][0]
torn = replace(pair, target=with_twin(pair.target, often))

# %% tags=["nbval-ignore-output"]
from eagle_lab.trials import first_gap

for prompt_ids in prompts:
    alone, drafted = greedy_decode(torn.target, prompt_ids, 60), speculative_decode(torn, prompt_ids, 60).tokens
    place, gap = first_gap(torn.target, prompt_ids, alone, drafted)
    print("equal" if place is None else f"part at token {place}, where the two largest logits differ by {gap:.0e}")

# %% [markdown] lang="zh"
# 在你的机器上，分开的篇数和位置可能不同：它们取决于 CPU 和线性代数库。上面分开之处的差距都不到十万分之一，有的是零。所以本教程说「与目标模型相同」，指的都是「差距不小于 1e-4 时相同」；播放器和检查也照此判断。

# %% [markdown] lang="en"
# On your machine other texts may part, and elsewhere: that depends on the CPU and on the linear algebra library. Above, every gap where two texts part is below a hundred-thousandth, and some are zero. So "the target's own text" means everywhere in this course: where gaps are at least 1e-4. The players and the checks judge by that, too.

# %% [markdown] lang="zh"
# 换一种融合会怎样？把权重全压在一层上：文本一个 token 也不会变，能变的只有 τ。

# %% [markdown] lang="en"
# And with another fusion? Put all the weight on one layer: not a token of the text changes, only τ can.

# %%
for weights in ([1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]):
    run = speculative_decode(pair, prompt, 60, layer_weights=weights)
    print(weights, "same tokens:", run.tokens == plain, f" tau {run.tau:.2f}")

# %% [markdown] lang="zh"
# ## 想一想
#
# 1. 一个节点的分数很高，它的父节点却被拒绝了。它还有可能被提交吗？（在候选树面板上换几个开头，找一个后面还连着节点的红叉，再看节点表里它们的状态。）
# 2. 同一轮里，候选预算越大，接受的草稿只多不少；那为什么真实系统不把预算开到最大？（把「候选预算」从 16 加到 60：目标模型多算了几个节点，多接受了几个？）
# 3. 验证走了几步，与树有几层有什么关系？（在逐步验证的面板上换几个开头。）
#
# <details><summary>答案</summary>
#
# 1. 不可能。它的 logits 和 KV 以一个不会出现在正文里的 token 为上文。
# 2. 每个节点都要目标模型算一遍，不论接不接受；多出来的节点排名靠后，很少被走到。
# 3. 步数 = 接受的草稿数 + 1，最多是树的层数 + 1；树里有多少分支都不影响。
#
# </details>
#
# <br>
#
# **上一节：** [多层特征融合与轻量草稿器](02_feature_fusion.ipynb)　·　**下一节：** [三个 TODO](04_exercises.ipynb)
#
# ## 相关阅读
#
# - [68. Speculative Decoding Benchmark | 投机解码基准]({{course}})
# - [EAGLE-2 论文（动态候选树）](https://arxiv.org/abs/2406.16858)　·　[EAGLE-3 论文](https://arxiv.org/abs/2503.01840)　·　[EAGLE 官方实现](https://github.com/SafeAILab/EAGLE)　·　[vLLM Speculators](https://github.com/vllm-project/speculators)

# %% [markdown] lang="en"
# ## Think about it
#
# 1. A node scores high, but its parent was refused. Can it still be committed? (Try several openings on the tree panel until a red cross has nodes behind it, and look up their states in the node table.)
# 2. Within one round a larger budget never accepts fewer drafts. Why do real systems not use the largest budget? (Raise `budget` from 16 to 60: how many more nodes does the target compute, and how many more are accepted?)
# 3. How does the number of verification steps depend on how many levels the tree has? (Try several openings on the stepped panel.)
#
# <details><summary>Answers</summary>
#
# 1. No. Its logits and its KV row have a token in their context that will not be in the text.
# 2. The target computes every node, accepted or not; the extra ones rank low, and the walk rarely comes to them.
# 3. Steps = accepted drafts + 1, so at most the tree's levels + 1, however many branches there are.
#
# </details>
#
# <br>
#
# **Previous:** [layer feature fusion and the light drafter](02_feature_fusion.ipynb)　·　**Next:** [three TODOs](04_exercises.ipynb)
#
# ## Read on
#
# - [68. Speculative Decoding Benchmark | 投机解码基准]({{course}}) (in Chinese)
# - [EAGLE-2 paper (dynamic draft trees)](https://arxiv.org/abs/2406.16858)　·　[EAGLE-3 paper](https://arxiv.org/abs/2503.01840)　·　[official EAGLE implementation](https://github.com/SafeAILab/EAGLE)　·　[vLLM Speculators](https://github.com/vllm-project/speculators)
