"""The words that panels, figures and hints say, in 中文 and English, and what the console can print of them."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Text(NamedTuple):
    """A word or a sentence in both languages; `str()` gives the one in use.

    >>> str(Text("根", "root"))
    '根'
    """

    zh: str
    en: str

    def __str__(self) -> str:
        return getattr(self, current_language())


WORDS = {
    # ── the tree and its legend ──
    "root": Text("根", "root"),
    "drafted": Text("候选节点", "candidate"),
    "accepted": Text("已接受前缀", "accepted prefix"),
    "rejected": Text("首个拒绝位置", "first rejection"),
    "strayed": Text("不是目标模型的选择", "not the target's choice"),
    "open": Text("未提交", "never committed"),
    "next": Text("目标模型自己的 token", "the target's own token"),
    "score": Text("累计分数", "cumulative score"),
    "node": Text("节点", "node"),
    "drafts": Text("{accepted} / {nodes} 个候选", "{accepted} of {nodes} candidates"),
    "none_accepted": Text("（一个也没有）", "(none)"),
    "aside": Text("（{text}）", " ({text})"),
    # ── the numbers beside the tree ──
    "parent": Text("父节点", "parent"),
    "token": Text("token", "token"),
    "edge": Text("边的对数概率", "edge log-probability"),
    "state": Text("状态", "state"),
    "weights": Text("归一化权重", "normalised weights"),
    "accepted_count": Text("已接受草稿数", "accepted drafts"),
    "best_path": Text("最高分叶子的路径", "path to the best-scoring leaf"),
    "correction": Text("修正 token", "correction token"),
    "bonus": Text("奖励 token", "bonus token"),
    "committed": Text("本轮提交", "committed this round"),
    "tokens": Text(
        "{count} 个 token = {accepted} 个草稿 + 1 个目标模型自己的",
        "{count} = {accepted} from the draft + 1 of the target's own",
    ),
    "same": Text("本轮接受恰好停在分数最高的叶子上。", "This round, acceptance ended at the best-scoring leaf."),
    "differ": Text(
        "分数只给候选排序；接不接受，由目标模型决定。",
        "The score orders the candidates; the target decides what is accepted.",
    ),
    # ── the tree panel ──
    "top_k": Text("top_k", "top_k"),
    "depth": Text("深度", "depth"),
    "budget": Text("候选预算", "budget"),
    "tau_note": Text(
        "从这个开头往后约 32 个 token，每轮平均提交的 token 数（接受的草稿数 + 1，每轮都完整计入）；停手后更新",
        (
            "mean tokens committed per round (accepted drafts + 1, every round counted whole), "
            "over some 32 tokens after this opening; updated when you pause"
        ),
    ),
    "tau_beside": Text("（用库里的函数：{tau}）", " (with the library's functions: {tau})"),
    "all_nodes": Text("全部 {count} 个节点（可滚动）", "all {count} nodes (scroll)"),
    # ── the layers, wherever they are weighted ──
    "low": Text("低层", "low layer"),
    "mid": Text("中层", "mid layer"),
    "high": Text("高层", "high layer"),
    # ── the fusion picture and the numbers beside it ──
    "shares": Text("各层在融合特征中的份额", "each layer's share of the fused feature"),
    "candidates": Text("草稿器的候选 token（■ 目标模型的选择）", "the drafter's candidates (■ the target's choice)"),
    "layer": Text("层", "layer"),
    "tap": Text("抽取位置", "tapped at"),
    "tap_at": Text("第 {tap} 层的输入", "input of layer {tap}"),
    "weight": Text("归一化权重 α", "normalised weight α"),
    "raw_scale": Text("原始尺度（均方根）", "raw scale (RMS)"),
    "projected_scale": Text("投影后的尺度（均方根）", "scale after projection (RMS)"),
    "share": Text("份额", "share"),
    "root_token": Text("根（目标模型刚写下的 token）", "root (the token the target has just written)"),
    "target_choice": Text("目标模型接下来的选择", "the target's choice after it"),
    "draft_rank": Text(
        "在草稿器的候选中排第 {rank}，概率 {probability}",
        "rank {rank} among the drafter's candidates, probability {probability}",
    ),
    "draft_missing": Text("不在草稿器的前 {count} 个候选里", "not among the drafter's first {count} candidates"),
    "not_normalised": Text(
        "这些权重没有归一化（{weights}，总和 {total:.4g}）：它们原样进入了融合。",
        "These weights are not normalised ({weights}, sum {total:.4g}): they enter the fusion as they are.",
    ),
    "no_weighted_sum": Text(
        "各层单独融合的结果加起来不等于整体：这不是各层的加权和，所以没有份额可言。",
        "Fused one by one, the layers do not add up to the whole: this is no weighted sum, so there are no shares.",
    ),
    # ── the map of τ over the weights ──
    "your_tau": Text("当前权重下的 τ", "τ at these weights"),
    "varied_weights": Text("训练时权重有变化", "weights varied in training"),
    "equal_weights": Text("训练时权重始终相等", "equal weights in training"),
    # ── what every panel with a prompt has ──
    "prompts": Text("选择开头", "openings"),
    "prompt": Text("开头", "opening"),
    "reset": Text("恢复默认", "reset"),
    # ── what a panel says when a setting or a function fails ──
    "wrong": Text("这个设置不能用：{error}。", "This setting does not work: {error}."),
    "checks_first": Text("先跑通上面的检查。", " Get the checks above to pass first."),
    "stopped": Text("已停下；再动一下控件，就会重新画。", "Stopped. Move a control to draw anew."),
    # ── somebody's own function: what it did, and where ──
    "own_raised": Text("你的 {function} 出错了{where}：{error}", "your {function} failed{where}: {error}"),
    "own_line": Text("（第 {line} 行）", " (line {line})"),
    "own_code": Text("（第 {line} 行：{code}）", " (line {line}: {code})"),
    "own_endless": Text(
        "你的 {function} 在 {seconds:g} 秒内没有结束{where}：循环每一步都在往前走吗？",
        "your {function} did not end within {seconds:g} seconds{where}: does its loop move on at every step?",
    ),
    "own_failed": Text("{error}。", "{error}."),
    "own_functions": Text("你的函数：", "your function: "),
    "own_passed": Text("检查已通过", "its check passed"),
    "own_not_passed": Text("检查未通过", "its check has not passed"),
    "own_unchecked": Text("还没有检查过", "not checked yet"),
    "own_numbers": Text(
        "你的 {function} 返回的是 {given}，应是 {count} 个有限的数",
        "your {function} returned {given}, not {count} finite numbers",
    ),
    "own_scores": Text(
        "你的 {function} 返回的是 {given}，应是分数和路径", "your {function} returned {given}, not scores and a path"
    ),
    "own_mask": Text(
        "你的 {function} 返回的是 {given}，应是 {size} 行 {size} 列的 0 和 1",
        "your {function} returned {given}, not {size} rows of {size} zeros and ones",
    ),
    "own_verdict": Text(
        "你的 {function} 返回的是 {given}，应是节点列表和 token",
        "your {function} returned {given}, not nodes and a token",
    ),
    "own_walk": Text(
        "你的 {function} 返回的不是一条路径和一个 token：{error}",
        "your {function} did not return a path and a token: {error}",
    ),
    "own_rises": Text(
        "你的 {function} 给节点 {node} 的分数比它的父节点还高，父节点会先被舍去：沿着一条路径，分数只能越来越低",
        "your {function} scores node {node} above its parent, dropped first then: scores only fall along a path",
    ),
    "own_printed": Text("\n…（另有 {count} 个字符没有显示）\n", "\n… ({count} more characters are not shown)\n"),
    "kept": Text("图中仍是上一次成功的结果。", " The picture still shows the last one that did."),
    "weights_zero": Text("三个权重不能全是 0", "the three weights must not all be 0"),
    "prompt_empty": Text("开头是空的，请至少写一个字", "the opening is empty: write at least one word"),
    "prompt_long": Text(
        "开头有 {count} 个 token，最多 {limit} 个", "the opening has {count} tokens: at most {limit} fit"
    ),
    "prompt_ids": Text(
        "这个模型对没有分词器：开头请写 token 编号，如 5 12 7",
        "this pair has no tokenizer: write token ids, such as 5 12 7",
    ),
    # ── the players of rounds and of one walk's steps ──
    "round": Text("轮次", "round"),
    "step": Text("步骤", "step"),
    "back": Text("后退", "back"),
    "forth": Text("前进", "forward"),
    # ── a round without a draft, and a text without a round ──
    "no_draft": Text("（这一轮没有草稿）", "(no draft this round)"),
    "plain_pass": Text(
        "这一轮没有草稿：目标模型自己写下一个 token。", "No draft this round: the target wrote one token by itself."
    ),
    "step_alone": Text(
        "没有草稿可比，到此为止：「{choice}」由目标模型自己写下",
        "there is no draft to compare, so the walk ends: the target writes “{choice}” by itself",
    ),
    "no_rounds": Text(
        "目标模型读完开头就结束了正文，没有轮次可看",
        "the target ends its text right after the opening: there is no round to show",
    ),
    # ── a recorded round ──
    "round_of": Text("第 {number} 轮，共 {count} 轮", "round {number} of {count}"),
    "written_text": Text("到这一轮为止的正文", "the text up to this round"),
    "marks": Text(
        "〔〕= 被接受的草稿；续写的其余部分是目标模型自己写的",
        "〔〕 = accepted drafts; all else after the opening is the target's own",
    ),
    "choices": Text("目标模型沿路的选择", "the target's choices on the way"),
    "refused": Text("被拒绝的候选", "refused candidates"),
    "none_refused": Text("（没有：停在叶子上）", "(none: the walk ended at a leaf)"),
    "cache": Text("KV 缓存", "KV cache"),
    "cache_rows": Text(
        (
            "原有 {before} 行，本轮算了 {computed} 行（根 + {nodes} 个节点）："
            "留下 {kept} 行，丢弃 {dropped} 行，现有 {after} 行"
        ),
        (
            "{before} rows before; this round computed {computed} (root + {nodes} nodes): "
            "{kept} kept, {dropped} dropped; {after} rows now"
        ),
    ),
    "progress": Text("前向次数与 token", "passes and tokens"),
    "progress_of": Text(
        "目标模型 {passes} 次前向（含读开头的一次），写出 {written} 个 token",
        "{passes} target passes (one of them read the opening), {written} tokens written",
    ),
    "tau_so_far": Text("到这一轮为止的 τ", "τ so far"),
    "tau_so_far_is": Text(
        "{tau:.2f}（每轮提交的 token 数的平均：接受的草稿数 + 1）",
        "{tau:.2f} (mean tokens committed per round: accepted drafts + 1)",
    ),
    # ── a text that is no longer the target's ──
    "strays": Text(
        "从第 {place} 个 token 起，这不再是目标模型的文本：这里写的是「{token}」，它自己会写「{choice}」",
        "from token {place} on this is not the target's text: here stands “{token}”, where it would write “{choice}”",
    ),
    "chosen_otherwise": Text("{choice}（写下的却是 {token} ✗）", "{choice} (but {token} was written ✗)"),
    "no_tau": Text("–（文本不是目标模型自己的，τ 没有意义）", "– (not the target's own text: τ means nothing here)"),
    # ── a step of the walk ──
    "step_asks": Text(
        "第 {step} 步：在「{node}」之后，目标模型选「{choice}」",
        "Step {step}: after “{node}” the target chooses “{choice}”",
    ),
    "then": Text("。{text}。", "; {text}."),
    "step_accepts": Text("它在孩子当中，走到节点 {child}", "it is among the children: on to node {child}"),
    "step_stops": Text(
        "孩子里没有它（{children}），到此为止：「{choice}」成为修正 token",
        "it is not among the children ({children}), so the walk ends: “{choice}” is the correction token",
    ),
    "step_ends": Text(
        "这里是叶子，没有孩子可比，到此为止：「{choice}」成为奖励 token",
        "this is a leaf without children, so the walk ends: “{choice}” is the bonus token",
    ),
    # ── the charts of the mask and of the passes ──
    "position": Text("位置", "position"),
    "passes": Text("目标模型的前向次数", "target passes"),
    "written": Text("写出的 token 数", "tokens written"),
    "with_drafts": Text("有草稿", "with drafts"),
    "alone": Text("逐个生成", "one by one"),
    # ── the check of the environment ──
    "package": Text("软件包", "package"),
    "installed": Text("已安装", "installed"),
    "needed": Text("需要", "needed"),
    "verdict": Text("结论", "verdict"),
    "fits": Text("合适", "fits"),
    "misfits": Text("不合适", "does not fit"),
    "missing": Text("缺少", "missing"),
    "all_fit": Text(
        (
            "全部合适。如果仍看不到滑块：重启 JupyterLab 并刷新页面；"
            "JupyterLab 装在别的环境里的话，请在那里也运行一次这个检查。"
        ),
        (
            "Everything fits. If no slider shows, restart JupyterLab and reload the page; "
            "where JupyterLab lives in another environment, run this check there too."
        ),
    ),
    "mend": Text("{name}：请运行 {command}，然后重启内核。", "{name}: run {command}, then restart the kernel."),
    "mend_python": Text(
        "Python 需要 {needed}：请换一个解释器，重新建立环境。",
        "Python has to be {needed}: make the environment anew with another interpreter.",
    ),
    "mend_page": Text(
        "{name} 要与 ipywidgets 配套，滑块才会出现：请运行 {command}，然后重启 JupyterLab 并刷新页面。",
        (
            "{name} has to match ipywidgets, or no slider shows: "
            "run {command}, then restart JupyterLab and reload the page."
        ),
    ),
    "mend_optional": Text(
        "{name}：只有要在这里打开 JupyterLab 时才需要，安装用 {command}。",
        "{name}: needed only to open JupyterLab here; {command} installs it.",
    ),
}
_chosen = "zh"
_speaking: ContextVar[str | None] = ContextVar("language", default=None)  # of the thread that is at work


def use_language(name: str) -> None:
    """Choose what panels and figures speak from now on: "zh" or "en".

    Raises `ValueError` for any other name.

    >>> use_language("en"); word("root")
    'root'
    >>> use_language("zh"); word("root")
    '根'
    """
    global _chosen
    if not isinstance(name, str) or name not in Text._fields:
        raise ValueError(f"name must be one of the languages: {', '.join(Text._fields)}")
    _chosen = name


def current_language() -> str:
    """The language in use: "zh" or "en"."""
    return _speaking.get() or _chosen


@contextmanager
def speaking(name: str) -> Iterator[None]:
    """Speak one language within the block, whatever is chosen meanwhile: so a panel keeps to that of its labels.

    >>> with speaking("en"): word("root")
    'root'
    """
    before = _speaking.get()
    try:
        _speaking.set(name)
        yield
    finally:
        _speaking.set(before)


def word(key: str, **fields) -> str:
    """The word or sentence `key` in the language in use, its `{fields}` filled in."""
    return str(WORDS[key]).format(**fields)


def console_encoding() -> str:
    """The encoding that printed text is put into."""
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def console_takes(text: str) -> bool:
    """Whether the console can print every character of a text.

    >>> console_takes("plain ASCII")
    True
    """
    try:
        text.encode(console_encoding())
    except UnicodeError:
        return False
    return True
