"""The parts of the reader that are written for speed give what their definitions give."""

from __future__ import annotations

import numpy as np

from kg_neo4j_offline.networks.relation_network import _gelu, _norm


def test_gelu_is_that_of_the_hyperbolic_tangent_also_far_from_zero():
    x = np.linspace(-60, 60, 4_001).astype(np.float32).reshape(-1, 1)
    bias = np.float32([0.25])
    exact = (x + bias).astype(np.float64)
    exact = 0.5 * exact * (1 + np.tanh(0.7978845608 * (exact + 0.044715 * exact**3)))
    _gelu(x, bias)
    assert np.allclose(x, exact, rtol=1e-5, atol=1e-6)


def test_a_normalised_row_has_mean_and_spread_of_its_weights():
    random = np.random.default_rng(7)
    x = (random.standard_normal((5, 64)) * 9 + 4).astype(np.float32)
    weight, bias = (random.standard_normal(64).astype(np.float32) for _ in range(2))
    exact = (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True) * weight + bias
    _norm(x, weight, bias)
    assert np.allclose(x, exact, atol=1e-5)
