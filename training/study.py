"""Reads a target's texts with the target once, and keeps what its drafters learn from.

    python -m training.study --texts training/smollm2/train.npz --out training/checkpoints/train

For every token: the features at the three taps and the state before the vocabulary, in half precision, memory-mapped
(8 bytes a token and hidden unit); what the target chooses after it; and the logarithm by which its law is normalised.
"""

import argparse
import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from tqdm import tqdm

from training.targets import device, open_target
from training.torch_llama import TorchLlama

TAPS = 3
BATCH = 24  # texts that are read at a time


class Texts(NamedTuple):
    """Texts by a target, one after the other: `ids` `[tokens]`; the rest `[texts]`."""

    ids: np.ndarray
    starts: np.ndarray  # where each begins
    lengths: np.ndarray  # of prompt and answer
    prompts: np.ndarray  # of the prompt alone
    numbers: np.ndarray  # which prompt of its split it answers


def read_texts(path) -> Texts:
    """The texts of a file as `generate` writes it."""
    with np.load(path) as file:
        lengths, prompts, numbers = (file[name].astype(np.int64) for name in ("lengths", "prompts", "numbers"))
        return Texts(file["ids"].astype(np.int64), np.cumsum(lengths) - lengths, lengths, prompts, numbers)


class Study(NamedTuple):
    """Texts and what the target made of them."""

    texts: Texts
    states: np.ndarray  # half [tokens, TAPS + 1, hidden]: the taps, then the state before the vocabulary
    choices: np.ndarray  # [tokens]: the likeliest token after each
    norms: np.ndarray  # single [tokens]: log of the sum over exp(logits)


def open_study(folder) -> Study:
    """A study as `write_study` left it; the states stay on disk."""
    folder = Path(folder)
    states = np.load(folder / "states.npy", mmap_mode="r")
    choices, norms = (np.load(folder / f"{name}.npy") for name in ("choices", "norms"))
    return Study(read_texts(folder / "texts.npz"), states, choices, norms)


def write_study(target: TorchLlama, texts_path, folder, share: str = "0/1") -> None:
    """Read all texts, those of like length together, and keep what `Study` holds; goes on where it was stopped.

    `share`: "0/2" and "1/2" for two processes side by side, each of which reads every second batch.
    """
    folder, texts = Path(folder), read_texts(texts_path)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "texts.npz").write_bytes(Path(texts_path).read_bytes())
    tokens, (mine, processes) = len(texts.ids), map(int, share.split("/"))
    states = _on_disk(folder / "states.npy", np.float16, (tokens, TAPS + 1, target.config.hidden_size))
    choices, norms = (
        _on_disk(folder / "choices.npy", np.uint16, (tokens,)),
        _on_disk(folder / "norms.npy", np.float32, (tokens,)),
    )
    order, progress = np.argsort(-texts.lengths, kind="stable"), folder / f"done-{mine}-of-{processes}.txt"
    batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)][mine::processes]
    done = int(progress.read_text()) if progress.exists() else 0
    for number in tqdm(range(done, len(batches)), initial=done, total=len(batches), mininterval=10):
        _read(target, texts, batches[number], states, choices, norms)
        progress.write_text(str(number + 1))


def _on_disk(path: Path, dtype, shape) -> np.ndarray:
    """An array that lives in a file, made if it is not there."""
    if not path.exists():
        half = path.with_suffix(f".{os.getpid()}")
        np.lib.format.open_memmap(half, "w+", dtype, shape).flush()
        with suppress(FileExistsError):  # another process was first
            os.link(half, path)
        half.unlink()
    return np.lib.format.open_memmap(path, "r+")


def _read(target: TorchLlama, texts: Texts, chosen: np.ndarray, states, choices, norms) -> None:
    """Read the texts `chosen`, padded on the right, and keep what becomes of their rows."""
    rows = np.zeros((len(chosen), texts.lengths[chosen].max()), np.int64)
    for row, text in zip(rows, chosen, strict=True):
        row[: texts.lengths[text]] = texts.ids[texts.starts[text] :][: texts.lengths[text]]
    hidden, features = target.forward(rows, target.new_cache(len(rows)))
    for row, text in enumerate(chosen):
        first, length, prompt = texts.starts[text], texts.lengths[text], texts.prompts[text]
        states[first : first + length, :TAPS] = features[:, row, :length].swapaxes(0, 1)
        states[first : first + length, TAPS] = hidden[row, :length].float().cpu().numpy()
        logits = torch.from_numpy(target.logits(hidden[row, prompt - 1 : length]))
        answer = slice(first + prompt - 1, first + length)
        choices[answer], norms[answer] = logits.argmax(-1).numpy(), logits.logsumexp(-1).numpy()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--target", default="smollm2", help="smollm2, or a Hugging Face folder")
    parser.add_argument("--texts", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument(
        "--share", default="0/1", help="0/2 and 1/2: two processes side by side, faster than two threads"
    )
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    target = TorchLlama(open_target(options.target).target, device=device())
    write_study(target, options.texts, options.out, options.share)


if __name__ == "__main__":
    main()
