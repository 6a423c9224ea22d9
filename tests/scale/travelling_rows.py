"""Rows that travel between devices, in a process with eight of them: are they those that were asked for?"""

import jax
import jax.numpy as jnp
import numpy as np

from tensorrvea.devices import make_mesh, padded_size, use_mesh
from tensorrvea.exchange import exchange_capacity
from tensorrvea.rows import choose, take

rng = np.random.default_rng(0)


def table(rows: int) -> dict[str, np.ndarray]:
    return {"x": rng.random((rows, 130), np.float32), "f": rng.random((rows, 3)), "alive": rng.random(rows) < 0.5}


def same(found: dict, wanted: dict) -> bool:
    return all(np.array_equal(found[name], wanted[name].astype(found[name].dtype)) for name in wanted)


def main() -> None:
    for devices in (2, 3, 8):
        mesh = make_mesh(devices)
        with use_mesh(mesh):
            rows = padded_size(2000)
            first, second = table(rows), table(2 * rows)
            at_random = rng.integers(0, 3 * rows, rows)
            of_one = rng.integers(0, rows // devices, rows)  # all of the first device's: more than there is room for
            assert rows // devices > exchange_capacity(rows // devices, devices)
            both = {name: np.concatenate([first[name], second[name]]) for name in first}
            for index in (at_random, of_one, np.arange(rows)[::-1], np.arange(rows)):
                chosen = jax.jit(choose)(first, second, jnp.asarray(index))
                assert same(chosen, {name: leaf[index] for name, leaf in both.items()}), (devices, index)
                taken = jax.jit(take)(first, jnp.asarray(index % rows))
                assert same(taken, {name: leaf[index % rows] for name, leaf in first.items()}), (devices, index)
                # Nobody has all of it.
                assert taken["x"].addressable_shards[0].data.shape == (rows // devices, 130)
        print(devices, "devices", flush=True)


if __name__ == "__main__":
    main()
