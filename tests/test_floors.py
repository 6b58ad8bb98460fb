"""The rooms of the package: imports run down the floors only, and the core stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import eagle_lab

PACKAGE = Path(eagle_lab.__file__).parent
NUMPY, FILES, WIDGETS = {"numpy"}, {"safetensors", "tokenizers"}, {"ipywidgets"}
DRAWING = {"matplotlib", "networkx", "PIL"}  # matplotlib itself needs pillow

# room: (rooms it may import, packages it may import)
ROOMS = {
    "fusion": (set(), NUMPY),
    "tree": (set(), NUMPY),
    "llama": (set(), NUMPY),
    "language": (set(), NUMPY),
    "environment": ({"language"}, set()),
    "drafter": ({"fusion", "tree", "llama"}, NUMPY),
    "verification": ({"tree"}, NUMPY),
    "pairs": ({"drafter", "llama", "tree"}, NUMPY | FILES),
    "decode": ({"fusion", "tree", "llama", "drafter", "verification"}, NUMPY),
    "exercises": ({"fusion", "tree", "verification", "language", "exercise_cases"}, NUMPY),
    "exercise_cases": ({"fusion", "language"}, NUMPY),
    "counterexamples": ({"drafter", "tree", "verification"}, NUMPY),
    "benchmark": ({"fusion", "llama", "pairs", "decode"}, NUMPY),
    "trials": ({"fusion", "tree", "verification", "language", "pairs", "decode"}, NUMPY),
    "pictures.ink": (set(), NUMPY | DRAWING),
    "pictures.tables": (set(), set()),
    "pictures.trees": (
        {"tree", "verification", "decode", "language", "pictures.ink"},
        NUMPY | {"matplotlib", "networkx"},
    ),
    "pictures.charts": (
        {"tree", "language", "trials", "pictures.ink", "pictures.tables", "pictures.trees"},
        NUMPY | {"matplotlib"},
    ),
    "pictures.views": (
        {"fusion", "tree", "language", "pairs", "decode", "benchmark", "trials"}
        | {"pictures.ink", "pictures.tables", "pictures.trees", "pictures.charts"},
        NUMPY | {"matplotlib"},
    ),
    "pictures.rounds": (
        {"tree", "verification", "language", "pairs", "decode", "trials"}
        | {"pictures.ink", "pictures.tables", "pictures.trees"},
        {"matplotlib"},
    ),
    "panels.base": ({"language", "pairs", "trials", "pictures.ink", "pictures.tables"}, WIDGETS),
    "panels.tree": ({"language", "trials", "pictures.views", "panels.base"}, WIDGETS),
    "panels.fusion": ({"pictures.views", "panels.base"}, WIDGETS),
    "panels.map": ({"benchmark", "trials", "pictures.charts", "pictures.views", "panels.base"}, WIDGETS),
    "panels.players": ({"language", "trials", "pictures.rounds", "panels.base"}, WIDGETS),
    "panels": ({"benchmark", "pairs", "panels.tree", "panels.fusion", "panels.map", "panels.players"}, WIDGETS),
    "pictures": (set(), set()),
}
FILES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path != PACKAGE / "__init__.py"
}
WINGS = {room for room, path in FILES.items() if path.stem == "__init__"}


def imports(source: str, room: str = "") -> tuple[set[str], set[str]]:
    """The rooms and the foreign packages that a module imports, wherever in it the import stands."""
    rooms, packages = set(), set()
    wing = room if room in WINGS else room.rpartition(".")[0]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            packages |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level:
            above = f"{wing}." if wing and node.level == 1 else ""
            names = [node.module] if node.module else [alias.name for alias in node.names]
            rooms |= {above + name for name in names}
        elif isinstance(node, ast.ImportFrom):
            packages.add(node.module.split(".")[0])
    return rooms, packages - set(sys.stdlib_module_names)


def test_imports_are_found_wherever_they_stand():
    source = "import os.path\nfrom . import tree\nfrom .fusion import x\ndef f():\n    from torch.nn import y"
    assert imports(source) == ({"tree", "fusion"}, {"torch"})


@pytest.mark.parametrize("room", FILES)
def test_a_room_imports_from_the_floors_below_only(room):
    assert room in ROOMS, f"{room} has no place on the floors yet: see DESIGN §2"
    rooms, packages = imports(FILES[room].read_text(encoding="utf-8"), room)
    assert rooms <= ROOMS[room][0], f"{room} must not know {rooms - ROOMS[room][0]}"
    assert packages <= ROOMS[room][1], f"{room} must not need {packages - ROOMS[room][1]}"


def test_the_floors_have_no_circles():
    above = {room: below for room, (below, _) in ROOMS.items()}
    while above:
        free = {room for room, below in above.items() if not below & above.keys()}
        assert free, f"a circle among {sorted(above)}"
        above = {room: below for room, below in above.items() if room not in free}


def test_every_public_name_is_there():
    rooms = {room for room in eagle_lab._ROOMS if room in FILES}
    assert {"fusion", "tree", "verification", "pairs", "decode"} <= rooms
    for room in rooms:
        for name in eagle_lab._ROOMS[room]:
            assert getattr(eagle_lab, name).__module__ == f"eagle_lab.{room}"
    assert set(dir(eagle_lab)) == set(eagle_lab.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = eagle_lab.nonsense


def test_no_room_hides_a_public_name():
    assert not FILES.keys() & set(eagle_lab.__all__)  # importing eagle_lab.x would replace the function x


def loaded_by(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    ran = subprocess.run([sys.executable, "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True, check=True)
    return set(ran.stdout.split())


HEAVY = {"matplotlib", "networkx", "ipywidgets", "torch", "tokenizers", "safetensors"}


def test_importing_the_package_loads_nothing_heavy():
    assert not loaded_by("import eagle_lab") & (HEAVY | {"numpy"})


def test_the_engine_needs_no_pictures_and_no_files():
    loaded = loaded_by("from eagle_lab import score_candidate_tree, verify, speculative_decode")
    assert "numpy" in loaded and not loaded & HEAVY


def test_verify_stays_a_function_after_its_room_was_loaded():
    loaded_by("import eagle_lab.verification\nfrom eagle_lab import verify\nassert callable(verify)")
