"""CCMO: survivors of both populations against the paper's framework, with a transcription of SPEA2's selection."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import spea2_oracle
from pools import KINDS, random_rows
from sizes import QUICKLY

import tensorrvea as tr
from tensorrvea.algorithms import CCMO
from tensorrvea.evolution import Clock, State
from tensorrvea.population import Population

N = 10

compiled_select = jax.jit(CCMO.select, compiler_options=QUICKLY)


def select(rows):
    """Return the rows of the pool that survive in the first and in the second population."""
    m = rows.f.shape[1]
    nothing = Population(jnp.zeros((2 * N, 1)), jnp.zeros((2 * N, m)), jnp.zeros(2 * N), jnp.zeros(2 * N, bool))
    pool = rows.pool()._replace(is_new=jnp.arange(len(rows.f)) >= 2 * N)
    chosen = compiled_select(
        CCMO(population=N), jax.random.key(0), State(nothing, jnp.zeros(2 * N)), pool, Clock(jnp.array(0.5), 0.4)
    )
    row, filled = np.asarray(chosen.row), np.asarray(chosen.filled)
    return row[:N][filled[:N]], row[N:][filled[N:]]


def check_population(survivors, pool, competes, violation):
    """Check one population: the feasible before the infeasible, by SPEA2's selection and by violation.

    Return whether SPEA2's selection was compared: not if all feasible rows survive, or if rounding decides.
    """
    rows = np.flatnonzero(competes & pool.alive)
    assert set(survivors) <= set(rows)
    assert len(set(survivors)) == len(survivors) == min(N, len(rows))
    feasible = rows[violation[rows] <= 0]
    if len(feasible) <= N:
        assert set(feasible) <= set(survivors)
        np.testing.assert_array_equal(violation[survivors], np.sort(violation[rows])[: len(survivors)])
        return False
    assert set(survivors) <= set(feasible)
    f = pool.f[feasible]
    expected = spea2_oracle.environmental_selection(f, f, N, normalize=True)
    raw = dict(zip(feasible, expected.raw, strict=True))
    assert [raw[row] for row in survivors] == sorted(expected.raw)[:N]
    if expected.decided:
        spea2_oracle.check_selection(survivors, pool.f, feasible, expected)
    return expected.decided


@pytest.mark.parametrize("objectives", [2, 3, 5, 10])
def test_each_population_selects_among_its_own_and_all_offspring(objectives):
    differ, compared = 0, []
    for kind in KINDS:
        for seed in range(8):
            pool = random_rows(seed, kind, objectives, 2 * N)
            if kind == "ties":
                # Then most ranges are powers of two, and equal distances remain equal in their units.
                pool = pool._replace(f=np.where(pool.f == 7 / 8, 1, pool.f))
            place = np.arange(len(pool.f))
            own, helpers = select(pool)
            is_own = (place < N) | (place >= 2 * N)
            compared += [
                check_population(own, pool, is_own, np.maximum(pool.violation, 0)),
                check_population(helpers, pool, place >= N, np.zeros(len(place))),
            ]
            differ += set(own) != set(helpers)
    assert differ > 20
    # Of 128 populations per number of objectives; in others, all feasible rows survive, or rounding decides.
    assert sum(compared) > 90


def test_parents_come_from_both_populations_in_pairs():
    alive = jnp.arange(2 * N) % 5 != 0
    rows = Population(jnp.zeros((2 * N, 1)), jnp.zeros((2 * N, 2)), jnp.zeros(2 * N), alive)
    state = State(rows, jnp.arange(2 * N, dtype=jnp.float32))
    for count in (6, 10, 16):
        parents = np.asarray(CCMO(population=N).mate(jax.random.key(1), state, count))
        assert len(parents) == count
        assert np.asarray(alive)[parents].all()
        pairs = (parents < N).reshape(-1, 2)
        assert (pairs[:, 0] == pairs[:, 1]).all()
        assert 0 < pairs[:, 0].sum() < len(pairs)


@pytest.mark.slow
def test_ccmo_crosses_an_infeasible_region_at_which_others_stop():
    problem = tr.problems.LIRCMOP5()
    own, other = (
        tr.optimize(problem, algorithm(population=60), generations=300, seed=1) for algorithm in (CCMO, tr.NSGA2)
    )
    front = problem.front(500)
    assert tr.metrics.igd(own.F, front) < tr.metrics.igd(other.F, front)
