"""Nonsense in every argument of trials, views, players, panels and checks: refused by name, or told in place."""

import contextlib
import io
from functools import partial

import numpy as np
import pytest

import eagle_lab
from eagle_lab import exercises, load_pair, own, record, trials, use_language
from eagle_lab.language import use_language as chosen
from eagle_lab.panels.base import Panel

import test_nonsense
import test_nonsense_pictures
from test_nonsense import refused, shown_error, with_nonsense

pytestmark = pytest.mark.usefixtures("chinese")

PAIR = load_pair("stories")
OPENING = "从前，小明"
RECORDING = record(PAIR, OPENING, 12)
SHAPE = {"top_k": 2, "depth": 2, "budget": 3}
WEIGHTED = {"layer_weights": (1, 2, 1), **SHAPE}
OWN = {"normalize": eagle_lab.normalize_fusion_weights, "fuse": eagle_lab.fuse_layer_features}
SCORED = OWN | {"score": eagle_lab.score_candidate_tree}
MAPS = {"mine": eagle_lab.tau_map(PAIR, [OPENING], 1)}
FUNCTIONS = {
    "normalize",
    "fuse",
    "score",
    "mask",
    "verify",
    "function",
    "verify_tree",
}  # a reader's code may be anything


def right_mask(parents):
    return eagle_lab.CandidateTree(parents, parents, [0] * len(parents)).attention_mask()


def one_child(parents, tokens, choices):
    return [], choices[0]


DRESSED = {"mask": own.mask_by(right_mask), "verify": own.verify_by(one_child)}
AT = {"pair": PAIR, "prompt": OPENING}
GENERATION = {"pair": PAIR, "mask": right_mask, "verify_tree": one_child, "prompts": [OPENING]}

CALLS = {
    "record": (record, AT | {"tokens": 3} | WEIGHTED | DRESSED),
    "origin_text": (trials.origin_text, {"recording": RECORDING, "rounds": 1}),
    "origins": (lambda **given: list(trials.origins(**given)), {"recording": RECORDING, "rounds": 1}),
    "tau_after": (trials.tau_after, AT | WEIGHTED | SCORED),
    "first_round": (trials.first_round, AT | WEIGHTED | SCORED),
    "tree_view": (eagle_lab.tree_view, AT | WEIGHTED | SCORED | {"figure": None}),
    "fusion_view": (eagle_lab.fusion_view, AT | {"layer_weights": (1, 2, 1)} | OWN | {"figure": None}),
    "map_view": (eagle_lab.map_view, {"maps": MAPS, "layer_weights": (1, 2, 1), "figure": None}),
    "round_view": (eagle_lab.round_view, {"recording": RECORDING, "number": 1, "figure": None}),
    "walk_view": (eagle_lab.walk_view, AT | {"step": 1} | WEIGHTED | {"figure": None}),
    "tree_panel": (eagle_lab.tree_panel, {"pair": PAIR, "prompts": [OPENING]} | SCORED),
    "fusion_panel": (eagle_lab.fusion_panel, {"pair": PAIR, "prompts": [OPENING]} | OWN),
    "map_panel": (eagle_lab.map_panel, {"maps": MAPS}),
    "round_player": (eagle_lab.round_player, {"pair": PAIR, "prompts": [OPENING]} | WEIGHTED | DRESSED),
    "walk_panel": (eagle_lab.walk_panel, {"pair": PAIR, "prompts": [OPENING]} | WEIGHTED),
    "check": (exercises.check, {"name": "accepted_prefix", "function": eagle_lab.accepted_prefix}),
    "check_generation": (exercises.check_generation, GENERATION),
    "test_generation": (exercises.test_generation, GENERATION),
    **{
        f"test_{name}": (getattr(exercises, f"test_{name}"), {"function": eagle_lab.accepted_prefix})
        for name in exercises.EXERCISES
    },
    "use_language": (chosen, {"name": "zh"}),
    "load_pair": (load_pair, {"name": "stories", "drafter": None}),
    "load_pair by folders": (load_pair, {"target": None, "drafter": None}),
    "Pair.encode": (PAIR.encode, {"text": OPENING}),
    "Pair.token_text": (PAIR.token_text, {"token": 5}),
    "Pair.text": (PAIR.text, {"tokens": [5, 6]}),
}


def accidents(name: str) -> tuple[int, list[str]]:
    """How many calls with one argument of nonsense there were, and what of them was neither refused nor told."""
    undressed = ("mask", "verify") if name == "record" else ()  # somebody's own ways of verifying as they are
    return with_nonsense(*CALLS[name], partial(judge, tables=name.startswith("test_")), undressed)


def judge(argument: str, call, tables: bool) -> str | None:
    """What is wrong with how a call takes nonsense; `tables`: it prints one of every function."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            result = call()
        except (TypeError, ValueError) as error:
            named = refused(error, argument) or (argument in ("prompt", "prompts") and "开头" in str(error))
            return None if named else shown_error(error)
        except Exception as error:
            own_code = argument in FUNCTIONS and isinstance(error, own.OwnError)
            return None if own_code else shown_error(error)
    if isinstance(result, Panel):
        told, view = result.message, result.view
        result.close()
        name_there = "weights" if argument == "layer_weights" else argument
        if told and name_there not in told and argument not in FUNCTIONS | {"prompts"}:
            return f"the panel says {told[:150]}"
        return None if told or view else "neither a picture nor a sentence"
    if tables and argument in ("function", "verify_tree") and "test_" not in printed.getvalue():
        return "no table"
    return "NaN" if isinstance(result, float) and np.isnan(result) else None


@pytest.mark.parametrize("name", CALLS)
def test_nonsense_is_refused_by_name_or_told_in_place(name):
    _, found = accidents(name)
    assert not found, "\n".join(found)


def test_every_public_name_is_tried():
    """A door that nobody has listed here or in the other two files is no door that was tried."""
    tried = {name.split()[0].split(".")[0] for name in {*test_nonsense.CALLS, *test_nonsense_pictures.DOORS, *CALLS}}
    classes = {"Decoding", "Pair", "Round", "Verdict"}  # records, which readers are given and do not make
    assert set(eagle_lab.__all__) - tried - classes - {"check_environment"} == set()
    assert {f"test_{name}" for name in exercises.EXERCISES} < set(CALLS)
    use_language("zh")
