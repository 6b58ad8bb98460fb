"""What panels cost and survive: `python -m measure.panels`, in `tests`.

A hundred panels made and closed, and kept open; interrupts at thousands of places of a move, after each of which the
panel goes on as if there had been none.
"""

import gc

import psutil
from ipywidgets.widgets.widget import _instances as open_widgets

from eagle_lab import fusion_panel, load_pair, map_panel, round_player, tau_map, tree_panel, use_language, walk_panel

from measure.interrupts import events

COUNT, POINTS = 100, 200
MOVES = {  # for each kind of panel: two settings to go to and fro between
    "tree": ({"low": 0.3, "budget": 9}, {"low": 0.9, "budget": 14}),
    "fusion": ({"low": 0.3}, {"low": 0.9}),
    "map": ({"low": 0.3}, {"low": 0.9}),
    "rounds": ({"round": 2}, {"round": 3}),
    "walk": ({"step": 2}, {"step": 1}),
}


def makers(pair) -> dict:
    """Every kind of panel by name; each gets the two shortest openings, so that a change of prompts is tried too."""
    prompts = sorted(pair.prompts["zh"], key=len)[:2]
    maps = {"mine": tau_map(pair, prompts[:1], 1)}
    return {
        "tree": lambda: tree_panel(pair, prompts),
        "fusion": lambda: fusion_panel(pair, prompts),
        "map": lambda: map_panel(maps),
        "rounds": lambda: round_player(pair, prompts),
        "walk": lambda: walk_panel(pair, prompts),
    }


def megabytes() -> float:
    gc.collect()
    return psutil.Process().memory_info().rss / 2**20


def state(panel) -> tuple:
    """All that a page shows of a panel at rest."""
    panel.finish()
    controls = {
        name: (c.value, getattr(c, "max", 0), getattr(c, "disabled", False)) for name, c in panel.controls.items()
    }
    return bytes(panel.image.value), panel.numbers.value, panel.more.value, panel.message, controls


def go_to(panel, setting: dict) -> None:
    for name, value in setting.items():
        panel.controls[name].value = value


def interrupted_moves(make, moves: tuple[dict, dict], points: int) -> int:
    """Interrupt moves of one panel, to and fro, at so many places of them; AssertionError if the next move shows it."""
    panel, there, right, sizes = make(), 0, [], []
    for setting in moves * 2:  # the second time everything is warm
        with events() as count:
            go_to(panel, setting)
        right.append(state(panel))
        sizes.append(count[0])
    for number in range(points):
        place = 1 + sizes[2 + number % 2] * number // points
        here, other = number % 2, 1 - number % 2
        try:
            with events(place) as count:
                go_to(panel, moves[here])
        except KeyboardInterrupt:
            pass  # it came where no panel could tell: the caller has it
        there += count[0] >= place
        assert not panel.message or "停下" in panel.message, panel.message
        go_to(panel, moves[other])
        go_to(panel, moves[here])
        assert state(panel) == right[here], f"after an interrupt at place {place}"
    panel.close()
    return there


def main() -> None:
    use_language("zh")
    kinds = makers(load_pair("stories"))
    for name, make in kinds.items():
        for _ in range(50):  # fonts, glyphs and the allocator's own rooms are made once
            make().close()
        before, widgets = megabytes(), len(open_widgets)
        for _ in range(COUNT):
            make().close()
        print(
            f"{name}: {COUNT} made and closed: {megabytes() - before:+.1f} MB, {len(open_widgets) - widgets} left open"
        )
    before = megabytes()
    kept = [kinds["tree"]() for _ in range(COUNT)]
    print(f"{len(kept)} tree panels kept open: {(megabytes() - before) / COUNT:.2f} MB each")
    total = 0
    for name, make in kinds.items():
        total += interrupted_moves(make, MOVES[name], POINTS)
    print(f"{total} interrupts within moves of {len(kinds)} kinds of panel: 0 wrong afterwards")


if __name__ == "__main__":
    main()
