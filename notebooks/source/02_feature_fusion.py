# %% [markdown] lang="zh"
# # INF-EAGLE · Step 2. Layer Fusion and the Light Drafter | 多层特征融合与轻量草稿器
#
# **难度：** Hard　|　**环境：** CPU 即可　|　**标签：** 推理优化 / 投机解码 / EAGLE　|　**用时：** 约 20 分钟
#
# **你将做什么：** 把目标模型低、中、高三层的隐藏表示按权重融合，看每一层占了多大份额，草稿器又因此猜了什么。
#
# **你将学到：** 为什么权重要先归一化；为什么归一化了仍挡不住尺度大的那一层；草稿为什么必须一步接一步地猜；怎样比较两种融合方案才公平。
#
# **你需要：** 知道什么是隐藏表示和加权和。下一节会用这里的融合结果长出候选树。

# %% [markdown] lang="en"
# # INF-EAGLE · Step 2. Layer Fusion and the Light Drafter | 多层特征融合与轻量草稿器
#
# **Difficulty:** Hard　|　**Runs on:** CPU　|　**Tags:** inference / speculative decoding / EAGLE　|　**Time:** about 20 minutes
#
# **What you will do:** fuse the hidden states of a low, a mid and a high layer of the target by weight, and see each layer's share and what the drafter guesses from it.
#
# **What you will learn:** why weights are normalised first; why that still does not hold back a layer of large scale; why drafting goes step by step; how to compare two ways of fusing fairly.
#
# **What you need:** to know what a hidden state and a weighted sum are. The next step grows candidate trees from what is fused here.

# %%
from eagle_lab import load_pair, use_language

use_language("zh")
pair = load_pair("stories")
openings = pair.prompts["zh"]
print(openings[0])

# %% [markdown] lang="zh"
# ## 从目标模型里取出三层
#
# 目标模型读开头的时候，每一层都会留下隐藏表示。越靠下的层越贴近字面，越靠上的层越贴近「接下来写什么」。EAGLE-3 取三层：进入第 2 层、第 L//2 层、第 L−3 层之前的残差流。
# 草稿器不用重读上文，这些特征是目标模型已经算好的。

# %% [markdown] lang="en"
# ## Tapping three layers of the target
#
# While the target reads the opening, every layer leaves hidden states behind: low ones are close to the words, high ones close to what comes next. EAGLE-3 takes three: the residual stream entering layers 2, L//2 and L−3.
# The drafter need not read the context again; the target has computed these features already.

# %%
from eagle_lab import Generation

reading = Generation(pair, pair.encode(openings[0]))
layers, tokens, hidden = reading.features.shape
print(f"{layers} layers (inputs of {pair.target.taps}), {tokens} tokens, hidden size {hidden}")

# %% [markdown] lang="zh"
# ## 权重先归一化
#
# 融合权重非负，归一化之后总和为 1。这样，系数本身不会把结果放大或缩小。

# %% [markdown] lang="en"
# ## Weights are normalised first
#
# Fusion weights are not negative, and sum to 1 after normalising. So the coefficients themselves neither blow the result up nor shrink it.

# %%
from eagle_lab import fuse_layer_features, normalize_fusion_weights

print(normalize_fusion_weights([1, 3]))
print(fuse_layer_features([[2, 4], [6, 0]], [1, 3]))

# %% [markdown] lang="zh"
# 融合就是逐维的加权和：第一维 $0.25\times2+0.75\times6=5$，第二维 $0.25\times4+0.75\times0=1$。
# 没有意义的权重和形状不会被悄悄放过：

# %% [markdown] lang="en"
# Fusing is a weighted sum in each dimension: $0.25\times2+0.75\times6=5$ in the first, $0.25\times4+0.75\times0=1$ in the second.
# Weights and shapes that make no sense are refused, never passed over:

# %%
for features, weights in (([[2, 4], [6, 0]], [0, 0]), ([[2, 4], [6, 0]], [1, -1]), ([[1], [1, 2]], [1, 3])):
    try:
        fuse_layer_features(features, weights)
    except ValueError as error:
        print(error)

# %% [markdown] lang="zh"
# ## 归一化管系数，不管尺度
#
# 两层各占 ½，但一层的数值大 100 倍：融合结果里 99 % 仍来自它。**份额**把这件事量了出来：一层贡献的向量在融合结果方向上占多少，三层加起来正好是 1。

# %% [markdown] lang="en"
# ## Normalising fixes the coefficients, not the scale
#
# Two layers at ½ each, but one of them a hundred times larger: 99 % of the fused feature is still its own. A layer's **share** measures this: how much of the fused vector, in its own direction, comes from that layer. Shares sum to 1.

# %%
from eagle_lab import fusion_shares

print([round(share, 3) for share in fusion_shares([[1.0, 0.0], [100.0, 0.0]], [1, 1])])

# %% [markdown] lang="zh"
# 真实的特征也是这样。越往上，残差流越大，直接相加就是让高层说了算：

# %% [markdown] lang="en"
# Real features behave alike. The residual stream grows on its way up, so adding raw features lets the high layer decide:

# %%
raw = reading.features[:, -1]
print("scale:", [round(float((row**2).mean() ** 0.5), 2) for row in raw])
print("share:", [round(share, 2) for share in fusion_shares(raw, [1, 1, 1])])

# %% [markdown] lang="zh"
# 所以 EAGLE-3 不直接相加：每层先过自己的一块学出来的投影（`fc` 的三分之一），尺度由训练决定，然后才加权。

# %% [markdown] lang="en"
# So EAGLE-3 does not add raw features. Each layer first passes its own learned projection, a third of `fc`, whose scale training has settled; only then are they weighted.

# %%
projected = pair.drafter.project(reading.features)[:, -1]
print("scale:", [round(float((row**2).mean() ** 0.5), 2) for row in projected])
print("share:", [round(share, 2) for share in fusion_shares(projected, [1, 1, 1])])

# %% [markdown] lang="zh"
# ## 轮到你了
#
# 左边是每层的份额，右边是草稿器据此猜的下一个 token，■ 是目标模型真正的选择。可以试试：
#
# 1. 三个权重都减半：什么变了？（什么都没变，因为要先归一化。）
# 2. 只留一层：草稿器还猜得中吗？换几个开头再看。
# 3. 权重相等时，三层的份额相等吗？

# %% [markdown] lang="en"
# ## Your turn
#
# On the left each layer's share, on the right what the drafter then guesses as the next token; ■ marks what the target really chose. Things to try:
#
# 1. Halve all three weights: what changes? (Nothing, since they are normalised first.)
# 2. Keep one layer only: does the drafter still guess right? Look at several openings.
# 3. At equal weights, are the three shares equal?

# %%
from eagle_lab import fusion_panel

panel = fusion_panel(pair)
panel

# %% [markdown] lang="zh"
# 看不到滑块？网页预览只能显示静态的图；在 JupyterLab 里运行这个单元格，就会出现控件。
#
# ## 一步接一步地猜
#
# 草稿器每猜一个 token，都要接着**它自己猜的上一个**往下猜。同一层的两个节点历史不同，给出的候选也就不同；把各个位置当作互不相关，得到的就不是它们的概率：

# %% [markdown] lang="en"
# No sliders? A web preview shows only the still picture; run this cell in JupyterLab and the controls appear.
#
# ## Guessing step by step
#
# Each draft continues **the drafter's own previous guess**. Two nodes of one level have different histories, and so different candidates; treating positions as independent gives probabilities that belong to neither:

# %%
tree = reading.preview(layer_weights=[1, 1, 1], top_k=3, depth=2, budget=12).tree
for node in tree.children(-1):
    names = [f"{pair.token_text(tree.tokens[child])!r} {tree.log_scores[child]:.2f}" for child in tree.children(node)]
    print(f"{pair.token_text(tree.tokens[node])!r} ->", ", ".join(names))

# %% [markdown] lang="zh"
# ## 公平地比较
#
# 要比较几种融合方案，就固定其余的一切：同一个目标模型来验证，同样的开头，同样的验证预算。**τ** 是每轮平均提交的 token 数（接受的草稿数 + 1）。在不同的目标模型之间比「快了几倍」，比的不是融合。

# %% [markdown] lang="en"
# ## A fair comparison
#
# To compare ways of fusing, fix everything else: the same target verifies, the same openings, the same verification budget. **τ** is the mean number of tokens committed per round, accepted drafts + 1. Speed-ups across different targets do not compare fusion.

# %%
from eagle_lab import speculative_decode

for weights in ([1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]):
    runs = [speculative_decode(pair, pair.encode(text), 48, layer_weights=weights) for text in openings]
    print(weights, f"tau {sum(run.tau for run in runs) / len(runs):.2f}")

# %% [markdown] lang="zh"
# | 要定下来的事 | 先固定什么 | 错误的做法 |
# |---|---|---|
# | 取哪几层 | 层号、hidden size | 形状不同的特征混在一起 |
# | 怎样控制各层的贡献 | 归一化的权重，投影后的尺度 | 直接相加，把尺度当成重要性 |
# | 候选怎样往下长 | 每个候选接着自己的历史 | 把各个位置当作独立的 |
# | 怎样比较方案 | 目标模型、输入、验证预算 | 跨目标模型比加速比 |
#
# ## 想一想
#
# 1. 权重 [2, 2, 2] 和 [1, 1, 1] 会得到不同的草稿吗？
# 2. 某一层的份额是负数，这意味着什么？（把滑块拖到两端，也许能遇到。）
# 3. 草稿器猜得再差，最终文本会变吗？τ 呢？
#
# **下一节：** [候选树、累计分数与连续验证](03_candidate_tree.ipynb)　·　**相关阅读：** [EAGLE-3 论文](https://arxiv.org/abs/2503.01840)　·　[EAGLE 官方实现](https://github.com/SafeAILab/EAGLE)　·　[vLLM Speculators](https://github.com/vllm-project/speculators)

# %% [markdown] lang="en"
# | to be settled | fix first | the wrong way |
# |---|---|---|
# | which layers | layer indices, hidden size | mixing features of different shapes |
# | how contributions are controlled | normalised weights, scale after projection | adding raw features and reading scale as meaning |
# | how candidates extend | each continues its own history | treating positions as independent |
# | how schemes are compared | target, input, verification budget | bare speed-ups across targets |
#
# ## Think about it
#
# 1. Do weights [2, 2, 2] draft differently from [1, 1, 1]?
# 2. What does a negative share mean? (Drag the sliders to their ends; you may meet one.)
# 3. However badly the drafter guesses, can the final text change? Can τ?
#
# **Next:** [candidate tree, cumulative score, continuous verification](03_candidate_tree.ipynb)　·　**Read on:** [EAGLE-3 paper](https://arxiv.org/abs/2503.01840)　·　[official EAGLE implementation](https://github.com/SafeAILab/EAGLE)　·　[vLLM Speculators](https://github.com/vllm-project/speculators)
