"""Layer fusion: how the features of several target layers become one draft input."""

from collections.abc import Sequence

import numpy as np

from .inputs import as_numbers, check_numbers, kind_of


def normalize_fusion_weights(weights) -> list[float]:
    """Scale non-negative weights so that they sum to 1.

    `weights`: a list, tuple, 1-D array or tensor of finite numbers `[layers]`, at least one above 0.
    Returns plain Python floats, in the same order.

    Raises `ValueError` for weights that are empty, negative, not finite or all zero, and
    `TypeError` for anything without an order of plain numbers (dict, set, text, generator, booleans).

    Source: the chapter's convex fusion; the EAGLE-3 paper (arXiv 2503.01840) learns one matrix
    over all layers instead, of which a convex sum is a special case.

    >>> normalize_fusion_weights([1, 3])
    [0.25, 0.75]
    """
    values = check_numbers(weights, "weights")
    if not values:
        raise ValueError("weights is empty: give one weight per layer")
    for layer, value in enumerate(values):
        if not np.isfinite(value):
            raise ValueError(f"weights[{layer}] is {value}: weights must be finite")
        if value < 0:
            raise ValueError(f"weights[{layer}] is {value}: weights must not be negative")
    total = sum(values)
    if total == 0:
        raise ValueError("weights sum to 0: at least one weight must be positive")
    if np.isinf(total):  # only then: dividing by the maximum first would change the bits of ordinary sums
        largest = max(values)
        return normalize_fusion_weights([value / largest for value in values])
    return [value / total for value in values]


def fuse_layer_features(layer_features, weights):
    """Add the layers' features, each times its normalised weight.

    `layer_features`: a list of rows `[layers][hidden]`, or one array `[layers, …, hidden]`;
    `weights` `[layers]` as in `normalize_fusion_weights`, which is applied here.
    Returns a list of floats `[hidden]` for lists, an array `[…, hidden]` for an array.

    Raises `ValueError` for rows of unequal or zero width, values that are not finite (a weight of 0 does not hide them)
    and a number of layers that differs from the number of weights, `TypeError` for what holds no numbers.

    Source: the chapter's convex fusion. The drafter calls this on features that have passed
    through its own projection, so equal weights are exactly EAGLE-3's `fc`.

    >>> fuse_layer_features([[2, 4], [6, 0]], [1, 3])
    [5.0, 1.0]
    """
    shares = normalize_fusion_weights(weights)
    is_array = hasattr(layer_features, "__array__") and not isinstance(layer_features, Sequence)
    features = np.asarray(layer_features) if is_array else _matrix(layer_features)
    _check_features(features, len(shares))
    with np.errstate(over="ignore"):  # a sum of shares may round to a little above 1
        fused = shares[0] * features[0]
        for share, feature in zip(shares[1:], features[1:], strict=True):
            fused = fused + share * feature
    if not np.isfinite(fused).all():
        raise ValueError("layer_features are too large to add up")
    return fused if is_array else fused.tolist()


def fusion_shares(layer_features, weights) -> list[float]:
    """How much of the fused feature each layer accounts for: ⟨α_l·f_l, h⟩ / ⟨h, h⟩, which sums to 1.

    `layer_features` `[layers, hidden]`, `weights` `[layers]` as in `fuse_layer_features`. A share is negative where a
    layer pulls against the others, and grows with its scale. Raises `ValueError` where the features cancel out.

    >>> fusion_shares([[1.0, 0.0], [100.0, 0.0]], [1, 1])
    [0.009900990099009901, 0.9900990099009901]
    """
    fused = np.asarray(fuse_layer_features(layer_features, weights), dtype=np.float64)
    features = np.asarray(layer_features, dtype=np.float64)
    if features.ndim != 2:
        raise ValueError(f"layer_features must be [layers, hidden], not of shape {features.shape}")
    if not fused.any():
        raise ValueError("layer_features cancel out under these weights: the fused feature is 0")
    scale, scales = _exponent(fused), _exponent(features)
    fused, features = np.ldexp(fused, -scale), np.ldexp(features, -scales)  # by powers of two: no bit is rounded
    parts = np.asarray(normalize_fusion_weights(weights)) * (features @ fused) / float(fused @ fused)
    with np.errstate(over="ignore", under="ignore"):
        shares = np.ldexp(parts, scales[:, 0] - scale)
    if not np.isfinite(shares).all():
        raise ValueError("layer_features all but cancel out under these weights: the shares have no bounds")
    return shares.tolist()


def _exponent(rows: np.ndarray) -> np.ndarray:
    """The power of two above each row's largest number `[…, 1]`: rows divided by it can be multiplied safely."""
    return np.frexp(np.abs(rows).max(axis=-1, keepdims=True))[1]


def _check_features(features: np.ndarray, layers: int) -> None:
    as_numbers(features, "layer_features")
    if features.ndim < 2:
        raise ValueError(f"layer_features must be [layers, …, hidden], not of shape {features.shape}")
    if len(features) != layers:
        raise ValueError(f"layer_features has {len(features)} layers, but weights has {layers}")
    if features.shape[-1] == 0:
        raise ValueError("layer_features has rows of width 0")
    if not np.isfinite(features).all():
        place = "".join(f"[{i}]" for i in np.argwhere(~np.isfinite(features))[0])
        raise ValueError(f"layer_features{place} is not finite")


def _matrix(rows) -> np.ndarray:
    """Rows of numbers as a float64 matrix `[layers, hidden]`; unequal widths are named."""
    if not isinstance(rows, Sequence) or isinstance(rows, (str, bytes)):
        raise TypeError(f"layer_features must be a list of rows or an array, not {kind_of(rows)}")
    matrix = [check_numbers(row, f"layer_features[{layer}]") for layer, row in enumerate(rows)]
    widths = [len(row) for row in matrix]
    for layer, width in enumerate(widths):
        if width != widths[0]:
            raise ValueError(f"layer_features[{layer}] has width {width}, but layer_features[0] has width {widths[0]}")
    return np.array(matrix, dtype=np.float64).reshape(len(matrix), max(widths, default=0))
