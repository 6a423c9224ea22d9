"""Rows that are chosen by their distance from those chosen before, against a loop."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sizes import QUICKLY

from tensorrvea.selection.spacing import farthest_first

compiled = jax.jit(farthest_first, static_argnames="places", compiler_options=QUICKLY)


def order_by_loop(f: np.ndarray, chosen: np.ndarray, candidates: np.ndarray, places: int) -> np.ndarray:
    order, taken = np.full(len(f), len(f)), [f[i] for i in np.flatnonzero(chosen)]
    left = list(np.flatnonzero(candidates))
    if len(left) <= places - len(taken):
        return order
    for number in range(places - len(taken)):
        near = [min([((f[i] - other) ** 2).sum() for other in taken], default=np.inf) for i in left]
        row = left.pop(int(np.argmax(near)))
        order[row] = number
        taken.append(f[row])
    return order


@pytest.mark.parametrize("share_chosen", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("objectives", [2, 3, 10])
def test_the_farthest_candidate_is_always_chosen_next(objectives, share_chosen):
    """On a grid, where distances are exact, tie and repeat."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        f = rng.integers(0, 6, (40, objectives)).astype(float)
        chosen = rng.random(40) < share_chosen
        candidates = ~chosen & (rng.random(40) < 0.8)
        places = int(chosen.sum()) + int(rng.integers(0, candidates.sum() + 2))
        if places:
            found = compiled(jnp.asarray(f, jnp.float32), jnp.asarray(chosen), jnp.asarray(candidates), places=places)
            np.testing.assert_array_equal(found, order_by_loop(f, chosen, candidates, places))


def test_places_on_a_front_are_filled_evenly():
    angle = np.linspace(0, np.pi / 2, 400)
    f = jnp.asarray(np.stack([np.cos(angle), np.sin(angle)], axis=1), jnp.float32)
    chosen = jnp.zeros(400, bool).at[0].set(True)
    order = np.asarray(compiled(f, chosen, ~chosen, places=33))
    gaps = np.diff(angle[(order < 400) | np.asarray(chosen)])
    assert gaps.max() < 2.1 * gaps.min()


@pytest.mark.parametrize("scale", [2.0**-120, 2.0**120])
def test_the_scale_of_the_objectives_does_not_matter(scale):
    rng = np.random.default_rng(0)
    f = jnp.asarray(rng.random((60, 3)), jnp.float32)
    chosen = jnp.arange(60) < 5
    expected = compiled(f, chosen, ~chosen, places=30)
    np.testing.assert_array_equal(compiled(f * scale, chosen, ~chosen, places=30), expected)
