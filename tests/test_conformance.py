"""One test for every algorithm × every variation, with constraints and without: what the core promises of each."""

from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import oracle
import pytest
from sizes import QUICKLY

import tensorrvea as tr
from tensorrvea.population import Population

POPULATION, GENERATIONS, SEEDS = 28, 60, 3

VARIATIONS = {"GA": tr.GA(), "DE": tr.DE(), "PSO": tr.PSO(), "CSO": tr.CSO(), "Random": tr.Random()}
BREEDING = {"TensorRVEA": tr.TensorRVEA, "RVEA": tr.RVEA, "NSGA2": tr.NSGA2}
PROBLEMS = {
    "plain": tr.problems.DTLZ2(objectives=3, variables=12),
    "constrained": tr.problems.C2DTLZ2(objectives=3, variables=12),
}
CASES = [*[(algorithm, variation) for algorithm in BREEDING for variation in VARIATIONS], ("RandomSearch", "")]
# Each kind of selection once; all algorithms with all variations are in the slow tests.
REPRESENTATIVE = [("TensorRVEA", "GA"), ("NSGA2", "PSO"), ("RandomSearch", "")]


class Runs(NamedTuple):
    """States of all seeds: of the first population, after one generation and after all."""

    first: Any
    early: Any
    last: Any
    traces: int


def make(algorithm: str, variation: str):
    if algorithm == "RandomSearch":
        return tr.RandomSearch(population=POPULATION)
    return BREEDING[algorithm](population=POPULATION, variation=VARIATIONS[variation])


def evaluate(problem, key, x, t):
    return problem.evaluate(jax.random.fold_in(key, 1_000_000 + t), x)


def ask(algorithm, problem, key, state, t):
    return algorithm.ask(jax.random.fold_in(key, t), state, problem)


@cache
def compiled(algorithm_name: str, variation: str) -> tuple:
    """A first population, and a turn from one generation to the next, for three seeds at a time and both problems."""
    algorithm, problem = make(algorithm_name, variation), PROBLEMS["plain"]
    traces = []

    def turn(key, state, offspring, f, violation, t):
        traces.append(t)
        state = algorithm.tell(state, offspring, f, violation, t / GENERATIONS)
        return state, ask(algorithm, problem, key, state, t + 1)

    first = jax.vmap(lambda key: algorithm.init(jax.random.fold_in(key, 0), problem))
    begin = jax.jit(first, compiler_options=QUICKLY)
    turns = jax.jit(jax.vmap(turn, in_axes=(0, 0, 0, 0, 0, None)), compiler_options=QUICKLY)
    return begin, turns, traces


@cache
def runs(algorithm_name: str, variation: str, problem_name: str) -> Runs:
    begin, turn, traces = compiled(algorithm_name, variation)
    problem = PROBLEMS[problem_name]
    measure = jax.jit(jax.vmap(lambda key, x, t: evaluate(problem, key, x, t), in_axes=(0, 0, None)))
    keys = jax.vmap(jax.random.key)(np.arange(SEEDS, dtype=np.uint32))
    state, offspring = begin(keys)
    states: list = []
    for t in map(np.int32, range(GENERATIONS + 1)):
        state, offspring = turn(keys, state, offspring, *measure(keys, offspring.x, t), t)
        states = [*states[:2], state]
    return Runs(*(jax.device_get(state) for state in states), len(traces))


def of_seed(population: Population, seed: int) -> Population:
    return jax.tree.map(lambda leaf: leaf[seed], population)


def individuals(population: Population) -> np.ndarray:
    alive = np.asarray(population.alive)
    return np.concatenate([np.asarray(population.x)[alive], np.asarray(population.f)[alive]], axis=1)


def front_of(population: Population, seed: int) -> np.ndarray:
    one = of_seed(population, seed)
    f = one.f[one.alive & (one.violation <= 0)]
    return f[tr.nondominated(f)] if len(f) else f


def distance(population: Population, problem: tr.Problem) -> float:
    front = problem.front(500)
    return float(np.median([tr.metrics.igd(front_of(population, seed), front) for seed in range(SEEDS)]))


@pytest.mark.parametrize(
    ("algorithm", "variation"),
    [pytest.param(*case, marks=() if case in REPRESENTATIVE else pytest.mark.slow) for case in CASES],
)
def test_every_algorithm_with_every_variation_keeps_the_promises_of_the_core(algorithm, variation):
    for problem in PROBLEMS:
        check(algorithm, variation, problem)


def check(algorithm: str, variation: str, problem: str) -> None:
    made, target = make(algorithm, variation), PROBLEMS[problem]
    found = runs(algorithm, variation, problem)
    last, early = found.last.population, found.early.population
    assert found.traces == 1
    for seed in range(SEEDS):
        x, f, violation, alive = (np.asarray(leaf[seed]) for leaf in last[:4])
        # Nobody is a NaN, the living are finite and within the bounds, and the dead have no values.
        assert alive.any()
        for leaf in jax.tree.leaves(last):
            assert not np.isnan(np.asarray(leaf, np.float64)).any()
        assert np.isfinite(f[alive]).all()
        assert np.isfinite(violation[alive]).all()
        assert ((x[alive] >= 0) & (x[alive] <= 1)).all()
        assert np.isinf(f[~alive]).all()
        # What is said of an individual is true of it.
        again, violated = target.evaluate(jax.random.key(0), jnp.asarray(x[:10]))
        np.testing.assert_allclose(
            np.where(alive[:10, None], again, 0), np.where(alive[:10, None], f[:10], 0), atol=1e-4
        )
        np.testing.assert_allclose(
            np.where(alive[:10], violated, 0), np.where(alive[:10], violation[:10], 0), atol=1e-4
        )
        # The front is feasible and nobody on it is dominated.
        front = front_of(last, seed)
        assert len(front) > 0
        assert not any(oracle.dominates(a, b) for a in front for b in front)
    # Seeds differ.
    assert not np.array_equal(last.x[0], last.x[1])
    # Eagerly, the first generation is the same to rounding, which may also change the order of equals.
    key, first = jax.random.key(0), jax.tree.map(lambda leaf: jnp.asarray(leaf[0]), found.first)
    with jax.disable_jit():
        offspring = ask(made, target, key, first, 1)
        eager = made.tell(first, offspring, *evaluate(target, key, offspring.x, 1), 1 / GENERATIONS)
    apart = np.abs(individuals(eager.population)[:, None] - individuals(of_seed(early, 0))).max(axis=2)
    assert apart.min(axis=0).max() < 1e-3
    assert apart.min(axis=1).max() < 1e-3
    # Breeding is better than not breeding.
    if algorithm != "RandomSearch" and variation != "Random":
        baseline = runs("RandomSearch", "", problem).last.population
        assert distance(last, target) < distance(baseline, target)
