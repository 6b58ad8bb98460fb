"""A model from its Hugging Face folder: config.json and tensors become a target, an EAGLE-3 head or a draft model.

Settings and headers are compared first: what does not fit is refused before a weight is read or room is made for one.
"""

import re
from collections.abc import Callable

import numpy as np

from .contracts import Drafter
from .drafter import DraftWeights, EagleHead
from .files import named
from .growth import MOST
from .llama import Attention, FeedForward, Layer, Llama, LlamaConfig
from .rivals import DraftModel, PositionHeads
from .settings import Settings, read_sizes
from .weights import INTEGERS, MARKS, Tensors

MODELS = ["LlamaForCausalLM", "Qwen3ForCausalLM"]
TAPPED_LAYERS = 3  # an EAGLE-3 head reads three layers


def load_target(folder, taps=None) -> Llama:
    """A Llama or Qwen3 model from its folder, with `taps` as in `Llama`; errors as in `load_pair`."""
    settings = Settings(folder)
    settings.architecture(MODELS, "targets")
    return _build(settings, read_sizes(settings), Tensors(folder), taps)


def _build(settings: Settings, config: LlamaConfig, tensors: Tensors, taps) -> Llama:
    _check_depth(settings, config, tensors)
    qk_norm, tied = settings.given.get("model_type") == "qwen3", settings.switch("tie_word_embeddings")
    shapes = _model_shapes(config, qk_norm) | {
        "model.embed_tokens.weight": (config.vocab_size, config.hidden_size),
        "lm_head.weight": (config.vocab_size, config.hidden_size),
    }
    tensors.check(shapes, optional=["lm_head.weight"] if tied else [])
    embedding = tensors.take("model.embed_tokens.weight")
    head = _output(tensors, embedding, tied)
    return Llama(config, embedding, _layers(tensors, config, qk_norm), tensors.take("model.norm.weight"), head, taps)


def load_head(folder, target: Llama) -> EagleHead:
    """The EAGLE-3 head of `target` from its folder, by the official tensor names; errors as in `load_pair`."""
    settings, tensors = Settings(folder), Tensors(folder)
    return EagleHead(*_read_head(settings, tensors, target, {}))


def load_position_heads(folder, target: Llama) -> PositionHeads:
    """Position heads from their folder: the tensors of an EAGLE-3 head, and a block for each further position."""
    settings, tensors, width = Settings(folder), Tensors(folder), target.config.hidden_size
    if (positions := settings.size("num_positions", 1)) > MOST["depth"]:
        raise settings.fault("num_positions", f"is {positions}: no tree is deeper than {MOST['depth']} levels")
    names = [f"blocks.{place}.weight" for place in range(positions - 1)]
    parts = _read_head(settings, tensors, target, dict.fromkeys(names, (width, width)))
    return PositionHeads(*parts, np.array([tensors.matrix(name) for name in names]).reshape(-1, width, width))


def _read_head(
    settings: Settings, tensors: Tensors, target: Llama, more: dict[str, tuple[int, ...]]
) -> tuple[LlamaConfig, DraftWeights, np.ndarray, np.ndarray]:
    """What an `EagleHead` is made of, from a folder that holds its tensors and those of `more`."""
    width, vocabulary = target.config.hidden_size, target.config.vocab_size
    config = read_sizes(settings, hidden_size=width, vocab_size=vocabulary)
    if (layers := config.num_hidden_layers) != 1:
        read_as_one = "a folder without architectures, or with draft_vocab_size, is read as one"
        raise settings.fault("num_hidden_layers", f"is {layers}: an EAGLE-3 head has one layer ({read_as_one})")
    draft_vocab = settings.size("draft_vocab_size", vocabulary)
    shapes = _layer_shapes("midlayer", config, 2 * width, qk_norm=False) | {
        "fc.weight": (width, TAPPED_LAYERS * width),
        "midlayer.hidden_norm.weight": (width,),
        "norm.weight": (width,),
        "lm_head.weight": (draft_vocab, width),
        "d2t": (draft_vocab,),
        "t2d": (vocabulary,),
    }
    tied = settings.switch("tie_word_embeddings")
    tensors.check(shapes | more, optional=["d2t", "t2d", *(["lm_head.weight"] if tied else [])])
    layer = _layer(tensors, "midlayer", qk_norm=False)
    weights = DraftWeights(
        fc=tensors.matrix("fc.weight").reshape(TAPPED_LAYERS, width, width),
        embedding_norm=layer.input_norm,
        hidden_norm=tensors.take("midlayer.hidden_norm.weight"),
        attention=layer.attention,
        post_norm=layer.post_norm,
        feed_forward=layer.feed_forward,
        norm=tensors.take("norm.weight"),
        head=_output(tensors, target.embedding, tied),
    )
    return config, weights, target.embedding, _draft_token_ids(tensors, draft_vocab, vocabulary)


def load_draft_model(folder, target: Llama) -> DraftModel:
    """An independent small model from its folder, as drafter for `target`; errors as in `load_pair`."""
    settings = Settings(folder)
    config = read_sizes(settings, vocab_size=target.config.vocab_size)
    return DraftModel(_build(settings, config, Tensors(folder), taps=()))


def load_token_reader(folder, target: Llama) -> DraftModel:
    """An independent model that embeds tokens as `target` does, and knows a draft vocabulary, as a head has one."""
    settings, tensors = Settings(folder), Tensors(folder)
    width, vocabulary = target.config.hidden_size, target.config.vocab_size
    config = read_sizes(settings, hidden_size=width, vocab_size=vocabulary)
    _check_depth(settings, config, tensors)
    draft_vocab = settings.size("draft_vocab_size", vocabulary)
    more = {"lm_head.weight": (draft_vocab, width), "d2t": (draft_vocab,)}
    tensors.check(_model_shapes(config, qk_norm=False) | more, optional=["d2t"])
    layers, norm = _layers(tensors, config, qk_norm=False), tensors.take("model.norm.weight")
    model = Llama(config, target.embedding, layers, norm, tensors.matrix("lm_head.weight"), taps=())
    return DraftModel(model, _draft_token_ids(tensors, draft_vocab, vocabulary))


DRAFTERS: dict[str, Callable[..., Drafter]] = {  # how a folder of such `architectures` is read
    "LlamaForCausalLMEagle3": load_head,
    **dict.fromkeys(MODELS, load_draft_model),
    "EagleLabTokenReader": load_token_reader,  # these two layouts are our own
    "EagleLabPositionHeads": load_position_heads,
}


def load_drafter(folder, target: Llama) -> Drafter:
    """A drafter for `target` from its folder, of the kind that its `architectures` name; errors as in `load_pair`."""
    settings = Settings(folder)
    architecture = settings.architecture(list(DRAFTERS), "drafters")
    as_target = architecture in MODELS and "draft_vocab_size" in settings.given  # so official heads may be named
    if architecture is None or as_target:
        return load_head(folder, target)
    return DRAFTERS[architecture](folder, target)


def _check_depth(settings: Settings, config: LlamaConfig, tensors: Tensors) -> None:
    """Compare the layers that are there with those that config.json asks for, however many these are."""
    layers = (re.match(r"model\.layers\.([0-9]{1,9})\.", name) for name in tensors.stored)
    found = sorted({int(layer[1]) for layer in layers if layer})
    whole = bool(found) and found[-1] == len(found) - 1
    if not whole or len(found) != config.num_hidden_layers:
        there = f"layers 0 to {found[-1]}" if whole else f"layers {named(found)}" if found else named(tensors.stored)
        raise settings.fault("num_hidden_layers", f"is {config.num_hidden_layers}; the weights hold {there}")


def _model_shapes(config: LlamaConfig, qk_norm: bool) -> dict[str, tuple[int, ...]]:
    """The tensors of a model's layers and of its last norm."""
    shapes: dict[str, tuple[int, ...]] = {"model.norm.weight": (config.hidden_size,)}
    for index in range(config.num_hidden_layers):
        shapes |= _layer_shapes(f"model.layers.{index}", config, config.hidden_size, qk_norm)
    return shapes


def _layers(tensors: Tensors, config: LlamaConfig, qk_norm: bool) -> list[Layer]:
    return [_layer(tensors, f"model.layers.{index}", qk_norm) for index in range(config.num_hidden_layers)]


def _layer_shapes(name: str, config: LlamaConfig, inputs: int, qk_norm: bool) -> dict[str, tuple[int, ...]]:
    """The tensors of one transformer layer as they are stored; `inputs` is the attention's input width."""
    hidden, inner, d = config.hidden_size, config.intermediate_size, config.head_dim
    queries, keys = config.num_attention_heads * d, config.num_key_value_heads * d
    shapes: dict[str, tuple[int, ...]] = {
        "input_layernorm": (hidden,),
        "self_attn.q_proj": (queries, inputs),
        "self_attn.k_proj": (keys, inputs),
        "self_attn.v_proj": (keys, inputs),
        "self_attn.o_proj": (hidden, queries),
        "post_attention_layernorm": (hidden,),
        "mlp.gate_proj": (inner, hidden),
        "mlp.up_proj": (inner, hidden),
        "mlp.down_proj": (hidden, inner),
    }
    if qk_norm:
        shapes |= {"self_attn.q_norm": (d,), "self_attn.k_norm": (d,)}
    return {f"{name}.{part}.weight": shape for part, shape in shapes.items()}


def _layer(tensors: Tensors, name: str, qk_norm: bool) -> Layer:
    projections = [tensors.matrix(f"{name}.self_attn.{part}_proj.weight") for part in "qkvo"]
    swiglu = [tensors.matrix(f"{name}.mlp.{part}_proj.weight") for part in ("gate", "up", "down")]
    norms = [tensors.take(f"{name}.self_attn.{part}_norm.weight") for part in "qk" if qk_norm]
    return Layer(
        input_norm=tensors.take(f"{name}.input_layernorm.weight"),
        attention=Attention(*projections, *norms),
        post_norm=tensors.take(f"{name}.post_attention_layernorm.weight"),
        feed_forward=FeedForward(*swiglu),
    )


def _output(tensors: Tensors, embedding: np.ndarray, tied: bool) -> np.ndarray:
    """The output matrix `[H, V]`. A tied one is the embedding, of which some exporters store a copy."""
    if not tied:
        return tensors.matrix("lm_head.weight")
    if "lm_head.weight" in tensors and not np.array_equal(tensors.take("lm_head.weight"), embedding):
        place = f"{named([tensors.stored['lm_head.weight'].file])}: lm_head.weight"
        raise ValueError(f"{place} is not the embedding, although config.json says tie_word_embeddings = true")
    return np.ascontiguousarray(embedding.T)


def _draft_token_ids(tensors: Tensors, draft_vocab: int, vocab_size: int) -> np.ndarray:
    """The target's id of every draft token. `d2t` holds offsets: id = i + d2t[i]; `t2d` marks the kept ids."""
    ids, place = np.arange(draft_vocab), named([tensors.folder])
    if "d2t" in tensors:
        ids = ids + tensors.take("d2t", INTEGERS)
    elif draft_vocab != vocab_size:
        raise ValueError(f"{place}: {draft_vocab} draft tokens for a vocabulary of {vocab_size}, but no d2t")
    if (np.diff(ids) <= 0).any() or ids[0] < 0 or ids[-1] >= vocab_size:
        raise ValueError(f"{place}: d2t must hold offsets (target id = i + d2t[i]), rising and inside the vocabulary")
    if "t2d" in tensors and not np.array_equal(np.flatnonzero(tensors.take("t2d", MARKS)), ids):
        raise ValueError(f"{place}: t2d marks other ids than d2t names (d2t holds offsets: target id = i + d2t[i])")
    return ids
