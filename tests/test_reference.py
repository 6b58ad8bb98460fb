"""The numpy reference of the official tree bookkeeping follows the recorded runs of the official code exactly."""

import json

import numpy as np
import pytest

from checks import assert_same
from measure.reference import grow
from models import GOLDEN

CASES = json.loads((GOLDEN / "tree_cases" / "tree_cases_k1_k2_k3.json").read_text())["cases"]


def tables(case: dict) -> list[tuple[np.ndarray, np.ndarray]]:
    """What the official drafter said: draft ids and log-probabilities of every level."""
    return [
        (np.array(record["topk_index"]), np.array(record["topk_logprob"], dtype=np.float32))
        for record in case["expansion"]
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_reference_follows_the_official_code(case):
    levels, asked = iter(tables(case)), []

    def expand(tokens, rows):
        asked.append((tokens.tolist(), rows.tolist()))
        return next(levels)

    shape = case["top_k"], case["depth"] + 1, case["total_token"] - 1
    d2t = None if case["d2t"] is None else np.array(case["d2t"])
    tree = grow(case["root_token"], next(levels), expand, d2t, *shape, in_order=case["sampling_sort"])
    assert_same(tree.tokens, case["draft_tokens"], "tokens")
    assert_same(tree.parents, case["parents"], "parents")
    assert_same(tree.selected, case["selected_flat_index"], "kept of the pool")
    assert_same(tree.mask.astype(int), case["tree_mask"], "mask")
    assert_same(tree.positions, case["tree_position_ids"], "positions")
    assert_same(tree.retrieve, case["retrieve_indices"], "the ways to the leaves")
    for number, ((tokens, rows), record) in enumerate(zip(asked, case["beam_inputs"][1:], strict=True)):
        assert tokens == record["input_ids"], f"beam {number}"
        if number:
            flat = np.array(case["expansion"][number]["next_beam_flat_index"])
            assert rows == (flat // case["top_k"]).tolist(), f"rows of beam {number}"
