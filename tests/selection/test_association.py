"""Association agrees with brute force in float64, by every method, for even and uneven vectors."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorrvea.reference_vectors import largest_divisions, simplex_lattice
from tensorrvea.selection import association
from tensorrvea.selection.association import associate, grid, make_index, smallest_angles, sorted_angles

# The error of a chord of float32 unit vectors; a vector that is nearer by less may lose.
ROUNDING = 3e-7
# Few sizes are used, since each is compiled.
ROWS = 64

compiled_index = jax.jit(make_index)
compiled_associate = jax.jit(associate)
compiled_angles = jax.jit(smallest_angles)
compiled_grid = jax.jit(grid.make_grid)


compiled_sort = jax.jit(sorted_angles.sort_angles)


def index_of_any_size(vectors):
    """Return the index that many vectors would have."""
    return compiled_sort(vectors) if vectors.shape[1] == 2 else compiled_grid(vectors)


def units(rows):
    rows = np.asarray(rows, float)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def lattice(most, objectives, ranges):
    return units(simplex_lattice(largest_divisions(most, objectives), objectives) * ranges)


def angles_between(rows, vectors):
    """Return θ in float64, by chords, one row at a time."""
    return np.array([2 * np.arcsin(np.linalg.norm(vectors - row, axis=1) / 2) for row in rows])


def assert_nearest(f, vectors, niche, theta, rounding=ROUNDING):
    brute = angles_between(units(f), units(vectors))
    chosen = brute[np.arange(len(f)), np.asarray(niche)]
    np.testing.assert_array_less(chosen - brute.min(axis=1), rounding)
    np.testing.assert_allclose(theta, chosen, atol=rounding)
    clear = (brute <= brute.min(axis=1, keepdims=True) + rounding).sum(axis=1) == 1
    np.testing.assert_array_equal(np.asarray(niche)[clear], brute.argmin(axis=1)[clear])


def ranges_like(kind, objectives):
    return {
        "even": np.ones(objectives),
        "mild": np.arange(1.0, objectives + 1),
        "strong": np.logspace(0, 3, objectives),
        "reversed": np.logspace(3, 0, objectives),
    }[kind]


# Few numbers of objectives, since each is compiled; more are in the slow tests.
@pytest.mark.parametrize("ranges", ["even", "mild", "strong", "reversed"])
@pytest.mark.parametrize(
    ("objectives", "most"),
    [(2, 600), (3, 1500), (10, 100)]
    + [
        pytest.param(objectives, most, marks=pytest.mark.slow)
        for objectives in (2, 3, 4, 5, 6, 7, 8, 9, 10)
        for most in (100, 3000, 9000)
    ],
)
def test_association_agrees_with_brute_force(objectives, most, ranges):
    scale = ranges_like(ranges, objectives)
    vectors = jnp.asarray(lattice(most, objectives, scale), jnp.float32)
    rng = np.random.default_rng(objectives)
    # Inside, on edges and in corners, and of different lengths.
    f = rng.exponential(size=(300, objectives)) * scale * 10.0 ** rng.uniform(-6, 6, (300, 1))
    f[100:200] *= rng.random((100, objectives)) < 0.6
    f[:, 0] += (f == 0).all(axis=1)
    f = jnp.asarray(f, jnp.float32)
    niche, theta = compiled_associate(f, vectors, compiled_index(vectors))
    assert_nearest(f, vectors, niche, theta)


@pytest.mark.parametrize("ranges", [(1, 1, 1), (1, 10, 1000), (1000, 1, 10), (1, 1, 100), (1, 1e-6, 1)])
def test_grid_agrees_with_brute_force_for_directions_between_vectors(ranges):
    """Where two or three vectors are about equally near, a window that is too small would fail."""
    vectors = lattice(1500, 3, np.array(ranges))
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, len(vectors), (300, 2))
    near = np.argsort(angles_between(vectors[pairs[:, 0]], vectors), axis=1)[:, 1 : 1 + 8]
    others = vectors[near[np.arange(300), rng.integers(0, 8, 300)]]
    f = jnp.asarray(vectors[pairs[:, 0]] + others * rng.uniform(0.9, 1.1, (300, 1)), jnp.float32)
    vectors = jnp.asarray(vectors, jnp.float32)
    index = compiled_grid(vectors)
    niche, theta = compiled_associate(f, vectors, index)
    assert_nearest(f, vectors, niche, theta)


@st.composite
def cases(draw, objectives):
    """Draw lattices or irregular vectors, with ties and zeros, and rows among them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scale = 10.0 ** rng.uniform(-draw(st.sampled_from([0, 1, 3])), 0, objectives)
    # The size of a lattice, and one that is not.
    size = draw(st.sampled_from([120, 133]))
    kind = draw(st.sampled_from(["lattice", "random", "clustered", "repeated"]))
    if kind == "lattice":
        vectors = lattice(120, objectives, scale)
        vectors = vectors[rng.permutation(len(vectors))] if draw(st.booleans()) else vectors
    elif kind == "random":
        vectors = rng.exponential(size=(size, objectives)) * scale
    elif kind == "clustered":
        vectors = rng.random(objectives) + 0.01 * rng.random((size, objectives)) * scale
    else:
        vectors = (rng.exponential(size=(size, objectives)) * scale)[rng.integers(0, size, size)]
    f = rng.exponential(size=(ROWS, objectives)) * scale
    f *= rng.random((ROWS, objectives)) < 0.8
    f[:, 0] += (f == 0).all(axis=1)
    return jnp.asarray(units(vectors), jnp.float32), jnp.asarray(f, jnp.float32)


# More than three objectives only in the slow tests.
SEVERAL = [2, 3, pytest.param(4, marks=pytest.mark.slow), pytest.param(5, marks=pytest.mark.slow)]


@pytest.mark.parametrize("objectives", SEVERAL)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_every_method_agrees_with_brute_force(objectives, data):
    vectors, f = data.draw(cases(objectives))
    for index in (None, index_of_any_size(vectors)):
        niche, theta = compiled_associate(f, vectors, index)
        assert_nearest(f, vectors, niche, theta)


@pytest.mark.parametrize("objectives", SEVERAL)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_gamma_is_the_angle_to_the_nearest_vector_that_differs(objectives, data):
    vectors, _ = data.draw(cases(objectives))
    brute = angles_between(units(vectors), units(vectors))
    equal = (np.asarray(vectors)[:, None] == np.asarray(vectors)[None]).all(axis=2)
    # Vectors that differ by a rounding error may count as equal or as different.
    least, most = (np.where(same, np.inf, brute).min(axis=1) for same in (equal, equal | (brute < ROUNDING)))
    least, most = (np.where(np.isinf(nearest), np.pi / 2, nearest) for nearest in (least, most))
    for index in (None, index_of_any_size(vectors)):
        gamma = np.asarray(compiled_angles(vectors, index))
        assert (gamma > 0).all()
        assert (gamma >= least * (1 - 1e-5) - 2 * ROUNDING).all()
        assert (gamma <= most * (1 + 1e-5) + 2 * ROUNDING).all()


def test_two_axes_and_the_diagonal_by_hand():
    vectors = jnp.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    f = jnp.array([[2.0, 0.0], [3.0, 4.0], [1.0, 1.0], [0.0, 0.5]])
    niche, theta = associate(f, vectors, make_index(vectors))
    np.testing.assert_array_equal(niche, [0, 1, 1, 2])
    np.testing.assert_allclose(theta, [0, 0, np.arctan2(4, 3) - np.pi / 4, 0], atol=1e-7)
    np.testing.assert_allclose(
        smallest_angles(vectors), [np.arctan2(4, 3), np.arctan2(3, 4), np.arctan2(3, 4)], rtol=1e-6
    )


@pytest.mark.parametrize("objectives", [2, 3])
def test_rows_without_a_direction_have_niche_0_and_angle_0(objectives):
    vectors = jnp.asarray(lattice(120, objectives, 1.0), jnp.float32)[::-1]
    ones = [1.0] * (objectives - 2)
    kinds = [[0.0] * objectives, [jnp.inf] * objectives, [jnp.nan] * objectives, [0.0, jnp.inf, *ones]]
    for index in (None, index_of_any_size(vectors)):
        niche, theta = compiled_associate(jnp.array(kinds * (ROWS // 4)), vectors, index)
        np.testing.assert_array_equal(niche, 0)
        np.testing.assert_array_equal(theta, 0)


def test_very_large_and_very_small_rows_have_directions():
    vectors = jnp.asarray(lattice(120, 3, 1.0), jnp.float32)
    f = jnp.outer(10.0 ** jnp.linspace(-35, 35, ROWS), jnp.array([1.0, 1.0, 2.0]))
    niche, theta = compiled_associate(f, vectors, None)
    assert len(set(niche.tolist())) == 1
    np.testing.assert_allclose(theta, theta[0], atol=ROUNDING)


@pytest.mark.parametrize("objectives", [2, 3])
def test_ties_go_to_the_lowest_index(objectives):
    """With every vector twice, in random order, only the first of each pair is chosen."""
    once = lattice(66, objectives, 1.0)
    order = np.random.default_rng(0).permutation(133) % len(once)
    vectors = jnp.asarray(once[order], jnp.float32)
    lowest = np.array([np.flatnonzero(order == number)[0] for number in order])
    for index in (None, index_of_any_size(vectors)):
        niche, _ = compiled_associate(vectors[:ROWS], vectors, index)
        np.testing.assert_array_equal(niche, lowest[:ROWS])


def test_a_single_vector_is_nearest_to_every_row():
    vectors = jnp.asarray(units(np.ones((1, 3))), jnp.float32)
    niche, theta = compiled_associate(jnp.eye(3), vectors, compiled_index(vectors))
    np.testing.assert_array_equal(niche, 0)
    np.testing.assert_allclose(theta, np.arccos(1 / np.sqrt(3)), rtol=1e-6)
    np.testing.assert_allclose(compiled_angles(vectors), np.pi / 2, rtol=1e-6)


def test_gamma_is_positive_if_all_vectors_are_equal():
    for objectives in (2, 3):
        vectors = jnp.asarray(units(np.ones((133, objectives))), jnp.float32)
        for index in (None, index_of_any_size(vectors)):
            np.testing.assert_allclose(compiled_angles(vectors, index), np.pi / 2, rtol=1e-6)


@pytest.mark.parametrize("ranges", ["even", "strong"])
@pytest.mark.parametrize(
    ("objectives", "most"),
    [(2, 600), (3, 1500), (10, 100)]
    + [pytest.param(objectives, 3000, marks=pytest.mark.slow) for objectives in (4, 5, 6, 8, 10)],
)
def test_gamma_of_lattices_agrees_with_brute_force(objectives, most, ranges):
    vectors = jnp.asarray(lattice(most, objectives, ranges_like(ranges, objectives)), jnp.float32)
    exact = units(vectors)
    brute = angles_between(exact, exact) + 9 * np.eye(len(exact))
    gamma = compiled_angles(vectors)
    np.testing.assert_allclose(gamma, brute.min(axis=1), rtol=1e-6, atol=ROUNDING)


def test_association_under_vmap_agrees_with_brute_force():
    rng = np.random.default_rng(1)
    scales = 10 ** rng.uniform(-2, 0, (3, 3))
    vectors = jnp.stack([jnp.asarray(lattice(120, 3, s), jnp.float32) for s in scales])
    f = jnp.asarray(rng.exponential(size=(3, ROWS, 3)) * scales[:, None], jnp.float32)
    niche, theta = jax.jit(jax.vmap(associate))(f, vectors, jax.jit(jax.vmap(grid.make_grid))(vectors))
    for seed in range(3):
        assert_nearest(f[seed], vectors[seed], niche[seed], theta[seed])


@pytest.mark.parametrize("objectives", [2, 3])
def test_double_precision_is_exact_to_double_rounding(objectives):
    with jax.enable_x64(True):
        scale = np.logspace(0, 3, objectives)
        vectors = jnp.asarray(lattice(120, objectives, scale))
        f = jnp.asarray(np.random.default_rng(2).exponential(size=(ROWS, objectives)) * scale)
        niche, theta = compiled_associate(f, vectors, index_of_any_size(vectors))
        assert theta.dtype == jnp.float64
        assert_nearest(f, vectors, niche, theta, rounding=1e-15)


def test_the_index_can_be_remade_inside_compiled_code():
    """Algorithms remake the index in a branch of a loop, so shapes and types must be constant."""
    first = jnp.asarray(lattice(120, 3, 1.0), jnp.float32)
    second = jnp.asarray(lattice(120, 3, np.array([1.0, 2.0, 3.0])), jnp.float32)

    @jax.jit
    def renew(adapt):
        return jax.lax.cond(adapt, lambda: grid.make_grid(second), lambda: grid.make_grid(first))

    f = jnp.asarray(np.random.default_rng(3).exponential(size=(ROWS, 3)), jnp.float32)
    niche, theta = compiled_associate(f, second, renew(True))
    assert_nearest(f, second, niche, theta)


def test_odd_numbers_of_rows_give_as_many_results():
    vectors = jnp.asarray(lattice(20, 3, 1.0), jnp.float32)
    f = jnp.asarray(np.random.default_rng(4).exponential(size=(8 * association.LANES + 1, 3)), jnp.float32)
    niche, theta = compiled_associate(f, vectors, None)
    assert niche.shape == theta.shape == (len(f),)
    assert_nearest(f, vectors, niche, theta)


@pytest.mark.parametrize("objectives", [3, 10])
def test_association_builds_no_array_of_all_pairs(objectives):
    vectors = jnp.asarray(lattice(4100, objectives, 1.0), jnp.float32)
    f = jnp.ones((4096, objectives), jnp.float32)
    compiled = compiled_associate.lower(f, vectors, compiled_index(vectors)).compile()
    assert compiled.memory_analysis().temp_size_in_bytes < len(f) * len(vectors) / 4
