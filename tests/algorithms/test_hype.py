"""HypE: shares of the hypervolume by the paper's definition, and survivors against the paper's loop."""

from functools import cache

import jax
import jax.numpy as jnp
import moocore
import numpy as np
import pools
import pytest
from sizes import QUICKLY

import tensorrvea as tr
from tensorrvea.algorithms import HypE
from tensorrvea.evolution import Clock
from tensorrvea.metrics.hypervolume_shares import sampled_shares, share_weights
from tensorrvea.randomness import split, uniform

N, SAMPLES = 12, 500

select = jax.jit(HypE.select, compiler_options=QUICKLY)


@cache
def empty_state(objectives):
    problem = tr.problems.DTLZ2(objectives=objectives, variables=objectives + 4)
    return HypE(population=N, samples=SAMPLES).init(jax.random.key(0), problem)[0]


def selection_of(rows):
    algorithm = HypE(population=N, samples=SAMPLES)
    return select(algorithm, jax.random.key(0), empty_state(rows.f.shape[1]), rows.pool(), Clock(0.5, 0.4))


def weights_by_paper(k, n):
    """Eq. 11, as it is printed."""
    return [np.prod([(k - j) / (n - j) for j in range(1, i)]) / i for i in range(1, n + 1)]


def sampled_losses(f, k, points):
    """I_h^k of all rows, in samples, by comparing each row with each sample."""
    dominates = (f[:, None] <= points[None]).all(axis=2)
    owners = dominates.sum(axis=0)
    alpha = np.append(0, weights_by_paper(k, len(f)))
    return (dominates * alpha[owners]).sum(axis=1)


@pytest.mark.parametrize(("objectives", "seeds"), [(2, 48), (3, 80), (5, 80), (10, 80)])
def test_survivors_are_those_of_the_papers_loop(objectives, seeds):
    removals = 0
    points = 1.2 * np.asarray(uniform(split(jax.random.key(0))[0], (objectives, SAMPLES)), float).T
    for seed in range(seeds):
        rows = pools.random_rows(seed, pools.KINDS[seed % len(pools.KINDS)], objectives, N)
        selection, rank = selection_of(rows), rows.ranks()
        chosen = np.asarray(selection.row)[np.asarray(selection.filled)]
        wanted = min(N, rows.alive.sum())
        assert len(set(chosen)) == len(chosen) == wanted
        assert sorted(rank[chosen]) == sorted(rank)[:wanted]
        last = max(rank[chosen])
        members = np.flatnonzero(rank == last)
        if (rows.violation[members] > 0).any():
            assert list(np.sort(chosen[rank[chosen] == last])) == list(members[: (rank[chosen] == last).sum()])
            continue
        f = rows.f[members]
        span = np.ptp(f, axis=0)
        f = (f - f.min(axis=0)) / np.where(span > 0, span, 1)
        left, kept = list(range(len(members))), np.isin(members, chosen)
        while len(left) > kept.sum():
            removals += 1
            k = len(left) - kept.sum()
            lost = area_losses(f[left], k) if objectives == 2 else sampled_losses(f[left], k, points)
            least = [left[i] for i in range(len(left)) if lost[i] <= lost.min() * (1 + 1e-4) + 1e-6]
            removable = [i for i in least if not kept[i]]
            if not removable:
                removable = [i for i in left if not kept[i] and any((f[i] == f[j]).all() for j in least)]
            assert removable, (seed, objectives)
            left.remove(max(removable))
    assert removals > seeds


def area_losses(f, k):
    """I_h^k in two objectives, from the cells of a grid through all rows."""
    xs, ys = (np.append(np.unique(f[:, j]), 1.2) for j in range(2))
    result = np.zeros(len(f))
    alpha = np.append(0, weights_by_paper(k, len(f)))
    for x, width in zip(xs[:-1], np.diff(xs), strict=True):
        for y, height in zip(ys[:-1], np.diff(ys), strict=True):
            owners = (f[:, 0] <= x) & (f[:, 1] <= y)
            result += owners * alpha[owners.sum()] * width * height
    return result


def test_the_grid_of_the_test_agrees_with_moocore():
    rng = np.random.default_rng(0)
    x = np.sort(rng.random(6))
    f = np.stack([x, np.sort(rng.random(6))[::-1]], axis=1)
    reference = [1.2, 1.2]
    whole = moocore.hypervolume(f, ref=reference)
    # k = 1: the contribution. k = n: everything is lost, and each part is divided among its owners.
    alone = [whole - moocore.hypervolume(np.delete(f, i, axis=0), ref=reference) for i in range(6)]
    np.testing.assert_allclose(area_losses(f, 1), alone)
    np.testing.assert_allclose(area_losses(f, 6).sum(), whole)
    # k = 2: by definition, the mean over the other row that is removed, half of what both dominate alone.
    for i in range(6):
        losses = []
        for j in set(range(6)) - {i}:
            both = whole - moocore.hypervolume(np.delete(f, [i, j], axis=0), ref=reference)
            losses.append(alone[i] + (both - alone[i] - alone[j]) / 2)
        np.testing.assert_allclose(area_losses(f, 2)[i], np.mean(losses))


def test_weights_are_those_of_the_paper():
    for k, n in [(1, 1), (1, 5), (3, 5), (5, 5), (7, 20)]:
        np.testing.assert_allclose(share_weights(jnp.array(k), jnp.array(n), n), weights_by_paper(k, n), rtol=1e-5)


def test_shares_of_parents_add_up_to_the_dominated_samples():
    rows = pools.random_rows(0, "one front", 3, N)
    selection = selection_of(rows)
    f = rows.f[np.asarray(selection.row)]
    f = (f - f.min(axis=0)) / np.ptp(f, axis=0)
    key = split(jax.random.key(0))[1]
    points = 1.2 * np.asarray(uniform(key, (3, SAMPLES)), float).T
    np.testing.assert_allclose(-np.asarray(selection.score), sampled_losses(f, N, points), rtol=1e-3)
    shares = sampled_shares(key, jnp.asarray(f, jnp.float32), jnp.ones(N, bool), 1.2, SAMPLES)
    dominated = (f[:, None] <= points[None]).all(axis=2).any(axis=0).sum()
    np.testing.assert_allclose(shares.sum(), dominated, rtol=1e-3)


def test_feasible_rows_win_tournaments():
    selection = selection_of(pools.random_rows(4, "constrained", 3, N))
    rows = pools.random_rows(4, "constrained", 3, N)
    violation = rows.violation[np.asarray(selection.row)]
    score = np.asarray(selection.score)
    assert (score[violation <= 0] <= 0).all()
    np.testing.assert_allclose(score[violation > 0], violation[violation > 0], rtol=1e-6)


def test_samples_are_checked():
    with pytest.raises(ValueError, match="samples must be at least 1, got 0"):
        HypE(population=10, samples=0)
    with pytest.raises(ValueError, match=r"samples must be at most 4294 for population=500000, got 10000"):
        HypE(population=500_000)
