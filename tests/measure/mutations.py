"""Ways to spoil a checkpoint folder, each by chance from a seed: what `measure.checkpoints` loads.

A mutation changes files of one folder and returns the names of which a refusal must say at least one: keys, tensors or
files. Where a system has no pipes or links, these are left out.
"""

import json
import os
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import CharDelimiterSplit

SINGLE, INDEX = "model.safetensors", "model.safetensors.index.json"
COUNTS = [
    *("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads"),
    *("num_key_value_heads", "head_dim", "draft_vocab_size", "max_position_embeddings"),
]
SWITCHES = ["tie_word_embeddings", "attention_bias", "mlp_bias", "use_sliding_window"]
NUMBERS = ["rms_norm_eps", "rope_theta"]
OTHERS = ["model_type", "architectures", "hidden_act", "eos_token_id", "rope_scaling", "rope_parameters"]
KEYS = [*COUNTS, *SWITCHES, *NUMBERS, *OTHERS]
ODD = [
    *(None, True, False, 0, 1, -1, 2, 3, 7, 9, 64, 10**6, 10**9, 10**12, 10**30, 10**400, -(10**12)),
    *(0.0, 1.5, 64.0, 1e-300, 1e300, -0.0, "", "8", "silu", "llama", "true", "x" * 100_000, "\ud800", "\x00"),
    *([], [1], [[1]], ["LlamaForCausalLM"], ["a", "b"], {}, {"rope_type": "default"}, {"a": {"b": 1}}, [0] * 5000),
]
ROPES = [
    {"rope_type": "default", "rope_theta": 5e5},
    {"type": "default", "rope_theta": 5e5},
    {"rope_type": "default", "type": "linear"},
    {"rope_type": "yarn", "factor": 4.0},
    {"rope_theta": "many"},
    {"rope_theta": None},
    {"rope_theta": 1e-300},
]


def settings_of(folder: Path) -> dict:
    return json.loads((folder / "config.json").read_text(encoding="utf-8-sig"))


def write_settings(folder: Path, settings: dict) -> None:
    (folder / "config.json").write_text(json.dumps(settings), encoding="utf-8")


def odd_value(folder, rng):
    key = str(rng.choice(KEYS))
    write_settings(folder, settings_of(folder) | {key: ODD[rng.integers(len(ODD))]})
    return (key,)


def odd_size(folder, rng):
    """Another size, of the right kind."""
    key, settings = str(rng.choice(COUNTS)), settings_of(folder)
    size = int(settings.get(key, 8))
    sizes = [size + 1, size * 2, max(1, size // 2), size - 1, 10**15]
    write_settings(folder, settings | {key: int(rng.choice(sizes))})
    return (key,)


def other_number(folder, rng):
    """A number that the reader of a folder may choose."""
    key = str(rng.choice([*NUMBERS, "eos_token_id", "max_position_embeddings"]))
    value = {"rms_norm_eps": 1e-3, "rope_theta": 5e5, "eos_token_id": [3, 5], "max_position_embeddings": 99}[key]
    write_settings(folder, settings_of(folder) | {key: value})
    return (key,)


def two_odd_values(folder, rng):
    return odd_value(folder, rng) + odd_value(folder, rng)


def dropped_key(folder, rng):
    settings = settings_of(folder)
    key = str(rng.choice(list(settings)))
    del settings[key]
    write_settings(folder, settings)
    return (key,)


def odd_rope(folder, rng):
    key = str(rng.choice(["rope_scaling", "rope_parameters"]))
    write_settings(folder, settings_of(folder) | {key: ROPES[rng.integers(len(ROPES))]})
    return (key,)


def repeated_key(folder, rng):
    settings = settings_of(folder)
    key = str(rng.choice(list(settings)))
    text = json.dumps(settings)
    (folder / "config.json").write_text(f'{text[:-1]}, "{key}": {json.dumps(settings[key])}}}', encoding="utf-8")
    return (key,)


def damaged_text(folder, rng, name="config.json"):
    """Bytes of a JSON file that are cut, changed, marked, nested or of another encoding."""
    data = (folder / name).read_bytes()
    cut, place = int(rng.integers(len(data))), int(rng.integers(len(data)))
    flipped = data[:place] + bytes([data[place] ^ (128 >> rng.integers(2) * 7)]) + data[place + 1 :]
    damages = [
        *(b"", b"null", b"[1]", b"\xff\xfe{}", data[:cut], flipped, data + b"}", data + data, b"\xef\xbb\xbf" + data),
        *(data.decode().encode("utf-16"), b"[" * 10**5, b'{"a":' * 10**5, data[:-3] + b', "a": NaN}', b"\0" * 64),
        *(data.rstrip()[:-1] + b', "a": -Infinity}', data.rstrip()[:-1] + b', "a": 1' + b"0" * 9999 + b"}"),
    ]
    (folder / name).write_bytes(damages[rng.integers(len(damages))])
    return (name,)


def tensors_of(folder: Path) -> dict[str, np.ndarray]:
    return load_file(folder / SINGLE)


def some_tensor(folder, rng):
    tensors = tensors_of(folder)
    return tensors, str(rng.choice(sorted(tensors)))


def dropped_tensor(folder, rng):
    tensors, name = some_tensor(folder, rng)
    del tensors[name]
    save_file(tensors, folder / SINGLE)
    return (name,)


def renamed_tensor(folder, rng):
    tensors, name = some_tensor(folder, rng)
    other = str(rng.choice([f"{name}2", name.upper(), f"model.layers.77.{name}", "\n", "é" * 9999]))
    tensors[other] = tensors.pop(name)
    save_file(tensors, folder / SINGLE)
    return name, other, "77"


def doubled_tensor(folder, rng):
    tensors, name = some_tensor(folder, rng)
    tensors[f"{name}.copy"] = tensors[name].copy()
    save_file(tensors, folder / SINGLE)
    return (f"{name}.copy",)


def many_tensors(folder, rng):
    extra = {f"extra.{index}": np.zeros(1, dtype=np.float32) for index in range(500)}
    save_file(tensors_of(folder) | extra, folder / SINGLE)
    return ("and 480 more",)


def reshaped_tensor(folder, rng):
    tensors, name = some_tensor(folder, rng)
    array = tensors[name]
    shapes = [array.reshape(-1)[:-1], array[None], array[..., None], np.concatenate([array, array]), array[:0]]
    tensors[name] = np.ascontiguousarray(shapes[rng.integers(len(shapes))])
    save_file(tensors, folder / SINGLE)
    return (name,)


def retyped_tensor(folder, rng):
    tensors, name = some_tensor(folder, rng)
    kinds = [np.int64, np.int32, np.int8, np.uint8, bool, np.float64, np.uint32, np.complex64]
    with np.errstate(all="ignore"):
        tensors[name] = tensors[name].astype(kinds[rng.integers(len(kinds))])
    save_file(tensors, folder / SINGLE)
    return (name,)


def spoiled_values(folder, rng):
    tensors, name = some_tensor(folder, rng)
    if tensors[name].dtype.kind == "f":
        tensors[name].flat[rng.integers(tensors[name].size)] = rng.choice([np.nan, np.inf, -np.inf])
    else:
        tensors[name].flat[rng.integers(tensors[name].size)] ^= 1
    save_file(tensors, folder / SINGLE)
    return name, "d2t", "t2d"


def damaged_header(folder, rng):
    """Bits, length and ends of a safetensors file; its numbers are left alone, as any number is a weight."""
    data = bytearray((folder / SINGLE).read_bytes())
    end = 8 + int.from_bytes(data[:8], "little")
    way = rng.integers(6)
    if way < 3:
        data[int(rng.integers(end))] ^= 1 << int(rng.integers(8))
    elif way == 3:
        del data[int(rng.integers(len(data))) :]
    elif way == 4:
        data += b"\0" * int(rng.integers(1, 99))
    else:
        data[:8] = int(rng.integers(2**62)).to_bytes(8, "little")
    (folder / SINGLE).write_bytes(data)
    return (SINGLE, "config.json")


def odd_header(folder, rng):
    """A header that says what safetensors allows, or nearly so."""
    entry = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
    sayings = [
        {"a": ["F32", [1], [0, 4]]},
        {"a": entry | {"more": 1}},
        {"a": entry | {"shape": [2**63, 2**63]}},
        {"a": entry | {"dtype": "F8_E4M3"}},
        {"a": entry, "__metadata__": {"a": "b" * 10**5}},
        {"a": None},
        {},
    ]
    header = json.dumps(sayings[rng.integers(len(sayings))]).encode()
    (folder / SINGLE).write_bytes(len(header).to_bytes(8, "little") + header + b"\0" * 4)
    return SINGLE, "config.json"


def shard(folder: Path) -> dict[str, str]:
    """Put the tensors into two shards and return the index's map, which is still to be written."""
    tensors = tensors_of(folder)
    (folder / SINGLE).unlink()
    weight_map = {name: f"{'ab'[place % 2]}.safetensors" for place, name in enumerate(sorted(tensors))}
    for file in ("a.safetensors", "b.safetensors"):
        save_file({name: tensors[name] for name, home in weight_map.items() if home == file}, folder / file)
    return weight_map


def shards(folder, rng):
    """Two shards and their index, right or at odds."""
    weight_map = shard(folder)
    name = str(rng.choice(list(weight_map)))
    home = weight_map[name]
    other = {"a.safetensors": "b.safetensors", "b.safetensors": "a.safetensors"}[home]
    stale = load_file(folder / other) | {name: load_file(folder / home)[name]}
    way = rng.integers(9)
    if way == 1:  # a copy in the other shard too
        save_file(stale, folder / other)
    elif way == 2:
        weight_map[name] = other
    elif way == 3:
        del weight_map[name]
    elif way == 4:
        weight_map["nowhere"] = home
    elif way == 5:
        (folder / home).unlink()
    elif way == 6:
        weight_map["x"] = str(
            rng.choice(["", ".", "..", "../x", "/dev/zero", "a\x00b", "x" * 9999, "gone.safetensors"])
        )
    elif way == 7:
        save_file(stale, folder / SINGLE)
    elif way == 8:  # in a shard that nobody names: it is not read
        save_file(stale, folder / "c.safetensors")
    (folder / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": weight_map}), encoding="utf-8")
    return name, INDEX, f"{home}", "nowhere"


def odd_index(folder, rng):
    weight_map = shard(folder)
    (folder / INDEX).write_text(json.dumps({"weight_map": weight_map}), encoding="utf-8")
    if rng.integers(2):
        return damaged_text(folder, rng, INDEX)
    odd = ODD[rng.integers(len(ODD))]
    changed = {"weight_map": odd} if rng.integers(2) else {"weight_map": weight_map | {"x": odd}}
    (folder / INDEX).write_text(json.dumps(changed), encoding="utf-8")
    return INDEX, "config.json"


SPECIALS = {"a folder": Path.mkdir, "nothing": lambda path: None, "empty": Path.touch}
if hasattr(os, "mkfifo"):
    SPECIALS |= {
        "a pipe": os.mkfifo,
        "an endless device": lambda path: path.symlink_to("/dev/zero"),
        "a terminal": lambda path: path.symlink_to("/dev/tty"),
        "a link to nowhere": lambda path: path.symlink_to("nowhere"),
        "a link to itself": lambda path: path.symlink_to(path.name),
        "a path through a file": lambda path: path.symlink_to("README/x"),
        "a name too long": lambda path: path.symlink_to("x" * 300),
        "a file of holes": lambda path: (path.touch(), os.truncate(path, 2**40)),
    }
SPECIAL_FILES = ["config.json", SINGLE, INDEX, "tokenizer.json", "generation_config.json"]


def special_file(folder, rng):
    name, kind = str(rng.choice(SPECIAL_FILES)), str(rng.choice(sorted(SPECIALS)))
    (folder / "README").write_text("a file")
    (folder / name).unlink(missing_ok=True)
    SPECIALS[kind](folder / name)
    return name, "model.safetensors"


def odd_end_ids(folder, rng):
    path = folder / "generation_config.json"
    path.write_text(json.dumps({"eos_token_id": ODD[rng.integers(len(ODD))]}), encoding="utf-8")
    return damaged_text(folder, rng, path.name) if rng.integers(3) == 0 else (path.name, "eos_token_id")


def words_of(folder: Path) -> dict:
    """The settings of the folder's tokenizer; a small one is made where there is none."""
    path = folder / "tokenizer.json"
    if not path.exists():
        words = Tokenizer(WordLevel({word: place for place, word in enumerate("abcdef")}, unk_token="a"))
        words.pre_tokenizer = CharDelimiterSplit(" ")
        words.save(str(path))
    return json.loads(path.read_text(encoding="utf-8"))


def odd_words(folder, rng):
    """A tokenizer with switches that must change nothing, and others that cannot work."""
    words, way = words_of(folder), rng.integers(12)
    cut = {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": int(rng.choice([0, 1, 99]))}
    pad = {"strategy": {"Fixed": 50}, "direction": "Left", "pad_id": 0, "pad_type_id": 0, "pad_token": "a"}
    template = {"type": "TemplateProcessing", "pair": [], "single": [{"SpecialToken": {"id": "q", "type_id": 0}}]}
    regex = {"type": "Split", "behavior": "Isolated", "invert": False}
    changes = [
        {"truncation": cut},
        {"padding": pad | {"pad_to_multiple_of": None}},
        {"truncation": cut, "padding": pad | {"pad_to_multiple_of": 7}},
        {"pre_tokenizer": regex | {"pattern": {"Regex": "("}}},
        {"pre_tokenizer": regex | {"pattern": {"Regex": "(a*)*$"}}},
        {"pre_tokenizer": {"type": "FixedLength", "length": 0}},
        {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"}},
        {"post_processor": template | {"special_tokens": {}}},
        {"post_processor": template | {"special_tokens": {"q": {"id": "q", "ids": [99999], "tokens": ["q"]}}}},
        {"added_tokens": [{"id": int(rng.choice([5000, 2**31, 2**40])), "content": "zz", "special": False}]},
        {"model": ODD[rng.integers(len(ODD))]},
        {"model": {"type": "WordLevel", "vocab": {"zzz": 0}, "unk_token": "none"}, "pre_tokenizer": None},
    ]
    (folder / "tokenizer.json").write_text(json.dumps(words | changes[way]), encoding="utf-8")
    return ("tokenizer",)


def damaged_words(folder, rng):
    words_of(folder)
    return damaged_text(folder, rng, "tokenizer.json")


MUTATIONS = [
    *(odd_value, odd_value, odd_value, odd_size, other_number, two_odd_values, dropped_key, odd_rope, repeated_key),
    *(damaged_text, dropped_tensor, renamed_tensor, doubled_tensor, many_tensors, reshaped_tensor, retyped_tensor),
    *(spoiled_values, damaged_header, damaged_header, odd_header, shards, shards, odd_index, special_file),
    *(special_file, odd_end_ids, odd_words, damaged_words),
]
