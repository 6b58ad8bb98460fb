"""The candidate tree under its sliders."""

from math import isnan

import ipywidgets as widgets

from ..growth import DEFAULT_SHAPE
from ..language import word
from ..pictures.views import tree_view
from ..trials import tau_after
from .base import PromptPanel, slider, split


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


def _said(tau: float) -> str:
    return "–" if isnan(tau) else f"{tau:.2f}"
