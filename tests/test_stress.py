"""Lossless to the last position: a smaller version of `measure.stress`."""

from collections import Counter

import pytest

from measure import stress


@pytest.mark.parametrize("start", range(0, 24, 6))
def test_random_models_write_the_targets_own_tokens_to_the_last_position(start):
    seen = sum(map(stress.run, range(start, start + 6)), Counter())
    assert seen["tokens"] > 500 and seen["accepted"] > 0.05 * seen["rounds"]
