"""Lossless under stress: random targets, drafters, shapes and ties, up to the target's last position.

`python -m measure.stress`, in `tests`. A text may part from the plain one only where the target's two largest logits
lie within `sampling.ROUNDING`, and every token of it is the target's choice, or one as near, when read plainly.
"""

from collections import Counter
from dataclasses import replace

import numpy as np
from tqdm import tqdm

from eagle_lab import CandidateTree, Generation, Pair, greedy_decode, speculative_decode
from eagle_lab.growth import TreeShape
from eagle_lab.rivals import DraftModel

from checks import TIE, naive_prefix, top_gap
from models import random_pair, random_tree

CASES = 420
SHAPES = [
    (1, 1, 1),
    (1, 1, 9),
    (2, 1, 2),
    (1, 6, 6),
    (1, 9, 3),
    (3, 2, 1),
    (3, 4, 7),
    (4, 3, 1000),
    (5, 2, 17),
    (2, 7, 2),
]


class Guess:
    """Proposes trees of chance, now and then none; its memory is a number of tokens."""

    layers, length = 0, 0

    def __init__(self, vocab: int, seed: int):
        self.vocab, self.rng = vocab, np.random.default_rng(seed)

    def configured(self):
        return self

    def check_shape(self, shape: TreeShape) -> None:
        pass

    def new_cache(self, first_token: int) -> "Guess":
        return self

    def commit(self, start: int, rows) -> None:
        pass

    def draft(self, features, tokens, cache, shape: TreeShape) -> CandidateTree | None:
        size = int(self.rng.integers(0, min(shape.budget, 12) + 1))
        tree = random_tree(self.rng, size, self.vocab) if size else None
        return tree if tree is None or tree.depths.max() <= shape.depth else None


def case(seed: int) -> tuple[Pair, str, TreeShape, list[int], int]:
    """A pair with a limit, the kind of it, a shape, a prompt, and the limit."""
    rng = np.random.default_rng(seed)
    vocab, positions, twins = int(rng.integers(16, 32)), int(rng.integers(90, 250)), seed % 4 == 3
    sizes = {"qk_norm": bool(seed % 2), "kv_heads": int(rng.choice([1, 2, 4])), "head_dim": int(rng.choice([2, 6, 8]))}
    pair = random_pair(seed, vocab=vocab, twins=twins, positions=positions, **sizes)
    kind = ("head", "model", "guess")[seed % 3]
    if kind == "model":  # one that has half of the target's layers agrees with it now and then
        pair = replace(pair, drafter=DraftModel(random_pair(seed + 2 * (seed % 5 > 1), vocab=vocab, **sizes).target))
    elif kind == "guess":
        pair = replace(pair, drafter=Guess(vocab, seed))
    prompt = rng.integers(0, vocab, 1 if seed % 5 < 2 else int(rng.integers(2, 9))).tolist()
    return pair, f"{kind}{', ties' if twins else ''}", TreeShape(*SHAPES[seed % len(SHAPES)]), prompt, positions


def run(seed: int) -> Counter:
    """Decode to the last position, both ways and step by step; AssertionError where a token is not the target's."""
    pair, kind, shape, prompt, positions = case(seed)
    new = positions - len(prompt)
    plain = greedy_decode(pair.target, prompt, new)
    decoding = speculative_decode(pair, prompt, new, **vars(shape))
    assert len(decoding.tokens) == new and decoding.stop_reason == "length"
    assert_targets_own(pair, prompt, decoding.tokens)
    seen = Counter({"texts": 1, "tokens": new, f"tokens, {kind}": new})
    seen["rounds"], seen["accepted"] = len(decoding.rounds), sum(len(r.verdict.accepted) for r in decoding.rounds)
    place = naive_prefix(decoding.tokens, plain)
    if place < new:
        assert top_gap(pair.target, [*prompt, *plain[:place]]) < TIE, f"case {seed}: token {place} is another"
        seen["texts that part at a tie"] = 1
    assert_steps_end_at_the_last_position(pair, prompt, shape, positions)
    return seen


def assert_targets_own(pair: Pair, prompt: list[int], tokens: list[int]) -> None:
    """Every token is as likely as the target's likeliest when the text is read plainly, barring rounding."""
    hidden = pair.target.forward([*prompt, *tokens], pair.target.new_cache()).hidden[len(prompt) - 1 : -1]
    logits = pair.target.logits(hidden)
    behind = logits.max(axis=1) - logits[np.arange(len(tokens)), tokens]
    assert (behind < TIE).all(), f"token {behind.argmax()} lies {behind.max()} behind the target's choice"


def assert_steps_end_at_the_last_position(pair: Pair, prompt: list[int], shape: TreeShape, positions: int) -> None:
    """`step` hands out the tokens that there are positions for, and then refuses."""
    generation = Generation(pair, prompt)
    text = [*prompt, generation.root]
    while len(text) < positions:
        text += generation.step(**vars(shape)).tokens
    assert len(text) == positions, f"{len(text)} tokens for {positions} positions"
    assert_targets_own(pair, prompt, text[len(prompt) :])
    try:
        generation.step(**vars(shape))
    except ValueError as error:
        assert f"{positions} tokens" in str(error)
    else:
        raise AssertionError("a step beyond the last position")


def main() -> None:
    whole = Counter()
    for seed in tqdm(range(CASES), leave=False, disable=None):
        whole += run(seed)
    for name, count in sorted(whole.items()):
        print(f"{name}: {count:,}")
    print("0 tokens differ beyond the condition")


if __name__ == "__main__":
    main()
