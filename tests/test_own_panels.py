"""Panels on a reader's own functions: what is wrong is told of the function, and the text is judged by the target."""

import functools
import re
from dataclasses import replace

import numpy as np
import pytest

from eagle_lab import (
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
    "raises": (
        {"fuse": lambda features, weights: 1 / 0},
        r"出错了（第 \d+ 行：.*）：ZeroDivisionError: division by zero",
    ),
    "nothing back": ({"normalize": lambda weights: None}, "返回的是 None，应是 3 个有限的数"),
    "wrong width": ({"fuse": lambda features, weights: [1.0]}, r"返回的是 list\[1\]，应是 128 个有限的数"),
    "text": ({"fuse": lambda features, weights: "abc"}, "返回的是 'abc'，应是 128 个有限的数"),
    "not a number": ({"normalize": lambda weights: [float("nan")] * 3}, "应是 3 个有限的数"),
    "no pair": ({"score": lambda nodes: [0.0] * len(nodes)}, r"返回的是 list\[4\]，应是分数和路径"),
    "too few scores": ({"score": lambda nodes: ([-1.0], [1])}, r"返回的是 list\[1\]，应是 4 个有限的数"),
    "rising scores": (
        {"score": lambda nodes: ([float(i - len(nodes)) for i in range(len(nodes))], [1])},
        r"给节点 \d+ 的分数比它的父节点还高",
    ),
    "edge alone": (
        {"score": lambda nodes: ([node["log_score"] for node in nodes], [])},
        r"给节点 \d+ 的分数比它的父节点还高",
    ),
    "leaves": ({"normalize": lambda weights: exit()}, "出错了.*SystemExit"),
    "its own refusal": ({"normalize": lambda weights: int("x")}, r"ValueError: invalid literal for int\(\)"),
    "unpacks": ({"fuse": lambda rows, weights: [a for a, b in rows]}, "ValueError: too many values to unpack"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_function_is_told_in_place_and_no_setting_is_blamed(pair, fault, capfd):
    own, sentence = FAULTS[fault]
    panel = tree_panel(pair, **own)
    for _ in range(2):
        assert "⚠ 你的 &lt;lambda&gt;" in panel.status.value and "这个设置不能用" not in panel.status.value
        assert re.search(sentence, repr(panel)), repr(panel)
        assert "Traceback" not in panel.status.value and "上一次" not in repr(panel)
        panel.controls["budget"].value = 9
    assert capfd.readouterr() == ("", "")


def test_an_english_panel_names_a_fault_in_english(pair):
    use_language("en")
    panel = tree_panel(pair, fuse=lambda features, weights: [1.0])
    use_language("zh")
    panel.controls["budget"].value = 9
    assert repr(panel).startswith("⚠ your <lambda> returned list[1], not 128 finite numbers.")


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
    assert "返回的不是一条路径和一个 token：accepted[0] is 99" in panel.status.value


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
    assert re.fullmatch(
        r"⚠ 你的 broken 出错了（第 \d+ 行：return 1 / 0）：ZeroDivisionError: division by zero。", told()
    )
    assert repr(round_player(pair, verify=verify_by(broken))) == told(), "a dressed function's verdict is its own"


def test_where_no_function_is_ones_own_none_is_blamed(pair):
    assert "你的函数" not in repr(round_player(pair, budget="many"))


# ── what a panel says of the functions that it runs on ───────────────────────────────────────────


def test_a_panel_names_the_functions_that_it_runs_on_and_their_checks(pair):
    def normalize_fusion_weights(weights):
        return [weight / sum(weights) for weight in weights]

    panel = tree_panel(pair, normalize=normalize_fusion_weights, fuse=fuse_layer_features)
    assert "你的函数：normalize_fusion_weights（还没有检查过）　fuse_layer_features" in panel.badge.value
    exercises.check("normalize_fusion_weights", normalize_fusion_weights)
    panel.controls["budget"].value = 9
    assert "normalize_fusion_weights（检查未通过）" in panel.badge.value, "it lets wrong weights through"
    exercises.check("fuse_layer_features", fuse_layer_features)
    panel.controls["budget"].value = 10
    assert "fuse_layer_features（检查已通过）" in panel.badge.value
    assert tree_panel(pair).badge.value == ""


def test_a_decorated_function_has_the_verdict_that_its_check_left(pair):
    def plain(weights):
        return [weight / sum(weights) for weight in weights]

    decorated = functools.wraps(plain)(lambda weights: plain(weights))
    exercises.check("normalize_fusion_weights", decorated)
    assert "plain（检查未通过）" in tree_panel(pair, normalize=decorated).badge.value


class Everything:
    def __getattr__(self, name):
        return self

    def __call__(self, *_):
        return self


def test_a_thing_that_pretends_to_have_every_attribute_is_named_by_its_class(pair):
    panel = round_player(pair, mask=mask_by(Everything()))
    assert "Everything" in panel.badge.value and panel.message.startswith("⚠ 你的 Everything 返回的是")


NORMALIZE = {
    "as they are": lambda weights: list(weights),
    "by the largest": lambda weights: [weight / max(weights) for weight in weights],
    "sevenfold": lambda weights: [7 * weight / sum(weights) for weight in weights],
    "squared": lambda weights: [weight**2 for weight in weights],
    "by the count": lambda weights: [weight / len(weights) * 2 for weight in weights],
    "one too little": lambda weights: [weight / sum(weights) - 0.1 for weight in weights],
    "minus": lambda weights: [-weight / sum(weights) for weight in weights],
    "percent": lambda weights: [100 * weight / sum(weights) for weight in weights],
    "nothing": lambda weights: [0.0] * len(weights),
    "the first": lambda weights: [2.0 * (i == 0) for i in range(len(weights))],
}


@pytest.mark.parametrize("name", NORMALIZE)
def test_a_wrong_normalisation_decides_what_is_seen(pair, name):
    """Faults.md: it was normalised once more further down, and the picture stayed the same to the byte."""
    prompt, weights, wrong = pair.prompts["zh"][0], (1.0, 0.5, 0.25), NORMALIZE[name]
    right = tree_view(pair, prompt, layer_weights=weights)
    view = tree_view(pair, prompt, layer_weights=weights, normalize=wrong)
    given = wrong(list(weights))
    assert view.weights == given and "没有归一化" in view.to_html()
    if name not in ("as they are", "by the largest", "by the count"):  # near enough to 1 to draft the same
        assert not np.allclose(view.round.tree.log_scores, right.round.tree.log_scores[: len(view.rows)], atol=1e-5)
    one = tree_view(pair, prompt, layer_weights=weights, normalize=lambda w: normalize_fusion_weights(w))
    assert one.png == right.png and "没有归一化" not in one.to_html(), "a right one changes nothing"


def test_shares_follow_the_readers_fuse(pair):
    prompt = pair.prompts["zh"][0]
    right = fusion_view(pair, prompt, layer_weights=(1, 2, 1))
    same = fusion_view(pair, prompt, layer_weights=(1, 2, 1), fuse=lambda f, w: fuse_layer_features(f, w))
    assert same.shares == pytest.approx(right.shares, abs=1e-5)
    first = fusion_view(pair, prompt, layer_weights=(1, 2, 1), fuse=lambda rows, weights: rows[0])
    assert first.shares == pytest.approx([1, 0, 0])
    reverse = fusion_view(
        pair, prompt, layer_weights=(1, 2, 1), fuse=lambda f, w: fuse_layer_features(f[::-1], [1, 0, 0])
    )
    assert reverse.shares == pytest.approx([0, 0, 1])
    most = fusion_view(pair, prompt, fuse=lambda rows, weights: [max(column) for column in zip(*rows, strict=True)])
    assert most.shares is None and "不是各层的加权和" in most.to_html() and "–" in most.to_html()


def _weighted(rows, weights):
    return [[weight * x for x in row] for row, weight in zip(rows, weights, strict=True)]


FUSE = {
    "first layer": lambda rows, weights: rows[0],
    "last layer": lambda rows, weights: rows[-1],
    "plain mean": lambda rows, weights: [sum(column) / len(rows) for column in zip(*rows, strict=True)],
    "raw weights": lambda rows, weights: [3 * x for x in fuse_layer_features(rows, weights)],
    "maximum": lambda rows, weights: [max(column) for column in zip(*_weighted(rows, weights), strict=True)],
    "weights reversed": lambda rows, weights: fuse_layer_features(rows, list(weights)[::-1]),
    "weights squared": lambda rows, weights: fuse_layer_features(rows, [weight**2 for weight in weights]),
    "layers cut": lambda rows, weights: fuse_layer_features(rows[:2], list(weights)[:2]),
    "zero": lambda rows, weights: [0.0] * len(rows[0]),
    "joined": lambda rows, weights: [x for row in _weighted(rows, weights) for x in row],
}


def scoring(rule):
    """A scorer whose rule for a node, given its edge, its parent's score and its depth, is a wrong one."""

    def score(nodes):
        scores, depths = [], []
        for node in nodes:
            root = node["parent"] < 0
            depths.append(1 if root else 1 + depths[node["parent"]])
            scores.append(rule(node["log_score"], 0.0 if root else scores[node["parent"]], depths[-1]))
        return scores, []

    return score


SCORE = {
    "edge alone": scoring(lambda edge, above, depth: edge),
    "product": scoring(lambda edge, above, depth: edge * (above or 1)),
    "minus": scoring(lambda edge, above, depth: above - edge),
    "mean": scoring(lambda edge, above, depth: (above * (depth - 1) + edge) / depth),
    "depth alone": scoring(lambda edge, above, depth: -float(depth)),
    "root counts one": scoring(lambda edge, above, depth: (above or -1.0) + 2 * edge),
    "halved": scoring(lambda edge, above, depth: above + edge / 2**depth),
    "probability": scoring(lambda edge, above, depth: float(np.exp(above + edge))),
    "all equal": scoring(lambda edge, above, depth: 0.0),
    "deep is better": scoring(lambda edge, above, depth: above + edge + 1.0),
}


@pytest.mark.parametrize(
    ("exercise", "argument", "name"),
    [
        *(("normalize_fusion_weights", "normalize", name) for name in NORMALIZE),
        *(("fuse_layer_features", "fuse", name) for name in FUSE),
        *(("score_candidate_tree", "score", name) for name in SCORE),
    ],
)
def test_a_panel_never_lets_a_wrong_function_pass_for_right(pair, exercise, argument, name):
    """It drafts; the text stays the target's. So what it can cost is τ, and that stands beside the library's."""
    wrong = {"normalize": NORMALIZE, "fuse": FUSE, "score": SCORE}[argument][name]
    assert not exercises.check(exercise, wrong).passed
    prompt = pair.prompts["zh"][2]
    panel = tree_panel(pair, [prompt], **{argument: wrong})
    panel.controls["low"].value = 0.2
    assert "检查未通过" in panel.badge.value
    if panel.message:
        assert "⚠ 你的" in panel.message and "这个设置不能用" not in panel.message
        return
    library = tau_after(pair, prompt, layer_weights=(0.2, 1, 1))
    assert f"（用库里的函数：{library:.2f}）" in panel.more.value
    round_ = panel.view.round
    plain = record(pair, prompt).decoding.tokens
    assert [round_.root, *round_.tokens] == plain[: 1 + len(round_.tokens)], "what is committed is the target's"


def test_what_a_wrong_function_costs_stands_beside_the_right_one(pair):
    prompt = pair.prompts["zh"][0]
    panel = tree_panel(pair, [prompt], fuse=lambda rows, weights: rows[0])
    ours, library = tau_after(pair, prompt, fuse=lambda rows, weights: rows[0]), tau_after(pair, prompt)
    assert ours < library
    assert f"τ {ours:.2f}（用库里的函数：{library:.2f}）" in panel.more.value
    assert "用库里的函数" not in tree_panel(pair, [prompt]).more.value


# ── a text that is not the target's ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", [*MASKS, *WALKS])
def test_the_player_says_where_a_text_leaves_the_targets(pair, name):
    mask, walk = MASKS.get(name, right_mask), WALKS.get(name, right_walk)
    strayed = 0
    for prompt in (pair.prompts["zh"][1], pair.prompts["en"][0]):
        panel = round_player(pair, [prompt], mask=mask_by(mask), verify=verify_by(walk))
        recording, library = panel.view.recording, record(pair, prompt)
        same = recording.decoding.tokens == library.decoding.tokens
        strayed += not same
        for number in range(1, 1 + len(recording.decoding.rounds)):
            panel.controls["round"].value = number
            page = panel.numbers.value
            out = not same and recording.strayed[0] < recording.end_of(number)
            assert ("这不再是目标模型的文本" in page) == out == ("τ 没有意义" in page)
            if out and recording.strayed[0] >= recording.end_of(number - 1):  # the round in which it happens
                place = recording.strayed[0]
                wanted = pair.token_text(recording.choices[place])
                assert recording.choices[place] == library.decoding.tokens[place]
                assert "✗" in panel.text and wanted.strip() in panel.text and "不是目标模型的选择" in panel.view.alt
    assert strayed or name in (
        "never",
        "one_step",
        "first_child_or_stop",
        "siblings",
        "descendants",
        "node_zero_unseen",
    )


def test_the_targets_choices_are_the_targets(pair):
    """Faults.md: 「一 ✓」 stood for the target's choice, because the reader's walk had said so."""
    panel = round_player(pair, [pair.prompts["zh"][0]], verify=verify_by(WALKS["first_child"]))
    recording = panel.view.recording
    ids, text = recording.prompt, recording.text
    for place in range(len(text)):
        hidden, _ = pair.target.forward([*ids, *text[:place]], pair.target.new_cache())
        assert recording.choices[place] == int(pair.target.logits(hidden[-1]).argmax())
    line = next(line for line in panel.text.splitlines() if line.startswith("目标模型沿路的选择"))
    wrong = [place for place in range(1, recording.end_of(1)) if text[place] != recording.choices[place]]
    assert line.count("✗") == len(wrong) > 0 and line.count("（写下的却是") == len(wrong)


# ── drafters that have no use for a function ─────────────────────────────────────────────────────


def test_a_function_that_would_never_be_called_is_refused(pair):
    rival = load_pair("stories", drafter="draft_model")
    for name in ("normalize", "fuse"):
        panel = tree_panel(rival, **{name: lambda *_: [1.0, 1.0, 1.0]})
        assert f"{name}: DraftModel reads no layer features, so it would never be called" in panel.message
        assert "你的函数出错" not in panel.message
    assert tree_panel(rival, score=score_candidate_tree).message == ""

    class OwnScores:
        layers = 0

        def __init__(self, drafter):
            self.check_shape, self.new_cache, self.draft = drafter.check_shape, drafter.new_cache, drafter.draft

        def configured(self):
            return self

    panel = tree_panel(replace(rival, drafter=OwnScores(rival.drafter)), score=score_candidate_tree)
    assert "score: OwnScores scores its candidates itself" in panel.message


def test_a_drafter_without_layers_gets_no_sliders_for_them():
    rival = load_pair("stories", drafter="draft_model")
    panel = tree_panel(rival)
    assert set(panel.controls) == {"top_k", "depth", "budget", "prompt"} and panel.message == ""
    panel.controls["budget"].value = 5
    assert len(panel.view.round.tree) == 5
    panel.reset.click()
    assert panel.view.weights is None and "reads no layer features" in fusion_panel(rival).message


@pytest.mark.parametrize("make", [tree_panel, fusion_panel, round_player, walk_panel])
def test_what_is_no_pair_no_opening_or_no_function_is_refused_by_name(pair, make):
    with pytest.raises(TypeError, match="pair must be a Pair, not str"):
        make("stories")
    for prompts, place in (
        (5, "prompts"),
        ({"a": 1}, "prompts"),
        ([5], r"prompts\[0\]"),
        (["从前", None], r"prompts\[1\]"),
    ):
        with pytest.raises(TypeError, match=place):
            make(pair, prompts)
    with pytest.raises(TypeError, match="normalise"):
        make(pair, normalise=normalize_fusion_weights)
    assert make(pair, "从前，小明").controls["prompt"].value == "从前，小明", "one opening, not its letters"


def test_what_cannot_be_called_is_refused_by_name(pair):
    for make, name in (
        (tree_panel, "fuse"),
        (tree_panel, "score"),
        (fusion_panel, "normalize"),
        (round_player, "mask"),
    ):
        with pytest.raises(TypeError, match=f"{name} must be a function, not list"):
            make(pair, **{name: [1, 2]})


def test_a_pair_without_a_tokenizer_is_given_ids(pair):
    wordless = replace(pair, tokenizer=None)
    ids = pair.encode(pair.prompts["zh"][0])
    for make in (tree_panel, fusion_panel, round_player, walk_panel):
        panel = make(wordless, [ids, [5, 6, 7]])
        assert panel.message == "" and panel.controls["prompt"].value == " ".join(map(str, ids))
        panel.controls["prompt"].value = "5, 6 7"
        assert panel.message == ""
        panel.controls["prompt"].value = "从前"
        assert "请写 token 编号" in panel.message
    assert tree_panel(wordless, [ids]).view.round.tokens == tree_panel(pair).view.round.tokens
