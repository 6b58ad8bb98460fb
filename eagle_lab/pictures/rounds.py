"""A generation round by round, and one verification step by step, as pure functions: pictures and numbers."""

import html
from dataclasses import dataclass
from functools import partial

from ..decode import Round, tau
from ..inputs import check_count, check_index, check_kind
from ..language import word
from ..pairs import Pair
from ..tree import ROOT
from ..trials import Recording, bracketed, first_round, origins, written
from ..verification import Verdict
from .graphs import NEXT
from .ink import ACCEPTED, ALARM, WARNING, Picture, tint, to_png
from .tables import facts
from .trees import describe, draw_round, ending, token_label


@dataclass(frozen=True)
class RoundView(Picture):
    """One round of a recording; `number` counts from 1."""

    recording: Recording
    number: int

    @property
    def round(self) -> Round:
        """The round itself."""
        return self.recording.decoding.rounds[self.number - 1]

    def __repr__(self) -> str:
        round_, accepted = self.round, len(self.round.verdict.accepted)
        rows = f"cache {round_.start} -> {round_.start + 1 + accepted} rows"
        count = len(self.recording.decoding.rounds)
        return f"round {self.number} of {count}: {round_.nodes} nodes, {accepted} accepted, {rows}"

    def to_html(self) -> str:
        """The text so far with its origins, and what this round kept and dropped, in the language in use."""
        recording, round_, nodes = self.recording, self.round, self.round.nodes
        rounds = recording.decoding.rounds[: self.number]
        strayed = [place for place in recording.strayed if place < recording.end_of(self.number)]
        start, kept = round_.start, 1 + len(round_.verdict.accepted)
        name = partial(token_label, recording.pair)
        refused = "　".join(name(round_.tree.tokens[node]) for node in round_.verdict.rejected)
        count, so_far = len(written(recording, self.number)), tau([len(r.tokens) for r in rounds])
        rows = {"before": start, "kept": kept, "dropped": 1 + nodes - kept, "after": start + kept}
        numbers = [
            (word("round"), word("round_of", number=self.number, count=len(recording.decoding.rounds))),
            (word("choices"), _choices(recording, self.number, name)),
            (word("refused"), refused or word("none_refused" if nodes else "no_draft")),
            (word("cache"), word("cache_rows", nodes=nodes, computed=1 + nodes, **rows)),
            (word("progress"), word("progress_of", passes=1 + len(rounds), written=count)),
            (word("tau_so_far"), word("no_tau") if strayed else word("tau_so_far_is", tau=so_far)),
        ]
        marks = word("marks") + (word("aside", text=f"✗〔〕 = {word('strayed')}") if strayed else "")
        head = f"<p style='margin:4px 0'><b>{word('written_text')}</b>　{marks}</p>"
        left = _stray_html(recording, strayed[0], name) if strayed else ""
        return head + origin_html(recording, self.number) + left + facts(numbers)


@dataclass(frozen=True)
class WalkView(Picture):
    """Verification of one tree up to a `step`, counted from 1; the walk has `steps` of them."""

    round: Round
    step: int
    steps: int
    sentences: list[str]

    def __repr__(self) -> str:
        return f"verification: step {self.step} of {self.steps}"

    def to_html(self) -> str:
        """What was asked and answered at every step so far."""
        *before, last = map(html.escape, self.sentences)
        return "<p>" + "<br>".join([*before, f"<b>{last}</b>"]) + "</p>"


def round_view(recording: Recording, number: int, *, figure=None) -> RoundView:
    """Draw round `number`, counted from 1, of a recording; `figure`: one to draw into again.

    Raises `TypeError` and `ValueError` for a round that the recording has not.

    >>> from eagle_lab import load_pair, record
    >>> round_view(record(load_pair("stories"), "Once upon a time", 8, top_k=2, depth=2, budget=3), 1).round.start
    6
    """
    check_kind(recording, Recording, "recording")
    rounds = recording.decoding.rounds
    if not rounds:
        raise ValueError(word("no_rounds"))
    number = check_index(number, "number", 1, len(rounds), "the recording has rounds")
    round_ = rounds[number - 1]
    marks = enumerate([*round_.verdict.accepted, NEXT], recording.end_of(number - 1))
    strayed = [mark for place, mark in marks if place in recording.strayed]
    graph, figure = draw_round(recording.pair, round_, round_.verdict, figure, strayed)
    return RoundView(recording, number, figure=figure, png=to_png(figure), alt=describe(graph))


def walk_view(pair: Pair, prompt, step: int = 1, *, figure=None, **setting) -> WalkView:
    """Verify one tree up to `step`: at each, the target's choice after a node is looked for among its children.

    `prompt`: text, a `Generation` that has read it, or a `Round` to walk through, whose verdict is taken for the
    target's (then `setting` says nothing); `setting`: `top_k`, `depth`, `budget`, `layer_weights`. Steps count from 1;
    one beyond the last shows the last.

    >>> from eagle_lab import load_pair
    >>> view = walk_view(load_pair("stories"), "Once upon a time", 99)
    >>> view.step == view.steps == 1 + len(view.round.verdict.accepted)
    True
    """
    check_kind(pair, Pair, "pair")
    check_count(step, "step")
    round_ = prompt if isinstance(prompt, Round) else first_round(pair, prompt, **setting)
    verdict, steps = round_.verdict, len(round_.tokens)  # the target is asked once for each
    step = min(step, steps)
    so_far = verdict if step == steps else Verdict(verdict.accepted[:step], (), None)
    sentences = [_step_sentence(round_, partial(token_label, pair), number) for number in range(1, step + 1)]
    graph, figure = draw_round(pair, round_, so_far, figure)
    return WalkView(round_, step, steps, sentences, figure=figure, png=to_png(figure), alt=describe(graph))


def origin_html(recording: Recording, rounds: int | None = None) -> str:
    """The prompt and its continuation: accepted drafts in brackets, underlined and on green; on red what strayed."""
    styles = {
        "prompt": "opacity:.6",
        "draft": f"background:{tint(ACCEPTED, '.18')};border-bottom:2px solid {ACCEPTED}",
        "target": "font-weight:600",
        "strayed": f"background:{tint(ALARM, '.18')};border-bottom:2px dashed {ALARM}",
    }
    spans = []
    for origin, run in origins(recording, rounds):
        text = html.escape(recording.pair.text(run)).replace("\n", "⏎<br>")
        spans.append(f"<span style='{styles[origin]}'>{bracketed(origin, text)}</span>")
    return f"<p style='margin:4px 0;line-height:1.8'>{''.join(spans)}</p>"


def _choices(recording: Recording, number: int, name) -> str:
    """The target's choice at each place of a round by its own logits, whoever verified: ✓ where it was written.

    Behind the last stands what it is: a correction, a bonus, the target's own.
    """
    round_, end = recording.decoding.rounds[number - 1], recording.end_of(number)
    steps = [name(round_.root)]
    for place, token in enumerate(round_.tokens, recording.end_of(number - 1)):
        choice = recording.choices[place]
        if token != choice:
            steps.append(word("chosen_otherwise", choice=name(choice), token=name(token)))
        elif place < end - 1:
            steps.append(f"{name(token)} ✓")
        else:
            steps.append(name(token) + word("aside", text=word(ending(round_))))
    return " → ".join(steps)


def _stray_html(recording: Recording, place: int, name) -> str:
    """The sentence that says from which place on a text is not the target's."""
    token, choice = recording.text[place], recording.choices[place]
    said = word("strays", place=place + 1, token=name(token), choice=name(choice))
    return f"<p style='margin:4px 0'><span style='{WARNING}'>✗ {html.escape(said)}</span></p>"


def _step_sentence(round_: Round, name, step: int) -> str:
    tree, verdict = round_.tree, round_.verdict
    node = ROOT if step == 1 else verdict.accepted[step - 2]
    here = name(round_.root if node == ROOT else tree.tokens[node])
    choice = name(round_.tokens[step - 1])
    asked = word("step_asks", step=step, node=here, choice=choice)
    if step <= len(verdict.accepted):
        return asked + word("then", text=word("step_accepts", child=verdict.accepted[step - 1]))
    children = " / ".join(name(tree.tokens[child]) for child in verdict.rejected)
    last = {"correction": "step_stops", "bonus": "step_ends", "next": "step_alone"}[ending(round_)]
    return asked + word("then", text=word(last, children=children, choice=choice))
