"""Selection against the loop of the paper, in float64 and one vector at a time."""

import jax
import jax.numpy as jnp
import numpy as np
import oracle
import pytest

from tensorrvea.algorithms.rvea import select_by_loop
from tensorrvea.population import Pool
from tensorrvea.reference_vectors import simplex_lattice, unit_rows
from tensorrvea.rounding import rounded
from tensorrvea.selection.apd import angle_penalized_distance, select_by_niches, translate
from tensorrvea.selection.association import make_index, smallest_angles

ROWS = 60
POOLS = 99
OLD = jnp.zeros(ROWS, bool)
DIVISIONS = {2: 11, 3: 4, 4: 3, 5: 2, 6: 2, 7: 2, 8: 2, 9: 1, 10: 2}


def vectors_of(objectives: int) -> jax.Array:
    return unit_rows(jnp.asarray(simplex_lattice(DIVISIONS[objectives], objectives)))


def random_pool(generator: np.random.Generator, objectives: int, kind: str) -> Pool:
    """Return values on a coarse grid, so that sums and differences are exact and ties remain ties."""
    f = generator.integers(0, 1 << 12, (ROWS, objectives)) / 256 - 4.0
    violation = np.zeros(ROWS)
    alive = np.ones(ROWS, bool)
    if kind in ("dead", "mixed"):
        alive = generator.random(ROWS) < 0.6
    if kind in ("duplicated", "mixed"):
        f = f[generator.integers(0, ROWS // 3, ROWS)]
    if kind in ("infeasible", "mixed"):
        violation = np.where(generator.random(ROWS) < 0.6, generator.integers(1, 20, ROWS) / 8, 0.0)
    if kind == "none feasible":
        violation = generator.integers(1, 20, ROWS) / 8
    if kind == "single":
        alive = np.arange(ROWS) == generator.integers(ROWS)
    if kind == "equal":
        f = np.tile(f[:1], (ROWS, 1))
    if kind == "none alive":
        alive[:] = False
    return Pool(
        f=jnp.asarray(np.where(alive[:, None], f, np.inf), jnp.float32),
        violation=jnp.asarray(np.where(alive, violation, np.inf), jnp.float32),
        alive=jnp.asarray(alive),
        is_new=OLD,
    )


KINDS = ("plain", "dead", "duplicated", "infeasible", "mixed", "none feasible", "single", "equal", "none alive")


def winners(selected) -> list[int | None]:
    pairs = zip(selected.row.tolist(), selected.filled.tolist(), strict=True)
    return [row if filled else None for row, filled in pairs]


# Few numbers of objectives, since each is compiled; all are in the slow tests.
@pytest.mark.parametrize(
    "objectives", [m if m in (2, 3, 10) else pytest.param(m, marks=pytest.mark.slow) for m in range(2, 11)]
)
def test_selection_agrees_with_the_loop_of_the_paper_and_with_rvea(objectives):
    generator = np.random.default_rng(objectives)
    vectors = vectors_of(objectives)
    gamma, index = smallest_angles(vectors), make_index(vectors)
    pools = [random_pool(generator, objectives, KINDS[i % len(KINDS)]) for i in range(POOLS)]
    shares = jnp.asarray(generator.random(POOLS), jnp.float32)
    stacked = jax.tree.map(lambda *rows: jnp.stack(rows), *pools)

    @jax.jit
    def both(pool, share):
        return [choose(pool, vectors, gamma, index, share**2.0) for choose in (select_by_niches, select_by_loop)]

    tensors, loops = jax.device_get(jax.vmap(both)(stacked, shares))
    sure = 0
    for i, pool in enumerate(pools):
        fast, slow = (jax.tree.map(lambda leaf, i=i: leaf[i], selected) for selected in (tensors, loops))
        assert winners(fast) == winners(slow)
        expected = oracle.rvea_loop(*jax.device_get(pool[:3]), np.asarray(vectors), float(shares[i]))
        sure += expected.decided
        if expected.decided:
            assert winners(fast) == expected.winners
    assert sure >= POOLS * 3 // 4


def test_winners_do_not_depend_on_the_order_of_the_rows():
    generator = np.random.default_rng(3)
    vectors = vectors_of(3)
    gamma, index = smallest_angles(vectors), make_index(vectors)
    pool = random_pool(generator, 3, "plain")
    order = generator.permutation(ROWS)
    shuffled = jax.tree.map(lambda leaf: leaf[order], pool)
    first = winners(select_by_niches(pool, vectors, gamma, index, jnp.float32(0.25)))
    second = winners(select_by_niches(shuffled, vectors, gamma, index, jnp.float32(0.25)))
    assert first == [None if row is None else int(order[row]) for row in second]


def test_ties_go_to_the_lowest_row():
    vectors = vectors_of(2)
    f = jnp.array([[2.0, 2.0], [0.0, 3.0], [1.0, 1.0], [1.0, 1.0], [3.0, 0.0], [0.0, 3.0]])
    pool = Pool(f=f, violation=jnp.zeros(6), alive=jnp.ones(6, bool), is_new=OLD[: len(f)])
    selected = select_by_niches(pool, vectors, smallest_angles(vectors), make_index(vectors), jnp.float32(0.5))
    assert [row for row in winners(selected) if row is not None] == [1, 2, 4]


def test_angle_and_distance_are_zero_at_the_ideal_point():
    vectors = vectors_of(3)
    pool = Pool(f=jnp.array([[1.0, 1, 1], [2, 1, 1]]), violation=jnp.zeros(2), alive=jnp.ones(2, bool), is_new=OLD[:2])
    selected = select_by_niches(pool, vectors, smallest_angles(vectors), make_index(vectors), jnp.float32(1))
    assert winners(selected)[0] == 0
    assert selected.score[0] == 0


def test_the_ideal_point_includes_infeasible_living_rows():
    pool = Pool(
        f=jnp.array([[1.0, 5], [3, 2], [0, 0]]),
        violation=jnp.array([0.0, 7, jnp.inf]),
        alive=jnp.array([True, True, False]),
        is_new=OLD[:3],
    )
    assert translate(pool).tolist() == [[0, 3], [2, 0], [0, 0]]


def test_a_feasible_row_wins_over_any_infeasible_one():
    vectors = vectors_of(2)
    f = jnp.array([[9.0, 9], [1, 1], [0, 4], [4, 0]])
    pool = Pool(f=f, violation=jnp.array([0.0, 1e-6, 0, 0]), alive=jnp.ones(4, bool), is_new=OLD[: len(f)])
    selected = select_by_niches(pool, vectors, smallest_angles(vectors), make_index(vectors), jnp.float32(0.5))
    assert sorted(row for row in winners(selected) if row is not None) == [0, 2, 3]


def test_huge_and_tiny_objectives_have_winners():
    vectors = vectors_of(2)
    gamma, index = smallest_angles(vectors), make_index(vectors)
    for scale in (1e-37, 1e30, 8e37):
        f = jnp.asarray(np.array([[0.0, 1], [0.6, 0.6], [1, 0], [0.5, 0.5]]) * scale, jnp.float32)
        pool = Pool(f=f, violation=jnp.zeros(4), alive=jnp.ones(4, bool), is_new=OLD[: len(f)])
        selected = select_by_niches(pool, vectors, gamma, index, jnp.float32(0.5))
        # The last row is better than the second, which is in the same niche.
        assert sorted(row for row in winners(selected) if row is not None) == [0, 2, 3], scale
        assert not np.isnan(selected.score).any()


def test_scaling_does_not_change_a_bit_of_a_score():
    generator = np.random.default_rng(3)
    f = jnp.asarray(generator.random((500, 3)) * 10.0 ** generator.integers(-9, 9, (500, 1)), jnp.float32)
    plain = jnp.sqrt(rounded(f * f).sum(axis=1))
    zeros, ones = jnp.zeros(500), jnp.ones(500)
    np.testing.assert_array_equal(angle_penalized_distance(f, zeros, ones, jnp.float32(0.0)), plain)


def test_angle_penalized_distance_by_hand():
    f = jnp.array([[3.0, 4.0], [0.0, 0.0]])
    # (1 + 2 · 0.5 · 0.1 / 0.2) · 5, and zero at the ideal point.
    value = angle_penalized_distance(f, jnp.array([0.1, 0.0]), jnp.array([0.2, 0.2]), jnp.float32(0.5))
    np.testing.assert_allclose(value, [7.5, 0.0], rtol=1e-6)


def test_gamma_is_the_smallest_angle_to_another_vector():
    for objectives in (2, 3, 10):
        vectors = vectors_of(objectives)
        np.testing.assert_allclose(
            smallest_angles(vectors), oracle.smallest_angles(np.asarray(vectors, np.float64)), rtol=1e-4
        )
