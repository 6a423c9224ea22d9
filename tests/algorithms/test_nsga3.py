"""NSGA-III: survivors against a transcription of the paper's Algorithms 2 to 4, and fronts against pymoo's."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from pools import KINDS, random_rows
from pymoo.algorithms.moo import nsga3 as pymoo_nsga3
from pymoo.optimize import minimize
from pymoo.problems import get_problem
from sizes import QUICKLY

import tensorrvea as tr
from tensorrvea.algorithms import NSGA3
from tensorrvea.evolution import Clock
from tensorrvea.population import Pool
from tensorrvea.reference_vectors import simplex_lattice
from tensorrvea.selection.niching import niching, normalize, solve

PROBLEM = tr.problems.DTLZ2(objectives=3, variables=7)
N = 28

select = jax.jit(NSGA3.select)
select_quickly = jax.jit(NSGA3.select, compiler_options=QUICKLY)


def normalized_by_paper(f, ideal):
    """Algorithm 2, in double precision."""
    m = f.shape[1]
    translated = f - ideal
    extremes = [np.argmin((translated / np.where(np.eye(m)[j] == 1, 1, 1e-6)).max(axis=1)) for j in range(m)]
    try:
        intercepts = 1 / np.linalg.solve(translated[extremes], np.ones(m))
    except np.linalg.LinAlgError:
        intercepts = np.full(m, -1.0)
    return translated / (intercepts if (intercepts > 0).all() else translated.max(axis=0))


@pytest.mark.parametrize("m", [2, 3, 10, 15])
def test_linear_systems_agree_with_numpy(m):
    rng = np.random.default_rng(m)
    matrices = rng.normal(size=(50, m, m)).astype(np.float32)
    matrices[:, 0, 0] = 0  # needs an exchange of rows
    ones = np.ones(m, np.float32)
    found = jax.jit(jax.vmap(solve, (0, None)))(matrices, ones)
    expected = np.linalg.solve(matrices.astype(float), np.ones(m))
    condition = np.linalg.cond(matrices.astype(float))
    error = np.abs(found - expected).max(axis=1) / np.abs(expected).max(axis=1)
    assert (error < 1e-6 * condition).all()


@pytest.mark.parametrize("rows", [[[1, 1, 1]] * 3, [[0.40717667, 0, 0.9419], [0.0194, 0.8815, 0.5568]] * 2])
def test_a_singular_system_has_no_solution(rows):
    assert np.isnan(jax.jit(solve)(jnp.array(rows[:3], jnp.float32), jnp.ones(3))).all()


def associated_by_paper(f, vectors):
    """Algorithm 3: by perpendicular distances to all lines."""
    w = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    along = f @ w.T
    apart = np.linalg.norm(f[:, None] - along[:, :, None] * w, axis=2)
    return apart.argmin(axis=1), apart.min(axis=1)


def niched_by_paper(rng, niche, distance, before, last, count, wanted):
    """Algorithm 4, its loop as it is printed; return the chosen rows."""
    rho = np.bincount(niche[before], minlength=count)
    left, open_niches, chosen = list(last), list(range(count)), []
    while len(chosen) < wanted:
        fewest = min(rho[j] for j in open_niches)
        j = rng.choice([j for j in open_niches if rho[j] == fewest])
        members = [row for row in left if niche[row] == j]
        if not members:
            open_niches.remove(j)
            continue
        row = min(members, key=lambda row: distance[row]) if rho[j] == 0 else rng.choice(members)
        chosen.append(row)
        left.remove(row)
        rho[j] += 1
    return chosen


def survivors_of(f, violation=None, alive=None, key=0, ideal=None):
    """Return the rows that survive of a pool, and what is kept for the next generation."""
    algorithm = NSGA3(population=N)
    state, _ = algorithm.init(jax.random.key(0), PROBLEM)
    if ideal is not None:
        state = state._replace(extra=state.extra._replace(ideal=jnp.asarray(ideal)))
    n = len(f)
    pool = Pool(
        jnp.asarray(f, jnp.float32),
        jnp.zeros(n) if violation is None else jnp.asarray(violation, jnp.float32),
        jnp.ones(n, bool) if alive is None else jnp.asarray(alive),
        jnp.arange(n) >= N,
    )
    chosen = select(algorithm, jax.random.key(key), state, pool, Clock(0.5, 0.4))
    return np.asarray(chosen.row)[np.asarray(chosen.filled)], chosen


def split_by_front(f):
    """Return the rows before the last front, and those of it."""
    rank = np.asarray(tr.ranks(f))
    last = np.sort(rank)[N - 1]
    return np.flatnonzero(rank < last), np.flatnonzero(rank == last)


def pool_of(seed, kind):
    rng = np.random.default_rng(seed)
    f = rng.random((2 * N, 3))
    if kind == "one front":
        f = f / np.linalg.norm(f, axis=1, keepdims=True) * [1, 10, 0.1] + [5, -3, 0]
    return f.astype(np.float32)


@pytest.mark.parametrize("kind", ["many fronts", "one front"])
@pytest.mark.parametrize("seed", range(4))
def test_survivors_are_possible_outcomes_of_the_papers_loop(seed, kind):
    f = pool_of(seed, kind)
    exact = f.astype(float)
    ideal = exact.min(axis=0) - (0 if seed % 2 else 0.05)
    before, last = split_by_front(exact)
    members = np.concatenate([before, last])
    normal = np.zeros_like(exact)
    normal[members] = normalized_by_paper(exact[members], ideal)
    vectors = simplex_lattice(6, 3)
    niche, distance = associated_by_paper(normal, vectors)
    outcomes = [
        niched_by_paper(np.random.default_rng(s), niche, distance, before, last, len(vectors), N - len(before))
        for s in range(400)
    ]
    often = np.bincount(np.concatenate(outcomes).astype(int), minlength=2 * N) / len(outcomes)

    ours = np.zeros(2 * N)
    for key in range(400):
        rows, chosen = survivors_of(f, key=key, ideal=ideal.astype(np.float32))
        assert len(set(rows)) == N
        assert set(before) <= set(rows)
        ours[np.setdiff1d(rows, before)] += 1 / 400
        # The sizes of the niches do not depend on the random choices, up to which of the fullest get one more.
        sizes = np.bincount(niche[rows], minlength=len(vectors))
        theirs = np.bincount(niche[np.concatenate([before, outcomes[key]]).astype(int)], minlength=len(vectors))
        assert sorted(sizes) == sorted(theirs)
    # Each row survives as often. Five standard deviations of a difference of two frequencies.
    assert np.abs(ours - often).max() < 5 * np.sqrt(2 * 0.25 / 400)
    # Rows that always or never survive do so here.
    assert (ours[often == 1] > 0.98).all()
    assert (ours[often == 0] < 0.02).all()
    np.testing.assert_array_equal(chosen.extra.ideal, np.minimum(ideal, exact.min(axis=0)).astype(np.float32))


def extremes_by_paper(translated):
    """Return the row nearest to each axis, the first of equally near ones, and whether rounding decides no other."""
    extremes, decided = [], True
    for weights in np.where(np.eye(translated.shape[1]) == 1, 1, 1e-6):
        value = (translated / weights).max(axis=1)
        extremes.append(int(value.argmin()))
        near = value <= (1 + 1e-5) * value.min()
        decided &= bool((value[near] == value.min()).all())
    return extremes, decided


def units_by_paper(translated):
    """Algorithm 2, where rows may be equal, objectives constant and planes degenerate; and whether all was decided.

    An objective whose values are all ideal is left out of the plane. Units are the largest values if the extreme points
    span no plane, or one that does not cross all axes.
    """
    largest = translated.max(axis=0)
    units = np.where(largest > 0, largest, 1)
    extremes, decided = extremes_by_paper(translated)
    matrix = np.where(largest[:, None] > 0, translated[extremes] / units, np.eye(len(units)))
    condition = np.linalg.cond(matrix)
    if condition > 1e12:
        return units, decided
    plane = np.linalg.solve(matrix, np.ones(len(units)))
    decided &= bool(condition < 1e3 and abs(plane.min()) > 1e-3)
    return units / plane if (plane > 0).all() else units, decided


def associated_clearly(f, vectors):
    """Return ``associated_by_paper``, niche 0 at the ideal point, and for which rows another line is almost as near."""
    niche, distance = associated_by_paper(f, vectors)
    others = [associated_by_paper(f[[i]], np.delete(vectors, niche[i], axis=0))[1][0] for i in range(len(f))]
    at_ideal = ~f.any(axis=1)
    return np.where(at_ideal, 0, niche), distance, ~at_ideal & (others <= (1 + 1e-4) * distance)


def earlier_ideal(seed, f):
    """Return an ideal point that is below the pool's in some objectives, above in others; on a grid if ``f`` is."""
    size = 2.0 ** np.floor(np.log2(np.maximum(np.ptp(f, axis=0), 1e-3)))
    step = np.random.default_rng(seed).choice([-1 / 16, 1 / 16, np.inf], f.shape[1])
    return (f.min(axis=0) + step * size).astype(np.float32).astype(float)


@pytest.mark.parametrize("objectives", [2, 3, 5, 10])
def test_niches_of_any_pool_are_filled_as_by_the_papers_loop(objectives):
    """Vectors are random, so that rows on a grid are not in the middle between two.

    Sizes of niches have to agree up to which of the fullest have one more, since that is random. In
    every fifth pool, an objective is constant.
    """
    vectors = np.random.default_rng(1).random((10, objectives))
    algorithm = NSGA3(population=N, vectors=vectors)
    problem = tr.problems.DTLZ2(objectives=objectives, variables=objectives + 4)
    state, _ = algorithm.init(jax.random.key(0), problem)
    rounding = niched = 0
    for kind in KINDS:
        for seed in range(12):
            rows = random_rows(seed, kind, objectives, N)
            if seed % 5 == 4:
                rows.f[:, -1] = rows.f[0, -1]
            rank = rows.ranks()
            last = np.sort(rank)[N - 1]
            before, candidates = (np.flatnonzero(rows.alive & part) for part in (rank < last, rank == last))
            members = np.concatenate([before, candidates])
            judged = np.sort(members[rows.feasible[members]])
            earlier = earlier_ideal(seed, rows.f[rows.alive])
            ideal = np.minimum(earlier, rows.f[judged].min(axis=0, initial=np.inf))
            given = state._replace(extra=state.extra._replace(ideal=jnp.asarray(earlier, jnp.float32)))
            chosen = select_quickly(algorithm, jax.random.key(seed), given, rows.pool(), Clock(0.5, 0.4))
            survivors = np.asarray(chosen.row)[np.asarray(chosen.filled)]
            np.testing.assert_array_equal(chosen.extra.ideal, ideal)
            assert len(set(survivors)) == len(survivors) == min(N, rows.alive.sum())
            assert set(before) <= set(survivors) <= set(members)
            np.testing.assert_array_equal(np.asarray(chosen.score)[: len(survivors)], rank[survivors])
            if len(members) <= N or len(judged) == 0:
                continue

            # Infeasible rows may be below the ideal point.
            translated = np.maximum(rows.f[members] - ideal, 0)
            units, decided = units_by_paper(np.maximum(rows.f[judged] - ideal, 0))
            niche, distance = np.zeros(2 * N, int), np.zeros(2 * N)
            niche[members], distance[members], is_between = associated_clearly(translated / units, vectors)
            niched += 1
            if is_between.any() or not decided:
                rounding += 1
                continue
            rng = np.random.default_rng(seed)
            taken = niched_by_paper(rng, niche, distance, before, candidates, len(vectors), N - len(before))
            theirs = np.bincount(niche[np.concatenate([before, taken])], minlength=len(vectors))
            ours = np.bincount(niche[survivors], minlength=len(vectors))
            assert sorted(ours) == sorted(theirs)
            assert (np.abs(ours - theirs) <= 1).all()
            for j in set(niche[candidates]) - set(niche[before]):
                nearest = distance[candidates[niche[candidates] == j]].min()
                assert ours[j] == 0 or distance[survivors[niche[survivors] == j]].min() <= (1 + 1e-4) * nearest + 1e-6
    # In other pools, violations alone decide, or all rows survive.
    assert niched >= 50
    assert rounding <= niched / 10


def test_the_order_of_candidates_is_that_of_the_papers_loop():
    # Niche 0 has a survivor; niche 1 has none, and its nearest comes first; niche 2 has no candidates.
    niche = jnp.array([0, 0, 0, 1, 1, 1, 2])
    distance = jnp.array([9.0, 1.0, 2.0, 3.0, 1.0, 2.0, 0.0])
    before = jnp.array([1, 0, 0, 0, 0, 0, 1], bool)
    firsts = set()
    for seed in range(20):
        level, _ = niching(jax.random.key(seed), niche, distance, before, ~before, 3)
        assert level[4] == 0
        assert sorted(np.asarray(level[jnp.array([3, 5])])) == [1, 2]
        assert sorted(np.asarray(level[1:3])) == [1, 2]
        firsts.add((int(level[1]), int(level[3])))
    assert firsts == {(1, 1), (1, 2), (2, 1), (2, 2)}


def test_objectives_are_divided_by_the_intercepts_of_the_plane_of_extreme_points():
    f = jnp.array([[2.0, 0, 0], [0, 4, 0], [0, 0, 8], [1, 1, 1]])
    np.testing.assert_allclose(normalize(f, jnp.zeros(3), jnp.ones(4, bool))[3], [1 / 2, 1 / 4, 1 / 8])


def test_objectives_are_divided_by_their_largest_values_if_extreme_points_span_no_plane():
    f = jnp.array([[1.0, 2, 4], [0.5, 1, 2], [1, 2, 4]])
    np.testing.assert_allclose(normalize(f, jnp.zeros(3), jnp.ones(3, bool))[1], [0.5, 0.5, 0.5])
    constant = normalize(f.at[:, 1].set(0), jnp.zeros(3), jnp.ones(3, bool))
    assert bool(jnp.isfinite(constant).all())


def test_feasible_rows_survive_first_and_the_others_by_violation():
    f = pool_of(0, "many fronts")
    violation = np.maximum(np.arange(2 * N) - 20.0, 0)
    rows, chosen = survivors_of(f, violation)
    assert sorted(rows) == list(range(N))
    np.testing.assert_array_equal(chosen.extra.ideal, f[:21].min(axis=0))


def test_without_feasible_rows_the_least_violating_survive_and_there_is_no_ideal_point():
    rows, chosen = survivors_of(pool_of(0, "many fronts"), np.arange(2 * N)[::-1] + 1.0)
    assert sorted(rows) == list(range(N, 2 * N))
    assert bool(jnp.isinf(chosen.extra.ideal).all())


def test_dead_rows_do_not_survive_and_leave_empty_places():
    f = pool_of(0, "many fronts")
    alive = np.arange(2 * N) % 4 == 1
    f[~alive] = np.inf
    rows, _ = survivors_of(f, np.where(alive, 0, np.inf), alive)
    assert sorted(rows) == sorted(np.flatnonzero(alive))


def test_the_ideal_point_is_the_best_so_far():
    f = pool_of(0, "many fronts")
    _, chosen = survivors_of(f, ideal=np.array([-1, 0.5, -2], np.float32))
    np.testing.assert_array_equal(chosen.extra.ideal, [-1, f[:, 1].min(), -2])


def test_the_front_is_as_good_as_pymoos_at_equal_evaluations():
    problem, generations = tr.problems.DTLZ2(objectives=3, variables=12), 100
    front = problem.front(1000)
    runs = tr.replicate(problem, NSGA3(population=92), generations=generations - 1, seeds=range(3))
    ours = [tr.metrics.igd(run.F, front) for run in runs]
    theirs = pymoo_nsga3.NSGA3(pop_size=92, ref_dirs=simplex_lattice(12, 3))
    reached = minimize(get_problem("dtlz2", n_var=12, n_obj=3), theirs, ("n_gen", generations), seed=1)
    assert np.median(ours) < 1.1 * tr.metrics.igd(reached.F, front)


def test_vectors_are_checked():
    with pytest.raises(ValueError, match="vectors must be one of 'lattice', 'layers', 'exact', got 'latice'"):
        NSGA3(population=10, vectors="latice")
    with pytest.raises(ValueError, match="vectors must not be negative"):
        NSGA3(population=10, vectors=[[1.0, -1.0], [0.0, 1.0]])
