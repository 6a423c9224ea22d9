"""Hypervolume: the volume that a set of points dominates, bounded by a reference point."""

from math import gamma, pi, sqrt
from typing import NamedTuple

import moocore
import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tensorrvea.checks import check_integer
from tensorrvea.directions import Directions
from tensorrvea.metrics.inputs import minimised, minimised_reference
from tensorrvea.selection.dominance import nondominated

# Ratios in memory at a time in the estimate: 16 MB.
BLOCK = 1 << 21
# If fewer than this share of the directions carry the estimate, its standard error cannot be trusted.
EFFECTIVE_SHARE = 0.02


class Estimate(NamedTuple):
    """A Monte Carlo estimate and its standard error.

    Args:
      value: the estimate.
      standard_error: its standard error.

    >>> Estimate(0.75, 0.001).value
    0.75
    """

    value: float
    standard_error: float


def is_exact(points: int, objectives: int) -> bool:
    """Whether ``hypervolume`` of this many non-dominated points is exact, which takes seconds at most.

    moocore needs O(n log n) for two and three objectives, O(n²) for four, and O(n^(m-2)) beyond.

    Args:
      points: the number of points.
      objectives: the number of objectives.

    Returns:
      Whether the exact algorithm is used.

    >>> is_exact(10**6, 3), is_exact(200, 6), is_exact(200, 10)
    (True, True, False)
    """
    check_integer("points", points, minimum=0)
    if check_integer("objectives", objectives, minimum=1) <= 3:
        return True
    return points <= 100_000 if objectives == 4 else points ** min(objectives - 2, 64) <= 10**12


def hypervolume(F: ArrayLike, reference: ArrayLike, directions: Directions = "min") -> float:
    """The volume of the region dominated by F that dominates the reference point. Larger is better.

    A point that is not better than ``reference`` in every objective adds nothing. Computed by moocore in double
    precision if ``is_exact``; otherwise the value of ``hypervolume_estimate`` with its defaults.

    Args:
      F: objectives, one row per solution, in the user's signs.
      reference: the reference point, one number per objective: worse than all solutions that should count.
      directions: ``"min"`` or ``"max"`` for all objectives, or one of them for each.

    Returns:
      The volume; 0 if no point is better than the reference point.

    Raises:
      ValueError: if the shapes do not match, or a value is NaN or infinite.

    >>> hypervolume([[5.0, 5.0], [4.0, 6.0], [2.0, 7.0], [7.0, 4.0]], reference=[10.0, 10.0])
    38.0
    >>> hypervolume([[5.0, 5.0], [4.0, 6.0], [11.0, 0.0]], reference=[0.0, 0.0], directions=("max", "min"))
    0.0
    >>> hypervolume([[3.0, 2.0], [1.0, 4.0]], reference=[0.0, 0.0], directions="max")
    8.0
    """
    f, point = _contributors(F, reference, directions)
    if len(f) == 0:
        return 0.0
    if not is_exact(*f.shape):
        return _estimate(f, point, samples=DEFAULT_SAMPLES, seed=0).value
    return float(moocore.hypervolume(f, ref=point))


DEFAULT_SAMPLES = 100_000


def hypervolume_estimate(
    F: ArrayLike, reference: ArrayLike, directions: Directions = "min", *, samples: int = DEFAULT_SAMPLES, seed: int = 0
) -> Estimate:
    """A Monte Carlo estimate of the hypervolume for many objectives, in O(n m samples); deterministic by seed.

    Directions w are uniform on the positive part of the sphere. Along each, the dominated region extends
    ρ(w) = max_i min_k (reference_k - f_ik) / w_k from the reference point; the volume is the mean of ρ^m times
    π^(m/2) / (2^m Γ(m/2 + 1)) (Deng and Zhang, 2019). For sets so thin that few directions meet them, points are drawn
    in the boxes between the points of F and the reference point instead (Karp and Luby, 1983).

    Args:
      F: objectives, one row per solution, in the user's signs.
      reference: the reference point, one number per objective: worse than all solutions that should count.
      directions: ``"min"`` or ``"max"`` for all objectives, or one of them for each.
      samples: the number of directions; the standard error falls with its square root.
      seed: of the random directions.

    Returns:
      The estimate and its standard error.

    Raises:
      ValueError: if the shapes do not match, or a value is NaN or infinite.

    >>> estimate = hypervolume_estimate([[0.0, 0.5], [0.5, 0.0]], reference=[1.0, 1.0])
    >>> abs(estimate.value - 0.75) < 4 * estimate.standard_error < 0.01
    True
    """
    check_integer("samples", samples, minimum=2, maximum=2**30)
    check_integer("seed", seed, minimum=0)
    f, point = _contributors(F, reference, directions)
    return Estimate(0.0, 0.0) if len(f) == 0 else _estimate(f, point, samples=samples, seed=seed)


def _contributors(
    F: ArrayLike, reference: ArrayLike, directions: Directions
) -> tuple[Float[np.ndarray, "k m"], Float[np.ndarray, " m"]]:
    """The non-dominated points that are better than the reference point in every objective, all minimised."""
    f = minimised("F", F, directions)
    point = minimised_reference(reference, directions, f.shape[1])
    f = f[(f < point).all(axis=1)]
    return f[nondominated(f)], point


def _estimate(f: Float[np.ndarray, "n m"], reference: Float[np.ndarray, " m"], *, samples: int, seed: int) -> Estimate:
    m = f.shape[1]
    rng = np.random.default_rng(seed)
    # Scale by the bounding box, so that all objectives have the same range.
    box = reference - f.min(axis=0)
    reach = (reference - f) / box
    step = max(1, BLOCK // len(f))
    volumes = []
    for start in range(0, samples, step):
        w = np.abs(rng.standard_normal((min(step, samples - start), m)))
        w /= np.linalg.norm(w, axis=1, keepdims=True)
        nearest = np.full((len(w), len(f)), np.inf)
        for k in range(m):
            np.minimum(nearest, reach[None, :, k] / np.maximum(w[:, k, None], 1e-300), out=nearest)
        volumes.append(nearest.max(axis=1) ** m)
    ball = pi ** (m / 2) / (2**m * gamma(m / 2 + 1)) * box.prod()
    each = ball * np.concatenate(volumes)
    if each.sum() ** 2 < EFFECTIVE_SHARE * samples * (each**2).sum():
        return _estimate_by_boxes(reach, box.prod(), samples=samples, rng=rng)
    return Estimate(float(each.mean()), float(each.std(ddof=1) / sqrt(samples)))


def _estimate_by_boxes(
    reach: Float[np.ndarray, "n m"], scale: float, *, samples: int, rng: np.random.Generator
) -> Estimate:
    """Estimate the union of boxes from points drawn in them, for sets so thin that few directions meet them.

    A box is drawn with probability proportional to its volume, a point uniformly in it; the union is the sum of the
    volumes times the mean of 1 / (the number of boxes that hold the point), which is never small and rare (Karp and
    Luby, 1983; Bringmann and Friedrich, 2010).
    """
    volumes = reach.prod(axis=1)
    chosen = rng.choice(len(reach), size=samples, p=volumes / volumes.sum())
    step, shares = max(1, BLOCK // len(reach)), []
    for start in range(0, samples, step):
        boxes = reach[chosen[start : start + step]]
        points = boxes * rng.random(boxes.shape)
        held = np.ones((len(points), len(reach)), bool)
        for k in range(reach.shape[1]):
            held &= points[:, k, None] <= reach[None, :, k]
        shares.append(1 / held.sum(axis=1))
    each = volumes.sum() * scale * np.concatenate(shares)
    # Overlaps that no point met are not in the deviation: about one in as many points.
    error = max(each.std(ddof=1) / sqrt(samples), each.mean() / samples)
    return Estimate(float(each.mean()), float(error))
