"""Panels to play with: ipywidgets around pure functions, redrawing into one image."""

import base64
import html
import logging
from dataclasses import dataclass
from textwrap import shorten

import ipywidgets as widgets

from .decode import Generation, Round
from .drawing import display_token, draw_tree, new_figure, to_png
from .fusion import normalize_fusion_weights
from .language import current_language, word
from .pairs import Pair

MAX_PROMPT_TOKENS = 200
LAYERS = ("low", "mid", "high")
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TreeView:
    """One round of drafting and verifying after a prompt, drawn: the numbers and the picture.

    `weights`: the normalised layer weights; `png`: the picture; `accepted_path` and `best_path`: the
    accepted prefix and the way to the best-scoring leaf, as text; `next_token`: the target's own.
    """

    round: Round
    weights: list[float]
    accepted_path: str
    best_path: str
    next_token: str
    png: bytes

    def __repr__(self) -> str:
        accepted, tree = len(self.round.verdict.accepted), self.round.tree
        return f"candidate tree: {len(tree)} nodes, {len(tree.leaves)} leaves, {accepted} accepted"

    def _repr_png_(self) -> bytes:
        return self.png

    def to_html(self) -> str:
        """The numbers beside the picture, as a table in the language in use."""
        accepted, best = len(self.round.verdict.accepted), self.round.tree.best_leaf
        shares = "　".join(f"{word(layer)} {share:.2f}" for layer, share in zip(LAYERS, self.weights, strict=True))
        score = f"{self.round.tree.scores[best]:.2f}".replace("-", "−")
        at_best_leaf = accepted and self.round.verdict.accepted[-1] == best
        rows = [
            (word("weights"), html.escape(shares)),
            (word("accepted_count"), f"<b>{word('drafts', accepted=accepted, nodes=len(self.round.tree))}</b>"),
            (word("committed"), word("tokens", count=accepted + 1, accepted=accepted)),
            (word("best_path"), f"{html.escape(self.best_path)}　({word('score')} {score})"),
            (word("accepted_path"), html.escape(self.accepted_path)),
            (word("next"), html.escape(self.next_token)),
        ]
        cells = "".join(
            f"<tr><th style='text-align:left;padding-right:1.5em'>{k}</th><td>{v}</td></tr>" for k, v in rows
        )
        return f"<table>{cells}</table><p>{word('same' if at_best_leaf else 'differ')}</p>"


def tree_view(pair: Pair, prompt, *, layer_weights=(1, 1, 1), top_k=4, depth=5, budget=16, figure=None) -> TreeView:
    """Fuse, draft, verify and draw one round after `prompt`; nothing is committed.

    `prompt`: text, or a `Generation` that has read it. `figure`: one to draw into again (default: a
    new one). Raises `ValueError` for settings that `speculative_decode` refuses, and for a prompt of
    no tokens or more than 200.

    >>> from eagle_lab import load_pair
    >>> tree_view(load_pair("stories"), "Once upon a time", top_k=2, depth=2, budget=4).weights
    [0.3333333333333333, 0.3333333333333333, 0.3333333333333333]
    """
    generation = prompt if isinstance(prompt, Generation) else read_prompt(pair, prompt)
    if not any(layer_weights):
        raise ValueError(word("weights_zero"))
    weights = normalize_fusion_weights(layer_weights)
    round_ = generation.preview(layer_weights=weights, top_k=top_k, depth=depth, budget=budget)
    tree, verdict = round_.tree, round_.verdict
    figure = figure or new_figure(len(tree))
    root_label = display_token(pair.token_text(round_.root))
    draw_tree(tree, verdict, ax=figure.axes[0], labels=pair.token_text, root_label=root_label)

    def path_text(nodes) -> str:
        return " → ".join(display_token(pair.token_text(token)) for token in tree.tokens[list(nodes)].tolist())

    return TreeView(
        round_,
        weights,
        accepted_path=path_text(verdict.accepted) or word("none_accepted"),
        best_path=path_text(tree.path(tree.best_leaf)),
        next_token=display_token(pair.token_text(verdict.next_token)),
        png=to_png(figure),
    )


def read_prompt(pair: Pair, prompt: str) -> Generation:
    """Let the target read a prompt; `ValueError` where it has no tokens or more than 200."""
    tokens = pair.encode(prompt)
    if not prompt.strip():
        raise ValueError(word("prompt_empty"))
    if len(tokens) > MAX_PROMPT_TOKENS:
        raise ValueError(word("prompt_long", count=len(tokens), limit=MAX_PROMPT_TOKENS))
    return Generation(pair, tokens)


def tree_panel(pair: Pair, prompts: list[str] | None = None) -> "TreePanel":
    """A panel: layer weights, tree shape and prompt on top, the candidate tree and its numbers below.

    `prompts`: openings to choose from (default: the pair's own, in the language in use).
    """
    return TreePanel(pair, prompts or pair.prompts.get(current_language()) or [""])


class TreePanel(widgets.VBox):
    """`tree_view` under controls: every move redraws; a setting that fails leaves the last picture.

    `view` holds the latest `TreeView`; `controls` the widgets by name.
    """

    def __init__(self, pair: Pair, prompts: list[str]):
        self.pair, self.view, self._resetting = pair, None, False
        self._read = self._drawn = None, None  # the prompt that was read, the budget that was drawn
        self.controls = {name: _slider(widgets.FloatSlider, name, 1.0, 0.0, 1.0, step=0.05) for name in LAYERS} | {
            "top_k": _slider(widgets.IntSlider, "top_k", 4, 1, 10),
            "depth": _slider(widgets.IntSlider, "depth", 5, 1, 8),
            "budget": _slider(widgets.IntSlider, "budget", 16, 1, 60),
            "prompt": widgets.Textarea(prompts[0], rows=2, continuous_update=False, description=word("prompt")),
        }
        self.defaults = {name: control.value for name, control in self.controls.items()}
        self.chooser = widgets.Dropdown(options=_choices(prompts), description=word("prompts"))
        self.reset = widgets.Button(description=word("reset"))
        self.image, self.numbers, self.status = widgets.Image(format="png"), widgets.HTML(), widgets.HTML()
        super().__init__(self._arrange())
        for control in self.controls.values():
            control.observe(self._on_change, names="value")
        self.chooser.observe(self._on_choice, names="value")
        self.reset.on_click(self._on_reset)
        self.redraw()

    def redraw(self) -> None:
        """Draw the present setting, or say in place why it cannot be drawn."""
        setting = {name: control.value for name, control in self.controls.items()}
        try:
            prompt = setting.pop("prompt")
            if self._read[0] != prompt:  # the target reads a prompt once, not at every move
                self._read = prompt, read_prompt(self.pair, prompt)
            weights = [setting.pop(layer) for layer in LAYERS]
            figure = self._figure(setting["budget"])
            self.view = tree_view(self.pair, self._read[1], layer_weights=weights, figure=figure, **setting)
        except Exception as error:  # whatever goes wrong, the reader is told here and nothing is lost
            _log.debug("tree panel: %s", setting, exc_info=True)
            self.status.value = f"<span style='color:#c8102e'>⚠ {html.escape(word('wrong', error=error))}</span>"
            return
        self.image.value, self.numbers.value, self.status.value = self.view.png, self.view.to_html(), ""

    def __repr__(self) -> str:
        return repr(self.view)

    def _repr_mimebundle_(self, **kwargs):
        """The live panel, and for a page without a kernel its picture."""
        bundle = super()._repr_mimebundle_(**kwargs)
        return bundle | {"image/png": base64.b64encode(self.view.png).decode()} if self.view else bundle

    def _figure(self, budget: int):
        """One figure for each budget, so that moves at the same budget never change the picture's size."""
        if self._drawn[0] != budget:
            self._drawn = budget, new_figure(budget)
        return self._drawn[1]

    def _arrange(self) -> list:
        wide = widgets.Layout(width="auto", max_width="100%")
        self.image.layout = wide
        for control in (self.chooser, self.controls["prompt"]):
            control.layout = widgets.Layout(width="min(640px, 98%)")
        columns = [
            widgets.VBox([self.controls[name] for name in names]) for names in (LAYERS, ("top_k", "depth", "budget"))
        ]
        row = widgets.HBox(columns, layout=widgets.Layout(flex_flow="row wrap"))
        return [self.chooser, self.controls["prompt"], row, self.reset, self.status, self.image, self.numbers]

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


def _slider(kind, name: str, value, low, high, **more):
    return kind(value=value, min=low, max=high, description=word(name), style={"description_width": "6em"}, **more)


def _choices(prompts: list[str]) -> list[tuple[str, str]]:
    """Each prompt under its own beginning."""
    return [(shorten(prompt, width=60, placeholder="…") or "…", prompt) for prompt in prompts]
