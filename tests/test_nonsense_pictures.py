"""Whatever is handed to a picture: it is drawn, or refused by an error that names the argument."""

import decimal
import fractions
import math

import networkx as nx
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eagle_lab import CandidateTree, Verdict, draw_tree, load_pair
from eagle_lab.benchmark import TauMap, tau_map
from eagle_lab.decode import Round
from eagle_lab.pictures import charts, graphs, ink, tables, text, trees, views

TREE = CandidateTree([-1, -1, 0, 0, 2], [5, 6, 7, 8, 9], [-0.2, -1.8, -0.1, -2.5, -0.3])
VERDICT = Verdict((0, 2), (4,), 3)
SHARE, CHANCE = {"label": "low", "share": 0.7, "note": ""}, {"label": "a", "probability": 0.6, "chosen": True}
TAUS = {(1.0, 0.0, 0.0): 2.0, (0.0, 1.0, 0.0): 3.0, (0.0, 0.0, 1.0): 2.5}


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
    "rows": [{"label": "\n" * 99, "share": 1, "note": "字" * 99}],
    "rows of nan": [{"label": "a", "share": math.nan, "probability": math.nan, "chosen": True, "note": ""}],
    "rows that lack": [{"label": "a"}],
    "a map of None": {"x": TauMap(None, None, None)},
}


@pytest.fixture(scope="module")
def pair():
    return load_pair("stories")


def doors(pair) -> dict:
    """Every public way to a picture or a table: the function, and arguments with which it works."""
    round_ = Round(5, 3, TREE, VERDICT, (7, 9, 3))
    axes, new = lambda: ink.new_figure(8).axes[0], ink.new_figure
    tree = {"tree": TREE, "verdict": VERDICT, "labels": str, "root_label": "R", "strayed": {2}}
    maps = {"x": tau_map(pair, ["Once upon a time"], steps=1)}
    graph = graphs.candidate_graph(TREE, VERDICT)
    return {
        "draw_tree": (draw_tree, {**tree, "ax": axes(), "legend": True}),
        "candidate_graph": (graphs.candidate_graph, tree),
        "draw_graph": (trees.draw_graph, {"graph": graph, "ax": axes(), "legend": False}),
        "describe": (trees.describe, {"graph": graph}),
        "draw_round": (
            trees.draw_round,
            {"pair": pair, "round_": round_, "verdict": VERDICT, "figure": new(5), "strayed": ["next"]},
        ),
        "token_label": (trees.token_label, {"pair": pair, "token": 5}),
        "ending": (trees.ending, {"round_": round_}),
        "mask_chart": (charts.mask_chart, {"tree": TREE, "labels": str, "root_label": "R"}),
        "draw_mask": (charts.draw_mask, {"tree": TREE, "ax": axes(), "labels": str, "root_label": "R"}),
        "passes_chart": (charts.passes_chart, {"lengths": [3, 1]}),
        "draw_passes": (charts.draw_passes, {"lengths": [3, 1], "ax": axes()}),
        "draw_fusion": (charts.draw_fusion, {"layers": [SHARE], "candidates": [CHANCE], "ax": axes()}),
        "draw_simplex": (
            charts.draw_simplex,
            {"taus": TAUS, "ax": axes(), "point": (0.2, 0.3, 0.5), "title": "t", "limits": (1, 4)},
        ),
        "check_taus": (charts.check_taus, {"taus": TAUS, "name": "taus"}),
        "chart_figure": (charts.chart_figure, {"width": 4, "height": 3, "axes": 1}),
        "blank_figure": (ink.blank_figure, {"width": 4, "height": 3}),
        "new_figure": (ink.new_figure, {"nodes": 8}),
        "fit_figure": (ink.fit_figure, {"figure": new(5), "nodes": 8}),
        "css_width": (ink.css_width, {"figure": new(5)}),
        "to_png": (ink.to_png, {"figure": new(5)}),
        "score_colour": (ink.score_colour, {"score": -1.0}),
        "display_token": (text.display_token, {"text": "a", "length": 14}),
        "readable": (text.readable, {"text": "a", "length": 14}),
        "text_width": (text.text_width, {"text": "a"}),
        "facts": (tables.facts, {"rows": [("a", 1)]}),
        "table": (tables.table, {"heads": ["a"], "rows": [(1,)]}),
        "plain": (tables.plain, {"page": "<p>a</p>"}),
        "signed": (tables.signed, {"number": 0.5}),
        "percent": (tables.percent, {"share": 0.5}),
        "map_view": (views.map_view, {"maps": maps, "layer_weights": (1, 1, 1), "figure": charts.chart_figure(5, 4)}),
    }


DOORS = {name: tuple(arguments) for name, (_, arguments) in doors(load_pair("stories")).items()}


MISFITS = {  # values that are no nonsense, but do not fit another argument, which is named then
    ("candidate_graph", "tree"): "verdict.accepted",
    ("table", "heads"): "rows[0]",
    ("map_view", "layer_weights"): "weights[",
}


def finite(ax) -> bool:
    """Whether every place of a drawn picture is a number."""
    ours = [path.vertices for artist in ax.collections for path in artist.get_paths()]
    return all(np.isfinite(vertices).all() for vertices in [*ours, *(line.get_xydata() for line in ax.lines)])


def judge(function, arguments: dict, wrong: str, misfit: str) -> str | None:
    """What is wrong with how a function takes `arguments`, of which `wrong` is nonsense."""
    try:
        result = function(**arguments)
    except (TypeError, ValueError) as error:
        return (
            None if wrong in str(error) or misfit in str(error) else f"an error that does not name {wrong}: {error!r}"
        )
    except Exception as error:
        return f"an accident: {error!r}"
    if isinstance(result, Axes):
        return None if finite(result) and ink.to_png(result.figure) else "a picture with nan"
    return "nan" if isinstance(result, str) and result.startswith("nan") else None


@pytest.mark.parametrize(("door", "argument"), [(name, argument) for name, some in DOORS.items() for argument in some])
def test_nonsense_is_drawn_or_refused_by_name(door, argument, pair):
    found = {}
    for name, value in NONSENSE.items():
        function, arguments = doors_of(door, pair)
        misfit = MISFITS.get((door, argument), argument)
        found[name] = judge(function, {**arguments, argument: value}, argument, misfit)
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def doors_of(name: str, pair):
    return ALL[name] if name in ALL else ALL.setdefault(name, doors(pair)[name])


ALL: dict = {}


def test_the_list_of_doors_is_whole():
    """Whatever these rooms define without an underscore is in it, but for what pictures are made of within."""
    within = {"own_settings", "tint", "clean_slate", "put", "box", "lettering", "glyphs", "font", "drawable", "cut"}
    within |= {
        "check_nodes",
        "check_axes",
        "check_figure",
        "check_text",
        "token_names",
        "root_name",
        "tree_columns",
        "drafted",
        "check_graph",
    }
    there = set()
    for room in (charts, graphs, ink, tables, text, trees):
        there |= {n for n, f in vars(room).items() if callable(f) and getattr(f, "__module__", "") == room.__name__}
    names = {name for name in there if name[0] != "_" and name[0].islower()}
    assert names - within == DOORS.keys() - {"map_view"}
