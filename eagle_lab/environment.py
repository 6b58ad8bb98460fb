"""What is installed beside what is needed, in one table: `python -m eagle_lab.environment` prints it too."""

import operator
import platform
import re
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from unicodedata import east_asian_width

from .language import console_takes, current_language, use_language, word

PACKAGE, LAB = "eagle-lab", "lab"  # its own metadata says what it needs; the extra is for JupyterLab
PAGE_SIDE = ("jupyterlab_widgets", "widgetsnbextension")  # they draw in the page what ipywidgets says in the kernel
COMPARE = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}


def check_environment() -> "Environment":
    """What is installed and whether it fits: a report that prints as one table, with a sentence for what does not.

    >>> use_language("en"); print(str(check_environment()).splitlines()[0].split())
    ['package', 'installed', 'needed', 'verdict']
    >>> use_language("zh"); check_environment().fits
    True
    """
    rows = [Row("Python", platform.python_version(), _python_needed()), Row(PACKAGE, _installed(PACKAGE), "")]
    rows += [Row(name, _installed(name), needed) for name, needed in _needs(PACKAGE).items()]
    rows += [Row(name, _installed(name), needed, optional=True) for name, needed in _needs(PACKAGE, LAB).items()]
    rows += [Row(name, _installed(name), needed) for name, needed in _page_side_needs().items()]
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
        chosen = current_language()
        if not console_takes(word("all_fit")):  # English is plain ASCII, so any console takes it
            use_language("en")
        try:
            advice = [row.advice() for row in self.rows if row.verdict != "fits"]
            return "\n".join([*self._table(), "", *(advice or [word("all_fit")])])
        finally:
            use_language(chosen)

    __repr__ = __str__

    def _table(self) -> list[str]:
        columns = [
            [word("package"), *(row.name for row in self.rows)],
            [word("installed"), *(row.installed or "-" for row in self.rows)],
            [word("needed"), *(row.needed or "-" for row in self.rows)],
            [word("verdict"), *(word(row.verdict) for row in self.rows)],
        ]
        return ["  ".join(cells).rstrip() for cells in zip(*map(_ruled, columns), strict=True)]


def fits(installed: str, needed: str) -> bool:
    """Whether a version is one of those needed; marks of a pre-release or a build are not looked at.

    >>> fits("3.10.1", ">=3.8"), fits("4.0.1", "~=3.0.15"), fits("1.1.11", ">=1.0.0,<3"), fits("2.0", "")
    (True, False, True, True)
    """
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
    try:
        lines = requires(package) or []
    except PackageNotFoundError:
        return found
    for line in lines:
        requirement, _, marker = line.partition(";")
        of = re.search(r"extra\s*==\s*['\"]([\w-]+)", marker)
        if (of and of[1]) == extra:
            name = re.match(r"[\w.-]+", requirement)[0].replace("-", "_")
            found[name] = ",".join(mark + bound for mark, bound in _bounds(requirement))
    return found


def _page_side_needs() -> dict[str, str]:
    """What the installed ipywidgets asks of its other half, in the page."""
    needs = {name: needed for name, needed in _needs("ipywidgets").items() if name in PAGE_SIDE}
    if (_installed("ipywidgets") or "").startswith("7."):
        # 7.7.0 and 7.7.1 do not say so, and pip then brings the half of ipywidgets 8: no slider shows (tried).
        needs["jupyterlab_widgets"] = ">=1.0.0,<3"
    return needs


def _python_needed() -> str:
    return metadata(PACKAGE)["Requires-Python"] if _installed(PACKAGE) else ""


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _ruled(column: list[str]) -> list[str]:
    """The cells of a column padded to one width, and a rule under its head; Chinese signs are two wide."""
    wide = [sum(2 if east_asian_width(sign) in "WF" else 1 for sign in cell) for cell in column]
    head, *cells = (cell + " " * (max(wide) - width) for cell, width in zip(column, wide, strict=True))
    return [head, "-" * max(wide), *cells]


if __name__ == "__main__":
    print(check_environment())
