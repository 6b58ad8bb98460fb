"""The report of a check: its table, in both languages, on every console."""

import io
import os
import subprocess
import sys

import numpy as np
import pytest

from eagle_lab import accepted_prefix, exercises, score_candidate_tree
from eagle_lab.exercises import EXERCISES, check
from eagle_lab.language import use_language

from wrong.right import RIGHT, refuse_unless
from wrong.strange import raising
from wrong.with_the_checker import WRONG

pytestmark = pytest.mark.usefixtures("chinese")


def by_count(weights):
    refuse_unless(weights and min(weights) >= 0 and sum(weights) > 0)
    return [weight / len(weights) for weight in weights]


def test_the_table_says_what_came_and_what_was_expected_and_a_hint_once():
    assert str(check("normalize_fusion_weights", by_count)).splitlines()[:7] == [
        "❌ 两层：[1, 3]",
        "     实际：[0.5, 1.5]",
        "     预期：[0.25, 0.75]",
        "     提示：除以了层数，应除以权重之和。",
        "❌ 有小数：[3, 1.5, 4.5]",
        "     实际：[1, 0.5, 1.5]",
        "     预期：[0.3333333333, 0.1666666667, 0.5]",
    ]
    use_language("en")
    lines = str(check("normalize_fusion_weights", by_count)).splitlines()
    assert lines[1:4] == [
        "     got:      [0.5, 1.5]",
        "     expected: [0.25, 0.75]",
        "     hint:     Divided by the number of layers; divide by the sum.",
    ]
    assert lines[-1] == "❌ test_normalize_fusion_weights: 4 of 11 cases failed"
    assert sum("hint:" in line for line in lines) == 1


def test_values_are_shown_short_and_a_mask_by_its_rows():
    result = check("tree_attention_mask", lambda parents: np.ones((1 + len(parents),) * 2)).results[0]
    expected_pair = check("score_candidate_tree", score_candidate_tree).results[0].expected
    assert expected_pair == "([-0.1, -0.3, -1.1, -0.35], [10, 11, 13])"
    assert (result.got, result.expected) == ("11111 11111 11111 11111 11111", "10000 11000 11100 11010 11101")


# ── every console ─────────────────────────────────────────────────────────────────────────────────


def printed(name, function, encoding, monkeypatch) -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        assert getattr(exercises, f"test_{name}")(function) is None
    stream.flush()
    return raw.getvalue().decode(encoding)


@pytest.mark.parametrize(
    ("encoding", "first"),
    [
        ("utf-8", "❌ 两层：[1, 3]"),
        ("cp936", "[x] 两层：[1, 3]"),
        ("big5", "[x] two layers: [1, 3]"),
        ("cp1252", "[x] two layers: [1, 3]"),
        ("ascii", "[x] two layers: [1, 3]"),
    ],
)
def test_any_console_can_show_it(encoding, first, monkeypatch):
    assert printed("normalize_fusion_weights", by_count, encoding, monkeypatch).splitlines()[0] == first
    for answer in WRONG:
        printed(answer.exercise, answer.function, encoding, monkeypatch)
    for name in EXERCISES:
        for function in [RIGHT[name][0], raising(NotImplementedError("😀\ud800")), raising(KeyError("完成 ✅"))]:
            printed(name, function, encoding, monkeypatch)


def test_what_a_console_cannot_write_is_escaped(monkeypatch):
    shout = raising(NotImplementedError("完成！"))
    expected = r"[ ] test_accepted_prefix: not finished yet. \u5b8c\u6210\uff01"
    assert printed("accepted_prefix", shout, "ascii", monkeypatch).strip() == expected


@pytest.mark.parametrize("stream", [None, io.StringIO()])
def test_a_stream_without_an_encoding_is_no_trouble(stream, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        exercises.test_accepted_prefix(accepted_prefix)
    assert stream is None or "✅ test_accepted_prefix: 11 项全部通过" in stream.getvalue()


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp936", "utf-8"])
def test_a_process_with_another_encoding_prints_every_report(encoding):
    code = (
        "from eagle_lab import exercises\n"
        "for name in exercises.EXERCISES: getattr(exercises, f'test_{name}')(lambda *_: None)\n"
    )
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
    assert ran.stdout.decode(encoding).count("test_") == len(EXERCISES) and not ran.stderr
