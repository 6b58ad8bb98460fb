"""What a panel shows for one setting, as pure functions: a picture and its numbers, no widgets."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..benchmark import TauMap, mean_tau
from ..decode import Round
from ..fusion import fusion_shares, normalize_fusion_weights
from ..growth import DEFAULT_SHAPE
from ..inputs import check_kind, shown
from ..language import WORDS, word
from ..own import shares_by
from ..pairs import Pair
from ..tree import ROOT, CandidateTree
from ..trials import LAYERS, drafting, read_prompt, read_weights
from .charts import chart_figure, draw_fusion, draw_simplex
from .graphs import NEXT
from .ink import Picture, check_figure, new_figure, to_png
from .tables import facts, percent, signed, table
from .trees import describe, draw_round, ending, token_label

FUSION_CANDIDATES = 8
SIDE_BY_SIDE = 6  # maps in one figure


@dataclass(frozen=True)
class TreeView(Picture):
    """One round of drafting and verifying after a prompt: its picture and its numbers.

    `weights`: the layer weights as they were normalised (None where the drafter reads none); `accepted_path`,
    `best_path`, `next_token`: the accepted prefix, the way to the best-scoring leaf and the target's own token, as
    text; `rows`: the node table.
    """

    round: Round
    weights: list[float] | None
    accepted_path: str
    best_path: str
    next_token: str
    rows: list[tuple]  # index, parent, token, edge, score, state

    def __repr__(self) -> str:
        leaves = len(self.round.tree.leaves) if self.round.tree else 0
        return f"candidate tree: {self.round.nodes} nodes, {leaves} leaves, {len(self.round.verdict.accepted)} accepted"

    def to_html(self) -> str:
        """The numbers beside the picture, in the language in use."""
        round_, tree, accepted = self.round, self.round.tree, len(self.round.verdict.accepted)
        if tree is None:
            score, lesson = "", "plain_pass"
        else:
            score = word("aside", text=f"{word('score')} {signed(tree.scores[tree.best_leaf])}")
            lesson = "same" if round_.verdict.accepted[-1:] == (tree.best_leaf,) else "differ"
        rows = [
            *([(word("weights"), _shares_text(self.weights))] if self.weights else []),
            (word("accepted_count"), word("drafts", accepted=accepted, nodes=round_.nodes)),
            (word("best_path"), self.best_path + score),
            (word("accepted"), self.accepted_path),
            (word(ending(round_)), self.next_token),
            (word("committed"), word("tokens", count=accepted + 1, accepted=accepted)),
        ]
        return facts(rows) + f"<p>{word(lesson)}</p>" + _not_normalised(self.weights)

    def table_html(self) -> str:
        """Every node: index, parent, token, edge, cumulative score and state."""
        heads = [word(key) for key in ("node", "parent", "token", "edge", "score", "state")]
        rows = [
            (node, "−1" if parent == ROOT else parent, token, signed(edge), signed(score), word(state))
            for node, parent, token, edge, score, state in self.rows
        ]
        return table(heads, rows)


@dataclass(frozen=True)
class FusionView(Picture):
    """One fusion of the target's layer features at the end of a prompt: its picture and its numbers.

    `raw_scales`, `projected_scales`: root mean squares of each layer's feature before and after its
    block of fc; `shares`: what each layer accounts for in the fused feature (None where a reader's own `fuse` is no
    weighted sum of the layers); `candidates`: the drafter's likeliest tokens after the `root` with their
    probabilities; `target_choice`: the target's.
    """

    weights: list[float]
    taps: tuple[int, ...]
    raw_scales: list[float]
    projected_scales: list[float]
    shares: list[float] | None
    root: str
    candidates: list[tuple[str, float]]
    target_choice: str
    rank: int | None  # of the target's choice among the candidates, from 1

    def __repr__(self) -> str:
        shares = ", ".join(f"{share:.2f}" for share in self.shares or []) or "none"
        return f"fusion: shares {shares}; target's choice at rank {self.rank}"

    def to_html(self) -> str:
        """The numbers beside the picture, in the language in use."""
        shares = self.shares or [None] * len(self.weights)
        columns = LAYERS, self.taps, self.weights, self.raw_scales, self.projected_scales, shares
        heads = [word(key) for key in ("layer", "tap", "weight", "raw_scale", "projected_scale", "share")]
        rows = [
            (word(layer), word("tap_at", tap=tap), f"{weight:.2f}", f"{raw:.2f}", f"{scale:.2f}", percent(share))
            for layer, tap, weight, raw, scale, share in zip(*columns, strict=True)
        ]
        if self.rank is None:
            verdict = word("draft_missing", count=len(self.candidates))
        else:
            verdict = word("draft_rank", rank=self.rank, probability=percent(self.candidates[self.rank - 1][1]))
        choice = self.target_choice + word("aside", text=verdict)
        no_sum = f"<p>⚠ {word('no_weighted_sum')}</p>" if self.shares is None else ""
        numbers = facts([(word("root_token"), self.root), (word("target_choice"), choice)])
        return table(heads, rows) + numbers + _not_normalised(self.weights) + no_sum


@dataclass(frozen=True)
class MapView(Picture):
    """Maps of τ over the weight simplex with one weighting marked; `taus`: the τ measured there, by map."""

    weights: list[float]
    taus: dict[str, float]

    def __repr__(self) -> str:
        weights = ", ".join(f"{weight:.2f}" for weight in self.weights)
        return f"τ at ({weights}): " + "; ".join(f"{name} {tau:.2f}" for name, tau in self.taus.items())

    def to_html(self) -> str:
        """The weights, and τ there."""
        rows = [(word("your_tau") + word("aside", text=name), f"{tau:.2f}") for name, tau in self.taus.items()]
        return facts([(word("weights"), _shares_text(self.weights)), *rows])


def tree_view(
    pair: Pair,
    prompt,
    *,
    layer_weights=(1, 1, 1),
    top_k=DEFAULT_SHAPE.top_k,
    depth=DEFAULT_SHAPE.depth,
    budget=DEFAULT_SHAPE.budget,
    normalize=normalize_fusion_weights,
    fuse=None,
    score=None,
    figure=None,
) -> TreeView:
    """Fuse, draft, verify and draw one round after `prompt`; nothing is committed.

    `prompt`: text, or a `Generation` that has read it. `normalize`, `fuse`, `score`: a learner's own
    versions of the course's three functions. `figure`: one to draw into again (default: a new one).
    Raises `ValueError` for settings that `speculative_decode` refuses and for a prompt without tokens
    or with more than 200.

    >>> from eagle_lab import load_pair
    >>> tree_view(load_pair("stories"), "Once upon a time", layer_weights=(1, 2, 1), top_k=2, depth=2, budget=4).weights
    [0.25, 0.5, 0.25]
    """
    own = {"normalize": normalize, "fuse": fuse, "score": score}
    reading = drafting(pair, layer_weights, top_k=top_k, depth=depth, budget=budget, **own)
    round_ = read_prompt(pair, prompt).preview(**reading.settings)
    tree, verdict = round_.tree, round_.verdict
    graph, figure = draw_round(pair, round_, verdict, figure)

    def path_text(nodes) -> str:
        return " → ".join(graph.nodes[node]["label"] for node in nodes)

    return TreeView(
        round=round_,
        weights=reading.weights,
        accepted_path=path_text(verdict.accepted) or word("none_accepted"),
        best_path=path_text(tree.path(tree.best_leaf)) if tree else word("no_draft"),
        next_token=graph.nodes[NEXT]["label"],
        rows=_node_rows(tree, graph) if tree else [],
        figure=figure,
        png=to_png(figure),
        alt=describe(graph),
    )


def fusion_view(
    pair: Pair, prompt, *, layer_weights=(1, 1, 1), normalize=normalize_fusion_weights, fuse=None, figure=None
) -> FusionView:
    """Fuse the three layers' features at the end of `prompt`, and ask the drafter for its next token.

    Arguments and errors as in `tree_view`.

    >>> from eagle_lab import load_pair
    >>> view = fusion_view(load_pair("stories"), "Once upon a time", layer_weights=(0, 1, 0))
    >>> view.weights, [round(share, 6) for share in view.shares], len(view.candidates)
    ([0.0, 1.0, 0.0], [0.0, 1.0, 0.0], 8)
    """
    check_kind(pair, Pair, "pair")
    if pair.drafter.layers != len(LAYERS):
        kind, count = type(pair.drafter).__name__, pair.drafter.layers or "no"
        raise ValueError(f"pair: {kind} reads {count} layer features, and this picture is of {len(LAYERS)}")
    one_level = {"top_k": FUSION_CANDIDATES, "depth": 1, "budget": FUSION_CANDIDATES}
    weights, own, settings = drafting(pair, layer_weights, normalize=normalize, fuse=fuse, **one_level)
    reader = read_prompt(pair, prompt)
    features = reader.features[:, -1]  # [layers, Ht]
    projected = pair.drafter.project(reader.features[:, -1:])[:, 0]  # [layers, H]
    round_ = reader.preview(**settings)
    shares = shares_by(own, projected, weights) if own else fusion_shares(projected, weights)
    accepted = round_.verdict.accepted
    names = [token_label(pair, token) for token in round_.tree.tokens]
    candidates = list(zip(names, np.exp(round_.tree.log_scores).tolist(), strict=True))
    figure = new_figure(FUSION_CANDIDATES) if figure is None else check_figure(figure)
    draw_fusion(weights, shares, candidates, accepted, ax=figure.axes[0])
    return FusionView(
        weights=weights,
        taps=pair.target.taps,
        raw_scales=_rms(features),
        projected_scales=_rms(projected),
        shares=shares,
        root=token_label(pair, round_.root),
        candidates=candidates,
        target_choice=token_label(pair, round_.tokens[0]),
        rank=accepted[0] + 1 if accepted else None,
        figure=figure,
        png=to_png(figure),
    )


def map_view(maps: dict[str, TauMap], layer_weights=(1, 1, 1), *, figure=None) -> MapView:
    """Draw maps side by side on one scale, mark `layer_weights` on each and measure τ right there.

    `maps`: title, or the key of a `language.word` -> `benchmark.tau_map`; `figure`: one to draw into
    again, with an axes for each map. Raises `TypeError` and `ValueError` that name the argument and the map.

    >>> from eagle_lab import load_pair
    >>> from eagle_lab.benchmark import tau_map
    >>> view = map_view({"stories": tau_map(load_pair("stories"), ["Once upon a time"], steps=1)}, (1, 1, 2))
    >>> view.weights, list(view.taus)
    ([0.25, 0.25, 0.5], ['stories'])
    """
    check_maps(maps)
    weights = read_weights(layer_weights)
    titles = [str(WORDS.get(name, name)) for name in maps]
    taus = [mean_tau(tau_map.pair, tau_map.texts, layer_weights) for tau_map in maps.values()]
    everywhere = [tau for tau_map in maps.values() for tau in tau_map.taus.values()]
    limits = min(everywhere), max(everywhere)
    figure = chart_figure(5 * len(maps), 4.4, len(maps)) if figure is None else check_figure(figure, len(maps))
    for ax, title, tau_map in zip(figure.axes, titles, maps.values(), strict=True):
        draw_simplex(tau_map.taus, ax=ax, point=weights, title=title, limits=limits)
    return MapView(weights, dict(zip(titles, taus, strict=True)), figure=figure, png=to_png(figure))


def check_maps(maps) -> None:
    """Maps of τ by title, so few that they can stand side by side."""
    check_kind(maps, Mapping, "maps")
    if not 1 <= len(maps) <= SIDE_BY_SIDE:
        raise ValueError(f"maps has {len(maps)} maps: give 1 to {SIDE_BY_SIDE}")
    for name, tau_map in maps.items():
        check_kind(tau_map, TauMap, f"maps[{shown(name)}]")


def _shares_text(weights: list[float]) -> str:
    return "　".join(f"{word(layer)} {share:.2f}" for layer, share in zip(LAYERS, weights, strict=True))


def _not_normalised(weights: list[float] | None) -> str:
    """The warning that a reader's own weights do not add up to 1, or are not all shares of something."""
    if not weights or (min(weights) >= 0 and abs(sum(weights) - 1) < 1e-6):
        return ""
    return f"<p>⚠ {word('not_normalised', weights=_shares_text(weights), total=sum(weights))}</p>"


def _node_rows(tree: CandidateTree, graph) -> list[tuple]:
    """Index, parent, token, edge, score and state of every node."""
    edges = enumerate(zip(tree.parents.tolist(), tree.log_scores.tolist(), strict=True))
    rows = [(node, parent, edge, graph.nodes[node]) for node, (parent, edge) in edges]
    return [(node, parent, data["label"], edge, data["score"], data["state"]) for node, parent, edge, data in rows]


def _rms(rows: np.ndarray) -> list[float]:
    return np.sqrt(np.mean(rows**2, axis=-1)).tolist()
