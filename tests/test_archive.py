"""The archive keeps the best solutions of a run, within its capacity."""

import jax
import jax.numpy as jnp
import numpy as np

import tensorrvea as tr
from tensorrvea.archive import empty_archive, insert
from tensorrvea.population import Offspring, Population

D = 4

insert_once = jax.jit(insert)


def population(f: np.ndarray, violation: np.ndarray | None = None, alive: np.ndarray | None = None) -> Population:
    """Return rows whose first variable is the sum of their objectives, with a memory."""
    f = jnp.asarray(f)
    rows = len(f)
    return Population(
        x=f.sum(axis=1, keepdims=True) * jnp.eye(1, D),
        f=f,
        violation=jnp.zeros(rows) if violation is None else jnp.asarray(violation),
        alive=jnp.ones(rows, bool) if alive is None else jnp.asarray(alive),
        memory={"velocity": jnp.ones((rows, D))},
    )


def empty(capacity: int, m: int) -> Population:
    return empty_archive(capacity, Offspring(jnp.zeros((1, D))), m)


def living(archive: Population) -> np.ndarray:
    return np.asarray(archive.f)[np.asarray(archive.alive)]


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return sorted(map(tuple, a)) == sorted(map(tuple, b))


def test_archive_holds_the_feasible_nondominated_rows_of_all_insertions():
    rng = np.random.default_rng(0)
    fs = rng.random((8, 30, 3)).astype(np.float32)
    violations = np.maximum(rng.random((8, 30)) - 0.5, 0).astype(np.float32)
    alive = rng.random((8, 30)) < 0.9
    batches = jax.vmap(population)(fs, violations, alive)
    archive, _ = jax.lax.scan(lambda archive, rows: (insert(archive, rows), ()), empty(100, 3), batches)
    eligible = fs[alive & (violations <= 0)]
    assert same(living(archive), eligible[tr.nondominated(eligible)])
    rows = np.asarray(archive.alive)
    np.testing.assert_allclose(np.asarray(archive.x)[rows, 0], living(archive).sum(axis=1), rtol=1e-6)
    assert (np.asarray(archive.violation)[rows] == 0).all()
    assert np.isinf(np.asarray(archive.f)[~rows]).all()


def test_a_run_archives_the_nondominated_of_all_evaluations():
    seen = []

    def simulate(x: np.ndarray) -> np.ndarray:
        seen.append(np.array([x.sum(), ((x - 1) ** 2).sum()]))
        return seen[-1]

    problem = tr.HostProblem(simulate, lower=[0.0] * D, upper=[1.0] * D, objectives=2)
    result = tr.optimize(problem, tr.TensorRVEA(population=10), generations=15, archive=200)
    every = np.array(seen, np.float32)
    assert len(every) == 160
    best = every[tr.nondominated(every)]
    assert len(result.F) < len(best) < 200
    assert same(result.archive.F.astype(np.float32), np.unique(best, axis=0))


def test_equal_solutions_are_archived_once():
    f = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]], np.float32)
    archive = insert_once(empty(5, 2), population(f))
    assert same(living(archive), f[:2])
    again = insert_once(archive, population(f))
    assert same(living(again), f[:2])
    np.testing.assert_array_equal(again.x[:2], archive.x[:2])


def test_an_infeasible_duplicate_does_not_displace_a_feasible_solution():
    f = np.array([[0.5, 0.5], [0.5, 0.5]], np.float32)
    assert same(living(insert_once(empty(2, 2), population(f, np.array([1.0, 0.0])))), f[:1])


def test_a_full_archive_stays_evenly_spread():
    archive = empty(20, 2)
    rng = np.random.default_rng(0)
    for _ in range(30):
        x = rng.random(40).astype(np.float32)
        archive = insert_once(archive, population(np.stack([x, 1 - x], axis=1)))
    assert bool(archive.alive.all())
    kept = np.sort(living(archive)[:, 0])
    assert kept[0] < 0.005
    assert kept[-1] > 0.995
    assert np.diff(kept).max() < 3 / 19  # 1/19 if evenly spaced


def test_archives_of_several_runs_are_batched():
    fs = np.random.default_rng(0).random((3, 25, 2)).astype(np.float32)
    archives = jax.jit(jax.vmap(lambda rows: insert(empty(6, 2), rows)))(jax.vmap(population)(fs))
    for run in range(3):
        alone = insert_once(empty(6, 2), population(fs[run]))
        np.testing.assert_array_equal(archives.f[run], alone.f)
        np.testing.assert_array_equal(archives.alive[run], alone.alive)
