"""Panels on a reader's own functions: what is wrong is told of the function, and the text is judged by the target."""

import re
import threading

import numpy as np
import pytest

from eagle_lab import (
    CandidateTree,
    exercises,
    fuse_layer_features,
    fusion_panel,
    load_pair,
    normalize_fusion_weights,
    round_player,
    score_candidate_tree,
    tree_panel,
    use_language,
    walk_panel,
)
from eagle_lab.guard import OwnError
from eagle_lab.own import mask_by, verify_by
from eagle_lab.pictures.views import fusion_view, tree_view
from eagle_lab.trials import record, tau_after

from test_generation import MASKS, WALKS, right_mask, right_walk

pytestmark = pytest.mark.usefixtures("chinese")


@pytest.fixture(scope="module")
def pair():
    return load_pair("stories")


# ── functions of a learner's own ─────────────────────────────────────────────────────────────────

FAULTS = {
    "raises": ({"fuse": lambda features, weights: 1 / 0}, "division by zero"),
    "nothing back": ({"normalize": lambda weights: None}, ""),
    "wrong width": ({"fuse": lambda features, weights: [1.0]}, "fuse must return"),
    "text": ({"fuse": lambda features, weights: "abc"}, ""),
    "no pair": ({"score": lambda nodes: [0.0] * len(nodes)}, ""),
    "too few scores": ({"score": lambda nodes: ([-1.0], [1])}, ""),
    "rising scores": (
        {"score": lambda nodes: ([float(i - len(nodes)) for i in range(len(nodes))], [1])},
        "scores above",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_function_is_told_in_place(pair, fault, capfd):
    own, sentence = FAULTS[fault]
    panel = tree_panel(pair, **own)
    assert "⚠" in panel.status.value and sentence in panel.status.value
    panel.controls["budget"].value = 9
    assert "⚠" in panel.status.value and "Traceback" not in panel.status.value
    own_fault = fault in ("raises", "no pair", "nothing back")
    assert ("你的函数出错了" in repr(panel)) == own_fault, repr(panel)
    assert repr(panel).startswith("⚠ ") and "上一次" not in repr(panel) and capfd.readouterr() == ("", "")


def test_the_log_keeps_the_traceback(pair, caplog):
    def broken(features, weights):
        return 1 / 0

    with caplog.at_level("DEBUG", logger="eagle_lab.panels"):
        tree_panel(pair, fuse=broken)
    assert "ZeroDivisionError" in caplog.text and "in broken" in caplog.text and "'low': 1.0" in caplog.text


def test_an_unwritten_function_is_unfinished_and_no_error(pair):
    def todo(weights):
        raise NotImplementedError("请先完成 TODO 代码！")

    panel = fusion_panel(pair, normalize=todo)
    assert repr(panel) == "○ 请先完成 TODO 代码！" and repr(panel) in panel.status.value
    assert not panel.image.value and panel.image.layout.display == "none", "no picture, and no broken one"


def test_a_faulty_verification_is_told_in_place(pair):
    panel = round_player(pair, verify=verify_by(lambda parents, tokens, choices: ([99], 1)))
    assert "accepted is [99]" in panel.status.value


FIRST_THE_CHECKS = "先跑通上面的检查。"


def test_the_checks_are_named_only_where_not_all_have_passed(pair, monkeypatch):
    passed = set()
    monkeypatch.setattr("eagle_lab.panels.base.verdict_on", lambda function: function in passed or None)

    def broken(*arguments):
        return 1 / 0

    def whole(weights):
        return [weight / sum(weights) for weight in weights]

    def told() -> str:
        return repr(tree_panel(pair, fuse=broken, normalize=whole))

    assert told().endswith(FIRST_THE_CHECKS)
    passed.add(whole)
    assert told().endswith(FIRST_THE_CHECKS)
    passed.add(broken)
    assert told() == "⚠ 你的函数出错了：ZeroDivisionError: division by zero。"
    assert repr(round_player(pair, verify=verify_by(broken))) == told(), "a dressed function's verdict is its own"


def test_where_no_function_is_ones_own_none_is_blamed(pair):
    assert "你的函数" not in repr(round_player(pair, budget="many"))


