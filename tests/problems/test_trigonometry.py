"""Accuracy of the trigonometric functions, against NumPy in double precision."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tensorrvea.problems.trigonometry import cosine_of_turns, sine_of_quarter_turns, versine_of_turns


def angles() -> np.ndarray:
    """Single-precision angles: of several turns, close to whole and half turns, and tiny ones."""
    rng = np.random.default_rng(3)
    near = rng.uniform(-1, 1, 20_000) * 10.0 ** rng.uniform(-7, -1, 20_000)
    return np.concatenate([rng.uniform(-50, 50, 100_000), near, near + 0.5, near + 3, near - 0.25, [0, 0.5, 1]]).astype(
        np.float32
    )


def exact_versine(turns: np.ndarray) -> np.ndarray:
    turns = turns.astype(float)
    return 2 * np.sin(np.pi * (turns - np.round(turns))) ** 2


def test_versine_is_accurate_to_four_units_in_the_last_place():
    turns = angles()
    expected = exact_versine(turns)
    error = np.abs(np.asarray(jax.jit(versine_of_turns)(turns), float) - expected)
    large = expected > np.finfo(np.float32).tiny
    assert (error[large] / np.spacing(expected[large].astype(np.float32))).max() < 4
    assert error[~large].max(initial=0) < np.finfo(np.float32).tiny


def test_cosine_is_accurate_in_single_precision_and_better_than_the_general_one():
    turns = angles()
    expected = 1 - exact_versine(turns)
    error = np.abs(np.asarray(jax.jit(cosine_of_turns)(turns), float) - expected).max()
    general = np.abs(np.asarray(jnp.cos(2 * jnp.pi * turns), float) - expected).max()
    assert error < 4e-7
    assert error < general


def test_whole_and_half_turns_are_exact():
    turns = jnp.array([0.0, 1.0, -7.0, 1000.0, 0.5, -2.5])
    assert cosine_of_turns(turns).tolist() == [1.0, 1.0, 1.0, 1.0, -1.0, -1.0]


def test_sine_of_quarter_turns_is_accurate_to_three_units_in_the_last_place():
    quarters = np.concatenate([np.linspace(0, 1, 100_001), 10.0 ** -np.arange(1, 30)]).astype(np.float32)
    expected = np.sin(0.5 * np.pi * quarters.astype(float))
    error = np.abs(np.asarray(jax.jit(sine_of_quarter_turns)(quarters), float) - expected)
    assert (error / np.spacing(expected.astype(np.float32))).max() < 3
    assert sine_of_quarter_turns(jnp.array([0.0, 1.0])).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("function", [versine_of_turns, cosine_of_turns, sine_of_quarter_turns])
def test_double_precision_is_kept(function):
    with jax.enable_x64(True):
        x = np.linspace(0, 1, 1001)
        exact = {
            versine_of_turns: 2 * np.sin(np.pi * x) ** 2,
            cosine_of_turns: np.cos(2 * np.pi * x),
            sine_of_quarter_turns: np.sin(0.5 * np.pi * x),
        }[function]
        np.testing.assert_allclose(np.asarray(function(jnp.asarray(x))), exact, rtol=1e-12, atol=1e-15)
