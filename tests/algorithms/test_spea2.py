"""SPEA2: survivors against a transcription of the paper's fitness and environmental selection."""

import jax
import jax.numpy as jnp
import numpy as np
import oracle
import pytest
from pools import KINDS, random_rows
from sizes import QUICKLY

from tensorrvea.algorithms import SPEA2
from tensorrvea.evolution import Clock, State
from tensorrvea.population import Population
from tensorrvea.selection.truncation import truncate

N = 20

compiled_select = jax.jit(SPEA2.select, compiler_options=QUICKLY)
compiled_truncate = jax.jit(truncate, static_argnames="most", compiler_options=QUICKLY)


def select(rows, **settings):
    """Return the rows that survive, best first, and their scores."""
    m = rows.f.shape[1]
    nothing = Population(jnp.zeros((N, 1)), jnp.zeros((N, m)), jnp.zeros(N), jnp.zeros(N, bool))
    state = State(nothing, jnp.zeros(N))
    algorithm = SPEA2(population=N, **settings)
    chosen = compiled_select(algorithm, jax.random.key(0), state, rows.pool(), Clock(jnp.array(0.5), jnp.array(0.4)))
    filled = np.asarray(chosen.filled)
    return np.asarray(chosen.row)[filled], np.asarray(chosen.score)[filled]


def distances(f):
    return np.sqrt(((f[:, None] - f[None]) ** 2).sum(axis=2))


def fitness_by_paper(f, apart):
    """Section 3.1: raw fitness R, and the distance σ to the k-th nearest."""
    n = len(f)
    dominates = np.array([[oracle.dominates(a, b) for b in f] for a in f])
    strength = dominates.sum(axis=1)
    raw = np.array([sum(strength[j] for j in range(n) if dominates[j, i]) for i in range(n)])
    k = int(np.sqrt(n))
    sigma = [sorted(np.delete(apart[i], i))[k - 1] if k < n else np.inf for i in range(n)]
    return raw, np.array(sigma)


def truncated_by_paper(f, apart, rows, wanted):
    """Section 3.2: remove the i with i ≤_d j for all j; return what is left, and whether no choice was of rounding.

    Of complete ties the point with the lowest row loses its highest row.
    """
    rows, decided = list(rows), True
    while len(rows) > wanted:
        lists = {i: sorted(apart[i, j] for j in rows if j != i) for i in rows}
        first = min(rows, key=lambda i: (lists[i], i))
        for i in rows:
            differing = [p for p in range(len(rows) - 1) if abs(lists[i][p] - lists[first][p]) > 0]
            if differing:
                a, b = lists[i][differing[0]], lists[first][differing[0]]
                decided &= bool(abs(a - b) > 1e-5 * max(a, b))
        rows.remove(max(i for i in rows if (f[i] == f[first]).all()))
    return rows, decided


def units(f, front, normalize):
    spread = f[front].max(axis=0) - f[front].min(axis=0)
    return np.where(spread > 0, spread, 1) if normalize else np.ones(f.shape[1])


@pytest.mark.parametrize("objectives", [2, 3, 6, 10])
def test_survivors_are_those_of_the_papers_algorithm(objectives):
    compared = 0
    for kind in KINDS:
        for seed in range(10):
            # Scaled by 1/3, say, distances that are equal on a grid no longer round alike.
            normalize = kind != "ties" and seed % 2 == 0
            # A wider cone breaks ties, by rounding.
            cone = 0.0 if kind == "ties" or seed % 3 == 0 else 0.8
            pool = random_rows(seed, kind, objectives, N)
            survivors, score = select(pool, normalize=normalize, cone=cone)
            assert len(set(survivors)) == min(N, pool.alive.sum())
            assert (np.diff(score) >= 0).all()
            feasible = np.flatnonzero(pool.feasible)
            if len(feasible) <= N:
                alive = np.flatnonzero(pool.alive)
                assert set(feasible) <= set(survivors)
                assert sorted(pool.violation[survivors]) == sorted(pool.violation[alive])[: len(survivors)]
                continue
            f = pool.f[feasible]
            wide, is_clear = f, True
            if cone:
                survived = feasible < N
                rows = survived if survived.any() else np.full(len(f), True)
                wide, is_clear = oracle.widened(f, rows, cone * 0.5**4)
            front = np.flatnonzero([not any(oracle.dominates(a, b) for a in wide) for b in wide])
            apart = distances(f / units(f, front, normalize))
            raw, sigma = fitness_by_paper(wide, apart)
            assert set(front) == set(np.flatnonzero(raw == 0))
            if len(front) > N:
                expected, decided = truncated_by_paper(f, apart, front, N)
            else:
                order = sorted(range(len(f)), key=lambda i: (raw[i], -sigma[i]))
                expected, (last, after) = order[:N], order[N - 1 : N + 1]
                decided = raw[last] < raw[after] or abs(sigma[last] - sigma[after]) > 1e-5 * sigma[last]
            decided &= is_clear
            compared += decided
            if not decided:
                continue
            # Which of several equal rows survives is arbitrary.
            assert sorted(map(tuple, pool.f[survivors])) == sorted(map(tuple, f[expected]))
            place = [int(np.flatnonzero(feasible == row)[0]) for row in survivors]
            assert (np.diff(raw[place]) >= 0).all()
            equal = np.diff(raw[place]) == 0
            assert (np.diff(sigma[place])[equal] < 1e-5 * sigma.max()).all()
    # Of 80 pools per number of objectives, 10 have no feasible row, and some others few.
    assert compared > 45


@pytest.mark.parametrize("most", [1, 2, 7, 23])
def test_truncation_of_points_on_a_grid_removes_what_sorted_distances_say(most):
    for seed in range(15):
        rng = np.random.default_rng(seed)
        f = rng.integers(0, 5, (24, 2)).astype(float)
        members = rng.random(24) < 0.9
        kept = np.flatnonzero(compiled_truncate(jnp.asarray(f, jnp.float32), jnp.asarray(members), most=most))
        expected, _ = truncated_by_paper(f, distances(f), np.flatnonzero(members), most)
        assert sorted(map(tuple, f[kept])) == sorted(map(tuple, f[expected]))
        assert members[kept].all()


def test_scaling_an_objective_changes_the_survivors_only_if_distances_are_not_normalized():
    pool = random_rows(0, "one front", 3, N)
    scaled = pool._replace(f=pool.f * [1, 1024, 1])
    assert set(select(pool)[0]) == set(select(scaled)[0])
    assert set(select(pool, normalize=False)[0]) != set(select(scaled, normalize=False)[0])


def test_settings_are_checked():
    with pytest.raises(TypeError, match="normalize takes True or False, got 1"):
        SPEA2(population=10, normalize=1)
    with pytest.raises(ValueError, match="cone"):
        SPEA2(population=10, cone=2.0)


def test_every_second_parent_is_a_new_survivor_if_its_tournament_has_one():
    rng = np.random.default_rng(0)
    score = jnp.asarray(rng.permutation(N), jnp.float32)
    is_new = jnp.asarray(rng.random(N) < 0.5)
    population = Population(jnp.zeros((N, 1)), jnp.zeros((N, 2)), jnp.zeros(N), jnp.ones(N, bool))
    state = State(population, score, is_new)
    drawn = {
        prefer_new: np.asarray(SPEA2(population=N, prefer_new=prefer_new).mate(jax.random.key(1), state, 2000))
        for prefer_new in (True, False)
    }
    # Of four rows, half of them new, one is new with a probability of about 15/16.
    assert np.asarray(is_new)[drawn[True][1::2]].mean() > 0.9
    # Other parents are the best of four, whether new or not: the best row wins all of its tournaments, a fifth of all.
    for parents in (drawn[True][::2], drawn[False]):
        assert np.mean(np.asarray(score)[parents] == 0) == pytest.approx(0.2, abs=0.02)


def test_the_papers_algorithm_has_its_own_settings():
    paper = SPEA2.paper(population=N, normalize=True)
    assert (paper.tournament, paper.normalize, paper.cone, paper.prefer_new) == (2, True, 0.0, False)
