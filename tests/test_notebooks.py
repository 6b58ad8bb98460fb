"""The stored notebooks: built from their source, run in order, small, and really compared by nbval."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "notebooks"))
from build import LANGUAGES, assemble, notebook_path, sources

NOTEBOOKS = [(source, language) for source in sources() for language in LANGUAGES]
IDS = [f"{source.stem}-{language}" for source, language in NOTEBOOKS]
LEAST_COMPARED = 8


def stored(source: Path, language: str) -> nbformat.NotebookNode:
    return nbformat.read(notebook_path(source, language), as_version=4)


def code_cells(notebook) -> list:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.parametrize(("source", "language"), NOTEBOOKS, ids=IDS)
def test_stored_notebook_is_what_its_source_builds(source, language):
    fresh, kept = assemble(source, language), stored(source, language)
    assert [(c.id, c.cell_type, c.source) for c in fresh.cells] == [(c.id, c.cell_type, c.source) for c in kept.cells]
    assert kept.metadata == fresh.metadata


@pytest.mark.parametrize("source", sources(), ids=lambda source: source.stem)
def test_languages_share_their_code_but_for_the_first_cell(source):
    zh, en = (code_cells(stored(source, language)) for language in LANGUAGES)
    assert [c.source for c in zh[1:]] == [c.source for c in en[1:]]
    assert zh[0].source != en[0].source
    assert zh[0].source.replace('"zh"', '"en"') == en[0].source


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
    compared = [
        o for cell in cells for o in cell.outputs if o.output_type == "stream" or "text/plain" in o.get("data", {})
    ]
    assert len(compared) >= LEAST_COMPARED


@pytest.mark.parametrize(("source", "language"), NOTEBOOKS, ids=IDS)
def test_cells_are_short(source, language):
    assert max(len(cell.source.splitlines()) for cell in code_cells(stored(source, language))) <= 8


def test_nbval_notices_a_changed_output(tmp_path):
    notebook = stored(sources()[0], "zh")
    stream = next(o for cell in code_cells(notebook) for o in cell.outputs if o.output_type == "stream")
    stream.text += "one line more\n"
    nbformat.write(notebook, tmp_path / "changed.ipynb")
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "-q", "-p", "no:cacheprovider"]
    run = subprocess.run([*command, str(tmp_path / "changed.ipynb")], capture_output=True, text=True, timeout=300)
    assert run.returncode == 1 and "1 failed" in run.stdout, run.stdout
