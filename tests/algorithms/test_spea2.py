"""SPEA2: survivors against a transcription of the paper's fitness and environmental selection."""

import jax
import jax.numpy as jnp
import numpy as np
import oracle
import pytest
import spea2_oracle
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
            expected = spea2_oracle.environmental_selection(f, wide, N, normalize=normalize)
            if expected.decided and is_clear:
                compared += 1
                spea2_oracle.check_selection(survivors, pool.f, feasible, expected)
    # Of 80 pools per number of objectives, 10 have no feasible row, and some others few.
    assert compared > 45


@pytest.mark.parametrize("most", [1, 2, 7, 23])
def test_truncation_of_points_on_a_grid_removes_what_sorted_distances_say(most):
    for seed in range(15):
        rng = np.random.default_rng(seed)
        f = rng.integers(0, 5, (24, 2)).astype(float)
        members = rng.random(24) < 0.9
        kept = np.flatnonzero(compiled_truncate(jnp.asarray(f, jnp.float32), jnp.asarray(members), most=most))
        expected, _ = spea2_oracle.truncated(f, spea2_oracle.distances(f), np.flatnonzero(members), most)
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
