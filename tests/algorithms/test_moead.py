"""MOEA/D: survivors against a transcription of the paper's update, for all offspring of a generation at once."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from pools import KINDS, random_rows
from sizes import QUICKLY

import tensorrvea as tr
from tensorrvea.algorithms import MOEAD
from tensorrvea.evolution import Clock, State
from tensorrvea.population import Population
from tensorrvea.reference_vectors import simplex_lattice
from tensorrvea.selection.decomposition import nearest_vectors, scalar_value

N = 20

compiled_select = jax.jit(MOEAD.select, compiler_options=QUICKLY)
compiled_setup = jax.jit(lambda algorithm, problem: algorithm.setup(jax.random.key(0), problem), static_argnums=1)


def random_subproblems(algorithm, objectives, seed):
    """Return subproblems with offspring of random ones, some of them not local."""
    rng = np.random.default_rng(seed)
    subproblems = compiled_setup(algorithm, tr.problems.DTLZ2(objectives=objectives))
    return subproblems._replace(
        of_offspring=jnp.asarray(rng.integers(0, len(subproblems.vectors), N), jnp.int32),
        is_local=jnp.asarray(rng.random(N) < 0.7),
    )


def select(algorithm, pool, subproblems, key=0):
    r, m = subproblems.vectors.shape
    nothing = Population(jnp.zeros((r, 1)), jnp.zeros((r, m)), jnp.zeros(r), jnp.zeros(r, bool))
    clock = Clock(jnp.array(0.5), jnp.array(0.4))
    return compiled_select(algorithm, jax.random.key(key), State(nothing, jnp.zeros(r), subproblems), pool, clock)


def value_by_paper(decomposition, f, vector, theta=5.0):
    if decomposition == "tchebycheff":
        weights = 1 / np.maximum(vector, 1e-6)
        return max(weights * np.abs(f))
    d1 = abs(f @ vector) / np.linalg.norm(vector)
    return d1 + theta * np.linalg.norm(f - d1 * vector / np.linalg.norm(vector))


def measured_by_paper(rows, r, normalize):
    """f − z*, divided by z^nad − z* of the survivors."""
    feasible, alive = rows.feasible, rows.alive
    f = rows.f - rows.f[feasible if feasible.any() else alive].min(axis=0)
    f = np.maximum(np.where(alive[:, None], f, 0), 0)
    old = np.flatnonzero(alive[:r])
    feasible_old = [i for i in old if feasible[i]]
    spread = f[feasible_old or old].max(axis=0)
    return f / np.where(spread > 0, spread, 1) if normalize else f


def updated_by_paper(algorithm, rows, subproblems):
    """Return the best row for each subproblem, None where rounding decides, without a bound on replacements."""
    vectors, neighbours, _, of_offspring, is_local = map(np.asarray, subproblems)
    vectors, r = vectors.astype(float), len(vectors)
    f = measured_by_paper(rows, r, algorithm.normalize)
    best = []
    for j in range(r):
        offered = [
            r + k for k in range(N) if rows.alive[r + k] and (not is_local[k] or j in neighbours[of_offspring[k]])
        ]
        # Python's order of tuples: the less violating first, then the smaller value.
        keys = {
            i: (max(rows.violation[i], 0), value_by_paper(algorithm.decomposition, f[i], vectors[j]))
            for i in [*([j] if rows.alive[j] else []), *offered]
        }
        if not keys:
            best.append(-1)
            continue
        first = min(keys, key=lambda i: keys[i])
        near = [
            i
            for i in keys
            if keys[i][0] == keys[first][0] and keys[i][1] - keys[first][1] <= 2e-5 * keys[first][1] + 1e-7
        ]
        best.append(first if all((rows.f[i] == rows.f[first]).all() for i in near) else None)
    return best


@pytest.mark.parametrize(
    ("objectives", "decomposition", "normalize"),
    [(2, "tchebycheff", True), (3, "pbi", True), (5, "tchebycheff", False), (10, "pbi", False)],
)
def test_each_subproblem_gets_the_best_that_the_papers_update_offers_it(objectives, decomposition, normalize):
    compared = 0
    for kind in KINDS:
        for seed in range(8):
            algorithm = MOEAD(
                population=N,
                vectors="exact",
                decomposition=decomposition,
                neighbours=5,
                replacements=N,
                normalize=normalize,
            )
            rows = random_rows(seed, kind, objectives, N)
            subproblems = random_subproblems(algorithm, objectives, seed)
            chosen = jax.device_get(select(algorithm, rows.pool(), subproblems))
            for j, expected in enumerate(updated_by_paper(algorithm, rows, subproblems)):
                if expected is None:
                    continue
                compared += 1
                assert bool(chosen.filled[j]) == (expected >= 0)
                if expected >= 0:
                    row = int(chosen.row[j])
                    assert (rows.f[row] == rows.f[expected]).all()
                    assert rows.violation[row] == rows.violation[expected]
    assert compared > 0.8 * len(KINDS) * 8 * N


def test_an_offspring_replaces_at_most_so_many_at_random():
    objectives, rows = 3, random_rows(1, "many fronts", 3, N)
    # Offspring 0 is better than all survivors in any subproblem, the others are worse.
    f = rows.f.copy()
    f[N], f[N + 1 :] = 0.0, 2.0
    rows = rows._replace(f=f)
    algorithm = MOEAD(population=N, vectors="exact", neighbours=6, replacements=2)
    subproblems = random_subproblems(algorithm, objectives, 0)
    for is_local in (True, False):
        subproblems = subproblems._replace(is_local=jnp.full(N, is_local))
        allowed = (
            set(np.asarray(subproblems.neighbours)[int(subproblems.of_offspring[0])]) if is_local else set(range(N))
        )
        times = np.zeros(N)
        for key in range(200):
            row = np.asarray(select(algorithm, rows.pool(), subproblems, key).row)
            replaced = set(np.flatnonzero(row == N))
            assert len(replaced) == 2
            assert replaced <= allowed
            times[list(replaced)] += 1
            assert all(row[j] == j for j in range(N) if j not in replaced)
        expected = 400 / len(allowed)
        assert (np.abs(times[list(allowed)] - expected) < 5 * np.sqrt(expected)).all()


def test_the_first_population_is_assigned_in_order():
    algorithm = MOEAD(population=N, vectors="exact")
    rows = random_rows(0, "many fronts", 3, N)
    alive = np.arange(2 * N) > N + 2
    chosen = select(algorithm, rows._replace(alive=alive).pool(), random_subproblems(algorithm, 3, 0))
    assert np.asarray(chosen.row)[: N - 3].tolist() == list(range(N + 3, 2 * N))
    assert np.asarray(chosen.filled).tolist() == [True] * (N - 3) + [False] * 3


def test_next_offspring_are_bred_in_pairs_for_different_subproblems():
    algorithm = MOEAD(population=N, vectors="exact", delta=0.5)
    rows, subproblems = (
        random_rows(0, "many fronts", 3, N),
        random_subproblems(MOEAD(population=N, vectors="exact"), 3, 0),
    )
    local, bred = 0, np.zeros(N)
    for key in range(100):
        kept = select(algorithm, rows.pool(), subproblems, key).extra
        of_pairs = np.asarray(kept.of_offspring).reshape(-1, 2)
        assert (of_pairs[:, 0] == of_pairs[:, 1]).all()
        assert len(set(of_pairs[:, 0])) == N // 2
        assert (np.asarray(kept.is_local).reshape(-1, 2).T[0] == np.asarray(kept.is_local).reshape(-1, 2).T[1]).all()
        bred[of_pairs[:, 0]] += 1
        local += np.asarray(kept.is_local).mean()
    assert abs(local - 50) < 5 * np.sqrt(0.25 * 1000) / 10
    assert (np.abs(bred - 50) < 25).all()


def test_the_ideal_point_is_the_best_feasible_so_far():
    algorithm = MOEAD(population=N, vectors="exact")
    rows = random_rows(0, "many fronts", 3, N)
    rows = rows._replace(violation=np.where(np.arange(2 * N) % 2, 1.0, 0.0))
    subproblems = random_subproblems(algorithm, 3, 0)._replace(ideal=jnp.array([-1.0, 2.0, 2.0]))
    expected = [-1, *rows.f[::2].min(axis=0)[1:]]
    np.testing.assert_allclose(select(algorithm, rows.pool(), subproblems).extra.ideal, expected)


def test_values_are_the_hand_computed_ones():
    f, vector = [jnp.array(3.0), jnp.array(1.0)], [jnp.array(0.6), jnp.array(0.8)]
    assert float(scalar_value("tchebycheff", 5.0, f, vector)) == pytest.approx(5.0)
    # d₁ = 2.6, and the rest is (1.44, −1.08), of length 1.8.
    assert float(scalar_value("pbi", 5.0, f, vector)) == pytest.approx(2.6 + 5 * 1.8)


def test_neighbours_are_the_nearest_vectors():
    vectors = simplex_lattice(6, 3).astype(np.float32)
    apart = np.linalg.norm(vectors[:, None] - vectors, axis=2)
    found = np.asarray(nearest_vectors(jnp.asarray(vectors), 7))
    assert (found[:, 0] == np.arange(len(vectors))).all()
    np.testing.assert_allclose(np.take_along_axis(apart, found, 1), np.sort(apart, axis=1)[:, :7], atol=1e-6)
    assert all(len(set(each)) == 7 for each in found)


def test_settings_are_checked():
    with pytest.raises(ValueError, match="decomposition must be one of 'tchebycheff', 'pbi', got 'tchebychef'"):
        MOEAD(population=10, decomposition="tchebychef")
    with pytest.raises(ValueError, match="neighbours must be at least 2"):
        MOEAD(population=10, neighbours=1)
    with pytest.raises(ValueError, match="vectors must be one of"):
        MOEAD(population=10, vectors="latice")
    with pytest.raises(ValueError, match="delta must be a finite number"):
        MOEAD(population=10, delta=2.0)
