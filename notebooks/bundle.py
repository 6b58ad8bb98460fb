"""Pack what a host needs that cannot reach the repository: `make bundle`.

One zip to upload: the wheel, the notebooks of one or both languages as they are stored, and for each language a page
with the three steps that open them. The same checkout gives the same bytes.

    python notebooks/bundle.py           # both languages
    python notebooks/bundle.py zh        # one of them
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from opening import BUNDLE, LANGUAGES, WHEEL

ROOT = Path(__file__).parents[1]
FOLDER = BUNDLE.removesuffix(".zip")  # what unpacking makes
TIME = (2020, 2, 2, 0, 0, 0)  # of every file in the zip, as in the wheel
UNIX, READABLE = 3, 0o644 << 16  # a zip made on any system says the same of its files


def build_wheel(folder: Path) -> Path:
    """Build the wheel of this checkout into a folder, and return its path.

    Raises `subprocess.CalledProcessError` where pip fails, after pip's own words.
    """
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True)
    return folder / WHEEL


def contents(wheel: Path, languages: tuple[str, ...] = LANGUAGES) -> dict[str, Path]:
    """The names in the bundle, and the files that stand behind them.

    Raises `ValueError` for a language that there is not.

    >>> list(contents(Path(WHEEL), ("en",)))[1:4]
    ['eagle-lab/LICENSE', 'eagle-lab/START_HERE_en.txt', 'eagle-lab/en/01_where_eagle_sits.ipynb']
    """
    if not set(languages) <= set(LANGUAGES):
        raise ValueError(f"languages are {' '.join(languages)}: there are {', '.join(LANGUAGES)}")
    files = {wheel.name: wheel, "LICENSE": ROOT / "LICENSE"}
    for language in languages:
        page = ROOT / "notebooks" / f"START_HERE_{language}.txt"
        files[page.name] = page
        files |= {f"{language}/{path.name}": path for path in sorted((page.parent / language).glob("*.ipynb"))}
    return {f"{FOLDER}/{name}": path for name, path in files.items()}


def write_zip(target: Path, files: dict[str, Path]) -> None:
    """Write files under the given names into a zip whose bytes depend on nothing else."""
    with ZipFile(target, "w") as bundle:
        for name, path in files.items():
            entry = ZipInfo(name, TIME)
            entry.compress_type, entry.create_system, entry.external_attr = ZIP_DEFLATED, UNIX, READABLE
            bundle.writestr(entry, path.read_bytes())


def make_bundle(target: Path, languages: tuple[str, ...] = LANGUAGES) -> Path:
    """Build the bundle of some languages as the file `target`, and return its path."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        write_zip(target, contents(build_wheel(Path(folder)), languages))
    return target


def main() -> None:
    """Build dist/eagle-lab.zip in the languages that the command line names."""
    bundle = make_bundle(ROOT / "dist" / BUNDLE, tuple(sys.argv[1:]) or LANGUAGES)
    print(f"{bundle.relative_to(ROOT)}: {bundle.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
