"""Metrics for compiled code, compared with those in NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tensorrvea import metrics
from tensorrvea.metrics import device


def points(kind: str, n: int, m: int) -> np.ndarray:
    rng = np.random.default_rng(n + m)
    if kind == "random":
        f = 1.5 * rng.random((n, m))
    elif kind == "front":
        f = np.abs(rng.normal(size=(n, m)))
        f /= np.linalg.norm(f, axis=1, keepdims=True)
    else:
        f = rng.integers(0, 5, (n, m)) / 4
    return f.astype(np.float32)


compiled = {
    name: jax.jit(getattr(device, name))
    for name in ("igd", "igd_plus", "gd", "spacing", "hypervolume", "expected_utility")
}


@pytest.mark.parametrize("kind", ["random", "front", "ties"])
@pytest.mark.parametrize("m", [2, 3])
def test_device_metrics_agree_with_numpy(kind, m):
    n = 90
    f = points(kind, n, m)
    front = points("front", 130, m)
    alive = np.random.default_rng(1).random(n) < 0.7
    reference = np.full(m, 1.1, np.float32)
    masked = np.where(alive[:, None], f, np.nan)  # values of rows that are not alive must not matter
    alive_rows = f[alive]
    for name in ("igd", "igd_plus", "gd"):
        expected = getattr(metrics, name)(alive_rows, front)
        assert float(compiled[name](masked, alive, front)) == pytest.approx(expected, rel=2e-6)
    expected = metrics.spacing(alive_rows)
    assert float(compiled["spacing"](masked, alive)) == pytest.approx(expected, rel=1e-5, abs=1e-6)
    expected = metrics.hypervolume(alive_rows, reference)
    assert float(compiled["hypervolume"](masked, alive, reference)) == pytest.approx(expected, rel=2e-6)
    weights = metrics.utility_weights(m).astype(np.float32)
    expected = metrics.expected_utility(alive_rows)
    assert float(compiled["expected_utility"](masked, alive, weights)) == pytest.approx(expected, rel=2e-6)


def test_no_rows_alive():
    f, none_alive = np.full((5, 3), np.inf, np.float32), np.zeros(5, bool)
    front = points("front", 10, 3)
    for name in ("igd", "igd_plus", "gd"):
        assert float(getattr(device, name)(f, none_alive, front)) == np.inf
    assert float(device.spacing(f, none_alive)) == 0
    assert float(device.spacing(np.ones((5, 3), np.float32), np.arange(5) == 0)) == 0
    assert float(device.hypervolume(f, none_alive, jnp.ones(3))) == 0
    assert float(device.expected_utility(f, none_alive, metrics.utility_weights(3))) == -np.inf
    value, error = device.hypervolume_estimate(jax.random.key(0), f, none_alive, jnp.ones(3), samples=10)
    assert (float(value), float(error)) == (0, 0)


@pytest.mark.parametrize("m", [3, 6])
def test_estimate_is_within_its_standard_error(m):
    f = points("front", 40, m)
    alive = np.arange(40) < 30
    estimate = jax.jit(device.hypervolume_estimate, static_argnames="samples")
    value, error = estimate(jax.random.key(1), f, alive, np.full(m, 1.2), samples=5000)
    exact = metrics.hypervolume(f[alive], np.full(m, 1.2))
    assert abs(float(value) - exact) < 4 * float(error) < 0.1 * exact


def test_exact_hypervolume_needs_two_or_three_objectives():
    with pytest.raises(ValueError, match="takes 2 or 3 objectives, got 4; use hypervolume_estimate"):
        device.hypervolume(jnp.ones((5, 4)), jnp.ones(5, bool), jnp.ones(4))


def test_metrics_work_inside_vmap_of_scan():
    runs, generations, n = 3, 4, 50
    f = np.stack([[points("random", n + i + 7 * r, 3)[:n] for i in range(generations)] for r in range(runs)])
    alive = np.random.default_rng(0).random(f.shape[:3]) < 0.8
    front = points("front", 40, 3)

    def curve(f, alive):
        def step(carry, rows):
            return carry, (device.hypervolume(*rows, jnp.ones(3)), device.igd(*rows, front))

        return jax.lax.scan(step, (), (f, alive))[1]

    volumes, distances = jax.jit(jax.vmap(curve))(f, alive)
    for r in range(runs):
        for i in range(generations):
            alive_rows = f[r, i][alive[r, i]]
            assert float(volumes[r, i]) == pytest.approx(metrics.hypervolume(alive_rows, np.ones(3)), rel=1e-5)
            assert float(distances[r, i]) == pytest.approx(metrics.igd(alive_rows, front), rel=1e-5)


@pytest.mark.parametrize("name", ["igd", "igd_plus", "gd", "spacing", "hypervolume", "expected_utility"])
def test_memory_is_bounded(name):
    rows = jax.ShapeDtypeStruct((50_000, 3), jnp.float32), jax.ShapeDtypeStruct((50_000,), bool)
    more = {
        "spacing": (),
        "hypervolume": (jax.ShapeDtypeStruct((3,), jnp.float32),),
    }.get(name, (jax.ShapeDtypeStruct((10_000, 3), jnp.float32),))
    memory = compiled[name].lower(*rows, *more).compile().memory_analysis()
    assert memory.temp_size_in_bytes < 40e6
