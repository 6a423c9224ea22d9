"""No problem makes an array that is larger than a few times its rows' variables and objectives."""

import jax
import pytest
from jax.extend import core

from tensorrvea import problems

ROWS = 100_000


def largest_array(jaxpr: core.Jaxpr) -> int:
    """Elements of the largest intermediate value, also in nested programs."""
    sizes = [0]
    for equation in jaxpr.eqns:
        sizes += [var.aval.size for var in equation.outvars if hasattr(var.aval, "size")]
        for parameter in jax.tree.leaves(
            equation.params, is_leaf=lambda p: isinstance(p, core.ClosedJaxpr | core.Jaxpr)
        ):
            if isinstance(parameter, core.ClosedJaxpr | core.Jaxpr):
                inner = parameter.jaxpr if isinstance(parameter, core.ClosedJaxpr) else parameter
                sizes.append(largest_array(inner))
    return max(sizes)


@pytest.mark.parametrize("cls", problems.NAMED.values())
def test_arrays_are_linear_in_variables_and_objectives(cls):
    problem = cls()
    x = jax.ShapeDtypeStruct((ROWS, problem.variables), "float32")
    jaxpr = jax.make_jaxpr(problem.evaluate)(jax.random.key(0), x).jaxpr
    assert largest_array(jaxpr) <= 2 * ROWS * (problem.variables + problem.objectives)


def test_a_quadratic_array_is_found():
    def pairs(x):
        return (x[:, :, None] - x[:, None, :]).sum(axis=(1, 2))

    x = jax.ShapeDtypeStruct((10, 20), "float32")
    assert largest_array(jax.make_jaxpr(jax.jit(pairs))(x).jaxpr) == 4000
