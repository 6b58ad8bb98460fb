"""A reader's `tree_attention_mask` and `verify_tree` in whole generations: is every text the target's own?

A wrong function may write the right text where luck has it. So every mask and every walk on the way is compared with
the right one too, and the first that differs says which function it was.
"""

from textwrap import shorten

import numpy as np

from ..guard import OwnError, name_of
from ..inputs import check_count, check_kind, check_sequence
from ..language import Text
from ..own import leave_verdict, mask_by, verify_by
from ..pairs import Pair
from ..tree import CandidateTree
from ..trials import Recording, prompt_tokens, record
from ..verification import Verdict, verify
from .report import Report, Result, print_report

MOST_OPENINGS = 100

__test__ = {}  # as in checks: these are for notebooks, not for pytest


_LESS = Text("文本没有错，每轮却提交得少了", "the text is right, but rounds commit less")
_LUCK = Text("这一段文本碰巧没有错", "the text is right here, by luck")


def check_generation(pair: Pair, mask, verify_tree, prompts: list | None = None) -> Report:
    """Let `mask` and `verify_tree` verify a generation behind every opening, and compare with the target alone.

    `prompts`: openings to try, or one, text or token ids (default: all of the pair's, in both languages). A case has
    failed where the text leaves the target's; it is "costly" where the text is right, but a mask or a walk was not.
    Raises `ValueError` where there is no opening, or more than 100.

    >>> from eagle_lab import CandidateTree, load_pair
    >>> def mask(parents): return CandidateTree(parents, parents, [0] * len(parents)).attention_mask()
    >>> def first_child(parents, tokens, choices): return [0], choices[1]
    >>> result = check_generation(load_pair("stories"), mask, first_child, ["Once upon a time"]).results[0]
    >>> result.state, result.hint.en
    ('failed', 'points to first_child: in round 1 it goes to node 0, “雨伞”; the target chose “ of”.')
    """
    check_kind(pair, Pair, "pair")
    openings = [prompts] if isinstance(prompts, str) else prompts
    if prompts is None:
        openings = [prompt for several in pair.prompts.values() for prompt in several]
    check_count(len(check_sequence(openings, "prompts")), "prompts: the number of openings", most=MOST_OPENINGS)
    prompts = [prompt_tokens(pair, opening, f"prompts[{place}]") for place, opening in enumerate(openings)]
    titles, results = [_title(pair.text(prompt)) for prompt in prompts], []
    functions, faulty = (mask, verify_tree), set[int]()
    for title, prompt in zip(titles, prompts, strict=True):
        watch = _Watch(pair, *functions)
        try:
            recording = record(pair, prompt, mask=watch.mask, verify=watch.verify)
        except OwnError as error:  # and so it would at the others
            results.append(_broken(title, error))
            results += [Result(untried, "unfinished", "…", "…") for untried in titles[len(results) :]]
            faulty |= {which for which, function in enumerate(functions) if name_of(function) == error.function}
            break
        results.append(_judge(title, recording, list(watch.faults.values())))
        faulty |= watch.faults.keys()
    else:  # only who was tried at every opening can have passed
        for which in {0, 1} - faulty:
            leave_verdict(functions[which], "generation", True)
    for which in faulty:
        leave_verdict(functions[which], "generation", False)
    return Report("generation", tuple(results))


def test_generation(pair: Pair, mask, verify_tree, prompts: list | None = None) -> None:
    """Print how a reader's two functions do in whole generations, as `check_generation` finds it."""
    print_report(check_generation(pair, mask, verify_tree, prompts))


class _Watch:
    """A reader's two functions at work in one generation; `faults`: the first wrong thing that each of them did."""

    def __init__(self, pair: Pair, mask, verify_tree):
        self.pair, self.functions = pair, (mask, verify_tree)
        self._mask, self._verify = mask_by(mask), verify_by(verify_tree)
        self.rounds, self.faults = 0, dict[int, Text]()  # 0: of the mask, 1: of the walk

    def mask(self, tree: CandidateTree) -> np.ndarray:
        """The reader's mask, compared with the tree's."""
        self.rounds += 1
        given = self._mask(tree)
        for row, column in np.argwhere(given != tree.attention_mask())[:1].tolist():
            zh, en = ("看见了", "sees") if given[row, column] else ("看不见", "does not see")
            zh = f"第 {self.rounds} 轮的掩码里，第 {row} 行{zh}第 {column} 列"
            self._note(0, zh, f"in round {self.rounds}, row {row} of its mask {en} column {column}")
        return given

    def verify(self, tree: CandidateTree, logits, *, temperature=0.0) -> Verdict:
        """The reader's verdict, compared with the right one on the same logits."""
        given, right = self._verify(tree, logits, temperature=temperature), verify(tree, logits)
        if (given.accepted, given.next_token) != (right.accepted, right.next_token):
            self._note(1, *self._difference(tree, given, right))
        return given

    def _note(self, which: int, zh: str, en: str) -> None:
        name = name_of(self.functions[which])
        self.faults.setdefault(which, Text(f"{name}：{zh}", f"{name}: {en}"))

    def _difference(self, tree: CandidateTree, given: Verdict, right: Verdict) -> tuple[str, str]:
        """Where a walk first leaves the right one."""
        step = next(
            (i for i, pair in enumerate(zip(given.accepted, right.accepted, strict=False)) if pair[0] != pair[1]), None
        )
        step = min(len(given.accepted), len(right.accepted)) if step is None else step
        taken, wanted = given.accepted[step : step + 1], right.accepted[step : step + 1]
        name = self.pair.token_text
        choice = name(int(tree.tokens[wanted[0]]) if wanted else right.next_token)
        if taken:
            node, token = taken[0], name(int(tree.tokens[taken[0]]))
            zh = f"第 {self.rounds} 轮走到了节点 {node}「{token}」，目标模型选的是「{choice}」"
            en = f"in round {self.rounds} it goes to node {node}, “{token}”; the target chose “{choice}”"
        elif wanted:
            zh = f"第 {self.rounds} 轮停早了：目标模型选的「{choice}」正是节点 {wanted[0]}"
            en = f"in round {self.rounds} it stops too early: the target's choice “{choice}” is node {wanted[0]}"
        else:
            zh = f"第 {self.rounds} 轮之后写下「{name(given.next_token)}」，目标模型选的是「{choice}」"
            en = f"in round {self.rounds} it ends with “{name(given.next_token)}”; the target chose “{choice}”"
        return zh, en


def _judge(title: Text, own: Recording, faults: list[Text]) -> Result:
    """One opening: does the text stay the target's, and if so, at what cost?"""
    zh, en = "；".join(fault.zh for fault in faults), "; ".join(fault.en for fault in faults)
    if own.strayed:
        place, name = own.strayed[0], own.pair.token_text
        got, expected = f"[{place}] {name(own.text[place])}", f"[{place}] {name(own.choices[place])}"
        return Result(title, "failed", got, expected, Text(f"指向 {zh}。", f"points to {en}."))
    got, expected = own.decoding.tau, record(own.pair, own.prompt).decoding.tau
    if not faults:
        return Result(title, "passed", f"τ {got:.2f}", f"τ {expected:.2f}")
    kind = _LESS if got < expected else _LUCK
    blame = Text(f"{kind.zh}；指向 {zh}。", f"{kind.en}; points to {en}.")
    return Result(title, "costly", f"τ {got:.2f}", f"τ {expected:.2f}", blame)


def _broken(title: Text, error: OwnError) -> Result:
    """An opening at which one of the functions failed."""
    if isinstance(error.error, NotImplementedError):
        return Result(title, "unfinished", error.said, "…")
    blame = Text(f"指向 {error.function}。", f"points to {error.function}.")
    return Result(title, "failed", str(error), "…", blame)


def _title(opening: str) -> Text:
    text = shorten(opening, width=32, placeholder="…")
    return Text(text, text)
