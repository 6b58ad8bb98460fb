"""The shipped pair: small, lossless, and still the lesson that its model card promises."""

import numpy as np
import pytest

from eagle_lab import load_pair, speculative_decode
from eagle_lab.pairs import ASSETS
from training.evaluate import CORNERS, continuation, kept, recall
from training.grammar import held_out_prompts, held_out_stories

from checks import compare_with_greedy

LANGUAGES = ("zh", "en")
SHAPES = [
    {"top_k": 4, "depth": 5, "budget": 16},
    {"top_k": 1, "depth": 4, "budget": 4, "layer_weights": [1, 0, 0]},
    {"top_k": 10, "depth": 8, "budget": 59, "layer_weights": [0.2, 0.5, 0.3]},
]


@pytest.fixture(scope="module")
def pair():
    return load_pair("stories")


def test_the_pair_is_small():
    files = [path for path in (ASSETS / "stories").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 6e6


@pytest.mark.parametrize("language", LANGUAGES)
def test_speculative_decoding_writes_the_targets_own_story(pair, language):
    prompts = [pair.encode(text) for text in [*pair.prompts[language], *held_out_prompts(language, 6)]]
    report = compare_with_greedy(pair, prompts, SHAPES, 40)
    assert report.ties == [] and report.lucky > report.rounds / 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_stories_keep_their_names_and_their_object(pair, language):
    names, things, _ = recall(pair, held_out_stories(language, 20, split="opening"))
    assert names >= 0.8 and things >= 0.8
    stories = held_out_stories(language, 20)
    told = [continuation(pair, story.prompt) for story in stories]
    marks = [all(kept(story, text)) for story, (text, _) in zip(stories, told, strict=True)]
    assert np.mean(marks) >= 0.8 and all(ended for _, ended in told)


@pytest.mark.parametrize("language", LANGUAGES)
def test_drafts_fail_as_often_as_a_lesson_needs(pair, language):
    prompts = [pair.encode(text) for text in held_out_prompts(language, 12)]

    def rounds(weights=None):
        return [r for ids in prompts for r in speculative_decode(pair, ids, 60, layer_weights=weights).rounds]

    equal = rounds()
    tau = np.mean([len(r.tokens) for r in equal])
    assert 2.5 < tau < 5
    assert np.mean([len(r.verdict.accepted) < r.tree.depths.max() for r in equal]) >= 0.25
    ended_elsewhere = [not r.verdict.accepted or r.verdict.accepted[-1] != r.tree.best_leaf for r in equal]
    assert np.mean(ended_elsewhere) >= 1 / 3
    assert any(not r.verdict.accepted for r in equal)
    for corner in CORNERS.values():
        assert 0.05 < 1 - np.mean([len(r.tokens) for r in rounds(corner)]) / tau < 0.5
