"""Loading: every format that is taken, and every folder that must be refused with what is wrong in it."""

import json
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from eagle_lab import greedy_decode, load_pair, speculative_decode, trials
from eagle_lab.drafter import EagleHead
from eagle_lab.pairs import ASSETS
from eagle_lab.rivals import DraftModel, PromptLookup

from checks import assert_draft_ids, assert_replays
from models import GOLDEN, LLAMA, golden_pair, load_from

MODELS = GOLDEN / "models"
PROMPT = [1, 2, 3]


def set_config(folder: Path, **changes) -> None:
    path = folder / "config.json"
    settings = {**json.loads(path.read_text()), **changes}
    path.write_text(json.dumps({key: value for key, value in settings.items() if value is not ...}))


def set_tensors(folder: Path, **changes) -> dict:
    """Rewrite the weights; `...` drops a tensor (dots in names are written as two underscores)."""
    path = folder / "model.safetensors"
    tensors = {**load_file(path), **{name.replace("__", "."): value for name, value in changes.items()}}
    tensors = {name: value for name, value in tensors.items() if value is not ...}
    save_file(tensors, path)
    return tensors


def continuation(pair) -> list[int]:
    plain = greedy_decode(pair.target, PROMPT, 12)
    assert speculative_decode(pair, PROMPT, 12).tokens == plain
    return plain


EXPECTED = continuation(golden_pair(*LLAMA))


# ── what is taken ────────────────────────────────────────────────────────────────────────────────


def test_folders_may_be_strings_and_hold_no_tokenizer(folders):
    pair = load_pair(target=str(folders / "target"), drafter=str(folders / "drafter"))
    assert pair.tokenizer is None and continuation(pair) == EXPECTED
    assert pair.target.embedding is pair.drafter.embedding


def test_a_tokenizer_is_read_where_there_is_one(folders):
    Tokenizer(WordLevel({"a": 0, "b": 1}, unk_token="a")).save(str(folders / "target" / "tokenizer.json"))
    assert load_from(folders).tokenizer.encode("b").ids == [1]


def test_every_array_is_float32_and_writable_or_owned(folders):
    pair = load_from(folders)
    arrays = [pair.target.embedding, pair.target.head, pair.target.norm, *pair.drafter.weights[:3]]
    arrays += [pair.target.layers[0].attention.q, pair.drafter.weights.feed_forward.down]
    assert {array.dtype for array in arrays} == {np.dtype(np.float32)}
    assert pair.drafter.token_ids.dtype == np.int64


def bfloat16(tensors: dict) -> bytes:
    """A safetensors file by hand, since numpy has no bfloat16: header length, header, then the bytes."""
    header, data = {}, b""
    for name, array in tensors.items():
        cut = (array.view(np.uint32) >> 16).astype("<u2") if array.dtype == np.float32 else array
        kind = {"float32": "BF16", "int64": "I64", "bool": "BOOL"}[str(array.dtype)]
        header[name] = {"dtype": kind, "shape": array.shape, "data_offsets": (len(data), len(data) + cut.nbytes)}
        data += cut.tobytes()
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


@pytest.mark.parametrize("part", ["target", "drafter"])
@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float64"])
def test_other_number_formats_are_read_as_the_numbers_they_are(folders, part, kind):
    path = folders / part / "model.safetensors"
    tensors = load_file(path)
    if kind == "bfloat16":
        path.write_bytes(bfloat16(tensors))
        rounded = {
            n: (a.view(np.uint32) & 0xFFFF0000).view(np.float32) for n, a in tensors.items() if a.dtype.kind == "f"
        }
    else:
        rounded = {name: a.astype(kind) for name, a in tensors.items() if a.dtype.kind == "f"}
        save_file({**tensors, **rounded}, path)
    pair = load_from(folders)
    if part == "target":
        found, name = pair.target.embedding, "model.embed_tokens.weight"
    else:
        found, name = pair.drafter.weights.fc.reshape(-1, 32), "fc.weight"
    expected = rounded[name].astype(np.float32)
    assert found.dtype == np.float32
    assert np.array_equal(found, expected if part == "target" else expected.T)
    continuation(pair)


def shard(folder: Path, files=("a.safetensors", "b.safetensors")) -> None:
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = sorted(tensors)
    parts = dict(zip(files, (names[::2], names[1::2]), strict=True))
    for file, part in parts.items():
        if Path(file).name == file:
            save_file({name: tensors[name] for name in part}, folder / file)
    weight_map = {name: file for file, part in parts.items() for name in part}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))


@pytest.mark.parametrize("part", ["target", "drafter"])
def test_shards_are_found_through_their_index(folders, part):
    shard(folders / part)
    assert continuation(load_from(folders)) == EXPECTED


@pytest.mark.parametrize("stored", [True, False])
def test_a_tied_head_is_the_embedding_whether_stored_or_not(folders, stored):
    set_config(folders / "target", tie_word_embeddings=True)
    embedding = load_file(folders / "target" / "model.safetensors")["model.embed_tokens.weight"]
    set_tensors(folders / "target", lm_head__weight=embedding if stored else ...)
    target = load_from(folders).target
    assert np.array_equal(target.head, target.embedding.T)


def test_a_head_of_the_whole_vocabulary_needs_no_mapping(folders):
    wide = np.random.default_rng(0).standard_normal((128, 32)).astype(np.float32)
    set_config(folders / "drafter", draft_vocab_size=...)
    set_tensors(folders / "drafter", lm_head__weight=wide, d2t=..., t2d=...)
    assert load_from(folders).drafter.token_ids.tolist() == list(range(128))
    set_tensors(folders / "drafter", d2t=np.zeros(128, dtype=np.int64), t2d=np.ones(128, dtype=bool))
    assert load_from(folders).drafter.token_ids.tolist() == list(range(128))


@pytest.mark.parametrize("kind", [np.int64, np.int32])
def test_d2t_holds_offsets(folders, kind):
    tensors = load_file(folders / "drafter" / "model.safetensors")
    assert_draft_ids(LLAMA)
    set_tensors(folders / "drafter", d2t=tensors["d2t"].astype(kind), t2d=...)
    assert load_from(folders).drafter.token_ids.tolist() == np.flatnonzero(tensors["t2d"]).tolist()


def test_specforge_and_official_folders_hold_one_head():
    ours = golden_pair(LLAMA[0], "specforge_llama_a_trained").drafter
    official = golden_pair(*LLAMA).drafter
    assert ours.config == official.config and np.array_equal(ours.token_ids, official.token_ids)
    assert np.array_equal(ours.weights.fc, official.weights.fc)
    assert assert_replays("g05_llama_a_trained_chain_tt5_d3_k1", draft="specforge_llama_a_trained") == 0


@pytest.mark.parametrize(
    ("changes", "theta"),
    [
        ({"rope_theta": 5e5}, 5e5),
        ({"rope_theta": ..., "rope_parameters": {"rope_type": "default", "rope_theta": 5e5}}, 5e5),
        ({"rope_theta": ..., "rope_parameters": None}, 1e4),
        ({"rope_scaling": {"type": "default"}}, 1e4),
    ],
)
def test_rope_theta_stands_in_two_places(folders, changes, theta):
    set_config(folders / "target", **changes)
    assert load_from(folders).target.config.rope_theta == theta


def test_absent_sizes_follow_hugging_face(folders):
    for folder in ("target", "drafter"):
        set_config(folders / folder, head_dim=..., model_type=..., hidden_act=...)
    assert continuation(load_from(folders)) == EXPECTED


# ── kinds of drafter ─────────────────────────────────────────────────────────────────────────────


def test_a_folder_of_a_whole_model_is_an_independent_drafter():
    pair = load_pair(target=MODELS / LLAMA[0], drafter=MODELS / LLAMA[0])
    assert type(pair.drafter) is DraftModel and pair.drafter.layers == 0
    assert continuation(pair) == EXPECTED
    rounds = speculative_decode(pair, PROMPT, 12, top_k=1, depth=3, budget=3).rounds
    assert all(len(round_.tokens) == 4 for round_ in rounds), "it drafts for itself: every draft is right"


@pytest.mark.parametrize(
    "named", [["LlamaForCausalLMEagle3"], ["LlamaForCausalLM"], ["Qwen3ForCausalLM"], [], None, ...]
)
def test_a_head_is_told_by_its_architecture_or_its_draft_vocabulary(folders, named):
    set_config(folders / "drafter", architectures=named)
    pair = load_from(folders)
    assert type(pair.drafter) is EagleHead and pair.drafter.layers == 3 and continuation(pair) == EXPECTED


@pytest.mark.parametrize(
    "named", [["Eagle3Speculator"], ["MambaForCausalLM"], "LlamaForCausalLM", [3], [["x"]], {"a": 1}]
)
def test_a_drafter_of_another_architecture_is_refused(folders, named):
    set_config(folders / "drafter", architectures=named)
    with pytest.raises(
        ValueError, match=r"drafter.config\.json: architectures is .*: drafters may be LlamaForCausalLMEagle3, "
    ):
        load_from(folders)


def test_a_drafter_of_a_shipped_pair_needs_no_keyword_for_its_kind():
    kinds = [type(load_pair("stories", drafter=name).drafter) for name in ("drafter", "draft_model")]
    assert kinds == [EagleHead, DraftModel]


# ── end tokens ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("config", "generation", "expected"),
    [
        (2, None, (2,)),
        ([2, 5], None, (2, 5)),
        (..., None, ()),
        (None, {}, ()),
        (2, {"eos_token_id": [7, 2]}, (2, 7)),
        (..., {"eos_token_id": 7}, (7,)),
    ],
)
def test_end_tokens_come_from_both_files_one_or_several(folders, config, generation, expected):
    set_config(folders / "target", eos_token_id=config)
    if generation is not None:
        (folders / "target" / "generation_config.json").write_text(json.dumps(generation))
    assert load_from(folders).eos_ids == expected


@pytest.mark.parametrize("file", ["config.json", "generation_config.json"])
@pytest.mark.parametrize("eos", ["</s>", 2.5, True, 128, [2, 128], [[2]], {"id": 2}])
def test_an_end_token_that_is_none_is_refused(folders, file, eos):
    path = folders / "target" / file
    settings = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**settings, "eos_token_id": eos}))
    with pytest.raises(ValueError, match=rf"target.{file}: eos_token_id is .*: an end token is"):
        load_from(folders)


def test_the_end_tokens_of_a_pair_end_its_texts(folders):
    set_config(folders / "target", eos_token_id=[EXPECTED[5], EXPECTED[8]])
    pair = load_from(folders)
    ended = EXPECTED[: min(EXPECTED.index(EXPECTED[place]) for place in (5, 8)) + 1]
    assert greedy_decode(pair.target, PROMPT, 12, eos_id=pair.eos_ids) == ended
    found = speculative_decode(pair, PROMPT, 12, eos_id=pair.eos_ids)
    assert (found.tokens, found.stop_reason) == (ended, "eos")


def test_without_a_drafter_drafts_are_looked_up_in_the_text():
    pair = load_pair(target=MODELS / LLAMA[0])
    assert type(pair.drafter) is PromptLookup
    assert speculative_decode(pair, PROMPT, 30).tokens == greedy_decode(pair.target, PROMPT, 30)


# ── conversations ────────────────────────────────────────────────────────────────────────────────

MESSAGES = "{% for message in messages %}{{ message['content'] | trim }}{% endfor %}"
TEMPLATE = MESSAGES + "{% if add_generation_prompt %}{{ '\\n' }}{% endif %}"


def with_template(tmp_path, **files):
    for part in ("target", "drafter"):
        shutil.copytree(ASSETS / "stories" / part, tmp_path / part)
    for name, text in files.items():
        (tmp_path / "target" / name.replace("_jinja", ".jinja").replace("_json", ".json")).write_bytes(text)
    return load_pair(target=tmp_path / "target", drafter=tmp_path / "drafter")


@pytest.mark.parametrize(
    "files",
    [
        {"chat_template_jinja": TEMPLATE.encode()},
        {"tokenizer_config_json": json.dumps({"chat_template": TEMPLATE}).encode()},
        {"chat_template_jinja": TEMPLATE.encode(), "tokenizer_config_json": b'{"chat_template": "another"}'},
    ],
)
def test_a_message_is_put_as_the_template_says(tmp_path, files):
    pair = with_template(tmp_path, **files)
    assert pair.chat("  a big dog ") == pair.encode("a big dog\n")
    assert trials.prompt_tokens(pair, "a big dog") == pair.encode("a big dog\n")


def test_without_a_template_a_text_is_gone_on_with(tmp_path):
    pair = with_template(tmp_path, tokenizer_config_json=b'{"chat_template": null}')
    with pytest.raises(ValueError, match="this pair has no chat template"):
        pair.chat("a big dog")
    assert trials.prompt_tokens(pair, "a big dog") == pair.encode("a big dog")
    with pytest.raises(TypeError, match="text"):
        pair.chat(5)


@pytest.mark.parametrize("template", ["{% for %}", "{{ messages.x.y }}", "{{ raise_exception('no') }}", "{{ [] + 1 }}"])
def test_a_template_that_cannot_be_filled_in_is_told(tmp_path, template):
    pair = with_template(tmp_path, chat_template_jinja=template.encode())
    with pytest.raises(ValueError, match="the chat template cannot be filled in"):
        pair.chat("a big dog")


def test_a_template_that_is_no_text_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"chat_template\.jinja is not readable text"):
        with_template(tmp_path, chat_template_jinja=b"\xff\xfe\xff")


# ── what is refused ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "needs a name, or folders: target="),
        ({"name": "stories", "target": MODELS}, "takes a name or a target=… folder"),
        (
            {"name": "stories", "drafter": "nowhere"},
            "drafter is 'nowhere': the drafters of stories are draft_model, drafter, drafter_equal_weights, target$",
        ),
        ({"drafter": MODELS / LLAMA[1]}, "needs a name, or folders: target="),
        (
            {"target": MODELS / LLAMA[0], "drafter": ASSETS / "stories" / "draft_model"},
            r"draft_model.config\.json: vocab_size is 1679, but the target's is 128",
        ),
        ({"name": "no such pair"}, "name is 'no such pair': the shipped pairs are"),
        ({"name": "../tests/golden"}, r"name is '\.\./tests/golden'"),
        ({"name": ""}, "name is ''"),
        (
            {"target": MODELS / "nowhere", "drafter": MODELS / LLAMA[1]},
            r"target is .*nowhere'?: there is no such folder",
        ),
        ({"target": MODELS / LLAMA[0], "drafter": MODELS}, r"config\.json is missing"),
        ({"target": MODELS / LLAMA[0] / "config.json", "drafter": MODELS}, r"config\.json': there is no such folder"),
        (
            {"target": MODELS / LLAMA[1], "drafter": MODELS / LLAMA[0]},
            r"draft_llama_a_trained.config\.json: architectures is \['LlamaForCausalLMEagle3'\]: targets may be Llama",
        ),
    ],
    ids=lambda value: None if isinstance(value, str) else repr(list(value)),
)
def test_mixed_up_names_and_folders(arguments, message):
    with pytest.raises(ValueError, match=message):
        load_pair(**arguments)


@pytest.mark.parametrize("part", ["target", "drafter"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, r"config\.json is missing"),
        ("", "not readable JSON"),
        ("{", "not readable JSON"),
        ("[" * 100_000, "not readable JSON"),
        ("[1]", "must hold an object"),
        ('"llama"', "must hold an object"),
        ("null", "must hold an object"),
        ("{}", "config.json lacks .*intermediate_size, num_hidden_layers, num_attention_heads"),
    ],
    ids=["absent", "empty", "cut", "nested", "list", "text", "null", "no settings"],
)
def test_a_config_that_is_none(folders, part, text, message):
    path = folders / part / "config.json"
    path.unlink() if text is None else path.write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        load_from(folders)
    assert part in str(caught.value)


def test_a_config_in_another_encoding(folders):
    (folders / "target" / "config.json").write_bytes(b'{"a": "\xff\xfe"}')
    with pytest.raises(ValueError, match="not readable JSON"):
        load_from(folders)


@pytest.mark.parametrize("part", ["target", "drafter"])
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, "does not compute rope_scaling = 'llama3'"),
        ({"rope_scaling": {"type": "linear", "factor": 2.0}}, "does not compute rope_scaling = 'linear'"),
        ({"rope_scaling": "linear"}, "does not compute rope_scaling = 'linear'"),
        ({"rope_parameters": {"rope_type": "yarn"}}, "does not compute rope_parameters = 'yarn'"),
        ({"rope_parameters": [1]}, r"does not compute rope_parameters = \[1\]"),
        ({"attention_bias": True}, "does not compute attention_bias = True"),
        ({"mlp_bias": True}, "does not compute mlp_bias = True"),
        ({"hidden_act": "gelu"}, "does not compute hidden_act = 'gelu'"),
        ({"model_type": "mamba"}, "does not compute model_type = 'mamba'"),
        ({"use_sliding_window": True}, "does not compute use_sliding_window = True"),
        ({"hidden_act": "relu", "mlp_bias": True}, "mlp_bias = True, hidden_act = 'relu'"),
        ({"hidden_size": "32"}, "hidden_size must be a whole number"),
        ({"intermediate_size": 64.0}, "intermediate_size must be a whole number"),
        ({"num_attention_heads": 0}, "num_attention_heads must be a whole number of at least 1, not 0"),
        ({"num_attention_heads": True}, "num_attention_heads must be a whole number"),
        ({"num_hidden_layers": -1}, "num_hidden_layers must be a whole number"),
        ({"num_key_value_heads": 3}, "num_key_value_heads is 3, which does not divide num_attention_heads = 4"),
        ({"head_dim": 7}, "head_dim is 7.*even"),
        ({"rms_norm_eps": "small"}, "rms_norm_eps must be a number, not str"),
        ({"rms_norm_eps": -1e-6}, "rms_norm_eps must be a positive number"),
        ({"rope_theta": 0}, "rope_theta must be a positive number"),
        ({"intermediate_size": ...}, "lacks intermediate_size"),
    ],
)
def test_settings_that_are_not_computed_are_named(folders, part, changes, message):
    set_config(folders / part, **changes)
    with pytest.raises(ValueError, match=message) as caught:
        load_from(folders)
    assert part in str(caught.value)


def test_a_target_too_shallow_for_three_taps(folders):
    set_config(folders / "target", num_hidden_layers=6)
    path = folders / "target" / "model.safetensors"
    save_file({n: a for n, a in load_file(path).items() if ".layers.6." not in n and ".layers.7." not in n}, path)
    with pytest.raises(ValueError, match="6 layers: three distinct feature taps need at least 7"):
        load_from(folders)


def test_a_head_for_another_width_is_refused(folders):
    set_config(folders / "drafter", hidden_size=64)
    with pytest.raises(ValueError, match=r"drafter.config\.json: hidden_size is 64, but the target's is 32"):
        load_from(folders)


@pytest.mark.parametrize("part", ["target", "drafter"])
@pytest.mark.parametrize("damage", ["empty", "cut", "noise", "header"])
def test_weights_that_are_damaged(folders, part, damage):
    path = folders / part / "model.safetensors"
    data = path.read_bytes()
    noise = np.random.default_rng(0).bytes(len(data))
    header = (2**62).to_bytes(8, "little") + data[8:]
    path.write_bytes({"empty": b"", "cut": data[: len(data) // 2], "noise": noise, "header": header}[damage])
    with pytest.raises(ValueError, match=rf"{part}.model\.safetensors is not a readable safetensors file"):
        load_from(folders)


@pytest.mark.parametrize("part", ["target", "drafter"])
def test_no_weights_at_all(folders, part):
    (folders / part / "model.safetensors").unlink()
    with pytest.raises(ValueError, match=rf"{part} holds no model\.safetensors$"):
        load_from(folders)


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        ("target", "model.layers.3.mlp.up_proj.weight", "model.layers.3.mlp.up.weight"),
        ("target", "lm_head.weight", "head.weight"),
        ("drafter", "midlayer.hidden_norm.weight", "midlayer.norm.weight"),
        ("drafter", "fc.weight", "fc.weights"),
    ],
)
def test_a_renamed_tensor_is_missing_and_left_over(folders, part, old, new):
    path = folders / part / "model.safetensors"
    tensors = load_file(path)
    tensors[new] = tensors.pop(old)
    save_file(tensors, path)
    with pytest.raises(ValueError, match=f"{part}: .*missing: {old}; left over: {new}$"):
        load_from(folders)


def test_all_missing_and_all_left_over_are_named(folders):
    set_tensors(folders / "drafter", fc__weight=..., norm__weight=..., extra=np.zeros(1), another=np.zeros(1))
    with pytest.raises(ValueError, match=r"missing: fc\.weight, norm\.weight; left over: another, extra$"):
        load_from(folders)


@pytest.mark.parametrize(
    ("part", "name", "shape"),
    [
        ("target", "model.embed_tokens.weight", (127, 32)),
        ("target", "model.norm.weight", (32, 1)),
        ("target", "model.layers.0.self_attn.k_proj.weight", (32, 32)),
        ("drafter", "fc.weight", (32, 64)),
        ("drafter", "lm_head.weight", (128, 32)),
        ("drafter", "midlayer.self_attn.q_proj.weight", (32, 32)),
        ("drafter", "d2t", (63,)),
        ("drafter", "t2d", (127,)),
    ],
)
def test_a_tensor_of_the_wrong_shape_is_named(folders, part, name, shape):
    dtype = {"d2t": np.int64, "t2d": bool}.get(name, np.float32)
    set_tensors(folders / part, **{name.replace(".", "__"): np.zeros(shape, dtype=dtype)})
    where = rf"{part}.model\.safetensors: {name} has shape \{list(shape)}".replace("]", r"\]")
    with pytest.raises(ValueError, match=where):
        load_from(folders)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(("part", "name"), [("target", "model.norm.weight"), ("drafter", "fc.weight")])
def test_weights_that_are_not_finite_are_named(folders, part, name, bad):
    tensors = load_file(folders / part / "model.safetensors")
    tensors[name].flat[3] = bad
    save_file(tensors, folders / part / "model.safetensors")
    with pytest.raises(ValueError, match=rf"{part}.model\.safetensors: {name} holds values that are not finite"):
        load_from(folders)


def test_an_unknown_number_format_is_named(folders):
    path = folders / "drafter" / "model.safetensors"
    save_file({**load_file(path), "norm.weight": np.ones(32, dtype=np.int8)}, path)
    with pytest.raises(ValueError, match=r"norm\.weight is stored as I8: F64, F32, F16, BF16 can be read here"):
        load_from(folders)


def offsets(folders: Path) -> np.ndarray:
    return load_file(folders / "drafter" / "model.safetensors")["d2t"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda d2t: d2t + np.arange(64), "d2t must hold offsets|t2d marks other ids"),
        (lambda d2t: d2t[::-1].copy(), "d2t must hold offsets"),
        (lambda d2t: d2t * 0 - np.arange(64), "d2t must hold offsets"),
        (lambda d2t: d2t - 1000, "d2t must hold offsets"),
        (lambda d2t: d2t + 1000, "d2t must hold offsets"),
        (lambda d2t: d2t * 0, "t2d marks other ids than d2t names"),
    ],
    ids=["absolute", "falling", "constant ids", "below 0", "beyond the vocabulary", "other than t2d"],
)
def test_d2t_that_cannot_be_offsets_is_refused(folders, wrong, message):
    set_tensors(folders / "drafter", d2t=wrong(offsets(folders)))
    with pytest.raises(ValueError, match=message):
        load_from(folders)


def test_absolute_ids_are_refused_without_t2d_too(folders):
    set_tensors(folders / "drafter", d2t=offsets(folders) + np.arange(64), t2d=...)
    with pytest.raises(ValueError, match=r"d2t must hold offsets \(target id = i \+ d2t\[i\]\)"):
        load_from(folders)


def test_a_small_draft_vocabulary_needs_d2t(folders):
    set_tensors(folders / "drafter", d2t=...)
    with pytest.raises(ValueError, match="64 draft tokens for a vocabulary of 128, but no d2t"):
        load_from(folders)


@pytest.mark.parametrize("size", ["64", 64.0, -1, True])
def test_the_draft_vocabulary_is_a_count(folders, size):
    set_config(folders / "drafter", draft_vocab_size=size)
    with pytest.raises(ValueError, match="draft_vocab_size must be a whole number"):
        load_from(folders)


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("a pickle was opened",))


@pytest.mark.parametrize("part", ["target", "drafter"])
@pytest.mark.parametrize("beside", [True, False])
def test_a_pickle_is_never_opened(folders, part, beside, monkeypatch):
    (folders / part / "pytorch_model.bin").write_bytes(pickle.dumps(Bomb()))
    for name in ("load", "loads", "Unpickler", "_Unpickler"):
        monkeypatch.setattr(pickle, name, lambda *_, **__: pytest.fail("a pickle was opened"))
    if beside:
        assert continuation(load_from(folders)) == EXPECTED
    else:
        (folders / part / "model.safetensors").unlink()
        with pytest.raises(
            ValueError, match=r"holds no model\.safetensors; pytorch_model\.bin is pickle.*never opened"
        ):
            load_from(folders)


@pytest.mark.parametrize("outside", ["../secret.safetensors", "/etc/secret.safetensors", "sub/a.safetensors"])
def test_an_index_stays_inside_its_folder(folders, outside):
    shard(folders / "target", files=("a.safetensors", outside))
    save_file({"x": np.zeros(1)}, folders / "secret.safetensors")
    with pytest.raises(ValueError, match=r"index\.json names files outside its folder"):
        load_from(folders)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"index\.json is not readable JSON"),
        ("[]", r"index\.json must hold an object"),
        ("{}", r"index\.json has no weight_map"),
        ('{"weight_map": ["a"]}', r"index\.json has no weight_map"),
        ('{"weight_map": {"a": 1}}', r"index\.json has no weight_map"),
        ('{"weight_map": {"a": "gone.safetensors"}}', r"index\.json names files that are missing: gone\.safetensors"),
        ('{"weight_map": {"a": ".."}}', r"names files outside its folder: \.\."),
        ('{"weight_map": {}}', "num_hidden_layers is 8; the weights hold none"),
    ],
)
def test_a_broken_index(folders, text, message):
    (folders / "target" / "model.safetensors").unlink()
    (folders / "target" / "model.safetensors.index.json").write_text(text)
    with pytest.raises(ValueError, match=message):
        load_from(folders)


@pytest.mark.parametrize("text", ["", "{}", '{"model": 3}'])
def test_a_broken_tokenizer_is_named(folders, text):
    (folders / "target" / "tokenizer.json").write_text(text)
    with pytest.raises(ValueError, match=r"tokenizer\.json is not a readable tokenizer"):
        load_from(folders)


def test_the_shipped_pair_loads_by_name():
    pair = load_pair("stories")
    assert pair.tokenizer is not None and set(pair.prompts) == {"zh", "en"}
    prompt = pair.tokenizer.encode(pair.prompts["en"][0]).ids
    assert speculative_decode(pair, prompt, 12).tokens == greedy_decode(pair.target, prompt, 12)
