"""The words that panels, figures and hints say, in 中文 and English."""

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
        "tau_note": "从这个开头往后约 32 个 token，每轮平均提交的 token 数（接受的草稿数 + 1，每轮都完整计入）",
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
        "wrong": "这个设置不能用：{error}。图中仍是上一次成功的结果。",
        "weights_zero": "三个权重不能全是 0",
        "prompt_empty": "开头是空的，请至少写一个字",
        "prompt_long": "开头有 {count} 个 token，最多 {limit} 个",
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
            "over some 32 tokens after this opening"
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
        "wrong": "This setting does not work: {error}. The picture still shows the last one that did.",
        "weights_zero": "the three weights must not all be 0",
        "prompt_empty": "the opening is empty: write at least one word",
        "prompt_long": "the opening has {count} tokens: at most {limit} fit",
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
