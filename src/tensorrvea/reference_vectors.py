"""Reference vectors: directions spread over the objective space, among which the search is divided."""

from collections.abc import Callable
from itertools import combinations
from math import comb, isqrt
from typing import TypeVar

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from numpy.typing import ArrayLike

from tensorrvea.checks import check_array, check_choice, check_directions, check_integer, check_number, is_traced
from tensorrvea.directions import Directions

__all__ = ["around", "exact_count", "halton", "reference_vectors", "simplex_lattice", "two_layers"]

# The most numbers in a set of vectors, which take 2 GB, and the most objectives.
MOST_POINTS, MOST_OBJECTIVES = 2**28, 2**20
GENERATORS = ("lattice", "layers", "exact")

Rows = TypeVar("Rows", Array, np.ndarray)


def reference_vectors(choice: str | ArrayLike, population: int, objectives: int) -> Float[Array | np.ndarray, "r m"]:
    """Return the vectors that ``choice`` names (one of GENERATORS), or the user's own with length one.

    Args:
      choice: ``"lattice"``, ``"layers"``, ``"exact"``, or an array of vectors, (vectors, objectives).
      population: the most vectors; their exact number for ``"exact"``.
      objectives: the number of objectives.

    Returns:
      The vectors.

    Raises:
      ValueError: if the choice is unknown, the array has another number of columns, or the population is too small.

    >>> reference_vectors("lattice", 105, 3).shape, reference_vectors("exact", 100, 3).shape
    ((105, 3), (100, 3))
    >>> reference_vectors([[3.0, 4.0], [0.0, 2.0]], 2, 2).tolist()
    [[0.6, 0.8], [0.0, 1.0]]
    """
    if not isinstance(choice, str):
        # Normalised in double precision, since very small or large entries may not fit in single precision.
        traced, dtype = is_traced(choice), jnp.result_type(float)
        vectors = jnp.asarray(choice, dtype) if traced else unit_rows(check_vectors("vectors", choice))
        if vectors.shape[-1] != objectives:
            raise ValueError(f"vectors must have {objectives} columns, one per objective, got shape {vectors.shape}")
        return vectors
    check_choice("choice", choice, GENERATORS)
    check_integer("population", population, minimum=1, maximum=MOST_POINTS)
    if choice == "exact":
        return exact_count(population, objectives)
    if choice == "layers":
        return two_layers(population, objectives)
    divisions = largest_divisions(population, objectives)
    if divisions == 0:
        raise ValueError(
            f"population must be at least {objectives} for a lattice of vectors over {objectives} objectives, "
            f'got {population}; vectors="exact" takes any population'
        )
    return simplex_lattice(divisions, objectives)


def check_vectors(name: str, vectors: ArrayLike) -> np.ndarray:
    """Return reference vectors as an array, or raise an error that names the argument."""
    array = check_array(name, vectors, shape="(vectors, objectives)", ndim=2)
    if len(array) < 2:
        raise ValueError(f"{name} must have at least two rows, got {len(array)}")
    if (array < 0).any():
        row = int(np.argmax((array < 0).any(axis=1)))
        raise ValueError(f"{name} must not be negative, got {array[row]} in row {row}")
    if (array == 0).all(axis=1).any():
        row = int(np.argmax((array == 0).all(axis=1)))
        raise ValueError(f"{name} must not have a row of zeros, got one in row {row}")
    return array


def unit_rows(vectors: Float[Rows, "r m"]) -> Float[Rows, "r m"]:
    # Scaled by the largest entry first, so that squares neither overflow nor underflow.
    vectors = vectors / vectors.max(axis=1, keepdims=True)
    return vectors / vectors.__array_namespace__().linalg.norm(vectors, axis=1, keepdims=True)


def two_layers(most: int, objectives: int) -> Float[np.ndarray, "r m"]:
    """Return a lattice on the simplex and a smaller one inside it, together at most ``most`` points.

    With many objectives, all points of a single lattice of reasonable size are on the boundary.

    Args:
      most: the most points.
      objectives: the number of objectives.

    Returns:
      The points, one per row, which add up to 1.

    Raises:
      ValueError: if there is not even room for the corners.

    >>> two_layers(275, 10).shape
    (275, 10)
    """
    check_integer("population", most, minimum=1, maximum=MOST_POINTS)
    outer = largest_divisions(most, objectives)
    if outer > 1 and lattice_size(outer, objectives) + lattice_size(outer - 1, objectives) > most:
        outer = max(1, _largest(lambda n: lattice_size(n, objectives) + lattice_size(n - 1, objectives), most))
    if outer == 0:
        raise ValueError(
            f"population must be at least {objectives} for layers of vectors, got {most}; "
            'vectors="exact" takes any population'
        )
    boundary = simplex_lattice(outer, objectives)
    inner = largest_divisions(most - len(boundary), objectives)
    if inner == 0:
        return boundary
    # Shrunk half-way to the centre, as by Deb and Jain (NSGA-III, 2014).
    inside = 0.5 * simplex_lattice(min(inner, max(outer - 1, 1)), objectives) + 0.5 / objectives
    return np.vstack([boundary, inside])


def exact_count(count: int, objectives: int) -> Float[np.ndarray, "r m"]:
    """Return exactly ``count`` points of the simplex: its corners as far as there is room, and well-spread others.

    The others are a Halton sequence mapped to the simplex by the spacings of its sorted coordinates.

    Args:
      count: the number of points, two or more.
      objectives: the number of objectives, two or more.

    Returns:
      The points, one per row, which add up to 1.

    Raises:
      ValueError: if a number is too small or too large.

    >>> exact_count(5, 2).tolist()
    [[0.0, 1.0], [0.25, 0.75], [0.5, 0.5], [0.75, 0.25], [1.0, 0.0]]
    """
    check_integer("population", count, minimum=2, maximum=MOST_POINTS)
    check_integer("objectives", objectives, minimum=2, maximum=MOST_OBJECTIVES)
    corners = np.eye(objectives)[:count]
    rest = count - len(corners)
    if objectives == 2:
        share = np.linspace(0, 1, count)
        return np.column_stack([share, 1 - share])
    if rest == 0:
        return corners
    draws = np.sort(halton(rest, objectives - 1), axis=1)
    return np.vstack([corners, np.diff(draws, axis=1, prepend=0, append=1)])


def halton(points: int, dimensions: int) -> Float[np.ndarray, "points d"]:
    """Return Halton's sequence without the origin, its first point: the digits of 1, 2, … in prime bases, mirrored.

    Args:
      points: the number of points.
      dimensions: the number of coordinates of each.

    Returns:
      The points, in [0, 1).

    >>> halton(3, 2).round(3).tolist()
    [[0.5, 0.333], [0.25, 0.667], [0.75, 0.111]]
    """
    check_integer("dimensions", dimensions, minimum=1, maximum=MOST_OBJECTIVES)
    check_integer("points", points, minimum=0, maximum=MOST_POINTS // dimensions)
    mirrored = np.zeros((points, dimensions))
    for column, base in enumerate(_first_primes(dimensions)):
        rest, place = np.arange(1, points + 1), 1.0
        while rest.any():
            place /= base
            mirrored[:, column] += rest % base * place
            rest //= base
    return mirrored


def _first_primes(count: int) -> list[int]:
    """Return the first primes, by the sieve of Eratosthenes up to a bound of the last: n (log n + log log n)."""
    limit = int(count * (np.log(count) + np.log(np.log(count)))) + 1 if count > 5 else 12
    is_prime = np.ones(limit + 1, bool)
    is_prime[:2] = False
    for n in range(2, isqrt(limit) + 1):
        if is_prime[n]:
            is_prime[n * n :: n] = False
    return [int(prime) for prime in np.flatnonzero(is_prime)[:count]]


def simplex_lattice(divisions: int, objectives: int) -> Float[np.ndarray, "r m"]:
    """Return Das and Dennis's lattice: all points of the simplex whose coordinates are multiples of 1/divisions.

    Args:
      divisions: the number of steps from 0 to 1 along each coordinate.
      objectives: the number of coordinates.

    Returns:
      The points, one per row, which add up to 1.

    Raises:
      ValueError: if a number is too small, or the lattice would be too large.

    >>> simplex_lattice(2, 2)
    array([[0. , 1. ],
           [0.5, 0.5],
           [1. , 0. ]])
    """
    check_integer("divisions", divisions, minimum=1, maximum=MOST_POINTS)
    check_integer("objectives", objectives, minimum=2, maximum=MOST_OBJECTIVES)
    # Stars and bars: a point is a choice of m − 1 bars among the divisions.
    size = comb(divisions + objectives - 1, objectives - 1)
    if size * objectives > MOST_POINTS:
        raise ValueError(f"divisions must be fewer for {objectives} objectives, got {divisions}")
    bars = np.fromiter(
        (bar for chosen in combinations(range(divisions + objectives - 1), objectives - 1) for bar in chosen),
        dtype=np.int64,
        count=size * (objectives - 1),
    ).reshape(size, objectives - 1)
    edges = np.hstack([np.full((size, 1), -1), bars, np.full((size, 1), divisions + objectives - 1)])
    return (np.diff(edges, axis=1) - 1) / divisions


def lattice_size(divisions: int, objectives: int) -> int:
    return comb(divisions + objectives - 1, objectives - 1)


def largest_divisions(most: int, objectives: int) -> int:
    """Return the divisions of the largest lattice with at most ``most`` points; 0 if even the corners are too many."""
    check_integer("objectives", objectives, minimum=2)  # one objective has lattices of one point only
    check_integer("population", most, minimum=0)
    return _largest(lambda divisions: lattice_size(divisions, objectives), most)


def _largest(size: Callable[[int], int], most: int) -> int:
    """Return the largest number whose size, which grows with it, is at most ``most``; 0 if that of 1 is larger."""
    fits, exceeds = 0, 1
    while size(exceeds) <= most:
        fits, exceeds = exceeds, 2 * exceeds
    while exceeds - fits > 1:
        middle = (fits + exceeds) // 2
        fits, exceeds = (middle, exceeds) if size(middle) <= most else (fits, middle)
    return fits


def simplex_lattice_of_about(points: int, objectives: int) -> Float[np.ndarray, "r m"]:
    """Return the smallest simplex lattice with at least ``points`` points."""
    check_integer("points", points, minimum=1)
    divisions = largest_divisions(points, objectives)
    if divisions == 0 or lattice_size(divisions, objectives) < points:
        divisions += 1
    return simplex_lattice(divisions, objectives)


def around(
    direction: ArrayLike,
    radius: float,
    count: int,
    *,
    ideal: ArrayLike | None = None,
    nadir: ArrayLike | None = None,
    directions: Directions = "min",
) -> Float[np.ndarray, "count m"]:
    """Return vectors around a direction of interest, so that an algorithm searches only there.

    The vectors are points of the simplex near the direction: a well-spread set over the whole simplex is shrunk
    towards it by the factor ``radius``, as in Cheng et al. (2016). A radius of 1 covers the whole simplex, and a
    direction near its border loses nothing: no vector leaves the simplex.

    Args:
      direction: one number per objective, none negative: how the objectives' distances from the ideal point relate.
        With ``ideal`` and ``nadir``, an aspiration point instead: values that the objectives should have.
      radius: how much of the simplex the vectors cover, from 0 (exclusive) to 1.
      count: the number of vectors.
      ideal: the best values of the objectives on the front, as far as they are known, such as those of an earlier
        result. Vectors are then in the units of the objectives, as algorithms take them that do not normalise
        (``TensorRVEA``, and ``MOEAD(normalize=False)``).
      nadir: the worst values of the objectives on the front; given together with ``ideal``.
      directions: which objectives an aspiration point minimises and which it maximises, as in ``Problem``.

    Returns:
      The vectors, for the setting ``vectors`` of an algorithm.

    Raises:
      ValueError: if an argument is out of range, or the aspiration point is not worse than the ideal one.

    >>> around([1.0, 1.0], radius=0.2, count=3)
    array([[0.4, 0.6],
           [0.5, 0.5],
           [0.6, 0.4]])
    >>> around([30.0, 2.0], radius=0.2, count=3, ideal=[10.0, 1.0], nadir=[50.0, 3.0])
    array([[16. ,  1.2],
           [20. ,  1. ],
           [24. ,  0.8]])
    """
    point = check_array("direction", direction, shape="(objectives,)", ndim=1)
    check_number("radius", radius, minimum=0.0, maximum=1.0, open_minimum=True)
    check_integer("count", count, minimum=2, maximum=MOST_POINTS)
    if (ideal is None) != (nadir is None):
        raise ValueError("ideal and nadir must be given together, got one of them")
    sign = np.array([1 if each == "min" else -1 for each in check_directions(directions, len(point))])
    scale = np.ones_like(point)
    if ideal is not None and nadir is not None:
        low = check_array("ideal", ideal, shape=f"({len(point)},)", ndim=1)
        high = check_array("nadir", nadir, shape=f"({len(point)},)", ndim=1)
        if low.shape != point.shape or high.shape != point.shape or (sign * (high - low) <= 0).any():
            raise ValueError(f"nadir must be worse than ideal in each of {len(point)} objectives, got {high} and {low}")
        scale = np.abs(high - low)
        point = sign * (point - low) / scale
    if len(point) < 2 or (point < 0).any() or (point == 0).all():
        raise ValueError(
            "direction must have two or more numbers, none below 0 (or better than ideal) and one above, "
            f"got {np.asarray(direction)}"
        )
    spread = simplex_lattice_or_exact(count, len(point))
    centre = point / point.sum()
    return (centre + radius * (spread - centre)) * scale


def simplex_lattice_or_exact(count: int, objectives: int) -> Float[np.ndarray, "count m"]:
    """Return ``count`` points of the simplex: a lattice if one has as many points, and ``exact_count`` otherwise."""
    divisions = largest_divisions(count, objectives)
    if divisions > 0 and lattice_size(divisions, objectives) == count:
        return simplex_lattice(divisions, objectives)
    return exact_count(count, objectives)
