"""EAGLE-style speculative decoding to touch: feature fusion, candidate trees, verification.

The public names load when they are used, so that importing the package stays cheap.
"""

import os
from importlib import import_module

# One BLAS thread, unless the reader has chosen otherwise: matrices of this size gain nothing from more, and on a
# busy machine two threads that wait for each other made a cell of notebook 02 take 84 s instead of 1.3 s.
for _library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

_ROOMS = {
    "fusion": ["normalize_fusion_weights", "fuse_layer_features", "fusion_shares"],
    "tree": ["CandidateTree", "score_candidate_tree", "rerank"],
    "verification": ["accepted_prefix", "verify", "Verdict"],
    "pairs": ["load_pair", "Pair"],
    "decode": ["greedy_decode", "speculative_decode", "Generation", "Decoding", "Round"],
    "benchmark": ["write_texts", "mean_tau", "tau_map", "tap_accuracy"],
    "trials": ["record", "origin_text"],
    "pictures.trees": ["draw_tree"],
    "pictures.charts": ["mask_chart", "passes_chart", "draw_simplex"],
    "pictures.views": ["tree_view", "fusion_view", "map_view"],
    "pictures.rounds": ["round_view", "walk_view"],
    "panels": ["tree_panel", "fusion_panel", "map_panel", "round_player", "walk_panel"],
    "language": ["use_language"],
    "environment": ["check_environment"],
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}
__all__ = sorted(_HOME)


def __getattr__(name: str):
    if name not in _HOME:
        raise AttributeError(f"module 'eagle_lab' has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
