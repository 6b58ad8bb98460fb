"""Checks of the learner's own functions: `test_…` prints how one does, `check` gives the report."""

from .checks import EXERCISES, check, named_test
from .generation import check_generation, test_generation

__test__ = {}  # pytest collects no test_… function from a module that says so: these are for notebooks

test_normalize_fusion_weights = named_test("normalize_fusion_weights")
test_fuse_layer_features = named_test("fuse_layer_features")
test_score_candidate_tree = named_test("score_candidate_tree")
test_candidate_tree_contract = named_test("candidate_tree_contract")
test_accepted_prefix = named_test("accepted_prefix")
test_tree_attention_mask = named_test("tree_attention_mask")
test_verify_tree = named_test("verify_tree")

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
