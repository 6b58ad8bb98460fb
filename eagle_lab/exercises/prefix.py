"""`accepted_prefix(draft_tokens, target_tokens)`: what is asked, and the slips that we know."""

from itertools import count, zip_longest

from ..verification import accepted_prefix
from .kinds import Exercise, cases, drawn, is_number, says, slips, traits

CASES = cases("prefix", accepted_prefix)


def _leading(agreements):
    return [*agreements, False].index(False)


def _pairs(draft, target):
    return zip(draft, target, strict=False)


_run = accepted_prefix  # the right answer


def _agree_if(same_token):
    """The leading run of agreement, if tokens were equal where `same_token(a, b)`."""
    return lambda draft, target: _leading(same_token(a, b) for a, b in _pairs(draft, target))


def _count(at_a_break, at_the_end=int):
    """Something made of the right count where there is a break, and where all of the shorter list agrees."""

    def answer(draft, target):
        run = _run(draft, target)
        return at_a_break(run) if run < min(len(draft), len(target)) else at_the_end(run)

    return answer


SLIPS = slips(
    "prefix",
    every_match=lambda draft, target: sum(a == b for a, b in _pairs(draft, target)),
    longest_run=lambda draft, target: max(_run(draft[start:], target[start:]) for start in range(1 + len(draft))),
    occurs=lambda draft, target: _leading(token in target for token in draft),
    off_by_one=lambda draft, target: _run(draft, target[1:]),
    padded=lambda draft, target: _leading(a == b for a, b in zip_longest(draft, target, fillvalue=0)),
    by_content=lambda draft, target: _leading(target[draft.index(token)] == token for token in draft[: len(target)]),
    stops_at_zero=_agree_if(lambda a, b: a == b != 0),
    identity=_agree_if(lambda a, b: a is b),
    as_text=_agree_if(lambda a, b: str(b).startswith(str(a))),
    runs_off=[
        lambda draft, target: next(place for place in count() if draft[place] != target[place]),
        lambda draft, target: next((i for i in range(len(draft)) if draft[i] != target[i]), len(draft)),
    ],
    none_at_the_end=_count(int, lambda run: None),
    zero_at_the_end=_count(int, lambda run: 0),
    zero_at_a_break=_count(lambda run: 0),
    one_short_at_the_end=_count(int, lambda run: max(run - 1, 0)),
    none_if_unequal=lambda draft, target: _run(draft, target) if len(draft) == len(target) else 0,
    one_short=[_count(less, less) for less in (lambda run: run - 1, lambda run: max(run - 1, 0))],
    break_counted=[_count(lambda run: run + 1), _count(lambda run: run + 1, lambda run: run + 1)],
)


def _fact(got, expected, draft, target):
    """Where the leading run ends."""
    if not is_number(got):
        return None
    if expected == min(len(draft), len(target)):
        return says("facts", "no_break", count=expected)
    return says("facts", "first_break", place=expected, drafted=draft[expected], wanted=target[expected])


TRAITS = traits(
    "prefix",
    unequal=lambda draft, target: len(draft) != len(target),
    a_break=lambda draft, target: _run(draft, target) < min(len(draft), len(target)),
    later_agreement=lambda draft, target: _run(draft, target) < sum(a == b for a, b in _pairs(draft, target)),
)


def _draw(chance):
    draft, other = ([chance.randrange(3) for _ in range(chance.randrange(6))] for _ in range(2))
    return draft, draft[: chance.randrange(6)] + other


EXERCISE = Exercise(CASES, SLIPS, TRAITS, _fact, drawn(accepted_prefix, _draw))
