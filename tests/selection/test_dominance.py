"""Non-dominated filtering and sorting, against moocore and pymoo, and against the definition."""

import resource

import jax
import jax.numpy as jnp
import moocore
import numpy as np
import oracle
import pytest
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

from tensorrvea.population import Pool
from tensorrvea.selection.dominance import (
    ACCELERATOR_BLOCK,
    CPU_BLOCK,
    nondominated,
    nondominated_rows,
    rank_rows,
    ranks,
    widen,
    widened_for,
)

compiled_ranks = jax.jit(rank_rows)
compiled_rows = jax.jit(nondominated_rows)

# One row, one whole block, and one row more than two blocks, also of an accelerator.
SIZES = (1, CPU_BLOCK, 2 * CPU_BLOCK + 1, 2 * ACCELERATOR_BLOCK + 1)


def points(kind: str, n: int, m: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if kind == "random":
        f = rng.random((n, m))
    elif kind == "ties":  # many equal rows, and rows that tie in some objectives
        f = rng.integers(0, 4, (n, m))
    elif kind == "chain":  # each dominates the next
        f = np.repeat(rng.permutation(n)[:, None], m, axis=1)
    elif kind == "sphere":  # no row dominates another
        f = np.abs(rng.normal(size=(n, m)))
        f /= np.linalg.norm(f, axis=1, keepdims=True)
    else:
        raise AssertionError(kind)
    return f.astype(np.float32)


def dominates(f: np.ndarray, violation: np.ndarray | None = None) -> np.ndarray:
    """Return whether row i dominates row j at [i, j], as defined by Deb et al."""
    better = (f[:, None] <= f[None]).all(-1) & (f[:, None] < f[None]).any(-1)
    if violation is None:
        return better
    feasible = violation <= 0
    both = feasible[:, None] & feasible[None]
    return (
        (both & better)
        | (feasible[:, None] & ~feasible[None])
        | (~feasible[:, None] & ~feasible[None] & (violation[:, None] < violation[None]))
    )


def peel(beats: np.ndarray, alive: np.ndarray) -> np.ndarray:
    """Return ranks by removing one front after another."""
    rank, left, number = np.full(len(alive), len(alive)), alive.copy(), 0
    while left.any():
        front = left & ~(beats & left[:, None]).any(axis=0)
        rank[front], left, number = number, left & ~front, number + 1
    return rank


@pytest.mark.parametrize(("n", "m"), [*((n, 3) for n in SIZES), (SIZES[-1], 2), (SIZES[-1], 5)])
def test_ranks_agree_with_moocore(n, m):
    for kind in ("random", "ties", "chain", "sphere"):
        f = points(kind, n, m)
        everybody = np.ones(n, bool)
        np.testing.assert_array_equal(compiled_ranks(f, everybody), moocore.pareto_rank(f), err_msg=kind)
        expected = moocore.is_nondominated(f, keep_weakly=True)
        np.testing.assert_array_equal(compiled_rows(f, everybody), expected, err_msg=kind)
        np.testing.assert_array_equal(nondominated(f), expected, err_msg=kind)


def test_ranks_agree_with_pymoo():
    f = points("random", SIZES[-1], 3, seed=1)
    _, rank = NonDominatedSorting().do(f.astype(float), return_rank=True)
    np.testing.assert_array_equal(compiled_ranks(f, np.ones(len(f), bool)), rank)


@pytest.mark.parametrize("seed", range(4))
def test_dead_and_infeasible_rows_rank_as_defined(seed):
    rng = np.random.default_rng(seed)
    n = SIZES[-1]
    f = points("ties" if seed % 2 else "random", n, 3, seed)
    alive = rng.random(n) < 0.7
    violation = np.maximum(rng.integers(-3, 4, n), 0).astype(np.float32)
    if seed == 3:
        violation += 1  # no row is feasible
    f[~alive] = rng.choice([np.nan, np.inf, -np.inf, 0], ((~alive).sum(), 3))  # must not matter
    np.testing.assert_array_equal(compiled_ranks(f, alive), peel(dominates(f), alive))
    expected = peel(dominates(f, violation), alive)
    np.testing.assert_array_equal(compiled_ranks(f, alive, violation), expected)
    np.testing.assert_array_equal(compiled_rows(f, alive, violation), expected == 0)


def test_populations_without_living_rows_are_ranked():
    f, none_alive = points("random", SIZES[-1], 3), np.zeros(SIZES[-1], bool)
    assert (np.asarray(compiled_ranks(f, none_alive)) == len(f)).all()
    assert not compiled_rows(f, none_alive).any()
    assert not compiled_rows(f, none_alive, np.zeros(len(f), np.float32)).any()


def test_zeros_of_either_sign_are_equal():
    f = np.zeros((SIZES[-1], 3), np.float32)
    f[:4] = [[0.0, 1.0, 1.0], [-0.0, 1.0, 1.0], [-0.0, 0.0, -0.0], [0.0, -0.0, 0.0]]
    alive = np.arange(len(f)) < 4
    assert compiled_ranks(f, alive)[:4].tolist() == [1, 1, 0, 0]
    assert compiled_rows(f, alive)[:4].tolist() == [False, False, True, True]
    assert compiled_rows(f[:, :2], alive)[:4].tolist() == [False, False, True, True]


def test_ranks_vmap_over_runs():
    f = np.stack([points("random", 200, 3, seed) for seed in range(3)])
    alive = np.random.default_rng(0).random((3, 200)) < 0.8
    batched = jax.jit(jax.vmap(rank_rows))(f, alive), jax.jit(jax.vmap(nondominated_rows))(f, alive)
    for run in range(3):
        np.testing.assert_array_equal(batched[0][run], compiled_ranks(f[run], alive[run]))
        np.testing.assert_array_equal(batched[1][run], compiled_rows(f[run], alive[run]))


@pytest.mark.parametrize("m", [2, 3])
def test_filtering_many_rows_stays_within_memory(m):
    n = 200_000
    f = points("random", n, m) + 0.5 * points("sphere", n, m)
    expected = moocore.is_nondominated(f, keep_weakly=True)
    np.testing.assert_array_equal(nondominated(f), expected)
    filter_rows = jax.jit(nondominated_rows).lower(f, np.ones(n, bool)).compile()
    np.testing.assert_array_equal(filter_rows(f, np.ones(n, bool)), expected)
    assert filter_rows.memory_analysis().temp_size_in_bytes < 50e6


def test_ranking_builds_no_array_of_all_pairs():
    n = 20_000
    shapes = jax.ShapeDtypeStruct((n, 3), jnp.float32), jax.ShapeDtypeStruct((n,), bool)
    compiled = compiled_ranks.lower(*shapes).compile()
    assert compiled.memory_analysis().temp_size_in_bytes < 10e6


def test_ranking_many_rows_stays_within_memory():
    n = 200_000
    f = points("random", n, 2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = ranks(f)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200e3  # kB
    np.testing.assert_array_equal(found == 0, nondominated(f))
    shapes = jax.ShapeDtypeStruct((n, 3), jnp.float32), jax.ShapeDtypeStruct((n,), bool)
    assert compiled_ranks.lower(*shapes).compile().memory_analysis().temp_size_in_bytes < 50e6


@pytest.mark.parametrize("function", [nondominated, ranks])
def test_maximising_is_minimising_the_negative(function):
    f = points("random", 100, 3)
    signs = np.array([1, -1, 1])
    np.testing.assert_array_equal(function(f, ("min", "max", "min")), function(f * signs))
    assert function(np.empty((0, 3))).shape == (0,)


@pytest.mark.parametrize(
    ("f", "directions", "message"),
    [
        ([[1.0, np.nan]], "min", r"F must be finite, got nan at \(0, 1\)"),
        ([1.0, 2.0], "min", r"F must have shape \(points, objectives\)"),
        ([[1.0, 2.0]], ("min",), "directions must have one entry for each of 2 objectives"),
        ([[1.0, 2.0]], "least", "directions must be one of 'min', 'max', got 'least'"),
    ],
)
def test_wrong_arguments_of_nondominated_are_explained(f, directions, message):
    with pytest.raises(ValueError, match=message):
        nondominated(f, directions)


@pytest.mark.parametrize("m", [2, 3, 10])
@pytest.mark.parametrize("share", [0.001, 0.05, 1.0])
def test_a_wider_cone_is_that_of_its_definition(m, share):
    compared = widened_only = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        f = points("random", 40, m, seed) ** 3 * 10.0 ** rng.integers(-3, 4, m)
        f = f.astype(np.float32)
        rows = rng.random(40) < 0.8
        expected, is_clear = oracle.widened(f.astype(float), rows, share)
        found = np.asarray(widen(jnp.asarray(f), jnp.asarray(rows), share))
        assert not (dominates(f) & ~dominates(found)).any()
        widened_only += (dominates(found) & ~dominates(f)).sum()
        if is_clear:
            compared += 1
            np.testing.assert_array_equal(dominates(found), dominates(expected))
    assert compared > 10
    assert widened_only > 0 or m == 10


def test_a_cone_of_share_zero_is_plain_dominance_also_of_the_largest_floats():
    large = np.finfo(np.float32).max
    rng = np.random.default_rng(0)
    alive = jnp.ones(60, bool)
    for f in (points("ties", 60, 3), points("random", 60, 2), rng.choice([-large, -1.0, 0.0, 1e-30, large], (60, 3))):
        f = jnp.asarray(f, jnp.float32)
        np.testing.assert_array_equal(rank_rows(widen(f, alive, 0.0), alive), rank_rows(f, alive))
        assert np.isfinite(widen(f, alive, 1.0)).all()


def test_objectives_without_a_range_and_dead_rows_do_not_count_in_a_wider_cone():
    f = jnp.array([[1.0, 5.0, 2.0], [2.0, 5.0, 1.0], [1.5, 5.0, 1.9], [jnp.inf, jnp.inf, jnp.inf]])
    alive = jnp.array([True, True, True, False])
    without = widen(f[:3, ::2], alive[:3], 0.05)
    np.testing.assert_array_equal(widen(f, alive, 0.05)[:3, ::2], without)


@pytest.mark.parametrize("equal", [0.0, 0.5, 0.95, 1.0])
def test_the_unit_of_an_objective_does_not_matter_in_a_wider_cone(equal):
    """Also if it has the same value in nearly all rows."""
    rng = np.random.default_rng(1)
    f, alive = rng.random((40, 3)), jnp.ones(40, bool)
    f[: int(40 * equal), 2] = 0.0
    expected = rank_rows(widen(jnp.asarray(f, jnp.float32), alive, 0.05), alive)
    for unit in (2.0**-30, 2.0**-10, 2.0**20):
        found = rank_rows(widen(jnp.asarray(f * [1.0, 1.0, unit], jnp.float32), alive, 0.05), alive)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("m", "share"), [(2, 0.0), (3, 0.05), (5, 0.05)])
def test_the_cone_is_wider_by_default_for_three_objectives_and_more(m, share):
    f = jnp.asarray(points("random", 30, m), jnp.float32)
    alive = jnp.ones(30, bool)
    pool = Pool(f, violation=jnp.zeros(30), alive=alive, is_new=~alive)
    rank = rank_rows(widened_for(pool, None, jnp.array(0.0)), alive)
    np.testing.assert_array_equal(rank, rank_rows(widen(f, alive, share), alive))
    assert bool((rank == rank_rows(f, alive)).all()) == (m == 2)


@pytest.mark.parametrize("old", [True, False])
def test_the_cone_of_a_pool_has_the_units_of_its_survivors_and_narrows_to_plain_dominance(old):
    f = jnp.array([[0.0, 1.0], [1.0, 0.0], [0.5, 8.0], [9.0, 9.0]])
    is_new = jnp.array([not old, not old, True, True])
    pool = Pool(f, violation=jnp.array([0.0, 0.0, 0.0, 1.0]), alive=jnp.ones(4, bool), is_new=is_new)
    rows = jnp.array([True, True, not old, False])
    for progress, share in ((0.0, 0.3), (0.5, 0.3 / 16), (1.0, 0.0)):
        wide = widened_for(pool, 0.3, jnp.array(progress))
        np.testing.assert_allclose(wide, widen(f, rows, share), rtol=1e-6)
