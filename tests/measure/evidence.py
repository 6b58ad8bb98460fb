"""Prints the figures that README states, computed anew by the tests' own checks: `make evidence`."""

import time
from itertools import product

from tqdm import tqdm

from eagle_lab import load_pair
from training.grammar import held_out_prompts

import test_hints
from checks import Report, assert_replays, compare_with_greedy, golden_traces
from test_decode import EXCEPTED, MODELS, random_model_report

PROMPTS, NEW_TOKENS = 100, 60  # of each language
SHAPES = [(4, 5, 16), (1, 4, 4), (2, 3, 6), (10, 8, 59)]  # top_k, depth, budget
WEIGHTS = [(1, 1, 1), (1, 0, 0), (0, 0, 1), (0.2, 0.5, 0.3)]


def golden() -> None:
    """The recorded runs of the official code; any disagreement stops here with an AssertionError."""
    excepted = {name: assert_replays(name) for name in golden_traces()}
    assert {name: count for name, count in excepted.items() if count} == EXCEPTED
    print(f"golden runs: {len(excepted)} agree, {sum(excepted.values())} rounds excepted for margins below 1e-4")


def random_models() -> None:
    """Random tiny models, small vocabularies, so that drafts are accepted by luck."""
    whole = Report()
    for number in tqdm(range(len(MODELS)), desc="random models", leave=False, disable=None):
        whole.add(random_model_report(number))
    print_report("random models", whole)


def stories() -> None:
    """The shipped pair on held-out prompts, every tree shape under every weighting."""
    start = time.perf_counter()
    pair = load_pair("stories")
    print(f"load_pair('stories'): {time.perf_counter() - start:.2f} s")
    shapes = [{"top_k": k, "depth": d, "budget": b, "layer_weights": w} for (k, d, b), w in product(SHAPES, WEIGHTS)]
    for language in ("zh", "en"):
        plain_shape, others = Report(), Report()
        for text in tqdm(held_out_prompts(language, PROMPTS), desc=f"stories {language}", leave=False, disable=None):
            plain_shape.add(compare_with_greedy(pair, [pair.encode(text)], shapes[:1], NEW_TOKENS))
            others.add(compare_with_greedy(pair, [pair.encode(text)], shapes[1:], NEW_TOKENS))
        print_report(f"stories {language}, top_k 4, depth 5, budget 16, equal weights", plain_shape)
        print_report(f"stories {language}, {len(shapes) - 1} other settings", others)


def exercises() -> None:
    """Wrong answers to the six exercises: how many are refused, and how many mistakes the first hint names."""
    for check in (
        test_hints.test_wrong_answers_are_refused_and_their_mistakes_named,
        test_hints.test_wrong_answers_written_blind_are_refused_and_named,
        test_hints.test_wrong_answers_of_the_second_blind_set_are_refused_and_named,
    ):
        check()


def print_report(name: str, report: Report) -> None:
    print(
        f"{name}: {report.prompts} prompts, {report.tokens} tokens as in plain decoding, {len(report.ties)} ties; "
        f"{report.lucky / report.rounds:.0%} of {report.rounds} rounds accepted something, "
        f"tau {1 + report.accepted / report.rounds:.2f}"
    )


if __name__ == "__main__":
    golden()
    random_models()
    exercises()
    stories()
