# %% [markdown] lang="zh"
# # INF-EAGLE. Feature Drafter and Candidate Tree | 特征草稿器与候选树
#
# ## Step 1. Where EAGLE Sits | EAGLE 在推理流程中的位置
#
# **难度：** Hard　|　**环境：** CPU-first　|　**标签：** 推理优化 / 投机解码 / EAGLE　|　**用时：** 约 15 分钟
#
# {{launch}}
#
# ## 本节导读
#
# 普通的投机解码请一个独立的小模型来打草稿，它得把目标模型读过的上文自己再读一遍。EAGLE 换了个办法：直接用目标模型已经算好的隐藏表示。于是就有了后面两节的问题：多层隐藏表示怎样合成草稿器的一个输入（Step 2）？候选树怎样累计分数，又为什么只有从根开始、连续被接受的那一段可以提交（Step 3）？
#
# **你将做什么：** 让两种草稿器为同一个目标模型打草稿，比较它们的工作；再一轮一轮地播放一次真实的生成。
#
# **你将学到：** 草稿器、候选树、验证各管什么，又各自替代不了什么；τ 是怎么数出来的；为什么草稿再差，文本也不会变。
#
# **你需要：** 会读 Python，知道自回归解码一次生成一个 token。目标模型和草稿器都是真正训练过的，没有摆拍。
#
# ## 前置阅读
#
# - [23. Speculative Decoding | 投机解码]({{course}}/23_Speculative_Decoding.ipynb)
# - [35. Native MTP | 原生多 Token 预测]({{course}})

# %% [markdown] lang="en"
# # INF-EAGLE. Feature Drafter and Candidate Tree | 特征草稿器与候选树
#
# ## Step 1. Where EAGLE Sits | EAGLE 在推理流程中的位置
#
# **Difficulty:** Hard　|　**Runs on:** CPU-first　|　**Tags:** inference optimisation / speculative decoding / EAGLE　|　**Time:** about 15 minutes
#
# {{launch}}
#
# ## In this step
#
# Plain speculative decoding asks an independent small model for drafts, and that model has to read, on its own, the context that the target has already read. EAGLE goes another way: it uses the hidden states that the target has computed anyway. That raises the questions of the next two steps. How do hidden states of several layers become one draft input (Step 2)? How does a candidate tree accumulate scores, and why may only the part that is accepted without a break, from the root on, be committed (Step 3)?
#
# **What you will do:** let both kinds of drafter work for the same target and compare their work; play a real generation round by round.
#
# **What you will learn:** what the drafter, the tree and verification each do, and what each can never replace; how τ is counted; why the text stays the same however poor the drafts are.
#
# **What you need:** to read Python, and to know that autoregressive decoding writes one token at a time. The target and the drafters are trained models; nothing is staged.
#
# ## Read first
#
# - [23. Speculative Decoding | 投机解码]({{course}}/23_Speculative_Decoding.ipynb) (in Chinese)
# - [35. Native MTP | 原生多 Token 预测]({{course}}) (in Chinese)

# %%
from eagle_lab import load_pair, use_language

use_language("zh")
pair = load_pair("stories")  # target + EAGLE-3 head
independent = load_pair("stories", drafter="draft_model")  # the same target + a small model of its own
openings = pair.prompts["zh"]
print(openings[0])

# %% [markdown] lang="zh"
# ## 两种草稿器，同一个目标模型
#
# 目标模型有 9 层，写双语小故事。给它配两种草稿器，都只有一层，大小相近，训练量相同：
#
# - **独立的小模型**：有自己的词嵌入，只看 token，对目标模型一无所知；
# - **EAGLE-3 草稿器**：不重读上文，而是融合目标模型三个层上的隐藏表示，直接预测 token。
#
# 让它们为同一段文本打草稿，再与目标模型独自逐个生成的文本对照：

# %% [markdown] lang="en"
# ## Two kinds of drafter, one target
#
# The target has 9 layers and writes little stories in two languages. It gets two drafters, of one layer each, similar in size and trained on equally many tokens:
#
# - an **independent small model**, with an embedding of its own, which sees tokens only and knows nothing of the target;
# - the **EAGLE-3 drafter**, which does not read the context again, but fuses the target's hidden states at three layers and predicts tokens directly.
#
# Let each draft for the same text, and compare that with what the target writes alone, one token at a time:

# %%
from eagle_lab import greedy_decode, speculative_decode

prompt = pair.encode(openings[0])
plain = greedy_decode(pair.target, prompt, 60)
runs = {name: speculative_decode(p, prompt, 60) for name, p in (("independent", independent), ("EAGLE-3", pair))}
for name, run in runs.items():
    passes = 1 + len(run.rounds)
    print(f"{name}: same text {run.tokens == plain}, {passes} target passes for 60 tokens, tau {run.tau:.2f}")

# %% [markdown] lang="zh"
# 文本与目标模型独自写的相同，前向次数少了很多。（相同是有条件的：两个候选并列到舍入误差以内时除外，Step 3 会演示。）**平均接受长度 τ** 是每轮平均提交的 token 数：接受的草稿数 + 1（目标模型自己的那一个），在结束符或长度上限截断最后一轮之前计数。
#
# 只看一个开头，说明不了什么。把所有开头放在一起：

# %% [markdown] lang="en"
# The text is what the target writes alone, in far fewer passes. (That holds barring ties below rounding; Step 3 makes some.) **τ** is the mean number of tokens committed per round: accepted drafts + 1 (the target's own), counted before an end token or a length limit cuts the last round.
#
# One opening says little. All openings together:

# %%
from eagle_lab import mean_tau, write_texts

texts = write_texts(pair, openings)
for name, other in (("independent", independent), ("EAGLE-3", pair)):
    print(f"{name}: tau {mean_tau(other, texts):.2f}")

# %% [markdown] lang="zh"
# 论 τ，谁也没有明显胜出：换一个开头，高低就会变；故事很简单，一层就读得懂。它们的差别在于**上文由谁来读**。下面是每一轮开始时的上文长度：

# %% [markdown] lang="en"
# In τ neither is clearly ahead, and openings differ: the stories are simple enough for one layer to follow. They differ in **who reads the context**. This is the length of the context at the start of each round:

# %%
context = [round_.start for round_ in runs["independent"].rounds]
print("context:", context)
print(f"re-read every round, without a cache: {sum(context)} tokens")
print(f"re-read once, with a second cache: {context[-1]} tokens, through layers of its own")
print(f"EAGLE-3: 0 tokens; it takes over the features of {len(pair.target.taps)} of the target's layers")

# %% [markdown] lang="zh"
# 独立的小模型要么每轮把上文重读一遍，要么另养一份 KV 缓存；而且上文要靠它自己的层去理解，文本越难，它就得越大。EAGLE-3 的草稿器也要为每个已提交的 token 算一行、存一行 KV，但读进去的是目标模型已经理解过的表示，所以一层就够。

# %% [markdown] lang="en"
# An independent model either reads the context again in every round, or keeps a second KV cache; and it has to understand the context with its own layers, so the harder the text, the larger it must be. The EAGLE-3 drafter also computes and caches a row for every committed token, but what it reads has already been understood by the target, so one layer is enough.

# %% [markdown] lang="zh"
# > 在这么小的模型上，数的是**前向次数**，不是秒。草稿器走一步的时间约为目标模型走一步的五分之二，长出一棵树要走好几步，验证整棵树又比走一步贵：按秒算，带草稿多半反而更慢（在两种语言的 12 个开头上，约为逐个生成的 0.9–1.5 倍时间，见 `make bench`）。真实的目标模型有几十层，草稿器仍只有一层，这笔账才划算；GPU 上的实测留给第 68 章。
#
# ## 一轮接一轮：播放一次生成
#
# 每一轮做四件事：**起草**（长出候选树）、**验证**（目标模型一次前向，给出根和每个节点之后的选择）、**接受**（从根开始、没有中断的一段）、**提交**（正文加上这一段和目标模型自己的一个 token；KV 缓存只留根和这一段的行）。
#
# 按播放键，或者用滑块、按钮逐轮地看。正文里〔〕括起、带绿色底纹的是被接受的草稿，续写的其余部分由目标模型亲自写出；读开头的那次前向也写出了一个 token，它就是第一棵树的根。

# %% [markdown] lang="en"
# > At this size we count **passes**, not seconds. A step of the drafter takes about two fifths of the time of a step of the target, a tree takes several, and verifying a tree costs more than a single step: in seconds, drafting is mostly slower here (0.9 to 1.5 times plain decoding, over the 12 openings of both languages: `make bench`). Real targets have dozens of layers while the drafter still has one, and only then does it pay; measuring that on a GPU is left to chapter 68.
#
# ## Round after round: play a generation
#
# Every round does four things: **draft** (grow a candidate tree), **verify** (one target pass gives its choice after the root and after every node), **accept** (the part from the root on that has no break), **commit** (that part and one token of the target's own join the text; the KV cache keeps only the rows of the root and of that part).
#
# Press play, or go through the rounds by slider or buttons. In the text, what stands in 〔〕 on green is accepted drafts; all else after the opening was written by the target itself. The pass that reads the opening writes a token too: the root of the first tree.

# %%
from eagle_lab import round_player

player = round_player(pair)
player

# %%
print(player.text)

# %% [markdown] lang="zh"
# 看不到控件？网页预览只有静态图和当时的数字；在 JupyterLab 里运行上面的单元格，控件就会出现。
#
# 图上颜色越深，累计分数越高；绿色粗线是已接受前缀；红叉是首个拒绝位置（停在叶子上的轮次没有红叉）；虚线节点没有走到；深色方块是根；绿色空心方块是目标模型自己的 token，也就是下一轮的根。被拒绝的和没走到的节点，KV 行全部丢掉。token 里的空格画成「·」，换行画成「⏎」。
#
# 整段文本的来源也可以这样看：

# %% [markdown] lang="en"
# No controls? A web preview has only the still picture and its numbers; run the cells above in JupyterLab and they appear.
#
# In the picture, darker is a higher cumulative score; the thick green line is the accepted prefix; red crosses mark the first rejection (there is none in a round that ends at a leaf); the walk never came to the dashed nodes; the dark square is the root, and the hollow green square is the target's own token, the next root. The KV rows of refused nodes, and of nodes the walk never came to, are dropped. “·” stands for a space within a token, “⏎” for a line break.
#
# The origin of the whole text at a glance:

# %%
from eagle_lab import origin_text, record

recording = record(pair, openings[0])
print(origin_text(recording))

# %% [markdown] lang="zh"
# 把每一轮提交的 token 累加起来，就得到「写出的 token 数」随「前向次数」的变化；曲线的平均斜率就是 τ，虚线是逐个生成：

# %% [markdown] lang="en"
# Adding up what every round commits gives tokens written against passes used; the mean slope is τ, and the dashed line is decoding one by one:

# %%
from eagle_lab import passes_chart

passes_chart([len(round_.tokens) for round_ in recording.decoding.rounds])

# %% [markdown] lang="zh"
# ## 谁做什么，又替代不了什么
#
# | 角色 | 从哪里来，做什么 | 替代不了什么 |
# |---|---|---|
# | 当前 token 与上文 | 已提交的序列；决定从哪里接着写 | 目标模型对它的理解 |
# | 多层隐藏表示 | 取自目标模型选定的几层；告诉草稿器上文是什么意思 | 单独的质量评测 |
# | EAGLE 草稿器 | 与这个目标模型配对训练的轻量权重；提出候选 | 目标模型的验证 |
# | 候选树 | 分支与累计分数；决定哪些候选值得验证 | 连续接受的规则 |
#
# 草稿器从不做决定。把它换成一个**没有训练过**的，形状相同，权重随机：

# %% [markdown] lang="en"
# ## Who does what, and what it cannot replace
#
# | part | where it comes from, what it does | what it cannot replace |
# |---|---|---|
# | current token and context | the committed sequence; says where to go on from | the target's understanding of it |
# | multi-layer features | chosen layers of the target; tell the drafter what the context means | a separate evaluation of quality |
# | EAGLE drafter | light weights trained for this one target; proposes candidates | verification by the target |
# | candidate tree | branches and cumulative scores; says which candidates are worth verifying | the rule of continuous acceptance |
#
# The drafter never decides. Put an **untrained** one in its place, of the same shape with random weights:

# %%
from dataclasses import replace

from eagle_lab.counterexamples import untrained

clueless = replace(pair, drafter=untrained(pair.drafter))
run = speculative_decode(clueless, prompt, 60)
print(f"same text {run.tokens == plain}, {1 + len(run.rounds)} target passes, tau {run.tau:.2f}")

# %% [markdown] lang="zh"
# 一个字也没变，只是每轮只剩目标模型自己的那一个 token，τ 降到 1。草稿器替代不了目标模型，输出分布仍由目标模型定义：候选先验证，然后才输出文本、提交 KV。草稿的好坏只影响快慢，不影响内容。
#
# ## 想一想
#
# 1. 在播放器里找出一轮「一个草稿也没接受」的（不妨多换几个开头）。这一轮提交了几个 token？KV 缓存多了几行？
# 2. 每一轮之后，缓存的行数总比正文（开头也算）的 token 数少一。少的是哪一个？（第 1 轮「原有」的行数就是开头的 token 数；加上「写出」的 token 数，再与「现有」的行数比。）
# 3. 在播放器里多看几个开头，走到最后一轮。什么地方草稿器猜得准，什么地方常要目标模型亲自写？
#
# <details><summary>答案</summary>
#
# 1. 一个：目标模型自己的修正 token。缓存多一行，是根的那一行。
# 2. 最新的那个 token，也就是下一轮的根；它的 KV 要到下一轮前向才算。
# 3. 套话容易猜；要到上文里去找的人名、颜色和物件难猜，哪怕刚刚提过。
#
# </details>
#
# <br>
#
# **下一节：** [多层特征融合与轻量草稿器](02_feature_fusion.ipynb)
#
# ## 相关阅读
#
# - [68. Speculative Decoding Benchmark | 投机解码基准]({{course}})
# - [EAGLE-3 论文](https://arxiv.org/abs/2503.01840)　·　[EAGLE 官方实现](https://github.com/SafeAILab/EAGLE)　·　[vLLM Speculators](https://github.com/vllm-project/speculators)（怎样选投机算法）

# %% [markdown] lang="en"
# Not a letter changed; but every round is left with just the target's own token, and τ is down to 1. The drafter does not replace the target, which still defines the output distribution: candidates are verified before text is written and KV rows are committed. Good drafts or bad, only the pace changes, never the content.
#
# ## Think about it
#
# 1. Find a round in the player in which no draft was accepted (try several openings). How many tokens does it commit? By how many rows does the KV cache grow?
# 2. After each round the cache has one row fewer than the text (opening included) has tokens. Whose row is missing? (The "rows before" of round 1 count the opening's tokens; add the "tokens written", and compare with "rows now".)
# 3. Look at the last round of several openings in the player. Which parts are easy to draft, and which does the target often have to write itself?
#
# <details><summary>Answers</summary>
#
# 1. One: the target's own correction token. The cache grows by one row, the root's.
# 2. That of the newest token, which is the next root; its row is computed in the next pass.
# 3. Set phrases are easy; names, colours and objects that have to be looked up in the context are hard, even just after they were mentioned.
#
# </details>
#
# <br>
#
# **Next:** [layer feature fusion and the light drafter](02_feature_fusion.ipynb)
#
# ## Read on
#
# - [68. Speculative Decoding Benchmark | 投机解码基准]({{course}}) (in Chinese)
# - [EAGLE-3 paper](https://arxiv.org/abs/2503.01840)　·　[official EAGLE implementation](https://github.com/SafeAILab/EAGLE)　·　[vLLM Speculators](https://github.com/vllm-project/speculators) (choosing an algorithm)
