"""Time and bytes moved of each part of a generation, relative to the memory bandwidth.

    python benchmarks/cost.py [N D]...        sizes; by default n = 16,384, d = 100 and n = 100, d = 262,144

The parts are compiled separately, so their sum is slightly more than a generation. Bytes follow the model in
``docs/performance.md``: every array is read or written once. The bandwidth is that of ``x + 1`` on an array too large
for the caches; the share is bytes ÷ time ÷ bandwidth.
"""

import sys
import time
from collections.abc import Callable
from statistics import median

import jax
import jax.numpy as jnp

import tensorrvea as tr
from tensorrvea.population import Offspring

SIZES = [(16_384, 100), (100, 262_144)]
WORD = 4


def timed(function: Callable, *arguments: object, repeats: int = 15) -> float:
    """Median time of several calls, after one that compiles."""
    jax.block_until_ready(function(*arguments))
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        jax.block_until_ready(function(*arguments))
        times.append(time.perf_counter() - started)
    return median(times)


def bandwidth() -> float:
    """Bytes per second read and written by a minimal loop."""
    x = jnp.zeros(2**26, jnp.float32)
    return 2 * x.size * WORD / timed(jax.jit(lambda a: a + 1), x)


def parts(n: int, d: int, m: int = 3) -> dict[str, tuple[float, int]]:
    """Seconds and bytes of each part of a generation of DTLZ1."""
    problem = tr.problems.DTLZ1(objectives=m, variables=d)
    algorithm = tr.TensorRVEA.paper(population=n).bind(problem)
    r = len(algorithm.vectors)
    key = jax.random.key(0)

    @jax.jit
    def start() -> tuple:
        state, offspring = algorithm.init(key, problem)
        state = algorithm.tell(key, state, offspring, *problem.evaluate(key, offspring.x), tr.Clock(0.0, 0.0))
        offspring = algorithm.ask(key, state, problem)
        values = problem.evaluate(key, offspring.x)
        return algorithm.tell(key, state, offspring, *values, tr.Clock(0.5, 0.49)), offspring

    state, offspring = start()
    ask = jax.jit(lambda k, s: algorithm.ask(k, s, problem))
    evaluate = jax.jit(lambda x: problem.evaluate(key, x))
    tell = jax.jit(lambda s, x, f, g: algorithm.tell(key, s, Offspring(x), f, g, tr.Clock(0.51, 0.5)))
    f, g = evaluate(offspring.x)
    return {
        # Parents read, offspring written.
        "variation": (timed(ask, key, state), 2 * n * d * WORD),
        "evaluate": (timed(evaluate, offspring.x), (n * d + n * m) * WORD),
        # Selected rows read and written; objectives, and the vectors with γ, read.
        "select": (timed(tell, state, offspring.x, f, g), (2 * r * d + (n + 2 * r) * (m + 1)) * WORD),
    }


def main() -> None:
    numbers = [int(argument) for argument in sys.argv[1:]]
    sizes = list(zip(numbers[::2], numbers[1::2], strict=True)) or SIZES
    speed = bandwidth()
    print(f"bandwidth {speed / 1e9:.1f} GB/s on {jax.devices()[0].device_kind}\n")
    print("| n | d | part | time | bytes | share of bandwidth |\n|---|---|---|---|---|---|")
    for n, d in sizes:
        for name, (seconds, size) in parts(n, d).items():
            share = size / seconds / speed
            print(f"| {n:,} | {d:,} | {name} | {seconds * 1e3:.3g} ms | {size / 1e6:.1f} MB | {share:.0%} |")


if __name__ == "__main__":
    main()
