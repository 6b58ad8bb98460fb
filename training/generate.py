"""Lets a target write the text that its drafters learn from: its own answers to the prompts of `prompts.py`.

    python -m training.generate --out training/smollm2/train.npz

Every prompt is answered twice, once greedily and once at temperature 0.8, many prompts at a time. Parts are kept in
`--work`: after a kill the same command goes on with the next one. The result holds token ids of 16 bits, text after
text, each prompt's greedy answer before its drawn one; how long text and prompt are, and which prompt it is.
"""

import argparse
import random
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from training.prompts import read_prompts
from training.targets import device, open_target
from training.torch_llama import TorchLlama

TEMPERATURES = np.array([0.0, 0.8])


def answer(target: TorchLlama, prompts: list[list[int]], limit: int, ends: set[int], seed: int) -> list[list[int]]:
    """The continuations of several prompts, each at all `TEMPERATURES`, up to an end token or `limit` tokens."""
    cache, hidden, pads, shared = read(target, prompts)
    copies = len(TEMPERATURES)
    cache.both, hidden = cache.both.repeat_interleave(copies, 2), hidden.repeat_interleave(copies, 0)
    pads = pads.repeat(copies)
    texts, alive, done = [[] for _ in pads], np.arange(len(pads)), np.zeros(len(pads), bool)
    heat, generator = np.tile(TEMPERATURES, len(prompts)), torch.Generator().manual_seed(seed)
    for _ in range(limit):
        tokens = draw(target.logits(hidden), heat[alive], generator)
        for row, token in zip(alive, tokens.tolist(), strict=True):
            if not done[row]:
                texts[row].append(token)
        done[alive[np.isin(tokens, list(ends))]] = True
        if done.all():
            break
        if done[alive].mean() > 1 / 8:  # a copy of all that is cached costs more than a few rows too many
            going = np.flatnonzero(~done[alive])
            alive, tokens = alive[going], tokens[going]
            cache.both = cache.both[:, :, torch.from_numpy(going).to(cache.both.device)]
        rows = np.arange(cache.length + 1)
        seen = (rows < shared) | (rows >= shared + pads[alive, None])  # [batch, rows]
        positions = cache.length - pads[alive, None]
        hidden = target.forward(tokens[:, None], cache, positions, seen[:, None]).hidden[:, -1]
    return texts


def read(target: TorchLlama, prompts: list[list[int]]):
    """Read what all begin with once: (cache, hidden after each `[batch, H]`, padding of each, rows before that)."""
    shortest = min(map(len, prompts)) - 1  # what is read of each alone is one token at least
    shared = next((n for n in range(shortest) if len({prompt[n] for prompt in prompts}) > 1), shortest)
    first, cache = target.new_cache(), target.new_cache(len(prompts))
    if shared:
        target.forward(prompts[0][:shared], first)
    cache.both, cache.length = first.both.repeat(1, 1, len(prompts), 1, 1, 1), shared
    width = max(map(len, prompts)) - shared
    pads = np.array([width + shared - len(prompt) for prompt in prompts])
    tokens = np.array([[0] * pad + prompt[shared:] for pad, prompt in zip(pads, prompts, strict=True)])
    real = np.arange(width) >= pads[:, None]  # [batch, rows]
    mask = np.tri(width, dtype=bool) & real[:, None] | np.eye(width, dtype=bool)
    positions = shared + np.maximum(np.arange(width) - pads[:, None], 0)
    return cache, target.forward(tokens, cache, positions, mask).hidden[:, -1], pads, shared


def draw(logits: np.ndarray, temperatures: np.ndarray, generator) -> np.ndarray:
    """One token a row: the likeliest at temperature 0, else drawn."""
    found, hot = logits.argmax(-1), temperatures > 0
    if hot.any():
        law = torch.from_numpy(logits[hot] / temperatures[hot, None]).softmax(-1)
        found[hot] = torch.multinomial(law, 1, generator=generator)[:, 0].numpy()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--target", default="smollm2", help="smollm2, or a Hugging Face folder")
    parser.add_argument("--split", default="train", help="train, validation or held")
    parser.add_argument("--prompts", type=int, help="so many of the split's prompts; default: all")
    parser.add_argument("--limit", type=int, default=144, help="new tokens of a text at most")
    parser.add_argument("--batch", type=int, default=96, help="prompts at a time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument(
        "--share", default="0/1", help="0/2 and 1/2: two processes side by side, faster than two threads"
    )
    parser.add_argument("--work", default="training/checkpoints/text", help="folder for the parts")
    parser.add_argument("--out", required=True, help="the file that they become")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    pair = open_target(options.target)
    target, ends = TorchLlama(pair.target, device=device()), set(pair.eos_ids)
    encode = pair.chat if pair.chat_template else pair.encode
    asked = [encode(prompt.text) for prompt in read_prompts(options.split)[: options.prompts]]
    order = random.Random(options.seed).sample(range(len(asked)), len(asked))
    work = Path(options.work) / options.split
    work.mkdir(parents=True, exist_ok=True)
    mine, processes = map(int, options.share.split("/"))
    parts = [order[start : start + options.batch] for start in range(0, len(order), options.batch)]
    for number in tqdm(range(mine, len(parts), processes), mininterval=10):
        part, chosen = work / f"{number:04d}.npz", parts[number]
        if not part.exists():
            texts = answer(target, [asked[i] for i in chosen], options.limit, ends, options.seed * 1000 + number)
            rows = [(i, asked[i], text) for i, text in zip(np.repeat(chosen, len(TEMPERATURES)), texts, strict=True)]
            write(part, rows)
    files = [work / f"{number:04d}.npz" for number in range(len(parts))]
    if all(file.exists() for file in files):
        join(files, options.out)


def join(parts: list[Path], out: str) -> None:
    """All parts as one file, compressed."""
    loaded = [np.load(part) for part in parts]
    together = {name: np.concatenate([part[name] for part in loaded]) for name in loaded[0].files}
    np.savez_compressed(out, **together)
    print(f"{len(together['lengths'])} texts, {len(together['ids']):,} tokens, {Path(out).stat().st_size:,} bytes")


def write(path: Path, rows) -> None:
    """Keep (prompt's number, prompt, text) rows; the file is there as a whole or not at all."""
    half = path.with_suffix(".half")
    with open(half, "wb") as file:
        np.savez_compressed(
            file,
            ids=np.concatenate([[*prompt, *text] for _, prompt, text in rows]).astype(np.uint16),
            lengths=np.array([len(prompt) + len(text) for _, prompt, text in rows], dtype=np.uint16),
            prompts=np.array([len(prompt) for _, prompt, _ in rows], dtype=np.uint16),
            numbers=np.array([number for number, _, _ in rows], dtype=np.uint16),
        )
    half.replace(path)


if __name__ == "__main__":
    main()
