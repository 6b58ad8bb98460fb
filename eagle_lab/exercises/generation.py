"""A reader's `tree_attention_mask` and `verify_tree` in whole generations: is every text the target's own?

A wrong function may write the right text where luck has it. So every mask and every walk on the way is compared with
the right one too, and the first that differs says which function it was.
"""

from itertools import zip_longest
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
from .kinds import says
from .report import Report, Result, print_report

MOST_OPENINGS = 100

__test__ = {}  # as in the wing itself: these are for notebooks, not for pytest


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
    texts = [shorten(pair.text(prompt), width=32, placeholder="…") for prompt in prompts]
    titles, results = [Text(text, text) for text in texts], []
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
            self._note(0, "sees" if given[row, column] else "misses", row=row, column=column)
        return given

    def verify(self, tree: CandidateTree, logits, *, temperature=0.0) -> Verdict:
        """The reader's verdict, compared with the right one on the same logits."""
        given, right = self._verify(tree, logits, temperature=temperature), verify(tree, logits)
        if (given.accepted, given.next_token) != (right.accepted, right.next_token):
            self._note_step(tree, given, right)
        return given

    def _note(self, which: int, key: str, **fields) -> None:
        if which not in self.faults:
            name = name_of(self.functions[which])
            self.faults[which] = says("generation", key, name=name, round=self.rounds, **fields)

    def _note_step(self, tree: CandidateTree, given: Verdict, right: Verdict) -> None:
        """Where a walk first leaves the right one."""
        pairs = zip_longest(given.accepted, right.accepted)
        taken, wanted = next((pair for pair in pairs if pair[0] != pair[1]), (None, None))
        name = self.pair.token_text
        choice = name(right.next_token if wanted is None else int(tree.tokens[wanted]))
        if taken is not None:
            self._note(1, "goes", node=taken, token=name(int(tree.tokens[taken])), choice=choice)
        elif wanted is not None:
            self._note(1, "stops", node=wanted, choice=choice)
        else:
            self._note(1, "ends", token=name(given.next_token), choice=choice)


def _judge(title: Text, own: Recording, faults: list[Text]) -> Result:
    """One opening: does the text stay the target's, and if so, at what cost?"""
    blamed = Text("；".join(fault.zh for fault in faults), "; ".join(fault.en for fault in faults))
    if own.strayed:
        place, name = own.strayed[0], own.pair.token_text
        got, expected = f"[{place}] {name(own.text[place])}", f"[{place}] {name(own.choices[place])}"
        return Result(title, "failed", got, expected, says("generation", "points", faults=blamed))
    got, expected = own.decoding.tau, record(own.pair, own.prompt).decoding.tau
    if not faults:
        return Result(title, "passed", f"τ {got:.2f}", f"τ {expected:.2f}")
    hint = says("generation", "less" if got < expected else "luck", faults=blamed)
    return Result(title, "costly", f"τ {got:.2f}", f"τ {expected:.2f}", hint)


def _broken(title: Text, error: OwnError) -> Result:
    """An opening at which one of the functions failed."""
    if isinstance(error.error, NotImplementedError):
        return Result(title, "unfinished", error.said, "…")
    return Result(title, "failed", str(error), "…", says("generation", "points", faults=error.function))
