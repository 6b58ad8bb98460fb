"""One setting under its sliders: the candidate tree, layer fusion, a point on maps of τ."""

from math import isnan

import ipywidgets as widgets

from ..benchmark import TauMap
from ..growth import DEFAULT_SHAPE
from ..language import word
from ..pictures.charts import chart_figure
from ..pictures.views import check_maps, fusion_view, map_view, tree_view
from ..trials import LAYERS, tau_after
from .base import Panel, PromptPanel, layer_sliders, slider, split


class TreePanel(PromptPanel):
    """The panel of `tree_view`."""

    def settings(self) -> dict:
        return super().settings() | {
            "top_k": slider(widgets.IntSlider, "top_k", DEFAULT_SHAPE.top_k, 1, 10),
            "depth": slider(widgets.IntSlider, "depth", DEFAULT_SHAPE.depth, 1, 8),
            "budget": slider(widgets.IntSlider, "budget", DEFAULT_SHAPE.budget, 1, 60),
        }

    def look(self, setting):
        prompt, chosen = split(setting)
        return tree_view(self.pair, self.reading(prompt), figure=self.figure, **chosen, **self.own)

    def below(self, tau: str = "…") -> str:
        frame = "max-height:15em;overflow-y:auto;border:1px solid rgba(128,128,128,.35)"
        table = f"<div style='{frame}'>{self.view.table_html()}</div>"
        count = word("all_nodes", count=len(self.view.rows))
        return f"<p><b>τ {tau}</b>　{word('tau_note')}</p><p>{count}</p>{table}"

    def add_more(self, setting) -> None:
        prompt, chosen = split(setting)
        said = _said(tau_after(self.pair, prompt, **chosen, **self.own))
        if self.functions:  # what a wrong one costs is seen only beside the right one
            said += word("tau_beside", tau=_said(tau_after(self.pair, prompt, **chosen)))
        self.more.value = self.below(said)


class FusionPanel(PromptPanel):
    """The panel of `fusion_view`."""

    def look(self, setting):
        prompt, chosen = split(setting)
        return fusion_view(self.pair, self.reading(prompt), figure=self.figure, **chosen, **self.own)


class MapPanel(Panel):
    """The panel of `map_view`."""

    def __init__(self, maps: dict[str, TauMap]):
        check_maps(maps)
        self.maps, sliders = maps, layer_sliders()
        super().__init__(sliders, [widgets.VBox(list(sliders.values()))], chart_figure(5 * len(maps), 4.4, len(maps)))

    def look(self, setting):
        return map_view(self.maps, [setting[layer] for layer in LAYERS], figure=self.figure)


def _said(tau: float) -> str:
    return "–" if isnan(tau) else f"{tau:.2f}"
