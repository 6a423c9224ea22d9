"""Problems like ZDT and DTLZ with their optima at random places: for choosing settings, and shown in no comparison.

At the optima of the suites themselves, all distance variables are equal: at a bound (ZDT), or at 0.5 (DTLZ).
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

import tensorrvea as tr
from tensorrvea.problem import Problem

Function = Callable[[jax.Array], jax.Array]


def smooth(z: jax.Array) -> jax.Array:
    return (z**2).sum()


def rugged(z: jax.Array) -> jax.Array:
    """Rastrigin's function as in DTLZ1 and DTLZ3, with a local optimum in every tenth of a variable."""
    return 100 * (len(z) + (z**2 - jnp.cos(20 * jnp.pi * z)).sum())


def random_optimum(seed: int, variables: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.2, 0.8, variables)


def shifted_zdt(number: int, variables: int, seed: int) -> Problem:
    """ZDT1 or ZDT4 with a random optimum for each variable but the first."""
    optimum = random_optimum(seed, variables - 1)

    def objectives(x: jax.Array) -> jax.Array:
        z = x[1:] - optimum
        if number == 1:
            g = 1 + 9 * (jnp.abs(z) / jnp.maximum(optimum, 1 - optimum)).mean()
        else:
            g = 1 + 10 * (variables - 1) + ((10 * z) ** 2 - 10 * jnp.cos(40 * jnp.pi * z)).sum()
        return jnp.stack([x[0], g * (1 - jnp.sqrt(x[0] / g))])

    front = tr.problems.ZDT1().front(1000)
    return Problem(objectives, lower=[0.0] * variables, upper=[1.0] * variables, name=f"ZDT{number}", front=front)


def shifted_dtlz(
    name: str,
    distance: Function,
    transform: Function,
    variables: int,
    seed: int,
    bias: int = 1,
    powers: tuple[float, ...] = (1.0, 1.0, 1.0),
) -> Problem:
    """A point of the unit sphere, transformed, and moved from the ideal point by a distance to a random optimum.

    With ``powers``, each objective is then raised to one, so that their scales differ far from the front.
    """
    optimum = random_optimum(seed, variables - 2)

    def objectives(x: jax.Array) -> jax.Array:
        angle = x[:2] ** bias * jnp.pi / 2
        (c1, c2), (s1, s2) = jnp.cos(angle), jnp.sin(angle)
        return (transform(jnp.stack([c1 * c2, c1 * s2, s1])) * (1 + distance(x[2:] - optimum))) ** jnp.array(powers)

    sphere = np.asarray(tr.problems.DTLZ2(objectives=3).front(1500))
    front = np.asarray(jax.vmap(transform)(jnp.asarray(sphere))) ** np.array(powers)
    return Problem(objectives, lower=[0.0] * variables, upper=[1.0] * variables, name=name, front=front)


def shifted_problems() -> dict[str, Problem]:
    """Smooth and rugged problems, with concave, convex, inverted and badly scaled fronts, and a biased density."""
    scales = jnp.array([1.0, 4.0, 10.0])
    made = [
        shifted_zdt(1, 25, seed=1),
        shifted_zdt(4, 8, seed=4),
        shifted_dtlz("DTLZ2", smooth, lambda f: f, 11, seed=12),
        shifted_dtlz("DTLZ3", rugged, lambda f: f, 8, seed=13),
        shifted_dtlz("DTLZ3, inverted and scaled", rugged, lambda f: scales * (1 - f), 8, seed=15),
        shifted_dtlz("DTLZ3, convex", rugged, lambda f: f**4, 8, seed=61),
        shifted_dtlz("DTLZ3, to the powers 4, 3, 3", rugged, lambda f: f, 8, seed=81, powers=(4.0, 3.0, 3.0)),
        shifted_dtlz("DTLZ4", smooth, lambda f: f, 10, seed=51, bias=100),
        shifted_dtlz("DTLZ4, convex and scaled", smooth, lambda f: scales * f**3, 9, seed=52, bias=100),
    ]
    return {problem.name: problem for problem in made}
