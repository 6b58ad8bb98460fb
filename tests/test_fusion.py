"""The course's fusion functions: exact values, every kind of input, every refusal."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eagle_lab import fuse_layer_features, fusion_shares, normalize_fusion_weights

NAN, INF = math.nan, math.inf

weight_lists = st.lists(st.floats(0, 1e6), min_size=1, max_size=8).filter(lambda weights: sum(weights) > 0)


def test_normalize_gives_the_course_values():
    assert normalize_fusion_weights([1, 3]) == [0.25, 0.75]
    assert normalize_fusion_weights([5]) == [1.0]
    assert normalize_fusion_weights([0, 2, 0]) == [0.0, 1.0, 0.0]


def test_fuse_gives_the_course_values():
    assert fuse_layer_features([[2, 4], [6, 0]], [1, 3]) == [5.0, 1.0]
    assert fuse_layer_features([[1.5]], [7]) == [1.5]


@pytest.mark.parametrize(
    "weights",
    [
        (1, 3),
        np.array([1, 3]),
        np.array([1, 3], dtype=np.uint8),
        np.array([1, 3], dtype=np.float16),
        np.array([1, 3], dtype=np.float32),
        np.array([1.0, 3.0]),
        [np.float32(1), np.int64(3)],
        [np.array(1.0), Fraction(3)],
        range(1, 4, 2),
    ],
)
def test_normalize_takes_every_kind_of_sequence(weights):
    shares = normalize_fusion_weights(weights)
    assert type(shares) is list and [type(share) for share in shares] == [float, float]
    assert shares == [0.25, 0.75]


def test_float32_weights_are_read_as_the_numbers_they_are():
    weights = np.array([0.1, 0.2, 0.3], dtype=np.float32)
    assert normalize_fusion_weights(weights) == normalize_fusion_weights([float(w) for w in weights])


@given(weight_lists)
def test_normalize_is_each_weight_over_the_sum_bit_for_bit(weights):
    before = list(weights)
    assert normalize_fusion_weights(weights) == [w / sum(weights) for w in weights]
    assert weights == before


@given(weight_lists, st.sampled_from([2.0**-20, 0.5, 4.0, 2.0**30]))
def test_shares_do_not_change_with_a_common_factor(weights, factor):
    assert normalize_fusion_weights([factor * w for w in weights]) == pytest.approx(
        normalize_fusion_weights(weights), rel=1e-12
    )


@pytest.mark.parametrize("layers", range(1, 201))
def test_equal_weights_sum_to_one_within_rounding(layers):
    assert sum(normalize_fusion_weights([0.1] * layers)) == pytest.approx(1, abs=1e-12)


def test_a_sum_that_overflows_is_scaled_and_only_then():
    assert normalize_fusion_weights([1.7e308, 1.7e308]) == [0.5, 0.5]
    assert normalize_fusion_weights([1.6e308, 0.8e308, 0.0]) == pytest.approx([2 / 3, 1 / 3, 0])
    weights = [0.1, 0.1, 0.7]  # scaling these by their maximum would change bits
    scaled = [w / max(weights) for w in weights]
    assert normalize_fusion_weights(weights) == [w / sum(weights) for w in weights]
    assert normalize_fusion_weights(weights) != [w / sum(scaled) for w in scaled]


def test_subnormal_weights_count():
    assert normalize_fusion_weights([5e-324, 5e-324]) == [0.5, 0.5]
    assert normalize_fusion_weights([5e-324, 1.0]) == [5e-324, 1.0]
    assert fuse_layer_features([[5e-324], [5e-324]], [0, 1]) == [5e-324]


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ([], ValueError, "weights is empty"),
        (np.array([]), ValueError, "weights is empty"),
        ([0, 0], ValueError, "weights sum to 0"),
        (np.array([0.0]), ValueError, "weights sum to 0"),
        ([-0.0], ValueError, "weights sum to 0"),
        ([1, -1], ValueError, r"weights\[1\] is -1.*negative"),
        ([-5e-324, 1], ValueError, r"weights\[0\].*negative"),
        ([NAN, 1], ValueError, r"weights\[0\] is nan.*finite"),
        ([1, NAN], ValueError, r"weights\[1\] is nan.*finite"),
        ([INF, 1], ValueError, r"weights\[0\] is inf.*finite"),
        ([1, -INF], ValueError, r"weights\[1\] is -inf.*finite"),
        (np.array([1, NAN], dtype=np.float32), ValueError, r"weights\[1\] is nan"),
        ([1, 10**400], ValueError, r"weights\[1\] is too large"),
        ({0: 1.0, 1: 3.0}, TypeError, "weights must be a list.*dict"),
        ({1, 3}, TypeError, "weights must be a list.*set"),
        ("13", TypeError, "weights must be a list.*str"),
        (b"13", TypeError, "weights must be a list.*bytes"),
        ((w for w in (1, 3)), TypeError, "weights must be a list.*generator"),
        (None, TypeError, "weights must be a list.*NoneType"),
        (3, TypeError, "weights must be a list.*int"),
        (np.array(3.0), TypeError, "weights must be a list.*float"),
        (np.ones((2, 2)), TypeError, r"weights\[0\] must be a number, not list"),
        ([1, True], TypeError, r"weights\[1\] must be a number, not bool"),
        (np.array([True, False]), TypeError, r"weights\[0\] must be a number, not bool"),
        ([1, "3"], TypeError, r"weights\[1\] must be a number, not str"),
        ([1, None], TypeError, r"weights\[1\] must be a number, not NoneType"),
        ([1, 2j], TypeError, r"weights\[1\] must be a number, not complex"),
        ([1, np.array([1, 2])], TypeError, r"weights\[1\] must be a number, not ndarray"),
        ([1, np.array([3])], TypeError, r"weights\[1\] must be a number, not ndarray"),
    ],
)
def test_bad_weights_are_refused_by_place(weights, error, message):
    with pytest.raises(error, match=message):
        normalize_fusion_weights(weights)


@pytest.mark.parametrize(
    ("features", "weights", "error", "message"),
    [
        ([[1], [1, 2]], [1, 1], ValueError, r"layer_features\[1\] has width 2.*layer_features\[0\] has width 1"),
        ([[1, 2], []], [1, 1], ValueError, r"layer_features\[1\] has width 0"),
        ([[], []], [1, 1], ValueError, "width 0"),
        (np.ones((2, 0)), [1, 1], ValueError, "width 0"),
        ([], [1], ValueError, "layer_features has 0 layers, but weights has 1"),
        ([[1], [2]], [1], ValueError, "layer_features has 2 layers, but weights has 1"),
        ([[1]], [1, 1], ValueError, "layer_features has 1 layers, but weights has 2"),
        (np.ones((3, 4)), [1, 1], ValueError, "layer_features has 3 layers, but weights has 2"),
        ([[1], [NAN]], [1, 0], ValueError, r"layer_features\[1\]\[0\] is not finite"),
        ([[1, INF], [1, 1]], [0, 1], ValueError, r"layer_features\[0\]\[1\] is not finite"),
        (np.array([[[1.0]], [[-INF]]]), [1, 0], ValueError, r"layer_features\[1\]\[0\]\[0\] is not finite"),
        ([[1, 10**400]], [1], ValueError, r"layer_features\[0\]\[1\] is too large"),
        (np.ones(3), [1, 1, 1], ValueError, "layer_features must be"),
        ([1, 2], [1, 1], TypeError, r"layer_features\[0\] must be a list"),
        ([[1, "2"]], [1], TypeError, r"layer_features\[0\]\[1\] must be a number"),
        ([[1, True]], [1], TypeError, r"layer_features\[0\]\[1\] must be a number"),
        ([[[1]]], [1], TypeError, r"layer_features\[0\]\[0\] must be a number, not list"),
        ([{1: 2}], [1], TypeError, r"layer_features\[0\] must be a list.*dict"),
        ({0: [1]}, [1], TypeError, "layer_features must be a list.*dict"),
        ("ab", [1, 1], TypeError, "layer_features must be a list.*str"),
        ((row for row in [[1]]), [1], TypeError, "layer_features must be a list.*generator"),
        (np.ones((2, 2), dtype=bool), [1, 1], TypeError, "layer_features must hold real numbers, not bool"),
        (np.ones((2, 2), dtype=complex), [1, 1], TypeError, "layer_features must hold real numbers, not complex"),
        (np.array([["a"], ["b"]]), [1, 1], TypeError, "layer_features must hold real numbers"),
        ([[1], [2]], [1, -1], ValueError, r"weights\[1\]"),
    ],
)
def test_bad_features_are_refused_by_place(features, weights, error, message):
    with pytest.raises(error, match=message):
        fuse_layer_features(features, weights)


@given(
    st.integers(1, 5).flatmap(
        lambda layers: st.tuples(
            st.lists(
                st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3),
                min_size=layers,
                max_size=layers,
            ),
            st.lists(st.floats(0.01, 10), min_size=layers, max_size=layers),
        )
    )
)
def test_fuse_adds_layer_by_layer_bit_for_bit(case):
    features, weights = case
    before = [list(row) for row in features]
    shares, expected = normalize_fusion_weights(weights), []
    for column in zip(*features, strict=True):
        total = shares[0] * column[0]
        for share, value in zip(shares[1:], column[1:], strict=True):
            total += share * value
        expected.append(total)
    fused = fuse_layer_features(features, weights)
    assert fused == expected and features == before
    assert type(fused) is list and all(type(value) is float for value in fused)
    assert fuse_layer_features(np.array(features), weights).tolist() == expected


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_an_array_comes_back_as_an_array_of_its_own_kind(dtype):
    features = np.arange(24, dtype=dtype).reshape(2, 3, 4)
    before = features.copy()
    fused = fuse_layer_features(features, np.array([1, 3]))
    assert type(fused) is np.ndarray and fused.dtype == dtype and fused.shape == (3, 4)
    assert np.array_equal(fused, features[0] * dtype(0.25) + features[1] * dtype(0.75))
    assert np.array_equal(features, before) and not np.shares_memory(fused, features)


@pytest.mark.parametrize("exponent", [-1022, -700, -300, 0, 300, 664, 1000])
def test_shares_do_not_depend_on_the_features_scale(exponent):
    features, weights = [[1.0, 2.0], [-3.0, 0.5], [0.25, 4.0]], [1, 2, 3]
    expected = fusion_shares(features, weights)
    scaled = np.ldexp(np.array(features), exponent)
    assert fusion_shares(scaled, weights) == pytest.approx(expected, rel=1e-12) and sum(expected) == pytest.approx(1)
    assert fusion_shares([[1e200, 0.0], [1e200, 1e200]], [1, 1]) == pytest.approx([0.4, 0.6])


def test_shares_of_scales_far_apart():
    assert fusion_shares([[1e300], [1e-300]], [1, 1]) == [1.0, 0.0]
    assert fusion_shares([[1e300], [1e-300]], [0, 1]) == [0.0, 1.0]
    with pytest.raises(ValueError, match="cancel out"):
        fusion_shares([[1e300], [-1e300]], [1, 1])


def test_the_largest_features_add_up_or_are_refused():
    largest = np.finfo(float).max
    assert fuse_layer_features([[largest], [largest]], [1, 1]) == [largest]
    with pytest.raises(ValueError, match="layer_features are too large to add up"):
        fuse_layer_features([[largest]] * 3, [0.3] * 3)  # 0.3 / 0.9 is rounded up


def test_whole_numbers_in_an_array_are_not_cut():
    assert fuse_layer_features(np.array([[1, 2], [2, 3]]), [1, 1]).tolist() == [1.5, 2.5]


def test_rows_may_be_tuples_or_arrays():
    assert fuse_layer_features(((2, 4), (6, 0)), (1, 3)) == [5.0, 1.0]
    assert fuse_layer_features([np.array([2, 4]), np.array([6, 0])], [1, 3]) == [5.0, 1.0]


def test_a_result_does_not_share_memory_with_a_single_layer():
    features = np.ones((1, 3), dtype=np.float32)
    fuse_layer_features(features, [1])[:] = 9
    assert (features == 1).all()


@pytest.mark.training
def test_torch_tensors_are_read_as_the_numbers_they_are():
    import torch

    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.int64):
        assert normalize_fusion_weights(torch.tensor([1, 3], dtype=dtype)) == [0.25, 0.75]
    assert normalize_fusion_weights([torch.tensor(1.0), torch.tensor(3.0)]) == [0.25, 0.75]
    fused = fuse_layer_features(torch.tensor([[2.0, 4.0], [6.0, 0.0]]), torch.tensor([1, 3]))
    assert fused.tolist() == [5.0, 1.0]
