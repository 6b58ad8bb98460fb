"""Measuring by replay: the same figures as decoding for real gives."""

import numpy as np
import pytest

from eagle_lab import greedy_decode, load_pair, mean_tau, speculative_decode, tap_accuracy, tau_map, write_texts
from eagle_lab.benchmark import replay
from eagle_lab.growth import TreeShape

from models import random_pair

WEIGHTS = [(1, 1, 1), (1, 0, 0), (0, 2, 1)]
SHAPES = [
    {"top_k": 4, "depth": 5, "budget": 16},
    {"top_k": 1, "depth": 3, "budget": 3},
    {"top_k": 3, "depth": 2, "budget": 99},
]


@pytest.fixture(scope="module")
def pair():
    return load_pair("stories")


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("weights", WEIGHTS, ids=str)
@pytest.mark.parametrize("drafter", ["drafter", "drafter_equal_weights", "draft_model"])
def test_replay_counts_what_decoding_commits(pair, weights, shape, drafter):
    drafting = load_pair("stories", drafter=drafter)
    weights = weights if drafting.drafter.layers else None
    for prompt, written in write_texts(pair, [pair.prompts["zh"][1], pair.prompts["en"][0]], 40):
        lengths = replay(drafting, prompt, written, layer_weights=weights, shape=TreeShape(**shape))
        rounds = speculative_decode(drafting, prompt, 40, layer_weights=weights, **shape).rounds
        assert lengths == [len(round_.tokens) for round_ in rounds][: len(lengths)]
        assert 40 - shape["depth"] - 2 < 1 + sum(lengths) <= 40


def test_replay_on_models_of_chance():
    pair, prompt, shape = random_pair(4, vocab=6), [1, 2, 3], SHAPES[0]
    lengths = replay(pair, prompt, greedy_decode(pair.target, prompt, 60), shape=TreeShape(**shape))
    rounds = speculative_decode(pair, prompt, 60, **shape).rounds
    assert lengths == [len(round_.tokens) for round_ in rounds][: len(lengths)] and len(set(lengths)) > 1


def test_the_map_covers_the_simplex_once(pair):
    tau = tau_map(pair, pair.prompts["en"][:1], steps=3)
    assert len(tau.taus) == 10 and all(abs(sum(weights) - 1) < 1e-9 for weights in tau.taus)
    for weights in [(1.0, 0.0, 0.0), (1 / 3, 1 / 3, 1 / 3)]:
        assert tau.taus[weights] == mean_tau(pair, tau.texts, weights)


def test_the_two_heads_teach_their_lesson(pair):
    """Both are best near the centre, and the one that saw equal weights only loses far more at the corners."""
    equal = load_pair("stories", drafter="drafter_equal_weights")
    for language in ("zh", "en"):
        texts = write_texts(pair, pair.prompts[language])
        centre = [mean_tau(head, texts) for head in (pair, equal)]
        assert min(centre) > 3 and max(centre) < 5
        for corner in np.eye(3).tolist():
            loss = [1 - mean_tau(head, texts, corner) / tau for head, tau in zip((pair, equal), centre, strict=True)]
            assert 0.1 < loss[0] < 0.6 and loss[1] > 1.25 * loss[0], (language, corner, loss)


def test_taps_know_more_the_higher_they_are(pair):
    for language in ("zh", "en"):
        low, mid, high = tap_accuracy(pair, write_texts(pair, pair.prompts[language]))
        assert (low.layer, mid.layer, high.layer) == pair.target.taps
        assert low.lens < mid.lens < high.lens and low.draft < mid.draft
        assert high.lens < 0.8 and low.draft > low.lens


def test_the_independent_model_is_a_fair_rival(pair):
    """It drafts about as well as the head on these stories, as the model card says."""
    rival = load_pair("stories", drafter="draft_model")
    texts = [write_texts(pair, pair.prompts[language]) for language in ("zh", "en")]
    taus = [[mean_tau(drafting, written) for written in texts] for drafting in (pair, rival)]
    assert 0.85 < np.mean(taus[0]) / np.mean(taus[1]) < 1.15
