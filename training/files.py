"""Writing and reading the exported folders (Hugging Face layout, fp16 safetensors)."""

import json
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from training.models import Drafter, Shape, Target

ASSETS = Path(__file__).resolve().parent.parent / "eagle_lab" / "assets" / "stories"


def _half(tensors):
    """fp16 copies; refuses what fp16 cannot hold."""
    halves = {}
    for name, tensor in tensors.items():
        if tensor.is_floating_point():
            if not tensor.abs().max() < 65504:
                raise ValueError(f"{name} does not fit into fp16")
            tensor = tensor.half()
        halves[name] = tensor.contiguous()
    return halves


def _write(folder, tensors, config):
    folder.mkdir(parents=True, exist_ok=True)
    save_file(_half(tensors), folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def _common(shape, end_id, context):
    return {
        "model_type": "llama",
        "vocab_size": shape.vocab,
        "hidden_size": shape.hidden,
        "intermediate_size": shape.feed_forward,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads,
        "head_dim": shape.head_dim,
        "hidden_act": "silu",
        "max_position_embeddings": context,
        "rms_norm_eps": shape.eps,
        "rope_theta": shape.theta,
        "rope_scaling": None,
        "attention_bias": False,
        "mlp_bias": False,
        "attention_dropout": 0.0,
        "initializer_range": 0.05,
        "use_cache": True,
        "torch_dtype": "float16",
        "bos_token_id": None,
        "eos_token_id": end_id,
        "pad_token_id": None,
    }


def export_target(model, end_id, context, folder=ASSETS / "target"):
    config = {
        "architectures": ["LlamaForCausalLM"],
        **_common(model.shape, end_id, context),
        "tie_word_embeddings": True,
    }
    _write(Path(folder), model.state_dict(), config)


ARCHITECTURES = {  # how the library tells the kinds of drafters apart
    "head": "LlamaForCausalLMEagle3",
    "reader": "EagleLabTokenReader",
    "positions": "EagleLabPositionHeads",
}


def export_drafter(model, kept_ids, end_id, context, folder=ASSETS / "drafter", kind="head"):
    """`kept_ids`: the target ids of the draft vocabulary, ascending."""
    shape, kept = model.shape, torch.tensor(kept_ids)
    tensors = {**model.state_dict(), "d2t": kept - torch.arange(len(kept))}
    if kind == "head":  # the official layout has it
        tensors["t2d"] = torch.zeros(shape.vocab, dtype=torch.bool)
        tensors["t2d"][kept] = True
    more = {"num_positions": 1 + len(model.blocks)} if kind == "positions" else {}
    config = {
        "architectures": [ARCHITECTURES[kind]],
        **_common(shape, end_id, context),
        "draft_vocab_size": shape.draft_vocab,
        "tie_word_embeddings": False,
        **more,
    }
    _write(Path(folder), tensors, config)


def _shape(folder):
    config = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8"))
    return Shape(
        config["vocab_size"],
        config["hidden_size"],
        config["num_attention_heads"],
        config["num_key_value_heads"],
        config["head_dim"],
        config["intermediate_size"],
        config["num_hidden_layers"],
        config.get("draft_vocab_size", 0),
        config["rms_norm_eps"],
        config["rope_theta"],
    )


def load_target(folder=ASSETS / "target"):
    """The target as readers run it: fp16 weights, widened to fp32."""
    model = Target(_shape(folder))
    model.load_state_dict({k: v.float() for k, v in load_file(Path(folder) / "model.safetensors").items()})
    return model.eval().requires_grad_(False)


def load_drafter(folder=ASSETS / "drafter"):
    """(drafter, ids of its vocabulary)."""
    model = Drafter(_shape(folder))
    tensors = load_file(Path(folder) / "model.safetensors")
    offsets = tensors.pop("d2t")
    tensors.pop("t2d")
    model.load_state_dict({k: v.float() for k, v in tensors.items()})
    return model.eval().requires_grad_(False), (offsets + torch.arange(len(offsets))).tolist()
