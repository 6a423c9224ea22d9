"""Random pools for tests of selection: clouds, fronts and grids with ties and duplicates, dead and infeasible rows."""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from tensorrvea.population import Pool

KINDS = ("cloud", "front", "scales", "grid", "duplicates", "dead", "constrained", "infeasible")


class Rows(NamedTuple):
    """A pool in NumPy: objectives, violation, and which rows are alive."""

    f: np.ndarray
    violation: np.ndarray
    alive: np.ndarray

    @property
    def feasible(self) -> np.ndarray:
        return self.alive & (self.violation <= 0)

    def pool(self) -> Pool:
        """Return the pool that selection sees, with as many survivors as offspring."""
        f, violation = np.where(self.alive[:, None], self.f, np.inf), np.where(self.alive, self.violation, np.inf)
        is_new = np.arange(len(f)) >= len(f) // 2
        return Pool(
            jnp.asarray(f, jnp.float32),
            jnp.asarray(violation, jnp.float32),
            jnp.asarray(self.alive),
            jnp.asarray(is_new),
        )


def random_rows(seed: int, rows: int, objectives: int, kind: str) -> Rows:
    """Return a pool of a kind of ``KINDS``; its numbers are exact in single precision."""
    rng = np.random.default_rng([seed, objectives, KINDS.index(kind)])
    f = rng.random((rows, objectives))
    violation, alive = np.zeros(rows), np.ones(rows, bool)
    if kind in ("front", "scales", "duplicates"):
        f = f / np.linalg.norm(f, axis=1, keepdims=True)
    if kind == "scales":
        f = f * 10.0 ** rng.integers(-3, 4, objectives) + rng.normal(size=objectives)
    if kind == "grid":
        f = rng.integers(0, 4, f.shape)
    if kind == "duplicates":
        f = f[rng.integers(0, rows // 2, rows)]
    if kind == "dead":
        alive = rng.random(rows) < rng.choice([0.3, 0.8])
        alive[0] = True
    if kind == "constrained":
        violation = np.maximum(rng.normal(size=rows) + rng.choice([-0.7, 0, 0.7]), 0)
        alive = rng.random(rows) < 0.95
    if kind == "infeasible":
        violation = rng.integers(1, 9, rows).astype(float)
    return Rows(f.astype(np.float32).astype(float), violation.astype(np.float32).astype(float), alive)
