"""Run jobs on four devices, in a separate process, and check which device ran each."""

import threading

import jax
import jax.numpy as jnp

from tensorrvea.study.device_pool import run_on_all_devices

barrier = threading.Barrier(4, timeout=60)


def job(i: int) -> tuple[int, int]:
    if i < 4:
        barrier.wait()  # passes only if four jobs run at the same time
    (device,) = jnp.zeros(()).devices()
    return i, device.id


def fail() -> None:
    raise ValueError("this job fails")


def main() -> None:
    results = run_on_all_devices([lambda i=i: job(i) for i in range(9)])
    assert [i for i, _ in results] == list(range(9)), results
    assert {device for _, device in results[:4]} == {0, 1, 2, 3}, results
    try:
        run_on_all_devices([fail, fail])
    except ValueError as error:
        print(len(jax.devices()), error)


if __name__ == "__main__":
    main()
