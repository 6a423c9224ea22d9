"""SMS-EMOA: contributions against moocore's exact hypervolumes, survivors against the paper's loop."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import moocore
import numpy as np
import pools
import pytest
from sizes import QUICKLY

import tensorrvea as tr
from tensorrvea.algorithms import SMSEMOA
from tensorrvea.evolution import Clock
from tensorrvea.metrics import contributions
from tensorrvea.selection.last_front import remove_in_small_arrays

N = 12

select = jax.jit(SMSEMOA.select, compiler_options=QUICKLY)


@cache
def empty_state(objectives):
    problem = tr.problems.DTLZ2(objectives=objectives, variables=objectives + 4)
    return SMSEMOA(population=N).init(jax.random.key(0), problem)[0]


def survivors_of(rows):
    algorithm = SMSEMOA(population=N)
    chosen = select(algorithm, jax.random.key(0), empty_state(rows.f.shape[1]), rows.pool(), Clock(0.5, 0.4))
    return np.asarray(chosen.row)[np.asarray(chosen.filled)]


def exact_contributions(f, reference):
    """The hypervolume that is lost with each row, by moocore in double precision."""
    whole = moocore.hypervolume(f, ref=reference)
    return np.array([whole - moocore.hypervolume(np.delete(f, i, axis=0), ref=reference) for i in range(len(f))])


def estimated_contributions(f, reference, w):
    """The mean m-th power of the distance at which a line leaves the volume that a row dominates alone."""
    ends = ((f[None] - f[:, None])[:, :, None] / w).max(axis=3)
    ends[np.arange(len(f)), np.arange(len(f))] = ((reference - f)[:, None] / w).min(axis=2)
    return (ends.min(axis=1) ** f.shape[1]).mean(axis=1)


def lines_of(key, objectives):
    normal = np.abs(np.asarray(jax.random.normal(key, (64, objectives)), float))
    return np.maximum(normal / np.linalg.norm(normal, axis=1, keepdims=True), 1e-6)


@pytest.mark.parametrize(("objectives", "seeds"), [(2, 80), (3, 80), (5, 40), (10, 40)])
def test_survivors_are_those_of_the_papers_loop(objectives, seeds):
    several = 0
    for seed in range(seeds):
        rows = pools.random_rows(seed, pools.KINDS[seed % len(pools.KINDS)], objectives, N)
        chosen, rank = survivors_of(rows), rows.ranks()
        wanted = min(N, rows.alive.sum())
        assert len(set(chosen)) == len(chosen) == wanted
        assert sorted(rank[chosen]) == sorted(rank)[:wanted]
        last = max(rank[chosen])
        members = np.flatnonzero(rank == last)
        if (rows.violation[members] > 0).any():
            # Equally violating rows have no order: the first ones survive.
            assert list(np.sort(chosen[rank[chosen] == last])) == list(members[: (rank[chosen] == last).sum()])
            continue
        f = rows.f[members]
        span = np.ptp(f, axis=0)
        f = (f - f.min(axis=0)) / np.where(span > 0, span, 1)
        reference = np.full(objectives, 2.0)
        left, kept = list(range(len(members))), np.isin(members, chosen)
        # The paper's loop may remove any row that contributes least up to rounding; the library's is among those.
        while len(left) > kept.sum():
            several += 1
            exact = objectives <= 3
            lost = (
                exact_contributions(f[left], reference)
                if exact
                else estimated_contributions(f[left], reference, lines_of(jax.random.key(0), objectives))
            )
            least = [left[i] for i in range(len(left)) if lost[i] <= lost.min() * (1 + 1e-3) + 1e-9]
            removable = [i for i in least if not kept[i]]
            if not removable:
                # A row that is kept may stand for an equal one.
                removable = [i for i in left if not kept[i] and any((f[i] == f[j]).all() for j in least)]
            assert removable, (seed, objectives)
            left.remove(max(removable))
    assert several > seeds


@pytest.mark.parametrize("objectives", [2, 3])
def test_contributions_are_differences_of_exact_hypervolumes(objectives):
    alone = jax.jit(lambda f, i, left: contributions.contribution_to(f, 1.5)(i, left).volume)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        f = rng.random((40, objectives))
        f = (f / np.linalg.norm(f, axis=1, keepdims=True)).astype(np.float32)
        f[7] = f[11]
        left = rng.random(40) < rng.choice([0.1, 0.9])
        left[[7, 11]] = seed % 2 == 0
        rows = np.flatnonzero(left)
        if len(rows) < 2:
            continue
        expected = exact_contributions(f[rows].astype(float), np.full(objectives, 1.5))
        found = [float(alone(f, i, left)) for i in rows]
        np.testing.assert_allclose(found, np.maximum(expected, 0), rtol=2e-4, atol=1e-8)


@pytest.mark.parametrize("objectives", [2, 3, 5])
def test_rows_beyond_the_corner_do_not_bound_the_volume(objectives):
    alone = jax.jit(lambda f, i, left: contributions.contribution_to(f, 1.5, jax.random.key(0), 64)(i, left))
    fewer = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        f = rng.random((40, objectives))
        f = (f / np.linalg.norm(f, axis=1, keepdims=True)).astype(np.float32)
        found = alone(f, seed, np.ones(40, bool))
        near = (f <= np.array(found.corner)).all(axis=1)
        near[seed] = True
        fewer += (~near).sum()
        np.testing.assert_allclose(alone(f, seed, near).volume, found.volume, rtol=1e-6)
    assert fewer > 20 * 40 / 10


def test_a_row_with_many_neighbours_is_computed_exactly():
    # Clipped to the last row, all others are corners of one staircase.
    t = np.linspace(0.01, 0.99, 2 * contributions.NEIGHBOURS)
    f = np.stack([t, 1 - t, np.full_like(t, 0.5)], axis=1)
    f = np.concatenate([f, [[0.0, 0.0, 0.9]]]).astype(np.float32)
    volume = contributions.contribution_to(jnp.asarray(f), 1.5)(jnp.array(len(f) - 1), jnp.ones(len(f), bool)).volume
    np.testing.assert_allclose(volume, exact_contributions(f.astype(float), np.full(3, 1.5))[-1], rtol=1e-4)


def test_many_rows_at_once_have_exact_contributions_or_lower_bounds():
    found_at_once = jax.jit(lambda f, rows, left: contributions.volumes_alone(tuple(f.T), rows, left, 1.5))
    exact, ratios = 0, []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        f = rng.random((150, 3))
        f = (f / np.linalg.norm(f, axis=1, keepdims=True)).astype(np.float32)
        f[::10] = np.round(f[::10], 1)
        f[7] = f[11]
        left = rng.random(150) < rng.choice([0.2, 0.9])
        rows = np.flatnonzero(left)
        found, is_exact = found_at_once(f, rows, left)
        expected = np.maximum(exact_contributions(f[rows].astype(float), np.full(3, 1.5)), 0)
        np.testing.assert_allclose(found.volume[is_exact], expected[is_exact], rtol=2e-4, atol=1e-8)
        assert (found.volume <= expected * (1 + 2e-4) + 1e-8).all()
        ratios.extend(found.volume[~is_exact] / expected[~is_exact])
        exact += is_exact.sum()
    assert exact > len(ratios) > 50
    assert np.median(ratios) > 0.05


def test_estimates_are_proportional_to_exact_contributions():
    rng = np.random.default_rng(0)
    f = rng.random((12, 4))
    f = (f / np.linalg.norm(f, axis=1, keepdims=True)).astype(np.float32)
    estimate = contributions.contribution_to(jnp.asarray(f), 1.5, jax.random.key(1), 20_000)
    found = np.array([float(estimate(jnp.array(i), jnp.ones(12, bool)).volume) for i in range(12)])
    # The ball's share in the positive orthant, π² / 2 / 2⁴, is the factor.
    np.testing.assert_allclose(
        found * np.pi**2 / 32, exact_contributions(f.astype(float), np.full(4, 1.5)), rtol=0.15, atol=1e-4
    )


@jax.jit
def remove(f, front, count):
    return contributions.remove_least(f, front, count, 2.0)


remove_in_small = jax.jit(partial(remove_in_small_arrays, remove))
remove_in_small_batch = jax.jit(jax.vmap(partial(remove_in_small_arrays, remove), (None, 0, None)))


@pytest.mark.parametrize("rows", [3, 100, 129, 400])
def test_a_front_in_a_small_array_loses_the_same_rows(rows):
    """Also in a batch, in which every size of the array is computed."""
    rng = np.random.default_rng(rows)
    f = np.abs(rng.normal(size=(600, 3)))
    f = jnp.asarray(f / np.linalg.norm(f, axis=1, keepdims=True), jnp.float32)
    front = jnp.asarray(rng.permutation(600) < rows)
    for count in (0, 1, rows // 2):
        expected = remove(f, front, count)
        assert int(expected.sum()) == rows - count
        np.testing.assert_array_equal(remove_in_small(f, front, count), expected)
        fronts = jnp.stack([front, jnp.ones(600, bool)])
        batch = remove_in_small_batch(f, fronts, count)
        np.testing.assert_array_equal(batch[0], expected)
        np.testing.assert_array_equal(batch[1], remove(f, fronts[1], count))


def test_lines_are_checked():
    with pytest.raises(ValueError, match="lines must be at least 1, got 0"):
        SMSEMOA(population=10, lines=0)
