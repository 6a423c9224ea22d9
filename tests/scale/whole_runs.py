"""Compare the bits of whole runs on one device and on several, in a process with eight.

python whole_runs.py CASE...
"""

import sys
import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

import tensorrvea as tr
from tensorrvea import load, resume
from tensorrvea.runs import keep

PROBLEM, ALGORITHM = tr.problems.DTLZ2(variables=6), tr.TensorRVEA(population=13)
FEW = {"generations": 8, "seed": 2}


def bits(result: tr.Result) -> list[bytes]:
    found, history = result.population, result.history
    parts = [found.X, found.F, found.violation, history.ideal, history.nadir, history.living, *(history.fronts or [])]
    return [np.ascontiguousarray(part).tobytes() for part in parts]


def fronts() -> bool:
    swarm = tr.TensorRVEA(population=13, variation=tr.PSO())  # whose sums of products are most likely to differ
    one, three = (tr.optimize(PROBLEM, swarm, history="fronts", devices=k, **FEW) for k in (1, 3))
    return len(one.history.fronts) == 9 and bits(one) == bits(three)


def efforts() -> bool:
    """Compile with more effort than such a short run would get."""

    def run(effort: str, devices: int) -> list[bytes]:
        return bits(tr.optimize(PROBLEM, ALGORITHM, effort=effort, devices=devices, **FEW))

    return all(run(effort, 1) == run(effort, 3) for effort in ("standard", "full"))


def resumed() -> bool:
    """Start on eight devices, resume on three, and finish on one."""

    def interrupt_at(generation: int):
        def interrupt(result: tr.Result) -> None:
            if result.generations == generation:
                raise MemoryError

        return interrupt

    keep.SHARE = 1e9
    options = {"checkpoint_seconds": 0.0, "callbacks": interrupt_at(3)}
    with tempfile.TemporaryDirectory() as place:
        run = Path(place) / "run"
        try:
            tr.optimize(PROBLEM, ALGORITHM, directory=run, devices=8, every=1, **FEW, **options)
        except MemoryError:
            assert load(run).generations == 2
        try:
            resume(run, devices=3, **options | {"callbacks": interrupt_at(6)})
        except MemoryError:
            assert load(run).generations == 5
        ended = resume(run)
    return bits(ended) == bits(tr.optimize(PROBLEM, ALGORITHM, **FEW))


def replicated() -> bool:
    """Three runs on two devices, one of which has a padding run."""
    one, two = (tr.replicate(PROBLEM, ALGORITHM, seeds=(1, 2, 3), generations=8, devices=k) for k in (None, 2))
    return [bits(result) for result in one] == [bits(result) for result in two]


def host() -> bool:
    seen = []

    def simulate(x: np.ndarray) -> np.ndarray:
        seen.append(len(x))
        return np.stack([x[:, 0], 1 - x[:, 0] + x[:, 1]], axis=1)

    problem = tr.HostProblem(simulate, lower=[0.0, 0.0], upper=[1.0, 1.0], objectives=2, batched=True)
    one, eight = (tr.optimize(problem, ALGORITHM, devices=k, **FEW) for k in (None, 8))
    return bits(one) == bits(eight) and set(seen) == {13}


def stochastic() -> bool:
    def noisy(key: jax.Array, x: jax.Array) -> jax.Array:
        return jnp.stack([x[0], 1 - x[0] + x[1] + 0.1 * jax.random.normal(key)])

    problem = tr.Problem(noisy, lower=[0.0, 0.0], upper=[1.0, 1.0], objectives=2, stochastic=True)
    one, three = (tr.optimize(problem, ALGORITHM, devices=k, **FEW) for k in (None, 3))
    return bits(one) == bits(three)


CASES = {case.__name__: case for case in (fronts, efforts, resumed, replicated, host, stochastic)}


def main() -> None:
    for name in sys.argv[1:]:
        print(name, "same" if CASES[name]() else "different", flush=True)


if __name__ == "__main__":
    main()
