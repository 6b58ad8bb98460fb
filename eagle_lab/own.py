"""A reader's own functions in the engine's place: run under guard, their answers checked, and what a check found.

Whatever is wrong with one of them comes out as one `OwnError`, which names the function and never a setting.
"""

from collections.abc import Callable
from dataclasses import replace
from types import BuiltinFunctionType, FunctionType
from weakref import WeakKeyDictionary

import numpy as np

from .contracts import check_verdict
from .guard import Ear, OwnError, guarded, name_of
from .inputs import check_numbers, check_sequence, check_whole
from .language import word
from .tree import ROOT, CandidateTree
from .verification import Verdict


class OwnAnswerError(OwnError):
    """A reader's function ended with an answer that cannot be: `key` says in which sentence that is told."""

    def __init__(self, function, key: str, **fields):
        super().__init__(name_of(function), ValueError(key))
        self.key, self.fields = key, fields

    def __str__(self) -> str:
        return word(self.key, function=self.function, **self.fields)


# ── dressed for the engine ───────────────────────────────────────────────────────────────────────


def weights_by(function, layer_weights, layers: int) -> list[float]:
    """What a reader's `normalize_fusion_weights` makes of `layer_weights`: one number for each of the `layers`.

    >>> weights_by(lambda weights: [weight / 4 for weight in weights], [1, 3], 2)
    [0.25, 0.75]
    """
    return guarded(function, lambda: _numbers(function, function(list(layer_weights)), layers))


def fuse_by(function) -> Callable:
    """A reader's `fuse_layer_features`, lists in and lists out, on every position of `[layers, n, H]`.

    >>> fuse_by(lambda rows, weights: rows[0])(np.ones((3, 1, 2)), [1, 1, 1]).tolist()
    [[1.0, 1.0]]
    """

    def fuse(features: np.ndarray, weights) -> np.ndarray:
        positions = features.transpose(1, 0, 2).tolist()  # [n][layers][H]
        fused = [_numbers(function, function(rows, list(weights)), features.shape[2]) for rows in positions]
        return np.array(fused, dtype=np.float32)

    return _dressed(function, fuse)


def weighted_sum(features: np.ndarray, weights) -> np.ndarray:
    """The layers `[layers, n, H]`, each times its weight as it stands, added up: what a wrong weighting leads to.

    >>> weighted_sum(np.ones((2, 1, 2)), [1, 3]).tolist()
    [[4.0, 4.0]]
    """
    return np.tensordot(np.asarray(weights, dtype=features.dtype), features, axes=1)


def score_by(function) -> Callable:
    """A reader's `score_candidate_tree`, asked for the whole pool so far whenever a tree has grown a level."""
    pool: list[dict] = []

    def score(beam: np.ndarray, above: np.ndarray, edges: np.ndarray) -> np.ndarray:
        if beam[0] == ROOT:  # a new tree
            pool.clear()
        for parent, row in zip(beam.tolist(), edges.tolist(), strict=True):
            pool.extend({"parent": parent, "token": len(pool) + i, "log_score": edge} for i, edge in enumerate(row))
        given, _ = _two(function, function([dict(node) for node in pool]), "own_scores")
        return np.array(_numbers(function, given, len(pool))[-edges.size :]).reshape(edges.shape)

    return _dressed(function, score)


def mask_by(function) -> Callable:
    """A reader's `tree_attention_mask(parents) -> rows`, dressed for `speculative_decode(mask=…)`.

    >>> mask_by(lambda parents: [[1, 0], [1, 1]])(CandidateTree([-1], [5], [-0.1])).tolist()
    [[True, False], [True, True]]
    """

    def mask(tree: CandidateTree) -> np.ndarray:
        size, answer = 1 + len(tree), function(tree.parents.tolist())
        try:
            rows = [list(check_sequence(row, "row")) for row in check_sequence(answer, "mask")]
        except TypeError:
            rows = []
        if [len(row) for row in rows] != [size] * size or any(cell not in (0, 1) for row in rows for cell in row):
            raise OwnAnswerError(function, "own_mask", given=_kind(answer), size=size)
        return np.array(rows, dtype=bool)

    return _dressed(function, mask)


def verify_by(function) -> Callable:
    """A reader's `verify_tree(parents, tokens, choices) -> (accepted, token)`, dressed for `verify=…` likewise.

    Raises `OwnError` for a walk that is no path of the tree, and for a token that is none.

    >>> tree = CandidateTree([-1, 0], [5, 6], [-0.1, -0.2])
    >>> verify_by(lambda parents, tokens, choices: ([0], choices[1]))(tree, np.eye(7)[[5, 4, 0]])
    Verdict(accepted=(0,), rejected=(1,), next_token=4)
    """

    def verify(tree: CandidateTree, logits, *, temperature=0.0) -> Verdict:
        choices = np.argmax(logits, axis=1).tolist()
        nodes, token = _two(function, function(tree.parents.tolist(), tree.tokens.tolist(), choices), "own_verdict")
        try:
            accepted = tuple(check_whole(node, "accepted") for node in check_sequence(nodes, "accepted"))
            walked = check_verdict(Verdict(accepted, (), check_whole(token, "next_token")), tree, len(logits[0]))
        except (TypeError, ValueError) as error:
            raise OwnAnswerError(function, "own_walk", error=error) from None
        return replace(walked, rejected=tuple(tree.children([ROOT, *accepted][-1])))

    return _dressed(function, verify)


def _dressed(function, work: Callable) -> Callable:
    """`work`, which calls a reader's `function`, under guard; all calls share one ear: a generation makes hundreds."""
    ear = Ear()

    def dressed(*given, **settings):
        return guarded(function, lambda: work(*given, **settings), ear=ear)

    dressed.__wrapped__ = function
    return dressed


def undressed(function):
    """The reader's function in what was dressed here; any other function as it is.

    >>> undressed(mask_by(len)), undressed(max)
    (<built-in function len>, <built-in function max>)
    """
    dressed = type(function) is FunctionType and function.__module__ == __name__
    return function.__wrapped__ if dressed else function


def _two(function, answer, key: str):
    """An answer of two parts; `key` says in which sentence any other is told."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        raise OwnAnswerError(function, key, given=_kind(answer))
    return answer


def _numbers(function, answer, count: int) -> list[float]:
    """An answer as that many finite numbers."""
    try:
        numbers = check_numbers(answer, "answer")
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != count or not np.isfinite(numbers).all():
        raise OwnAnswerError(function, "own_numbers", given=_kind(answer), count=count)
    return numbers


def _kind(answer) -> str:
    """What an answer is, in a few signs."""
    if answer is None or isinstance(answer, (bool, int, float, str)):
        return repr(answer)[:40]
    length = f"[{len(answer)}]" if isinstance(answer, (list, tuple, dict, set)) else ""
    return type(answer).__name__ + length


def shares_by(fuse: Callable, projected: np.ndarray, weights) -> list[float] | None:
    """Each layer's share of what `fuse` makes of `projected` `[layers, H]`: ⟨the layer alone, h⟩ / ⟨h, h⟩.

    None where the layers alone do not add up to the whole: then `fuse` is no weighted sum, and there are no shares.

    >>> shares_by(weighted_sum, np.array([[1.0, 0.0], [3.0, 0.0]]), [0.5, 0.5])
    [0.25, 0.75]
    """
    layers = len(projected)
    alone = np.where(np.eye(layers, dtype=bool)[:, :, None], projected[:, None], 0)  # [layers, a position each, H]
    whole, *parts = fuse(np.concatenate((projected[:, None], alone), axis=1), weights).astype(float)
    length = whole @ whole
    if not length or not np.allclose(sum(parts), whole, rtol=1e-3, atol=1e-3 * np.abs(whole).max()):
        return None
    return [float(part @ whole / length) for part in parts]


# ── verdicts: the exercises leave them here, and panels read them ────────────────────────────────

_verdicts: WeakKeyDictionary = WeakKeyDictionary()  # function -> {name of the check: whether it passed}


def leave_verdict(function, name: str, passed: bool) -> None:
    """Note how the check `name` of a reader's `function` ended; its next run writes over this.

    The note goes when the function goes. What cannot be such a key (`_can_be_kept`) is passed over in silence.

    >>> def halve(x): return x / 2
    >>> leave_verdict(halve, "halving", True); verdict_on(halve)
    True
    """
    if _can_be_kept(function):
        _verdicts.setdefault(function, {})[name] = passed


def verdict_on(function) -> bool | None:
    """Whether every check that this function went through passed at its last run; None if there was none.

    A function that is defined anew is another one, and starts unchecked.

    >>> verdict_on(print) is None
    True
    """
    checks = _verdicts.get(function) if _can_be_kept(function) else None
    return checks and all(checks.values())


def _can_be_kept(function) -> bool:
    """Whether a thing can be a key by what it is, so that no code of its class is run."""
    kind = type(function)
    plain = kind.__hash__ is object.__hash__ or kind in (FunctionType, BuiltinFunctionType)
    return plain and kind.__weakrefoffset__ > 0
