"""Loading a target and its EAGLE-3 head from Hugging Face folders: all file reading is here.

Safetensors and JSON only: no pickle is opened, nothing is fetched from a network.
"""

import json
import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import safetensors
from tokenizers import Tokenizer

from .drafter import Drafter, DraftModel, DraftWeights
from .llama import Attention, FeedForward, Layer, Llama, LlamaConfig
from .tree import check_count

ASSETS = Path(__file__).parent / "assets"
TAPPED_LAYERS = 3  # an EAGLE-3 head reads three layers


@dataclass(frozen=True)
class Pair:
    """A target, the drafter that was trained for it, and their tokenizer (None if the folders hold none).

    The drafter is an EAGLE-3 head, or an independent small model.

    `prompts`: openings to play with, a list for each language; shipped pairs have some.
    """

    target: Llama
    drafter: Drafter | DraftModel
    tokenizer: Tokenizer | None
    prompts: dict[str, list[str]] = field(default_factory=dict)

    def encode(self, text: str) -> list[int]:
        """The token ids of a text; `ValueError` where the folders held no tokenizer."""
        if self.tokenizer is None:
            raise ValueError("this pair has no tokenizer: give token ids instead of text")
        return self.tokenizer.encode(text).ids

    def token_text(self, token: int) -> str:
        """One token as it reads within a text, its leading space kept; a lone byte as its token's name.

        >>> pair = load_pair("stories")
        >>> [pair.token_text(token) for token in pair.encode("a big dog")[-2:]]
        [' big', ' dog']
        """
        if self.tokenizer is None:
            return str(token)
        text = self._within([token])
        return text if text and "\ufffd" not in text else str(self.tokenizer.id_to_token(token))

    def text(self, tokens) -> str:
        """Several tokens as they read within a text; bytes that make no character there as their tokens' names.

        >>> pair = load_pair("stories")
        >>> pair.text(pair.encode("a big 🐱")[-6:])
        ' big 🐱'
        """
        whole = "\ufffd" if self.tokenizer is None else self._within(list(tokens))
        return whole if "\ufffd" not in whole else "".join(map(self.token_text, tokens))

    def _within(self, tokens: list[int]) -> str:
        before = self.tokenizer.encode("a", add_special_tokens=False).ids  # decoders strip what opens a text
        opening = self.tokenizer.decode(before, skip_special_tokens=False)
        return self.tokenizer.decode([*before, *tokens], skip_special_tokens=False)[len(opening) :]


def load_pair(name: str | None = None, *, target=None, drafter=None, draft_model=None) -> Pair:
    """Load a shipped pair by name, or a Llama or Qwen3 target with its EAGLE-3 head from two folders.

    `name`: a folder of the package's assets ("stories"), within which `drafter` or `draft_model` may name
    another drafter. `target`, `drafter`: folders with `config.json` and `model.safetensors` (or shards and
    their index); the target's `tokenizer.json` is read if it is there. `draft_model`, in place of `drafter`:
    the folder of an independent small model. float32, float16 and bfloat16 weights are taken.

    Raises `ValueError` for an unknown name, missing or corrupt files, tensors that are missing, left
    over or of the wrong shape (all are named), and settings that this engine does not compute.

    >>> pair = load_pair("stories")
    >>> pair.target.taps == (2, pair.target.config.num_hidden_layers // 2, pair.target.config.num_hidden_layers - 3)
    True
    """
    if None not in (name, target) or None not in (drafter, draft_model):
        raise ValueError("load_pair takes a name or a target=… folder, and a drafter=… or a draft_model=…, not both")
    if name is not None:
        target, drafter, draft_model = _shipped(name, drafter, draft_model)
    if target is None or drafter is draft_model is None:
        raise ValueError("load_pair needs a name, or both folders: target=… and drafter=…")
    model = load_target(target)
    head = load_drafter(drafter, model) if draft_model is None else load_draft_model(draft_model, model)
    prompts = _read_json(Path(target).parent / "prompts.json") if name is not None else {}
    return Pair(model, head, _read_tokenizer(Path(target) / "tokenizer.json"), prompts)


def _shipped(name: str, drafter, draft_model) -> tuple:
    """The folders of a shipped pair: its target, and its own drafter or the one that was asked for."""
    known = sorted(path.parent.name for path in ASSETS.glob("*/target"))
    if name not in known:
        raise ValueError(f"name is {name!r}: the shipped pairs are {', '.join(known)}")
    folder = ASSETS / name
    if draft_model is not None:
        return folder / "target", None, folder / draft_model
    return folder / "target", folder / (drafter or "drafter"), None


def load_target(folder, taps=None) -> Llama:
    """A Llama or Qwen3 model from its folder, with `taps` as in `Llama`; errors as in `load_pair`."""
    settings = _read_config(folder)
    config, qk_norm = _llama_config(settings, folder), settings.get("model_type") == "qwen3"
    tensors = _Tensors(folder)
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


def load_draft_model(folder, target: Llama) -> DraftModel:
    """An independent small model from its folder, as drafter for `target`; errors as in `load_pair`."""
    model = load_target(folder, taps=())
    if model.config.vocab_size != target.config.vocab_size:
        raise ValueError(
            f"{folder}: vocab_size is {model.config.vocab_size}, but the target's is {target.config.vocab_size}"
        )
    return DraftModel(model)


def load_drafter(folder, target: Llama) -> Drafter:
    """The EAGLE-3 head of `target` from its folder, by the official tensor names; errors as in `load_pair`."""
    settings = _read_config(folder)
    config = _llama_config(settings, folder, vocab_size=target.config.vocab_size)
    width, vocab_size = config.hidden_size, target.config.vocab_size
    if width != target.config.hidden_size:
        raise ValueError(
            f"{folder}: hidden_size is {width}, but the target's embedding, which the drafter shares, "
            f"has {target.config.hidden_size}"
        )
    draft_vocab = settings.get("draft_vocab_size") or vocab_size
    check_count(draft_vocab, f"{folder}: draft_vocab_size")
    tensors = _Tensors(folder)
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
    return Drafter(config, weights, target.embedding, token_ids)


def _layer(tensors: "_Tensors", name: str, config: LlamaConfig, qk_norm: bool, inputs: int | None = None) -> Layer:
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


def _draft_token_ids(tensors: "_Tensors", draft_vocab: int, vocab_size: int, folder) -> np.ndarray:
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


def _read_config(folder) -> dict:
    path = Path(folder) / "config.json"
    if not path.is_file():
        raise ValueError(f"{path} is missing: a model folder holds config.json and model.safetensors")
    return _read_json(path)


def _read_json(path: Path) -> dict:
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not readable JSON: {error}") from None
    if not isinstance(settings, dict):
        raise ValueError(f"{path} must hold an object of settings")
    return settings


def _read_tokenizer(path: Path) -> Tokenizer | None:
    if not path.exists():
        return None
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises no narrower class
        raise ValueError(f"{path} is not a readable tokenizer: {error}") from None


def _llama_config(settings: dict, folder, vocab_size: int | None = None) -> LlamaConfig:
    """The sizes in Hugging Face's config, after refusing whatever would change the computation."""
    _refuse_unsupported(settings, folder)
    required = ["hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads"]
    missing = [key for key in [*required, *([] if vocab_size else ["vocab_size"])] if key not in settings]
    if missing:
        raise ValueError(f"{folder}: config.json lacks {', '.join(missing)}")

    def size(key: str, default=None) -> int:
        value = default if settings.get(key) is None else settings[key]
        return check_count(value, f"{folder}: {key}")

    def positive(value, key: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
            raise ValueError(f"{folder}: {key} must be a positive number, not {value!r}")
        return value

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
        rms_norm_eps=positive(settings.get("rms_norm_eps", 1e-6), "rms_norm_eps"),
        rope_theta=positive(rope.get("rope_theta", settings.get("rope_theta", 10000.0)), "rope_theta"),
    )


def _refuse_unsupported(settings: dict, folder) -> None:
    found = {
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


class _Tensors:
    """The tensors of one folder, taken by name and shape; `finish` reports what is missing or left over."""

    def __init__(self, folder):
        self.folder, self.missing = folder, []
        self.left = {name: entry for file in _weight_files(Path(folder)) for name, entry in _read_weights(file)}

    def __contains__(self, name: str) -> bool:
        return name in self.left

    def ignore(self, name: str) -> None:
        self.left.pop(name, None)

    def take(self, name: str, *shape: int, dtype=np.float32) -> np.ndarray:
        """The tensor `name`; a missing one is noted, and zeros stand in until `finish` raises."""
        if name not in self.left:
            self.missing.append(name)
            return np.zeros(shape, dtype=dtype)
        array = self.left.pop(name)
        if array.shape != shape:
            raise ValueError(f"{self.folder}: {name} has shape {list(array.shape)}, but config.json says {list(shape)}")
        array = array.astype(dtype)
        if dtype == np.float32 and not np.isfinite(array).all():
            raise ValueError(f"{self.folder}: {name} holds values that are not finite")
        return array

    def matrix(self, name: str, inputs: int, outputs: int) -> np.ndarray:
        """A weight matrix, turned from Hugging Face's `[out, in]` to `[in, out]`."""
        return np.ascontiguousarray(self.take(name, outputs, inputs).T)

    def finish(self) -> None:
        if self.missing or self.left:
            raise ValueError(
                f"{self.folder}: the weights do not fit config.json; missing: {', '.join(self.missing) or 'none'}; "
                f"left over: {', '.join(sorted(self.left)) or 'none'}"
            )


def _weight_files(folder: Path) -> list[Path]:
    single, index = folder / "model.safetensors", folder / "model.safetensors.index.json"
    if single.exists():
        return [single]
    if not index.exists():
        pickles = [path.name for pattern in ("*.bin", "*.pt", "*.pth") for path in folder.glob(pattern)]
        hint = f"; {', '.join(pickles)} is pickle, which is never opened: convert it first" if pickles else ""
        raise ValueError(f"{folder} holds no model.safetensors{hint}")
    weight_map = _read_json(index).get("weight_map")
    if not isinstance(weight_map, dict) or not all(isinstance(name, str) for name in weight_map.values()):
        raise ValueError(f"{index} has no weight_map of tensor names to file names")
    names = sorted(set(weight_map.values()))
    if any(Path(name).name != name for name in names):
        raise ValueError(f"{index} names files outside its folder")
    return [folder / name for name in names]


def _read_weights(file: Path):
    """Name and array of every tensor in a safetensors file."""
    try:
        entries = safetensors.deserialize(file.read_bytes())
    except (OSError, safetensors.SafetensorError) as error:
        raise ValueError(f"{file} is not a readable safetensors file: {error}") from None
    for name, entry in entries:
        yield name, _decode(entry["data"], entry["dtype"], f"{file}: {name}").reshape(entry["shape"])


def _decode(data: bytes, dtype: str, name: str) -> np.ndarray:
    formats = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "BOOL": "?", "U8": "u1"}
    if dtype == "BF16":  # numpy has no bfloat16: it is the upper half of a float32
        return (np.frombuffer(data, dtype="<u2").astype(np.uint32) << 16).view(np.float32)
    if dtype not in formats:
        raise ValueError(f"{name} is stored as {dtype}, which is not supported")
    return np.frombuffer(data, dtype=formats[dtype])
