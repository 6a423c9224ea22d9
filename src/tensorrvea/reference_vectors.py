"""Reference vectors: directions spread over the objective space, in which the search is divided."""

from itertools import combinations
from math import comb

import numpy as np
from jaxtyping import Float

from tensorrvea.checks import check_array, check_integer


def simplex_lattice(divisions: int, objectives: int) -> Float[np.ndarray, "r m"]:
    """Das and Dennis's lattice: all points of the simplex whose coordinates are multiples of 1/divisions.

    >>> simplex_lattice(2, 2)
    array([[0. , 1. ],
           [0.5, 0.5],
           [1. , 0. ]])
    """
    check_integer("divisions", divisions, minimum=1)
    check_integer("objectives", objectives, minimum=2)
    # Stars and bars: a point is where m − 1 bars stand among the divisions.
    size = comb(divisions + objectives - 1, objectives - 1)
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
    """Divisions of the largest simplex lattice with at most ``most`` points; 0 if even the corners are too many."""
    divisions = 0
    while lattice_size(divisions + 1, objectives) <= most:
        divisions += 1
    return divisions


def simplex_lattice_of_about(points: int, objectives: int) -> Float[np.ndarray, "r m"]:
    """The smallest simplex lattice with at least ``points`` points."""
    check_integer("points", points, minimum=1)
    divisions = largest_divisions(points, objectives)
    if divisions == 0 or lattice_size(divisions, objectives) < points:
        divisions += 1
    return simplex_lattice(divisions, objectives)
