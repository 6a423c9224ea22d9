"""Jobs on four devices, in a process of its own: says where each was done."""

import threading

import jax
import jax.numpy as jnp

from tensorrvea.experiments.everywhere import on_every_device

met = threading.Barrier(4, timeout=60)


def job(i: int) -> tuple[int, int]:
    if i < 4:
        met.wait()  # passes only if four are at work at once
    (device,) = jnp.zeros(()).devices()
    return i, device.id


def fail() -> None:
    raise ValueError("this one fails")


def main() -> None:
    found = on_every_device([lambda i=i: job(i) for i in range(9)])
    assert [i for i, _ in found] == list(range(9)), found
    assert {device for _, device in found[:4]} == {0, 1, 2, 3}, found
    try:
        on_every_device([fail, fail])
    except ValueError as error:
        print(len(jax.devices()), error)


if __name__ == "__main__":
    main()
