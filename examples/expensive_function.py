"""Optimise a slow simulator that is not JAX code and sometimes fails, on all cores: a welded beam.

    python examples/expensive_function.py

The welded beam of Ragsdell and Phillips (1976) is optimised for cost and stiffness. Each evaluation takes 20 ms, like
the call of an external program, and fails to converge for some designs; the run continues without these.
"""

import os
import time

import numpy as np

import tensorrvea as tr

LOAD, LENGTH, STIFFNESS, SHEAR = 6000.0, 14.0, 30e6, 12e6


def simulate(x: np.ndarray) -> list[float]:
    """Return cost and deflection of a beam, then four constraints g ≤ 0."""
    time.sleep(0.02)
    h, l, t, b = x  # noqa: E741
    if t < 1:
        raise RuntimeError("the solver did not converge")
    cost = 1.10471 * h**2 * l + 0.04811 * t * b * (LENGTH + l)
    deflection = 4 * LOAD * LENGTH**3 / (STIFFNESS * t**3 * b)
    # Shear stress of the weld: primary, and from the moment.
    arm = np.sqrt(l**2 / 4 + (h + t) ** 2 / 4)
    primary = LOAD / (np.sqrt(2) * h * l)
    moment = LOAD * (LENGTH + l / 2) * arm / (2 * np.sqrt(2) * h * l * (l**2 / 12 + (h + t) ** 2 / 4))
    shear = np.sqrt(primary**2 + moment**2 + primary * moment * l / arm)
    bending = 6 * LOAD * LENGTH / (b * t**2)
    buckling = 4.013 * STIFFNESS * np.sqrt(t**2 * b**6 / 36) / LENGTH**2
    buckling *= 1 - t / (2 * LENGTH) * np.sqrt(STIFFNESS / (4 * SHEAR))
    return [cost, deflection, shear / 13600 - 1, bending / 30000 - 1, h - b, 1 - buckling / LOAD]


problem = tr.HostProblem(
    simulate,
    lower=[0.125, 0.1, 0.1, 0.125],
    upper=[5.0, 10.0, 10.0, 5.0],
    objectives=2,
    constraints=4,
    objective_names=["cost", "deflection"],
    units=["$", "in"],
    variable_names=["weld height", "weld length", "beam height", "beam width"],
    workers=os.cpu_count(),
    timeout=10,
)

with problem:
    result = tr.optimize(problem, tr.NSGA2(population=60), generations=30, seed=1, progress=True)

print(f"{result.evaluations} evaluations in {result.seconds:.1f} s, failed: {problem.failures or 'none'}")
print(f"{len(result.F)} feasible non-dominated designs; the cheapest and the stiffest:")
for row in (result.F[:, 0].argmin(), result.F[:, 1].argmin()):
    design = ", ".join(f"{name} {value:.2f}" for name, value in zip(problem.variable_names, result.X[row], strict=True))
    print(f"  {result.F[row, 0]:6.2f} $, {result.F[row, 1]:.4f} in: {design}")
