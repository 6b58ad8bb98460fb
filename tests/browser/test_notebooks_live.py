"""The notebooks as a reader uses them: run all, move every control by keyboard and mouse, look at what changes."""

import pytest

SLIDERS = {"02_feature_fusion": 3, "03_candidate_tree": 6}
CASES = [(language, name) for language in ("zh", "en") for name in SLIDERS]

RUN_ALL = """async () => {
    const notebook = window.jupyterapp.shell.currentWidget;
    await notebook.context.ready;
    await notebook.sessionContext.ready;
    await window.jupyterapp.commands.execute('notebook:run-all-cells');
    const cells = notebook.content.widgets.map(cell => cell.model).filter(model => model.type === 'code');
    return cells.map(model => ({
        count: model.executionCount,
        kinds: Array.from({length: model.outputs.length}, (_, i) => model.outputs.get(i).type),
    }));
}"""


@pytest.fixture(params=CASES, ids=lambda case: "-".join(case))
def notebook(request, page, lab_url):
    """One notebook, opened and run to its end: its page and the number of its sliders."""
    language, name = request.param
    page.goto(lab_url(f"{language}/{name}.ipynb"))
    page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.sessionContext?.isReady")
    cells = page.evaluate(RUN_ALL)
    assert cells and all(cell["count"] for cell in cells), "a code cell did not run"
    assert not any("error" in cell["kinds"] for cell in cells), cells
    page.wait_for_selector(".jp-OutputArea .widget-image")
    return page, SLIDERS[name]


def seen(page) -> tuple[str, str]:
    """The panel's picture and its numbers, as they stand in the page."""
    return page.locator(".widget-image").get_attribute("src"), page.locator(".widget-html table").first.inner_html()


CHANGED = """([picture, numbers]) =>
    document.querySelector('img.widget-image').src !== picture &&
    document.querySelector('.widget-html table').innerHTML !== numbers"""
ERRORS = "[data-mime-type='application/vnd.jupyter.stderr'], [data-mime-type='application/vnd.jupyter.error']"


def test_every_slider_moves_by_keyboard_and_by_dragging(notebook):
    page, sliders = notebook
    handles = page.locator(".jp-OutputArea .noUi-handle")
    assert handles.count() == sliders
    for index in range(sliders):
        readout = page.locator(".jp-OutputArea .widget-readout").nth(index)
        for move in (by_keyboard, by_dragging):
            before, shown = seen(page), readout.inner_text()
            move(page, handles.nth(index))
            page.wait_for_function(CHANGED, arg=list(before), timeout=15_000)
            assert readout.inner_text() != shown, f"slider {index}: the readout stayed at {shown}"
    assert page.locator(ERRORS).count() == 0


def by_keyboard(page, handle) -> None:
    handle.focus()
    for _ in range(6):
        page.keyboard.press("ArrowLeft")


def by_dragging(page, handle) -> None:
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 9):
        page.mouse.move(x + 6 * step, y)
    page.mouse.up()


def test_all_weights_at_zero_are_told_in_place_and_the_next_move_recovers(notebook):
    page, _ = notebook
    handles = page.locator(".jp-OutputArea .noUi-handle")
    for layer in range(3):
        handles.nth(layer).focus()
        page.keyboard.press("Home")
    page.wait_for_selector(".widget-html :text('⚠')")
    picture = page.locator(".widget-image").get_attribute("src")
    assert picture, "the last good picture is gone"
    handles.nth(1).focus()
    page.keyboard.press("End")
    page.wait_for_selector(".widget-html :text('⚠')", state="detached")
    assert page.locator(ERRORS).count() == 0
