"""What a reader gets of SmolLM2-135M on this machine: `python -m measure.smollm2 [parts]`; the weights must be there.

logits: against transformers' own loading of the same GGUF (torch, transformers and accelerate must be there).
load: a second load, the first picture, a slider's move, the resident memory.
seconds: with drafts against plain decoding, both in numpy, by domain, at one shape; --torch: both in bfloat16 on torch.
"""

import argparse
import resource
import time
from dataclasses import replace
from statistics import median

import numpy as np

from eagle_lab import greedy_decode, load_pair, speculative_decode, tree_panel
from eagle_lab.growth import TreeShape
from eagle_lab.packaged import source_of, unpacked
from eagle_lab.trials import first_gap
from training.prompts import read_prompts

SHAPE = TreeShape(top_k=3, depth=4, budget=7)  # a first guess: to be chosen on the validation prompts


def logits(_options) -> None:
    """The largest difference, and how often the first choice is the same, on 500 positions of held-out prompts."""
    import torch
    from transformers import AutoModelForCausalLM

    pair, source = load_pair(target=unpacked("smollm2")), source_of("smollm2")
    theirs = AutoModelForCausalLM.from_pretrained(source.parent, gguf_file=source.name, dtype=torch.float32).eval()
    worst, same, seen = 0.0, 0, 0
    for prompt in read_prompts("held"):
        ids = pair.chat(prompt.text)
        ours = pair.target.logits(pair.target.forward(ids, pair.target.new_cache()).hidden)
        with torch.no_grad():
            other = theirs(torch.tensor([ids])).logits[0].numpy()
        worst = max(worst, float(np.abs(ours - other).max()))
        same, seen = same + int((ours.argmax(1) == other.argmax(1)).sum()), seen + len(ids)
        if seen >= 500:
            break
    print(f"logits: largest difference {worst:.1e}, first choice the same on {same} of {seen} positions")


def load(_options) -> None:
    """Seconds and memory of a fresh kernel, and of what a hand does in it."""
    start = time.perf_counter()
    pair = load_pair("smollm2")
    print(f"load_pair, unpacked before: {time.perf_counter() - start:.2f} s")
    start = time.perf_counter()
    panel = tree_panel(pair, read_prompts("validation")[0].text)
    print(f"first picture after it: {time.perf_counter() - start:.2f} s")
    panel.set_together({"budget": 15})
    moves = []
    for weight in np.linspace(0.2, 0.9, 11):
        start = time.perf_counter()
        panel.set_together({"mid": float(weight)})
        moves.append(time.perf_counter() - start)
    print(f"a slider's move at 15 nodes: median {median(moves):.2f} s, {len(moves)} moves, at most {max(moves):.2f} s")
    print(f"resident at most: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


def seconds(options) -> None:
    """Medians over prompts of the ratio plain / drafted, each prompt's two ways in turn, by domain."""
    pair = load_pair("smollm2")
    if options.torch:
        import torch

        from training.torch_llama import TorchLlama

        torch.set_num_threads(options.threads)
        pair = replace(pair, target=TorchLlama(pair.target, torch.bfloat16))
    shape = {"top_k": options.shape[0], "depth": options.shape[1], "budget": options.shape[2]}
    by_domain: dict[str, list] = {}
    for prompt in read_prompts(options.split):
        found = by_domain.setdefault(prompt.domain, [])
        if len(found) >= options.prompts:
            continue
        ids = pair.chat(prompt.text)
        plain, drafted = [], []
        for _ in range(options.pairs):
            start = time.perf_counter()
            text = greedy_decode(pair.target, ids, options.tokens, eos_id=pair.eos_ids)
            middle = time.perf_counter()
            run = speculative_decode(pair, ids, options.tokens, eos_id=pair.eos_ids, **shape)
            plain.append(middle - start)
            drafted.append(time.perf_counter() - middle)
        place, gap = first_gap(pair.target, ids, text, run.tokens)
        note = "" if place is None else f", texts part at {place} (gap {gap:.3f})"
        found.append((median(p / d for p, d in zip(plain, drafted, strict=True)), run.tau))
        ratio, tau = found[-1]
        print(f"  {prompt.domain}: {ratio:.2f} ×, τ {tau:.2f}, {median(plain) / len(text) * 1e3:.0f} ms a token{note}")
    for domain, found in by_domain.items():
        ratios = [ratio for ratio, _ in found]
        error = np.std(ratios, ddof=1) / len(ratios) ** 0.5
        print(f"{domain}: {np.mean(ratios):.2f} × ± {error:.2f}, {len(ratios)} prompts")
    print(f"mean of the domains: {np.mean([np.mean([r for r, _ in found]) for found in by_domain.values()]):.2f} ×")


PARTS = {"logits": logits, "load": load, "seconds": seconds}


def main() -> None:
    """Run the parts that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=list(PARTS))
    parser.add_argument("--split", default="held")
    parser.add_argument("--prompts", type=int, default=10, help="of each domain")
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--pairs", type=int, default=3, help="runs of both ways for each prompt")
    parser.add_argument("--shape", type=int, nargs=3, default=[SHAPE.top_k, SHAPE.depth, SHAPE.budget])
    parser.add_argument("--torch", action="store_true", help="the target in bfloat16 on torch")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    for part in options.parts or PARTS:
        PARTS[part](options)


if __name__ == "__main__":
    main()
