"""Points of true fronts, and of the parameter sets that generate them, in NumPy and double precision."""

from collections.abc import Callable
from typing import Any

import moocore
import numpy as np
import scipy
from jaxtyping import Bool, Float

from tensorrvea.checks import check_integer
from tensorrvea.problems.shapes import products
from tensorrvea.reference_vectors import halton, simplex_lattice_of_about

Interval = tuple[float, float]
Curve = Callable[[Any], Any]  # of a number or an array

linear_front = simplex_lattice_of_about  # f₁ + … + fₘ = 1


def spherical_front(points: int, objectives: int) -> Float[np.ndarray, "k m"]:
    """f₁² + … + fₘ² = 1."""
    lattice = simplex_lattice_of_about(points, objectives)
    return lattice / np.linalg.norm(lattice, axis=1, keepdims=True)


def unit_points(points: int, dimensions: int) -> Float[np.ndarray, "k p"]:
    """About ``points`` evenly spread points of the unit cube: a grid in up to three dimensions, else a Halton sequence.

    The origin, the opposite corner and the ends of the axes are always included, since the extremes of a front lie
    there.
    """
    check_integer("points", points, minimum=1)
    if dimensions <= 3:
        side = np.linspace(0, 1, max(2, int(np.ceil(points ** (1 / dimensions) - 1e-9))))
        return np.stack(np.meshgrid(*[side] * dimensions, indexing="ij"), axis=-1).reshape(-1, dimensions)
    ends = np.vstack([np.zeros(dimensions), np.ones(dimensions), np.eye(dimensions)])
    return np.vstack([ends, halton(max(points - len(ends), 0), dimensions)])


def spread(unit: Float[np.ndarray, "..."], intervals: list[Interval]) -> Float[np.ndarray, "..."]:
    """Map [0, 1] onto intervals, in order and in proportion to their lengths.

    >>> spread(np.array([0.0, 0.5, 0.51, 1.0]), [(0.0, 1.0), (3.0, 4.0)]).tolist()
    [0.0, 1.0, 3.02, 4.0]
    """
    lengths = [stop - start for start, stop in intervals]
    ends = np.cumsum(lengths) / sum(lengths)
    index = np.minimum(np.searchsorted(ends, unit - 1e-12), len(intervals) - 1)
    starts = np.concatenate([[0.0], ends[:-1]])
    low, high = np.array(intervals).T
    share = np.clip((unit - starts[index]) / (ends - starts)[index], 0, 1)
    return low[index] + share * (high - low)[index]


def record_intervals(function: Curve, steps: int = 20_000) -> list[Interval]:
    """The parts of [0, 1] where ``function`` exceeds all values before them.

    If x is minimised and another objective falls as the function rises, only these x are Pareto optimal: each other
    one is dominated by a smaller x.
    """
    x = np.linspace(0, 1, steps + 1)
    value = function(x)
    record = value > np.maximum.accumulate(np.concatenate([[-np.inf], value[:-1]]))
    edges = np.flatnonzero(np.diff(np.concatenate([[False], record, [False]]).astype(int)))
    intervals, height = [], -np.inf
    for first, end in edges.reshape(-1, 2):
        last = end - 1
        start = 0.0
        if first > 0:
            start = scipy.optimize.brentq(lambda z, h=height: function(z) - h, x[first - 1], x[first], xtol=1e-15)
            # Where the record is only equalled, the earlier x dominates, so start just past it.
            start += 1e-9
        stop = _maximum(function, x[max(last - 1, 0)], x[min(last + 1, steps)]) if last < steps else 1.0
        height = function(stop)
        intervals.append((start, stop))
    return intervals


def _maximum(function: Curve, low: float, high: float) -> float:
    """The maximum of a smooth function with one peak in [low, high], as the root of its slope."""
    return scipy.optimize.brentq(lambda z: function(z + 1e-6) - function(z - 1e-6), low, high, xtol=1e-14)


def disconnected_front(points: int, objectives: int) -> Float[np.ndarray, "k m"]:
    """The front of DTLZ7: fₘ = 2m − Σ fᵢ(1 + sin 3πfᵢ), over the fᵢ in ``record_intervals`` of the term."""
    intervals = record_intervals(_disconnected_term)
    f = spread(unit_points(points, objectives - 1), intervals)
    return np.hstack([f, 2 * objectives - _disconnected_term(f).sum(axis=1, keepdims=True)])


def _disconnected_term(f: np.ndarray) -> np.ndarray:
    return f * (1 + np.sin(3 * np.pi * f))


def nondominated(f: Float[np.ndarray, "k m"]) -> Bool[np.ndarray, " k"]:
    """Mask of the rows that no other row dominates; of equal rows, the first."""
    return np.asarray(moocore.is_nondominated(f, keep_weakly=False))


def shape_of_angles(quarters: Float[np.ndarray, "k p"]) -> Float[np.ndarray, "k m"]:
    """``shapes.spherical_shape`` in double precision."""
    cosine, sine = np.cos(0.5 * np.pi * quarters), np.sin(0.5 * np.pi * quarters)
    cosine[quarters == 1] = 0.0
    return products(cosine, sine)


def degenerate_front(points: int, objectives: int, *, farthest: float) -> Float[np.ndarray, "k m"]:
    """The front of DTLZ5: a curve and, for four or more objectives, a sample of the other nondominated points."""
    check_integer("points", points, minimum=1)
    if objectives <= 3:
        return degenerate_curve(points, objectives)
    curve = degenerate_curve(max(2, points // 10), objectives)
    candidates = np.vstack([curve, _off_the_curve(60 * points, objectives, farthest)])
    # The curve is never dominated, since nothing is closer to the origin, and comes first.
    rest = candidates[nondominated(candidates)][len(curve) :]
    stride = max(1, round(len(rest) / max(points - len(curve), 1)))
    return np.vstack([curve, rest[::stride]])


def _off_the_curve(points: int, objectives: int, farthest: float) -> Float[np.ndarray, "k m"]:
    """Candidates of DTLZ5 that include its nondominated solutions off the curve.

    The first angle is free; the others are an eighth of a turn times 1 + e, where |e| ≤ g/(1 + g) and g is the
    distance to the front, at most ``farthest``. With the same angles, less distance is better, so the largest |e|
    determines the radius: 1 + g = 1/(1 − max |e|). If a single e were the largest, reducing it would improve every
    objective, since tan(π/4 · (1 + e)) < 4/π/(1 − e): the angle costs less than the radius gains. So at least two are.
    """
    rng = np.random.default_rng(0)
    others = objectives - 2
    largest = rng.uniform(0, farthest / (1 + farthest), (points, 1))
    rank = rng.permuted(np.tile(np.arange(others), (points, 1)), axis=1)
    extreme = rank < rng.integers(2, others + 1, (points, 1))
    e = largest * np.where(extreme, rng.choice([-1.0, 1.0], (points, others)), rng.uniform(-1, 1, (points, others)))
    quarters = np.hstack([rng.uniform(size=(points, 1)), 0.5 * (1 + e)])
    return shape_of_angles(quarters) / (1 - largest)


def degenerate_curve(points: int, objectives: int) -> Float[np.ndarray, "k m"]:
    """Points of the sphere with all angles except the first equal to an eighth of a turn."""
    check_integer("points", points, minimum=1)
    first = np.linspace(0, 1, max(points, 2))[:, None]
    return shape_of_angles(np.hstack([first, np.full((len(first), objectives - 2), 0.5)]))
