"""Three problems with equality constraints: how much of the front is found. The figures of docs/constraints.md.

    python benchmarks/equalities.py

60 individuals, 200 generations, one seed. Each line has the number of feasible solutions, and the range of the first
objective that they cover, as a share of that of the true front.
"""

import jax.numpy as jnp
import numpy as np

import tensorrvea as tr

RETURNS = np.array([0.05, 0.08, 0.12, 0.10])
VARIANCES = np.array([0.01, 0.03, 0.09, 0.05])
# The portfolio of the smallest variance has weights in proportion to 1 / variance.
SAFEST = float(RETURNS @ (1 / VARIANCES) / (1 / VARIANCES).sum())

PROBLEMS = {
    # Distances to two points of a circle: the front is the arc between them, on which f1 is 0 to 2.
    "circle": (
        tr.Problem(
            lambda x: jnp.stack([(x[0] - 1) ** 2 + x[1] ** 2, x[0] ** 2 + (x[1] - 1) ** 2]),
            lower=[-2.0] * 2, upper=[2.0] * 2, objectives=2,
            equalities=lambda x: x[0] ** 2 + x[1] ** 2 - 1,
        ),
        2.0,
    ),
    "portfolio": (
        tr.Problem(
            lambda w: jnp.stack([RETURNS @ w, VARIANCES @ w**2]),
            lower=[0.0] * 4, upper=[1.0] * 4, directions=("max", "min"),
            equalities=lambda w: w.sum() - 1,
        ),
        RETURNS.max() - SAFEST,
    ),
    # x2 = x1², x3 = 1 − x2: the front is 0 ≤ x1 ≤ 1.
    "two equalities": (
        tr.Problem(
            lambda x: jnp.stack([x[0] ** 2 + x[3], (x[0] - 1) ** 2 + x[3]]),
            lower=[0.0] * 4, upper=[1.0] * 4, objectives=2,
            equalities=lambda x: jnp.stack([x[1] - x[0] ** 2, x[2] + x[1] - 1]),
        ),
        1.0,
    ),
}  # fmt: skip

if __name__ == "__main__":
    for name, (problem, width) in PROBLEMS.items():
        for algorithm in (tr.NSGA2(population=60), tr.CCMO(population=60)):
            f = tr.optimize(problem, algorithm, generations=200, seed=1).F[:, 0]
            covered = np.ptp(f) / width if len(f) else 0.0
            print(f"{name}, {type(algorithm).__name__}: {len(f)} solutions, {covered:.2f} of the range", flush=True)
