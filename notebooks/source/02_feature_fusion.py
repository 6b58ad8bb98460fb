# %% [markdown] lang="zh"
# # INF-EAGLE. Feature Drafter and Candidate Tree | 特征草稿器与候选树
#
# ## Step 2. Layer Feature Fusion and the Light Drafter | 多层特征融合与轻量草稿器
#
# **难度：** Hard　|　**环境：** CPU-first　|　**标签：** 推理优化 / 投机解码 / EAGLE　|　**用时：** 约 25 分钟
#
# {{launch}}
#
# ## 本节导读
#
# **你将做什么：** 把目标模型低、中、高三层的隐藏表示按权重融合，看每一层占多大份额，草稿器又据此猜了什么；再把几种错误的做法真跑一遍，看它们坏在哪里。
#
# **你将学到：** 权重为什么要先归一化；为什么归一化之后，尺度大的那一层仍会占上风；草稿为什么只能一步接一步地猜；怎样公平地比较两种融合方案。
#
# **你需要：** 知道什么是隐藏表示和加权和。
#
# ## 前置阅读
#
# - [Step 1. EAGLE 在推理流程中的位置](01_where_eagle_sits.ipynb)
# - [35. Native MTP | 原生多 Token 预测]({{course}})

# %% [markdown] lang="en"
# # INF-EAGLE. Feature Drafter and Candidate Tree | 特征草稿器与候选树
#
# ## Step 2. Layer Feature Fusion and the Light Drafter | 多层特征融合与轻量草稿器
#
# **Difficulty:** Hard　|　**Runs on:** CPU-first　|　**Tags:** inference optimisation / speculative decoding / EAGLE　|　**Time:** about 25 minutes
#
# {{launch}}
#
# ## In this step
#
# **What you will do:** fuse the hidden states of a low, a mid and a high layer of the target by weight, and see each layer's share and what the drafter guesses from it; then run several wrong ways for real, and see what they damage.
#
# **What you will learn:** why weights are normalised first; why a layer of large scale still dominates after that; why drafting has to go step by step; how to compare two ways of fusing fairly.
#
# **What you need:** to know what a hidden state and a weighted sum are.
#
# ## Read first
#
# - [Step 1. Where EAGLE sits](01_where_eagle_sits.ipynb)
# - [35. Native MTP | 原生多 Token 预测]({{course}}) (in Chinese)

# %%
from eagle_lab import load_pair, use_language

use_language("zh")
pair = load_pair("stories")
openings = pair.prompts["zh"]
print(openings[0])

# %% [markdown] lang="zh"
# ## 从目标模型里取出三层
#
# 目标模型读开头时，每一层都会留下隐藏表示。一般来说，低层更贴近字面，高层更贴近「接下来写什么」。EAGLE-3 取其中三处：进入第 2、L//2、L−3 层的残差流（L 是层数，层号从 0 数起）。
#
# 独立的小模型要把上文从头再读一遍；EAGLE 的草稿器直接用目标模型已经算好的这些特征。

# %% [markdown] lang="en"
# ## Tapping three layers of the target
#
# While the target reads the opening, every layer leaves hidden states behind. As a rule, low layers are closer to the words, high ones to what comes next. EAGLE-3 takes three of them: the residual stream entering layers 2, L//2 and L−3 (L layers in all, counted from 0).
#
# An independent small model would read the context all over again; EAGLE's drafter uses these features, which the target has already computed.

# %%
from eagle_lab import Generation

reading = Generation(pair, pair.encode(openings[0]))
layers, tokens, hidden = reading.features.shape
print(f"{layers} layers (inputs of {pair.target.taps}), {tokens} tokens, hidden size {hidden}")

# %% [markdown] lang="zh"
# ### 每一层知道多少
#
# 把某一层的特征当作最后一层，直接接上目标模型的输出层（这叫 logit lens），数一数它有多少次已经指向目标模型真正的选择：越往上，离答案越近。再看草稿器**只**读这一层时，第一个草稿猜对多少次。lens 看的是刚要写的那个 token，草稿器猜的是再下一个，更难的一个；它仍不输给 lens，因为它是为此训练的。

# %% [markdown] lang="en"
# ### How much each layer knows
#
# Treat one layer's feature as if it were the last, pass it straight to the target's output head (the "logit lens"), and count how often it already points at what the target chooses: the higher, the closer to the answer. Beside it, how often the drafter's first guess is right when it reads **only** that layer. The lens looks at the very next token, the drafter guesses the one after it, which is harder; it still does no worse, since that is what it was trained for.

# %%
from eagle_lab import tap_accuracy, write_texts

texts = write_texts(pair, openings)
for tap in tap_accuracy(pair, texts):
    print(f"input of layer {tap.layer}: lens {tap.lens:.0%}, draft from this layer alone {tap.draft:.0%}")

# %% [markdown] lang="zh"
# ## 权重先归一化
#
# 融合权重非负，归一化后总和为 1。权重因此只表示各层的比例，系数本身不会把结果放大或缩小。

# %% [markdown] lang="en"
# ## Weights are normalised first
#
# Fusion weights are non-negative, and sum to 1 once normalised. So they state proportions only: the coefficients themselves neither enlarge nor shrink the result.

# %%
from eagle_lab import fuse_layer_features, normalize_fusion_weights

print(normalize_fusion_weights([1, 3]))
print(fuse_layer_features([[2, 4], [6, 0]], [1, 3]))

# %% [markdown] lang="zh"
# 融合就是逐维的加权和：第一维 $0.25\times2+0.75\times6=5$，第二维 $0.25\times4+0.75\times0=1$。
#
# 无效的权重和形状会直接报错，不会被悄悄放过：

# %% [markdown] lang="en"
# Fusing is a weighted sum in each dimension: $0.25\times2+0.75\times6=5$ in the first, $0.25\times4+0.75\times0=1$ in the second.
#
# Invalid weights and shapes raise an error; none slips through:

# %%
for features, weights in (([[2, 4], [6, 0]], [0, 0]), ([[2, 4], [6, 0]], [1, -1]), ([[1], [1, 2]], [1, 3])):
    try:
        fuse_layer_features(features, weights)
    except ValueError as error:
        print(error)

# %% [markdown] lang="zh"
# 形状不同的特征不能混在一起，权重全零或有负数也不行，这三种错都会被指名道姓地拒绝。
#
# **错误的做法：不归一化。** 权重 [1, 1, 1] 与 [⅓, ⅓, ⅓] 说的是同一个比例，可要是不先归一化，前者融合出来的特征是后者的三倍。草稿器没见过这样的输入（下面的 τ 是每轮平均提交的 token 数，取前三个开头的平均）：

# %% [markdown] lang="en"
# Features of different shapes cannot be mixed, nor can weights be all zero or negative; each of the three is refused by name.
#
# **The wrong way: not normalising.** The weights [1, 1, 1] and [⅓, ⅓, ⅓] state the same proportions, but without normalising, the first makes the fused feature three times as large. The drafter has never seen such an input (τ below is the mean number of tokens committed per round, averaged over the first three openings):

# %%
from eagle_lab.counterexamples import add_raw_features
from eagle_lab.trials import tau_after

for scale in (1 / 3, 1, 3):
    ways = {"normalize": list, "fuse": add_raw_features, "layer_weights": [scale] * 3}
    wrong = [tau_after(pair, opening, top_k=4, depth=5, budget=16, **ways) for opening in openings[:3]]
    print(f"raw weights [{scale:.2f}] * 3: tau {sum(wrong) / len(wrong):.2f}")

# %% [markdown] lang="zh"
# ## 归一化管系数，不管尺度
#
# 两层的权重都是 ½，但一层的数值是另一层的 100 倍：融合结果的 99% 仍来自它。**份额**量的就是这件事：把一层的贡献投影到融合结果的方向上，看它占全长的多少。各层的份额之和为 1。

# %% [markdown] lang="en"
# ## Normalising fixes the coefficients, not the scale
#
# Two layers weigh ½ each, but one is 100 times as large as the other: 99% of the fused feature still comes from it. A layer's **share** measures this: project its contribution onto the fused vector, and see what part of the length it makes up. Shares sum to 1.

# %%
from eagle_lab import fusion_shares

print([round(share, 3) for share in fusion_shares([[1.0, 0.0], [100.0, 0.0]], [1, 1])])

# %% [markdown] lang="zh"
# 真实特征的尺度也不相同：残差流逐层累加，通常越往上越大。直接相加，尺度大的层份额往往也大，而尺度大并不等于更有用：

# %% [markdown] lang="en"
# Real features differ in scale too: the residual stream adds up layer after layer, and usually grows on its way up. When raw features are added, a layer of larger scale tends to take the larger share, and larger does not mean more useful:

# %%
raw = reading.features[:, -1]
print("scale:", [round(float((row**2).mean() ** 0.5), 2) for row in raw])
print("share:", [round(share, 2) for share in fusion_shares(raw, [1, 1, 1])])

# %% [markdown] lang="zh"
# 要管住尺度，可以按均方根归一化，也可以用学出来的投影。EAGLE-3 选的是后者：三层特征拼接起来，乘以一个学出来的矩阵 `fc`。这等于每层先过 `fc` 里自己的那一块，再相加；各块的尺度由训练决定。
#
# 论文里没有融合权重，这里才有：每一块再乘以 3α（α 是归一化权重）。三个权重相等时，就是原来的 `fc`。反过来，本章的凸组合也是 `fc` 的一个特例：$W=[\alpha_1 I\,|\,\alpha_2 I\,|\,\alpha_3 I]$。两件事都可以验证：

# %% [markdown] lang="en"
# Scale is held in check by RMS-normalising or by a learned projection. EAGLE-3 takes the second way: the three features are concatenated and multiplied by one learned matrix, `fc`. That is the same as passing each layer through its own block of `fc` and adding; training settles the scale of every block.
#
# The paper has no fusion weights; they are added here, each block times 3α, where α is the normalised weight. Equal weights give back the plain `fc`. The other way round, this chapter's convex sum is a special case of `fc`: $W=[\alpha_1 I\,|\,\alpha_2 I\,|\,\alpha_3 I]$. Both can be checked:

# %%
import numpy as np

features, fc = reading.features[:, -1], np.concatenate(pair.drafter.weights.fc)  # [3, hidden], [3 * hidden, hidden]
weighted = fuse_layer_features(pair.drafter.project(reading.features)[:, -1], [1, 1, 1])
print("equal weights = fc:", np.allclose(features.ravel() @ fc, weighted, atol=1e-4))

# %%
identities = np.concatenate([weight * np.eye(hidden) for weight in (0.25, 0.25, 0.5)])
convex = fuse_layer_features(features, [1, 1, 2])
print("convex sum = fc of identities:", np.allclose(features.ravel() @ identities, convex, atol=1e-4))

# %% [markdown] lang="zh"
# 投影会改变三层的尺度和份额，但不会把它们拉平；训练求的是猜得准，不是各层相等：

# %% [markdown] lang="en"
# The projection changes scales and shares, but does not level them; training is after good guesses, not equal layers:

# %%
projected = pair.drafter.project(reading.features)[:, -1]
print("scale:", [round(float((row**2).mean() ** 0.5), 2) for row in projected])
print("share:", [round(share, 2) for share in fusion_shares(projected, [1, 1, 1])])

# %% [markdown] lang="zh"
# ## 轮到你了
#
# 左边是每层的份额。目标模型读完开头，已经写下一个 token；右边是草稿器猜的再下一个，■ 标出目标模型真正的选择（它不在候选里时就没有 ■）。可以试试：
#
# 1. 三个权重相等时，三层的份额也相等吗？
# 2. 慢慢拖小一层的权重：份额和候选怎样变？
# 3. 换一个开头，或者自己写一句。

# %% [markdown] lang="en"
# ## Your turn
#
# On the left is each layer's share. The target has read the opening and written one token; on the right are the drafter's guesses for the one after it, and ■ marks what the target really chose (no ■ where that is not among them). Things to try:
#
# 1. With equal weights, are the three shares equal too?
# 2. Lower one weight slowly: what becomes of the shares and of the candidates?
# 3. Pick another opening, or write one of your own.

# %%
from eagle_lab import fusion_panel

panel = fusion_panel(pair)
panel

# %%
print(panel.text)

# %% [markdown] lang="zh"
# 看不到滑块？网页预览只有静态图和当时的数字；在 JupyterLab 里运行上面的单元格，控件就会出现。
#
# ## 一步接一步地猜
#
# 草稿器很轻，只有一层：读入融合特征和刚写下的 token，给出下一个 token 的概率。再往后，目标模型还没有算到，没有新的特征可用，草稿器只能接着**自己的上一步**往下猜：起草也是自回归的。
#
# 所以，深度相同的两个节点，历史不同，下一个 token 的概率也就不同，不能把各个位置当作互相独立：

# %% [markdown] lang="en"
# No sliders? A web preview has only the still picture and its numbers; run the cells above in JupyterLab and the controls appear.
#
# ## Guessing step by step
#
# The drafter is light, a single layer: it reads the fused feature and the token just written, and gives probabilities for the next. Beyond that the target has computed nothing yet, so there are no new features, and the drafter has to continue from **its own previous step**: drafting is autoregressive too.
#
# So two nodes of the same depth have different histories, and with them different probabilities for what comes next; positions are not independent:

# %%
tree = reading.preview(layer_weights=[1, 1, 1], top_k=3, depth=2, budget=12).tree
for node in tree.children(-1):
    names = [f"{pair.token_text(tree.tokens[child])!r} {tree.log_scores[child]:.2f}" for child in tree.children(node)]
    print(f"{pair.token_text(tree.tokens[node])!r} ->", ", ".join(names))

# %% [markdown] lang="zh"
# **错误的做法：把各个位置当作独立的。** 让同一层的所有节点共用一份候选，也就是只沿最可能的那条路往下猜，其余节点照抄，不管自己接在谁后面：

# %% [markdown] lang="en"
# **The wrong way: treating positions as independent.** Let all nodes of a level share one list of candidates: guess ahead along the likeliest path only, and copy the result to every other node, whatever that node follows:

# %%
from dataclasses import replace

from eagle_lab import mean_tau
from eagle_lab.counterexamples import PositionsApart

apart = replace(pair, drafter=PositionsApart(pair.drafter))
print(f"own history: tau {mean_tau(pair, texts):.2f}; positions apart: tau {mean_tau(apart, texts):.2f}")

# %% [markdown] lang="zh"
# ## 公平地比较
#
# 要比较几种融合方案，就固定其余的一切：同一个目标模型做验证，同样的开头，同样的验证预算。τ 是每轮平均提交的 token 数（接受的草稿数 + 1，每轮都完整计入），下面对所有开头的所有轮次取平均。
#
# 贪心解码写出来的文本与草稿无关，所以目标模型只要把每个开头写一遍，之后只重放草稿就够了。于是整张「权重地图」几秒钟就能算完：三角形的三个角是把权重全压在一层上，正中是三层相等。
#
# 左边是本章的草稿器，训练时有一半多的样本用了随机的权重；右边的草稿器训练时权重**始终相等**，其余完全一样。

# %% [markdown] lang="en"
# ## A fair comparison
#
# To compare ways of fusing, fix everything else: the same verifying target, the same openings, the same verification budget. τ is the mean number of tokens committed per round (accepted drafts + 1, every round counted whole), below over the rounds of all openings.
#
# With greedy decoding the text does not depend on the drafts, so the target writes each opening's text once, and after that only the drafting is replayed. That makes a whole map of the weights a matter of seconds: at the corners of the triangle all weight is on one layer, at its centre all three are equal.
#
# On the left is this chapter's drafter, for which more than half of the training rows had random weights; the one on the right was trained at **equal weights only**, and is the same in everything else.

# %%
from eagle_lab import map_panel, tau_map

equal = load_pair("stories", drafter="drafter_equal_weights")
maps = map_panel({"varied_weights": tau_map(pair, openings), "equal_weights": tau_map(equal, openings)})
maps

# %%
print(maps.text)

# %% [markdown] lang="zh"
# 在 JupyterLab 里拖动滑块：红圈是你的权重，下面的 τ 就在那一点上现测。
#
# 两张图的正中差不多高，角上却差很多：离正中一远，右边的草稿器就猜不准了。所以，单凭角上的 τ 低，不能说「这一层没有信息」，只能说**这个**草稿器离不开另外两层。滑块量的是草稿器与权重的配合，训练时见过什么，就会什么。
#
# **错误的做法：跨目标模型比加速比。** 下面两行都出自 EAGLE-3 论文的表 1（T = 0，五项任务的平均）：
#
# | 目标模型 | 草稿方法 | 加速比 | τ |
# |---|---|---|---|
# | Vicuna-13B | EAGLE-2 | 4.22× | 4.83 |
# | Llama-3.3-70B | EAGLE-3 | 4.12× | 5.88 |
#
# 只看加速比，EAGLE-2 好像胜过 EAGLE-3。可是目标模型不同，硬件和一次前向的代价也就不同；放在同一个 Vicuna-13B 上，EAGLE-3 是 5.51×，τ 6.62。
#
# | 要定下来的事 | 先固定什么 | 错误的做法 |
# |---|---|---|
# | 取哪几层 | 层号、隐藏维度 | 把形状不同的特征混在一起 |
# | 怎样控制各层的贡献 | 归一化的权重、投影后的尺度 | 直接相加原始特征，把尺度当成重要性 |
# | 候选怎样往下长 | 每个候选接着自己的历史 | 把各个位置当作独立的 |
# | 怎样比较方案 | 目标模型、输入、验证预算 | 跨目标模型比加速比 |
#
# ## 想一想
#
# 1. 在融合面板上把三个权重都减半，图和数字变了吗？
# 2. 在融合面板上只留低层，再只留高层。哪一次目标模型的选择在候选里排得更靠前？换几个开头，结论还成立吗？
# 3. 在权重地图上，从正中往「低层」角走到一半（低层 1，中层、高层 0.25），两个草稿器的 τ 各掉了多少？
#
# <details><summary>答案</summary>
#
# 1. 不变。权重先归一化，只有比例起作用。
# 2. 多半是高层，它离答案最近。也有分不出高下的开头：这个草稿器本来就是三层一起训练的。
# 3. 左边掉得少，右边掉得多得多：右边的草稿器从没见过不相等的权重。
#
# </details>
#
# <br>
#
# **下一节：** [候选树、累计分数与连续验证](03_candidate_tree.ipynb)
#
# ## 相关阅读
#
# - [EAGLE-3 论文](https://arxiv.org/abs/2503.01840)　·　[EAGLE 官方实现](https://github.com/SafeAILab/EAGLE)　·　[vLLM Speculators](https://github.com/vllm-project/speculators)

# %% [markdown] lang="en"
# Move the sliders in JupyterLab: the red ring is your weighting, and the τ below is measured right there.
#
# The two maps are about equally high in the centre and far apart at the corners: away from the centre the drafter on the right soon guesses badly. So a low τ at a corner does not say that this layer holds nothing; it says that **this** drafter depends on the other two. The sliders measure how drafter and weights fit together, and a drafter can do what it saw in training.
#
# **The wrong way: bare speed-ups across targets.** Both rows are from Table 1 of the EAGLE-3 paper (T = 0, mean of five tasks):
#
# | target | drafting | speed-up | τ |
# |---|---|---|---|
# | Vicuna-13B | EAGLE-2 | 4.22× | 4.83 |
# | Llama-3.3-70B | EAGLE-3 | 4.12× | 5.88 |
#
# By speed-up alone EAGLE-2 seems to beat EAGLE-3. But with another target the hardware and the cost of a pass are others too; on the same Vicuna-13B, EAGLE-3 reaches 5.51× at τ 6.62.
#
# | to be settled | fix first | the wrong way |
# |---|---|---|
# | which layers | layer indices, hidden size | mixing features of different shapes |
# | how contributions are controlled | normalised weights, scale after projection | adding raw features and reading scale as meaning |
# | how candidates extend | each continues its own history | treating positions as independent |
# | how schemes are compared | target, input, verification budget | bare speed-ups across targets |
#
# ## Think about it
#
# 1. Halve all three weights on the fusion panel. Do picture and numbers change?
# 2. On the fusion panel keep only the low layer, then only the high one. When does the target's choice rank higher among the candidates? Does that hold for other openings?
# 3. On the map, go half of the way from the centre to the low corner (low layer 1, mid and high 0.25). How much τ does each drafter lose?
#
# <details><summary>Answers</summary>
#
# 1. No. Weights are normalised first; only proportions count.
# 2. Mostly with the high layer, which is closest to the answer. In some openings they tie, or the low one does better: this drafter was trained on all three layers together.
# 3. The left one little, the right one far more: it has never seen unequal weights.
#
# </details>
#
# <br>
#
# **Next:** [candidate tree, cumulative score, continuous verification](03_candidate_tree.ipynb)
#
# ## Read on
#
# - [EAGLE-3 paper](https://arxiv.org/abs/2503.01840)　·　[official EAGLE implementation](https://github.com/SafeAILab/EAGLE)　·　[vLLM Speculators](https://github.com/vllm-project/speculators)
