"""`verify_tree(parents, tokens, choices)`: what is asked, and the slips that we know."""

from collections.abc import Sequence
from types import SimpleNamespace

from .kinds import Exercise, cases, draw_parents, drawn, is_number, same, says, slips, traits


def _at(walk, parents, tokens, choices):
    """Where a walk stands: at a node, with its children and the target's choice after it."""
    at = SimpleNamespace(walk=walk, node=[-1, *walk][-1], parents=parents, tokens=tokens, choices=choices)
    at.children = [child for child, parent in enumerate(parents) if parent == at.node]
    at.choice = choices[1 + at.node]
    return at


def _walk(is_next, last=lambda at: at.choice):
    """A walk on to the first node of which `is_next(node, at)`, and `last(at)` for its next token."""

    def answer(parents, *rest):
        walk: list = []
        for _ in parents:
            at = _at(walk, parents, *rest)
            walk = walk + [node for node in range(len(parents)) if is_next(node, at)][:1]
        return walk, last(_at(walk, parents, *rest))

    return answer


def _child(is_next, last=lambda at: at.choice):
    """A walk to children only."""
    return _walk(lambda node, at: node in at.children and is_next(node, at), last)


def _is_right(node, at):
    return node in at.children and at.tokens[node] == at.choice


def _end(*tree):
    """Where the right walk ends."""
    return _walk(_is_right, lambda at: at)(*tree)[1]


_right = _walk(_is_right)

CASES = cases("verify", _right)


SLIPS = slips(
    "verify",
    _end,
    none_at_a_leaf=[
        lambda at: (at.walk, at.choice if at.children else None),
        lambda at: (at.walk, at.choice if at.children or not at.walk else None),
    ],
    last_repeated=lambda at: (at.walk, at.tokens[at.node] if at.walk else at.choice),
    token_by_count=lambda at: (at.walk, at.choices[len(at.walk)]),
    tokens=lambda at: ([at.tokens[node] for node in at.walk], at.choice),
    root_listed=lambda at: ([-1, *at.walk], at.choice),
    leaves_listed=lambda at: ([-1, *at.walk][: len(at.walk)], at.choice),
    refused_listed=lambda at: (at.walk + at.children[:1], at.choice),
) + slips(
    "verify",
    one_short=_walk(lambda node, at: len(at.walk) + 1 < len(at.parents) and _is_right(node, at)),
    one_step=_walk(lambda node, at: not at.walk and _is_right(node, at)),
    first_if_refused=_child(
        lambda node, at: _is_right(node, at) or not any(_is_right(child, at) for child in at.children)
    ),
    first_child_alone=_child(lambda node, at: node == at.children[0] and _is_right(node, at)),
    last_child_alone=_child(lambda node, at: node == at.children[-1] and _is_right(node, at)),
    zero_is_nothing=_child(lambda node, at: node and _is_right(node, at)),
    choices_off=[
        _child(lambda node, at: at.tokens[node] == at.choices[at.node]),
        _child(lambda node, at: at.tokens[node] == at.choices[max(at.node, 0)], lambda at: at.choices[max(at.node, 0)]),
    ],
    choices_by_steps=_child(lambda node, at: at.tokens[node] == at.choices[len(at.walk)]),
    choice_as_node=_child(lambda node, at: node == at.choice),
    own_choice=[
        _child(lambda node, at: at.tokens[node] == at.choices[node]),
        _child(lambda node, at: at.tokens[node] == at.choices[1 + node]),
    ],
    other_branch=_walk(lambda node, at: node > at.node and at.tokens[node] == at.choice),
    below_a_break=_walk(lambda node, at: node > at.node and at.tokens[node] == at.choices[1 + at.parents[node]]),
    by_token=[
        _child(lambda node, at: _is_right(node, at) and node == at.tokens.index(at.choice)),
        _child(lambda node, at: _is_right(node, at) and at.choice not in at.tokens[node + 1 :]),
    ],
)


def _fact(got, expected, parents, tokens, choices):
    """The first wrong step, or what the next token should be."""
    if not (isinstance(got, Sequence) and len(got) == 2 and isinstance(got[0], Sequence) and is_number(got[1])):
        return None
    steps = list(zip([*got[0], None], [*expected[0], None], [-1, *expected[0]], strict=False))
    walk = _at(expected[0], parents, tokens, choices)
    taken, right, node = next((step for step in steps if not same(*step[:2])), (None, None, walk.node))
    at = says("facts", "node", node=node) if node >= 0 else says("facts", "root")
    if taken is right:
        return says("facts", "next_token", node=at, index=1 + node)
    key = "no_stop" if right is None else "too_early" if taken is None else "wrong_step"
    return says("facts", key, node=at, choice=choices[1 + node], right=right)


TRAITS = traits(
    "verify",
    _end,
    empty=lambda at: not at.parents,
    repeated=lambda at: len(set(at.tokens)) < len(at.tokens),
    unordered=lambda at: at.parents != sorted(at.parents),
    long=lambda at: len(at.walk) > 2,
)


def _draw(chance):
    parents, tokens = draw_parents(chance), []
    for node, parent in enumerate(parents):
        siblings = [tokens[other] for other in range(node) if parents[other] == parent]
        tokens.append(chance.choice([token for token in range(12) if token not in siblings]))
    below = [
        [tokens[child] for child, parent in enumerate(parents) if parent == node] for node in range(-1, len(parents))
    ]
    return parents, tokens, [chance.choice([*choices, *choices, chance.randrange(12)]) for choices in below]


EXERCISE = Exercise(CASES, SLIPS, TRAITS, _fact, drawn(_right, _draw))
