"""A reader's own functions in the engine's place: right ones change nothing, wrong ones are named, and verdicts."""

import gc

import numpy as np
import pytest

from eagle_lab import CandidateTree, fuse_layer_features, load_pair, own, record, score_candidate_tree, use_language
from eagle_lab.guard import EndlessError, OwnError
from eagle_lab.own import fuse_by, leave_verdict, mask_by, score_by, verdict_on, verify_by, weights_by

from wrong.right import right_mask, right_walk

TREE = CandidateTree([-1, 0, 0], [5, 6, 7], [-0.1, -0.2, -0.3])
LOGITS = np.eye(9)[[5, 6, 8, 8]]  # the target goes to node 0, then to node 1, then writes 8


@pytest.fixture(scope="module")
def pair():
    use_language("zh")
    return load_pair("stories")


def test_learners_functions_of_verification_drive_a_whole_generation(pair):
    prompt = pair.prompts["zh"][0]
    own = record(pair, prompt, mask=mask_by(right_mask), verify=verify_by(right_walk))
    library = record(pair, prompt)
    assert own.decoding.tokens == library.decoding.tokens
    assert [r.verdict for r in own.decoding.rounds] == [r.verdict for r in library.decoding.rounds]


def test_a_dressed_function_remembers_its_learner_s(pair):
    assert mask_by(right_mask).__wrapped__ is right_mask and verify_by(right_walk).__wrapped__ is right_walk


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
    before = len(own._verdicts)

    def function():
        pass

    leave_verdict(function, "scores", True)
    assert len(own._verdicts) == before + 1
    del function
    gc.collect()
    assert len(own._verdicts) == before


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


# ── answers that cannot be ───────────────────────────────────────────────────────────────────────

ANSWERS = [None, 5, "ab", [], [1.0], [1.0, "x", 2.0], [1.0, float("nan"), 2.0], [1.0, True, 2.0], {}, {1.0}, object()]
ANSWERS += [[[1.0, 2.0, 3.0]], (x for x in (1.0, 2.0, 3.0)), np.eye(3), [10**400, 1, 1], [1j, 1, 1], [1.0] * 10**5]


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: repr(answer)[:20])
def test_an_answer_that_cannot_be_names_the_function_and_what_it_gave(answer):
    def mine(*_):
        return answer

    dressed = {
        "weights": lambda: weights_by(mine, [1, 2, 1], 3),
        "fuse": lambda: fuse_by(mine)(np.ones((2, 1, 3), dtype=np.float32), [1, 1]),
        "score": lambda: score_by(mine)(np.array([-1]), np.zeros(1), np.full((1, 3), -1.0)),
        "scores": lambda: score_by(lambda nodes: (answer, []))(np.array([-1]), np.zeros(1), np.full((1, 3), -1.0)),
        "mask": lambda: mask_by(mine)(TREE),
        "verify": lambda: verify_by(mine)(TREE, LOGITS),
        "accepted": lambda: verify_by(lambda *_: (answer, 3))(TREE, LOGITS),
        "next_token": lambda: verify_by(lambda *_: ([], answer))(TREE, LOGITS),
    }
    for name, call in dressed.items():
        if (name, repr(answer)) in [("accepted", "[]"), ("next_token", "5")]:
            continue  # legal
        with pytest.raises(OwnError) as caught:
            call()
        assert caught.value.function in ("mine", "<lambda>"), name
        assert str(caught.value).startswith(f"你的 {caught.value.function} 返回的"), (name, str(caught.value))
        assert len(str(caught.value)) < 200, name


@pytest.mark.parametrize(
    ("accepted", "next_token"),
    [
        ([3], 8),
        ([-1], 8),
        ([1], 8),
        ([0, 0], 8),
        ([0, 1, 2], 8),
        ([2, 0], 8),
        ([0.5], 8),
        ([0], 9),
        ([0], -1),
        ([0], 1.5),
    ],
)
def test_a_walk_that_is_no_path_or_ends_in_no_token_is_refused(accepted, next_token):
    with pytest.raises(OwnError, match="返回的不是一条路径和一个 token"):
        verify_by(lambda *_: (accepted, next_token))(TREE, LOGITS)


@pytest.mark.parametrize("container", [tuple, list, np.array])
def test_answers_of_every_fit_kind_are_taken(container):
    verdict = verify_by(lambda *_: (container([0, 1]), np.int64(8)))(TREE, LOGITS)
    assert verdict.accepted == (0, 1) and verdict.next_token == 8 and type(verdict.next_token) is int
    mask = mask_by(lambda parents: container(TREE.attention_mask().astype(int).tolist()))(TREE)
    assert mask.dtype == bool and (mask == TREE.attention_mask()).all()
    assert weights_by(lambda weights: container([0.25, 0.5, 0.25]), [1, 2, 1], 3) == [0.25, 0.5, 0.25]


def test_an_error_of_the_functions_own_is_not_the_answer_s():
    def mine(*_):
        first, second = [1]
        return first, second

    for call in (lambda: mask_by(mine)(TREE), lambda: verify_by(mine)(TREE, LOGITS), lambda: weights_by(mine, [1], 1)):
        with pytest.raises(
            OwnError, match=r"你的 mine 出错了（第 \d+ 行：first, second = \[1\]）：ValueError: not enough"
        ):
            call()


def test_what_does_not_end_ends_in_the_engine_too(pair, monkeypatch):
    monkeypatch.setattr("eagle_lab.guard.SECONDS", 0.2)

    def mine(parents, tokens, choices):
        while True:
            pass

    with pytest.raises(OwnError) as caught:
        record(pair, pair.prompts["zh"][0], verify=verify_by(mine))
    assert isinstance(caught.value.error, EndlessError)


def test_the_library_s_own_functions_dressed_change_nothing(pair):
    features = np.random.default_rng(0).standard_normal((3, 4, 5)).astype(np.float32)
    right = fuse_layer_features(features, [1, 2, 1])
    assert fuse_by(fuse_layer_features)(features, [1, 2, 1]) == pytest.approx(right, rel=1e-6)
    score, edges = score_by(score_candidate_tree), np.array([[-0.5, -1.0]])
    assert score(np.array([-1]), np.zeros(1), edges).tolist() == edges.tolist()
    assert score(np.array([0]), np.array([-0.5]), edges).tolist() == [[-1.0, -1.5]]
