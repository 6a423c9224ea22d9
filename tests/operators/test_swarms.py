"""PSO and CSO: each term of their velocities, and the memory of individuals."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from breeding import breed
from scipy import stats

from tensorrvea import CSO, NSGA2, PSO, RVEA, PolynomialMutation, Problem, TensorRVEA
from tensorrvea.evolution import Clock
from tensorrvea.operators.cso import Competitor
from tensorrvea.operators.pso import Particle, better_of_two, update_best
from tensorrvea.population import Offspring, evaluated

UNMUTATED = PolynomialMutation(rate=0.0)
ROWS, GENES = 200, 60


def box(variables: int = GENES) -> Problem:
    return Problem(lambda x: x[:2], lower=[-9.0] * variables, upper=[9.0] * variables, objectives=2)


def survivors_with(x, memory):
    return evaluated(Offspring(jnp.asarray(x, jnp.float32), memory), jnp.ones((len(x), 2)), jnp.zeros(len(x)))


def test_velocity_combines_inertia_personal_best_and_leader():
    # In twenty genes only the old velocity acts, in twenty only the best, in twenty only the leader.
    course, home, lead = slice(0, 20), slice(20, 40), slice(40, 60)
    x = np.zeros((ROWS, GENES))
    x[0, lead] = 1.0  # row 0 has the best score of all
    velocity, best_x = np.zeros((ROWS, GENES)), x.copy()
    velocity[:, course] = np.random.default_rng(0).normal(size=(ROWS, 20))
    best_x[:, home] = 2.0
    memory = Particle(*(jnp.asarray(a, jnp.float32) for a in (velocity, best_x, np.zeros((ROWS, 2)), np.zeros(ROWS))))
    variation = PSO(inertia=0.5, personal=1.5, social=0.75, mutation=UNMUTATED)
    mates = jnp.arange(1, ROWS)
    assert variation.num_parents(ROWS - 1) == ROWS - 1
    score = jnp.arange(ROWS, dtype=jnp.float32)
    bred = breed(
        jax.random.key(0), variation, survivors_with(x, memory), mates, score, problem=box(), offspring=ROWS - 1
    )
    moved = np.asarray(bred.x)  # all were at 0
    np.testing.assert_array_equal(moved, bred.memory.velocity)
    np.testing.assert_allclose(moved[:, course], 0.5 * velocity[1:, course], rtol=1e-5)
    assert stats.kstest((moved[:, home] / (1.5 * 2)).ravel(), "uniform").pvalue > 1e-3
    led = (moved[:, lead] != 0).all(axis=1)
    assert not (moved[~led, lead]).any()
    assert stats.binomtest(int(led.sum()), ROWS - 1, 1 - (1 - 1 / ROWS) ** 2).pvalue > 1e-3
    assert (moved[led, lead] <= 0.75).all()
    # The child inherits the updated best.
    np.testing.assert_array_equal(bred.memory.best_x, best_x[1:])


def test_the_pull_of_leaders_is_uniform():
    x = np.vstack([np.ones((1, GENES)), np.zeros((1, GENES))])
    memory = PSO().init_memory(jnp.asarray(x, jnp.float32), 2)
    variation = PSO(inertia=0.5, personal=1.5, social=0.75, mutation=UNMUTATED)
    mates = jnp.ones(400, jnp.int32)
    bred = breed(
        jax.random.key(3),
        variation,
        survivors_with(x, memory),
        mates,
        jnp.array([0.0, 1.0]),
        problem=box(),
        offspring=400,
    )
    pull = np.asarray(bred.x) / 0.75
    led = (pull != 0).all(axis=1)
    assert stats.binomtest(int(led.sum()), 400, 0.75).pvalue > 1e-3
    assert stats.kstest(pull[led].ravel(), "uniform").pvalue > 1e-3


def test_leaders_are_living():
    alive = jnp.array([False, True, True, False])
    leaders = better_of_two(jax.random.key(0), alive, jnp.array([0.0, 5.0, 4.0, 0.0]), 4000)
    assert set(leaders.tolist()) == {1, 2}
    assert stats.binomtest(int((leaders == 2).sum()), 4000, 0.75).pvalue > 1e-3


NONE = np.inf
BESTS = [
    # best f, its violation, current f, its violation; whether the best stays
    ("nothing is known yet", [NONE, NONE], NONE, [5.0, 5.0], 0.0, False),
    ("nothing is known yet, and it is infeasible", [NONE, NONE], NONE, [5.0, 5.0], 3.0, False),
    ("the best dominates", [1.0, 2.0], 0.0, [1.0, 3.0], 0.0, True),
    ("the best is dominated", [1.0, 3.0], 0.0, [1.0, 2.0], 0.0, False),
    ("neither dominates", [1.0, 3.0], 0.0, [3.0, 1.0], 0.0, False),
    ("both are as good", [1.0, 3.0], 0.0, [1.0, 3.0], 0.0, False),
    ("the best alone is feasible", [9.0, 9.0], 0.0, [1.0, 1.0], 0.5, True),
    ("it alone is feasible", [1.0, 1.0], 0.5, [9.0, 9.0], 0.0, False),
    ("the best violates less", [9.0, 9.0], 0.2, [1.0, 1.0], 0.5, True),
    ("it violates less", [1.0, 1.0], 0.5, [9.0, 9.0], 0.2, False),
    ("both violate as much, the best dominates", [1.0, 1.0], 0.5, [2.0, 2.0], 0.5, True),
]


@pytest.mark.parametrize(("best_f", "best_violation", "f", "violation", "stays"), [c[1:] for c in BESTS],
                         ids=[c[0] for c in BESTS])  # fmt: skip
def test_a_personal_best_is_the_latest_nondominated_position(best_f, best_violation, f, violation, stays):
    memory = Particle(
        velocity=jnp.full((1, 3), 7.0),
        best_x=jnp.full((1, 3), 1.0),
        best_f=jnp.array([best_f]),
        best_violation=jnp.array([best_violation]),
    )
    parents = evaluated(Offspring(jnp.full((1, 3), 2.0), memory), jnp.array([f]), jnp.array([violation]))
    after = jax.jit(update_best)(parents)
    assert after.best_x[0].tolist() == ([1.0] * 3 if stays else [2.0] * 3)
    assert after.best_f[0].tolist() == (best_f if stays else f)
    assert float(after.best_violation[0]) == pytest.approx(best_violation if stays else violation)
    assert after.velocity[0].tolist() == [7.0] * 3


def test_the_loser_moves_towards_the_winner():
    x = np.array([[1.0] * GENES, [0.0] * GENES])
    memory = Competitor(velocity=jnp.asarray(np.array([[100.0] * GENES, [0.0] * GENES]), jnp.float32))
    # Row 0 has the better score, so row 1 loses every pair in either order.
    mates = jnp.tile(jnp.array([0, 1, 1, 0]), 100)
    variation = CSO(phi=0.0, mutation=UNMUTATED)
    assert variation.num_parents(200) == 400
    bred = breed(
        jax.random.key(1),
        variation,
        survivors_with(x, memory),
        mates,
        jnp.array([0.5, 2.0]),
        problem=box(),
        offspring=200,
    )
    assert stats.kstest(np.asarray(bred.x).ravel(), "uniform").pvalue > 1e-3
    np.testing.assert_array_equal(bred.x, bred.memory.velocity)


def test_the_loser_keeps_part_of_its_velocity_and_moves_towards_the_mean():
    x = np.array([[0.0] * GENES, [0.0] * GENES, [3.0] * GENES, [77.0] * GENES])
    memory = Competitor(velocity=jnp.asarray(np.array([[9.0], [1.0], [9.0], [9.0]]) * np.r_[[1] * 30, [0] * 30]))
    survivors = survivors_with(x, memory)._replace(alive=jnp.array([True, True, True, False]))
    mates = jnp.tile(jnp.array([0, 1]), 200)
    variation = CSO(phi=0.25, mutation=UNMUTATED)
    score = jnp.array([0.0, 1.0, 2.0, 3.0])
    moved = np.asarray(breed(jax.random.key(2), variation, survivors, mates, score, problem=box(), offspring=200).x)
    # The mean of the living rows is 1: thirty genes are r₁ + r₃ / 4, thirty are r₃ / 4.
    assert stats.kstest((moved[:, 30:] / 0.25).ravel(), "uniform").pvalue > 1e-3
    assert (moved[:, :30] <= 1.25).all()
    assert moved[:, :30].mean() == pytest.approx(0.5 + 0.125, abs=0.02)


@pytest.mark.parametrize(
    ("kind", "variation"),
    [
        (TensorRVEA, PSO()),
        (NSGA2, CSO()),
        *(pytest.param(*pair, marks=pytest.mark.slow) for pair in [(TensorRVEA, CSO()), (RVEA, PSO()), (NSGA2, PSO())]),
    ],
)
def test_memory_follows_its_row_through_selection(kind, variation):
    """All numbers of an individual are its tag; after selection, each row still has a single tag."""
    problem = box(3)
    algorithm = kind(population=20, variation=variation)
    generator = np.random.default_rng(0)
    state, offspring = jax.jit(lambda key: algorithm.init(key, problem))(jax.random.key(0))
    tell = jax.jit(algorithm.tell)
    for generation in range(4):
        tags = np.arange(20, dtype=np.float32) + 100 * generation
        offspring = jax.tree.map(lambda leaf, tags=tags: np.broadcast_to(tags.reshape(-1, *[1] * (leaf.ndim - 1)), leaf.shape), offspring)  # fmt: skip  # noqa: E501
        f = generator.random((20, 2)).astype(np.float32)
        f[3] = np.nan
        clock = Clock(np.float32(generation / 3), np.float32(max(generation - 1, 0) / 3))
        state = tell(jax.random.key(generation), state, offspring, f, np.zeros((20, 0), np.float32), clock)
        alive = np.asarray(state.population.alive)
        tag = np.asarray(state.population.x)[:, 0]
        assert alive.any()
        assert not np.isin(tag[alive] % 100, 3).any()
        for leaf in jax.tree.leaves((state.population.x, state.population.memory)):
            each = np.asarray(leaf)[alive].reshape(alive.sum(), -1)
            assert (each == tag[alive][:, None]).all()
    # A row from an early generation has survived, so memory was carried and not only created.
    assert (tag[alive] < 300).any()
