"""Powers by polynomials, compared with double precision."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tensorrvea.powers import exp2, log2, power
from tensorrvea.selection.association.chord import arcsine

BASES = np.concatenate([10.0 ** np.linspace(-37.9, 37.9, 20_001), np.linspace(1e-6, 2, 20_001)]).astype(np.float32)


@pytest.mark.parametrize("exponent", [1 / 31, 1 / 21, -1 / 31, 0.3, 1.0, 21.0])
def test_power_agrees_with_double_precision(exponent):
    exponent = np.float32(exponent)
    with np.errstate(over="ignore", under="ignore"):
        exact = BASES.astype(float) ** float(exponent)
    in_range = (exact > 2.0**-125) & (exact < 2.0**125)
    made = np.asarray(jax.jit(power)(BASES, exponent), float)[in_range]
    allowed = 3e-7 * (1 + np.abs(np.log2(exact[in_range])))
    assert (np.abs(made / exact[in_range] - 1) < allowed).all()


def test_one_to_any_power_and_any_number_to_the_power_of_zero_are_exactly_one():
    assert (power(jnp.ones(3), jnp.array([0.01, 1.0, 50.0])) == 1).all()
    assert (power(jnp.array([0.0, 1e-30, 0.3, 7.0]), 0.0) == 1).all()


def test_powers_of_zero_and_powers_that_are_too_small_are_zero():
    assert (power(jnp.zeros(3), jnp.array([1 / 101, 1 / 31, 21.0])) == 0).all()
    assert float(power(jnp.float32(0.01), 21.0)) == 0
    assert float(exp2(jnp.float32(-200))) == 0


def test_powers_that_are_too_large_are_finite():
    assert 2.0**125 < float(power(jnp.float32(1e30), 21.0)) < 2.0**127.5


def test_log2_of_zero_is_finite():
    assert float(log2(jnp.float32(0))) == -(2.0**20)


def test_power_grows_with_its_base():
    base = jnp.linspace(0, 1, 4097)
    assert (jnp.diff(power(base, 1 / 31)) >= -1e-6).all()


def test_double_precision_uses_the_general_functions():
    with jax.enable_x64(True):
        base = jnp.linspace(0.01, 1, 100)
        np.testing.assert_allclose(power(base, 1 / 31), np.linspace(0.01, 1, 100) ** (1 / 31), rtol=1e-14)
        np.testing.assert_allclose(arcsine(base), np.arcsin(np.linspace(0.01, 1, 100)), rtol=1e-14)


def test_arcsine_agrees_with_double_precision():
    x = np.concatenate([10.0 ** np.linspace(-30, 0, 2001), np.linspace(0, 1, 20_001)]).astype(np.float32)
    exact = np.arcsin(x.astype(float))
    assert (np.abs(np.asarray(arcsine(x), float) - exact) <= 2.5e-7 * exact).all()
