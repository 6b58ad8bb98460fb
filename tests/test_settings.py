"""Pictures owe nothing to the reader's matplotlib settings, and leave them alone."""

import logging
import threading
import warnings

import matplotlib
import matplotlib.pyplot as plt
import pytest
from cycler import cycler
from matplotlib.style import context as style

from eagle_lab import CandidateTree, Verdict, draw_tree, load_pair
from eagle_lab.benchmark import tau_map
from eagle_lab.pictures import text
from eagle_lab.pictures.charts import chart_figure, draw_fusion, draw_simplex, mask_chart, passes_chart
from eagle_lab.pictures.ink import new_figure, to_png
from eagle_lab.pictures.settings import own_settings
from eagle_lab.pictures.views import map_view

TREE = CandidateTree([-1, -1, 0, 0, 2], [5, 6, 7, 8, 9], [-0.2, -1.8, -0.1, -2.5, -0.3])
FUSION = [0.3, 0.3, 0.4], [0.7, -0.1, 0.4], [("小猫", 0.6), ("$x_b$", 0.1)], (0,)
TAUS = {(1.0, 0.0, 0.0): 2.0, (0.0, 1.0, 0.0): 3.0, (0.0, 0.0, 1.0): 2.5}


def simplex() -> bytes:
    ax = chart_figure(4, 3.4).axes[0]
    return to_png(draw_simplex(TAUS, ax=ax, point=(0.2, 0.3, 0.5), title="训练 $x_$").figure)


PICTURES = {
    "tree": lambda: to_png(draw_tree(TREE, Verdict((0, 2), (4,), 3), labels="abcdef$_你好".__getitem__).figure),
    "mask": lambda: mask_chart(TREE, "abcdef$_你好".__getitem__, "根").png,
    "passes": lambda: passes_chart([3, 1, 4]).png,
    "simplex": simplex,
    "fusion": lambda: to_png(draw_fusion(*FUSION, ax=new_figure(8).axes[0]).figure),
}
HOSTILE = {
    "a font that is not there": {"font.family": ["sans-serif"], "font.sans-serif": ["SimHei"]},
    "a family that is not there": {"font.family": ["SimHei"], "axes.unicode_minus": False},
    "TeX": {"text.usetex": True},
    "large bold text": {"font.size": 30, "font.weight": "bold", "font.style": "italic", "font.stretch": "condensed"},
    "text": {"text.color": "red", "text.hinting": "none", "text.antialiased": False, "text.parse_math": True},
    "mathematics": {"mathtext.fontset": "cm", "mathtext.default": "rm", "axes.formatter.use_mathtext": True},
    "axes": {"axes.facecolor": "black", "axes.edgecolor": "red", "axes.linewidth": 7, "axes.labelcolor": "red"},
    "room on axes": {"axes.labelsize": 40, "axes.labelpad": 40, "axes.titlesize": 50, "axes.titlelocation": "left"},
    "limits of axes": {"axes.xmargin": 0.4, "axes.ymargin": 0.4, "axes.autolimit_mode": "round_numbers"},
    "a grid": {"axes.grid": True, "grid.color": "red", "grid.linewidth": 5, "axes.axisbelow": False},
    "a cycle of colours": {"axes.prop_cycle": cycler(color=["red", "yellow"])},
    "spines": {f"axes.spines.{side}": False for side in ("left", "right", "top", "bottom")},
    "lines": {"lines.linewidth": 9, "lines.markersize": 30, "lines.dash_capstyle": "round", "lines.antialiased": False},
    "dashes": {"lines.scale_dashes": False, "lines.solid_capstyle": "butt", "lines.solid_joinstyle": "bevel"},
    "patches": {"patch.antialiased": False, "patch.force_edgecolor": True, "patch.linewidth": 8},
    "markers": {"markers.fillstyle": "none", "scatter.edgecolors": "red", "scatter.marker": "x"},
    "ticks": {"xtick.direction": "inout", "xtick.labelsize": 30, "ytick.color": "red", "ytick.right": True},
    "smaller ticks": {"xtick.minor.visible": True, "ytick.minor.visible": True, "xtick.major.size": 30},
    "paths": {"path.simplify": False, "path.snap": False, "agg.path.chunksize": 100},
    "a sketch": {"path.sketch": (5, 50, 5)},
    "figures": {"figure.dpi": 30, "figure.facecolor": "black", "figure.figsize": (1, 1), "figure.autolayout": True},
    "room in figures": {"figure.subplot.left": 0.4, "figure.constrained_layout.use": True, "figure.frameon": False},
    "files": {"savefig.dpi": 20, "savefig.facecolor": "black", "savefig.bbox": "tight", "savefig.transparent": True},
    "images": {"image.cmap": "jet", "image.interpolation": "bilinear", "image.origin": "lower", "image.aspect": "auto"},
    "a place in time": {"timezone": "Asia/Shanghai", "interactive": True},
}  # fmt: skip


@pytest.fixture
def forgotten():
    """Nothing is remembered of texts drawn before, and nothing is kept afterwards."""
    remembered = text.glyphs, text.drawable, text.font
    for function in remembered:
        function.cache_clear()
    yield
    for function in remembered:
        function.cache_clear()


@pytest.fixture(scope="module")
def expected():
    """Every picture under matplotlib's own settings."""
    return {name: picture() for name, picture in PICTURES.items()}


@pytest.fixture
def silence(caplog):
    """No warning and no line in a log while the test runs."""
    with caplog.at_level(logging.WARNING, logger="matplotlib"):
        yield
    assert caplog.get_records("call") == []


@pytest.mark.parametrize("picture", PICTURES)
@pytest.mark.parametrize("setting", HOSTILE)
def test_a_picture_is_the_same_under_any_settings(setting, picture, expected, forgotten, silence):
    with matplotlib.rc_context(HOSTILE[setting]):
        assert PICTURES[picture]() == expected[picture]
    assert plt.get_fignums() == []


@pytest.mark.parametrize("picture", PICTURES)
@pytest.mark.parametrize("name", ["dark_background", "ggplot", "bmh", "fivethirtyeight", "classic"])
def test_a_picture_is_the_same_under_any_style(name, picture, expected, forgotten, silence):
    with style(name):
        assert PICTURES[picture]() == expected[picture]


@pytest.mark.parametrize("backend", ["svg", "pdf", "agg"])
def test_a_picture_is_the_same_under_any_backend(backend, expected, silence):
    before = matplotlib.get_backend()
    matplotlib.use(backend)
    try:
        assert {name: picture() for name, picture in PICTURES.items()} == expected
        assert plt.get_fignums() == []
    finally:
        matplotlib.use(before)


def test_a_move_on_the_map_says_nothing_of_missing_fonts(forgotten, silence):
    maps = {"varied_weights": tau_map(load_pair("stories"), ["Once upon a time"], steps=1)}
    first = map_view(maps)
    with matplotlib.rc_context(HOSTILE["a font that is not there"]):
        figure = chart_figure(5, 4.4)
        for _ in range(2):
            assert map_view(maps, figure=figure).png == first.png


def test_the_readers_settings_come_back():
    with matplotlib.rc_context({"font.size": 33, "text.usetex": True}):
        before = dict(dict.items(matplotlib.rcParams))
        for picture in PICTURES.values():
            picture()
        with pytest.raises(ZeroDivisionError), own_settings():
            assert matplotlib.rcParams["font.size"] == 10 and not matplotlib.rcParams["text.usetex"]
            raise ZeroDivisionError
        assert dict(dict.items(matplotlib.rcParams)) == before


def test_pictures_drawn_at_once_get_no_settings_of_each_other(expected):
    """Threads that draw different pictures, while the reader's own settings are hostile."""
    drawn, failed = {}, []

    def draw(name: str) -> None:
        try:
            drawn[name] = {PICTURES[name]() for _ in range(5)}
        except Exception as error:
            failed.append(error)

    with matplotlib.rc_context({"text.usetex": True, "font.size": 30}), warnings.catch_warnings():
        threads = [threading.Thread(target=draw, args=[name]) for name in PICTURES]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert matplotlib.rcParams["font.size"] == 30
    assert failed == [] and drawn == {name: {png} for name, png in expected.items()}


def test_the_readers_own_figures_keep_their_settings():
    with matplotlib.rc_context({"font.size": 31}):
        figure, ax = plt.subplots()
        draw_tree(TREE, ax=ax)
        assert ax.text(0, 0, "theirs").get_fontsize() == 31
        plt.close(figure)
