"""Recordings: what was played live comes back from the file, and plays without the model."""

import gzip
import json
from dataclasses import replace

import numpy as np
import pytest

from eagle_lab import load_pair, record
from eagle_lab.llama import log_softmax
from eagle_lab.rivals import PromptLookup
from eagle_lab.trials import origin_text
from training.record import entry, write_recordings
from training.recordings import read_recordings

PROMPTS = ["Once upon a time", "从前"]


@pytest.fixture(scope="module")
def pair():
    return load_pair("stories")


@pytest.fixture(scope="module")
def entries(pair):
    drafters = {"head": pair.drafter, "lookup": PromptLookup()}
    return [
        entry(replace(pair, drafter=drafter), name, "stories", number, pair.encode(prompt), 30)
        for number, prompt in enumerate(PROMPTS, 1)
        for name, drafter in drafters.items()
    ]


@pytest.fixture
def file(pair, entries, tmp_path):
    write_recordings(tmp_path / "r.json.gz", pair, "stories", entries)
    return tmp_path / "r.json.gz"


def test_rounds_choices_and_texts_come_back_as_they_were(pair, file):
    stored = read_recordings(file)
    assert [s.title for s in stored] == [
        "stories 1 · head",
        "stories 1 · lookup",
        "stories 2 · head",
        "stories 2 · lookup",
    ]
    for recording in stored:
        drafter = pair.drafter if recording.drafter == "head" else PromptLookup()
        live = record(replace(pair, drafter=drafter), recording.prompt, 30)
        assert recording.decoding.tokens == live.decoding.tokens and recording.choices == live.choices
        assert recording.decoding.stop_reason == live.decoding.stop_reason and recording.strayed == []
        for ours, theirs in zip(recording.decoding.rounds, live.decoding.rounds, strict=True):
            assert (ours.root, ours.start, ours.tokens) == (theirs.root, theirs.start, theirs.tokens)
            assert ours.verdict.accepted == theirs.verdict.accepted and ours.verdict.rejected == theirs.verdict.rejected
            assert (ours.tree is None) == (theirs.tree is None)
            if ours.tree is not None:
                assert ours.tree.tokens.tolist() == theirs.tree.tokens.tolist()
                assert ours.tree.parents.tolist() == theirs.tree.parents.tolist()
                assert np.abs(ours.tree.scores - theirs.tree.scores).max() < 1e-3
        assert origin_text(recording) == origin_text(live)


def test_odds_are_the_targets_own_after_each_node(pair, file):
    for recording in read_recordings(file):
        text = [*recording.prompt, *recording.decoding.tokens[:1]]
        for round_, odds in zip(recording.decoding.rounds, recording.odds, strict=True):
            assert len(odds) == round_.nodes
            for node in range(round_.nodes):
                path = round_.tree.tokens[round_.tree.path(node)].tolist()
                hidden = pair.target.forward([*text, *path[:-1]], pair.target.new_cache()).hidden[-1:]
                assert abs(log_softmax(pair.target.logits(hidden))[0, path[-1]] - odds[node]) < 2e-3
            text += round_.tokens


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: data[:200],
        lambda data: gzip.compress(b"[]"),
        lambda data: gzip.compress(b"{}"),
        lambda data: gzip.compress(json.dumps({**json.loads(gzip.decompress(data)), "recordings": [{}]}).encode()),
        lambda data: gzip.compress(json.dumps({**json.loads(gzip.decompress(data)), "recordings": 5}).encode()),
        lambda data: gzip.compress(json.dumps({**json.loads(gzip.decompress(data)), "tokenizer": "{}"}).encode()),
    ],
)
def test_a_file_that_is_no_recording_is_refused_by_name(file, spoil):
    file.write_bytes(spoil(file.read_bytes()))
    with pytest.raises(ValueError, match=r"r\.json\.gz"):
        read_recordings(file)


def test_a_file_that_is_missing_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"none\.json\.gz is missing"):
        read_recordings(tmp_path / "none.json.gz")
