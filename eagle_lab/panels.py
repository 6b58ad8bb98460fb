"""Panels to play with: ipywidgets around the pure functions of `views`, redrawing into one image."""

import base64
import html
import logging
from textwrap import shorten

import ipywidgets as widgets

from .drawing import fit_figure, new_figure
from .language import current_language, word
from .pairs import Pair
from .views import FUSION_CANDIDATES, LAYERS, fusion_view, read_prompt, tau_after, tree_view

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


class Panel(widgets.VBox):
    """A view under its controls: every move redraws, a setting that fails leaves the last good picture.

    `view` holds the latest view, `controls` the widgets by name.
    """

    def __init__(self, pair: Pair, prompts: list[str] | None, own: dict):
        self.pair, self.own, self.view, self._resetting = pair, own, None, False
        self._read = None, None  # a prompt and the generation that has read it
        self.figure = new_figure(FUSION_CANDIDATES)  # one for all moves: nothing piles up
        prompts = prompts or pair.prompts.get(current_language()) or [""]
        text = widgets.Textarea(prompts[0], rows=3, continuous_update=False, description=word("prompt"))
        self.controls = self.sliders() | {"prompt": text}
        self.defaults = {name: control.value for name, control in self.controls.items()}
        self.chooser = widgets.Dropdown(options=_choices(prompts), description=word("prompts"))
        self.reset = widgets.Button(description=word("reset"))
        self.image, self.status = widgets.Image(format="png"), widgets.HTML()
        self.numbers, self.more = widgets.HTML(), widgets.HTML()
        super().__init__(self._arrange())
        for control in self.controls.values():
            control.observe(self._on_change, names="value")
        self.chooser.observe(self._on_choice, names="value")
        self.reset.on_click(self._on_reset)
        self.redraw()

    def sliders(self) -> dict:
        """The controls besides the prompt, by name."""
        return {name: _slider(widgets.FloatSlider, name, 1.0, 0.0, 1.0, step=0.05) for name in LAYERS}

    def look(self, prompt, layer_weights: list[float], setting: dict):
        """The view of one setting."""
        raise NotImplementedError

    def add_more(self, prompt: str, layer_weights: list[float], setting: dict) -> None:
        """What may follow the picture a moment later."""

    def redraw(self) -> None:
        """Draw the present setting, or say in place why it cannot be drawn."""
        setting = {name: control.value for name, control in self.controls.items()}
        prompt, weights = setting.pop("prompt"), [setting.pop(layer) for layer in LAYERS]
        try:
            if self._read[0] != prompt:  # the target reads a prompt once, not at every move
                self._read = prompt, read_prompt(self.pair, prompt)
            self.view = self.look(self._read[1], weights, setting)
            self.image.value, self.numbers.value, self.status.value = self.view.png, self.view.to_html(), ""
            self.add_more(prompt, weights, setting)
        except Exception as error:  # whatever goes wrong, the reader is told here and nothing is lost
            _log.debug("%s: %s", type(self).__name__, setting, exc_info=True)
            sentence = word("wrong", error=str(error) or type(error).__name__)
            self.status.value = f"<span style='color:#c8102e'>⚠ {html.escape(sentence)}</span>"

    def __repr__(self) -> str:
        return repr(self.view)

    def _repr_mimebundle_(self, **kwargs):
        """The live panel, and for a page without a kernel its picture."""
        bundle = super()._repr_mimebundle_(**kwargs)
        return bundle | {"image/png": base64.b64encode(self.view.png).decode()} if self.view else bundle

    def _arrange(self) -> list:
        self.image.layout = widgets.Layout(width="auto", max_width="100%")
        for control in (self.chooser, self.controls["prompt"]):
            control.layout = widgets.Layout(width="min(640px, 98%)")
        others = [name for name in self.controls if name not in (*LAYERS, "prompt")]
        columns = [widgets.VBox([self.controls[name] for name in names]) for names in (LAYERS, others)]
        row = widgets.HBox(columns, layout=widgets.Layout(flex_flow="row wrap"))
        return [
            self.chooser,
            self.controls["prompt"],
            row,
            self.reset,
            self.status,
            self.image,
            self.numbers,
            self.more,
        ]

    def _on_change(self, _change) -> None:
        if not self._resetting:
            self.redraw()

    def _on_choice(self, change) -> None:
        self.controls["prompt"].value = change["new"]

    def _on_reset(self, _button) -> None:
        self._resetting = True
        self.chooser.value = self.defaults["prompt"]
        for name, value in self.defaults.items():
            self.controls[name].value = value
        self._resetting = False
        self.redraw()


class TreePanel(Panel):
    """The panel of `tree_view`."""

    def sliders(self) -> dict:
        return super().sliders() | {
            "top_k": _slider(widgets.IntSlider, "top_k", 4, 1, 10),
            "depth": _slider(widgets.IntSlider, "depth", 5, 1, 8),
            "budget": _slider(widgets.IntSlider, "budget", 16, 1, 60),
        }

    def look(self, prompt, layer_weights, setting):
        fit_figure(self.figure, setting["budget"])  # by the budget, so that other moves keep the picture's size
        return tree_view(self.pair, prompt, layer_weights=layer_weights, figure=self.figure, **setting, **self.own)

    def add_more(self, prompt, layer_weights, setting) -> None:
        tau = tau_after(self.pair, prompt, layer_weights=layer_weights, **setting, **self.own)
        table = f"<div style='max-height:15em;overflow-y:auto'>{self.view.table_html()}</div>"
        self.more.value = f"<p><b>τ {tau:.2f}</b>　{word('tau_note')}</p>{table}"


class FusionPanel(Panel):
    """The panel of `fusion_view`."""

    def look(self, prompt, layer_weights, setting):
        return fusion_view(self.pair, prompt, layer_weights=layer_weights, figure=self.figure, **self.own)


def _slider(kind, name: str, value, low, high, **more):
    return kind(value=value, min=low, max=high, description=word(name), style={"description_width": "6em"}, **more)


def _choices(prompts: list[str]) -> list[tuple[str, str]]:
    """Each prompt under its own beginning."""
    return [(shorten(prompt, width=60, placeholder="…") or "…", prompt) for prompt in prompts]
