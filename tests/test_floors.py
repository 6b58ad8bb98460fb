"""The rooms of the package are those of docs/design.md, imports run down the floors only, the core stays light."""

import subprocess
import sys

import pytest

import eagle_lab

from house import BOUNDS, ENGINE, FILES, PACKAGE, WINGS, floors, functions, imports, is_below, sizes

FLOORS = floors()
HOMES = {  # where a package may be imported, beside numpy, which may be everywhere
    "matplotlib": "pictures",
    "networkx": "pictures",
    "PIL": "pictures",  # matplotlib itself needs pillow
    "ipywidgets": "panels",
    "safetensors": "weights",
    "tokenizers": "tokenizer",
    "jinja2": "tokenizer",
    "gguf": "packaged",
}


def test_imports_are_found_wherever_they_stand():
    source = "import os.path\nfrom . import tree\nfrom .fusion import x\ndef f():\n    from torch.nn import y"
    assert imports(source, "decode") == ({"tree", "fusion"}, {"torch"})
    source = "from . import fuse\nfrom .kinds import x\nfrom ..fusion import y"
    assert imports(source, "exercises.checks") == ({"exercises.fuse", "exercises.kinds", "fusion"}, set())


def test_an_arrow_upward_or_sideways_is_found():
    assert is_below("tree", "growth", FLOORS) and is_below("pictures.ink", "pictures.trees", FLOORS)
    assert is_below("trials", "exercises.checks", FLOORS) and is_below("exercises.checks", "exercises", FLOORS)
    for lower, upper in [
        ("growth", "tree"),
        ("rivals", "drafter"),
        ("exercises.checks", "panels.base"),
        ("tree", "tree"),
    ]:
        assert is_below(lower, upper, FLOORS) == (lower == "exercises.checks"), (lower, upper)
    assert not is_below("pictures.trees", "pictures.ink", FLOORS) and not is_below("panels.base", "trials", FLOORS)


def test_the_page_names_every_room_and_no_other():
    assert FLOORS.keys() == FILES.keys()


@pytest.mark.parametrize("room", FILES)
def test_a_room_imports_from_the_floors_below_only(room):
    rooms, packages = imports(FILES[room].read_text(encoding="utf-8"), room)
    assert rooms <= FILES.keys(), f"{room} imports {rooms - FILES.keys()}, which are no rooms"
    wrong = [other for other in rooms if not is_below(other, room, FLOORS)]
    assert not wrong, f"{room} must not know {wrong}: they do not stand below it"
    strangers = {name for name in packages - {"numpy"} if HOMES.get(name) != room.partition(".")[0]}
    assert not strangers, f"{room} must not need {strangers}"


def test_wings_and_wrong_ways_are_imported_by_those_who_may():
    users = {room: imports(path.read_text(encoding="utf-8"), room)[0] for room, path in FILES.items()}

    def who_uses(wing: str) -> set[str]:
        return {room.partition(".")[0] for room, used in users.items() for other in used if other.split(".")[0] == wing}

    assert {"exercises", "pictures", "panels"} == WINGS
    assert who_uses("exercises") == {"exercises"} and who_uses("counterexamples") == set()
    assert who_uses("panels") == {"panels"} and who_uses("pictures") == {"pictures", "panels"}
    assert not {room for room in ENGINE if users[room] & {"language", "environment"}}


@pytest.mark.parametrize("bound", BOUNDS)
def test_the_house_keeps_its_bounds(bound):
    size, what = sizes()[bound]
    assert size <= BOUNDS[bound], f"{bound}: {size} lines, {what}"


def test_lines_with_code_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr("house.ROOT", tmp_path)
    (tmp_path / "room.py").write_text(
        'def f(\n    x,\n):\n    """Two\n\n    lines."""\n\n    # why\n    y = x\n    return y\n'
    )
    assert functions(tmp_path / "room.py") == {"room.py: f": 2}


def test_every_public_name_is_there():
    rooms = eagle_lab._ROOMS
    assert {"fusion", "tree", "verification", "pairs", "decode"} <= rooms.keys() <= FILES.keys()
    for room, names in rooms.items():
        for name in names:
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


def test_exercises_need_no_pictures():
    assert not loaded_by("from eagle_lab import exercises") & {"matplotlib", "networkx", "ipywidgets", "torch"}


def test_verify_stays_a_function_after_its_room_was_loaded():
    loaded_by("import eagle_lab.verification\nfrom eagle_lab import verify\nassert callable(verify)")
