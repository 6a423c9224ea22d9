"""Invariants of every algorithm and every variation, with and without constraints."""

from functools import cache
from typing import Any, NamedTuple

import cases
import jax
import jax.numpy as jnp
import numpy as np
import oracle
import pytest
from sizes import QUICKLY

import tensorrvea as tr
from tensorrvea.evolution import Clock
from tensorrvea.population import Population

POPULATION, GENERATIONS, SEEDS = 28, 60, 5

PROBLEMS = {
    "plain": tr.problems.DTLZ2(objectives=3, variables=12),
    "constrained": tr.problems.C2DTLZ2(objectives=3, variables=12),
}
# One of each kind of selection and memory; the others are in the slow tests.
REPRESENTATIVE = ("TensorRVEA-GA", "NSGA2-PSO", "RandomSearch-")


class Runs(NamedTuple):
    """States of all seeds: of the first population, after one generation and after the last."""

    first: Any
    early: Any
    last: Any
    traces: int


def key_of(key, t, use):
    return jax.random.fold_in(jax.random.fold_in(key, t), use)


def evaluate(problem, key, x, t):
    """Return objectives and one constraint, which a problem without any always satisfies."""
    f, g = problem.evaluate(key_of(key, t, 1), x)
    return f, g if problem.num_constraints else jnp.zeros((len(x), 1), f.dtype)


def clock(t):
    return Clock(t / GENERATIONS, jnp.maximum(t - 1, 0) / GENERATIONS)


@cache
def compiled(name: str) -> tuple:
    """Return ``init`` and a generation without its evaluation, for three seeds at a time and both problems."""
    algorithm, problem = cases.make(name, POPULATION), PROBLEMS["constrained"]
    traces = []

    def generation(key, state, offspring, f, g, t):
        traces.append(t)
        state = algorithm.tell(key_of(key, t, 2), state, offspring, f, g, clock(t))
        return state, algorithm.ask(key_of(key, t + 1, 0), state, problem)

    first = jax.vmap(lambda key: algorithm.init(key_of(key, 0, 0), problem))
    begin = jax.jit(first, compiler_options=QUICKLY)
    generations = jax.jit(jax.vmap(generation, in_axes=(0, 0, 0, 0, 0, None)), compiler_options=QUICKLY)
    return begin, generations, traces


@cache
def runs(name: str, problem_name: str) -> Runs:
    begin, generation, traces = compiled(name)
    problem = PROBLEMS[problem_name]
    measure = jax.jit(jax.vmap(lambda key, x, t: evaluate(problem, key, x, t), in_axes=(0, 0, None)))
    keys = jax.vmap(jax.random.key)(np.arange(SEEDS, dtype=np.uint32))
    state, offspring = begin(keys)
    states: list = []
    for t in map(np.int32, range(GENERATIONS + 1)):
        state, offspring = generation(keys, state, offspring, *measure(keys, offspring.x, t), t)
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
    "name", [pytest.param(name, marks=() if name in REPRESENTATIVE else pytest.mark.slow) for name in cases.PAIRS]
)
def test_every_algorithm_and_variation_satisfies_the_invariants(name):
    for problem in PROBLEMS:
        check(name, problem)


def check(name: str, problem: str) -> None:
    made, target = cases.make(name, POPULATION), PROBLEMS[problem]
    found = runs(name, problem)
    last, early = found.last.population, found.early.population
    assert found.traces == 1
    assert last.alive.shape[1] == made.places(target.objectives)
    for seed in range(SEEDS):
        x, f, violation, alive = (np.asarray(leaf[seed]) for leaf in last[:4])
        # No value is NaN, living rows are finite and within the bounds, and empty places hold the fill values.
        assert alive.any()
        for leaf in jax.tree.leaves((last, found.last.extra)):
            assert not np.isnan(np.asarray(leaf, np.float64)).any()
        assert np.isfinite(f[alive]).all()
        assert np.isfinite(violation[alive]).all()
        assert ((x[alive] >= 0) & (x[alive] <= 1)).all()
        assert np.isinf(f[~alive]).all()
        assert np.isinf(found.last.score[seed][~alive]).all()
        assert not np.isnan(found.last.score[seed]).any()
        # The objectives of an individual are those of its variables.
        again, limits = evaluate(target, jax.random.key(0), jnp.asarray(x[:10]), 0)
        np.testing.assert_allclose(
            np.where(alive[:10, None], again, 0), np.where(alive[:10, None], f[:10], 0), atol=1e-4
        )
        np.testing.assert_allclose(
            np.where(alive[:10, None], limits, 0), np.where(alive[:10, None], last.g[seed][:10], 0), atol=1e-4
        )
        # The front is feasible and no point of it is dominated.
        front = front_of(last, seed)
        assert len(front) > 0
        assert not any(oracle.dominates(a, b) for a in front for b in front)
    # Seeds differ.
    assert not np.array_equal(last.x[0], last.x[1])
    # Eager execution gives the same first generation up to rounding, which may change the order of ties.
    key, first = jax.random.key(0), jax.tree.map(lambda leaf: jnp.asarray(leaf[0]), found.first)
    with jax.disable_jit():
        offspring = made.ask(key_of(key, 1, 0), first, target)
        f, g = evaluate(target, key, offspring.x, 1)
        eager = made.tell(key_of(key, 1, 2), first, offspring, f, g, clock(1))
    apart = np.abs(individuals(eager.population)[:, None] - individuals(of_seed(early, 0))).max(axis=2)
    assert apart.min(axis=0).max() < 1e-3
    assert apart.min(axis=1).max() < 1e-3
    # An algorithm is better than random search.
    if name != "RandomSearch-" and not name.endswith("-Random"):
        baseline = runs("RandomSearch-", problem).last.population
        assert distance(last, target) < distance(baseline, target)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in REPRESENTATIVE else pytest.mark.slow) for name in cases.EACH_PART]
)
def test_every_algorithm_records_its_populations_and_resumes_from_a_checkpoint(name, tmp_path, monkeypatch):
    monkeypatch.setattr("tensorrvea.runs.keep.SHARE", 1e9)
    algorithm, problem = cases.make(name, POPULATION), PROBLEMS["constrained"]
    options = {"generations": 6, "seed": 1, "history": "populations", "archive": 5, "every": 1}

    def interrupt(result):
        if result.generations == 4:
            raise MemoryError

    whole = tr.optimize(problem, algorithm, callbacks=lambda _: None, **options)
    with pytest.raises(MemoryError):
        tr.optimize(problem, algorithm, callbacks=interrupt, directory=tmp_path, checkpoint_seconds=0.0, **options)
    assert tr.load(tmp_path).generations == 3
    resumed = tr.resume(tmp_path)
    # Every living survivor is in the history, and the last entry is the result.
    assert whole.capacity == algorithm.places(problem.objectives)
    assert [len(each) for each in whole.history.populations] == whole.history.living.tolist()
    np.testing.assert_array_equal(whole.history.populations[-1].F, whole.population.F)
    for one, other in zip(whole.history.populations, resumed.history.populations, strict=True):
        np.testing.assert_array_equal(one.X, other.X)
        np.testing.assert_array_equal(one.F, other.F)
    np.testing.assert_array_equal(whole.archive.F, resumed.archive.F)
