"""The house as docs/design.md draws it and as it stands: rooms, floors, imports, sizes. `python tests/house.py`."""

import ast
import io
import re
import sys
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "eagle_lab"
ENGINE = [  # what computes; reading folders is no part of it
    *("inputs", "fusion", "tree", "llama", "sampling", "verification", "growth", "contracts", "drafter", "decode"),
]
BOUNDS = {"engine": 2300, "library": 7500, "file": 350, "function": 40}
NOT_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}

FILES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path != PACKAGE / "__init__.py"
}
WINGS = {room for room, path in FILES.items() if path.stem == "__init__"}


def floors() -> dict[str, int]:
    """The floor of every room, by the tables of docs/design.md; a wing's own rooms count within the wing."""
    page = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    return {room: int(floor) for floor, room in re.findall(r"^\| (\d+) \| `([\w.]+)` \|", page, flags=re.M)}


def imports(source: str, room: str) -> tuple[set[str], set[str]]:
    """The rooms and the foreign packages that a room imports, wherever in it the import stands."""
    rooms, packages = set(), set()
    wing = room if room in WINGS else room.rpartition(".")[0]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            packages |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level:
            home = f"{wing}." if wing and node.level == 1 else ""
            rooms |= {home + name for name in ([node.module] if node.module else [alias.name for alias in node.names])}
        elif isinstance(node, ast.ImportFrom) and node.module:
            packages.add(node.module.split(".")[0])
    return rooms, packages - set(sys.stdlib_module_names)


def is_below(lower: str, upper: str, floor: dict[str, int]) -> bool:
    """Whether `upper` may import `lower`: it stands higher, in the house or in the wing that both are part of."""
    wings = lower.partition(".")[0], upper.partition(".")[0]
    if wings[0] != wings[1]:
        return floor[wings[0]] < floor[wings[1]]
    return lower != upper and (upper in WINGS or floor[lower] < floor[upper])


def lines(path: Path) -> int:
    """How many lines a file has."""
    return len(path.read_text(encoding="utf-8").splitlines())


def functions(path: Path) -> dict[str, int]:
    """Lines with code of every function of a file, without its docstring, comments and blank lines."""
    source = path.read_text(encoding="utf-8")
    code = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NOT_CODE:
            code |= set(range(token.start[0], token.end[0] + 1))
    found = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node, clean=False) is not None
            first = node.body[0].end_lineno + 1 if docstring else node.lineno
            found[f"{path.relative_to(ROOT)}: {node.name}"] = len(code & set(range(first, node.end_lineno + 1)))
    return found


def sizes() -> dict[str, tuple[int, str]]:
    """For each bound what is reached, and by what."""
    files = {str(path.relative_to(ROOT)): lines(path) for path in PACKAGE.rglob("*.py")}
    longest = {name: size for path in FILES.values() for name, size in functions(path).items()}
    return {
        "engine": (sum(lines(FILES[room]) for room in ENGINE), f"{len(ENGINE)} rooms"),
        "library": (sum(files.values()), f"{len(files)} files"),
        "file": max((size, name) for name, size in files.items()),
        "function": max((size, name) for name, size in longest.items()),
    }


def main() -> None:
    """Print what the house measures against its bounds."""
    for name, (size, what) in sizes().items():
        unit = "code lines" if name == "function" else "lines"
        print(f"{name}: {size:,} {unit} of at most {BOUNDS[name]:,} ({what})")


if __name__ == "__main__":
    main()
