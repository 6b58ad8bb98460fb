"""Trials: prompts as they are read, recordings and their origins, τ."""

from dataclasses import replace
from itertools import pairwise
from math import isnan

import pytest

from eagle_lab import greedy_decode, load_pair, record, speculative_decode, use_language
from eagle_lab.decode import Generation
from eagle_lab.growth import DEFAULT_SHAPE
from eagle_lab.trials import (
    drafting,
    first_round,
    origins,
    read_prompt,
    tau_after,
    written,
)

PROMPTS = [(language, text) for language, texts in load_pair("stories").prompts.items() for text in texts[:2]]


@pytest.fixture(scope="module")
def pair():
    use_language("zh")
    return load_pair("stories")


@pytest.mark.parametrize(("language", "prompt"), PROMPTS)
def test_origins_split_the_text_and_lose_nothing(pair, language, prompt):
    recording = record(pair, prompt, 40)
    runs = list(origins(recording))
    tokens = [token for _, run in runs for token in run]
    assert tokens[: len(recording.prompt)] == recording.prompt
    written = tokens[len(recording.prompt) :]
    assert written == greedy_decode(pair.target, recording.prompt, len(written))
    drafted = sum(len(run) for origin, run in runs if origin == "draft")
    assert drafted == sum(len(round_.verdict.accepted) for round_ in recording.decoding.rounds)
    assert all(a != b for (a, _), (b, _) in pairwise(runs)), "neighbouring runs differ in origin"


@pytest.mark.parametrize("prompt", ["", "  \n"])
def test_an_empty_prompt_is_refused(pair, prompt):
    with pytest.raises(ValueError, match="开头是空的"):
        record(pair, prompt)


def test_the_shape_has_one_default(pair):
    opening = pair.prompts["zh"][0]
    assert drafting(pair).settings == {"layer_weights": [1 / 3] * 3}
    ours, engines = record(pair, opening, 8), speculative_decode(pair, pair.encode(opening), 8)
    assert ours.decoding.tokens == engines.tokens
    assert [round_.tokens for round_ in ours.decoding.rounds] == [round_.tokens for round_ in engines.rounds]
    first = first_round(pair, opening)
    assert first.tokens == engines.rounds[0].tokens and len(first.tree) == DEFAULT_SHAPE.budget


def test_a_trial_commits_nothing(pair):
    reading = read_prompt(pair, "Once upon a time")
    rows = reading.cache.length, reading.draft_cache.length
    assert first_round(pair, reading, budget=4).tokens == first_round(pair, reading, budget=4).tokens
    assert (reading.cache.length, reading.draft_cache.length) == rows and read_prompt(pair, reading) is reading


@pytest.mark.parametrize(("language", "prompt"), PROMPTS)
@pytest.mark.parametrize("place", range(12))
def test_a_text_ends_with_its_end_token(pair, language, prompt, place):
    """Whether the root, a draft or the target's own token ends it."""
    free = record(pair, prompt).decoding
    end = free.tokens[place]
    recording = record(replace(pair, eos_ids=(end,)), prompt)
    expected = free.tokens[: free.tokens.index(end) + 1]
    assert recording.decoding.tokens == expected and recording.decoding.stop_reason == "eos"
    assert [token for _, token in written(recording)] == expected
    assert [token for origin, run in origins(recording) if origin != "prompt" for token in run] == expected
    own = [token for origin, token in written(recording, 0)]
    assert own == expected[:1], "reading the prompt gives one token"


def test_tau_stops_at_an_end_token(pair):
    opening = pair.prompts["zh"][0]
    tokens = record(pair, opening).decoding.tokens
    assert isnan(tau_after(replace(pair, eos_ids=(tokens[0],)), opening))
    generation = Generation(pair, pair.encode(opening))
    first, second = (generation.step(**drafting(pair).settings).tokens for _ in range(2))
    end = next(token for token in second if token not in first and token != tokens[0])
    assert tau_after(replace(pair, eos_ids=(end,)), opening) == (len(first) + len(second)) / 2
