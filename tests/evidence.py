"""The figures that README states about the shipped pair, computed anew: `make evidence`."""

import time
from dataclasses import dataclass
from itertools import product

import numpy as np
from tqdm import tqdm

from eagle_lab import greedy_decode, load_pair, speculative_decode
from eagle_lab.decode import Decoding
from training.grammar import held_out_prompts

NEW_TOKENS = 60
PROMPTS = 50  # of each language
SHAPES = [(4, 5, 16), (1, 4, 4), (2, 3, 6), (10, 8, 59)]  # top_k, depth, budget
WEIGHTS = [(1, 1, 1), (1, 0, 0), (0.2, 0.3, 0.5)]
TIE = 1e-4


@dataclass
class Tally:
    """What came of comparing speculative with plain decoding."""

    runs: int = 0
    tokens: int = 0
    ties: int = 0
    differing: int = 0


def top_gap(target, tokens: list[int]) -> float:
    """The target's margin between its first and second choice after `tokens`."""
    logits = np.sort(target.logits(target.forward(tokens, target.new_cache()).hidden[-1]))
    return float(logits[-1] - logits[-2])


def compare(pair, prompt: list[int], plain: list[int], decoding: Decoding, tally: Tally) -> None:
    """Count one run; a divergence is a tie only where the target itself hardly preferred its choice."""
    tally.runs += 1
    tally.tokens += len(plain)
    if decoding.tokens == plain:
        return
    place = next(i for i, (a, b) in enumerate(zip(decoding.tokens, plain, strict=True)) if a != b)
    gap = top_gap(pair.target, prompt + plain[:place])
    print(f"differs at token {place}: logit gap {gap:.1e}")
    tally.ties += gap < TIE
    tally.differing += gap >= TIE


def stories() -> bool:
    """Speculative against plain decoding on held-out prompts, and tau; True where all is well."""
    pair, good = load_pair("stories"), True
    end = pair.tokenizer.token_to_id("<|end|>")
    for language in ("en", "zh"):
        tally, taus = Tally(), {shape: [] for shape in SHAPES}
        for text in tqdm(held_out_prompts(language, PROMPTS), desc=language, leave=False, disable=None):
            prompt = pair.encode(text)
            plain = greedy_decode(pair.target, prompt, NEW_TOKENS, eos_id=end)
            for shape, weights in product(SHAPES, WEIGHTS):
                options = dict(zip(("top_k", "depth", "budget"), shape, strict=True))
                decoding = speculative_decode(pair, prompt, NEW_TOKENS, layer_weights=weights, eos_id=end, **options)
                compare(pair, prompt, plain, decoding, tally)
                if weights == (1, 1, 1):
                    taus[shape] += [len(r.tokens) for r in decoding.rounds]
        tau = {shape: float(np.mean(lengths)) for shape, lengths in taus.items()}
        print(f"stories {language}: {tally}")
        print("    tau at top_k/depth/budget " + ", ".join(f"{'/'.join(map(str, s))}: {t:.2f}" for s, t in tau.items()))
        good &= tally.differing == 0 and tally.ties <= tally.tokens / 10_000 and tau[SHAPES[0]] > 2.5
    return good


def load_time() -> bool:
    start = time.perf_counter()
    load_pair("stories")
    seconds = time.perf_counter() - start
    print(f"load_pair('stories'): {seconds:.2f} s")
    return seconds < 1


def main() -> None:
    results = [load_time(), stories()]
    raise SystemExit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
