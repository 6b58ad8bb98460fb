"""What is installed beside what is needed, in one table: `python -m eagle_lab.environment` prints it too."""

import platform
import re
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from operator import eq, ge, gt, le, lt, ne
from unicodedata import east_asian_width

from .language import console_takes, current_language, speaking, word

PACKAGE, LAB = "eagle-lab", "lab"  # its own metadata says what it needs; the extra is for JupyterLab
PAGE_SIDE = ("jupyterlab_widgets", "widgetsnbextension")  # they draw in the page what ipywidgets says in the kernel
COMPARE = {">=": ge, "<=": le, "==": eq, "!=": ne, ">": gt, "<": lt}


def check_environment() -> "Environment":
    """What is installed and whether it fits: a report that prints as one table, with a sentence for what does not.

    >>> with speaking("en"): print(str(check_environment()).splitlines()[0].split())
    ['package', 'installed', 'needed', 'verdict']
    >>> check_environment().fits
    True
    """
    own = _installed(PACKAGE)
    python_needed = metadata(PACKAGE)["Requires-Python"] if own else ""
    rows = [Row("Python", platform.python_version(), python_needed), Row(PACKAGE, own, "")]
    rows += [Row(name, _installed(name), needed) for name, needed in _needs(PACKAGE).items()]
    rows += [Row(name, _installed(name), needed, optional=True) for name, needed in _needs(PACKAGE, LAB).items()]
    page = {name: needed for name, needed in _needs("ipywidgets").items() if name in PAGE_SIDE}
    if (_installed("ipywidgets") or "").startswith("7."):
        # 7.7.0 and 7.7.1 do not say so, and pip then brings the half of ipywidgets 8: no slider shows (tried).
        page["jupyterlab_widgets"] = ">=1.0.0,<3"
    rows += [Row(name, _installed(name), needed) for name, needed in page.items()]
    return Environment(tuple(rows))


@dataclass(frozen=True)
class Row:
    """One package: the version that is there (None: missing) and the versions that are needed."""

    name: str
    installed: str | None
    needed: str
    optional: bool = False

    @property
    def verdict(self) -> str:
        """The word for it: fits, misfits or missing."""
        if self.installed is None:
            return "missing"
        return "fits" if fits(self.installed, self.needed) else "misfits"

    def advice(self) -> str:
        """What to do about a package that does not fit, in the language in use."""
        kinds = {"Python": "mend_python"} | dict.fromkeys(PAGE_SIDE, "mend_page")
        key = "mend_optional" if self.optional else kinds.get(self.name, "mend")
        command = "pip install -e ." if self.name == PACKAGE else f'pip install "{self.name}{self.needed}"'
        return word(key, name=self.name, needed=self.needed, command=command)


@dataclass(frozen=True)
class Environment:
    """The rows of the report; `fits` says whether the lessons can run."""

    rows: tuple[Row, ...]

    @property
    def fits(self) -> bool:
        """Whether everything that has to be there is there, in a version that fits."""
        return all(row.verdict == "fits" or (row.optional and row.installed is None) for row in self.rows)

    def __str__(self) -> str:
        language = current_language() if console_takes(word("all_fit")) else "en"  # which is plain ASCII
        with speaking(language):
            head = [word(title) for title in ("package", "installed", "needed", "verdict")]
            rows = [[row.name, row.installed or "-", row.needed or "-", word(row.verdict)] for row in self.rows]
            columns = map(_ruled, zip(head, *rows, strict=True))
            lines = ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]
            advice = [row.advice() for row in self.rows if row.verdict != "fits"]
            return "\n".join([*lines, "", *(advice or [word("all_fit")])])

    __repr__ = __str__


def fits(installed: str, needed: str) -> bool:
    """Whether a version is one of those needed; marks of a pre-release or a build are not looked at."""
    return all(_holds(installed, mark, bound) for mark, bound in _bounds(needed))


def _holds(installed: str, mark: str, bound: str) -> bool:
    if mark == "~=":  # ~=3.0.15 is >=3.0.15 within 3.0
        return f"{installed}.".startswith(bound.rpartition(".")[0] + ".") and _holds(installed, ">=", bound)
    return COMPARE[mark](_release(installed), _release(bound))


def _bounds(needed: str) -> list[tuple[str, str]]:
    return re.findall(r"(~=|[<>=!]=|[<>])\s*([\w.]+)", needed)


def _release(text: str) -> list[int]:
    numbers = re.findall(r"\d+", re.match(r"[\d.]*", text)[0])
    return [int(number) for number in [*numbers, 0, 0, 0, 0][:4]]  # 3.8 is 3.8.0


def _needs(package: str, extra: str | None = None) -> dict[str, str]:
    """What a package's metadata asks for, of one extra or of none: name -> versions."""
    found = {}
    for line in (requires(package) if _installed(package) else None) or []:
        requirement, _, marker = line.partition(";")
        of = re.search(r"extra\s*==\s*['\"]([\w-]+)", marker)
        if (of and of[1]) == extra:
            name = re.match(r"[\w.-]+", requirement)[0].replace("-", "_")
            found[name] = ",".join(mark + bound for mark, bound in _bounds(requirement))
    return found


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _ruled(column: tuple[str, ...]) -> list[str]:
    """The cells of a column padded to one width, and a rule under its head; Chinese signs are two wide."""
    wide = [sum(2 if east_asian_width(sign) in "WF" else 1 for sign in cell) for cell in column]
    head, *cells = (cell + " " * (max(wide) - width) for cell, width in zip(column, wide, strict=True))
    return [head, "-" * max(wide), *cells]


if __name__ == "__main__":
    print(check_environment())
