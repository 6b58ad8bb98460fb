"""Notebook 03 as a reader uses it: run all, move every control by keyboard and by mouse, look at what changes."""

import pytest

LANGUAGES = ("zh", "en")
SLIDERS = 6

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


@pytest.fixture(params=LANGUAGES)
def notebook(request, page, lab_url):
    """The notebook of one language, opened and run to its end."""
    page.goto(lab_url(f"{request.param}/03_candidate_tree.ipynb"))
    page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.sessionContext?.isReady")
    cells = page.evaluate(RUN_ALL)
    assert cells and all(cell["count"] for cell in cells), "a code cell did not run"
    assert not any("error" in cell["kinds"] for cell in cells), cells
    page.wait_for_selector(".jp-OutputArea .widget-image")
    return page


def seen(page) -> tuple[str, str]:
    """The panel's picture and its numbers, as they stand in the page."""
    return page.locator(".widget-image").get_attribute("src"), page.locator(".widget-html table").inner_html()


def wait_for_change(page, before: tuple[str, str]) -> None:
    page.wait_for_function(
        "old => document.querySelector('img.widget-image').src !== old", arg=before[0], timeout=15_000
    )


def test_every_slider_moves_by_keyboard_and_by_dragging(notebook):
    page = notebook
    handles = page.locator(".jp-OutputArea .noUi-handle")
    assert handles.count() == SLIDERS
    for index in range(SLIDERS):
        readout = page.locator(".jp-OutputArea .widget-readout").nth(index)
        for move in (by_keyboard, by_dragging):
            before, shown = seen(page), readout.inner_text()
            move(page, handles.nth(index))
            wait_for_change(page, before)
            page.wait_for_timeout(150)
            after = seen(page)
            assert readout.inner_text() != shown, f"slider {index}: the readout stayed at {shown}"
            assert after[0] != before[0] and after[1] != before[1], f"slider {index}: the picture or the numbers stayed"
    assert (
        page.locator(
            ".jp-OutputArea-output[data-mime-type*='stderr'], .jp-RenderedText[data-mime-type*='error']"
        ).count()
        == 0
    )


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
