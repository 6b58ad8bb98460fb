"""Interrupts within a round: whenever they come, the generation goes on as if there had been none."""

import pytest

from eagle_lab.decode import Generation

from measure import interrupts

NAMES = ["head", "golden", "model"]


@pytest.fixture(scope="module")
def pairs():
    return interrupts.pairs()


@pytest.mark.parametrize("name", NAMES)
def test_a_round_is_committed_as_a_whole_or_not_at_all(pairs, name):
    seen = interrupts.at_every_place(*pairs[name], points=120)
    assert seen["inside"] >= 120 + interrupts.LAST * interrupts.ROUNDS
    assert 0 < seen["behind its commit"] < interrupts.LAST * interrupts.ROUNDS, "the very last ones come behind it"


def test_an_interrupt_by_another_thread_may_come_at_any_time(pairs):
    assert interrupts.at_random_times(*pairs["golden"], points=20)["inside"] >= 20


def kept_scaffolding(patch):
    patch.setattr(Generation, "_drop_scaffolding", lambda self: None)


def commit_in_two(patch):
    advance = Generation.advance

    def piecewise(self, *settings):
        before = self.committed
        round_ = advance(self, *settings)
        after, self.committed = self.committed, before
        self.committed = before._replace(rows=after.rows, drafted=after.drafted)
        interrupts_may_come = [self.committed.root]  # a line of this file is none of the package's, hence the call
        self.cache.reserve(len(interrupts_may_come))
        self.committed = after
        return round_

    patch.setattr(Generation, "advance", piecewise)


@pytest.mark.parametrize("mutant", [kept_scaffolding, commit_in_two], ids=lambda mutant: mutant.__name__)
def test_the_harness_catches_a_generation_that_does_not(pairs, mutant):
    with pytest.MonkeyPatch.context() as patch:
        mutant(patch)
        with pytest.raises((AssertionError, ValueError)):
            interrupts.at_every_place(*pairs["golden"], points=500)
