"""The tree panel: every control redraws, numbers and picture agree with the engine, mistakes cost nothing."""

import resource

import matplotlib.pyplot as plt
import numpy as np
import pytest

from eagle_lab import load_pair, speculative_decode, tree_panel, use_language
from eagle_lab.views import MAX_PROMPT_TOKENS, tree_view

MOVES = {"low": 0.25, "mid": 0.0, "high": 0.5, "top_k": 2, "depth": 1, "budget": 30, "prompt": "小明看见一只小鸟。"}


@pytest.fixture(scope="module")
def pair():
    return load_pair("stories")


@pytest.fixture
def panel(pair):
    use_language("zh")
    return tree_panel(pair)


def state(panel) -> tuple:
    return bytes(panel.image.value), panel.numbers.value


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_view_is_the_first_round_of_decoding(pair, language):
    for prompt in pair.prompts[language]:
        view = tree_view(pair, prompt, layer_weights=(1, 2, 1), top_k=3, depth=4, budget=12)
        rounds = speculative_decode(
            pair, pair.encode(prompt), 40, layer_weights=(1, 2, 1), top_k=3, depth=4, budget=12
        ).rounds
        assert view.weights == [0.25, 0.5, 0.25]
        assert view.round.tokens == rounds[0].tokens and view.round.verdict == rounds[0].verdict
        np.testing.assert_array_equal(view.round.tree.tokens, rounds[0].tree.tokens)
        assert view.png.startswith(b"\x89PNG")


@pytest.mark.parametrize("name", MOVES)
def test_every_control_changes_the_picture_and_the_numbers(panel, name):
    before = state(panel)
    panel.controls[name].value = MOVES[name]
    after = state(panel)
    assert panel.status.value == "" and after[0] != before[0] and after[1] != before[1]


def test_numbers_say_what_the_round_says(panel, pair):
    accepted, tree = len(panel.view.round.verdict.accepted), panel.view.round.tree
    assert f"{accepted} / {len(tree)} 个候选" in panel.numbers.value
    assert "低层 0.33" in panel.numbers.value
    assert panel.view.best_path in panel.numbers.value
    assert repr(panel) == f"candidate tree: {len(tree)} nodes, {len(tree.leaves)} leaves, {accepted} accepted"


WRONG = {
    "no weight": ({"low": 0.0, "mid": 0.0, "high": 0.0}, "不能全是 0"),
    "empty prompt": ({"prompt": " "}, "开头是空的"),
    "long prompt": ({"prompt": "小鸟" * (MAX_PROMPT_TOKENS + 1)}, f"最多 {MAX_PROMPT_TOKENS} 个"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_setting_says_so_keeps_the_picture_and_recovers(panel, case, capfd):
    (setting, sentence), first = WRONG[case], state(panel)
    for name, value in list(setting.items())[:-1]:
        panel.controls[name].value = value
    last_good = state(panel)
    name, value = list(setting.items())[-1]
    panel.controls[name].value = value
    assert sentence in panel.status.value and state(panel) == last_good
    panel.controls["budget"].value = 9  # still wrong, still calm
    assert sentence in panel.status.value and state(panel) == last_good
    panel.reset.click()
    assert panel.status.value == "" and state(panel) == first
    assert capfd.readouterr() == ("", "")


def test_reset_returns_to_the_first_picture(panel):
    first = state(panel)
    for name, value in MOVES.items():
        panel.controls[name].value = value
    panel.chooser.value = panel.chooser.options[1][1]
    panel.reset.click()
    assert state(panel) == first
    assert {name: control.value for name, control in panel.controls.items()} == panel.defaults


def test_choosing_an_opening_fills_the_text(panel):
    chosen = panel.chooser.options[2][1]
    before = state(panel)
    panel.chooser.value = chosen
    assert panel.controls["prompt"].value == chosen and state(panel)[0] != before[0]


def test_sliders_keep_what_the_reader_set(panel):
    panel.controls["low"].value = 0.35
    assert [panel.controls[name].value for name in ("low", "mid", "high")] == [0.35, 1.0, 1.0]


def test_fifty_moves_leave_nothing_behind(panel, capfd):
    def move(count: int) -> None:
        for number in range(count):
            panel.controls["mid"].value = (number % 20) / 20
            panel.controls["budget"].value = 8 + number % 3

    move(50)  # fonts, labels and buffers are made once
    before = peak_megabytes()
    move(50)
    assert peak_megabytes() - before < 8
    assert plt.get_fignums() == [] and capfd.readouterr() == ("", "")


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.parametrize("text", ["😀 $x$ <b>bold</b>", "\x00\n\t", "مرحبا", "def f(x): return x"])
def test_any_typed_text_is_drawn_and_escaped(panel, text):
    panel.controls["prompt"].value = text
    assert panel.status.value == "" and "<b>bold" not in panel.numbers.value


def test_size_of_the_picture_depends_on_the_budget_only(pair, panel):
    sizes = set()
    for weight in (0.0, 0.3, 0.9):
        panel.controls["low"].value = weight
        sizes.add(panel.image.value[16:24])  # width and height in the PNG's header
    assert len(sizes) == 1


def test_english_panel_speaks_english(pair):
    use_language("en")
    try:
        panel = tree_panel(pair)
        assert "normalised weights" in panel.numbers.value and panel.controls["low"].description == "low layer"
        assert [value for _, value in panel.chooser.options] == pair.prompts["en"]
    finally:
        use_language("zh")
