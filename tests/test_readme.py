"""The two READMEs say the same, and what they say is so."""

import contextlib
import io
import re
import shlex
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = {"en": ROOT / "README.md", "zh": ROOT / "README.zh.md"}
DOCS = sorted((ROOT / "docs").glob("*.md"))
TEXTS = {language: page.read_text(encoding="utf-8") for language, page in PAGES.items()}


def blocks(text: str) -> list[tuple[str, str]]:
    """Every fenced block: its kind and what is in it, without comments at the ends of lines."""
    found = re.findall(r"^```(\w+)\n(.*?)^```", text, flags=re.M | re.S)
    return [(kind, re.sub(r"\s+# .*", "", body) if kind == "bash" else body) for kind, body in found]


def neutral(text: str) -> str:
    """The text with its own language taken out of commands, paths and links."""
    return text.replace(" LANGUAGE=en", "").replace("notebooks/en/", "notebooks/zh/").replace("panel.zh.", "panel.")


def links(text: str) -> list[str]:
    """Where links and pictures lead, within the repository."""
    return [target for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text) if "://" not in target]


def test_the_first_line_leads_to_the_other_language():
    assert "README.zh.md" in TEXTS["en"].split("\n##")[0] and "README.md" in TEXTS["zh"].split("\n##")[0]


def test_both_have_the_same_headings_rows_and_length():
    shapes = [re.findall(r"^(#+) ", re.sub(r"```.*?```", "", text, flags=re.S), flags=re.M) for text in TEXTS.values()]
    assert shapes[0] == shapes[1] and len(shapes[0]) >= 7
    rows = [[line.count("|") for line in text.splitlines() if line.startswith("|")] for text in TEXTS.values()]
    assert rows[0] == rows[1]


def test_both_have_the_same_code():
    assert blocks(neutral(TEXTS["en"])) == blocks(neutral(TEXTS["zh"]))


def test_both_have_the_same_figures():
    figures = [sorted(re.findall(r"\d[\d,.]*\d|\d", re.sub(r"[(（].*?[)）]", "", text))) for text in TEXTS.values()]
    assert figures[0] == figures[1]


def test_both_lead_to_the_same_places():
    ours, theirs = (sorted(set(links(neutral(text))) - {"README.md", "README.zh.md"}) for text in TEXTS.values())
    assert ours == theirs


@pytest.mark.parametrize("page", [*PAGES.values(), *DOCS], ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    missing = [target for target in links(text) if not (page.parent / target).exists()]
    assert not missing


@pytest.mark.parametrize("page", [*PAGES.values(), *DOCS], ids=lambda page: page.name)
def test_every_make_command_exists(page):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M))
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text(encoding="utf-8"), flags=re.M))
    assert named <= targets


@pytest.mark.parametrize("language", PAGES)
def test_the_example_prints_what_it_says(language):
    code, output = (body for kind, body in blocks(TEXTS[language]) if kind in ("python", "text"))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, PAGES[language].name, "exec"), {})
    assert printed.getvalue() == output


@pytest.mark.parametrize("page", [*PAGES.values(), *DOCS, ROOT / "training" / "README.md"], ids=lambda page: page.name)
def test_commands_work_in_every_shell(page):
    """cmd knows no single quotes, PowerShell no bare brackets, neither a backslash at a line's end."""
    text = page.read_text(encoding="utf-8")
    commands = [line for kind, body in blocks(text) if kind == "bash" for line in body.splitlines()]
    commands += [code for code in re.findall(r"`([^`\n]+)`", text) if re.match(r"(python -m )?pip ", code)]
    for command in commands:
        assert "'" not in command and not command.endswith("\\"), command
        assert re.sub(r'"[^"]*"', "", command).count("[") == 0, command


def without_make(language: str) -> list[list[str]]:
    """The lines of the block that begins with pip, each as its words."""
    body = next(body for kind, body in blocks(TEXTS[language]) if kind == "bash" and "pip install" in body)
    return [shlex.split(line) for line in body.splitlines()]


@pytest.mark.slow
def test_installation_without_make(tmp_path):
    """Both lines, word for word, in a fresh environment and a copy of what git tracks; JupyterLab is only asked for its
    version, and the notebook for its presence. The other page has the same lines, but for the notebook's language."""
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, tracked.split("\0")):
        (tmp_path / "copy" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / "copy" / name)
    venv.create(tmp_path / "host", with_pip=True)
    python = tmp_path / "host" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    install, (*start, notebook) = without_make("en")
    assert install[0] == start[0] == "python" and (tmp_path / "copy" / notebook).is_file()
    for words in (install, [*start, "--version"]):
        subprocess.run([python, *words[1:]], cwd=tmp_path / "copy", check=True, timeout=600)
    lesson = "from eagle_lab import check_environment; assert check_environment().fits"
    subprocess.run([python, "-c", lesson], cwd=tmp_path, check=True, timeout=60)
