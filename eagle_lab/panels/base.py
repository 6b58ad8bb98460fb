"""What every panel does: redraw at each move, get sharp at rest, say in place what went wrong."""

import asyncio
import base64
import html
import logging
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from inspect import unwrap
from textwrap import shorten
from threading import RLock

import ipywidgets as widgets

from ..language import current_language, word
from ..pairs import Pair
from ..pictures.ink import ALARM, DPI, PAGE_DPI, PAPER, css_width, new_figure, to_png
from ..pictures.tables import plain
from ..trials import LAYERS, read_prompt, verdict_on

LIVE = "application/vnd.jupyter.widget-view+json"
WARNING = f"background:{ALARM};color:{PAPER};padding:2px 8px;border-radius:4px"  # readable on any page
PNG_URL = b"data:image/png;base64,"
PAUSES = 0.05, 0.2  # seconds of rest until a picture gets sharp, and until what takes longer is added
_log = logging.getLogger(__package__)


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
        super().__init__(controls | {"prompt": text}, top, new_figure(0))
        self.chooser.observe(self._on_choice, names="value")
        self.reset.on_click(self._on_reset)

    def told(self, error: Exception) -> str:
        """As for every panel; but what a learner's function broke is not the setting's fault."""
        functions = [unwrap(function) for function in self.own.values() if callable(function)]
        if not functions or isinstance(error, ValueError):
            return super().told(error)
        said = word("own_wrong", error=f"{type(error).__name__}: {error}")
        return said if all(map(verdict_on, functions)) else said + word("checks_first")

    def settings(self) -> dict:
        """The controls besides the prompt, by name."""
        return layer_sliders()

    def arrange(self, controls: dict) -> list:
        """These controls as they stand below the prompt."""
        others = [control for name, control in controls.items() if name not in LAYERS]
        return [row(widgets.VBox([controls[layer] for layer in LAYERS]), widgets.VBox(others))]

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


def split(setting: dict) -> tuple[str, dict]:
    """The prompt, and what else there is as `trials.drafting` takes it."""
    rest = dict(setting)
    return rest.pop("prompt"), {"layer_weights": [rest.pop(layer) for layer in LAYERS], **rest}


def layer_sliders() -> dict:
    """A slider for each layer's weight, by name."""
    return {name: slider(widgets.FloatSlider, name, 1.0, 0.0, 1.0, step=0.05) for name in LAYERS}


def slider(kind, name: str, value, low, high, **more):
    """A slider of some kind from low to high, described by the word of its name."""
    look = {"style": {"description_width": "6em"}, "layout": widgets.Layout(width="280px")}
    return kind(value=value, min=low, max=high, description=word(name), **look, **more)


def row(*controls) -> widgets.HBox:
    """Controls side by side, below each other where a page is narrow."""
    return widgets.HBox(controls, layout=widgets.Layout(flex_flow="row wrap"))


def _choices(prompts: list[str]) -> list[tuple[str, str]]:
    """Each prompt under its own beginning."""
    return [(shorten(prompt, width=60, placeholder="…") or "…", prompt) for prompt in prompts]
