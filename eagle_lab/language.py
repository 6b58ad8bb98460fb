"""The words that panels, figures and hints say, in 中文 and English, and what the console can print of them."""

import sys

_WORDS = {
    "zh": {
        "root": "根",
        "accepted": "已接受前缀",
        "rejected": "首个拒绝位置",
        "open": "未提交",
        "drafted": "候选节点",
        "next": "目标模型自己的 token",
        "correction": "修正 token",
        "bonus": "奖励 token",
        "score": "累计分数",
        "shares": "各层在融合特征中的份额",
        "candidates": "草稿器的候选 token（■ 目标模型的选择）",
        "layer": "层",
        "tap": "抽取位置",
        "tap_at": "第 {tap} 层的输入",
        "weight": "归一化权重 α",
        "raw_scale": "原始尺度（均方根）",
        "projected_scale": "投影后的尺度（均方根）",
        "share": "份额",
        "root_token": "根（目标模型刚写下的 token）",
        "target_choice": "目标模型接下来的选择",
        "draft_rank": "在草稿器的候选中排第 {rank}，概率 {probability}",
        "draft_missing": "不在草稿器的前 {count} 个候选里",
        "low": "低层",
        "mid": "中层",
        "high": "高层",
        "node": "节点",
        "parent": "父节点",
        "token": "token",
        "edge": "边的对数概率",
        "state": "状态",
        "tau_note": (
            "从这个开头往后约 32 个 token，每轮平均提交的 token 数（接受的草稿数 + 1，每轮都完整计入）；停手后更新"
        ),
        "top_k": "top_k",
        "depth": "深度",
        "budget": "候选预算",
        "prompts": "选择开头",
        "prompt": "开头",
        "reset": "恢复默认",
        "weights": "归一化权重",
        "accepted_count": "已接受草稿数",
        "committed": "本轮提交",
        "best_path": "最高分叶子的路径",
        "accepted_path": "已接受前缀",
        "none_accepted": "（一个也没有）",
        "same": "本轮接受恰好停在分数最高的叶子上。",
        "differ": "分数只给候选排序；接不接受，由目标模型决定。",
        "aside": "（{text}）",
        "drafts": "{accepted} / {nodes} 个候选",
        "tokens": "{count} 个 token = {accepted} 个草稿 + 1 个目标模型自己的",
        "wrong": "这个设置不能用：{error}。",
        "own_wrong": "你的函数出错了：{error}。先跑通上面的检查。",
        "all_nodes": "全部 {count} 个节点（可滚动）",
        "kept": "图中仍是上一次成功的结果。",
        "weights_zero": "三个权重不能全是 0",
        "prompt_empty": "开头是空的，请至少写一个字",
        "prompt_long": "开头有 {count} 个 token，最多 {limit} 个",
        "round": "轮次",
        "back": "后退",
        "forth": "前进",
        "round_of": "第 {number} 轮，共 {count} 轮",
        "written_text": "到这一轮为止的正文",
        "marks": "〔〕= 被接受的草稿；续写的其余部分是目标模型自己写的",
        "choices": "目标模型沿路的选择",
        "refused": "被拒绝的候选",
        "none_refused": "（没有：停在叶子上）",
        "cache": "KV 缓存",
        "cache_rows": (
            "原有 {before} 行，本轮算了 {computed} 行（根 + {nodes} 个节点）："
            "留下 {kept} 行，丢弃 {dropped} 行，现有 {after} 行"
        ),
        "progress": "前向次数与 token",
        "progress_of": "目标模型 {passes} 次前向（含读开头的一次），写出 {written} 个 token",
        "tau_so_far": "到这一轮为止的 τ",
        "tau_so_far_is": "{tau:.2f}（每轮提交的 token 数的平均：接受的草稿数 + 1）",
        "step": "步骤",
        "step_asks": "第 {step} 步：在「{node}」之后，目标模型选「{choice}」",
        "then": "。{text}。",
        "step_accepts": "它在孩子当中，走到节点 {child}",
        "step_stops": "孩子里没有它（{children}），到此为止：「{choice}」成为修正 token",
        "step_ends": "这里是叶子，没有孩子可比，到此为止：「{choice}」成为奖励 token",
        "your_tau": "当前权重下的 τ",
        "varied_weights": "训练时权重有变化",
        "equal_weights": "训练时权重始终相等",
        "position": "位置",
        "passes": "目标模型的前向次数",
        "written": "写出的 token 数",
        "with_drafts": "有草稿",
        "alone": "逐个生成",
        "package": "软件包",
        "installed": "已安装",
        "needed": "需要",
        "verdict": "结论",
        "fits": "合适",
        "misfits": "不合适",
        "missing": "缺少",
        "all_fit": (
            "全部合适。如果仍看不到滑块：重启 JupyterLab 并刷新页面；"
            "JupyterLab 装在别的环境里的话，请在那里也运行一次这个检查。"
        ),
        "mend": "{name}：请运行 {command}，然后重启内核。",
        "mend_python": "Python 需要 {needed}：请换一个解释器，重新建立环境。",
        "mend_page": "{name} 要与 ipywidgets 配套，滑块才会出现：请运行 {command}，然后重启 JupyterLab 并刷新页面。",
        "mend_optional": "{name}：只有要在这里打开 JupyterLab 时才需要，安装用 {command}。",
    },
    "en": {
        "root": "root",
        "accepted": "accepted prefix",
        "rejected": "first rejection",
        "open": "never committed",
        "drafted": "candidate",
        "next": "the target's own token",
        "correction": "correction token",
        "bonus": "bonus token",
        "score": "cumulative score",
        "shares": "each layer's share of the fused feature",
        "candidates": "the drafter's candidates (■ the target's choice)",
        "layer": "layer",
        "tap": "tapped at",
        "tap_at": "input of layer {tap}",
        "weight": "normalised weight α",
        "raw_scale": "raw scale (RMS)",
        "projected_scale": "scale after projection (RMS)",
        "share": "share",
        "root_token": "root (the token the target has just written)",
        "target_choice": "the target's choice after it",
        "draft_rank": "rank {rank} among the drafter's candidates, probability {probability}",
        "draft_missing": "not among the drafter's first {count} candidates",
        "low": "low layer",
        "mid": "mid layer",
        "high": "high layer",
        "node": "node",
        "parent": "parent",
        "token": "token",
        "edge": "edge log-probability",
        "state": "state",
        "tau_note": (
            "mean tokens committed per round (accepted drafts + 1, every round counted whole), "
            "over some 32 tokens after this opening; updated when you pause"
        ),
        "top_k": "top_k",
        "depth": "depth",
        "budget": "budget",
        "prompts": "openings",
        "prompt": "opening",
        "reset": "reset",
        "weights": "normalised weights",
        "accepted_count": "accepted drafts",
        "committed": "committed this round",
        "best_path": "path to the best-scoring leaf",
        "accepted_path": "accepted prefix",
        "none_accepted": "(none)",
        "same": "This round, acceptance ended at the best-scoring leaf.",
        "differ": "The score orders the candidates; the target decides what is accepted.",
        "aside": " ({text})",
        "drafts": "{accepted} of {nodes} candidates",
        "tokens": "{count} = {accepted} from the draft + 1 of the target's own",
        "wrong": "This setting does not work: {error}.",
        "own_wrong": "Your function failed: {error}. Get the checks above to pass first.",
        "all_nodes": "all {count} nodes (scroll)",
        "kept": " The picture still shows the last one that did.",
        "weights_zero": "the three weights must not all be 0",
        "prompt_empty": "the opening is empty: write at least one word",
        "prompt_long": "the opening has {count} tokens: at most {limit} fit",
        "round": "round",
        "back": "back",
        "forth": "forward",
        "round_of": "round {number} of {count}",
        "written_text": "the text up to this round",
        "marks": "〔〕 = accepted drafts; all else after the opening is the target's own",
        "choices": "the target's choices on the way",
        "refused": "refused candidates",
        "none_refused": "(none: the walk ended at a leaf)",
        "cache": "KV cache",
        "cache_rows": (
            "{before} rows before; this round computed {computed} (root + {nodes} nodes): "
            "{kept} kept, {dropped} dropped; {after} rows now"
        ),
        "progress": "passes and tokens",
        "progress_of": "{passes} target passes (one of them read the opening), {written} tokens written",
        "tau_so_far": "τ so far",
        "tau_so_far_is": "{tau:.2f} (mean tokens committed per round: accepted drafts + 1)",
        "step": "step",
        "step_asks": "Step {step}: after “{node}” the target chooses “{choice}”",
        "then": "; {text}.",
        "step_accepts": "it is among the children: on to node {child}",
        "step_stops": "it is not among the children ({children}), so the walk ends: “{choice}” is the correction token",
        "step_ends": "this is a leaf without children, so the walk ends: “{choice}” is the bonus token",
        "your_tau": "τ at these weights",
        "varied_weights": "weights varied in training",
        "equal_weights": "equal weights in training",
        "position": "position",
        "passes": "target passes",
        "written": "tokens written",
        "with_drafts": "with drafts",
        "alone": "one by one",
        "package": "package",
        "installed": "installed",
        "needed": "needed",
        "verdict": "verdict",
        "fits": "fits",
        "misfits": "does not fit",
        "missing": "missing",
        "all_fit": (
            "Everything fits. If no slider shows, restart JupyterLab and reload the page; "
            "where JupyterLab lives in another environment, run this check there too."
        ),
        "mend": "{name}: run {command}, then restart the kernel.",
        "mend_python": "Python has to be {needed}: make the environment anew with another interpreter.",
        "mend_page": (
            "{name} has to match ipywidgets, or no slider shows: "
            "run {command}, then restart JupyterLab and reload the page."
        ),
        "mend_optional": "{name}: needed only to open JupyterLab here; {command} installs it.",
    },
}
_current = "zh"


def use_language(name: str) -> None:
    """Choose what panels and figures speak from now on: "zh" or "en".

    Raises `ValueError` for any other name.

    >>> use_language("en"); word("root")
    'root'
    >>> use_language("zh"); word("root")
    '根'
    """
    global _current
    if name not in _WORDS:
        raise ValueError(f"name is {name!r}: the languages are {', '.join(_WORDS)}")
    _current = name


def current_language() -> str:
    """The language in use: "zh" or "en"."""
    return _current


def word(key: str, **fields) -> str:
    """The word or sentence `key` in the language in use, its `{fields}` filled in."""
    return _WORDS[_current][key].format(**fields)


def title(text: str) -> str:
    """A title: the word in the language in use where `text` is a key, any other text as it is.

    >>> title("my own drafter")
    'my own drafter'
    """
    return _WORDS[_current].get(text, text)


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
