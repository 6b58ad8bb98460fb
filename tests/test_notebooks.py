"""The stored notebooks: built from their source, run in order, small, really compared by nbval, and solvable."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter

sys.path.insert(0, str(Path(__file__).parents[1] / "notebooks"))
from build import LANGUAGES, assemble, notebook_path, run, sources
from solutions import SOLUTIONS, solve

NOTEBOOKS = [(source, language) for source in sources() for language in LANGUAGES]
IDS = [f"{source.stem}-{language}" for source, language in NOTEBOOKS]
LEAST_COMPARED = 8
EXERCISES = sources()[-1]
GUARD = "STOP HERE"
NBVAL = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "-q", "-p", "no:cacheprovider"]


def stored(source: Path, language: str) -> nbformat.NotebookNode:
    return nbformat.read(notebook_path(source, language), as_version=4)


def code_cells(notebook) -> list:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def compared(cells) -> list[str]:
    """The outputs of these cells that nbval compares, as text."""
    texts = [o.get("text") or o.get("data", {}).get("text/plain") for cell in cells for o in cell.outputs]
    return [text for text in texts if text]


@pytest.mark.parametrize(("source", "language"), NOTEBOOKS, ids=IDS)
def test_stored_notebook_is_what_its_source_builds(source, language):
    fresh, kept = assemble(source, language), stored(source, language)
    parts = [[(c.id, c.cell_type, c.source, c.metadata) for c in notebook.cells] for notebook in (fresh, kept)]
    assert parts[0] == parts[1]
    assert kept.metadata == fresh.metadata


@pytest.mark.parametrize("source", sources(), ids=lambda source: source.stem)
def test_languages_share_their_code_but_for_the_cell_that_names_the_language(source):
    zh, en = (code_cells(stored(source, language)) for language in LANGUAGES)
    differing = [(z.source, e.source) for z, e in zip(zh, en, strict=True) if z.source != e.source]
    assert len(differing) == 1 and differing[0] == (zh[1].source, en[1].source)  # the first after the installation
    assert zh[1].source.replace('"zh"', '"en"') == en[1].source


@pytest.mark.parametrize("source", sources(), ids=lambda source: source.stem)
def test_prose_comes_in_both_languages(source):
    zh, en = (stored(source, language).cells for language in LANGUAGES)
    assert [cell.cell_type for cell in zh] == [cell.cell_type for cell in en]
    for chinese, english in zip(zh, en, strict=True):
        if chinese.cell_type == "markdown":
            assert chinese.source != english.source and chinese.source.count("#") == english.source.count("#")
            assert "{{" not in chinese.source + english.source


@pytest.mark.parametrize(("source", "language"), NOTEBOOKS, ids=IDS)
def test_stored_notebook_is_clean(source, language):
    notebook = stored(source, language)
    nbformat.validate(notebook)
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert notebook_path(source, language).stat().st_size < 1_000_000
    assert all(output.output_type != "error" for cell in cells for output in cell.outputs)
    assert all(output.get("name") != "stderr" for cell in cells for output in cell.outputs)
    assert not any(cell.source.rstrip().endswith(";") for cell in cells)
    assert len(compared(cells)) >= LEAST_COMPARED


@pytest.mark.parametrize(("source", "language"), NOTEBOOKS, ids=IDS)
def test_every_picture_comes_with_a_line_that_is_compared(source, language):
    for cell in code_cells(stored(source, language)):
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                assert len(output.data["text/plain"].splitlines()) == 1, cell.source


@pytest.mark.parametrize(("source", "language"), NOTEBOOKS, ids=IDS)
def test_cells_are_short(source, language):
    cells = [cell for cell in code_cells(stored(source, language)) if not todo_tags(cell)]
    assert max(len(cell.source.splitlines()) for cell in cells) <= 8


@pytest.mark.parametrize(("source", "language"), NOTEBOOKS, ids=IDS)
def test_the_course_look(source, language):
    prose = [cell.source for cell in stored(source, language).cells if cell.cell_type == "markdown"]
    opening, closing = prose[0], prose[-1]
    assert opening.startswith("# INF-EAGLE. Feature Drafter and Candidate Tree | 特征草稿器与候选树\n")
    headings = {
        "zh": ("本节导读", "前置阅读", "相关阅读", "想一想"),
        "en": ("In this step", "Read first", "Read on", "Think"),
    }
    assert f"## Step {1 + sources().index(source)}. " in opening and "🚀" in opening
    assert all(f"## {heading}" in opening for heading in headings[language][:2])
    assert all(f"## {heading}" in closing for heading in headings[language][2:])
    assert ("用时：** 约" if language == "zh" else "**Time:** about") in opening
    assert all(f"\n{number}. " in closing for number in (1, 2, 3)) and "<details>" in closing


PANELS = re.compile(r"(\w+_panel|round_player)\(")


@pytest.mark.parametrize(("source", "language"), NOTEBOOKS, ids=IDS)
def test_a_page_without_widgets_shows_every_panel_and_its_numbers(source, language):
    """Stored, a panel is its picture, and the next cell prints its numbers; the prose says how to get the live one."""
    notebook = stored(source, language)
    cells = code_cells(notebook)
    panels = [number for number, cell in enumerate(cells) if PANELS.search(cell.source)]
    assert panels, "this notebook has no panel"
    assert "metadata" not in notebook or "widgets" not in notebook.metadata
    for number in panels:
        (output,) = cells[number].outputs
        assert "application/vnd.jupyter.widget-view+json" not in output.data
        if source == EXERCISES:  # drawn by functions that are still to be written
            assert output.data["text/plain"].startswith("○ ")
            continue
        assert output.metadata["image/png"]["width"] >= 576 and output.metadata["image/png"]["alt"]
        assert ".text)" in cells[number + 1].source and len(compared([cells[number + 1]])[0]) > 30
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert "JupyterLab" in prose or source == EXERCISES


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_web_page_made_by_nbconvert_has_pictures_and_no_widget(language):
    for source in sources():
        page, _ = HTMLExporter().from_notebook_node(stored(source, language))
        pictures = sum(
            "image/png" in o.get("data", {}) for c in code_cells(stored(source, language)) for o in c.outputs
        )
        assert page.count('src="data:image/png;base64,') == pictures
        assert "Loading widget" not in page and "widget-view+json" not in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_answer_stands_before_the_guard(language):
    """Neither an answer's lines nor the library's own way stand in the prose, code or outputs that come first."""
    texts = []
    for source in sources():
        for cell in stored(source, language).cells:
            if cell.cell_type == "markdown" and GUARD in cell.source:
                break
            texts += [cell.source, *compared([cell] if cell.cell_type == "code" else [])]
    before = "\n".join(texts)
    assert GUARD in "\n".join(cell.source for cell in stored(EXERCISES, language).cells)
    lines = [line.strip() for solution in SOLUTIONS.values() for line in solution.splitlines()]
    telling = [line for line in lines if len(line) > 20 and not line.startswith(("raise", "while", "for"))]
    assert len(telling) >= 8
    for line in [*telling, "sums[parent] + step", "share * feature", "value / total", "def path_sums"]:
        assert line not in before, f"{line!r} stands before the guard"


def todo_tags(cell) -> list[str]:
    return [tag for tag in cell.metadata.get("tags", []) if tag.startswith("todo-")]


def todos(notebook) -> dict[str, str]:
    return {tag: cell.source for cell in notebook.cells for tag in todo_tags(cell)}


def test_answers_fit_their_stubs():
    stubs, solved = todos(assemble(EXERCISES, "zh")), todos(solve(assemble(EXERCISES, "zh")))
    assert stubs.keys() == SOLUTIONS.keys()
    assert all(source.count("请先完成 TODO 代码！") == 1 for source in stubs.values())
    assert not any("NotImplementedError" in source or "parent_score = ..." in source for source in solved.values())
    assert all(ast.parse(source) for source in solved.values())


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_solution_edition(language, tmp_path):
    """With every TODO filled in, all checks end in ✅, all panels have their pictures, and nbval agrees."""
    notebook = run(solve(assemble(EXERCISES, language)))
    cells = code_cells(notebook)
    checks = [text for cell in cells if "exercises.test_" in cell.source for text in compared([cell])]
    assert len(checks) == 1 + len(SOLUTIONS), "six functions, and two of them in whole generations"
    assert not any(mark in text for text in checks for mark in "❌○")
    ended = [line for text in checks for line in text.splitlines() if line.startswith("✅ test_")]
    assert len(ended) == 2 + len(SOLUTIONS), "each check ends in a ✅ line of its own"
    assert ended[-1].startswith("✅ test_generation: ") and "12" in ended[-1]
    pictures = [o for cell in cells for o in cell.outputs if "image/png" in o.get("data", {})]
    assert len(pictures) == 3
    nbformat.write(notebook, tmp_path / "solution.ipynb")
    command = [*NBVAL, "--nbval-cell-timeout=120", str(tmp_path / "solution.ipynb")]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stdout


def test_nbval_notices_a_changed_output(tmp_path):
    notebook = stored(sources()[0], "zh")
    stream = next(o for cell in code_cells(notebook) for o in cell.outputs if o.output_type == "stream")
    stream.text += "one line more\n"
    nbformat.write(notebook, tmp_path / "changed.ipynb")
    run_ = subprocess.run([*NBVAL, str(tmp_path / "changed.ipynb")], capture_output=True, text=True, timeout=300)
    assert run_.returncode == 1 and "1 failed" in run_.stdout, run_.stdout
