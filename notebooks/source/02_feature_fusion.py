# %% [markdown] lang="zh"
# # INF-EAGLE · Step 2. Layer Feature Fusion and the Light Drafter | 多层特征融合与轻量草稿器
#
# **难度：** Hard　|　**环境：** CPU 即可　|　**标签：** 推理优化 / 投机解码 / EAGLE　|　**用时：** 约 20 分钟
#
# **你将做什么：** 把目标模型低、中、高三层的隐藏表示按权重融合，看每一层占多大份额，草稿器又据此猜了什么。
#
# **你将学到：** 权重为什么要先归一化；为什么归一化之后，尺度大的那一层仍会占上风；草稿为什么只能一步接一步地猜；怎样公平地比较两种融合方案。
#
# **你需要：** 知道什么是隐藏表示和加权和。下一节用融合好的特征长出候选树。

# %% [markdown] lang="en"
# # INF-EAGLE · Step 2. Layer Feature Fusion and the Light Drafter | 多层特征融合与轻量草稿器
#
# **Difficulty:** Hard　|　**Runs on:** CPU　|　**Tags:** inference optimisation / speculative decoding / EAGLE　|　**Time:** about 20 minutes
#
# **What you will do:** fuse the hidden states of a low, a mid and a high layer of the target by weight, and see each layer's share and what the drafter guesses from it.
#
# **What you will learn:** why weights are normalised first; why a layer of large scale still dominates after that; why drafting has to go step by step; how to compare two ways of fusing fairly.
#
# **What you need:** to know what a hidden state and a weighted sum are. The next step grows candidate trees from the fused features.

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
# 独立的小草稿模型要把上文从头再读一遍；EAGLE 的草稿器直接用目标模型已经算好的这些特征。

# %% [markdown] lang="en"
# ## Tapping three layers of the target
#
# While the target reads the opening, every layer leaves hidden states behind. As a rule, low layers are closer to the words, high ones to what comes next. EAGLE-3 takes three of them: the residual stream entering layers 2, L//2 and L−3 (L layers in all, counted from 0).
#
# An independent small draft model would read the context all over again; EAGLE's drafter uses these features, which the target has already computed.

# %%
from eagle_lab import Generation

reading = Generation(pair, pair.encode(openings[0]))
layers, tokens, hidden = reading.features.shape
print(f"{layers} layers (inputs of {pair.target.taps}), {tokens} tokens, hidden size {hidden}")

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
# 论文里没有融合权重，这里才有：每一块再乘以 3α（α 是归一化权重）。三个权重相等时，就是原来的 `fc`。

# %% [markdown] lang="en"
# Scale is held in check by RMS-normalising or by a learned projection. EAGLE-3 takes the second way: the three features are concatenated and multiplied by one learned matrix, `fc`. That is the same as passing each layer through its own block of `fc` and adding; training settles the scale of every block.
#
# The paper has no fusion weights; they are added here, each block times 3α, where α is the normalised weight. Equal weights give back the plain `fc`.

# %%
projected = pair.drafter.project(reading.features)[:, -1]
print("scale:", [round(float((row**2).mean() ** 0.5), 2) for row in projected])
print("share:", [round(share, 2) for share in fusion_shares(projected, [1, 1, 1])])

# %% [markdown] lang="zh"
# ## 轮到你了
#
# 左边是每层的份额。目标模型读完开头，已经写下一个 token；右边是草稿器猜的再下一个，■ 标出目标模型真正的选择（它不在候选里时就没有 ■）。可以试试：
#
# 1. 三个权重都减半：图变了吗？为什么？
# 2. 只留一层（另外两个拖到 0）：草稿器还猜得中吗？多换几个开头看看。
# 3. 三个权重相等时，三层的份额也相等吗？

# %% [markdown] lang="en"
# ## Your turn
#
# On the left is each layer's share. The target has read the opening and written one token; on the right are the drafter's guesses for the one after it, and ■ marks what the target really chose (no ■ where that is not among them). Things to try:
#
# 1. Halve all three weights: does the picture change? Why?
# 2. Keep one layer only (drag the other two to 0): does the drafter still guess right? Look at several openings.
# 3. With equal weights, are the three shares equal too?

# %%
from eagle_lab import fusion_panel

panel = fusion_panel(pair)
panel

# %% [markdown] lang="zh"
# 看不到滑块？网页预览只显示静态图；在 JupyterLab 里运行上面的单元格，控件就会出现。
#
# ## 一步接一步地猜
#
# 草稿器很轻，只有一层：读入融合特征和刚写下的 token，给出下一个 token 的概率。再往后，目标模型还没有算到，没有新的特征可用，草稿器只能接着**自己的上一步**往下猜。
#
# 所以，深度相同的两个节点，历史不同，下一个 token 的概率也就不同；把各个位置当作互相独立，得到的概率对哪个节点都不成立：

# %% [markdown] lang="en"
# No sliders? A web preview shows only the still picture; run the cell above in JupyterLab and the controls appear.
#
# ## Guessing step by step
#
# The drafter is light, a single layer: it reads the fused feature and the token just written, and gives probabilities for the next. Beyond that the target has computed nothing yet, so there are no new features, and the drafter has to continue from **its own previous step**.
#
# So two nodes of the same depth have different histories, and with them different probabilities for what comes next; treating positions as independent gives probabilities that hold for neither:

# %%
tree = reading.preview(layer_weights=[1, 1, 1], top_k=3, depth=2, budget=12).tree
for node in tree.children(-1):
    names = [f"{pair.token_text(tree.tokens[child])!r} {tree.log_scores[child]:.2f}" for child in tree.children(node)]
    print(f"{pair.token_text(tree.tokens[node])!r} ->", ", ".join(names))

# %% [markdown] lang="zh"
# ## 公平地比较
#
# 要比较几种融合方案，就固定其余的一切：同一个目标模型做验证，同样的开头，同样的验证预算。跨目标模型比「快了几倍」，比的就不是融合了。
#
# **τ（平均接受长度）** 是每轮平均提交的 token 数，即接受的草稿数 + 1，在结束符或长度上限截断之前计数；下面是各个开头的平均值。这个草稿器训练时三层总是一起用：只留一层时 τ 若变低，说明它离不开另外两层，不说明这一层没有信息。

# %% [markdown] lang="en"
# ## A fair comparison
#
# To compare ways of fusing, fix everything else: the same verifying target, the same openings, the same verification budget. Speed-ups across different targets do not compare fusion.
#
# **τ** is the mean number of tokens committed per round, accepted drafts + 1, counted before an end token or a length limit cuts the last round; below it is averaged over the openings. This drafter was trained with all three layers always in use: if τ falls with one layer alone, the drafter depends on the other two, which does not mean that this layer holds nothing.

# %%
from eagle_lab import speculative_decode

for weights in ([1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]):
    runs = [speculative_decode(pair, pair.encode(text), 48, layer_weights=weights) for text in openings]
    print(weights, f"tau {sum(run.tau for run in runs) / len(runs):.2f}")

# %% [markdown] lang="zh"
# | 要定下来的事 | 先固定什么 | 错误的做法 |
# |---|---|---|
# | 取哪几层 | 层号、隐藏维度 | 把形状不同的特征混在一起 |
# | 怎样控制各层的贡献 | 归一化的权重、投影后的尺度 | 直接相加原始特征，把尺度当成重要性 |
# | 候选怎样往下长 | 每个候选接着自己的历史 | 把各个位置当作独立的 |
# | 怎样比较方案 | 目标模型、输入、验证预算 | 跨目标模型比加速比 |
#
# ## 想一想
#
# 1. 两层的特征是 [1, 0] 和 [100, 0]，怎样选权重，两层的份额才各占一半？（用 `fusion_shares` 验证。）
# 2. `fusion_shares([[2, 0], [-1, 0]], [1, 1])` 是多少？份额为负意味着什么？
# 3. 换一组权重，写出来的文本会变吗？τ 呢？（用 `speculative_decode` 换几组权重，比较 `.tokens` 和 `.tau`。）
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
# 1. Two layers have the features [1, 0] and [100, 0]. Which weights give each a share of one half? (Check with `fusion_shares`.)
# 2. What is `fusion_shares([[2, 0], [-1, 0]], [1, 1])`? What does a negative share mean?
# 3. Under other weights, can the text change? Can τ? (Call `speculative_decode` with several weights, and compare `.tokens` and `.tau`.)
#
# **Next:** [candidate tree, cumulative score, continuous verification](03_candidate_tree.ipynb)　·　**Read on:** [EAGLE-3 paper](https://arxiv.org/abs/2503.01840)　·　[official EAGLE implementation](https://github.com/SafeAILab/EAGLE)　·　[vLLM Speculators](https://github.com/vllm-project/speculators)
