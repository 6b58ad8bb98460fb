"""Every wrong way does the damage that its lesson shows, on the real pair."""

from dataclasses import replace

import numpy as np
import pytest

from eagle_lab import CandidateTree, greedy_decode, load_pair, mean_tau, speculative_decode, write_texts
from eagle_lab import counterexamples as wrong
from eagle_lab.decode import Generation
from eagle_lab.trials import tau_after

PAIR = load_pair("stories")
OPENINGS = [text for texts in PAIR.prompts.values() for text in texts]


@pytest.mark.parametrize("opening", OPENINGS, ids=range(len(OPENINGS)))
@pytest.mark.parametrize(
    "ways",
    [{"verify": wrong.accept_best_leaf}, {"verify": wrong.accept_every_match}],
    ids=["best leaf", "every match"],
)
def test_taking_scores_for_acceptance_changes_the_text(opening, ways):
    prompt = PAIR.encode(opening)
    plain = greedy_decode(PAIR.target, prompt, 60)
    assert speculative_decode(PAIR, prompt, 60).tokens == plain
    assert speculative_decode(PAIR, prompt, 60, **ways).tokens != plain


def test_a_causal_mask_changes_most_texts_and_is_right_for_a_chain():
    changed = 0
    for opening in OPENINGS:
        prompt = PAIR.encode(opening)
        plain = greedy_decode(PAIR.target, prompt, 60)
        changed += speculative_decode(PAIR, prompt, 60, mask=wrong.mask_as_a_chain).tokens != plain
        assert speculative_decode(PAIR, prompt, 60, top_k=1, mask=wrong.mask_as_a_chain).tokens == plain
    assert changed >= len(OPENINGS) // 2
    chain = CandidateTree([-1, 0, 1], [5, 6, 7], [-0.1] * 3)
    assert (wrong.mask_as_a_chain(chain) == chain.attention_mask()).all()


def test_positions_guessed_apart_lower_tau_and_nothing_else():
    apart = replace(PAIR, drafter=wrong.PositionsApart(PAIR.drafter))
    for language in ("zh", "en"):
        texts = write_texts(PAIR, PAIR.prompts[language])
        assert mean_tau(apart, texts) < 0.97 * mean_tau(PAIR, texts)
        assert mean_tau(apart, texts, top_k=1) == mean_tau(PAIR, texts, top_k=1), "a chain has one history only"
    prompt = PAIR.encode(OPENINGS[0])
    assert speculative_decode(apart, prompt, 40).tokens == greedy_decode(PAIR.target, prompt, 40)


def test_positions_guessed_apart_share_their_candidates():
    reading = Generation(replace(PAIR, drafter=wrong.PositionsApart(PAIR.drafter)), PAIR.encode(OPENINGS[0]))
    tree = reading.preview(layer_weights=(1, 1, 1), top_k=3, depth=2, budget=12).tree
    candidates = {tuple(tree.tokens[tree.children(node)].tolist()) for node in tree.children(-1)}
    assert len(candidates) == 1


def test_an_untrained_head_writes_the_same_text_slowly():
    clueless = replace(PAIR, drafter=wrong.untrained(PAIR.drafter))
    for opening in OPENINGS[::3]:
        prompt = PAIR.encode(opening)
        run = speculative_decode(clueless, prompt, 40)
        assert run.tokens == greedy_decode(PAIR.target, prompt, 40) and run.tau < 1.1
    assert (PAIR.drafter.weights.head != clueless.drafter.weights.head).any(), "the trained head is left as it was"
    again = wrong.untrained(PAIR.drafter)
    assert (again.weights.fc == clueless.drafter.weights.fc).all()


def test_raw_weights_cost_tau_by_their_size_alone():
    shape = {"top_k": 4, "depth": 5, "budget": 16}
    raw = {"normalize": list, "fuse": wrong.add_raw_features}
    for opening in (OPENINGS[0], OPENINGS[-1]):
        right = tau_after(PAIR, opening, **shape)
        taus = [tau_after(PAIR, opening, layer_weights=[size] * 3, **raw, **shape) for size in (1 / 3, 1, 3)]
        assert np.isclose(taus[0], right, rtol=0.05) and taus[2] < taus[1] < 0.8 * right
        assert tau_after(PAIR, opening, layer_weights=[3] * 3, **shape) == right
