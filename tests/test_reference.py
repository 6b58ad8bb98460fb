"""The numpy reference of the official tree bookkeeping follows the recorded runs of the official code exactly."""

import json

import numpy as np
import pytest

from checks import assert_same
from measure.reference import grow, mask_and_positions, retrieve
from models import GOLDEN

CASES = json.loads((GOLDEN / "tree_cases" / "tree_cases_k1_k2_k3.json").read_text())["cases"]


def tables(case: dict) -> list[tuple[np.ndarray, np.ndarray]]:
    """What the official drafter said: target ids and log-probabilities of every level."""
    offsets = np.array(case["d2t"] or [0] * case["draft_vocab_size"])
    levels = []
    for record in case["expansion"]:
        ids = np.array(record["topk_index"])
        levels.append((ids + offsets[ids], np.array(record["topk_logprob"], dtype=np.float32)))
    return levels


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_reference_follows_the_official_code(case):
    levels, asked = iter(tables(case)), []

    def expand(tokens, rows):
        asked.append((tokens.tolist(), rows.tolist()))
        return next(levels)

    shape = case["top_k"], case["depth"] + 1, case["total_token"] - 1
    tree = grow(case["root_token"], next(levels), expand, *shape)
    assert_same(tree.tokens, case["draft_tokens"], "tokens")
    assert_same(tree.parents, case["parents"], "parents")
    assert_same(tree.selected, case["selected_flat_index"], "kept of the pool")
    mask, positions = mask_and_positions(tree.parents)
    assert_same(mask.astype(int), case["tree_mask"], "mask")
    assert_same(positions, case["tree_position_ids"], "positions")
    assert retrieve(tree.parents, positions, case["sampling_sort"]) == case["retrieve_indices"]
    for number, ((tokens, rows), record) in enumerate(zip(asked, case["beam_inputs"][1:], strict=True)):
        assert tokens == record["input_ids"], f"beam {number}"
        if number:
            flat = np.array(case["expansion"][number]["next_beam_flat_index"])
            assert rows == (flat // case["top_k"]).tolist(), f"rows of beam {number}"
