"""How a notebook opens: links from one address, and a first cell that installs what is missing and moves nothing."""

import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "notebooks"))
from opening import ARCHIVE, HOSTS, PROJECT, REPOSITORY, install_cell, launch_block

ROOT = Path(__file__).parents[1]
NOTEBOOK = "notebooks/zh/03_candidate_tree.ipynb"


# ── the links ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_block_is_one_quote_with_a_link_for_every_host(language):
    block = launch_block(NOTEBOOK, language)
    assert all(line.startswith(">") for line in block.splitlines())
    links = dict(re.findall(r"\[(\w+)\]\((\S+?)\)", block))
    assert links.keys() == HOSTS.keys() == {"ModelScope", "Colab", "Binder"}
    assert all(REPOSITORY in link and link.endswith(NOTEBOOK) for link in links.values())
    assert links["ModelScope"] == f"https://modelscope.cn/notebook/share/github/{REPOSITORY}/blob/main/{NOTEBOOK}"


def test_the_block_speaks_the_language_asked_for():
    assert "🚀 **云端运行环境**" in launch_block(NOTEBOOK, "zh") and "🚀 **Run" in launch_block(NOTEBOOK, "en")
    with pytest.raises(ValueError, match="'fr'"):
        launch_block(NOTEBOOK, "fr")


@pytest.mark.parametrize("path", [f"/{NOTEBOOK}", f"../{NOTEBOOK}"])
def test_a_path_from_elsewhere_is_refused(path):
    with pytest.raises(ValueError, match="repository's root"):
        launch_block(path, "zh")


def test_odd_names_are_quoted():
    assert "/a%20%28b%29.ipynb)" in launch_block("notebooks/zh/a (b).ipynb", "zh")


def test_only_one_place_knows_the_address():
    pages = [page for kind in ("*.md", "docs/*.md", "notebooks/source/*.py", "*.yml") for page in ROOT.glob(kind)]
    assert not [page for page in pages if f"github.com/{REPOSITORY}" in page.read_text(encoding="utf-8")]


# ── the cell ─────────────────────────────────────────────────────────────────────────────────────


def run(python: Path | str, code: str, folder: Path, timeout: int = 300) -> subprocess.CompletedProcess:
    """What `code` says in a fresh interpreter that knows nothing of this checkout."""
    command = [str(python), "-I", "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=timeout)


def test_the_cell_is_short_and_pinned():
    assert len(install_cell().splitlines()) <= 8
    assert ARCHIVE.endswith(f"/v{PROJECT['version']}.zip") and f'"eagle-lab @ {ARCHIVE}"' in install_cell()


def test_where_the_package_is_there_the_cell_does_nothing_and_says_nothing(tmp_path):
    watched = f"import subprocess\nsubprocess.run = None  # any call would fail\n{install_cell()}"
    ran = run(sys.executable, watched, tmp_path, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> str:
    """The address of a wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, timeout=300)
    return next(folder.glob("eagle_lab-*.whl")).as_uri()


@pytest.fixture
def host(tmp_path) -> Path:
    """The interpreter of a fresh machine, where nothing is installed."""
    venv.create(tmp_path / "host", with_pip=True)
    return tmp_path / "host" / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def pretend(host: Path, name: str, version: str, needs: str = "") -> None:
    """A package that a host brought along, as far as pip and `find_spec` can see."""
    where = Path(run(host, "import sysconfig; print(sysconfig.get_path('purelib'))", host.parent).stdout.strip())
    (where / f"{name}.py").touch()
    (info := where / f"{name}-{version}.dist-info").mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}")
    (info / "RECORD").write_text(f"{name}.py,,\n")


@pytest.mark.slow
def test_on_a_fresh_machine_the_cell_installs_the_package_and_moves_nothing(wheel, host):
    subprocess.run([host, "-m", "pip", "install", "--quiet", "numpy==2.3.2"], check=True, timeout=300)
    pretend(host, "torch", "2.3.0+host", needs="Requires-Dist: a-part-the-host-left-out\n")
    lesson = "from eagle_lab import load_pair, speculative_decode, tree_panel\n"
    lesson += "print(len(speculative_decode(load_pair('stories'), [1], 4).tokens))\n"
    lesson += "print(*(metadata.version(name) for name in ('numpy', 'torch', 'eagle-lab')))"
    ran = run(host, f"{install_cell(wheel)}\n{lesson}", host.parent)
    assert (ran.returncode, ran.stdout.split()) == (0, ["4", "2.3.2", "2.3.0+host", PROJECT["version"]]), ran.stderr


@pytest.mark.slow
def test_a_numpy_that_is_too_old_stays_and_pip_says_so(wheel, host):
    pretend(host, "numpy", "1.20.0")
    ran = run(host, install_cell(wheel), host.parent)
    assert ran.returncode == 1 and ran.stdout == ""
    assert "AssertionError" in ran.stderr and "numpy==1.20.0" in ran.stderr and "conflict" in ran.stderr
    assert (
        run(host, "from importlib.metadata import version; print(version('numpy'))", host.parent).stdout == "1.20.0\n"
    )
