"""Find reference sets of the RE and CRE problems, and write them to src/tensorrvea/problems/reference_designs.npz.

    python benchmarks/make_reference_sets.py [NAME ...]

NSGA-II with GA and with DE for a fixed number of generations, so that the result is the same each time. Of all
survivors, those are kept that are feasible and nondominated in double precision; of these, points far from each other,
which random steps then improve as long as no objective gets worse. With names, only these problems are done anew. The
gear train (CRE25, RE36) is enumerated.
"""

import sys
from itertools import combinations_with_replacement

import numpy as np

import tensorrvea as tr
from tensorrvea.problems.fronts import nondominated
from tensorrvea.problems.real_world import RealWorld
from tensorrvea.problems.reference_sets import FILE

GENERATIONS = 600
POPULATION = 200
SEEDS = range(1)
STORED = {2: 100, 3: 200}  # points by the number of objectives; MORE for four and more
MORE = 250
RANDOM, STEPS = 200_000, 3000  # designs drawn, and steps made, to improve the result at the end


def main(names: list[str]) -> None:
    stored = dict(np.load(FILE)) if FILE.exists() else {}
    for cls in (*tr.problems.SUITES["RE"], *tr.problems.SUITES["CRE"]):
        if names and cls.__name__ not in names:
            continue
        problem = cls()
        assert isinstance(problem, RealWorld)
        designs = gear_trains() if cls.__name__ in ("CRE25", "RE36") else search(problem)
        x = np.unique(designs.astype(np.float32).clip(problem.lower, problem.upper), axis=0).astype(np.float32)
        x = x[is_feasible(problem, x)]
        f = problem.objective_values(bounded(problem, x))
        x, f = x[nondominated(f)], f[nondominated(f)]
        chosen = far_apart(f, STORED.get(problem.objectives, MORE))
        stored[cls.__name__] = polish(problem, x[chosen])
        print(f"{cls.__name__}: {len(x)} nondominated designs, {len(chosen)} stored; ideal {f.min(axis=0)}", flush=True)
        np.savez_compressed(FILE, **stored)


def search(problem: RealWorld) -> np.ndarray:
    """Survivors of all runs, in the user's values."""
    found = []
    for variation in (tr.GA(), tr.DE()):
        for seed in SEEDS:
            algorithm = tr.NSGA2(population=POPULATION, variation=variation)
            found.append(tr.optimize(problem, algorithm, generations=GENERATIONS, seed=seed).X)
    return np.vstack(found)


def gear_trains() -> np.ndarray:
    """For each largest number of teeth, the gears with the smallest error."""
    pairs = np.array(list(combinations_with_replacement(range(12, 61), 2)))
    products, largest = pairs.prod(axis=1), pairs.max(axis=1)
    designs = []
    for limit in range(12, 61):
        allowed = largest <= limit
        error = abs(6.931 - products[allowed][:, None] / products[allowed][None])
        third, first = np.unravel_index(error.argmin(), error.shape)
        designs.append(np.concatenate([pairs[allowed][first], pairs[allowed][third]]))
    return np.array(designs, float)


def bounded(problem: RealWorld, x: np.ndarray) -> np.ndarray:
    return x.astype(float).clip(problem.lower, problem.upper)


def is_feasible(problem: RealWorld, x: np.ndarray) -> np.ndarray:
    constraints = problem.design(bounded(problem, x)).constraints
    if problem.constraint_values is None or not constraints:
        return np.ones(len(x), bool)
    return np.max(constraints, axis=0) <= 0


def polish(problem: RealWorld, x: np.ndarray) -> np.ndarray:
    """Move each design to feasible designs that dominate it, as far as they are found; return the nondominated."""
    x = x.copy()
    rng = np.random.default_rng(0)
    span = problem.upper - problem.lower
    f = problem.objective_values(bounded(problem, x))
    # With many objectives small steps seldom improve all of them: begin with the best of many random designs.
    drawn = problem.lower + rng.uniform(size=(RANDOM, problem.variables)) * span
    drawn = np.where(problem.integer, np.round(drawn), drawn).astype(np.float32)
    drawn = drawn[is_feasible(problem, drawn)]
    f_drawn = problem.objective_values(bounded(problem, drawn))
    for i in range(len(x)) if len(drawn) else ():
        gain = ((f[i] - f_drawn) / np.ptp(f, axis=0)).min(axis=1)
        if gain.max() > 0:
            x[i], f[i] = drawn[gain.argmax()], f_drawn[gain.argmax()]
    for _ in range(STEPS):
        step = rng.normal(size=x.shape) * (rng.uniform(size=x.shape) < 0.5) * 10.0 ** rng.uniform(-6, -0.5, (len(x), 1))
        tried = bounded(problem, x) + step * span
        tried = bounded(problem, np.where(problem.integer, np.round(tried), tried).astype(np.float32)).astype(
            np.float32
        )
        f_tried = problem.objective_values(bounded(problem, tried))
        better = (f_tried <= f).all(axis=1) & (f_tried < f).any(axis=1) & is_feasible(problem, tried)
        x, f = np.where(better[:, None], tried, x), np.where(better[:, None], f_tried, f)
    return x[nondominated(f)]


def far_apart(f: np.ndarray, count: int) -> np.ndarray:
    """Rows chosen one by one, each farthest from those before, starting with the extremes of the objectives."""
    scaled = (f - f.min(axis=0)) / np.maximum(np.ptp(f, axis=0), 1e-300)
    chosen = list(dict.fromkeys(scaled.argmin(axis=0).tolist()))
    gap = np.min([np.linalg.norm(scaled - scaled[i], axis=1) for i in chosen], axis=0)
    while len(chosen) < min(count, len(f)):
        chosen.append(int(gap.argmax()))
        gap = np.minimum(gap, np.linalg.norm(scaled - scaled[chosen[-1]], axis=1))
    return np.sort(chosen)


if __name__ == "__main__":
    main(sys.argv[1:])
