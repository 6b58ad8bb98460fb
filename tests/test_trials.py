"""Trials: prompts as they are read, recordings and their origins, τ, a learner's functions and what checks said."""

import gc
from dataclasses import replace
from itertools import pairwise
from math import isnan

import pytest

from eagle_lab import greedy_decode, load_pair, record, speculative_decode, trials, use_language
from eagle_lab.decode import Generation
from eagle_lab.growth import DEFAULT_SHAPE
from eagle_lab.trials import (
    drafting,
    first_round,
    leave_verdict,
    mask_by,
    origins,
    read_prompt,
    tau_after,
    verdict_on,
    verify_by,
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
    assert drafting(pair) == {"layer_weights": [1 / 3] * 3}
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
    first, second = (generation.step(**drafting(pair)).tokens for _ in range(2))
    end = next(token for token in second if token not in first and token != tokens[0])
    assert tau_after(replace(pair, eos_ids=(end,)), opening) == (len(first) + len(second)) / 2


def test_learners_functions_of_verification_drive_a_whole_generation(pair):
    prompt = pair.prompts["zh"][0]
    own = record(pair, prompt, mask=mask_by(plain_mask), verify=verify_by(plain_verify))
    library = record(pair, prompt)
    assert own.decoding.tokens == library.decoding.tokens
    assert [r.verdict for r in own.decoding.rounds] == [r.verdict for r in library.decoding.rounds]


def test_a_dressed_function_remembers_its_learner_s(pair):
    assert mask_by(plain_mask).__wrapped__ is plain_mask and verify_by(plain_verify).__wrapped__ is plain_verify


def plain_mask(parents):
    rows = [[True] + [False] * len(parents)]
    for node, parent in enumerate(parents):
        rows.append([seen or column == 1 + node for column, seen in enumerate(rows[1 + parent])])
    return rows


def plain_verify(parents, tokens, choices):
    accepted, node = [], -1
    while True:
        agreed = [i for i, p in enumerate(parents) if p == node and tokens[i] == choices[1 + node]]
        if not agreed:
            return accepted, choices[1 + node]
        node = agreed[0]
        accepted.append(node)


# ── verdicts ─────────────────────────────────────────────────────────────────────────────────────


def test_the_last_run_of_every_check_counts():
    def function():
        pass

    assert verdict_on(function) is None
    for name, passed, verdict in [
        ("scores", True, True),
        ("contract", False, False),
        ("scores", True, False),
        ("contract", True, True),
        ("scores", False, False),
    ]:
        leave_verdict(function, name, passed)
        assert verdict_on(function) is verdict


def test_a_function_that_is_defined_anew_starts_unchecked():
    def define():
        def function():
            pass

        return function

    first, second = define(), define()
    leave_verdict(first, "scores", True)
    assert verdict_on(first) is True and verdict_on(second) is None


def test_a_verdict_goes_with_its_function():
    gc.collect()
    before = len(trials._verdicts)

    def function():
        pass

    leave_verdict(function, "scores", True)
    assert len(trials._verdicts) == before + 1
    del function
    gc.collect()
    assert len(trials._verdicts) == before


def test_what_cannot_be_kept_is_passed_over():
    class Slotted:
        __slots__ = ()

        def __call__(self):
            pass

    class Unhashable:
        __hash__ = None

        def __call__(self):
            pass

    for function in ([0.25, 0.75], None, 7, Slotted(), Unhashable()):
        leave_verdict(function, "scores", True)
        assert verdict_on(function) is None
