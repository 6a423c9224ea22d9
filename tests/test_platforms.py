"""What is compiled for accelerators computes the same as what is compiled for CPUs, on which it runs here."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pools
import pytest

import tensorrvea as tr
from tensorrvea.domain import Box
from tensorrvea.mating import permute_living, shuffled
from tensorrvea.operators import PolynomialMutation
from tensorrvea.platforms import compile_for, on_accelerator, run_if, target_platform
from tensorrvea.reference_vectors import largest_divisions, simplex_lattice
from tensorrvea.selection.apd import best_per_niche
from tensorrvea.selection.association import associate, make_index, smallest_angles
from tensorrvea.selection.dominance import nondominated_rows, rank_rows, widen
from tensorrvea.selection.order import kth_smallest, take_smallest
from tensorrvea.selection.spacing import farthest_first


def both_ways(function, *arguments):
    """Return what a function computes when traced for a CPU, and when traced for a GPU."""
    on_cpu = jax.jit(lambda *arguments: function(*arguments))(*arguments)
    with compile_for("cuda"):
        accelerated = jax.jit(lambda *arguments: function(*arguments))(*arguments)
    return on_cpu, accelerated


def test_the_target_is_the_default_device_unless_another_is_chosen():
    assert (target_platform(), on_accelerator()) == ("cpu", False)
    with compile_for("cuda"):
        assert (target_platform(), on_accelerator()) == ("cuda", True)
        with jax.default_device(jax.devices("cpu")[0]), compile_for("tpu"):
            assert target_platform() == "tpu"
    with jax.default_device(jax.devices("cpu")[0]):
        assert target_platform() == "cpu"


@pytest.mark.parametrize("flag", [True, False])
def test_a_function_runs_once_or_not_at_all(flag):
    state = {"a": jnp.arange(3), "b": jnp.float32(2)}
    for result in both_ways(lambda flag: run_if(flag, lambda s: {"a": s["a"] + 1, "b": s["b"] * 3}, state), flag):
        assert result["a"].tolist() == ([1, 2, 3] if flag else [0, 1, 2])
        assert result["b"] == (6 if flag else 2)


@pytest.mark.parametrize("objectives", [2, 3, 6])
def test_ranks_are_the_same(objectives):
    rows = pools.random_rows(3, pools.KINDS[1], objectives, 300).pool()
    for function in (rank_rows, nondominated_rows):
        on_cpu, accelerated = both_ways(function, rows.f, rows.alive, rows.violation)
        np.testing.assert_array_equal(on_cpu, accelerated)


@pytest.mark.parametrize("kind", pools.KINDS)
@pytest.mark.parametrize("objectives", [2, 3, 6])
def test_wider_cones_and_the_order_of_filling_are_the_same(kind, objectives):
    for seed in range(5):
        rows = pools.random_rows(seed, kind, objectives, 100).pool()
        chosen = rows.alive & (np.arange(len(rows.f)) % 3 == 0)
        fill = partial(farthest_first, places=len(rows.f) // 2)
        np.testing.assert_array_equal(*both_ways(widen, rows.f, rows.feasible, 0.05))
        np.testing.assert_array_equal(*both_ways(fill, rows.f, chosen, rows.alive & ~chosen))


def test_the_kth_smallest_key_is_the_same():
    rng = np.random.default_rng(1)
    for shift in (0, 10, 28):  # with 28, most keys are equal
        key, among = rng.integers(0, 2**31, 37, dtype=np.int32) >> shift, rng.random(37) < 0.5
        k = np.arange(among.sum() + 1, dtype=np.int32)
        find = jax.vmap(lambda k, key=key, among=among: kth_smallest(jnp.array(key), jnp.array(among), k, bits=31))
        for found in both_ways(find, k):
            np.testing.assert_array_equal(found, [0, *np.sort(key[among])])


@pytest.mark.parametrize(("objectives", "most"), [(2, 600), (3, 1300), (4, 2100), (6, 300)])
@pytest.mark.parametrize("spread", [0, 3])
def test_association_finds_the_same_vectors(objectives, most, spread):
    """Also where ranges differ so much that rows are searched for again."""
    rng = np.random.default_rng(most + spread)
    ranges = 10.0 ** rng.uniform(-spread, 0, objectives)
    vectors = simplex_lattice(largest_divisions(most, objectives), objectives) * ranges
    vectors = jnp.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), jnp.float32)
    f = jnp.asarray(rng.random((700, objectives)) ** 3, jnp.float32).at[5].set(0)

    def search(f, vectors):
        index = make_index(vectors)
        return *associate(f, vectors, index), smallest_angles(vectors, index)

    (niche, theta, gamma), (other, other_theta, other_gamma) = both_ways(search, f, vectors)
    np.testing.assert_allclose(theta, other_theta, atol=1e-6)
    np.testing.assert_allclose(gamma, other_gamma, atol=1e-6)
    assert (niche == other).mean() > 0.995  # other roundings, where two vectors are equally near


@pytest.mark.parametrize("kind", pools.KINDS)
def test_the_best_of_every_niche_are_the_same(kind):
    for seed in range(5):
        rows = pools.random_rows(seed, kind, 3, 60)
        rng = np.random.default_rng(seed)
        score, niche = jnp.asarray(rng.integers(1, 50, 120) / 8, jnp.float32), jnp.asarray(rng.integers(0, 20, 120))
        preferred = jnp.asarray(rows.alive & (rng.random(120) < 0.2))

        def select(pool, score, niche, preferred):
            return best_per_niche(score, niche, pool, niches=20, preferred=preferred)

        on_cpu, accelerated = both_ways(select, rows.pool(), score, niche, preferred)
        assert on_cpu.filled.tolist() == accelerated.filled.tolist()
        assert on_cpu.row[on_cpu.filled].tolist() == accelerated.row[accelerated.filled].tolist()


@pytest.mark.parametrize("living", [1, 3, 9, 33, 64, 129, 1000])
def test_permutations_are_the_same(living):
    keys = jax.random.split(jax.random.key(living), 20)
    shuffles = jax.vmap(lambda key, living: shuffled(key, living, 300), (0, None))
    on_cpu, accelerated = both_ways(shuffles, keys, jnp.int32(living))
    assert on_cpu.tolist() == accelerated.tolist()


def test_living_rows_that_come_first_need_not_be_looked_for():
    key, alive = jax.random.key(3), jnp.arange(50) < 37
    found = permute_living(key, alive, 80)
    assert permute_living(key, alive, 80, living_come_first=True).tolist() == found.tolist()


@pytest.mark.parametrize("kind", pools.KINDS)
@pytest.mark.parametrize("is_first", [True, False])
def test_the_same_rows_survive(kind, is_first):
    for seed in range(5):
        rows = pools.random_rows(seed, kind, 3, 40)
        rng = np.random.default_rng(seed)
        group = jnp.where(rows.alive, jnp.asarray(rng.integers(0, 3, 80)), 4)
        order = jnp.asarray(rng.integers(0, 9, 80), jnp.float32)
        pairs = both_ways(
            lambda group, order, alive, first: take_smallest((group, order), alive, first, 40),
            group, order, jnp.asarray(rows.alive), is_first,
        )  # fmt: skip
        found = [np.asarray(row)[np.asarray(filled)] for row, filled in pairs]
        assert set(found[0].tolist()) == set(found[1].tolist())
        assert all((np.diff(filled.astype(int)) <= 0).all() for _, filled in pairs), "survivors are packed"


def test_an_accelerator_mutates_as_many_genes_by_the_same_law():
    n, d = 4000, 50
    box = Box(lower=jnp.zeros(()), upper=jnp.ones(()), variables=d, objectives=2)
    x = jnp.full((n, d), 0.3)
    changes = []
    for mutated in both_ways(lambda key: PolynomialMutation(probability=1.0)(key, x, box), jax.random.key(7)):
        changed = np.asarray(mutated != x)
        assert ((mutated >= 0) & (mutated <= 1)).all()
        assert abs(changed.sum() - n) < 5 * np.sqrt(n)
        assert np.ptp(changed.sum(axis=0)) < 12 * np.sqrt(n / d)
        changes.append(np.sort(np.asarray(mutated - x)[changed]))
    for share in (0.1, 0.5, 0.9):
        assert abs(np.quantile(changes[0], share) - np.quantile(changes[1], share)) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize(
    "algorithm",
    [tr.TensorRVEA(population=105, exact_ranks=False), tr.TensorRVEA.paper(population=1100)],
    ids=["TensorRVEA", "paper"],
)
def test_a_run_as_compiled_for_an_accelerator_finds_the_front(algorithm, monkeypatch):
    monkeypatch.setenv("TENSORRVEA_CACHE", "off")
    problem = tr.problems.DTLZ2(objectives=3)
    found = []
    for platform in ("cpu", "cuda"):
        with compile_for(platform):
            result = tr.optimize(problem, algorithm, generations=60, seed=1, effort="full", history="fronts")
        assert result.history.living[-1] == len(result.population.F)
        np.testing.assert_allclose(result.history.ideal[-1], result.population.F.min(axis=0), atol=1e-6)
        found.append(tr.metrics.igd(result.F, problem.front(2000)))
    assert found[1] < 1.1 * found[0]


def test_a_program_for_another_platform_is_compiled_apart(monkeypatch):
    monkeypatch.setenv("TENSORRVEA_CACHE", "off")
    problem, algorithm = tr.problems.DTLZ2(variables=13), tr.TensorRVEA(population=20)
    first = tr.optimize(problem, algorithm, generations=3, seed=0)
    with compile_for("cuda"):
        tr.optimize(problem, algorithm, generations=3, seed=0)
    again = tr.optimize(problem, algorithm, generations=3, seed=0)
    assert (np.asarray(first.X) == np.asarray(again.X)).all()
