"""Folders from anywhere: whatever is wrong in one is refused by its name, before anything is read or room is made."""

import json
import os
import re
import shutil
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer
from tokenizers.models import BPE, WordLevel
from tokenizers.pre_tokenizers import CharDelimiterSplit

from eagle_lab import load_pair, pairs, tokenizer
from eagle_lab.checkpoints import load_target
from eagle_lab.files import SETTINGS_LIMIT, named
from eagle_lab.llama import Llama

from measure import checkpoints
from measure.mutations import INDEX, MUTATIONS, SINGLE, SPECIALS, settings_of, shard, write_settings
from models import LLAMA, QWEN3, golden_pair, load_from

MODELS = checkpoints.MODELS


def refused(folders: Path, message: str) -> str:
    with pytest.raises(ValueError, match=message) as caught:
        load_from(folders)
    return str(caught.value)


def say(folder: Path, **settings) -> None:
    write_settings(folder, settings_of(folder) | settings)


def same(folders: Path) -> bool:
    found = checkpoints.fingerprint(load_from(folders))
    return found == checkpoints.expected(MODELS / LLAMA[0], MODELS / LLAMA[1])


# ── by chance ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("block", range(6))
def test_mutated_folders_are_refused_by_name_or_are_the_model_that_they_say(block, tmp_path):
    """One in ten of `python -m measure.checkpoints`."""
    for number in range(block * len(MUTATIONS), (block + 1) * len(MUTATIONS)):
        mutation, end, said = checkpoints.judge(number, tmp_path / str(number))
        assert end in checkpoints.RIGHT, (number, mutation, end, said)


# ── sizes that the weights do not have ───────────────────────────────────────────────────────────


@pytest.mark.parametrize("part", ["target", "drafter"])
@pytest.mark.parametrize("size", [10**9, 10**12, 10**30])
@pytest.mark.parametrize(
    "key",
    [
        *("num_hidden_layers", "vocab_size", "hidden_size", "intermediate_size", "num_attention_heads"),
        *("num_key_value_heads", "head_dim"),
    ],
)
def test_absurd_sizes_are_refused_before_room_is_made(folders, part, key, size):
    say(folders / part, **{key: size})
    load_pair(target=MODELS / LLAMA[0], drafter=MODELS / LLAMA[1])  # what stays in memory is there before
    tracemalloc.start()
    said = refused(folders, f"{part}.*(: {key} is |has shape .* says .*0{{9}})")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8e6 and len(said) < 1000


def test_an_absurd_draft_vocabulary_is_refused(folders):
    say(folders / "drafter", draft_vocab_size=10**12)
    refused(folders, r"drafter.model\.safetensors: .* has shape .*, but config\.json says \[1000000000000")


@pytest.mark.parametrize(("asked", "there"), [(9, "0 to 7"), (7, "0 to 7"), (10**9, "0 to 7")])
def test_layers_that_are_not_there_and_layers_too_many_are_counted(folders, asked, there):
    say(folders / "target", num_hidden_layers=asked)
    refused(folders, rf"target.config\.json: num_hidden_layers is {asked}; the weights hold layers {there}$")


def test_layers_with_a_gap_are_listed(folders):
    path = folders / "target" / SINGLE
    save_file({name: array for name, array in load_file(path).items() if ".layers.3." not in name}, path)
    refused(folders, "num_hidden_layers is 8; the weights hold layers 0, 1, 2, 4, 5, 6, 7$")


def test_a_head_has_one_layer(folders):
    say(folders / "drafter", num_hidden_layers=2)
    refused(folders, r"drafter.config\.json: num_hidden_layers is 2: an EAGLE-3 head has one layer")


def test_twenty_names_and_how_many_more(folders):
    path = folders / "target" / SINGLE
    save_file({name if ".layers." in name else f"x{name}": array for name, array in load_file(path).items()}, path)
    extra = {f"extra.{place:03}": np.zeros(1) for place in range(100)}
    save_file(load_file(path) | extra, path)
    said = refused(folders, "missing: .*left over: extra.000, .*extra.019 and 83 more$")
    assert said.count(",") == 19 + 2
    assert named(["a\n\ud800", "x" * 9999]).startswith("'a\\n\\ud800', xxx") and len(named(["x" * 9999])) < 260


# ── tied heads, shards, kinds of numbers ─────────────────────────────────────────────────────────


@pytest.mark.parametrize("part", ["target", "drafter"])
def test_a_tied_head_that_is_stored_otherwise_is_refused(folders, part):
    say(folders / part, tie_word_embeddings=True)
    refused(
        folders, rf"{part}.model\.safetensors: lm_head\.weight is not the embedding, although .*tie_word_embeddings"
    )


def test_a_copy_of_the_embedding_beside_a_tie_is_taken_whatever_its_format(folders):
    say(folders / "target", tie_word_embeddings=True)
    tensors = load_file(folders / "target" / SINGLE)
    tensors["lm_head.weight"] = tensors["model.embed_tokens.weight"].astype(np.float64)
    save_file(tensors, folders / "target" / SINGLE)
    target = load_from(folders).target
    assert np.array_equal(target.head, target.embedding.T)


def index(folder: Path, weight_map: dict) -> None:
    (folder / INDEX).write_text(json.dumps({"weight_map": weight_map}))


def test_a_stale_copy_in_another_shard_is_refused_and_both_shards_are_named(folders):
    folder, name = folders / "target", "model.norm.weight"
    weight_map = shard(folder)
    (other,) = {"a.safetensors", "b.safetensors"} - {weight_map[name]}
    save_file(load_file(folder / other) | {name: np.zeros(32, dtype=np.float32)}, folder / other)
    index(folder, weight_map)
    refused(folders, rf"target.{other} holds what .*index\.json says lies elsewhere: {name} \({weight_map[name]}\)$")


def test_what_the_index_does_not_know_what_it_knows_only_and_shards_that_are_gone(folders):
    folder = folders / "target"
    weight_map = shard(folder)
    index(folder, {name: home for name, home in weight_map.items() if name != "lm_head.weight"})
    refused(folders, r"says lies elsewhere: lm_head\.weight \(nowhere\)$")
    index(folder, weight_map | {"model.new.weight": "b.safetensors"})
    refused(folders, r"index\.json names tensors that are not in their files: model\.new\.weight \(b\.safetensors\)$")
    index(folder, weight_map | {"model.new.weight": "c.safetensors", "z": "d.safetensors"})
    refused(folders, r"index\.json names files that are missing: c\.safetensors, d\.safetensors$")


def test_a_shard_that_nobody_names_is_not_read_and_a_single_file_beside_an_index_is_refused(folders):
    folder = folders / "target"
    whole = load_file(folder / SINGLE)
    index(folder, shard(folder))
    save_file({name: array * 0 for name, array in whole.items()}, folder / "consolidated.safetensors")
    assert same(folders)
    save_file(whole, folder / SINGLE)
    refused(folders, rf"target holds {SINGLE} and {INDEX}: one of the two is stale$")


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8, bool])
@pytest.mark.parametrize(
    ("part", "name"),
    [("target", "model.embed_tokens.weight"), ("target", "lm_head.weight"), ("drafter", "midlayer.hidden_norm.weight")],
)
def test_whole_numbers_and_marks_are_no_weights(folders, part, name, kind):
    tensors = load_file(folders / part / SINGLE)
    save_file(tensors | {name: tensors[name].astype(kind)}, folders / part / SINGLE)
    refused(folders, rf"{part}.model\.safetensors: {name} is stored as \w+: F64, F32, F16, BF16 can be read here$")


@pytest.mark.parametrize(
    ("name", "kind", "right"),
    [
        ("d2t", np.int32, True),
        ("d2t", np.float32, False),
        ("d2t", bool, False),
        ("t2d", np.uint8, True),
        ("t2d", np.int64, False),
        ("t2d", np.float16, False),
    ],
)
def test_offsets_are_whole_numbers_and_marks_are_marks(folders, name, kind, right):
    tensors = load_file(folders / "drafter" / SINGLE)
    save_file(tensors | {name: tensors[name].astype(kind)}, folders / "drafter" / SINGLE)
    if right:
        assert same(folders)
    else:
        refused(folders, rf"drafter.model\.safetensors: {name} is stored as")


def test_a_number_too_large_for_float32_is_refused_without_a_warning(folders):
    tensors = load_file(folders / "target" / SINGLE)
    save_file(tensors | {"model.norm.weight": np.full(32, 1e300)}, folders / "target" / SINGLE)
    refused(folders, r"model\.norm\.weight holds values that are not finite")


def test_an_entry_that_is_a_list_is_refused(folders):
    header = b'{"a":["F32",[1],[0,4]]}'  # safetensors itself takes it
    (folders / "target" / SINGLE).write_bytes(len(header).to_bytes(8, "little") + header + b"\0" * 4)
    refused(folders, r"model\.safetensors is not a readable safetensors file: an entry of its header is no object")


# ── what config.json says ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"vocab_size": 1, "vocab_size": 2}', "the key 'vocab_size' stands in it twice"),
        ('{"rope_scaling": {"type": "default", "type": "linear"}}', "the key 'type' stands in it twice"),
        ('{"rms_norm_eps": NaN}', "NaN is no number in JSON"),
        ('{"rms_norm_eps": -Infinity}', "-Infinity is no number in JSON"),
        ('{"vocab_size": ' + "1" * 5000 + "}", "not readable JSON"),
        ('{"a":' * 50_000, "not readable JSON"),
    ],
    ids=["twice", "twice within", "nan", "infinity", "5,000 digits", "nested"],
)
@pytest.mark.parametrize("file", ["config.json", "generation_config.json"])
def test_json_says_each_thing_once_and_in_numbers(folders, file, text, message):
    (folders / "target" / file).write_text(text)
    refused(
        folders, rf"target.{file} is not readable JSON: .*{message}" if "not" not in message else f"{file}.*{message}"
    )


def test_a_byte_order_mark_changes_nothing(folders):
    path = folders / "target" / "config.json"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert same(folders)


@pytest.mark.parametrize("key", ["rms_norm_eps", "rope_theta", "max_position_embeddings", "head_dim", "model_type"])
def test_null_is_as_good_as_absent(folders, key):
    say(folders / "target", **{key: None})
    config = load_from(folders).target.config
    without = {"rms_norm_eps": 1e-6, "rope_theta": 1e4, "max_position_embeddings": None, "head_dim": 8}
    assert key == "model_type" or getattr(config, key) == without[key]


@pytest.mark.parametrize("key", ["rms_norm_eps", "rope_theta"])
@pytest.mark.parametrize("value", [1e-300, 1e300, 10**400, True, "1e4", [1]])
def test_numbers_that_float32_cannot_compute_with_are_refused(folders, key, value):
    say(folders / "drafter", **{key: value})
    refused(folders, rf"drafter.config\.json: {key} (must be a|is too large)")


@pytest.mark.parametrize("place", ["rope_scaling", "rope_parameters"])
def test_theta_is_read_in_every_place_and_places_must_agree(folders, place):
    say(folders / "target", rope_theta=5e5, **{place: {"rope_type": "default", "rope_theta": 500000}})
    assert load_from(folders).target.config.rope_theta == 5e5
    say(folders / "target", rope_theta=None)
    assert load_from(folders).target.config.rope_theta == 5e5
    say(folders / "target", rope_theta=1e4)
    refused(folders, rf"target.config\.json: {place}\.rope_theta and rope_theta differ: 500000\.0, 10000\.0$")


@pytest.mark.parametrize("rope", ["default", False, 0, [], [{"rope_type": "default"}]])
def test_scaling_is_an_object(folders, rope):
    say(folders / "target", rope_scaling=rope)
    refused(folders, "this engine does not compute rope_scaling = ")


def test_two_types_of_scaling_must_both_be_plain(folders):
    say(folders / "target", rope_scaling={"rope_type": "default", "type": "linear"})
    refused(folders, "does not compute rope_scaling = 'linear'")


@pytest.mark.parametrize("key", ["tie_word_embeddings", "attention_bias", "mlp_bias", "use_sliding_window"])
@pytest.mark.parametrize("value", ["false", 0, 1, [], {}])
def test_switches_are_true_or_false(folders, key, value):
    say(folders / "target", **{key: value})
    refused(folders, rf"target.config\.json: {key} must be true or false, not ")


@pytest.mark.parametrize("value", [256, None])
def test_the_longest_text_is_read_for_target_and_drafter(folders, value):
    for part in ("target", "drafter"):
        say(folders / part, max_position_embeddings=value)
    pair = load_from(folders)
    assert pair.target.config.max_position_embeddings == pair.drafter.config.max_position_embeddings == value


@pytest.mark.parametrize("value", [0, -1, 1.5, 256.0, True, "256", [256]])
def test_a_longest_text_that_is_none_is_refused(folders, value):
    say(folders / "target", max_position_embeddings=value)
    refused(folders, r"target.config\.json: max_position_embeddings must be a whole number of at least 1")


@pytest.mark.parametrize(
    "given", [["MistralForCausalLM"], ["LlamaForCausalLM", "GemmaForCausalLM"], "Llama", [None], 0]
)
def test_a_target_of_another_architecture_is_refused(folders, given):
    say(folders / "target", architectures=given)
    refused(folders, r"target.config\.json: architectures is .*: targets may be LlamaForCausalLM, Qwen3ForCausalLM$")


@pytest.mark.parametrize("size", [False, 0, "", [], {}])
def test_a_draft_vocabulary_that_is_empty_is_not_the_whole_one(folders, size):
    say(folders / "drafter", draft_vocab_size=size)
    refused(folders, r"drafter.config\.json: draft_vocab_size must be a whole number")


def test_what_a_head_shares_it_may_leave_out_but_not_contradict(folders):
    say(folders / "drafter", vocab_size=None, hidden_size=None)
    assert same(folders)
    say(folders / "drafter", vocab_size=127)
    refused(folders, r"drafter.config\.json: vocab_size is 127, but the target's is 128")


def test_no_message_is_as_long_as_a_file(folders):
    for key in ("hidden_size", "model_type", "architectures", "eos_token_id", "rope_theta", "attention_bias"):
        settings = settings_of(folders / "target")
        say(folders / "target", **{key: ["x" * 9] * 20_000})
        assert len(refused(folders, "target")) < 2000
        write_settings(folders / "target", settings)


# ── taps ─────────────────────────────────────────────────────────────────────────────────────────


def test_taps_are_layers_in_rising_order():
    folder = MODELS / LLAMA[0]
    assert load_target(folder, taps=[0, 3, 7]).taps == load_target(folder, taps=np.array([0, 3, 7])).taps == (0, 3, 7)
    assert load_target(folder, taps=()).taps == () and load_target(folder, taps=(2.0,)).taps == (2,)


@pytest.mark.parametrize("taps", [(0, 1, 8), (-1, 1), (1, 1, 2), (4, 2), (1.5,)])
def test_taps_that_are_no_layers_are_refused(taps):
    good, said = (
        golden_pair(*LLAMA).target,
        re.escape(f"taps are {taps}: they must rise within 0 to 7, as L = 8 layers"),
    )
    with pytest.raises(ValueError, match=said):
        Llama(good.config, good.embedding, good.layers, good.norm, good.head, taps=taps)


# ── files that are none ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", sorted(SPECIALS.keys() - {"nothing", "empty"}))
@pytest.mark.parametrize("file", ["config.json", SINGLE, INDEX, "tokenizer.json", "generation_config.json"])
def test_special_files_are_refused_unopened(folders, file, kind):
    (folders / "target" / file).unlink(missing_ok=True)
    (folders / "target" / "README").touch()
    if file == INDEX:
        (folders / "target" / SINGLE).unlink()
    SPECIALS[kind](folders / "target" / file)
    refused(folders, rf"target.{file} (is no regular file|is not readable|is a link|has 1,099|is not a readable)")


@pytest.mark.parametrize("name", ["no\0where", "x" * 300, "x/" * 5000, "\ud800"])
@pytest.mark.parametrize("part", ["target", "drafter"])
def test_paths_that_no_system_takes_are_refused(folders, part, name):
    given = {"target": folders / "target", "drafter": folders / "drafter"} | {part: folders / name}
    with pytest.raises(ValueError, match=f"{part} is .*there is no such folder") as caught:
        load_pair(**given)
    assert len(str(caught.value)) < 600 and str(caught.value).isprintable()


@pytest.mark.parametrize("file", ["config.json", "generation_config.json"])
def test_settings_of_the_size_of_a_model_are_not_read(folders, file):
    (folders / "target" / file).touch()
    os.truncate(folders / "target" / file, SETTINGS_LIMIT + 1)
    refused(folders, rf"target.{file} has 67,108,865 bytes: at most 67,108,864 are read$")


# ── words ────────────────────────────────────────────────────────────────────────────────────────


def words(**settings) -> str:
    """A tokenizer of six letters, with other settings."""
    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate("abcdef")}, unk_token="a"))
    tokenizer.pre_tokenizer = CharDelimiterSplit(" ")
    return json.dumps(json.loads(tokenizer.to_str()) | settings)


def with_words(folders: Path, text: str):
    (folders / "target" / "tokenizer.json").write_text(text)
    return load_from(folders)


def test_truncation_padding_and_dropout_are_switched_off(folders):
    cut = {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 9}
    pad = {"strategy": {"Fixed": 4000}, "direction": "Left", "pad_to_multiple_of": 7}
    pad |= {"pad_id": 0, "pad_type_id": 0, "pad_token": "a"}
    pair = with_words(folders, words(truncation=cut, padding=pad))
    assert pair.encode(" ".join("bcdef" * 500)) == [1, 2, 3, 4, 5] * 500
    merging = Tokenizer(BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")], dropout=0.9))
    pair = with_words(folders, merging.to_str())
    assert pair.encode("ab" * 100) == [2] * 100


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {
                "post_processor": {
                    "type": "TemplateProcessing",
                    "pair": [],
                    "special_tokens": {},
                    "single": [{"SpecialToken": {"id": "q", "type_id": 0}}],
                }
            },
            "the tokenizer cannot encode this text: ",
        ),
        (
            {
                "pre_tokenizer": {
                    "type": "Split",
                    "pattern": {"Regex": "(a*)*$"},
                    "behavior": "Isolated",
                    "invert": False,
                }
            },
            "the tokenizer cannot encode this text: .*retry-limit",
        ),
        (
            {
                "post_processor": {
                    "type": "TemplateProcessing",
                    "pair": [],
                    "single": [{"SpecialToken": {"id": "q", "type_id": 0}}],
                    "special_tokens": {"q": {"id": "q", "ids": [999], "tokens": ["q"]}},
                }
            },
            r"the tokenizer's ids\[0\] is 999: the vocabulary has ids 0 to 127",
        ),
    ],
    ids=["panics at its template", "panics at its regex", "knows more ids"],
)
def test_a_tokenizer_that_fails_at_a_text_is_a_named_error(folders, settings, message):
    pair = with_words(folders, words(**settings))
    with pytest.raises(ValueError, match=message):
        pair.encode("a" * 40 + "b")


def test_a_tokenizer_that_panics_while_it_is_read_is_refused(folders):
    broken = words(normalizer={"type": "Precompiled", "precompiled_charsmap": "AAAA"})
    (folders / "target" / "tokenizer.json").write_text(broken)
    refused(folders, r"target.tokenizer\.json is not a readable tokenizer: ")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_the_stop_button_is_no_fault_of_a_tokenizer(stop):
    with pytest.raises(stop), tokenizer.faults("text"):
        raise stop


def test_a_tokenizer_that_knows_more_tokens_than_the_model_is_refused(folders):
    vocabulary = {f"w{place}": place for place in range(129)}
    (folders / "target" / "tokenizer.json").write_text(Tokenizer(WordLevel(vocabulary, unk_token="w0")).to_str())
    refused(folders, r"target.tokenizer\.json knows token 128, 'w128'; config\.json has a vocab_size of 128$")


def test_half_an_emoji_is_read_as_the_sign_for_what_is_no_character():
    pair = load_pair("stories")
    assert pair.encode("a \ud83d b\udc31") == pair.encode("a \ufffd b\ufffd") != pair.encode("a  b")
    assert (
        pair.encode("\ud83d\udc31") == pair.encode("🐱")
        and pair.encode("\ufeffa") == pair.tokenizer.encode("\ufeffa").ids
    )
    assert pair.encode("") == []


@pytest.mark.parametrize("text", [None, 5, b"a", ["a"], [1, 2]])
def test_what_is_no_text_is_not_encoded(text):
    with pytest.raises(TypeError, match=f"text must be a str, not {type(text).__name__}"):
        load_pair("stories").encode(text)


def test_without_a_tokenizer_ids_are_numbers_and_encode_says_what_to_give():
    pair = golden_pair(*QWEN3)
    assert pair.token_text(127) == "127" and pair.text([1, 2]) == "12" and pair.text([]) == ""
    with pytest.raises(ValueError, match="no tokenizer: give token ids instead of text"):
        pair.encode("a")


@pytest.mark.parametrize(
    ("token", "error", "message"),
    [
        (1679, ValueError, r"token\[0\] is 1679: the vocabulary has ids 0 to 1678"),
        (-1, ValueError, r"token\[0\] is -1"),
        (10**30, ValueError, r"token\[0\] is 1000000"),
        (None, TypeError, r"token\[0\] is None: the vocabulary has ids 0 to 1678"),
        ("a", TypeError, r"token\[0\] is 'a'"),
        (1.5, ValueError, r"token\[0\] is 1.5"),
        (True, TypeError, r"token\[0\] is True"),
        ([1], TypeError, r"token\[0\] is \[1\]"),
    ],
)
def test_what_is_no_token_has_no_text(token, error, message):
    pair = load_pair("stories")
    for given in (pair, replace(pair, tokenizer=None)):
        with pytest.raises(error, match=message):
            given.token_text(token)
        with pytest.raises(error, match=message.replace("token", "tokens", 1)):
            given.text([token])


@pytest.mark.parametrize("tokens", [None, 5, "abc", {1, 2}, b"ab"])
def test_what_is_no_sequence_has_no_text(tokens):
    with pytest.raises(TypeError, match="tokens must be a list, tuple or 1-D array"):
        load_pair("stories").text(tokens)


def test_ids_that_only_the_model_knows_are_shown_as_numbers(folders):
    pair = with_words(folders, words())
    assert pair.token_text(100) == "100" and pair.text([1, 100, 2]) == " b100 c" and pair.text(np.array([1])) == " b"


# ── arguments ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"name": 5}, TypeError, "name must be a str, not int"),
        ({"name": b"stories"}, TypeError, "name must be a str, not bytes"),
        ({"name": Path("stories")}, TypeError, "name must be a str, not PosixPath|WindowsPath"),
        ({"name": "../stories"}, ValueError, r"name is '\.\./stories': the shipped pairs are stories$"),
        ({"name": "stories/"}, ValueError, "name is 'stories/'"),
        ({"name": "x" * 10**6}, ValueError, "the shipped pairs are stories"),
        ({"name": "stories", "drafter": 3}, TypeError, "drafter must be a str, not int"),
        ({"name": "stories", "drafter": Path("drafter")}, TypeError, "drafter must be a str, not "),
        ({"name": "stories", "drafter": ""}, ValueError, "drafter is '': the drafters of stories are draft_model, "),
        ({"name": "stories", "drafter": "../stories/drafter"}, ValueError, r"drafter is '\.\./stories/drafter': the "),
        ({"name": "stories", "drafter": str(MODELS / LLAMA[1])}, ValueError, "the drafters of stories are"),
        ({"target": 3, "drafter": "x"}, TypeError, "target must be a folder's path, not int"),
        ({"target": b"x", "drafter": "x"}, TypeError, "target must be a folder's path, not bytes"),
        ({"target": MODELS, "drafter": [1]}, TypeError, "drafter must be a folder's path, not list"),
        ({"target": "", "drafter": "x"}, ValueError, "target is '': there is no such folder"),
        ({"target": MODELS, "drafter": ""}, ValueError, "drafter is '': there is no such folder"),
        ({"target": MODELS, "drafter": "a\0b"}, ValueError, r"drafter is 'a\\x00b': there is no such folder"),
        ({"target": "x" * 10**6, "drafter": "x"}, ValueError, "there is no such folder"),
    ],
)
def test_arguments_of_another_kind_are_named(arguments, error, message):
    with pytest.raises(error, match=message) as caught:
        load_pair(**arguments)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "is missing"),
        ("{", "is not readable JSON"),
        ("[]", "must hold an object"),
    ],
)
def test_openings_of_a_shipped_pair_that_are_none(tmp_path, monkeypatch, text, message):
    for part in ("target", "drafter"):
        shutil.copytree(pairs.ASSETS / "stories" / part, tmp_path / "other" / part)
    if text is not None:
        (tmp_path / "other" / "prompts.json").write_text(text, encoding="utf-8")
    monkeypatch.setattr(pairs, "ASSETS", tmp_path)
    with pytest.raises(ValueError, match=rf"prompts\.json:? {message}"):
        load_pair("other")
