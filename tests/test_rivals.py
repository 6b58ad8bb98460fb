"""Other drafters under the same contract: an independent model, and one that only looks through the text."""

from copy import deepcopy
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from eagle_lab import CandidateTree, Generation, Pair, greedy_decode, speculative_decode
from eagle_lab.drafter import EagleHead
from eagle_lab.growth import TreeShape
from eagle_lab.llama import log_softmax
from eagle_lab.rivals import DraftModel, PositionHeads
from training.blind import BlindHead

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


# ── position heads ───────────────────────────────────────────────────────────────────────────────


def position_pair(seed: int, positions: int = 4) -> Pair:
    """A random head's layer with random blocks behind it."""
    pair = random_pair(seed, vocab=12, draft_vocab=9)
    head, rng = pair.drafter, np.random.default_rng(seed)
    width = pair.target.config.hidden_size
    blocks = rng.normal(size=(positions - 1, width, width)).astype(np.float32) / width**0.5
    return replace(pair, drafter=PositionHeads(head.config, head.weights, head.embedding, head.token_ids, blocks))


@pytest.mark.parametrize("seed", range(4))
def test_position_heads_give_every_node_of_a_level_the_same_candidates(seed):
    pair = position_pair(seed)
    heads = pair.drafter
    plain = EagleHead(heads.config, heads.weights, heads.embedding, heads.token_ids)
    generation, shape = Generation(pair, [1, 2, 3]), TreeShape(3, 4, 100)
    for _ in range(4):
        features, following = generation.features, generation.committed.following
        memory = deepcopy(generation.draft_cache)
        out = plain.read(features, following, memory, shape)[0]
        tree = generation.step(top_k=3, depth=4, budget=100).tree
        for level in range(1, 5):
            block = heads.blocks[level - 2] if level > 1 else None
            wide = out if block is None else out + (out @ block) / (1 + np.exp(-(out @ block)))
            law = plain.log_probs(wide[None])[0]
            best = np.argsort(-law, kind="stable")[:3]
            for parent in {int(tree.parents[node]) for node in np.flatnonzero(tree.depths == level)}:
                children = tree.children(parent)
                assert tree.tokens[children].tolist() == heads.token_ids[best].tolist()
                assert np.allclose(tree.log_scores[children], law[best], atol=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_position_heads_change_no_token_and_draft_as_far_as_they_reach(seed):
    pair = position_pair(seed)
    found = speculative_decode(pair, [3, 1, 2], 40, top_k=3, depth=4, budget=12)
    assert found.tokens == greedy_decode(pair.target, [3, 1, 2], 40)
    with pytest.raises(ValueError, match="depth is 5: these heads draft 4 positions"):
        speculative_decode(pair, [3, 1, 2], 40, top_k=3, depth=5, budget=12)
    with pytest.raises(ValueError, match="top_k is 10: the draft vocabulary has only 9"):
        speculative_decode(pair, [3, 1, 2], 40, top_k=10, depth=2, budget=12)


# ── a head made blind ────────────────────────────────────────────────────────────────────────────


def blind(seed: int, **how) -> tuple[Pair, Pair]:
    pair = random_pair(seed, vocab=12)
    return pair, replace(pair, drafter=BlindHead(pair.drafter, **how))


def drafts(pair: Pair, count: int = 6) -> list:
    generation = Generation(pair, [1, 2, 3, 4])
    trees = [generation.step(top_k=3, depth=3, budget=8).tree for _ in range(count)]
    return [(tree.tokens.tolist(), tree.parents.tolist(), tree.scores.tolist()) for tree in trees]


@pytest.mark.parametrize("seed", range(3))
def test_a_head_that_is_shown_all_drafts_as_it_does(seed):
    pair, same = blind(seed)
    assert drafts(pair) == drafts(same)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("how", [{"features": None}, {"features": 3}, {"token": 5}, {"features": 1, "token": 0}])
def test_a_blind_head_drafts_as_the_head_would_if_the_whole_text_were_shown_so(seed, how):
    """Every tree is the head's own, asked anew about the whole text with other features or tokens."""
    pair, other = blind(seed, **how)
    generation, tokens, shape = Generation(other, [1, 2, 3, 4]), [1, 2, 3, 4], TreeShape(3, 1, 3)
    for _ in range(5):
        tokens.append(generation.root)
        features = pair.target.forward(tokens[:-1], pair.target.new_cache()).features
        if how.get("features", 0) is None:
            features = 0 * features
        else:
            features = features[:, np.maximum(np.arange(len(tokens) - 1) - how.get("features", 0), 0)]
        shown = tokens[1:] if "token" not in how else [how["token"]] * (len(tokens) - 1)
        expected = pair.drafter.draft(features, shown, pair.drafter.new_cache(), shape)
        assert generation.preview(top_k=3, depth=1, budget=3).tree.tokens.tolist() == expected.tokens.tolist()
        round_ = generation.step(top_k=3, depth=1, budget=3)
        assert np.allclose(round_.tree.scores, expected.scores, atol=1e-4)
        tokens += round_.tokens[:-1]


@pytest.mark.parametrize("how", [{"features": None}, {"features": 2}, {"token": 3}])
def test_a_blind_head_changes_no_token_and_keeps_its_settings(how):
    _, other = blind(1, **how)
    assert speculative_decode(other, [3, 1], 40).tokens == greedy_decode(other.target, [3, 1], 40)
    weighted = speculative_decode(other, [3, 1], 40, layer_weights=[1, 0, 0])
    assert weighted.tokens == greedy_decode(other.target, [3, 1], 40)


def test_what_a_blind_head_cannot_be_shown_is_refused():
    pair = random_pair(0, vocab=12)
    for how, error, name in (
        ({"features": -1}, ValueError, "features"),
        ({"features": "none"}, TypeError, "features"),
        ({"token": 12}, ValueError, "token"),
        ({"token": "the"}, TypeError, "token"),
    ):
        with pytest.raises(error, match=name):
            BlindHead(pair.drafter, **how)


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
