"""Random pools for selection: one front or many, ties, duplicates, infeasible and dead rows."""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

import tensorrvea as tr
from tensorrvea.population import Pool

KINDS = ("many fronts", "one front", "ties", "duplicates", "constrained", "infeasible", "dead", "few")


class Rows(NamedTuple):
    """A pool of 2n rows, for n survivors."""

    f: np.ndarray
    violation: np.ndarray
    alive: np.ndarray

    @property
    def feasible(self) -> np.ndarray:
        return self.alive & (self.violation <= 0)

    def pool(self) -> Pool:
        """Return what the library's selection takes."""
        f = jnp.asarray(np.where(self.alive[:, None], self.f, np.inf), jnp.float32)
        violation = jnp.asarray(np.where(self.alive, self.violation, np.inf), jnp.float32)
        return Pool(f, violation, jnp.asarray(self.alive), jnp.arange(len(f)) >= len(f) // 2)

    def ranks(self) -> np.ndarray:
        """Return the fronts of constrained domination, on the host; dead rows have the number of rows."""
        rank = np.full(len(self.f), len(self.f))
        feasible = self.feasible
        rank[feasible] = tr.ranks(self.f[feasible])
        fronts = rank[feasible].max(initial=-1) + 1
        levels = np.unique(self.violation[self.alive & ~feasible])
        for number, level in enumerate(levels):
            rank[self.alive & ~feasible & (self.violation == level)] = fronts + number
        return rank


def random_rows(seed: int, kind: str, objectives: int, survivors: int) -> Rows:
    """Return a pool of the given kind; its values are those of single precision."""
    rng = np.random.default_rng(seed)
    n = 2 * survivors
    f = rng.random((n, objectives))
    violation, alive = np.zeros(n), np.ones(n, bool)
    if kind in ("one front", "duplicates", "dead"):
        # On a surface on which an L_p norm is 1, with objectives of different scales.
        f /= (f ** (p := rng.uniform(0.5, 3))).sum(axis=1, keepdims=True) ** (1 / p)
        f = f * 10.0 ** rng.integers(-2, 3, objectives) + rng.normal(size=objectives)
    if kind == "ties":
        f = rng.integers(0, 8, (n, objectives)) / 8
    if kind == "duplicates":
        f[rng.permutation(n)[: n // 2]] = f[rng.integers(0, n, n // 2)]
    if kind == "constrained":
        violation = np.maximum(rng.random(n) - rng.uniform(0.1, 0.9), 0)
    if kind == "infeasible":
        violation = rng.integers(1, 5, n) * (rng.random(n) < rng.choice([0.7, 1.0]))
    if kind == "dead":
        alive = rng.random(n) < 0.8
    if kind == "few":
        alive = rng.random(n) < rng.choice([0.05, 0.2, 0.4])
        alive[0] = True
    return Rows(f.astype(np.float32).astype(float), violation.astype(np.float32).astype(float), alive)
