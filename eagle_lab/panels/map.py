"""A point on maps of τ, moved by the layer weights."""

import ipywidgets as widgets

from ..benchmark import TauMap
from ..pictures.charts import chart_figure
from ..pictures.views import check_maps, map_view
from ..trials import LAYERS
from .base import Panel, layer_sliders


class MapPanel(Panel):
    """The panel of `map_view`."""

    def __init__(self, maps: dict[str, TauMap]):
        check_maps(maps)
        self.maps = maps
        sliders = layer_sliders()
        top = [widgets.VBox(list(sliders.values()))]
        super().__init__(sliders, top, chart_figure(5 * len(maps), 4.4, len(maps)))

    def look(self, setting):
        return map_view(self.maps, [setting[layer] for layer in LAYERS], figure=self.figure)
