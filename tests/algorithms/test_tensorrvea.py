"""TensorRVEA: survivors against a transcription in loops, the ideal point of the run, and the user's own vectors."""

from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import oracle
import pools
import pytest
from sizes import QUICKLY

import tensorrvea as tr
from tensorrvea.algorithms.tensorrvea import RANKED_PLACES, SAMPLE, estimated_rank, from_ideal, smallest_of
from tensorrvea.evolution import Clock
from tensorrvea.population import evaluated, join
from tensorrvea.randomness import below, split, words
from tensorrvea.reference_vectors import reference_vectors
from tensorrvea.selection.crowding import crowding_distance

SURVIVORS = {2: 12, 3: 15, 5: 15, 10: 20}
ALPHA = 2.0

select = jax.jit(tr.TensorRVEA.select, compiler_options=QUICKLY)


def extremes_by_hand(rows: pools.Rows, places: int) -> set:
    """The best feasible row of each objective; of several, the one with the smallest sum, and then the lowest."""
    feasible, m = np.flatnonzero(rows.feasible), rows.f.shape[1]
    if places <= 2 * m or not len(feasible):
        return set()
    low = rows.f[feasible].min(axis=0)
    return {min(feasible, key=lambda i: (rows.f[i, k], (rows.f[i] - low).sum(), i)) for k in range(m)}


def best_by_hand(
    rows: pools.Rows, ideal: np.ndarray, vectors: np.ndarray, progress: float, *, normalize: bool, front: set,
    extreme: set,
):  # fmt: skip
    """Return the best rows of the vectors, which rows are near one, the objectives that were judged with the new ideal
    point, and whether all was decided by more than rounding. The best of a vector is from ``front`` if any is."""
    n, m = rows.f.shape
    living, feasible = np.flatnonzero(rows.alive), np.flatnonzero(rows.feasible)
    ideal = np.array([min([ideal[k], *rows.f[feasible, k]]) for k in range(m)])
    origin = np.where(np.isfinite(ideal), ideal, rows.f[living].min(axis=0))
    f = np.maximum(rows.f - origin, 0)
    if normalize:
        judged = [i for i in living if i in front or (i < n // 2 and i in feasible and i not in extreme)]
        largest = f[judged].max(axis=0, initial=0)
        smallest = min([value for value in largest if value > 0], default=1.0)
        largest = np.where(largest > 0, largest, smallest)
        f = f / np.maximum(largest, 1e-6 * largest.max())

    theta, gamma = oracle.angles(f, vectors), oracle.smallest_angles(vectors)
    niche, length = theta.argmin(axis=1), np.linalg.norm(f, axis=1)
    between = np.sort(theta, axis=1)
    decided = bool(((between[:, 1] - between[:, 0] > 1e-4) | (length == 0))[living].all())
    own = theta[np.arange(n), niche]
    apd = (1 + m * progress**ALPHA * own / gamma[niche]) * length
    near = np.full(n, True) if normalize or not len(feasible) else own <= gamma.max()
    decided &= normalize or bool((np.abs(own - gamma.max()) > 1e-4)[living].all())

    best = set()
    for j in range(len(vectors)):
        members = [i for i in living if niche[i] == j]
        candidates = [i for i in members if i in feasible]
        candidates = [i for i in candidates if i in front] or candidates
        value = apd if candidates else rows.violation
        if members:
            winner = min(candidates or members, key=lambda i: (value[i], i))
            best.add(winner)
            others = [i for i in candidates or members if (rows.f[i] != rows.f[winner]).any()]
            decided &= all(value[i] - value[winner] > 1e-4 * value[winner] or candidates == [] for i in others)
    return best if len(feasible) else set(), near, (f, ideal), decided


def with_wider_cone(rows: pools.Rows, cone: float, progress: float) -> tuple[pools.Rows, bool]:
    """Return the rows as ranks see them, and whether more than rounding decides their dominance."""
    if not (cone and rows.feasible.any()):
        return rows, True
    survived = rows.feasible & (np.arange(len(rows.f)) < len(rows.f) // 2)
    units = survived if survived.any() else rows.feasible
    wide, is_clear = oracle.widened(rows.f, units, cone * (1 - progress) ** 4)
    return rows._replace(f=wide), is_clear


def by_hand(
    rows: pools.Rows, wide: pools.Rows, ideal: np.ndarray, vectors: np.ndarray, progress: float, *, normalize: bool,
    places: int,
):  # fmt: skip
    """Return the survivors in order, the new ideal point, and whether all was decided by more than rounding."""
    living, feasible = np.flatnonzero(rows.alive), np.flatnonzero(rows.feasible)
    if len(feasible):
        front = {i for i in feasible if not any(oracle.dominates(wide.f[j], wide.f[i]) for j in feasible)}
    else:
        least = min(rows.violation[living])
        front = {i for i in living if rows.violation[i] == least}
    extreme = extremes_by_hand(rows, places)
    best, near, (f, ideal), decided = best_by_hand(
        rows, ideal, vectors, progress, normalize=normalize, front=front, extreme=extreme
    )
    rank = wide.ranks()
    crowding = np.asarray(crowding_distance(jnp.asarray(f, jnp.float32), jnp.asarray(rank), jnp.asarray(rows.alive)))

    def group(i):
        if i in extreme and progress < 0.8:
            return -1
        if i in best:
            return 0 if rank[i] == 0 else 2
        if near[i]:
            return 1 if rank[i] == 0 else 3
        return 4

    kept, first, others = ([i for i in living if group(i) == number] for number in (-1, 0, 1))
    filled, is_clear = filled_by_distance(f, [*kept, *first], others, places)
    if len(kept) + len(first) > places:
        first = sorted(first, key=lambda i: (rank[i], -crowding[i], i))
    rest = sorted((i for i in living if group(i) > 1), key=lambda i: (group(i), rank[i], -crowding[i], i))
    keys = [(group(i), rank[i], -crowding[i]) for i in (*(first if len(kept) + len(first) > places else ()), *rest)]
    # Two that are equal up to rounding may be in either order, unless they are equal exactly: extreme, or repeated.
    decided &= is_clear and all(
        a[:2] != b[:2] or (a[2] == b[2] == 0) or not np.isfinite(a[2]) or abs(a[2] - b[2]) > 1e-4 * abs(a[2])
        for a, b in pairwise(keys)
    )
    return [*kept, *first, *filled, *rest][:places], ideal, decided


def filled_by_distance(f: np.ndarray, first: list, others: list, places: int) -> tuple[list, bool]:
    """Return the others, always the farthest next from all before it, and whether more than rounding decided which."""
    if len(first) + len(others) <= places:
        return others, True
    filled, left, is_clear = [], list(others), True
    for _ in range(places - len(first)):
        near = [min((((f[i] - f[j]) ** 2).sum() for j in [*first, *filled]), default=np.inf) for i in left]
        farthest = int(np.argmax(near))
        is_clear &= all(
            value < (1 - 1e-4) * near[farthest] or (f[i] == f[left[farthest]]).all()
            for i, value in zip(left, near, strict=True)
        )
        filled.append(left.pop(farthest))
    return filled, is_clear


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("kind", pools.KINDS)
@pytest.mark.parametrize("objectives", SURVIVORS)
def test_survivors_agree_with_a_transcription(objectives, kind, normalize):
    """Ideal points of earlier generations are below, between and above those of the pool."""
    problem = tr.problems.DTLZ2(objectives=objectives, variables=objectives + 4)
    count = SURVIVORS[objectives]
    cone = 0.0 if kind == "ties" else 0.2  # a wider cone breaks ties, by rounding
    algorithm = tr.TensorRVEA(population=count, vectors="exact", normalize=normalize, cone=cone)
    vectors = np.asarray(reference_vectors("exact", count, objectives))
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    state, _ = algorithm.init(jax.random.key(0), problem)
    state = state._replace(extra=indexed(state.extra))
    compared = 0
    for seed in range(12):
        rows = pools.random_rows(seed, kind, objectives, count)
        ideal = np.random.default_rng(seed).choice([np.inf, -0.05, 0.1], objectives).astype(np.float32).astype(float)
        progress = np.float32(seed / 12)
        wide, is_clear = with_wider_cone(rows, cone, progress)
        expected, new_ideal, decided = by_hand(rows, wide, ideal, vectors, progress, normalize=normalize, places=count)
        before = state._replace(extra=state.extra._replace(ideal=jnp.asarray(ideal, jnp.float32)))
        chosen = select(algorithm, jax.random.key(0), before, rows.pool(), Clock(progress, np.float32(0)))
        found = np.asarray(chosen.row)[np.asarray(chosen.filled)]
        np.testing.assert_allclose(chosen.extra.ideal, new_ideal, rtol=1e-6)
        assert len(set(found.tolist())) == len(found) == min(rows.alive.sum(), count)
        if is_clear:
            check_order_of_parents(wide, found, np.asarray(chosen.score)[np.asarray(chosen.filled)])
        if decided and is_clear:
            compared += 1
            assert found.tolist() == sorted(expected)
    assert compared > 0 or kind == "ties"


@pytest.mark.parametrize("kind", pools.KINDS)
@pytest.mark.parametrize("objectives", [2, 3, 10])
def test_estimated_ranks_count_the_sampled_rows_that_are_better(objectives, kind):
    rows = pools.random_rows(5, kind, objectives, 40)
    pool, key = rows.pool(), jax.random.key(3)
    sample = np.asarray(below(words(key, (SAMPLE,)), len(rows.f)))
    counts = [sum(rows.feasible[j] and (rows.f[j] < f).all() for j in sample) for f in rows.f]
    expected = np.where(rows.feasible, counts, np.where(rows.alive, SAMPLE + 1, SAMPLE + 2))
    # Infinite objectives of dead rows become zeros, as in a selection.
    f = jnp.where(pool.alive[:, None], pool.f, 0)
    np.testing.assert_array_equal(estimated_rank(key, f, pool), expected)


@pytest.mark.parametrize("kind", pools.KINDS)
def test_with_estimated_ranks_the_best_of_each_vector_survive_and_then_the_lowest_estimates(kind):
    """Of rows with equal estimates any may survive."""
    count = SURVIVORS[3]
    problem = tr.problems.DTLZ2(objectives=3, variables=7)
    algorithm = tr.TensorRVEA(population=count, vectors="exact", exact_ranks=False)
    vectors = np.asarray(reference_vectors("exact", count, 3))
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    state, _ = algorithm.init(jax.random.key(0), problem)
    state = state._replace(extra=indexed(state.extra))
    compared = 0
    for seed in range(12):
        rows, key = pools.random_rows(seed, kind, 3, count), jax.random.key(seed)
        pool, progress = rows.pool(), np.float32(seed / 12)
        chosen = select(algorithm, key, state, pool, Clock(progress, np.float32(0)))
        found = np.asarray(chosen.row)[np.asarray(chosen.filled)]
        assert len(set(found.tolist())) == len(found) == min(rows.alive.sum(), count)
        relative = from_ideal(pool, chosen.extra.ideal, *smallest_of((pool.alive,), pool.f))
        rank = np.asarray(estimated_rank(split(key)[0], relative, pool))
        score = np.where(rows.feasible, rank - SAMPLE - 1, rows.violation)
        np.testing.assert_allclose(np.asarray(chosen.score)[np.asarray(chosen.filled)], score[found], rtol=1e-6)
        best, _, _, decided = best_by_hand(
            rows, np.full(3, np.inf), vectors, progress, normalize=True, front=set(np.flatnonzero(rank == 0)),
            extreme=set(),
        )  # fmt: skip
        if decided:
            compared += 1
            cost = rank + np.where(rows.feasible, 0, rows.violation)
            keys = sorted((i not in best, cost[i]) for i in np.flatnonzero(rows.alive))
            assert sorted((i not in best, cost[i]) for i in found) == keys[:count]
    assert compared > 0 or kind == "ties"


def test_the_default_estimates_ranks_of_large_populations_only():
    problem = tr.problems.DTLZ2(objectives=2, variables=3)
    for population, is_exact in ((RANKED_PLACES, True), (RANKED_PLACES + 1, False)):
        made = {}
        for exact_ranks in (None, True, False):
            algorithm = tr.TensorRVEA(population=population, vectors="exact", exact_ranks=exact_ranks).bind(problem)
            state, offspring = algorithm.init(jax.random.key(0), problem)
            pool = join(state.population, evaluated(offspring, jnp.ones((population, 2))), population, population)
            arguments = algorithm, jax.random.key(0), state, pool, Clock(np.float32(0.5), np.float32(0))
            made[exact_ranks] = str(jax.make_jaxpr(tr.TensorRVEA.select)(*arguments))
        assert made[None] == made[is_exact] != made[not is_exact]


def check_order_of_parents(rows, found, score):
    """A lower rank is better."""
    rank = rows.ranks()[found]
    for i in range(len(found)):
        assert (score[rank > rank[i]] > score[i]).all()


def indexed(guides):
    gamma, index = tr.algorithms.tensorrvea.indexed(guides.vectors)
    return guides._replace(gamma=gamma, index=index)


def test_the_first_population_survives_as_it_is():
    problem = tr.problems.DTLZ2(objectives=3, variables=7)
    algorithm = tr.TensorRVEA(population=28)
    state, offspring = algorithm.init(jax.random.key(0), problem)
    f, g = problem.evaluate(jax.random.key(0), offspring.x)
    after = algorithm.tell(jax.random.key(1), state, offspring, f, g, Clock(0.0, 0.0))
    np.testing.assert_array_equal(after.population.x, offspring.x)
    assert after.population.alive.all()
    np.testing.assert_allclose(after.extra.ideal, np.asarray(f).min(axis=0))


def test_the_ideal_point_never_gets_worse_and_ignores_the_infeasible():
    problem = tr.Problem(lambda x: x, lower=[0.0] * 2, upper=[1.0] * 2, objectives=2, constraints=lambda x: x[0])
    algorithm = tr.TensorRVEA(population=4)
    state, offspring = algorithm.init(jax.random.key(0), problem)
    zeros = jnp.zeros((4, 1))
    points = jnp.array([[1.0, 4.0], [2.0, 3.0], [3.0, 2.0], [4.0, 1.0]])
    state = algorithm.tell(jax.random.key(1), state, offspring, points, zeros, Clock(0.0, 0.0))
    violation = jnp.array([[0.0], [0.0], [1.0], [1.0]])
    state = algorithm.tell(jax.random.key(1), state, offspring, points - 0.5, violation, Clock(0.5, 0.0))
    np.testing.assert_allclose(state.extra.ideal, [0.5, 1.0])
    state = algorithm.tell(jax.random.key(1), state, offspring, points + 9, zeros, Clock(1.0, 0.5))
    np.testing.assert_allclose(state.extra.ideal, [0.5, 1.0])


def test_the_best_row_of_each_objective_survives_during_the_first_four_fifths_of_a_run():
    """A row that gains little in one objective for a large loss in the others, which a wide cone does not leave."""
    rng = np.random.default_rng(0)
    n = 15
    f = rng.uniform(0.2, 1, (2 * n, 3))
    f[-1] = [f[:, 0].min() - 1e-4, 3.0, 3.0]
    problem = tr.problems.DTLZ2(objectives=3, variables=7)
    algorithm = tr.TensorRVEA(population=n, cone=1.0)
    state, _ = algorithm.init(jax.random.key(0), problem)
    state = state._replace(extra=indexed(state.extra))
    pool = pools.Rows(f, np.zeros(2 * n), np.ones(2 * n, bool)).pool()
    for progress, survives in ((0.1, True), (0.79, True), (0.81, False)):
        chosen = select(algorithm, jax.random.key(0), state, pool, Clock(np.float32(progress), np.float32(0)))
        assert (2 * n - 1 in np.asarray(chosen.row)) == survives


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_own_vectors_find_solutions_on_the_front_in_their_directions(seed):
    """In regions inside the front, at its edges and at its corners; the ideal point of DTLZ2 is zero."""
    rng = np.random.default_rng(seed)
    corners = [[1, 0, 0], [0, 1, 1], [1, 0.05, 0.05]]
    centre = np.array(corners[seed], float) if seed < len(corners) else np.abs(rng.normal(size=3))
    vectors = np.abs(rng.normal(centre / np.linalg.norm(centre), 0.1, (57, 3)))
    problem = tr.problems.DTLZ2(objectives=3, variables=12)
    result = tr.optimize(problem, tr.TensorRVEA(population=57, vectors=vectors), generations=200, seed=seed)
    on_front = result.F[np.abs(np.linalg.norm(result.F, axis=1) - 1) < 0.01]
    nearest = oracle.angles(on_front, vectors).argmin(axis=1)
    assert len(set(nearest.tolist())) >= 0.9 * len(vectors)


def test_a_given_ideal_point_is_kept_until_better_values_are_found():
    problem = tr.problems.DTLZ2(objectives=3, variables=7)
    algorithm = tr.TensorRVEA(population=28, ideal=[-1.0, 0.5, 0.0])
    state, offspring = algorithm.init(jax.random.key(0), problem)
    f, g = problem.evaluate(jax.random.key(0), offspring.x)
    after = algorithm.tell(jax.random.key(1), state, offspring, f, g, Clock(0.0, 0.0))
    expected = np.minimum([-1.0, 0.5, 0.0], np.asarray(f).min(axis=0))
    np.testing.assert_allclose(after.extra.ideal, expected)
    assert expected[1] < 0.5
    with pytest.raises(ValueError, match="ideal must have 3 entries for this problem, got 2"):
        tr.TensorRVEA(population=28, ideal=[0.0, 0.0]).init(jax.random.key(0), problem)
    with pytest.raises(ValueError, match="ideal must be finite"):
        tr.TensorRVEA(population=28, ideal=[0.0, np.nan, 0.0])


@pytest.mark.slow
def test_empty_niches_are_filled_on_an_irregular_front():
    """DTLZ5's front is a curve, which few of the vectors meet."""
    problem = tr.problems.DTLZ5(objectives=3, variables=12)
    result = tr.optimize(problem, tr.TensorRVEA(population=105), generations=100, seed=1000)
    paper = tr.optimize(problem, tr.TensorRVEA.paper(population=105), generations=100, seed=1000)
    front = problem.front(1000)
    assert len(result.F) > 2 * len(paper.F)
    assert tr.metrics.igd(result.F, front) < 0.3 * tr.metrics.igd(paper.F, front)
