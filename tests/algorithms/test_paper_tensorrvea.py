"""TensorRVEA as in the paper: its first generation, the adaptation of its vectors, and loops of ask and tell."""

from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import oracle
import pools
import pytest
import sizes
from jax import export

import tensorrvea as tr
from tensorrvea import compiled, loop
from tensorrvea.algorithms.paper_tensorrvea import indexed
from tensorrvea.compiled import Setting
from tensorrvea.evolution import Clock
from tensorrvea.population import Offspring, Pool
from tensorrvea.reference_vectors import simplex_lattice, unit_rows
from tensorrvea.selection.adaptation import objective_ranges, scale_vectors


def paper(**settings):
    return tr.TensorRVEA.paper(population=sizes.POPULATION, **settings)


def own_loop(algorithm, problem, generations: int):
    """Return a whole run as one function of a key, made of init, ask and tell."""

    def run(key):
        state, offspring = algorithm.init(jax.random.fold_in(key, 0), problem)
        state = algorithm.tell(key, state, offspring, *problem.evaluate(key, offspring.x), Clock(0.0, 0.0))

        def generation(state, t):
            offspring = algorithm.ask(jax.random.fold_in(key, t), state, problem)
            f, g = problem.evaluate(key, offspring.x)
            clock = Clock(t / generations, (t - 1) / generations)
            state = algorithm.tell(key, state, offspring, f, g, clock)
            return state, state.population.f

        return jax.lax.scan(generation, state, jnp.arange(1, generations + 1))

    return run


def survivors_of(chosen):
    """Return the row in each place, or None."""
    return [row if filled else None for row, filled in zip(chosen.row.tolist(), chosen.filled.tolist(), strict=True)]


# First generation


@pytest.fixture(scope="module")
def tell():
    return jax.jit(lambda algorithm, state, offspring, f, g, progress, before=0.0: algorithm.tell(
        jax.random.key(0), state, offspring, f, g, Clock(progress, before)))  # fmt: skip


@pytest.fixture(scope="module")
def started():
    algorithm, problem = paper(), sizes.problem()
    return jax.jit(lambda key: algorithm.init(key, problem))(jax.random.key(0))


def test_the_whole_first_population_survives(started, tell):
    state, offspring = started
    f = np.random.default_rng(0).random((28, 3)).astype(np.float32)
    after = tell(paper(), state, offspring, f, np.zeros((28, 0), np.float32), 0.0)
    np.testing.assert_array_equal(after.population.x, offspring.x)
    np.testing.assert_array_equal(after.population.f, f)
    assert after.population.alive.all()
    np.testing.assert_array_equal(after.extra.adapted, state.extra.adapted)


def test_survivor_j_is_the_best_of_niche_j(started, tell):
    state, offspring = started
    generator = np.random.default_rng(1)
    pool = generator.random((56, 3)).astype(np.float32)
    zeros = np.zeros((28, 0), np.float32)
    state = tell(paper(), state, offspring, pool[:28], zeros, 0.0)
    others = Offspring(offspring.x + 1)
    after = tell(paper(), state, others, pool[28:], zeros, np.float32(0.05))
    expected = oracle.rvea_loop(pool, np.zeros(56), np.ones(56, bool), np.asarray(state.extra.adapted), 0.05)
    assert expected.decided
    x = np.vstack([offspring.x, others.x])
    for j, winner in enumerate(expected.winners):
        assert bool(after.population.alive[j]) == (winner is not None)
        if winner is not None:
            np.testing.assert_array_equal(after.population.f[j], pool[winner])
            np.testing.assert_array_equal(after.population.x[j], x[winner])
    dead = ~np.asarray(after.population.alive)
    assert np.isinf(np.asarray(after.population.f)[dead]).all()
    assert np.isinf(np.asarray(after.score)[dead]).all()


@pytest.mark.parametrize("algorithm", [tr.algorithms.PaperTensorRVEA, tr.RVEA])
@pytest.mark.parametrize("objectives", [2, 3, 5, 10])
def test_survivors_of_any_pool_are_those_of_the_papers_loop(objectives, algorithm):
    """Vectors are random, so that rows on a grid are not in the middle between two."""
    problem = tr.problems.DTLZ2(objectives=objectives, variables=objectives + 4)
    vectors = np.random.default_rng(1).random((12, objectives))
    made = algorithm(population=20, vectors=vectors)
    state, _ = made.init(jax.random.key(0), problem)
    state = state._replace(extra=indexed(state.extra.initial, state.extra.adapted))
    select = jax.jit(algorithm.select, compiler_options=sizes.QUICKLY)
    compared = 0
    for kind in pools.KINDS:
        for seed in range(10):
            rows = pools.random_rows(seed, kind, objectives, 20)
            progress = np.float32(seed / 10)
            chosen = select(made, jax.random.key(0), state, rows.pool(), Clock(progress, progress))
            expected = oracle.rvea_loop(
                rows.f, rows.violation, rows.alive, np.asarray(state.extra.adapted), float(progress)
            )
            if expected.decided:
                compared += 1
                assert survivors_of(chosen) == expected.winners
    assert compared >= 75


def test_failed_individuals_do_not_enter_the_first_population(tell):
    """With fewer vectors than individuals, living rows come first: all but the last may have failed."""
    algorithm = tr.TensorRVEA.paper(population=12, vectors=np.array([[1.0, 0.1, 0.1], [0.1, 1, 0.1], [0.1, 0.1, 1]]))
    state, offspring = algorithm.init(jax.random.key(0), sizes.problem())
    f = np.full((12, 3), np.nan, np.float32)
    f[[7, 11]] = [[1, 2, 3], [3, 2, 1]]
    after = tell(algorithm, state, offspring, f, np.zeros((12, 0), np.float32), 0.0)
    assert after.population.alive.tolist() == [True, True, False]
    np.testing.assert_array_equal(after.population.f[:2], f[[7, 11]])
    np.testing.assert_array_equal(after.population.x[:2], offspring.x[jnp.array([7, 11])])


# Adaptation


def test_a_feasible_surviving_offspring_counts_once_in_the_ranges():
    """A single feasible survivor, itself an offspring, has no range, so the ranges of all survivors are used."""
    f = jnp.array([[0.0, 4.0], [2.0, 1.0], [5.0, 5.0]])
    violation, alive, is_new = jnp.array([1.0, 0.0, 0.0]), jnp.ones(3, bool), jnp.array([False, True, True])
    row, filled = jnp.array([0, 1]), jnp.array([True, True])
    alone = Pool(f, violation.at[2].set(1.0), alive, is_new)
    np.testing.assert_array_equal(objective_ranges(alone, row, filled), [2.0, 3.0])
    # With a second feasible offspring, which does not survive, the feasible ones have a range.
    np.testing.assert_array_equal(objective_ranges(Pool(f, violation, alive, is_new), row, filled), [3.0, 4.0])


@jax.jit
def count_of_adaptations(algorithm, progress):
    return jax.vmap(algorithm._adaptations_done)(progress)


@pytest.mark.parametrize("last", [1, 3, 7, 10, 99, 100, 101, 1000, 12_345])
@pytest.mark.parametrize("adaptation", ["0.1", "0.3", "0.01", "0.001", "1"])
def test_vectors_adapt_after_each_given_share_of_the_budget(last, adaptation):
    progress = np.ones(12_346, np.float32)
    progress[: last + 1] = [t / last for t in range(last + 1)]
    times = np.asarray(count_of_adaptations(paper(adaptation=float(adaptation)), progress))[: last + 1]
    exact = [Fraction(t, last) // Fraction(adaptation) for t in range(last + 1)]
    np.testing.assert_array_equal(times, np.array(exact, float))


def test_vectors_are_scaled_to_the_ranges_of_the_survivors(started, tell):
    state, offspring = started
    generator = np.random.default_rng(2)
    stretch = np.array([1, 10, 300], np.float32)
    zeros = np.zeros((28, 0), np.float32)
    state = tell(paper(), state, offspring, generator.random((28, 3), np.float32) * stretch, zeros, 0.0)
    f = generator.random((28, 3), np.float32) * stretch
    early = tell(paper(), state, offspring, f, zeros, np.float32(0.05))
    np.testing.assert_array_equal(early.extra.adapted, state.extra.adapted)
    np.testing.assert_array_equal(early.extra.gamma, state.extra.gamma)
    after = tell(paper(), early, offspring, f, zeros, np.float32(0.1), np.float32(0.05))
    alive = np.asarray(after.population.alive)
    expected = oracle.adapted_vectors(np.asarray(state.extra.initial), np.asarray(after.population.f, float)[alive])
    np.testing.assert_allclose(after.extra.adapted, expected, atol=1e-5)
    np.testing.assert_allclose(after.extra.gamma, oracle.smallest_angles(expected), rtol=1e-3)
    np.testing.assert_array_equal(after.extra.initial, state.extra.initial)
    # The next adaptation starts from the initial vectors again.
    still = tell(paper(), after, offspring, f, zeros, np.float32(0.15), np.float32(0.1))
    np.testing.assert_array_equal(still.extra.adapted, after.extra.adapted)


@pytest.mark.parametrize(
    "ranges", [[1, 0, 2], [0, 0, 0], [np.inf, 1, 1], [1e-30, 1e-20, 1e-25], [1e37, 1, 1e-30], [-np.inf, 1, 2]]
)
def test_scaled_vectors_have_unit_length_for_any_ranges(ranges):
    vectors = unit_rows(jnp.asarray(simplex_lattice(4, 3)))
    made = np.asarray(scale_vectors(vectors, jnp.asarray(ranges, jnp.float32)), np.float64)
    np.testing.assert_allclose(np.linalg.norm(made, axis=1), 1, rtol=1e-5)
    assert len(np.unique(made, axis=0)) == len(made)


def test_vectors_of_any_length_become_unit_vectors():
    rows = jnp.array([[1e-30, 0, 0], [1e30, 1e30, 0], [0, 3, 4]])
    np.testing.assert_allclose(unit_rows(rows), [[1, 0, 0], [0.5**0.5, 0.5**0.5, 0], [0, 0.6, 0.8]], rtol=1e-6)


# Ask and tell


def test_a_loop_of_ask_and_tell_can_be_jitted_vmapped_and_scanned():
    algorithm, problem = paper(), sizes.problem()
    run = own_loop(algorithm, problem, 12)
    keys = jax.vmap(jax.random.key)(np.arange(3, dtype=np.uint32))
    one, curve = jax.jit(run, compiler_options=sizes.QUICKLY)(keys[1])
    _, curves = jax.jit(jax.vmap(run), compiler_options=sizes.QUICKLY)(keys)
    np.testing.assert_allclose(curves[1, :2], curve[:2], atol=1e-4)
    assert not np.isnan(curves).any()
    assert one.population.alive.any()


def test_number_settings_can_be_swept_by_vmap():
    problem = sizes.problem()

    def spread_of_children(eta, alpha):
        algorithm = paper(alpha=alpha, variation=tr.GA(crossover=tr.SBX(eta=eta)))
        state, offspring = algorithm.init(jax.random.key(0), problem)
        f, g = problem.evaluate(jax.random.key(0), offspring.x)
        state = algorithm.tell(jax.random.key(2), state, offspring, f, g, Clock(0.0, 0.0))
        asked = jax.vmap(lambda key: algorithm.ask(key, state, problem).x)(jax.random.split(jax.random.key(1), 50))
        return asked.std()

    sweep = jax.jit(jax.vmap(spread_of_children), compiler_options=sizes.QUICKLY)
    spread = sweep(jnp.array([0.5, 30.0]), jnp.array([1.0, 2.0]))
    assert spread[0] > spread[1]


ALGORITHMS = {
    "TensorRVEA": tr.TensorRVEA(population=28),
    "PaperTensorRVEA": tr.TensorRVEA.paper(population=28),
    "TensorRVEA, many vectors": tr.TensorRVEA(population=1100, variation=tr.PSO()),
    "RVEA": tr.RVEA(population=28, variation=tr.DE()),
    "NSGA2": tr.NSGA2(population=28, variation=tr.CSO()),
    "RandomSearch": tr.RandomSearch(population=28),
}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_generations_can_be_lowered_for_other_platforms(name):
    algorithm, problem = ALGORITHMS[name], tr.problems.DTLZ2(objectives=3, variables=80)
    program = loop.Program(problem, algorithm, {}, "summary", 10)
    key = jax.eval_shape(lambda: jax.random.key(0))
    carry = jax.eval_shape(lambda k: loop.begin(program, k, None), key)
    number, times = jax.ShapeDtypeStruct((), jnp.int32), jax.ShapeDtypeStruct((4,), jnp.float32)

    def chunk(key, carry, start, count, clocks):
        key = jax.random.wrap_key_data(key)
        return compiled.chunk.function(program, Setting(), key, carry, start, count, clocks)

    bits = jax.ShapeDtypeStruct((2,), jnp.uint32)
    made = export.export(jax.jit(chunk), platforms=("cuda", "rocm", "tpu"))(
        bits, carry, number, number, Clock(times, times)
    )
    assert made.platforms == ("cuda", "rocm", "tpu")
    assert "while" in made.mlir_module()
