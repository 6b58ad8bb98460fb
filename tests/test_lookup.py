"""The drafter that is no model: what followed the last tokens, wherever they stood before."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eagle_lab import greedy_decode, speculative_decode
from eagle_lab.growth import TreeShape
from eagle_lab.rivals import PromptLookup, TextMemory, continuations

from models import random_pair

texts = st.lists(st.integers(0, 3), min_size=1, max_size=25)
shapes = st.builds(TreeShape, st.integers(1, 4), st.integers(1, 5), st.integers(1, 12))


def paths_of(tree) -> list[tuple]:
    return [tuple(tree.tokens[tree.path(node)].tolist()) for node in range(len(tree))]


@given(texts, st.integers(1, 4), st.integers(1, 5))
def test_what_followed_is_found_by_the_longest_run_that_stood_before(text, longest, depth):
    found = continuations(text, longest, depth)
    for n in range(min(longest, len(text) - 1), 0, -1):
        places = [p for p in range(len(text) - n) if text[p : p + n] == text[len(text) - n :]]
        if places:
            assert found == [tuple(text[p + n :][:depth]) for p in places]
            return
    assert found == []


@given(texts, shapes)
def test_its_tree_is_what_followed_and_each_edge_its_share(text, shape):
    drafter = PromptLookup(longest=2)
    memory = drafter.new_cache(text[0])
    tree = drafter.draft(None, np.array(text[1:], dtype=int), memory, shape)
    found = continuations(text, 2, shape.depth)
    assert memory.tokens == text
    if not found:
        assert tree is None
        return
    counts = Counter(path[:end] for path in found for end in range(len(path) + 1))
    paths = paths_of(tree)
    assert len(set(paths)) == len(paths) <= shape.budget and max(map(len, paths)) <= shape.depth
    for path, score in zip(paths, tree.scores, strict=True):
        edges = [counts[path[:end]] / counts[path[: end - 1]] for end in range(1, len(path) + 1)]
        assert np.isclose(score, np.log(edges).sum())
    widths = Counter(path[:-1] for path in paths)
    assert max(widths.values()) <= shape.top_k
    best = max(count for path, count in counts.items() if len(path) == 1)
    assert counts[paths[0]] == best, "the most frequent comes first"


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
