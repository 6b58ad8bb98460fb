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
        "shares": "每层在融合特征里占的份额",
        "candidates": "草稿器给出的下一个 token（■ 目标模型的选择）",
        "layer": "层",
        "tap": "抽取位置",
        "tap_at": "第 {tap} 层输入",
        "weight": "权重 α",
        "raw_scale": "原始尺度（均方根）",
        "projected_scale": "投影后尺度",
        "share": "份额",
        "target_choice": "目标模型的选择",
        "draft_rank": "在草稿中排第 {rank}，概率 {probability}",
        "draft_missing": "不在前 {count} 个草稿里",
        "low": "低层",
        "mid": "中层",
        "high": "高层",
        "node": "节点",
        "parent": "父节点",
        "token": "token",
        "edge": "边的对数概率",
        "state": "状态",
        "tau_note": "从这个开头往后约 32 个 token，每轮平均提交的 token 数（接受的草稿数 + 1）",
        "top_k": "top_k",
        "depth": "深度",
        "budget": "候选预算",
        "prompts": "选择开头",
        "prompt": "开头",
        "reset": "恢复默认",
        "weights": "归一化权重",
        "accepted_count": "已接受草稿数",
        "committed": "本轮提交",
        "best_path": "分数最高的叶子",
        "accepted_path": "已接受的路径",
        "none_accepted": "（一个也没有）",
        "same": "本轮两者一致。",
        "differ": "分数排序候选；是否接受，由目标模型决定。",
        "picture": "候选树：颜色表示累计分数，绿色粗线是已接受前缀，红叉是被拒绝的候选，虚线是未提交的节点。",
        "drafts": "{accepted} / {nodes} 个候选",
        "tokens": "{count} 个 token = {accepted} 个草稿 + 1 个目标模型自己的",
        "wrong": "这个设置不能用：{error}。图中仍是上一次的结果。",
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
        "correction": "correction",
        "bonus": "bonus token",
        "score": "cumulative score",
        "shares": "each layer's share of the fused feature",
        "candidates": "the drafter's next token (■ the target's choice)",
        "layer": "layer",
        "tap": "tapped at",
        "tap_at": "input of layer {tap}",
        "weight": "weight α",
        "raw_scale": "raw scale (RMS)",
        "projected_scale": "scale after projection",
        "share": "share",
        "target_choice": "the target's choice",
        "draft_rank": "rank {rank} of the draft, probability {probability}",
        "draft_missing": "not among the first {count} drafts",
        "low": "low layer",
        "mid": "mid layer",
        "high": "high layer",
        "node": "node",
        "parent": "parent",
        "token": "token",
        "edge": "edge log-probability",
        "state": "state",
        "tau_note": "mean tokens committed a round (accepted drafts + 1) over some 32 tokens after this opening",
        "top_k": "top_k",
        "depth": "depth",
        "budget": "budget",
        "prompts": "openings",
        "prompt": "opening",
        "reset": "reset",
        "weights": "normalised weights",
        "accepted_count": "accepted drafts",
        "committed": "committed this round",
        "best_path": "best-scoring leaf",
        "accepted_path": "accepted path",
        "none_accepted": "(nothing)",
        "same": "This round the two agree.",
        "differ": "The score orders the candidates; the target decides what is accepted.",
        "picture": (
            "Candidate tree: colour is the cumulative score, the thick green line the accepted prefix, "
            "a red cross a refused candidate, dashed outlines were never committed."
        ),
        "drafts": "{accepted} of {nodes} candidates",
        "tokens": "{count} tokens = {accepted} drafts + 1 of the target's own",
        "wrong": "This setting does not work: {error}. The picture still shows the last one that did.",
        "weights_zero": "the three weights must not all be 0",
        "prompt_empty": "the opening is empty, write at least one word",
        "prompt_long": "the opening has {count} tokens, at most {limit} fit",
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
