"""The drafter that is no model: what followed the last tokens, wherever they stood before."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eagle_lab import greedy_decode, speculative_decode
from eagle_lab.growth import TreeShape
from eagle_lab.rivals import PromptLookup, TextMemory, continuation

from models import random_pair

texts = st.lists(st.integers(0, 3), min_size=1, max_size=25)
shapes = st.builds(TreeShape, st.integers(1, 4), st.integers(1, 5), st.integers(1, 12))


@given(texts, st.integers(1, 4), st.integers(1, 5))
def test_what_followed_is_found_by_the_longest_run_that_stood_before_at_its_latest_place(text, longest, depth):
    found = continuation(text, longest, depth)
    for n in range(min(longest, len(text) - 1), 0, -1):
        places = [p for p in range(len(text) - n) if text[p : p + n] == text[len(text) - n :]]
        if places:
            assert found == text[places[-1] + n :][:depth] != []
            return
    assert found == []


@given(texts, shapes)
def test_its_draft_is_that_as_a_chain_within_the_shape(text, shape):
    drafter = PromptLookup(longest=2)
    memory = drafter.new_cache(text[0])
    tree = drafter.draft(None, np.array(text[1:], dtype=int), memory, shape)
    found = continuation(text, 2, shape.depth)[: shape.budget]
    assert memory.tokens == text
    if not found:
        assert tree is None
        return
    assert tree.tokens.tolist() == found and tree.parents.tolist() == list(range(-1, len(found) - 1))
    assert not tree.scores.any()


@pytest.mark.parametrize("seed", range(4))
def test_it_changes_no_token(seed):
    pair = replace(random_pair(seed, vocab=6), drafter=PromptLookup())
    found = speculative_decode(pair, [3, 1], 80)
    assert found.tokens == greedy_decode(pair.target, [3, 1], 80)
    assert sum(len(round_.verdict.accepted) for round_ in found.rounds) > 5


def test_its_memory_keeps_the_rows_that_it_is_told():
    memory = TextMemory([5, 6, 7, 8, 9])
    memory.commit(2, [0, 2])
    assert memory.tokens == [5, 6, 7, 9] and memory.length == 4
    memory.commit(3, [])
    assert memory.tokens == [5, 6, 7]


def test_nonsense_is_refused_by_name():
    with pytest.raises(ValueError, match="longest"):
        PromptLookup(0)
    with pytest.raises(TypeError, match="longest"):
        PromptLookup("three")
