"""AGE-MOEA-II: survivors against a transcription of the paper and pymoo's survival, and the parts of its model."""

import sys
from functools import cache
from types import ModuleType

import jax
import jax.numpy as jnp
import numpy as np
import pools
import pytest
from scipy.optimize import brentq
from sizes import QUICKLY

import tensorrvea as tr
from tensorrvea.algorithms import AGEMOEA2
from tensorrvea.evolution import Clock
from tensorrvea.selection import front_geometry

N = 20

select = jax.jit(AGEMOEA2.select, compiler_options=QUICKLY)


@cache
def empty_state(objectives):
    problem = tr.problems.DTLZ2(objectives=objectives, variables=objectives + 4)
    return AGEMOEA2(population=N).init(jax.random.key(0), problem)[0]


def survivors_of(rows):
    """Return the survivors' rows, the best first."""
    algorithm = AGEMOEA2(population=N)
    chosen = select(algorithm, jax.random.key(0), empty_state(rows.f.shape[1]), rows.pool(), Clock(0.5, 0.4))
    filled = np.asarray(chosen.filled)
    assert (np.diff(np.asarray(chosen.score)[filled]) > 0).all()
    return np.asarray(chosen.row)[filled]


def normalized_by_paper(f):
    """The normalisation of NSGA-III (Deb and Jain, 2014), by the first front's own ideal point."""
    m = f.shape[1]
    translated = f - f.min(axis=0)
    extremes = [np.argmin((translated / np.where(np.eye(m)[j] == 1, 1, 1e-6)).max(axis=1)) for j in range(m)]
    largest = translated.max(axis=0)
    largest[largest == 0] = 1
    varies = np.flatnonzero(np.ptp(f, axis=0))
    points = translated[extremes][np.ix_(varies, varies)] / largest[varies]
    is_singular = np.linalg.matrix_rank(points, tol=1e-6) < len(varies) if len(varies) else False
    plane = np.ones(m)
    plane[varies] = -1.0 if is_singular else np.linalg.solve(points, np.ones(len(varies)))
    is_plane = ((plane > 1e-6) & (plane < 1e6)).all()
    return f.min(axis=0), largest / plane if is_plane else largest


def exponents_by_paper(front, inner):
    """Return p with Σ f^p = 1 of the point nearest to the ideal point; several if points are equally near."""
    if len(inner) == 0:
        return [1.0]
    distance = np.linalg.norm(front[inner], axis=1)
    found = []
    for point in front[inner][distance <= distance.min() + 1e-5]:
        if (point > 1 - 1e-6).any():
            found.append(20.0)
        if (point > 1 - 1e-6).any() or (point > 0).sum() < 2:
            found.append(1.0)
            continue
        excess = [np.sum(point[point > 0] ** p) - 1 for p in (0.1, 20)]
        found.append(
            0.1
            if excess[0] < 0
            else 20
            if excess[1] > 0
            else brentq(lambda p, c=point[point > 0]: np.sum(c**p) - 1, 0.1, 20, xtol=1e-12)
        )
    return found


def geodesic(a, b, p):
    """The length of two straight lines that meet in the projected midpoint."""
    middle = (a + b) / 2
    middle = middle / np.sum(middle**p) ** (1 / p)
    return np.linalg.norm(a - middle) + np.linalg.norm(middle - b)


def follows_the_paper(order, front, p, extremes):
    """Whether each row in ``order`` had the largest survival score of the paper when it was chosen."""
    proximity = np.maximum((front**p).sum(axis=1) ** (1 / p), 1e-30)
    projected = front / proximity[:, None]
    chosen = []
    for row in order:
        scores = {}
        for i in set(range(len(front))) - set(chosen):
            near = sorted(geodesic(projected[i], projected[j], p) for j in chosen)[:2]
            scores[i] = np.inf if i in extremes else sum(near) / proximity[i]
        best = max(scores.values())
        if scores[row] < best - 2e-3 * min(best, 1) - 1e-5:
            return False
        chosen.append(row)
    return True


@pytest.mark.parametrize("objectives", [2, 3, 5, 10])
def test_survivors_are_those_of_the_paper(objectives):
    compared = 0
    for seed in range(10 * len(pools.KINDS)):
        rows = pools.random_rows(seed, pools.KINDS[seed % len(pools.KINDS)], objectives, N)
        chosen = survivors_of(rows)
        rank = rows.ranks()
        wanted = min(N, rows.alive.sum())
        assert len(set(chosen)) == len(chosen) == wanted
        assert sorted(rank[chosen]) == sorted(rank)[:wanted]
        first = np.flatnonzero(rows.alive & (rows.violation <= 0) & (rank == 0))
        if len(first) == 0:
            # Equally violating rows have no order: the first ones survive.
            assert list(chosen) == sorted(np.flatnonzero(rows.alive), key=lambda i: (rank[i], i))[:wanted]
            continue
        ideal, scale = normalized_by_paper(rows.f[first])
        front = np.maximum(rows.f[first] - ideal, 0) / scale
        off_axis = np.sqrt(np.maximum((front**2).sum(axis=1)[:, None] - front**2, 0))
        nearest = np.sort(np.where(front.std(axis=0) > 0, off_axis, 0), axis=0)
        if len(first) > 1 and (np.abs(nearest[1] - nearest[0]) < 1e-5).any() and "dup" not in pools.KINDS[seed % 8]:
            continue  # equally near to an axis up to rounding
        extremes = set(off_axis.argmin(axis=0)[np.ptp(front, axis=0) > 0])
        inner = [i for i in range(len(first)) if i not in extremes]
        order = [int(np.flatnonzero(first == row)[0]) for row in chosen if row in first]
        exponents = exponents_by_paper(front, inner)
        assert any(follows_the_paper(order, front, p, extremes) for p in exponents), (seed, objectives)
        compared += 1
        # Later fronts: by the norm alone.
        for number in set(rank[chosen]) - {0}:
            members = np.flatnonzero((rank == number) & (rows.violation <= 0))
            norms = [((np.maximum(rows.f - ideal, 0) / scale) ** p).sum(axis=1) ** (1 / p) for p in exponents]
            kept = np.isin(members, chosen)
            if kept.any() and not kept.all():
                assert any(n[members[kept]].max() <= n[members[~kept]].min() * (1 + 1e-4) for n in norms), (
                    seed,
                    exponents,
                )
    assert compared >= 4 * len(pools.KINDS)


def pymoo_survival():
    """Return pymoo's survival. It wants numba for speed alone, which is replaced by plain Python if it is missing."""
    try:
        import numba  # noqa: F401
    except ImportError:
        plain = ModuleType("numba")
        plain.intp, plain.boolean, plain.float64 = np.intp, np.bool_, np.float64
        plain.jit = lambda *_, **__: lambda function: function
        sys.modules["numba"] = plain
    from pymoo.algorithms.moo.age2 import AGEMOEA2Survival

    return AGEMOEA2Survival()


@pytest.mark.parametrize("objectives", [2, 3, 5])
def test_the_transcription_has_the_exponent_and_the_distances_of_pymoo(objectives):
    # Two things are different in pymoo: the extreme points are sought before normalisation, and a distance is
    # divided by the proximity of the row that is already chosen, not by that of the row whose score it is.
    for seed in range(20):
        f = pools.random_rows(seed, "one front", objectives, N).f
        theirs, p, scale = pymoo_survival().survival_score(f.copy(), f.min(axis=0))
        front = (f - f.min(axis=0)) / scale
        order = np.argsort(-theirs, kind="stable")
        extremes = np.flatnonzero(np.isinf(theirs))
        exponents = exponents_by_paper(front, np.setdiff1d(order, extremes))
        if 1.0 not in exponents:  # what stands for "none": pymoo goes on with any
            assert min(abs(p - other) for other in exponents) < 5e-3 * p
        proximity = (front**p).sum(axis=1) ** (1 / p)
        projected = front / proximity[:, None]
        for turn in range(len(extremes), N):
            row, chosen = order[turn], order[:turn]
            near = sorted(geodesic(projected[row], projected[j], p) / proximity[j] for j in chosen)[:2]
            np.testing.assert_allclose(theirs[row], sum(near), rtol=2e-3)


def test_the_exponent_is_that_of_the_surface_through_the_point():
    for p in (0.2, 0.5, 1.0, 2.0, 7.0):
        for point in np.random.default_rng(0).random((20, 4)) + 0.05:
            on_surface = jnp.asarray(point / (point**p).sum() ** (1 / p), jnp.float32)
            np.testing.assert_allclose(front_geometry.curvature(on_surface), p, rtol=1e-3)


def test_a_front_without_a_central_point_below_one_is_flat():
    for point in ([1.0, 0.5], [0.0, 0.5], [0.0, 0.0], [2.0, 3.0]):
        assert front_geometry.curvature(jnp.array(point)) == 1


def test_distances_are_those_of_the_arc_on_a_circle():
    # Two chords of 45 degrees each instead of a quarter of a circle.
    columns = (jnp.array([1.0, 0.0, 0.6]), jnp.array([0.0, 1.0, 0.8]))
    distance = front_geometry.distances_to(jnp.array(0), columns, jnp.array(2.0))
    np.testing.assert_allclose(distance[:2], [0, 4 * np.sin(np.pi / 8)], atol=1e-6)
    np.testing.assert_allclose(distance[2], 4 * np.sin(np.arctan2(0.8, 0.6) / 4), rtol=1e-5)
