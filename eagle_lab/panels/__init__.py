"""The wing of panels: ipywidgets around the pure functions of the pictures, each redrawing into one image.

Nothing outside this wing needs ipywidgets.
"""

from ..benchmark import TauMap
from ..pairs import Pair
from .fusion import FusionPanel
from .map import MapPanel
from .players import RoundPlayer, WalkPanel
from .tree import TreePanel


def tree_panel(pair: Pair, prompts: list[str] | None = None, **own) -> TreePanel:
    """Layer weights, tree shape and prompt on top; the candidate tree, its numbers and its nodes below.

    `prompts`: openings to choose from (default: the pair's own, in the language in use).
    `own`: `normalize`, `fuse`, `score`, a learner's versions of the course's three functions.
    """
    return TreePanel(pair, prompts, own)


def fusion_panel(pair: Pair, prompts: list[str] | None = None, **own) -> FusionPanel:
    """Layer weights and prompt on top; what each layer contributes and what the drafter then guesses below.

    `prompts` as in `tree_panel`; `own`: `normalize` and `fuse`.
    """
    return FusionPanel(pair, prompts, own)


def map_panel(maps: dict[str, TauMap]) -> MapPanel:
    """Three layer weights as a point on maps of τ over the weight simplex; `maps`: title -> `tau_map`."""
    return MapPanel(maps)


def round_player(pair: Pair, prompts: list[str] | None = None, **own) -> RoundPlayer:
    """Play a generation round by round: text and origins, tree, choices, and what the KV cache keeps.

    `prompts` as in `tree_panel`; `own`: settings of `speculative_decode`, also another `verify` or `mask`.
    """
    return RoundPlayer(pair, prompts, own)


def walk_panel(pair: Pair, prompts: list[str] | None = None, **own) -> WalkPanel:
    """Step through the verification of one tree, node by node.

    `prompts` as in `tree_panel`; `own`: `layer_weights`, `top_k`, `depth`, `budget`.
    """
    return WalkPanel(pair, prompts, own)
