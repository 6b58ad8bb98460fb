"""How a notebook opens: links only where there is an address, and a first cell that installs what is missing."""

import doctest
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from urllib.parse import urlsplit

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "notebooks"))
import opening
from bundle import build_wheel
from opening import HOSTS, LANGUAGES, PROJECT, WHEEL, archive, install_cell, launch_block

ROOT = Path(__file__).parents[1]
NOTEBOOK = "notebooks/zh/03_candidate_tree.ipynb"
SOMEWHERE = "owner/name"  # as REPOSITORY will be, once the project has an address


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(opening) == (0, 3)


# ── the links ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_a_repository_the_block_offers_no_link_and_names_the_bundle(language):
    block = launch_block(NOTEBOOK, language, None)
    assert all(line.startswith(">") for line in block.splitlines())
    assert "](" not in block and "://" not in block and "`make bundle`" in block


@pytest.mark.parametrize("language", LANGUAGES)
def test_with_a_repository_the_block_is_one_quote_with_a_link_for_every_host(language):
    block = launch_block(NOTEBOOK, language, SOMEWHERE)
    assert all(line.startswith(">") for line in block.splitlines())
    links = dict(re.findall(r"\[(\w+)\]\((\S+?)\)", block))
    assert links.keys() == HOSTS.keys() == {"ModelScope", "Colab", "Binder"}
    assert all(SOMEWHERE in link and link.endswith(NOTEBOOK) for link in links.values())
    assert links["ModelScope"] == f"https://modelscope.cn/notebook/share/github/{SOMEWHERE}/blob/main/{NOTEBOOK}"


@pytest.mark.parametrize("repository", [None, SOMEWHERE])
def test_the_block_speaks_the_language_asked_for(repository):
    assert "🚀 **云端运行环境**" in launch_block(NOTEBOOK, "zh", repository)
    assert "🚀 **Run" in launch_block(NOTEBOOK, "en", repository)
    with pytest.raises(ValueError, match="'fr'"):
        launch_block(NOTEBOOK, "fr", repository)


@pytest.mark.parametrize("repository", [None, SOMEWHERE])
@pytest.mark.parametrize("path", [f"/{NOTEBOOK}", f"../{NOTEBOOK}"])
def test_a_path_from_elsewhere_is_refused(path, repository):
    with pytest.raises(ValueError, match="repository's root"):
        launch_block(path, "zh", repository)


def test_odd_names_are_quoted():
    assert "/a%20%28b%29.ipynb)" in launch_block("notebooks/zh/a (b).ipynb", "zh", SOMEWHERE)


def test_only_one_place_knows_the_address():
    pages = [page for kind in ("*.md", "docs/*.md", "notebooks/source/*.py", "*.yml") for page in ROOT.glob(kind)]
    hosts = [f"//{urlsplit(address).netloc}" for address in HOSTS.values()]
    own = [f"github.com/{opening.REPOSITORY}"] if opening.REPOSITORY else []
    assert not [page for page in pages for host in hosts + own if host in page.read_text(encoding="utf-8")]


# ── the cell ─────────────────────────────────────────────────────────────────────────────────────


def run(python: Path | str, code: str, folder: Path, timeout: int = 300) -> subprocess.CompletedProcess:
    """What `code` says in a fresh interpreter that knows nothing of this checkout."""
    command = [str(python), "-I", "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=timeout)


@pytest.mark.parametrize("repository", [None, SOMEWHERE])
def test_the_cell_is_short_and_pinned(repository):
    cell = install_cell(repository)
    assert len(cell.splitlines()) <= 8 and PROJECT["version"] in WHEEL and WHEEL in cell
    assert ("://" in cell) == (repository is not None)
    assert repository is None or f'"eagle-lab @ {archive(repository)}"' in cell
    assert archive(SOMEWHERE).endswith(f"/{SOMEWHERE}/archive/refs/tags/v{PROJECT['version']}.zip")


@pytest.mark.parametrize("repository", [None, SOMEWHERE])
def test_where_the_package_is_there_the_cell_does_nothing_and_says_nothing(repository, tmp_path):
    watched = f"import subprocess\nsubprocess.run = None  # any call would fail\n{install_cell(repository)}"
    ran = run(sys.executable, watched, tmp_path, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def python_of(folder: Path) -> Path:
    return folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"


@pytest.fixture
def bare(tmp_path) -> Path:
    """The interpreter of a fresh machine that cannot even install; notebooks lie in the folder `zh` beside it."""
    venv.create(tmp_path / "host", with_pip=False)
    (tmp_path / "zh").mkdir()
    return python_of(tmp_path / "host")


@pytest.mark.parametrize(
    ("wheels", "repository", "expected"),
    [
        (["zh"], None, WHEEL),
        (["."], None, f"../{WHEEL}"),
        ([".", "zh"], None, WHEEL),
        (["."], SOMEWHERE, f"../{WHEEL}"),
        ([], SOMEWHERE, f"eagle-lab @ {archive(SOMEWHERE)}"),
    ],
)
def test_the_cell_takes_the_nearest_wheel_and_the_archive_only_without_one(
    wheels, repository, expected, bare, tmp_path
):
    for folder in wheels:
        (tmp_path / folder / WHEEL).touch()
    told = "import subprocess, types\n"
    told += "subprocess.run = lambda pip, **_: print(*pip[1:], sep='|') or types.SimpleNamespace(returncode=0)\n"
    ran = run(bare, told + install_cell(repository), tmp_path / "zh")
    assert (ran.returncode, ran.stdout.strip()) == (0, f"-m|pip|install|--quiet|{expected}"), ran.stderr


def test_without_wheel_and_repository_the_cell_says_what_to_do_and_a_mere_folder_is_no_installation(bare, tmp_path):
    (tmp_path / "zh" / "eagle_lab").mkdir()
    (tmp_path / "zh" / "eagle_lab" / "__init__.py").touch()
    importable = "import sys\nsys.path.insert(0, '')\nimport eagle_lab\n"
    ran = run(bare, importable + install_cell(None), tmp_path / "zh")
    assert ran.returncode == 1 and ran.stdout == ""
    assert "AssertionError: 没有 eagle_lab：请把 eagle-lab.zip 里的 .whl 文件放到" in ran.stderr
    assert "put the .whl file of eagle-lab.zip beside this notebook" in ran.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """A wheel of this checkout."""
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture
def host(wheel, tmp_path) -> Path:
    """The interpreter of a fresh machine, where nothing is installed; beside it lies an unpacked bundle."""
    venv.create(tmp_path / "host", with_pip=True)
    (tmp_path / "zh").mkdir()
    shutil.copy(wheel, tmp_path)
    return python_of(tmp_path / "host")


def pretend(host: Path, name: str, version: str, needs: str = "") -> None:
    """A package that a host brought along, as far as pip and the cell can see."""
    where = Path(run(host, "import sysconfig; print(sysconfig.get_path('purelib'))", host.parent).stdout.strip())
    (where / f"{name}.py").touch()
    (info := where / f"{name}-{version}.dist-info").mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}")
    (info / "RECORD").write_text(f"{name}.py,,\n")


@pytest.mark.slow
def test_on_a_fresh_machine_the_cell_installs_the_package_and_moves_nothing(host, tmp_path):
    subprocess.run([host, "-m", "pip", "install", "--quiet", "numpy==2.3.2"], check=True, timeout=300)
    pretend(host, "torch", "2.3.0+host", needs="Requires-Dist: a-part-the-host-left-out\n")
    lesson = "from eagle_lab import load_pair, speculative_decode, tree_panel\n"
    lesson += "print(len(speculative_decode(load_pair('stories'), [1], 4).tokens))\n"
    lesson += "print(*(importlib.metadata.version(name) for name in ('numpy', 'torch', 'eagle-lab')))"
    ran = run(host, f"{install_cell(None)}\n{lesson}", tmp_path / "zh")
    assert (ran.returncode, ran.stdout.split()) == (0, ["4", "2.3.2", "2.3.0+host", PROJECT["version"]]), ran.stderr


@pytest.mark.slow
def test_a_numpy_that_is_too_old_stays_and_pip_says_so(host, tmp_path):
    pretend(host, "numpy", "1.20.0")
    ran = run(host, install_cell(None), tmp_path / "zh")
    assert ran.returncode == 1 and ran.stdout == ""
    assert "AssertionError" in ran.stderr and "numpy==1.20.0" in ran.stderr and "conflict" in ran.stderr
    assert run(host, "from importlib.metadata import version; print(version('numpy'))", tmp_path).stdout == "1.20.0\n"


@pytest.mark.slow
def test_a_package_that_pip_puts_into_a_new_folder_of_the_user_is_found_at_once(host, tmp_path):
    """On a shared host pip may only write there, and a Python that started before does not look there."""
    settings = (tmp_path / "host" / "pyvenv.cfg").read_text(encoding="utf-8")
    shared = settings.replace("include-system-site-packages = false", "include-system-site-packages = true")
    (tmp_path / "host" / "pyvenv.cfg").write_text(shared, encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    user = {"PYTHONUSERBASE": str(tmp_path / "user"), "PIP_USER": "1", "PIP_NO_DEPS": "1"}
    code = f"{install_cell(None)}\nimport eagle_lab; print(eagle_lab.__file__)"
    ran = subprocess.run([host, "-c", code], cwd=tmp_path / "zh", env=kept | user, capture_output=True, text=True)
    assert ran.returncode == 0 and ran.stdout.startswith(str(tmp_path / "user")), ran.stderr
