"""A model from its Hugging Face folder: config.json and tensors become a target, an EAGLE-3 head or a draft model."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .contracts import Drafter
from .drafter import DraftWeights, EagleHead
from .inputs import check_count, check_positive
from .llama import Attention, FeedForward, Layer, Llama, LlamaConfig
from .rivals import DraftModel
from .weights import Tensors, read_json

TAPPED_LAYERS = 3  # an EAGLE-3 head reads three layers


def load_target(folder, taps=None) -> Llama:
    """A Llama or Qwen3 model from its folder, with `taps` as in `Llama`; errors as in `load_pair`."""
    settings = read_config(folder)
    config, qk_norm = _llama_config(settings, folder), settings.get("model_type") == "qwen3"
    tensors = Tensors(folder)
    embedding = tensors.take("model.embed_tokens.weight", config.vocab_size, config.hidden_size)
    layers = [_layer(tensors, f"model.layers.{index}", config, qk_norm) for index in range(config.num_hidden_layers)]
    norm = tensors.take("model.norm.weight", config.hidden_size)
    if settings.get("tie_word_embeddings", False):
        tensors.ignore("lm_head.weight")  # some exporters store the tied copy as well
        head = np.ascontiguousarray(embedding.T)
    else:
        head = tensors.matrix("lm_head.weight", config.hidden_size, config.vocab_size)
    tensors.finish()
    return Llama(config, embedding, layers, norm, head, taps)


def load_head(folder, target: Llama) -> EagleHead:
    """The EAGLE-3 head of `target` from its folder, by the official tensor names; errors as in `load_pair`."""
    settings = read_config(folder)
    config = _llama_config(settings, folder, vocab_size=target.config.vocab_size)
    width, vocab_size = config.hidden_size, target.config.vocab_size
    if width != target.config.hidden_size:
        raise ValueError(
            f"{folder}: hidden_size is {width}, but the target's embedding, which the drafter shares, "
            f"has {target.config.hidden_size}"
        )
    draft_vocab = settings.get("draft_vocab_size") or vocab_size
    draft_vocab = checked(check_count, draft_vocab, f"{folder}: draft_vocab_size")
    tensors = Tensors(folder)
    layer = _layer(tensors, "midlayer", config, qk_norm=False, inputs=2 * width)
    fc = tensors.matrix("fc.weight", TAPPED_LAYERS * target.config.hidden_size, width)
    weights = DraftWeights(
        fc=fc.reshape(TAPPED_LAYERS, -1, width),
        embedding_norm=layer.input_norm,
        hidden_norm=tensors.take("midlayer.hidden_norm.weight", width),
        attention=layer.attention,
        post_norm=layer.post_norm,
        feed_forward=layer.feed_forward,
        norm=tensors.take("norm.weight", width),
        head=tensors.matrix("lm_head.weight", width, draft_vocab),
    )
    token_ids = _draft_token_ids(tensors, draft_vocab, vocab_size, folder)
    tensors.finish()
    return EagleHead(config, weights, target.embedding, token_ids)


def load_draft_model(folder, target: Llama) -> DraftModel:
    """An independent small model from its folder, as drafter for `target`; errors as in `load_pair`."""
    model = load_target(folder, taps=())
    if model.config.vocab_size != target.config.vocab_size:
        raise ValueError(
            f"{folder}: vocab_size is {model.config.vocab_size}, but the target's is {target.config.vocab_size}"
        )
    return DraftModel(model)


DRAFTERS: dict[str, Callable[..., Drafter]] = {  # how a folder of such `architectures` is read
    "LlamaForCausalLMEagle3": load_head,
    "LlamaForCausalLM": load_draft_model,
    "Qwen3ForCausalLM": load_draft_model,
}


def load_drafter(folder, target: Llama) -> Drafter:
    """A drafter for `target` from its folder, of the kind that `architectures` in its config.json names.

    A folder that names none holds a head, and so does one with a `draft_vocab_size`, since official heads name
    their target's architecture. Raises `ValueError` for other architectures, else as `pairs.load_pair`.
    """
    settings = read_config(folder)
    named = settings.get("architectures") or ["LlamaForCausalLMEagle3"]
    known = [name for name in named if name in list(DRAFTERS)] if isinstance(named, list) else []
    if not known:
        raise ValueError(f"{folder}: architectures is {named!r}: drafters may be {', '.join(DRAFTERS)}")
    if settings.get("draft_vocab_size") is not None:
        return load_head(folder, target)
    return DRAFTERS[known[0]](folder, target)


def _layer(tensors: Tensors, name: str, config: LlamaConfig, qk_norm: bool, inputs: int | None = None) -> Layer:
    """One transformer layer's weights; `inputs` is the attention's input width, where it is not the hidden size."""
    hidden, d = config.hidden_size, config.head_dim
    inputs = inputs or hidden
    queries, keys = config.num_attention_heads * d, config.num_key_value_heads * d
    attention = Attention(
        q=tensors.matrix(f"{name}.self_attn.q_proj.weight", inputs, queries),
        k=tensors.matrix(f"{name}.self_attn.k_proj.weight", inputs, keys),
        v=tensors.matrix(f"{name}.self_attn.v_proj.weight", inputs, keys),
        o=tensors.matrix(f"{name}.self_attn.o_proj.weight", queries, hidden),
        q_norm=tensors.take(f"{name}.self_attn.q_norm.weight", d) if qk_norm else None,
        k_norm=tensors.take(f"{name}.self_attn.k_norm.weight", d) if qk_norm else None,
    )
    feed_forward = FeedForward(
        gate=tensors.matrix(f"{name}.mlp.gate_proj.weight", hidden, config.intermediate_size),
        up=tensors.matrix(f"{name}.mlp.up_proj.weight", hidden, config.intermediate_size),
        down=tensors.matrix(f"{name}.mlp.down_proj.weight", config.intermediate_size, hidden),
    )
    return Layer(
        input_norm=tensors.take(f"{name}.input_layernorm.weight", hidden),
        attention=attention,
        post_norm=tensors.take(f"{name}.post_attention_layernorm.weight", hidden),
        feed_forward=feed_forward,
    )


def _draft_token_ids(tensors: Tensors, draft_vocab: int, vocab_size: int, folder) -> np.ndarray:
    """The target's id of every draft token. `d2t` holds offsets: id = i + d2t[i]; `t2d` marks the kept ids."""
    ids = np.arange(draft_vocab)
    if "d2t" not in tensors:
        if draft_vocab != vocab_size:
            raise ValueError(f"{folder}: {draft_vocab} draft tokens for a vocabulary of {vocab_size}, but no d2t")
        tensors.ignore("t2d")
        return ids
    ids = ids + tensors.take("d2t", draft_vocab, dtype=np.int64)
    if (np.diff(ids) <= 0).any() or ids[0] < 0 or ids[-1] >= vocab_size:
        raise ValueError(f"{folder}: d2t must hold offsets (target id = i + d2t[i]), rising and inside the vocabulary")
    if "t2d" in tensors and not np.array_equal(np.flatnonzero(tensors.take("t2d", vocab_size, dtype=bool)), ids):
        raise ValueError(f"{folder}: t2d marks other ids than d2t names (d2t holds offsets: target id = i + d2t[i])")
    return ids


def read_config(folder) -> dict[str, Any]:
    """The settings in a folder's config.json."""
    path = Path(folder) / "config.json"
    if not path.is_file():
        raise ValueError(f"{path} is missing: a model folder holds config.json and model.safetensors")
    return read_json(path)


def checked(check, value, name: str, *limits):
    """What a check of `inputs` makes of a file's value; a wrong kind is a `ValueError` too, being the file's fault."""
    try:
        return check(value, *limits, name)
    except TypeError as error:
        raise ValueError(str(error)) from None


def _llama_config(settings: dict, folder, vocab_size: int | None = None) -> LlamaConfig:
    """The sizes in Hugging Face's config, after refusing whatever would change the computation."""
    _refuse_unsupported(settings, folder)
    required = ["hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads"]
    missing = [key for key in [*required, *([] if vocab_size else ["vocab_size"])] if key not in settings]
    if missing:
        raise ValueError(f"{folder}: config.json lacks {', '.join(missing)}")

    def size(key: str, default=None) -> int:
        return checked(check_count, default if settings.get(key) is None else settings[key], f"{folder}: {key}")

    hidden, heads = size("hidden_size"), size("num_attention_heads")
    kv_heads, head_dim = size("num_key_value_heads", heads), size("head_dim", hidden // heads)
    if heads % kv_heads:
        raise ValueError(f"{folder}: {heads} attention heads cannot share {kv_heads} key and value heads evenly")
    if head_dim % 2:
        raise ValueError(f"{folder}: head_dim is {head_dim}: rotary positions turn pairs, so it must be even")
    rope = settings.get("rope_parameters") or {}
    return LlamaConfig(
        vocab_size=vocab_size or size("vocab_size"),
        hidden_size=hidden,
        intermediate_size=size("intermediate_size"),
        num_hidden_layers=size("num_hidden_layers"),
        num_attention_heads=heads,
        num_key_value_heads=kv_heads,
        head_dim=head_dim,
        rms_norm_eps=checked(check_positive, settings.get("rms_norm_eps", 1e-6), f"{folder}: rms_norm_eps"),
        rope_theta=checked(
            check_positive, rope.get("rope_theta", settings.get("rope_theta", 1e4)), f"{folder}: rope_theta"
        ),
    )


def _refuse_unsupported(settings: dict, folder) -> None:
    found: dict[str, tuple[Any, list]] = {
        "model_type": (settings.get("model_type", "llama"), ["llama", "qwen3"]),
        "hidden_act": (settings.get("hidden_act", "silu"), ["silu"]),
        "attention_bias": (bool(settings.get("attention_bias")), [False]),
        "mlp_bias": (bool(settings.get("mlp_bias")), [False]),
        "rope_scaling": (_rope_type(settings), ["default"]),
        "use_sliding_window": (bool(settings.get("use_sliding_window")), [False]),
    }
    wrong = [f"{key} = {value!r}" for key, (value, computed) in found.items() if value not in computed]
    if wrong:
        raise ValueError(f"{folder}: this engine does not compute {', '.join(wrong)}")


def _rope_type(settings: dict):
    """How positions are scaled: "default" is not at all. Two keys are in use."""
    for key in ("rope_scaling", "rope_parameters"):
        rope = settings.get(key) or {}
        kind = rope.get("rope_type", rope.get("type", "default")) if isinstance(rope, dict) else rope
        if kind != "default":
            return kind
    return "default"
