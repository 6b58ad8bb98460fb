"""The tensors of a model folder by name and shape, from safetensors: no pickle is opened, nothing is fetched.

First the headers are read and compared with what is needed, then the tensors, one by one.
"""

import math
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import safetensors
from safetensors.numpy import save_file

from .files import check_regular, named, parse_json, read_json

HEADER_LIMIT = 100_000_000  # bytes, as safetensors has it

# How numbers are stored, for each kind of tensor; bfloat16 is unknown to numpy: it is the upper half of a float32.
FLOATS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
INTEGERS = {"I64": "<i8", "I32": "<i4"}
MARKS = {"BOOL": "?", "U8": "u1"}


class Stored(NamedTuple):
    """One tensor as a file's header describes it."""

    file: Path
    dtype: str
    shape: tuple[int, ...]
    start: int  # of its bytes in the file


class Tensors:
    """The tensors of one folder: `check` compares their headers, `take` and `matrix` read them by name.

    Raises `ValueError` for files that are damaged, of another kind, or at odds with their index.
    """

    def __init__(self, folder):
        self.folder = Path(folder)
        self.stored = _find(self.folder)

    def __contains__(self, name: str) -> bool:
        return name in self.stored

    def check(self, shapes: dict[str, tuple[int, ...]], optional=()) -> None:
        """Raise `ValueError` unless the folder holds just the tensors of `shapes`; the `optional` ones may lack."""
        missing = [name for name in shapes if name not in self.stored and name not in optional]
        left_over = sorted(self.stored.keys() - shapes.keys())
        if missing or left_over:
            fault = f"missing: {named(missing)}; left over: {named(left_over)}"
            raise ValueError(f"{named([self.folder])}: the weights do not fit config.json; {fault}")
        for name, stored in self.stored.items():
            if stored.shape != shapes[name]:
                fault = f"has shape {list(stored.shape)}, but config.json says {list(shapes[name])}"
                raise ValueError(f"{named([stored.file])}: {name} {fault}")

    def take(self, name: str, formats: dict[str, str] = FLOATS) -> np.ndarray:
        """The tensor `name` as it is shaped in its file; float32 if it holds floats."""
        file, dtype, shape, start = self.stored[name]
        place = f"{named([file])}: {name}"
        if dtype not in formats:
            raise ValueError(f"{place} is stored as {dtype}: {', '.join(formats)} can be read here")
        array = np.fromfile(file, formats[dtype], math.prod(shape), offset=start).reshape(shape)
        if formats is not FLOATS:
            return array
        if dtype == "BF16":
            array = (array.astype(np.uint32) << 16).view(np.float32)
        with np.errstate(over="ignore"):  # refused below
            array = array.astype(np.float32, copy=False)
        if not np.isfinite(array).all():
            raise ValueError(f"{place} holds values that are not finite")
        return array

    def matrix(self, name: str) -> np.ndarray:
        """A weight matrix, turned from Hugging Face's `[out, in]` to `[in, out]`."""
        return np.ascontiguousarray(self.take(name).T)


def write_tensors(tensors: dict[str, np.ndarray], folder: Path) -> None:
    """Write tensors as a folder's weights, in the mark of torch's layout that other libraries look for."""
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def _find(folder: Path) -> dict[str, Stored]:
    """Every tensor of a folder's weights, from one file or from the shards that an index names."""
    single, index = folder / "model.safetensors", folder / "model.safetensors.index.json"
    if os.path.lexists(index):
        if os.path.lexists(single):
            raise ValueError(f"{named([folder])} holds {single.name} and {index.name}: one of the two is stale")
        return _read_shards(folder, index)
    if os.path.lexists(single):
        return _read_header(single)
    pickles = sorted(path.name for pattern in ("*.bin", "*.pt", "*.pth") for path in folder.glob(pattern))
    hint = f"; {named(pickles)} is pickle, which is never opened: convert it first" if pickles else ""
    raise ValueError(f"{named([folder])} holds no model.safetensors{hint}")


def _read_shards(folder: Path, index: Path) -> dict[str, Stored]:
    """The tensors of all shards; each must lie in the shard that the index names for it, and in no other."""
    place, weight_map = named([index]), read_json(index).get("weight_map")
    if not isinstance(weight_map, dict) or not all(isinstance(name, str) for name in weight_map.values()):
        raise ValueError(f"{place} has no weight_map of tensor names to file names")
    files = sorted(set(weight_map.values()))
    if outside := [name for name in files if Path(name).name != name or name in ("", "..")]:
        raise ValueError(f"{place} names files outside its folder: {named(outside)}")
    if missing := [name for name in files if not os.path.lexists(folder / name)]:
        raise ValueError(f"{place} names files that are missing: {named(missing)}")
    found: dict[str, Stored] = {}
    for file in files:
        shard = _read_header(folder / file)
        if strange := [f"{name} ({weight_map.get(name, 'nowhere')})" for name in shard if weight_map.get(name) != file]:
            raise ValueError(f"{named([folder / file])} holds what {place} says lies elsewhere: {named(strange)}")
        found |= shard
    if lacking := [f"{name} ({file})" for name, file in weight_map.items() if name not in found]:
        raise ValueError(f"{place} names tensors that are not in their files: {named(lacking)}")
    return found


def _read_header(file: Path) -> dict[str, Stored]:
    """What a safetensors file says of its tensors; safetensors itself checks that their bytes are there."""
    check_regular(file)
    fault = f"{named([file])} is not a readable safetensors file"
    try:
        with open(file, "rb") as opened:
            length = int.from_bytes(opened.read(8), "little")
            header = parse_json(opened.read(min(length, HEADER_LIMIT)), f"{fault}: its header")
        with safetensors.safe_open(file, "np"):
            pass
    except (OSError, safetensors.SafetensorError) as error:
        raise ValueError(f"{fault}: {error!s:.300}") from None
    header.pop("__metadata__", None)
    if not all(isinstance(entry, dict) for entry in header.values()):  # safetensors takes lists of the values too
        raise ValueError(f"{fault}: an entry of its header is no object")
    return {
        name: Stored(file, entry["dtype"], tuple(entry["shape"]), 8 + length + entry["data_offsets"][0])
        for name, entry in header.items()
    }
