"""Reference vectors: lattices against an enumeration, layers, and exact numbers."""

from math import comb

import jax
import numpy as np
import oracle
import pytest

import tensorrvea as tr
from tensorrvea.reference_vectors import (
    around,
    exact_count,
    largest_divisions,
    reference_vectors,
    simplex_lattice,
    simplex_lattice_of_about,
    two_layers,
)


@pytest.mark.parametrize(("divisions", "objectives"), [(1, 2), (5, 2), (13, 3), (4, 4), (3, 5), (2, 8)])
def test_the_lattice_has_all_multiples_of_one_over_divisions(divisions, objectives):
    lattice = simplex_lattice(divisions, objectives)
    np.testing.assert_array_equal(lattice, oracle.lattice(divisions, objectives))
    assert len(lattice) == comb(divisions + objectives - 1, objectives - 1)


def test_the_largest_lattice_that_fits_is_chosen():
    assert [largest_divisions(n, 3) for n in (2, 3, 5, 6, 90, 91, 104, 105, 119, 120)] == [
        0,
        1,
        1,
        2,
        11,
        12,
        12,
        13,
        13,
        14,
    ]
    for population, rows in ((105, 105), (100, 91), (10_000, 9870)):
        assert len(reference_vectors("lattice", population, 3)) == rows
    assert len(simplex_lattice_of_about(2926, 3)) == 2926
    assert len(simplex_lattice_of_about(2927, 3)) == 3003


@pytest.mark.parametrize("objectives", [3, 5, 8, 10])
def test_two_layers_have_vectors_inside_the_simplex(objectives):
    most = 300
    vectors = two_layers(most, objectives)
    assert objectives < len(vectors) <= most
    np.testing.assert_allclose(vectors.sum(axis=1), 1)
    assert len(np.unique(vectors.round(12), axis=0)) == len(vectors)
    assert (vectors > 0).all(axis=1).sum() >= objectives
    for corner in np.eye(objectives):
        assert (np.abs(vectors - corner).max(axis=1) < 1e-12).any()


@pytest.mark.parametrize("objectives", [2, 3, 4, 10])
@pytest.mark.parametrize("count", [2, 3, 11, 100, 257])
def test_exact_vectors_have_the_requested_number_and_are_distinct_simplex_points(count, objectives):
    vectors = exact_count(count, objectives)
    assert vectors.shape == (count, objectives)
    assert (vectors >= 0).all()
    np.testing.assert_allclose(vectors.sum(axis=1), 1)
    assert len(np.unique(vectors.round(9), axis=0)) == count


def test_exact_vectors_are_well_spread():
    """The largest gap is not much larger than that of a lattice of the same size."""
    dense = simplex_lattice(40, 3)

    def largest_gap(vectors):
        return np.linalg.norm(dense[:, None] - vectors[None], axis=2).min(axis=1).max()

    assert largest_gap(exact_count(105, 3)) < 2.5 * largest_gap(simplex_lattice(13, 3))


def test_user_vectors_keep_their_directions():
    np.testing.assert_allclose(reference_vectors([[3.0, 4], [3, 0]], 50, 2), [[0.6, 0.8], [1, 0]], rtol=1e-15)


def test_user_vectors_may_exceed_the_range_of_float32():
    algorithm = tr.TensorRVEA(population=8, vectors=[[1e-300, 0, 0], [0, 3e39, 4e39], [5e-324, 5e-324, 0]])
    state, _ = algorithm.init(jax.random.key(0), tr.problems.DTLZ2(objectives=3, variables=7))
    half = np.sqrt(0.5)
    np.testing.assert_allclose(state.extra.vectors, [[1, 0, 0], [0, 0.6, 0.8], [half, half, 0]], rtol=1e-6)


def test_user_vectors_may_be_tracers():
    traced = jax.eval_shape(lambda vectors: reference_vectors(vectors, 50, 2), [[3.0, 4.0], [3.0, 0.0]])
    assert traced.shape == (2, 2)


def test_settings_with_equal_vectors_are_equal():
    one, other = (tr.TensorRVEA(population=8, vectors=((3.0, 4.0), (3.0, 0.0))) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)


@pytest.mark.parametrize("objectives", [2, 3, 5])
@pytest.mark.parametrize("count", [10, 15, 57])
def test_vectors_around_a_direction_are_within_the_radius(objectives, count):
    direction = np.arange(objectives) * 2.0
    vectors = around(direction, 0.2, count)
    assert vectors.shape == (count, objectives)
    np.testing.assert_allclose(vectors.sum(axis=1), 1)
    assert (vectors >= 0).all()
    # Each coordinate is within a fifth of the way from the centre to the ends of its range.
    centre = direction / direction.sum()
    assert (vectors >= 0.8 * centre - 1e-12).all()
    assert (vectors <= 0.8 * centre + 0.2 + 1e-12).all()
    assert len(np.unique(vectors.round(12), axis=0)) == count
    np.testing.assert_allclose(around(direction, 1.0, count), around(np.ones(objectives), 1.0, count), atol=1e-15)


def test_vectors_around_an_aspiration_point_are_in_the_units_of_the_objectives():
    """The middle one leads from the ideal point to the aspiration point, also if an objective is maximised."""
    ideal, nadir, wish = np.array([10.0, 3.0]), np.array([50.0, 1.0]), np.array([30.0, 1.5])
    vectors = around(wish, 0.2, 3, ideal=ideal, nadir=nadir, directions=("min", "max"))
    shares = np.abs(wish - ideal) / np.abs(nadir - ideal)
    np.testing.assert_allclose(vectors.mean(axis=0), (0.8 * shares / shares.sum() + 0.1) * [40.0, 2.0])
    np.testing.assert_allclose(vectors, around([20.0, 1.5], 0.2, 3, ideal=[0, 0], nadir=[40.0, 2.0]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, -1.0], 0.2, 5), "direction must have two or more numbers"),
        (([0.0, 0.0], 0.2, 5), "direction must have two or more numbers"),
        (([1.0], 0.2, 5), "direction must have two or more numbers"),
        (([1.0, 1.0], 0.0, 5), "radius must"),
        (([1.0, 1.0], 1.5, 5), "radius must"),
        (([1.0, 1.0], 0.5, 1), "count must"),
    ],
)
def test_wrong_arguments_of_around_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        around(*arguments)
    with pytest.raises(ValueError, match="given together"):
        around([1.0, 1.0], 0.5, 5, ideal=[0.0, 0.0])
    with pytest.raises(ValueError, match="nadir must be worse"):
        around([1.0, 1.0], 0.5, 5, ideal=[0.0, 2.0], nadir=[1.0, 1.0])


@pytest.mark.parametrize("name", ["TensorRVEA", "PaperTensorRVEA", "RVEA", "RVEAStar", "NSGA3", "MOEAD"])
def test_every_algorithm_with_vectors_takes_an_array(name):
    vectors = around([1.0, 1.0, 0.5], 0.3, 15)
    made = vars(tr)[name](population=16, vectors=vectors)
    result = tr.optimize(tr.problems.DTLZ2(variables=5), made, generations=3, seed=1, effort="draft")
    assert len(result.F) > 0
    with pytest.raises(ValueError, match="vectors must have 2 columns"):
        tr.optimize(tr.problems.ZDT1(variables=5), made, generations=1)
