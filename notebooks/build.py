"""Build the notebooks that readers open from their one source.

A source is a jupytext `py:percent` file whose markdown cells name their language, `lang="zh"` or
`lang="en"`, and whose code cells belong to both; "zh" in the first code cell turns into the language
of the notebook. In front of it comes the cell that installs the package where it is missing, and
`{{launch}}` in the prose becomes the block that says where it runs, `{{course}}` a link. The notebooks are run and
stored with their outputs; a panel is stored as its picture, since a page without a kernel could not show the live one.

    python notebooks/build.py            # build and run them all
    python notebooks/build.py 03 04      # those whose names begin so
"""

import hashlib
import os
import sys
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient

from opening import COURSE, LANGUAGES, install_cell, launch_block

ROOT = Path(__file__).parent
METADATA = {
    "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
    "language_info": {"name": "python"},
}


def sources() -> list[Path]:
    """Every notebook's source, in order."""
    return sorted((ROOT / "source").glob("*.py"))


def notebook_path(source: Path, language: str) -> Path:
    """Where the notebook of a source stands."""
    return ROOT / language / source.with_suffix(".ipynb").name


def assemble(source: Path, language: str) -> nbformat.NotebookNode:
    """The notebook of one language, not yet run: the shared code and that language's prose."""
    whole = jupytext.reads(source.read_text(encoding="utf-8"), fmt="py:percent")
    links = {"launch": launch_block(f"notebooks/{language}/{source.stem}.ipynb", language), "course": COURSE}
    cells = []
    for cell in whole.cells:
        if cell.metadata.pop("lang", language) != language:
            continue
        cell.metadata.pop("lines_to_next_cell", None)
        if cell.cell_type == "markdown":
            for name, text in links.items():
                cell.source = cell.source.replace("{{" + name + "}}", text)
        elif not any(earlier.cell_type == "code" for earlier in cells):
            cells.append(nbformat.v4.new_code_cell(install_cell(), metadata={"jupyter": {"source_hidden": True}}))
            cell.source = cell.source.replace('"zh"', f'"{language}"')
        cells.append(cell)
    for place, cell in enumerate(cells):
        cell["id"] = hashlib.sha256(f"{place} {cell.source}".encode()).hexdigest()[:8]
    return nbformat.v4.new_notebook(cells=cells, metadata=METADATA, nbformat_minor=5)


def run(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Run all cells in a fresh kernel and keep only what a reader is meant to see."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    NotebookClient(
        notebook, timeout=120, kernel_name="python3", record_timing=False, store_widget_state=False
    ).execute()
    notebook.metadata = nbformat.from_dict(METADATA)  # without what this machine's kernel added
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
        if cell.cell_type == "code":
            cell.outputs = _joined(cell.outputs)
    return notebook


def _joined(outputs: list) -> list:
    """Printed lines that follow each other as one output: how they arrive in pieces depends on the moment."""
    joined = []
    for output in outputs:
        if joined and output.output_type == joined[-1].output_type == "stream" and output.name == joined[-1].name:
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def main(beginnings: tuple[str, ...]) -> None:
    """Build the notebooks whose names begin with one of these, in every language."""
    for source in (source for source in sources() if source.name.startswith(beginnings)):
        for language in LANGUAGES:
            path = notebook_path(source, language)
            path.parent.mkdir(exist_ok=True)
            nbformat.write(run(assemble(source, language)), path)
            print(f"{path.relative_to(ROOT.parent)}: {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or ("",))
