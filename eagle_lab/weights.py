"""The tensors of a model folder by name and shape, from safetensors: no pickle is opened, nothing is fetched."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import safetensors


class Tensors:
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


def read_json(path: Path) -> dict:
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not readable JSON: {error}") from None
    if not isinstance(settings, dict):
        raise ValueError(f"{path} must hold an object of settings")
    return settings


def _weight_files(folder: Path) -> list[Path]:
    single, index = folder / "model.safetensors", folder / "model.safetensors.index.json"
    if single.exists():
        return [single]
    if not index.exists():
        pickles = [path.name for pattern in ("*.bin", "*.pt", "*.pth") for path in folder.glob(pattern)]
        hint = f"; {', '.join(pickles)} is pickle, which is never opened: convert it first" if pickles else ""
        raise ValueError(f"{folder} holds no model.safetensors{hint}")
    weight_map = read_json(index).get("weight_map")
    if not isinstance(weight_map, dict) or not all(isinstance(name, str) for name in weight_map.values()):
        raise ValueError(f"{index} has no weight_map of tensor names to file names")
    names = sorted(set(weight_map.values()))
    if any(Path(name).name != name for name in names):
        raise ValueError(f"{index} names files outside its folder")
    return [folder / name for name in names]


def _read_weights(file: Path) -> Iterator[tuple[str, np.ndarray]]:
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
