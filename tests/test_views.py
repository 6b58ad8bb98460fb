"""Fusion views and learners' own functions: what a panel shows agrees with the engine, right or wrong."""

from dataclasses import replace

import numpy as np
import pytest

from eagle_lab import (
    Generation,
    Round,
    Verdict,
    fuse_layer_features,
    fusion_panel,
    fusion_shares,
    fusion_view,
    load_pair,
    map_view,
    score_candidate_tree,
    tree_panel,
    tree_view,
    use_language,
)
from eagle_lab.benchmark import tau_map
from eagle_lab.pictures.charts import chart_figure
from eagle_lab.rivals import DraftModel
from eagle_lab.trials import tau_after


@pytest.fixture(scope="module")
def pair():
    use_language("zh")
    return load_pair("stories")


@pytest.mark.parametrize("weights", [(1, 1, 1), (1, 0, 0), (0.2, 0.5, 0.3)])
def test_shares_sum_to_one_and_follow_their_definition(pair, weights):
    reading = Generation(pair, pair.encode(pair.prompts["zh"][0]))
    projected = pair.drafter.project(reading.features)[:, -1].astype(np.float64)
    parts = np.array(weights)[:, None] / sum(weights) * projected
    fused = parts.sum(axis=0)
    expected = parts @ fused / (fused @ fused)
    view = fusion_view(pair, pair.prompts["zh"][0], layer_weights=weights)
    assert view.shares == pytest.approx(expected, abs=1e-5) and sum(view.shares) == pytest.approx(1)
    assert view.projected_scales == pytest.approx(np.sqrt((projected**2).mean(axis=1)), rel=1e-5)
    assert view.raw_scales == pytest.approx(np.sqrt((reading.features[:, -1] ** 2).mean(axis=1)), rel=1e-5)


def test_shares_of_cancelling_features_are_refused():
    with pytest.raises(ValueError, match="cancel out"):
        fusion_shares([[1.0, 0.0], [-1.0, 0.0]], [1, 1])
    assert fusion_shares([[3.0, 0.0], [-1.0, 0.0]], [1, 1]) == [1.5, -0.5]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_candidates_are_the_drafters_and_the_choice_is_the_targets(pair, language):
    for prompt in pair.prompts[language]:
        view = fusion_view(pair, prompt)
        reading = Generation(pair, pair.encode(prompt))
        tree = reading.preview(layer_weights=[1, 1, 1], top_k=8, depth=1, budget=8).tree
        assert [chance for _, chance in view.candidates] == pytest.approx(np.exp(tree.log_scores).tolist())
        hidden, _ = pair.target.forward([reading.root], reading.cache)
        choice = int(np.argmax(pair.target.logits(hidden[-1])))
        assert view.rank == (tree.tokens.tolist().index(choice) + 1 if choice in tree.tokens else None)
        assert view.png.startswith(b"\x89PNG")


def plain_normalize(weights):
    return [weight / sum(weights) for weight in weights]


def plain_fuse(features, weights):
    shares = plain_normalize(weights)
    return [sum(share * row[d] for share, row in zip(shares, features, strict=True)) for d in range(len(features[0]))]


def test_right_functions_of_ones_own_draw_the_same_tree(pair):
    prompt = pair.prompts["zh"][0]
    own = {"normalize": plain_normalize, "fuse": plain_fuse, "score": score_candidate_tree}
    ours, theirs = tree_view(pair, prompt, budget=12), tree_view(pair, prompt, budget=12, **own)
    assert repr(theirs) == repr(ours) and theirs.accepted_path == ours.accepted_path
    assert [row[:3] for row in theirs.rows] == [row[:3] for row in ours.rows]
    assert tau_after(pair, prompt, **own) == tau_after(pair, prompt)
    assert tree_view(pair, prompt, budget=12, fuse=fuse_layer_features).png == ours.png


def test_a_wrong_fusion_of_ones_own_changes_the_picture(pair):
    prompt = pair.prompts["zh"][0]
    last = tree_view(pair, prompt, fuse=lambda features, weights: features[-1])
    assert last.rows != tree_view(pair, prompt).rows
    assert last.rows == tree_view(pair, prompt, layer_weights=(0, 0, 1)).rows


def not_done(*_):
    raise NotImplementedError("请先完成 TODO 代码！")


BROKEN = {
    "not done": ({"fuse": not_done}, "请先完成 TODO 代码"),
    "half a feature": ({"fuse": lambda features, weights: features[0][:5]}, "应是 128 个有限的数"),
    "edge score": ({"score": lambda nodes: ([n["log_score"] for n in nodes], [])}, "的分数比它的父节点还高"),
    "nothing": ({"score": lambda nodes: None}, "⚠"),
    "not normalised": ({"normalize": lambda weights: [float("nan")] * 3}, "应是 3 个有限的数"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_function_of_ones_own_is_told_in_the_panel(pair, case, capfd):
    own, sentence = BROKEN[case]
    panel = tree_panel(pair, **own)
    assert sentence in panel.status.value and capfd.readouterr() == ("", "")


def test_fusion_panel_redraws_and_recovers(pair):
    panel = fusion_panel(pair)
    first = bytes(panel.image.value)
    panel.controls["high"].value = 0.1
    assert bytes(panel.image.value) != first and "高层" in panel.numbers.value
    for layer in ("low", "mid", "high"):
        panel.controls[layer].value = 0.0
    assert "不能全是 0" in panel.status.value
    panel.reset.click()
    assert bytes(panel.image.value) == first and panel.status.value == ""
    assert repr(panel).startswith("fusion: shares")


@pytest.mark.parametrize(("language", "said"), [("zh", "没有草稿"), ("en", "o draft this round")])
def test_a_plain_pass_has_no_candidates(pair, monkeypatch, language, said):
    use_language(language)
    reading = Generation(pair, pair.encode("从前"))
    round_ = Round(reading.root, reading.cache.length, None, Verdict((), (), 30), (30,))
    monkeypatch.setattr(reading, "preview", lambda **settings: round_)
    view = tree_view(pair, reading)
    assert repr(view) == "candidate tree: 0 nodes, 0 leaves, 0 accepted" and view.rows == []
    page = view.to_html()
    assert page.count(said) == 2 and ("0 / 0" in page or "0 of 0" in page)
    assert view.png.startswith(b"\x89PNG") and view.table_html().count("<tr>") == 1
    use_language("zh")


@pytest.fixture(scope="module")
def small_map(pair):
    return tau_map(pair, ["Once upon a time"], steps=1)


def test_maps_that_cannot_be_are_refused(pair, small_map):
    rival = replace(pair, drafter=DraftModel(pair.target))
    for maps, error, said in [
        ({}, ValueError, "maps has 0 maps"),
        ({str(number): small_map for number in range(7)}, ValueError, "maps has 7 maps: give 1 to 6"),
        ([small_map], TypeError, "maps must be a Mapping, not list"),
        ({"a": 5}, TypeError, r"maps\['a'\] must be a TauMap, not int"),
        ({"a": small_map._replace(pair=rival)}, ValueError, "DraftModel reads no layer features"),
        ({"a": small_map._replace(texts=[])}, ValueError, "texts is empty"),
    ]:
        with pytest.raises(error, match=said):
            map_view(maps)


def test_a_map_needs_a_weight_for_each_layer_and_an_axes_for_each_map(small_map):
    with pytest.raises(ValueError, match="layer_weights has 2 weights, but the drafter reads 3 layers"):
        map_view({"a": small_map}, (1, 1))
    with pytest.raises(ValueError, match="figure has 2 axes: this picture needs 1"):
        map_view({"a": small_map}, figure=chart_figure(9, 4, 2))
