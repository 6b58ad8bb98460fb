"""The panels: every control redraws, numbers and picture agree with the engine, mistakes cost nothing."""

import asyncio
import base64
import gc
import re
import sys
import threading
from dataclasses import replace
from urllib.request import urlopen

import matplotlib.pyplot as plt
import numpy as np
import psutil
import pytest
from IPython.core.formatters import DisplayFormatter

from eagle_lab import (
    fuse_layer_features,
    load_pair,
    map_panel,
    record,
    round_player,
    speculative_decode,
    tau_map,
    tree_panel,
    use_language,
    walk_panel,
    walk_view,
)
from eagle_lab.counterexamples import accept_best_leaf
from eagle_lab.pictures import rounds
from eagle_lab.pictures.ink import to_png
from eagle_lab.pictures.views import tree_view
from eagle_lab.trials import MAX_PROMPT_TOKENS, tau_after

MOVES = {"low": 0.25, "mid": 0.0, "high": 0.5, "top_k": 2, "depth": 1, "budget": 30, "prompt": "小明看见一只小鸟。"}


@pytest.fixture(scope="module")
def pair():
    return load_pair("stories")


@pytest.fixture
def panel(pair):
    use_language("zh")
    return tree_panel(pair)


def png(panel) -> bytes:
    """The picture that a page shows now; its address holds it."""
    address = urlopen(bytes(panel.image.value).decode())
    assert address.headers.get_content_type() == "image/png"
    return address.read()


def state(panel) -> tuple:
    return png(panel), panel.numbers.value


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


def test_words_of_ones_own_leave_the_list_and_the_list_can_be_chosen_again(panel):
    first = state(panel)
    panel.controls["prompt"].value = "小明看见一只小鸟。"
    assert panel.chooser.value is None
    panel.chooser.value = panel.defaults["prompt"]
    assert panel.controls["prompt"].value == panel.defaults["prompt"] and state(panel) == first


def test_a_chain_gets_the_picture_of_a_chain(panel):
    panel.set_together({"top_k": 1, "depth": 8, "budget": 8})
    small = png(panel)[16:24]
    panel.controls["budget"].value = 60
    assert png(panel)[16:24] == small


def test_sliders_keep_what_the_reader_set(panel):
    panel.controls["low"].value = 0.35
    assert [panel.controls[name].value for name in ("low", "mid", "high")] == [0.35, 1.0, 1.0]


def test_fifty_moves_leave_nothing_behind(panel, capfd):
    def move(count: int) -> None:
        for number in range(count):
            panel.controls["mid"].value = (number % 20) / 20
            panel.controls["budget"].value = 8 + number % 3

    move(50)  # fonts, labels and buffers are made once
    before = megabytes()
    move(50)
    assert megabytes() - before < 8
    assert plt.get_fignums() == [] and capfd.readouterr() == ("", "")


def megabytes() -> float:
    gc.collect()
    return psutil.Process().memory_info().rss / 2**20


@pytest.mark.parametrize("text", ["😀 $x$ <b>bold</b>", "\x00\n\t", "مرحبا", "def f(x): return x"])
def test_any_typed_text_is_drawn_and_escaped(panel, text):
    panel.controls["prompt"].value = text
    assert panel.status.value == "" and "<b>bold" not in panel.numbers.value


def test_size_of_the_picture_depends_on_the_budget_only(pair, panel):
    sizes = set()
    for weight in (0.0, 0.3, 0.9):
        panel.controls["low"].value = weight
        sizes.add(png(panel)[16:24])  # width and height in the PNG's header
    assert len(sizes) == 1


def test_a_panel_is_shown_live_and_as_its_picture_by_every_ipywidgets(panel):
    data, metadata = DisplayFormatter().format(panel)
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == panel.model_id
    assert data["text/plain"] == repr(panel)
    assert metadata["image/png"] == {"width": 960, "alt": panel.view.alt} and "已接受前缀" in panel.view.alt
    assert base64.b64decode(data["image/png"]) == panel.view.png


def test_english_panel_speaks_english(pair):
    use_language("en")
    try:
        panel = tree_panel(pair)
        assert "normalised weights" in panel.numbers.value and panel.controls["low"].description == "low layer"
        assert [value for _, value in panel.chooser.options] == pair.prompts["en"]
    finally:
        use_language("zh")


# ── a hand at the controls: as in a kernel, where a loop runs ────────────────────────────────────


def width(png: bytes) -> int:
    return int.from_bytes(png[16:20], "big")


def tau(panel) -> str:
    return re.search(r"τ ([^<]+)", panel.more.value)[1]


def at_the_controls(panel, act) -> list[tuple[int, str]]:
    """What the page shows, picture by picture, while `act` moves the panel and a while after: width, then τ."""
    shown = []

    def look(_change) -> None:
        now = width(png(panel)), tau(panel)
        if not shown or shown[-1] != now:
            shown.append(now)

    async def play() -> None:
        for widget in (panel.image, panel.more):
            widget.observe(look, names="value")
        act()
        while panel._unfinished:
            await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(play(), 20))
    return shown


def test_a_move_is_shown_at_once_and_finished_when_the_hand_rests(pair, panel):
    old = tau(panel)

    def move() -> None:
        panel.set_together({"low": 0.0, "high": 0.0, "budget": 6})
        assert panel.view.weights == [0.0, 1.0, 0.0] and "6 个候选" in panel.numbers.value

    shown = at_the_controls(panel, move)
    new = f"{tau_after(pair, panel.defaults['prompt'], layer_weights=(0, 1, 0), top_k=4, depth=5, budget=6):.2f}"
    assert new != old
    assert shown == [(960, old), (1920, old), (1920, "…"), (1920, new)]
    same = tree_view(pair, panel.defaults["prompt"], layer_weights=(0, 1, 0), top_k=4, depth=5, budget=6)
    assert png(panel) == panel.view.png == same.png and panel.view.table_html() in panel.more.value


def test_only_the_last_of_many_moves_is_finished(panel):
    def drag() -> None:
        for step in range(8):
            panel.controls["low"].value = step / 8

    shown = at_the_controls(panel, drag)
    assert [wide for wide, _ in shown] == [960, 1920, 1920, 1920]
    assert panel.view.weights[0] == pytest.approx(0.875 / 2.875)


def test_a_slow_hand_sees_every_picture_sharp_and_tau_at_the_end(panel, monkeypatch):
    monkeypatch.setattr("eagle_lab.panels.base.PAUSES", (0.01, 3600))
    widths = []
    panel.image.observe(lambda _: widths.append(width(png(panel))), names="value")

    async def steps() -> None:
        for step in range(3):
            panel.controls["low"].value = step / 8
            while widths[-1] != 1920:
                await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(steps(), 20))
    assert widths == [960, 1920] * 3 and tau(panel) == "…"
    panel.finish()
    assert tau(panel) != "…"


def test_what_is_stored_or_asked_for_is_finished(panel):
    async def move_and_show() -> tuple:
        panel.controls["low"].value = 0.25
        return DisplayFormatter().format(panel)

    data, _ = asyncio.run(move_and_show())
    assert width(base64.b64decode(data["image/png"])) == 1920
    assert png(panel) == panel.view.png and tau(panel) != "…"


def test_the_last_good_picture_gets_sharp_though_the_next_setting_fails(pair, panel):
    def drag_to_nothing() -> None:
        panel.set_together({"low": 0.5, "mid": 0.0, "high": 0.0})
        panel.set_together({"low": 0.0, "budget": 60})

    at_the_controls(panel, drag_to_nothing)
    good = tree_view(pair, panel.defaults["prompt"], layer_weights=(1, 0, 0), top_k=4, depth=5, budget=16)
    assert "不能全是 0" in panel.status.value and png(panel) == good.png
    assert tau(panel) != "…" and good.table_html() in panel.more.value


def test_a_function_that_fails_on_the_way_to_tau_is_told_in_place(pair):
    calls, limit = [], float("inf")

    def tires(features, weights):
        calls.append(1)
        if len(calls) > limit:
            raise RuntimeError("tired")
        return fuse_layer_features(features, weights)

    tree_view(pair, "从前", fuse=tires)
    calls, limit = [], len(calls)
    panel = tree_panel(pair, ["从前"], fuse=tires)
    assert "tired" in panel.status.value and panel.view and tau(panel) == "…"


def test_two_threads_may_move_one_panel(panel):
    """JupyterLab sends a panel's moves to a thread of their own, once the kernel has one."""
    told = []
    panel.status.observe(lambda change: told.append(change["new"]), names="value")

    def move(name: str) -> None:
        for step in range(40):
            panel.controls[name].value = (1 + step % 19) / 20

    hands = [threading.Thread(target=move, args=(name,)) for name in ("low", "mid")]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # the threads take turns as often as they can
    try:
        for hand in hands:
            hand.start()
        for hand in hands:
            hand.join()
    finally:
        sys.setswitchinterval(interval)
    assert told == [] and panel.status.value == ""
    last = {name: control.value for name, control in panel.controls.items()}
    fresh = tree_view(panel.pair, last["prompt"], layer_weights=[last[name] for name in ("low", "mid", "high")])
    assert png(panel) == fresh.png


# ── the players and the map ──────────────────────────────────────────────────────────────────────


def frame_of(player) -> int:
    return player.controls[player.frame].value


@pytest.fixture(params=[round_player, walk_panel], ids=["rounds", "walk"])
def player(request, pair):
    use_language("zh")
    return request.param(pair)


def test_a_player_shows_each_of_its_frames(player):
    slider, seen = player.controls[player.frame], set()
    for frame in range(slider.min, slider.max + 1):
        slider.value = frame
        assert player.status.value == ""
        seen.add(state(player))
    assert len(seen) == slider.max - slider.min + 1 > 2


def test_a_player_steps_back_and_forth_and_stops_at_its_ends(player):
    back, forth = player.steps
    slider = player.controls[player.frame]
    back.click()
    assert frame_of(player) == slider.min
    first = state(player)
    forth.click()
    assert frame_of(player) == slider.min + 1 and state(player) != first
    back.click()
    assert state(player) == first
    for _ in range(slider.max + 3):
        forth.click()
    assert frame_of(player) == slider.max


def test_another_opening_plays_from_its_own_beginning(player):
    slider = player.controls[player.frame]
    slider.value = slider.max
    lengths = set()
    for _, prompt in player.chooser.options[1:]:
        player.chooser.value = prompt
        assert frame_of(player) == slider.min and player.status.value == ""
        assert slider.max == player.play.max
        lengths.add(slider.max)
    assert len(lengths) > 1, "the slider's length follows the prompt"


def test_a_walk_of_one_step_offers_no_other(pair):
    use_language("zh")
    openings = sorted(pair.prompts["zh"], key=lambda opening: walk_view(pair, opening).steps)
    walk = walk_panel(pair, openings)
    controls = (walk.controls["step"], walk.play, *walk.steps)
    assert walk.view.steps == 1 and all(control.disabled for control in controls)
    walk.chooser.value = openings[-1]
    assert walk.view.steps > 1 and not any(control.disabled for control in controls)


def test_a_player_resets(player):
    first = state(player)
    player.controls[player.frame].value += 1
    player.controls["prompt"].value = "小明看见一只小鸟。"
    player.reset.click()
    assert state(player) == first and player.status.value == ""


def test_a_player_keeps_its_picture_when_a_prompt_is_wrong(player):
    player.controls[player.frame].value += 1
    good = state(player)
    player.controls["prompt"].value = " "
    assert "开头是空的" in player.status.value and state(player) == good
    player.controls[player.frame].value += 1
    assert "开头是空的" in player.status.value and state(player) == good
    player.reset.click()
    assert player.status.value == ""


def test_the_round_player_takes_other_ways_of_verifying(pair):
    wrong = round_player(pair, verify=accept_best_leaf)
    for round_ in wrong.view.recording.decoding.rounds:
        assert round_.verdict.accepted[-1] == round_.tree.best_leaf


@pytest.fixture(scope="module")
def maps(pair):
    return {
        "varied_weights": tau_map(pair, pair.prompts["zh"][:1], 1),
        "mine": tau_map(pair, pair.prompts["zh"][:1], 2),
    }


def test_the_map_follows_its_sliders(maps):
    use_language("zh")
    panel = map_panel(maps)
    assert list(panel.view.taus) == ["训练时权重有变化", "mine"]
    for name in ("low", "mid", "high"):
        before = state(panel)
        panel.controls[name].value = 0.2
        assert state(panel)[0] != before[0] and state(panel)[1] != before[1]
    panel.set_together({"low": 1.0, "mid": 0.0, "high": 0.0})
    assert panel.view.taus["mine"] == maps["mine"].taus[1.0, 0.0, 0.0]


def test_a_map_without_weight_says_so_and_recovers(maps):
    panel = map_panel(maps)
    good = state(panel)
    panel.set_together({"low": 0.0, "mid": 0.0, "high": 0.0})
    assert "不能全是 0" in panel.status.value and state(panel) == good
    panel.controls["high"].value = 0.5
    assert panel.status.value == "" and panel.view.weights == [0.0, 0.0, 1.0]


# ── texts that end ───────────────────────────────────────────────────────────────────────────────


def test_a_text_that_ends_at_once_has_no_tau_and_no_frames(pair):
    use_language("zh")
    opening = pair.prompts["zh"][0]
    ends = replace(pair, eos_ids=(record(pair, opening, 1).decoding.tokens[0],))
    panel = tree_panel(ends, [opening])
    assert tau(panel) == "–" and panel.status.value == ""
    player = round_player(ends, [opening])
    assert "没有轮次" in player.status.value and player.controls["round"].disabled
    player.controls["prompt"].value = pair.prompts["zh"][1]
    assert player.status.value == "" and not player.controls["round"].disabled


def test_a_walk_draws_only_what_it_shows(pair, monkeypatch):
    drawn = []
    monkeypatch.setattr(rounds, "to_png", lambda figure: drawn.append(1) or to_png(figure))
    walk = walk_panel(pair)
    assert len(drawn) == 1
    walk.controls["step"].value = 2
    assert len(drawn) == 2
