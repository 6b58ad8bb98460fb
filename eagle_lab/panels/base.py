"""What every panel does: redraw at each move, get sharp at rest, say in place what went wrong."""

import asyncio
import base64
import html
import logging
import sys
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from textwrap import shorten
from threading import RLock

import ipywidgets as widgets

from ..guard import OwnError, name_of
from ..inputs import check_callable, check_kind
from ..language import current_language, speaking, word
from ..own import OwnAnswerError, undressed, verdict_on
from ..pairs import Pair
from ..pictures.ink import DPI, PAGE_DPI, WARNING, css_width, new_figure, to_png
from ..pictures.tables import plain
from ..tree import RisingScoreError
from ..trials import LAYERS, prompt_tokens, read_prompt

LIVE = "application/vnd.jupyter.widget-view+json"
PNG_URL = b"data:image/png;base64,"
FUNCTIONS = {"normalize", "fuse", "score", "mask", "verify"}  # what a reader may put in place of the library's
PAUSES = 0.05, 0.2  # seconds of rest until a picture gets sharp, and until what takes longer is added
_log = logging.getLogger(__package__)


class Panel(widgets.VBox):
    """A view under its controls: every move redraws, a setting that fails leaves the last good picture.

    While the hand moves, pictures have a page's own pixels; once it rests, they get sharp and the rest is added.
    `view` holds the latest view, `controls` the widgets whose values are the setting, by name. What went wrong
    is told in one sentence; its traceback goes to the log `eagle_lab.panels`, at level DEBUG. A panel keeps to the
    language in which it was made; `close` lets go of all that it is made of.
    """

    def __init__(self, controls: dict, top: list, figure):
        self.controls, self.view, self._busy, self.language = controls, None, False, current_language()
        self._drawn, self._unfinished = {}, []  # the setting of the view, and what its picture still needs
        self._moves = 0  # how often the hand has moved
        self.figure = figure  # one for all moves: nothing piles up
        self._lock = RLock()  # JupyterLab may send one move to the kernel's main thread and the next to another
        self.defaults = {name: control.value for name, control in controls.items()}
        room = widgets.Layout(width=f"{css_width(figure)}px", max_width="calc(100% - 4px)", display="none")
        self.image, self.status = widgets.Image(format="url", layout=room), widgets.HTML()
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
        with self._lock, speaking(self.language):
            setting = {name: control.value for name, control in self.controls.items()}
            with self._telling(setting):
                self.figure.dpi = PAGE_DPI
                self.view, self._drawn = self.look(setting), setting
                self._unfinished = [self._sharpen, self.add_more]
                self._show_picture()
                self.numbers.value = self.view.to_html()
                self.say("")
            self._moves += 1
            self._finish_at_rest()

    def finish(self) -> None:
        """Make the picture sharp and add what takes longer, now."""
        with self._lock:
            while self._unfinished:
                self._finish_next(self._moves)

    def _finish_at_rest(self) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # nobody is at the controls
            return self.finish()
        for pause in PAUSES:
            loop.call_later(pause, self._finish_next, self._moves)

    def _finish_next(self, move: int) -> None:
        with self._lock, speaking(self.language):
            if move == self._moves and self._unfinished:  # no other move has come
                with self._telling(self._drawn):
                    self._unfinished.pop(0)(self._drawn)

    def _sharpen(self, _setting: dict) -> None:
        self.figure.dpi = DPI
        self.view = replace(self.view, png=to_png(self.figure))
        self._show_picture()
        self.more.value = self.below()

    def _show_picture(self) -> None:
        # Its bytes as their own address: a page need not fetch them, which would take some 3 ms of every move.
        self.image.value = PNG_URL + base64.b64encode(self.view.png)
        self.image.layout.display = None  # from the first picture on

    @contextmanager
    def _telling(self, setting: dict):
        """Whatever goes wrong within, the reader is told in place and nothing is lost."""
        try:
            yield
        except KeyboardInterrupt:
            self.say(f"■ {word('stopped')}{word('kept') if self.view else ''}", WARNING)
        except Exception as error:
            if isinstance(error, OwnError) and isinstance(error.error, NotImplementedError):  # still to be written
                return self.say(f"○ {error.said}")
            _log.debug("%s: %s", type(self).__name__, setting, exc_info=True)
            self.say(f"⚠ {self.told(error)}{word('kept') if self.view else ''}", WARNING)

    def told(self, error: Exception) -> str:
        """What the reader is told of an error."""
        return word("wrong", error=str(error) or type(error).__name__)

    def say(self, sentence: str, style: str = "") -> None:
        """Tell the reader something above the picture; an empty sentence clears it."""
        self.message = sentence
        self.status.value = f"<span style='{style}'>{html.escape(sentence)}</span>" if sentence else ""

    def close(self) -> None:
        """Close the panel and all that it is made of."""
        if sys.is_finalizing():  # Python itself closes what is left, when half of it is gone
            return
        self._unfinished = []
        for part in _parts(self):
            widgets.Widget.close(part)

    def set_together(self, values: dict) -> None:
        """Change several controls at once, and redraw once."""
        with self.quietly():
            for name, value in values.items():
                self.controls[name].value = value
        self.redraw()

    @contextmanager
    def quietly(self):
        """Controls that change within are no moves of a hand."""
        before = self._busy
        try:
            self._busy = True
            yield
        finally:
            self._busy = before

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
    """A panel about one prompt, chosen from a list or typed; the target reads it once, not at every move.

    `own`: what the caller puts in place of the library's, by keyword; its functions are named above the picture, with
    what their check said.
    """

    def __init__(self, pair: Pair, prompts, own: dict):
        check_kind(pair, Pair, "pair")
        self.pair = pair
        self.reading = lru_cache(1)(self.read)  # of a prompt as it was read, anew where it has changed
        self.own = {name: value for name, value in own.items() if value is not None}
        for name in FUNCTIONS & self.own.keys():
            check_callable(self.own[name], name)
        prompts = _texts(pair, prompts)
        wide = widgets.Layout(width="min(640px, 98%)")
        beginnings = [(shorten(prompt, width=60, placeholder="…") or "…", prompt) for prompt in prompts]
        self.chooser = widgets.Dropdown(options=beginnings, description=word("prompts"), layout=wide)
        text = widgets.Textarea(prompts[0], rows=3, continuous_update=False, description=word("prompt"), layout=wide)
        self.reset = widgets.Button(description=word("reset"))
        controls = self.settings()
        self.badge = widgets.HTML()
        top = [self.chooser, text, *self.arrange(controls), self.reset, self.badge]
        super().__init__(controls | {"prompt": text}, top, new_figure(0))
        self.chooser.observe(self._on_choice, names="value")
        self.reset.on_click(self._on_reset)

    @property
    def functions(self) -> list:
        """The reader's own functions that this panel runs on."""
        return [undressed(function) for function in self.own.values() if callable(function)]

    def redraw(self) -> None:
        """As for every panel; and name the reader's functions, whose checks may have been run meanwhile."""
        if self.functions:
            with speaking(self.language):
                named = "　".join(_named(function) for function in self.functions)
                self.badge.value = f"<span>⚙ {word('own_functions')}{html.escape(named)}</span>"
        super().redraw()

    def told(self, error: Exception) -> str:
        """As for every panel; but what a reader's function broke is not the setting's fault."""
        if isinstance(error, RisingScoreError) and "score" in self.own:
            error = OwnAnswerError(self.own["score"], "own_rises", node=error.node)
        if not isinstance(error, OwnError):
            return super().told(error)
        said = word("own_failed", error=error)
        return said if all(map(verdict_on, self.functions)) else said + word("checks_first")

    def settings(self) -> dict:
        """The controls besides the prompt, by name; weights only where the drafter reads layers."""
        return layer_sliders() if self.pair.drafter.layers else {}

    def arrange(self, controls: dict) -> list:
        """These controls as they stand below the prompt."""
        others = [control for name, control in controls.items() if name not in LAYERS]
        weights = [controls[layer] for layer in LAYERS if layer in controls]
        return [row(widgets.VBox(weights), widgets.VBox(others))]

    def read(self, prompt: str):
        """What is made of a prompt once, whatever the other settings are."""
        return read_prompt(self.pair, prompt)

    def _on_choice(self, change) -> None:
        if change["new"] is not None:
            self.controls["prompt"].value = change["new"]

    def _on_change(self, change) -> None:
        if change["owner"] is self.controls["prompt"] and change["new"] != self.chooser.value:
            self.chooser.value = None  # the reader's own words are none of the list's
        super()._on_change(change)

    def _on_reset(self, _button) -> None:
        with self.quietly():
            self.chooser.value = self.defaults["prompt"]
        self.set_together(self.defaults)


def split(setting: dict) -> tuple[str, dict]:
    """The prompt, and what else there is as `trials.drafting` takes it."""
    rest = dict(setting)
    weights = [rest.pop(layer) for layer in LAYERS if layer in rest]
    return rest.pop("prompt"), rest | ({"layer_weights": weights} if weights else {})


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


def _parts(widget: widgets.Widget) -> list[widgets.Widget]:
    """A widget and all that it is made of: children, layouts, styles, links."""
    parts, waiting = {}, [widget]
    while waiting:
        part = waiting.pop()
        parts[id(part)] = part
        below = [*getattr(part, "children", ()), getattr(part, "layout", None), getattr(part, "style", None)]
        below += getattr(part, "links", [])
        waiting += [each for each in below if isinstance(each, widgets.Widget) and id(each) not in parts]
    return list(parts.values())


def _named(function) -> str:
    """A reader's function by its name, with what its check said."""
    verdict = {True: "own_passed", False: "own_not_passed", None: "own_unchecked"}[verdict_on(function)]
    return name_of(function) + word("aside", text=word(verdict))


def _texts(pair: Pair, prompts) -> list[str]:
    """Openings as a text box takes them: one or a list of them, each text or token ids; by default the pair's own."""
    if prompts is None or (isinstance(prompts, (list, tuple)) and not prompts):
        return pair.prompts.get(current_language()) or [""]
    if isinstance(prompts, str):
        return [prompts]
    if not isinstance(prompts, (list, tuple)):
        raise TypeError(f"prompts must be a list of openings, or one, not {type(prompts).__name__}")
    for place, prompt in enumerate(prompts):
        if not isinstance(prompt, str) and pair.tokenizer is not None:
            raise TypeError(f"prompts[{place}] must be text, not {type(prompt).__name__}")
    return [
        prompt if isinstance(prompt, str) else " ".join(map(str, prompt_tokens(pair, prompt))) for prompt in prompts
    ]
