"""Decoding: the official recordings, and the target's own tokens whatever the drafter proposes, barring ties."""

from functools import cache

import numpy as np
import pytest

from eagle_lab import CandidateTree, Verdict, greedy_decode, speculative_decode
from eagle_lab.decode import Decoding, Generation, Round
from eagle_lab.drafter import EagleHead
from eagle_lab.llama import KVCache, Llama

from checks import (
    Report,
    assert_caches_hold,
    assert_replays,
    compare_with_greedy,
    golden_traces,
    spy_on_draft,
    spy_on_target,
)
from checks import (
    committed as state,
)
from models import LLAMA, QWEN3, golden_pair, random_pair

EXCEPTED = {
    "g03_llama_a_trained_tt59_d7_k10": 1,
    "g10_qwen3_c_trained_tt26_d5_k3": 1,
}  # rounds with a margin below 1e-4

SHAPES = {
    "chain": {"top_k": 1, "depth": 5, "budget": 5},
    "wide": {"top_k": 6, "depth": 2, "budget": 24},
    "deep": {"top_k": 2, "depth": 8, "budget": 12},
    "budget 1": {"top_k": 4, "depth": 4, "budget": 1},
    "above the pool": {"top_k": 3, "depth": 3, "budget": 500},
    "10/8/59": {"top_k": 10, "depth": 8, "budget": 59},
}

MODELS = [
    {"vocab": 6, "kv_heads": 4},
    {"vocab": 6, "kv_heads": 1, "qk_norm": True, "head_dim": 4},
    {"vocab": 8, "draft_vocab": 6, "kv_heads": 2, "tied": True},
    {"vocab": 8, "kv_heads": 1, "head_dim": 8, "layers": 8},
    {"vocab": 10, "kv_heads": 2, "qk_norm": True, "head_dim": 10},
    {"vocab": 12, "draft_vocab": 7, "kv_heads": 4, "tied": True, "qk_norm": True},
    {"vocab": 12, "kv_heads": 2, "head_dim": 2},
    {"vocab": 16, "draft_vocab": 10, "kv_heads": 1, "layers": 9},
    {"vocab": 20, "kv_heads": 2, "qk_norm": True, "tied": True},
    {"vocab": 24, "draft_vocab": 12, "kv_heads": 4},
    {"vocab": 32, "draft_vocab": 16, "kv_heads": 1, "qk_norm": True, "layers": 8, "head_dim": 8},
    {"vocab": 40, "draft_vocab": 24, "kv_heads": 2, "head_dim": 8, "tied": True},
]
PROMPTS, NEW_TOKENS = 25, 10


# ── the official runs ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", golden_traces())
def test_golden_runs(name):
    assert assert_replays(name) == EXCEPTED.get(name, 0)


def test_all_golden_runs_are_there():
    assert len(golden_traces()) == 6 and set(EXCEPTED) <= set(golden_traces())


@pytest.mark.parametrize("name", ["g01_llama_a_trained_tt8_d3_k2", "g02_llama_a_trained_tt26_d5_k3"])
def test_a_head_saved_by_specforge_is_the_same_head(name):
    assert assert_replays(name, draft="specforge_llama_a_trained") == 0


# ── losslessness ─────────────────────────────────────────────────────────────────────────────────


@cache
def random_model_report(number: int) -> Report:
    settings = MODELS[number]
    pair, rng = random_pair(100 + number, **settings), np.random.default_rng(number)
    prompts = [rng.integers(0, settings["vocab"], rng.integers(1, 9)).tolist() for _ in range(PROMPTS)]
    most = len(pair.drafter.token_ids)
    shapes = [{**shape, "top_k": min(shape["top_k"], most)} for shape in SHAPES.values()]
    return compare_with_greedy(pair, prompts, shapes, NEW_TOKENS)


@pytest.mark.parametrize("number", range(len(MODELS)), ids=lambda number: f"{number}-{MODELS[number]}")
def test_random_models_decode_to_the_targets_own_tokens(number):
    report = random_model_report(number)
    assert report.tokens == PROMPTS * len(SHAPES) * NEW_TOKENS
    assert report.lucky >= 0.05 * report.rounds, "hardly a draft was accepted: this proves little"


def test_300_prompts_in_6_shapes_hold_at_most_one_tie_in_10_000_tokens():
    whole = Report()
    for number in range(len(MODELS)):
        whole.add(random_model_report(number))
    assert whole.prompts == 300 and whole.tokens == 300 * 6 * NEW_TOKENS
    assert 10_000 * len(whole.ties) <= whole.tokens, f"ties: {whole.ties}"
    assert whole.lucky >= 0.2 * whole.rounds and whole.accepted >= 1.5 * whole.lucky


@pytest.mark.parametrize("names", [LLAMA, QWEN3], ids=["llama", "qwen3"])
@pytest.mark.parametrize("weights", [[1, 0, 0], [0, 0, 1], [3, 1, 0.5]])
def test_layer_weights_change_the_speed_and_never_the_text(names, weights):
    pair, prompt = golden_pair(*names), [1, 5, 9, 60]
    plain = greedy_decode(pair.target, prompt, 24)
    found = speculative_decode(pair, prompt, 24, layer_weights=weights, top_k=3, depth=4, budget=14)
    assert found.tokens == plain and len(found.rounds) < 24


# ── caches ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("names", [LLAMA, QWEN3], ids=["llama", "qwen3"])
@pytest.mark.parametrize("shape", [{"top_k": 3, "depth": 5, "budget": 20}, {"top_k": 1, "depth": 3, "budget": 3}])
def test_caches_equal_a_fresh_reading_of_what_was_committed(names, shape):
    assert assert_caches_hold(golden_pair(*names), [7, 3, 60, 72], 8, shape) >= 8


@pytest.mark.parametrize("number", [1, 4, 10])
def test_caches_of_random_models_hold_for_prompts_of_one_token(number):
    pair = random_pair(100 + number, **MODELS[number])
    assert assert_caches_hold(pair, [MODELS[number]["vocab"] - 1], 14, {"top_k": 5, "depth": 4, "budget": 30}) >= 5


def test_fifty_rounds_without_luck_grow_by_one_row_each():
    pair = random_pair(1, vocab=8)
    generation = Generation(pair, [1, 2, 3], verify=lambda tree, logits, **_: Verdict((), (0,), 3))
    for number in range(50):
        round_ = generation.step(layer_weights=[1, 1, 1], top_k=2, depth=3, budget=6)
        assert round_.start == 3 + number and round_.tokens == (3,)
        assert generation.cache.length == 4 + number and generation.draft_cache.length == 3 + number


def fresh(pair=None) -> Generation:
    generation = Generation(pair or golden_pair(*LLAMA), [7, 3, 60, 72])
    generation.step(layer_weights=[1, 1, 1], top_k=2, depth=3, budget=6)
    return generation


SHAPE = {"layer_weights": [2, 1, 1], "top_k": 3, "depth": 4, "budget": 12}


def assert_same_round(ours: Round, theirs: Round) -> None:
    assert ours.tree.nodes == theirs.tree.nodes
    assert (ours.root, ours.start, ours.verdict, ours.tokens) == (
        theirs.root,
        theirs.start,
        theirs.verdict,
        theirs.tokens,
    )


def test_a_preview_changes_nothing_and_shows_the_round_that_step_commits():
    generation, before = fresh(), state(fresh())
    shown = generation.preview(**SHAPE)
    assert state(generation) == before
    assert (generation.cache.length, generation.draft_cache.length) == generation.committed[:2], "nothing stays behind"
    generation.preview(layer_weights=[0, 0, 1], top_k=5, depth=6, budget=50)
    assert state(generation) == before
    assert_same_round(generation.step(**SHAPE), shown)
    assert state(generation) != before


@pytest.mark.parametrize("method", ["step", "preview"])
@pytest.mark.parametrize("owner", [Llama, EagleHead], ids=["target", "drafter"])
def test_an_error_in_the_middle_of_a_round_leaves_it_repeatable(method, owner):
    generation, before = fresh(), state(fresh())
    with pytest.MonkeyPatch.context() as patch:
        original = owner.forward

        def forward(self, *args, **options):
            original(self, *args, **options)
            raise KeyboardInterrupt

        patch.setattr(owner, "forward", forward)
        with pytest.raises(KeyboardInterrupt):
            getattr(generation, method)(**SHAPE)
    assert state(generation) == before
    assert_same_round(generation.step(**SHAPE), fresh().step(**SHAPE))


@pytest.mark.parametrize("method", ["step", "preview"])
@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"depth": 0}, ValueError),
        ({"budget": 0}, ValueError),
        ({"top_k": 999}, ValueError),
        ({"layer_weights": [1, 1]}, ValueError),
        ({"layer_weights": [0, 0, 0]}, ValueError),
        ({"temperature": 1.0}, NotImplementedError),
        ({"temperature": -1.0}, ValueError),
    ],
)
def test_a_refused_setting_leaves_the_round_repeatable(method, settings, error):
    generation, before = fresh(), state(fresh())
    with pytest.raises(error):
        getattr(generation, method)(**{**SHAPE, **settings})
    assert state(generation) == before
    assert_same_round(generation.step(**SHAPE), fresh().step(**SHAPE))


@pytest.mark.parametrize("accepted", [(99,), (-2,)])
def test_a_verdict_that_cannot_be_committed_leaves_the_round_repeatable(accepted):
    generation, before = fresh(), state(fresh())
    right, generation.verify = generation.verify, lambda tree, logits, **_: Verdict(accepted, (), 5)
    with pytest.raises(ValueError, match=rf"accepted\[0\] is {accepted[0]}: the tree has nodes 0 to 11"):
        generation.step(**SHAPE)
    assert state(generation) == before
    generation.verify = right
    assert_same_round(generation.step(**SHAPE), fresh().step(**SHAPE))


def test_an_interrupt_while_rows_are_committed_leaves_the_round_repeatable():
    generation, before = fresh(), state(fresh())
    commit = KVCache.commit

    def interrupted(self, start, rows):
        if len(rows):  # the accepted ones; a draft's own rows are dropped by an empty list
            raise KeyboardInterrupt
        commit(self, start, rows)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KVCache, "commit", interrupted)
        with pytest.raises(KeyboardInterrupt):
            generation.step(**SHAPE)
    assert state(generation) == before
    assert_same_round(generation.step(**SHAPE), fresh().step(**SHAPE))


def test_a_generation_does_not_share_the_callers_prompt():
    prompt = np.array([7, 3, 60, 72])
    generation = Generation(golden_pair(*LLAMA), prompt)
    prompt[:] = 0
    generation.step(layer_weights=[1, 1, 1], top_k=2, depth=3, budget=6)
    assert state(generation) == state(fresh())


# ── ends, limits, counts ─────────────────────────────────────────────────────────────────────────

PROMPT, DRAFT = [7, 3, 60, 72], {"top_k": 3, "depth": 6, "budget": 20}


@pytest.mark.parametrize("limit", range(31))
def test_a_limit_cuts_the_output_and_never_reshapes_a_tree(limit):
    pair = golden_pair(*LLAMA)
    plain = greedy_decode(pair.target, PROMPT, 30)
    found = speculative_decode(pair, PROMPT, limit, **DRAFT)
    assert found.tokens == plain[:limit] == greedy_decode(pair.target, PROMPT, limit)
    assert found.stop_reason == "length"
    assert all(len(round_.tree) == 20 for round_ in found.rounds)
    assert len(found.tokens) == limit <= 1 + sum(len(round_.tokens) for round_ in found.rounds) or limit == 0


@pytest.mark.parametrize("names", [LLAMA, QWEN3], ids=["llama", "qwen3"])
@pytest.mark.parametrize("place", range(24))
def test_an_end_token_stops_at_every_place(names, place):
    pair = golden_pair(*names)
    plain = greedy_decode(pair.target, PROMPT, 24)
    eos = plain[place]
    expected = plain[: plain.index(eos) + 1]
    found = speculative_decode(pair, PROMPT, 24, eos_id=eos, **DRAFT)
    assert found.tokens == expected == greedy_decode(pair.target, PROMPT, 24, eos_id=np.int64(eos))
    assert found.stop_reason == "eos"
    drafted = 1 + sum(len(round_.tokens) for round_ in found.rounds)
    assert drafted - (len(found.rounds[-1].tokens) if found.rounds else 1) < len(expected) <= drafted


def test_the_end_tokens_of_that_test_fall_inside_accepted_runs():
    found = speculative_decode(golden_pair(*LLAMA), PROMPT, 24, **DRAFT)
    assert max(len(round_.verdict.accepted) for round_ in found.rounds) >= 4


@pytest.mark.parametrize(("limit", "reason"), [(5, "length"), (6, "eos"), (7, "eos")])
def test_an_end_token_beyond_the_limit_does_not_count(limit, reason):
    pair = golden_pair(*LLAMA)
    plain = greedy_decode(pair.target, PROMPT, 30)
    place = 5
    assert plain.index(plain[place]) == place
    found = speculative_decode(pair, PROMPT, limit, eos_id=plain[place], **DRAFT)
    assert (found.tokens, found.stop_reason) == (plain[: min(limit, 6)], reason)


@pytest.mark.parametrize("eos", [None, -1])
def test_without_an_end_token_only_the_limit_stops(eos):
    pair = golden_pair(*LLAMA)
    assert speculative_decode(pair, PROMPT, 20, eos_id=eos).tokens == greedy_decode(pair.target, PROMPT, 20, eos_id=eos)


@pytest.mark.parametrize("limit", [0, 1])
def test_no_pass_more_than_needed(limit, monkeypatch):
    pair = golden_pair(*LLAMA)
    target, head = spy_on_target(monkeypatch), spy_on_draft(monkeypatch)
    found = speculative_decode(pair, PROMPT, limit)
    assert len(greedy_decode(pair.target, PROMPT, limit)) == len(found.tokens) == limit
    assert (len(target), len(head), found.rounds) == (2 * limit, 0, [])
    assert np.isnan(found.tau)


def test_one_target_pass_for_each_round(monkeypatch):
    target = spy_on_target(monkeypatch)
    found = speculative_decode(golden_pair(*LLAMA), PROMPT, 20, **DRAFT)
    assert len(target) == 1 + len(found.rounds)
    for call, round_ in zip(target[1:], found.rounds, strict=True):
        assert call.past == round_.start
        assert call.tokens == [round_.root, *round_.tree.tokens]
        assert call.positions == [round_.start, *(round_.start + round_.tree.depths)]


def test_tau_counts_whole_rounds():
    pair = golden_pair(*LLAMA)
    whole = speculative_decode(pair, PROMPT, 24, **DRAFT)
    accepted = [len(round_.verdict.accepted) for round_ in whole.rounds]
    assert whole.tau == pytest.approx(np.mean(accepted) + 1)
    cut = speculative_decode(pair, PROMPT, 3, **DRAFT)
    assert len(cut.rounds) == 1 and len(cut.tokens) == 3 < cut.tau == len(whole.rounds[0].tokens)
    ended = speculative_decode(pair, PROMPT, 24, eos_id=whole.tokens[2], **DRAFT)
    assert len(ended.tokens) <= 3 and ended.tau == cut.tau
    rounds = [Round(0, 0, CandidateTree([-1], [1], [-1.0]), Verdict((), (), 0), (1,) * n) for n in (3, 1, 4)]
    assert Decoding([], rounds, "length").tau == pytest.approx(8 / 3)


def test_results_are_plain_numbers():
    found = speculative_decode(golden_pair(*LLAMA), np.array(PROMPT, dtype=np.int32), 9, **DRAFT)
    round_ = found.rounds[0]
    numbers = [*found.tokens, round_.root, round_.start, *round_.tokens, *round_.verdict.accepted]
    assert type(found.tokens) is list and {type(number) for number in numbers} == {int}


BAD_ARGUMENTS = [
    ({"prompt_ids": []}, ValueError, "prompt_ids is empty"),
    ({"prompt_ids": [1, 128]}, ValueError, r"prompt_ids\[1\] is 128: the vocabulary has ids 0 to 127"),
    ({"prompt_ids": [-1]}, ValueError, r"prompt_ids\[0\] is -1"),
    ({"prompt_ids": [1.0]}, ValueError, r"prompt_ids\[0\] is 1.0: the vocabulary has ids 0 to 127"),
    ({"prompt_ids": "text"}, TypeError, "prompt_ids must be a list, tuple or 1-D array, not str"),
    ({"prompt_ids": [[1, 2], [3]]}, TypeError, r"prompt_ids\[0\] is \[1, 2\]"),
    ({"max_new_tokens": -1}, ValueError, "max_new_tokens must be a whole number of at least 0, not -1"),
    ({"max_new_tokens": 2.5}, ValueError, "max_new_tokens must be a whole number"),
    ({"max_new_tokens": True}, TypeError, "max_new_tokens must be a whole number"),
    ({"max_new_tokens": None}, TypeError, "max_new_tokens must be a whole number"),
    ({"eos_id": 2.0}, ValueError, r"eos_id is 2.0: an end token is −1 \(none\) or an id, from -1 to 127"),
    ({"eos_id": [2, "3"]}, TypeError, "eos_id is '3': an end token is"),
    ({"eos_id": [[2]]}, TypeError, r"eos_id is \[2\]: an end token is"),
    ({"eos_id": True}, TypeError, "eos_id is True"),
    ({"eos_id": "</s>"}, TypeError, "eos_id is '</s>'"),
    ({"eos_id": 128}, ValueError, "eos_id is 128: an end token is"),
    ({"eos_id": [2, 128]}, ValueError, "eos_id is 128: an end token is"),
    ({"eos_id": -2}, ValueError, "eos_id is -2"),
]
BAD_SHAPES = [
    ({"top_k": 0}, ValueError, "top_k must be a whole number"),
    ({"top_k": 65}, ValueError, "top_k is 65: the draft vocabulary has only 64"),
    ({"depth": 0}, ValueError, "depth must be a whole number"),
    ({"budget": 1.5}, ValueError, "budget must be a whole number"),
    ({"layer_weights": [1, 2]}, ValueError, "layer_weights has 2 weights"),
    ({"layer_weights": [1, 2, -3]}, ValueError, r"weights\[2\] is -3"),
    ({"layer_weights": "abc"}, TypeError, "weights must be a list"),
    ({"temperature": 0.7}, NotImplementedError, "only temperature 0"),
    ({"temperature": -0.7}, ValueError, "temperature is -0.7"),
    ({"temperature": "warm"}, TypeError, "temperature must be a number"),
]


@pytest.mark.parametrize("limit", [0, 1, 5])
@pytest.mark.parametrize(("arguments", "error", "message"), [*BAD_ARGUMENTS, *BAD_SHAPES])
def test_bad_arguments_are_refused_before_any_pass(arguments, error, message, limit, monkeypatch):
    pair = golden_pair(*LLAMA)
    target, head = spy_on_target(monkeypatch), spy_on_draft(monkeypatch)
    given = {"prompt_ids": [1, 2], "max_new_tokens": limit, **arguments}
    with pytest.raises(error, match=message):
        speculative_decode(pair, **given)
    if (arguments, error, message) in BAD_ARGUMENTS:
        with pytest.raises(error, match=message):
            greedy_decode(pair.target, **given)
    assert target == head == []
