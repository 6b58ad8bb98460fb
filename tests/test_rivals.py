"""Other drafters under the same contract: an independent model, and one that only looks through the text."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from eagle_lab import CandidateTree, Generation, Pair, greedy_decode, speculative_decode
from eagle_lab.llama import log_softmax
from eagle_lab.rivals import DraftModel

from checks import committed as state
from models import random_pair


def independent(seed: int, **sizes) -> tuple[Pair, DraftModel]:
    """A random target with a random model of the same vocabulary that drafts for it."""
    pair = random_pair(seed, vocab=8, **sizes)
    rival = DraftModel(random_pair(seed + 100, vocab=8, layers=7, heads=2, kv_heads=1).target)
    return replace(pair, drafter=rival), rival


@pytest.mark.parametrize("seed", range(6))
def test_a_draft_model_reads_every_path_as_if_it_stood_alone(seed):
    """Each edge of its tree is what the model says after the text so far and the path, run plainly."""
    pair, rival = independent(seed)
    generation, shape = Generation(pair, [1, 2, 3]), {"top_k": 3, "depth": 4, "budget": 20}
    committed = [1, 2, 3, generation.root]
    for _ in range(4):
        round_ = generation.step(**shape)
        tree = round_.tree
        for node in range(len(tree)):
            path = tree.tokens[tree.path(node)].tolist()
            hidden = rival.model.forward([*committed, *path[:-1]], rival.model.new_cache()).hidden[-1:]
            alone = log_softmax(rival.model.logits(hidden))[0, path[-1]]
            assert abs(alone - tree.log_scores[node]) < 1e-4
        committed += round_.tokens


@pytest.mark.parametrize("seed", range(6))
def test_a_draft_model_changes_no_token_and_keeps_one_row_for_each(seed):
    pair, _ = independent(seed)
    generation, tokens = Generation(pair, [3, 1, 2]), []
    for _ in range(12):
        round_ = generation.step(top_k=3, depth=3, budget=9)
        tokens += round_.tokens
        assert generation.draft_cache.length == round_.start + 1, "the prompt and all committed tokens, root included"
    assert [*tokens] == greedy_decode(pair.target, [3, 1, 2], 1 + len(tokens))[1:]


def test_a_draft_model_refuses_bad_settings_and_a_round_that_fails_commits_nothing():
    pair, _ = independent(0)
    generation = Generation(pair, [1, 2])
    for shape, message in (
        ({"top_k": 9}, "top_k is 9: the draft vocabulary has only 8"),
        ({"depth": 0}, "depth must be"),
    ):
        with pytest.raises(ValueError, match=message):
            generation.step(**{"top_k": 2, "depth": 2, "budget": 4} | shape)
    before = state(generation)
    with pytest.raises(ZeroDivisionError):
        generation.step(score=lambda *_: 1 / 0)
    assert state(generation) == before


def test_a_draft_model_has_no_layer_weights():
    pair, _ = independent(0)
    with pytest.raises(ValueError, match="layer_weights: DraftModel reads no layer features"):
        speculative_decode(pair, [1, 2], 5, layer_weights=[1, 1, 1])
    with pytest.raises(ValueError, match="layer_weights: DraftModel reads no layer features"):
        Generation(pair, [1, 2]).step(layer_weights=[1, 1, 1])


# ── a drafter that is no model ───────────────────────────────────────────────────────────────────


@dataclass
class Transcript:
    """The least memory that the contract knows: the tokens read so far."""

    tokens: list[int] = field(default_factory=list)

    @property
    def length(self) -> int:
        return len(self.tokens)

    def commit(self, start: int, rows) -> None:
        self.tokens[start:] = [self.tokens[start + row] for row in rows]


class Lookup:
    """Prompt lookup: what followed the last token when it stood earlier in the text; no draft where it never did."""

    layers = 0

    def configured(self):
        return self

    def check_shape(self, shape):
        pass

    def new_cache(self, first_token):
        return Transcript([first_token])

    def draft(self, features, tokens, cache, shape):
        cache.tokens += map(int, tokens)
        *earlier, root = cache.tokens
        if root not in earlier:
            return None
        place = len(earlier) - 1 - earlier[::-1].index(root)
        found = cache.tokens[place + 1 :][: shape.depth]
        return CandidateTree(np.arange(len(found)) - 1, found, np.full(len(found), -0.5))


def test_a_drafter_needs_no_model_no_features_and_may_have_no_draft():
    rounds = []
    for seed in range(6):
        pair = replace(random_pair(seed, vocab=8), drafter=Lookup())
        found = speculative_decode(pair, [3, 1], 60)
        assert found.tokens == greedy_decode(pair.target, [3, 1], 60)
        rounds += found.rounds
    empty = [round_ for round_ in rounds if round_.tree is None]
    assert empty and all(round_.nodes == 0 and len(round_.tokens) == 1 for round_ in empty)
    assert all(round_.verdict.accepted == round_.verdict.rejected == () for round_ in empty)
    assert sum(len(round_.verdict.accepted) for round_ in rounds) > len(rounds)


def test_a_plain_pass_keeps_the_caches_and_a_preview_leaves_no_trace():
    pair = replace(random_pair(0, vocab=40), drafter=Lookup())
    generation = Generation(pair, [3, 1])
    for number in range(8):
        before = list(generation.draft_cache.tokens)
        shown = generation.preview()
        assert (generation.cache.length, generation.draft_cache.tokens) == (shown.start, before)
        round_ = generation.step()
        assert (round_.tokens, round_.start) == (shown.tokens, shown.start), number
        assert generation.cache.length == round_.start + len(round_.tokens)
