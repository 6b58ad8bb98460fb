"""The reader's road from nothing to a head, on a small model: each step can be stopped anywhere and goes on."""

import sys

import numpy as np
import pytest
from safetensors.numpy import load_file

from eagle_lab import greedy_decode, load_pair, speculative_decode
from eagle_lab.pairs import ASSETS

pytestmark = pytest.mark.training
TARGET = str(ASSETS / "stories" / "target")


def run(monkeypatch, module, *arguments) -> None:
    monkeypatch.setattr(sys, "argv", ["command", *map(str, arguments), "--target", TARGET])
    module.main()


def stopped_at(monkeypatch, module, name: str, call: int) -> None:
    """Let the function `name` of a module be interrupted at its n-th call."""
    real, calls = getattr(module, name), []

    def stopping(*given, **settings):
        calls.append(1)
        if len(calls) == call:
            raise KeyboardInterrupt
        return real(*given, **settings)

    monkeypatch.setattr(module, name, stopping)


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Twelve prompts answered twice each, in one go."""
    from training import generate

    folder = tmp_path_factory.mktemp("texts")
    with pytest.MonkeyPatch.context() as patch:
        run(
            patch, generate, "--prompts", 12, "--limit", 20, "--batch", 4, "--work", folder, "--out", folder / "all.npz"
        )
    return folder / "all.npz"


def test_a_generation_that_was_stopped_goes_on_with_the_next_part(monkeypatch, tmp_path, texts):
    from training import generate

    arguments = ["--prompts", 12, "--limit", 20, "--batch", 4, "--work", tmp_path, "--out", tmp_path / "all.npz"]
    with monkeypatch.context() as patch:
        stopped_at(patch, generate, "answer", 2)
        with pytest.raises(KeyboardInterrupt):
            run(patch, generate, *arguments)
    assert not (tmp_path / "all.npz").exists()
    run(monkeypatch, generate, *arguments)
    with np.load(tmp_path / "all.npz") as ours, np.load(texts) as whole:
        assert all(np.array_equal(ours[name], whole[name]) for name in whole.files)


def test_two_processes_share_a_generation(monkeypatch, tmp_path, texts):
    from training import generate

    arguments = ["--prompts", 12, "--limit", 20, "--batch", 4, "--work", tmp_path, "--out", tmp_path / "all.npz"]
    for share in ("0/2", "1/2"):
        assert not (tmp_path / "all.npz").exists()
        run(monkeypatch, generate, *arguments, "--share", share)
    with np.load(tmp_path / "all.npz") as ours, np.load(texts) as whole:
        assert all(np.array_equal(ours[name], whole[name]) for name in whole.files)


def test_greedy_answers_are_the_targets_own(texts):
    from training.study import read_texts

    pair, found = load_pair("stories"), read_texts(texts)
    assert sorted(found.numbers.tolist()) == sorted([*range(12), *range(12)])
    for text in range(0, len(found.lengths), 2):  # the greedy one of each two
        ids = found.ids[found.starts[text] :][: found.lengths[text]].tolist()
        prompt, answer = ids[: found.prompts[text]], ids[found.prompts[text] :]
        assert greedy_decode(pair.target, prompt, 20, eos_id=pair.eos_ids) == answer


@pytest.fixture(scope="module")
def study(tmp_path_factory, texts):
    from training import study

    folder = tmp_path_factory.mktemp("study")
    with pytest.MonkeyPatch.context() as patch:
        run(patch, study, "--texts", texts, "--out", folder / "whole")
    return folder / "whole"


def test_a_study_that_was_stopped_or_shared_is_the_same(monkeypatch, tmp_path, texts, study):
    from training import study as room

    monkeypatch.setattr(room, "BATCH", 5)
    with monkeypatch.context() as patch:
        stopped_at(patch, room, "_read", 3)
        with pytest.raises(KeyboardInterrupt):
            run(patch, room, "--texts", texts, "--out", tmp_path, "--share", "0/2")
    for share in ("0/2", "1/2"):
        run(monkeypatch, room, "--texts", texts, "--out", tmp_path, "--share", share)
    ours, whole = room.open_study(tmp_path), room.open_study(study)
    assert (
        np.abs(ours.states.astype(float) - whole.states).max() < 0.05
        and (ours.norms != 0).sum() == (whole.norms != 0).sum()
    )
    assert np.allclose(ours.norms, whole.norms, atol=1e-3) and np.mean(ours.choices == whole.choices) > 0.99


@pytest.mark.parametrize("kind", ["head", "reader", "positions"])
def test_training_that_was_stopped_ends_as_if_it_had_not_been_and_drafts_losslessly(monkeypatch, tmp_path, study, kind):
    from training import train

    monkeypatch.setattr(train, "SAVED_EVERY", 2)
    monkeypatch.setattr(train, "JUDGED_EVERY", 3)
    arguments = [
        kind,
        "--study",
        study,
        "--validation",
        study,
        "--steps",
        6,
        "--batch",
        4,
        "--vocabulary",
        200,
        "--depth",
        3,
    ]
    run(monkeypatch, train, *arguments, "--work", tmp_path / "a", "--out", tmp_path / "whole")
    with monkeypatch.context() as patch:
        stopped_at(patch, train, "learning_rate", 4)
        with pytest.raises(KeyboardInterrupt):
            run(patch, train, *arguments, "--work", tmp_path / "b", "--out", tmp_path / "resumed")
    run(monkeypatch, train, *arguments, "--work", tmp_path / "b", "--out", tmp_path / "resumed")
    whole, resumed = (load_file(tmp_path / name / "model.safetensors") for name in ("whole", "resumed"))
    assert whole.keys() == resumed.keys() and all(np.array_equal(whole[name], resumed[name]) for name in whole)
    pair, stories = load_pair(target=TARGET, drafter=tmp_path / "whole"), load_pair("stories")
    found = speculative_decode(pair, stories.encode("Once upon a time"), 20, top_k=3, depth=3, budget=8)
    assert found.tokens == greedy_decode(pair.target, stories.encode("Once upon a time"), 20)
