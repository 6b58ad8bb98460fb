"""Checks of the learner's own functions: `test_…` prints how one does, `check` gives the report."""

from .checks import (
    EXERCISES,
    check,
    test_accepted_prefix,
    test_candidate_tree_contract,
    test_fuse_layer_features,
    test_normalize_fusion_weights,
    test_score_candidate_tree,
    test_tree_attention_mask,
    test_verify_tree,
)
from .generation import check_generation, test_generation

__test__ = {}  # as in checks: these are for notebooks, not for pytest

__all__ = [
    "EXERCISES",
    "check",
    "check_generation",
    "test_accepted_prefix",
    "test_candidate_tree_contract",
    "test_fuse_layer_features",
    "test_generation",
    "test_normalize_fusion_weights",
    "test_score_candidate_tree",
    "test_tree_attention_mask",
    "test_verify_tree",
]
