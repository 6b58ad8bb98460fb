"""Ways of using each kind of control by keyboard and by mouse; every move must show in its panel."""

from contextlib import contextmanager

from playwright.sync_api import Locator

from .live import Panel, Seen

HANDLE = ".noUi-handle"


@contextmanager
def changing(panel: Panel, control: Locator, move: str):
    """What is done within changes the picture or the numbers, and the control's own readout if it has one."""
    before, readout = panel.seen, control.locator(".widget-readout").all_inner_texts()
    yield
    after = panel.settled()
    assert shows(before, after), f"changed nothing: {story(control, move, before, after)}"
    if readout:
        now = control.locator(".widget-readout").all_inner_texts()
        assert now != readout, f"the readout stayed: {story(control, move, before, after)}"


def shows(before: Seen, after: Seen) -> bool:
    """The panel looks different, or it is one that says before and after that a TODO is not done."""
    return after.view != before.view or (before.waits and after.waits)


def story(control: Locator, move: str, before: Seen, after: Seen) -> str:
    label = control.inner_text().split("\n")[0] or control.get_attribute("class")
    return f"{label}, {move}\n  before\n{before}\n  after\n{after}"


def slider_by_keyboard(panel: Panel, slider: Locator) -> None:
    handle = slider.locator(HANDLE)
    key = "ArrowLeft" if place(handle) > 0.5 else "ArrowRight"
    with changing(panel, slider, f"3 × {key}"):
        for _ in range(3):
            handle.press(key)


def slider_by_dragging(panel: Panel, slider: Locator) -> None:
    handle = slider.locator(HANDLE)
    goal = 0.2 if place(handle) > 0.5 else 0.8  # of the track
    handle.hover()
    track, start = slider.locator(".noUi-base").bounding_box(), handle.bounding_box()
    with changing(panel, slider, f"dragged to {goal:.0%} of its track"):
        panel.page.mouse.down()
        panel.page.mouse.move(track["x"] + goal * track["width"], start["y"] + start["height"] / 2, steps=8)
        panel.page.mouse.up()


def place(handle: Locator) -> float:
    """Where a handle stands on its track, from 0 to 1."""
    low, now, high = (float(handle.get_attribute(f"aria-value{which}")) for which in ("min", "now", "max"))
    assert low < high, f"a slider with no room to move: {low} to {high}"
    return (now - low) / (high - low)


def choice_by_keyboard(panel: Panel, dropdown: Locator) -> None:
    select = dropdown.locator("select")
    chosen, count = select.evaluate("it => [it.selectedIndex, it.options.length]")
    key = "ArrowUp" if chosen == count - 1 else "ArrowDown"
    with changing(panel, dropdown, f"Space, {key}, Enter"):
        select.press("Space")  # opened first: JupyterLab takes the arrows of a closed one for its cells
        select.press(key)
        select.press("Enter")


def text_by_typing(panel: Panel, textarea: Locator) -> None:
    field = textarea.locator("textarea")
    with changing(panel, textarea, "typed at the end, then left"):
        field.press("Control+End")
        field.press_sequentially(" and then")
        field.press("Tab")


def button_by_enter(panel: Panel, button: Locator) -> None:
    press(panel, button, "Enter", lambda: button.press("Enter"))


def button_by_click(panel: Panel, button: Locator) -> None:
    press(panel, button, "click", button.click)


def press(panel: Panel, button: Locator, move: str, act) -> None:
    """A button (reset, next, back …) has something to do with the first slider at one of its ends, if not at both."""
    for key in ("Home", "End"):
        for handle in panel.all(HANDLE)[:1]:
            handle.press(key)
        before = panel.settled()
        if button.is_enabled():
            act()
            if shows(before, panel.settled()):
                return
    raise AssertionError(f"changed nothing: {story(button, move, before, panel.seen)}")


def player_by_click(panel: Panel, player: Locator) -> None:
    play, stop = player.locator("button").nth(0), player.locator("button").nth(1)
    stop.click()  # to the first step, from which playing goes on at once
    first = panel.settled()
    with changing(panel, player, "play, then pause"):
        play.click()
        # In one go: where playing has come to its end by itself, the same button would start it again.
        player.evaluate("it => it.querySelector('.fa-pause')?.closest('button').click()")
    with changing(panel, player, "stop"):
        stop.click()
    assert panel.seen.view == first.view, f"not at the start again: {story(player, 'stop', first, panel.seen)}"


# In this order: the first opening of each language leaves every slider room, a typed one need not.
MOVES = {
    ".widget-slider": [slider_by_keyboard, slider_by_dragging],
    ".widget-play": [player_by_click],
    ".widget-button": [button_by_enter, button_by_click],
    ".widget-dropdown": [choice_by_keyboard],
    ".widget-textarea": [text_by_typing],
}
# What a reader could use and no move here knows: the test must not pass over it.
OTHER_CONTROLS = "input, select:not(.widget-dropdown *), button:not(.widget-button, .widget-play *)"
