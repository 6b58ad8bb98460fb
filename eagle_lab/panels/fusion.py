"""Layer fusion under its sliders."""

from ..pictures.views import fusion_view
from .base import PromptPanel, split


class FusionPanel(PromptPanel):
    """The panel of `fusion_view`."""

    def look(self, setting):
        prompt, chosen = split(setting)
        return fusion_view(self.pair, self.reading(prompt), figure=self.figure, **chosen, **self.own)
