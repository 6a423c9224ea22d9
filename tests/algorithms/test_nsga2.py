"""NSGA-II: survivors against a transcription and pymoo's survival, and fronts against pymoo's at equal evaluations."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from pools import KINDS, random_rows
from pymoo.algorithms.moo import nsga2 as pymoo_nsga2
from pymoo.core.population import Population as PymooPopulation
from pymoo.core.problem import Problem as PymooProblem
from pymoo.optimize import minimize
from pymoo.problems import get_problem
from sizes import QUICKLY

import tensorrvea as tr
from tensorrvea.evolution import Clock, State
from tensorrvea.mating import binary_tournaments
from tensorrvea.population import Offspring, Population

N = 20
PROBLEM = tr.problems.C2DTLZ2(objectives=3, variables=7)  # one constraint


compiled_select = jax.jit(tr.NSGA2.select, compiler_options=QUICKLY)
tell = jax.jit(tr.NSGA2.tell)
tournaments = jax.jit(binary_tournaments, static_argnums=3)


def tell_rows(algorithm, f, violation, state=None):
    """Return the state after telling rows with these objectives, identified by their first variable."""
    x = jnp.asarray(np.arange(len(f))[:, None] * np.eye(1, PROBLEM.variables), jnp.float32)
    if state is None:
        state, _ = algorithm.init(jax.random.key(0), PROBLEM)
    return tell(
        algorithm, jax.random.key(0), state, Offspring(x), jnp.asarray(f), jnp.asarray(violation), Clock(0.5, 0.4)
    )


def select(rows):
    """Return the rows that survive, best first, and their scores."""
    m = rows.f.shape[1]
    nothing = Population(jnp.zeros((N, 1)), jnp.zeros((N, m)), jnp.zeros(N), jnp.zeros(N, bool))
    state = State(nothing, jnp.zeros(N))
    chosen = compiled_select(tr.NSGA2(population=N), jax.random.key(0), state, rows.pool(), Clock(0.5, 0.4))
    filled = np.asarray(chosen.filled)
    return np.asarray(chosen.row)[filled], np.asarray(chosen.score)[filled]


def crowding_by_paper(f):
    """Section III-B, for one front: the loop as it is printed, for the first of each set of equal rows; 0 for others.

    Rows with the same value of an objective stay in the order of the pool. An objective in which all rows are equal
    has no ends and adds nothing.
    """
    distance = np.zeros(len(f))
    first = [i for i in range(len(f)) if not any((f[i] == f[j]).all() for j in range(i))]
    if len(first) == 1:
        distance[first] = np.inf
    for values in f.T:
        order = sorted(first, key=lambda i: values[i])
        span = values[order[-1]] - values[order[0]]
        if span > 0:
            distance[[order[0], order[-1]]] = np.inf
            for before, i, after in zip(order, order[1:], order[2:], strict=False):
                distance[i] += (values[after] - values[before]) / span
    return distance


@pytest.mark.parametrize("objectives", [2, 3, 5, 10])
def test_survivor_k_has_the_rank_and_the_crowding_distance_of_the_kth_best_row(objectives):
    """Of rows that are equal in both, or almost equal in the distance, any may survive.

    In every fifth pool, an objective is constant.
    """
    divided = 0
    for kind in KINDS:
        for seed in range(10):
            pool = random_rows(seed, kind, objectives, N)
            if seed % 5 == 4:
                pool.f[:, -1] = pool.f[0, -1]
            rank = pool.ranks()
            distance = np.zeros(len(rank))
            for front in np.unique(rank[pool.alive]):
                distance[rank == front] = crowding_by_paper(pool.f[rank == front])
            best = sorted(np.flatnonzero(pool.alive), key=lambda i: (rank[i], -distance[i]))
            survivors, score = select(pool)
            assert pool.alive[survivors].all()
            assert len(set(survivors)) == len(survivors) == min(N, len(best))
            np.testing.assert_array_equal(rank[survivors], rank[best[:N]])
            np.testing.assert_allclose(distance[survivors], distance[best[:N]], rtol=1e-5)
            # Equal rows share a score, and others do not.
            steps = np.diff(score)
            own, following = distance[survivors[:-1]], distance[survivors[1:]]
            same_rank = np.diff(rank[survivors]) == 0
            equal = same_rank & (own == following) & ((own == 0) | np.isinf(own))
            differing = ~same_rank | ~np.isclose(own, following, rtol=1e-5, atol=0)
            assert score[0] == 0
            assert set(steps) <= {0, 1}
            assert (steps[equal] == 0).all()
            assert (steps[differing] == 1).all()
            divided += len(best) > N and rank[best[N - 1]] == rank[best[N]] and distance[best[N]] < np.inf
    # In other pools, only ranks, violations or equally infinite distances decide.
    assert divided >= 40


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("constrained", [False, True])
def test_survivors_agree_with_pymoo(seed, constrained):
    rng = np.random.default_rng(seed)
    n, rows = 40, 80
    f = rng.random((rows, 3)).astype(np.float32)
    violation = np.maximum(rng.random(rows) - 0.4, 0).astype(np.float32) * constrained
    algorithm = tr.NSGA2(population=n)
    state = tell_rows(algorithm, f[n:], violation[n:], tell_rows(algorithm, f[:n], violation[:n]))

    pool = PymooPopulation.new(X=np.arange(rows)[:, None], F=f.astype(float), G=violation[:, None].astype(float))
    kind = PymooProblem(n_var=1, n_obj=3, n_ieq_constr=int(constrained))
    survival = pymoo_nsga2.RankAndCrowding()
    expected = survival.do(kind, pool, n_survive=n, random_state=np.random.default_rng(0)).get("F")
    ours = sorted(map(tuple, np.asarray(state.population.f)))
    assert ours == sorted(map(tuple, expected.astype(np.float32)))
    assert bool(state.population.alive.all())


def test_survivors_are_sorted_from_best_to_worst():
    f = np.array([[3, 3, 3], [1, 2, 1], [2, 1, 1], [1, 2, 1], [9, 9, 9], [0, 0, 0]], np.float32)
    violation = np.array([0, 0, 0, 0, 0, 1], np.float32)
    state = tell_rows(tr.NSGA2(population=6), f, violation)
    # The first two have infinite distance and share a score; their duplicate has distance 0.
    assert state.population.x[:, 0].tolist() == [1, 2, 3, 0, 4, 5]
    assert state.score.tolist() == [0, 0, 1, 2, 3, 4]


def test_failed_evaluations_leave_empty_places():
    f = np.random.default_rng(0).random((6, 3)).astype(np.float32)
    f[1, 2] = np.nan
    state = tell_rows(tr.NSGA2(population=6), f, np.zeros(6, np.float32))
    assert state.population.alive.tolist() == [True] * 5 + [False]
    assert state.score[5] == jnp.inf
    offspring = jax.jit(tr.NSGA2.ask, static_argnums=3)(tr.NSGA2(population=6), jax.random.key(1), state, PROBLEM)
    assert bool(jnp.isfinite(offspring.x).all())


def test_tournaments_select_by_score():
    alive = jnp.arange(10) != 4
    score = jnp.where(alive, 9.0 - jnp.arange(10), jnp.inf)
    winners = np.asarray(tournaments(jax.random.key(0), alive, score, 9000))
    wins = np.bincount(winners, minlength=10)
    assert wins[4] == 0
    # Of pairs of nine rows, the k-th best wins against those below it: in 2 (9 - k) / (9 · 8) of the cases.
    expected = np.array([2 * below / 72 for below in range(9)])
    np.testing.assert_allclose(np.delete(wins, 4) / 9000, expected, atol=0.012)
    assert tournaments(jax.random.key(0), alive, score, 0).shape == (0,)


def test_tied_rows_win_equally_often():
    winners = tournaments(jax.random.key(0), jnp.ones(5, bool), jnp.zeros(5), 5000)
    np.testing.assert_allclose(np.bincount(winners) / 5000, 0.2, atol=0.02)


@pytest.mark.parametrize(
    ("problem", "theirs", "generations"),
    [
        (tr.problems.DTLZ2(objectives=3, variables=12), get_problem("dtlz2", n_var=12, n_obj=3), 60),
        (tr.problems.ZDT1(variables=30), get_problem("zdt1", n_var=30), 100),
    ],
    ids=["DTLZ2", "ZDT1"],
)
def test_fronts_are_as_good_as_pymoos_at_equal_evaluations(problem, theirs, generations):
    front = problem.front(1000)
    ours = [
        tr.metrics.igd(run.F, front)
        for run in tr.replicate(problem, tr.NSGA2(population=100), generations=generations - 1, seeds=range(11))
    ]
    reached = minimize(theirs, pymoo_nsga2.NSGA2(pop_size=100), ("n_gen", generations), seed=1)
    assert np.median(ours) < 1.1 * tr.metrics.igd(reached.F, front)


def test_a_generation_builds_no_array_of_all_pairs():
    problem, algorithm = tr.problems.DTLZ2(objectives=3, variables=100), tr.NSGA2(population=10_000)

    def generation(key, state):
        offspring = algorithm.ask(key, state, problem)
        return algorithm.tell(key, state, offspring, *problem.evaluate(key, offspring.x), Clock(0.5, 0.4))

    key = jax.random.key(0)
    state, _ = jax.eval_shape(lambda key: algorithm.init(key, problem), key)
    memory = jax.jit(generation).lower(key, state).compile().memory_analysis()
    assert memory.temp_size_in_bytes < 100e6


def test_a_population_below_two_is_rejected():
    with pytest.raises(ValueError, match=r"population must be at least 2 \(two parents\), got 1"):
        tr.NSGA2(population=1)
