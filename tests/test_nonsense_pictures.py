"""Whatever a reader hands to a picture: it is drawn, or refused by an error that names the argument."""

import decimal
import fractions
import math

import networkx as nx
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import eagle_lab
from eagle_lab import CandidateTree, Generation, Verdict, load_pair, record
from eagle_lab.benchmark import TauMap, tau_map
from eagle_lab.pictures.charts import chart_figure
from eagle_lab.pictures.graphs import candidate_graph
from eagle_lab.pictures.ink import Picture, new_figure, to_png

TREE = CandidateTree([-1, -1, 0, 0, 2], [5, 6, 7, 8, 9], [-0.2, -1.8, -0.1, -2.5, -0.3])
TAUS = {(1.0, 0.0, 0.0): 2.0, (0.0, 1.0, 0.0): 3.0, (0.0, 0.0, 1.0): 2.5}
PUBLIC = {
    name
    for name in eagle_lab.__all__
    if getattr(getattr(eagle_lab, name), "__module__", "").startswith("eagle_lab.pictures")
}


class Plain:
    """An object of no use, whatever it is made of."""

    def __init__(self, *_):
        pass


NONSENSE = {
    "None": None,
    "true": True,
    "false": False,
    "zero": 0,
    "minus one": -1,
    "seven": 7,
    "a million": 10**6,
    "beyond 64 bits": 2**80,
    "beyond a float": 10**400,
    "a half": 0.5,
    "minus zero": -0.0,
    "nan": math.nan,
    "inf": math.inf,
    "-inf": -math.inf,
    "complex": 1j,
    "decimal": decimal.Decimal("NaN"),
    "fraction": fractions.Fraction(1, 3),
    "no text": "",
    "text": "x",
    "the name": "next",
    "long text": "字" * 10_000,
    "a line": "a\nb\x00",
    "half a pair": "\ud800",
    "signs": "$x_{1}$ & <b>",
    "bytes": b"x",
    "no list": [],
    "a tuple": (1,),
    "a list of None": [None],
    "a list of nan": [math.nan] * 3,
    "a list of text": ["a", "b", "c"],
    "nested": [[1, 2], [3]],
    "negative": [-1, -2, -3],
    "huge": [10**400] * 3,
    "a long list": [1] * 100_000,
    "no dict": {},
    "a dict": {"a": 1},
    "a dict of None": {None: None},
    "a dict of nan": {(math.nan,) * 3: math.nan},
    "half a map": {(0.5, 0.6, -0.1): 2.0},
    "a short map": {(0.5, 0.5): 2.0},
    "a set": {1, 2},
    "no set": set(),
    "strayed": {"next", 99},
    "an object": Plain(),
    "a class": Plain,
    "a function": lambda token: None,
    "a number": lambda token: 5,
    "a text": lambda token: "\ud800$",
    "a range": range(3),
    "a generator": (step for step in (1, 2)),
    "an error": ValueError("x"),
    "a module": math,
    "no array": np.array([]),
    "a scalar array": np.array(math.nan),
    "a matrix": np.zeros((2, 2)),
    "an array of text": np.array(["a", "b"]),
    "an array of objects": np.array([None, {}], dtype=object),
    "a number of numpy": np.float32(2.5),
    "a figure": Figure(),
    "a graph": nx.DiGraph(),
    "a cycle": nx.DiGraph([(-1, 0), (0, -1)]),
    "a verdict": Verdict((99,), (), 3),
    "a verdict of None": Verdict(None, None, None),
    "half a verdict": Verdict((2,), (), 3),
    "a verdict of text": Verdict((0,), (), "x"),
    "a deep tree": CandidateTree(range(-1, 599), range(600), [-0.1] * 600),
    "a tree of one": CandidateTree([-1], [2**60], [-math.inf]),
    "a map of None": {"x": TauMap(None, None, None)},
}


def doors() -> dict:
    """Every public way to a picture: the function, and arguments with which it works."""
    pair = load_pair("stories")
    reading = Generation(pair, pair.encode("Once upon a time"))
    tree = {"tree": TREE, "verdict": Verdict((0, 2), (4,), 3), "labels": str, "root_label": "R", "strayed": {2}}
    fusion = {"pair": pair, "prompt": reading, "layer_weights": (1, 1, 1), "figure": new_figure(5)}
    simplex = {"taus": TAUS, "ax": chart_figure(4, 3).axes[0], "point": (0.2, 0.3, 0.5), "title": "t", "limits": (1, 4)}
    maps = {"x": tau_map(pair, ["Once upon a time"], steps=1)}
    arguments = {
        "candidate_graph": tree,
        "draw_tree": {**tree, "ax": new_figure(8).axes[0], "legend": True},
        "mask_chart": {"tree": TREE, "labels": str, "root_label": "R"},
        "passes_chart": {"lengths": [3, 1]},
        "draw_simplex": simplex,
        "tree_view": {**fusion, "top_k": 2, "depth": 2, "budget": 3},
        "fusion_view": fusion,
        "map_view": {"maps": maps, "layer_weights": (1, 1, 1), "figure": chart_figure(5, 4)},
        "round_view": {"recording": record(pair, "Once upon a time", 8), "number": 1, "figure": new_figure(5)},
        "walk_view": {"pair": pair, "prompt": reading, "step": 1, "figure": new_figure(5)},
    }
    return {name: (getattr(eagle_lab, name, candidate_graph), some) for name, some in arguments.items()}


DOORS = doors()
ALSO = {  # what an error may name instead
    "tree": "verdict.accepted",  # it is no nonsense, but does not fit another argument
    "prompt": "开头",
    "layer_weights": "weights",
    "maps": "pair",
}


def finite(ax) -> bool:
    """Whether every place of a drawn picture is a number."""
    ours = [path.vertices for artist in ax.collections for path in artist.get_paths()]
    return all(np.isfinite(vertices).all() for vertices in [*ours, *(line.get_xydata() for line in ax.lines)])


def judge(function, arguments: dict, wrong: str) -> str | None:
    """What is wrong with how a function takes `arguments`, of which `wrong` is nonsense."""
    try:
        result = function(**arguments)
    except (TypeError, ValueError) as error:
        named = wrong in str(error) or ALSO.get(wrong, wrong) in str(error)
        return None if named else f"an error that does not name {wrong}: {error!r}"
    except Exception as error:
        return f"an accident: {error!r}"
    if isinstance(result, Axes):
        return None if finite(result) and to_png(result.figure) else "a picture with nan"
    said = repr(result) + (result.alt + result.to_html() if hasattr(result, "to_html") else "")
    sound = isinstance(result, nx.DiGraph) or (result.png and all(map(finite, result.figure.axes)))
    return None if sound and "nan" not in said else f"nan: {said}"


@pytest.mark.parametrize(("door", "argument"), [(name, key) for name, (_, some) in DOORS.items() for key in some])
def test_nonsense_is_drawn_or_refused_by_name(door, argument):
    function, arguments = DOORS[door]
    found = {name: judge(function, {**arguments, argument: value}, argument) for name, value in NONSENSE.items()}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_the_list_of_doors_is_whole():
    assert DOORS.keys() == PUBLIC | {"candidate_graph"}
    assert all(isinstance(function(**some), Axes | Picture | nx.DiGraph) for function, some in DOORS.values())
