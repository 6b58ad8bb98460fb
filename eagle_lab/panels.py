"""Panels to play with: ipywidgets around the pure functions of `views` and `rounds`, redrawing into one image."""

import asyncio
import base64
import html
import logging
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from textwrap import shorten
from threading import RLock

import ipywidgets as widgets

from .benchmark import TauMap
from .charts import chart_figure
from .drawing import DPI, PAGE_DPI, PAPER, RED, css_width, new_figure, to_png
from .language import current_language, word
from .pairs import Pair
from .rounds import record, round_view, walk_view
from .tables import plain
from .views import FUSION_CANDIDATES, LAYERS, fusion_view, map_view, read_prompt, tau_after, tree_view

LIVE = "application/vnd.jupyter.widget-view+json"
WARNING = f"background:{RED};color:{PAPER};padding:2px 8px;border-radius:4px"  # readable on any page
PNG_URL = b"data:image/png;base64,"
PAUSES = 0.05, 0.2  # seconds of rest until a picture gets sharp, and until what takes longer is added
_log = logging.getLogger(__name__)


def tree_panel(pair: Pair, prompts: list[str] | None = None, **own) -> "TreePanel":
    """Layer weights, tree shape and prompt on top; the candidate tree, its numbers and its nodes below.

    `prompts`: openings to choose from (default: the pair's own, in the language in use).
    `own`: `normalize`, `fuse`, `score`, a learner's versions of the course's three functions.
    """
    return TreePanel(pair, prompts, own)


def fusion_panel(pair: Pair, prompts: list[str] | None = None, **own) -> "FusionPanel":
    """Layer weights and prompt on top; what each layer contributes and what the drafter then guesses below.

    `prompts` as in `tree_panel`; `own`: `normalize` and `fuse`.
    """
    return FusionPanel(pair, prompts, own)


def map_panel(maps: dict[str, TauMap]) -> "MapPanel":
    """Three layer weights as a point on maps of τ over the weight simplex; `maps`: title -> `tau_map`."""
    return MapPanel(maps)


def round_player(pair: Pair, prompts: list[str] | None = None, **own) -> "RoundPlayer":
    """Play a generation round by round: text and origins, tree, choices, and what the KV cache keeps.

    `prompts` as in `tree_panel`; `own`: settings of `speculative_decode`, also another `verify` or `mask`.
    """
    return RoundPlayer(pair, prompts, own)


def walk_panel(pair: Pair, prompts: list[str] | None = None, **own) -> "WalkPanel":
    """Step through the verification of one tree, node by node.

    `prompts` as in `tree_panel`; `own`: `layer_weights`, `top_k`, `depth`, `budget`.
    """
    return WalkPanel(pair, prompts, own)


class Panel(widgets.VBox):
    """A view under its controls: every move redraws, a setting that fails leaves the last good picture.

    While the hand moves, pictures have a page's own pixels; once it rests, they get sharp and the rest is added.
    `view` holds the latest view, `controls` the widgets whose values are the setting, by name. What went wrong
    is told in one sentence; its traceback goes to the log `eagle_lab.panels`, at level DEBUG.
    """

    def __init__(self, controls: dict, top: list, figure):
        self.controls, self.view, self._busy = controls, None, False
        self._unfinished, self._moves = [], 0  # what the picture still needs; how often the hand has moved
        self.figure = figure  # one for all moves: nothing piles up
        self._lock = RLock()  # JupyterLab may send one move to the kernel's main thread and the next to another
        self.defaults = {name: control.value for name, control in controls.items()}
        self.image, self.status = widgets.Image(format="url"), widgets.HTML()
        width = f"{css_width(figure)}px"
        self.image.layout = widgets.Layout(width=width, max_width="calc(100% - 4px)", display="none")
        self.numbers, self.more = widgets.HTML(), widgets.HTML()
        super().__init__([*top, self.status, self.image, self.numbers, self.more])
        for control in controls.values():
            control.observe(self._on_change, names="value")
        self.redraw()
        self.finish()

    def look(self, setting: dict):
        """The view of one setting."""
        raise NotImplementedError

    def below(self) -> str:
        """What stands below the numbers, in HTML."""
        return ""

    def add_more(self, setting: dict) -> None:
        """Add what takes longer than a hand should wait."""

    def redraw(self) -> None:
        """Draw the present setting, or say in place why it cannot be drawn; finish it when the hand rests."""
        with self._lock:
            setting = {name: control.value for name, control in self.controls.items()}
            with self._telling(setting):
                self.figure.dpi = PAGE_DPI
                self.view = self.look(setting)
                self._unfinished = [self._sharpen, partial(self._add_more, setting)]
                self._show_picture()
                self.numbers.value = self.view.to_html()
                self.say("")
            self._moves += 1
            self._finish_at_rest()

    def finish(self) -> None:
        """Make the picture sharp and add what takes longer, now."""
        with self._lock:
            while self._unfinished:
                self._unfinished.pop(0)()

    def _finish_at_rest(self) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # nobody is at the controls
            return self.finish()
        for pause in PAUSES:
            loop.call_later(pause, self._finish_next, self._moves)

    def _finish_next(self, move: int) -> None:
        with self._lock:
            if move == self._moves and self._unfinished:  # no other move has come
                self._unfinished.pop(0)()

    def _sharpen(self) -> None:
        self.figure.dpi = DPI
        self.view = replace(self.view, png=to_png(self.figure))
        self._show_picture()
        self.more.value = self.below()

    def _show_picture(self) -> None:
        # Its bytes as their own address: a page need not fetch them, which would take some 3 ms of every move.
        self.image.value = PNG_URL + base64.b64encode(self.view.png)
        self.image.layout.display = None  # from the first picture on

    def _add_more(self, setting: dict) -> None:
        with self._telling(setting):
            self.add_more(setting)

    @contextmanager
    def _telling(self, setting: dict):
        """Whatever goes wrong within, the reader is told in place and nothing is lost."""
        try:
            yield
        except NotImplementedError as error:  # a learner's function that is still to be written
            self.say(f"○ {error}")
        except Exception as error:
            _log.debug("%s: %s", type(self).__name__, setting, exc_info=True)
            self.say(f"⚠ {self.told(error)}{word('kept') if self.view else ''}", WARNING)

    def told(self, error: Exception) -> str:
        """What the reader is told of an error."""
        return word("wrong", error=str(error) or type(error).__name__)

    def say(self, sentence: str, style: str = "") -> None:
        """Tell the reader something above the picture; an empty sentence clears it."""
        self.message = sentence
        self.status.value = f"<span style='{style}'>{html.escape(sentence)}</span>" if sentence else ""

    def set_together(self, values: dict) -> None:
        """Change several controls at once, and redraw once."""
        self._busy = True
        try:
            for name, value in values.items():
                self.controls[name].value = value
        finally:
            self._busy = False
        self.redraw()

    @property
    def text(self) -> str:
        """The numbers below the picture as plain text."""
        return plain(self.numbers.value)

    def __repr__(self) -> str:
        return repr(self.view) if self.view else self.message

    _ipython_display_ = None  # ipywidgets 7 would show the live panel alone; what follows serves 7 and 8

    def _repr_mimebundle_(self, **kwargs):
        """The live panel, and for a page without a kernel its picture."""
        self.finish()
        bundle = {"text/plain": repr(self)}
        if self.comm:  # a closed panel has none
            bundle[LIVE] = {"version_major": 2, "version_minor": 0, "model_id": self.model_id}
        if not self.view:
            return bundle
        picture = base64.b64encode(self.view.png).decode()
        return bundle | {"image/png": picture}, {"image/png": self.view.metadata()}

    def _on_change(self, _change) -> None:
        if not self._busy:
            self.redraw()


class PromptPanel(Panel):
    """A panel about one prompt, chosen from a list or typed; the target reads it once, not at every move."""

    def __init__(self, pair: Pair, prompts: list[str] | None, own: dict):
        self.pair, self.own, self._read = pair, own, (None, None)
        prompts = prompts or pair.prompts.get(current_language()) or [""]
        wide = widgets.Layout(width="min(640px, 98%)")
        self.chooser = widgets.Dropdown(options=_choices(prompts), description=word("prompts"), layout=wide)
        text = widgets.Textarea(prompts[0], rows=3, continuous_update=False, description=word("prompt"), layout=wide)
        self.reset = widgets.Button(description=word("reset"))
        controls = self.settings()
        top = [self.chooser, text, *self.arrange(controls), self.reset]
        super().__init__(controls | {"prompt": text}, top, new_figure(FUSION_CANDIDATES))
        self.chooser.observe(self._on_choice, names="value")
        self.reset.on_click(self._on_reset)

    def told(self, error: Exception) -> str:
        """As for every panel; but what a learner's function broke is not the setting's fault."""
        if self.own and not isinstance(error, ValueError):
            return word("own_wrong", error=f"{type(error).__name__}: {error}")
        return super().told(error)

    def settings(self) -> dict:
        """The controls besides the prompt, by name."""
        return _layer_sliders()

    def arrange(self, controls: dict) -> list:
        """These controls as they stand below the prompt."""
        others = [control for name, control in controls.items() if name not in LAYERS]
        return [_row(widgets.VBox([controls[layer] for layer in LAYERS]), widgets.VBox(others))]

    def read(self, prompt: str):
        """What is made of a prompt once, whatever the other settings are."""
        return read_prompt(self.pair, prompt)

    def reading(self, prompt: str):
        """The prompt as it was read, anew where it has changed."""
        if self._read[0] != prompt:
            self._read = prompt, self.read(prompt)
        return self._read[1]

    def _on_choice(self, change) -> None:
        if change["new"] is not None:
            self.controls["prompt"].value = change["new"]

    def _on_change(self, change) -> None:
        if change["owner"] is self.controls["prompt"] and change["new"] != self.chooser.value:
            self.chooser.value = None  # the reader's own words are none of the list's
        super()._on_change(change)

    def _on_reset(self, _button) -> None:
        self._busy = True
        self.chooser.value = self.defaults["prompt"]
        self.set_together(self.defaults)


class TreePanel(PromptPanel):
    """The panel of `tree_view`."""

    def settings(self) -> dict:
        return _layer_sliders() | {
            "top_k": _slider(widgets.IntSlider, "top_k", 4, 1, 10),
            "depth": _slider(widgets.IntSlider, "depth", 5, 1, 8),
            "budget": _slider(widgets.IntSlider, "budget", 16, 1, 60),
        }

    def look(self, setting):
        prompt, weights, shape = _split(setting)
        reading = self.reading(prompt)
        return tree_view(self.pair, reading, layer_weights=weights, figure=self.figure, **shape, **self.own)

    def below(self, tau: str = "…") -> str:
        frame = "max-height:15em;overflow-y:auto;border:1px solid rgba(128,128,128,.35)"
        table = f"<div style='{frame}'>{self.view.table_html()}</div>"
        count = word("all_nodes", count=len(self.view.rows))
        return f"<p><b>τ {tau}</b>　{word('tau_note')}</p><p>{count}</p>{table}"

    def add_more(self, setting) -> None:
        prompt, weights, shape = _split(setting)
        self.more.value = self.below(f"{tau_after(self.pair, prompt, layer_weights=weights, **shape, **self.own):.2f}")


class FusionPanel(PromptPanel):
    """The panel of `fusion_view`."""

    def look(self, setting):
        prompt, weights, _ = _split(setting)
        return fusion_view(self.pair, self.reading(prompt), layer_weights=weights, figure=self.figure, **self.own)


class MapPanel(Panel):
    """The panel of `map_view`."""

    def __init__(self, maps: dict[str, TauMap]):
        self.maps = maps
        sliders = _layer_sliders()
        top = [widgets.VBox(list(sliders.values()))]
        super().__init__(sliders, top, chart_figure(5 * len(maps), 4.4, len(maps)))

    def look(self, setting):
        return map_view(self.maps, [setting[layer] for layer in LAYERS], figure=self.figure)


class Player(PromptPanel):
    """A panel that plays frames: a slider over them, steps back and forth, and a button that plays."""

    frame = ""  # the word for one of the frames, and the name of its slider; frames count from 1

    def settings(self) -> dict:
        self.play = widgets.Play(min=1, value=1, interval=1500, description=word(self.frame))
        slider = _slider(widgets.IntSlider, self.frame, 1, 1, 2)
        slider.style.description_width, slider.layout.width = "4em", "230px"
        widgets.jslink((self.play, "value"), (slider, "value"))
        return {self.frame: slider}

    def arrange(self, controls: dict) -> list:
        narrow = widgets.Layout(width="6em")
        self.steps = [widgets.Button(description=word(key), layout=narrow) for key in ("back", "forth")]
        for button, by in zip(self.steps, (-1, 1), strict=True):
            button.on_click(lambda _, by=by: self._move(by))
        return [_row(self.play, controls[self.frame], widgets.HBox(self.steps))]

    def frames(self, reading) -> int:
        """How many frames a prompt has."""
        raise NotImplementedError

    def reading(self, prompt: str):
        known, reading = self._read[0], super().reading(prompt)
        if known != prompt:  # another prompt plays from its own beginning
            last, busy, self._busy = self.frames(reading), self._busy, True
            self.controls[self.frame].value = 1
            self.controls[self.frame].max = self.play.max = last
            for control in (self.controls[self.frame], self.play, *self.steps):
                control.disabled = last == 1  # one frame alone cannot be played
            self._busy = busy
        return reading

    def _move(self, by: int) -> None:
        slider = self.controls[self.frame]
        slider.value = min(max(slider.value + by, slider.min), slider.max)


class RoundPlayer(Player):
    """The panel of `round_view`."""

    frame = "round"

    def read(self, prompt: str):
        return record(self.pair, prompt, **self.own)

    def frames(self, reading) -> int:
        return len(reading.decoding.rounds)

    def look(self, setting):
        recording = self.reading(setting["prompt"])
        return round_view(recording, self.controls["round"].value, figure=self.figure)


class WalkPanel(Player):
    """The panel of `walk_view`."""

    frame = "step"

    def frames(self, reading) -> int:
        return walk_view(self.pair, reading, **self.own).steps

    def look(self, setting):
        reading = self.reading(setting["prompt"])
        return walk_view(self.pair, reading, self.controls["step"].value, figure=self.figure, **self.own)


def _split(setting: dict) -> tuple[str, list[float], dict]:
    """The prompt, the layer weights and what else there is."""
    rest = dict(setting)
    return rest.pop("prompt"), [rest.pop(layer) for layer in LAYERS], rest


def _layer_sliders() -> dict:
    return {name: _slider(widgets.FloatSlider, name, 1.0, 0.0, 1.0, step=0.05) for name in LAYERS}


def _slider(kind, name: str, value, low, high, **more):
    look = {"style": {"description_width": "6em"}, "layout": widgets.Layout(width="280px")}
    return kind(value=value, min=low, max=high, description=word(name), **look, **more)


def _row(*controls) -> widgets.HBox:
    return widgets.HBox(controls, layout=widgets.Layout(flex_flow="row wrap"))


def _choices(prompts: list[str]) -> list[tuple[str, str]]:
    """Each prompt under its own beginning."""
    return [(shorten(prompt, width=60, placeholder="…") or "…", prompt) for prompt in prompts]
