"""The wing of panels: ipywidgets around the pure functions of the pictures, each redrawing into one image."""

from ..benchmark import TauMap
from ..pairs import Pair
from .players import RoundPlayer, WalkPanel
from .sliders import FusionPanel, MapPanel, TreePanel


def tree_panel(pair: Pair, prompts=None, *, normalize=None, fuse=None, score=None) -> TreePanel:
    """Layer weights, tree shape and prompt on top; the candidate tree, its numbers and its nodes below.

    `prompts`: openings to choose from, or one (default: the pair's own, in the language in use); text, or token ids
    where the pair has no tokenizer. `normalize`, `fuse`, `score`: a reader's versions of the course's three functions.
    """
    return TreePanel(pair, prompts, {"normalize": normalize, "fuse": fuse, "score": score})


def fusion_panel(pair: Pair, prompts=None, *, normalize=None, fuse=None) -> FusionPanel:
    """Layer weights and prompt on top; what each layer contributes and what the drafter then guesses below.

    `prompts`, `normalize` and `fuse` as in `tree_panel`.
    """
    return FusionPanel(pair, prompts, {"normalize": normalize, "fuse": fuse})


def map_panel(maps: dict[str, TauMap]) -> MapPanel:
    """Three layer weights as a point on maps of τ over the weight simplex; `maps`: title -> `tau_map`."""
    return MapPanel(maps)


def round_player(
    pair: Pair, prompts=None, *, layer_weights=None, top_k=None, depth=None, budget=None, mask=None, verify=None
) -> RoundPlayer:
    """Play a generation round by round: text and origins, tree, choices, and what the KV cache keeps.

    `prompts` as in `tree_panel`; the others as in `speculative_decode`.
    """
    shape = {"layer_weights": layer_weights, "top_k": top_k, "depth": depth, "budget": budget}
    return RoundPlayer(pair, prompts, shape | {"mask": mask, "verify": verify})


def walk_panel(pair: Pair, prompts=None, *, layer_weights=None, top_k=None, depth=None, budget=None) -> WalkPanel:
    """Step through the verification of one tree, node by node.

    `prompts` as in `tree_panel`; the others as in `speculative_decode`.
    """
    return WalkPanel(pair, prompts, {"layer_weights": layer_weights, "top_k": top_k, "depth": depth, "budget": budget})
