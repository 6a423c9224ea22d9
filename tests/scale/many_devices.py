"""Run cases on 1, 2, 3 and 8 devices in a process of its own, and print whether their bits agree.

    python many_devices.py ALGORITHM-VARIATION...

Each runs on a plain and on a constrained problem, which share the compiled tell and ask: they have the same variables
and number of objectives. Objectives are always evaluated on one device, since XLA may sum a row in another order for
another number of rows.
"""

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np

import tensorrvea as tr
from tensorrvea import compiled, loop
from tensorrvea.devices import make_mesh, use_mesh
from tensorrvea.evolution import Clock
from tensorrvea.population import Population

sys.path.append(str(Path(__file__).parents[1]))
import cases

POPULATION, LAST = 203, 6
# Few, since the archive is the same for all and takes long to compile.
ARCHIVED = ("TensorRVEA-GA", "RandomSearch-")
PROBLEMS = {
    "plain": tr.problems.DTLZ2(variables=70),
    "constrained": tr.problems.C2DTLZ2(variables=70),
}


@partial(jax.jit, static_argnames="problem")
def evaluate(problem: str, x: Any) -> Any:
    f, g = PROBLEMS[problem].evaluate(jax.random.key(0), x)
    return f, g if g.shape[1] else jax.numpy.zeros((len(x), 1), f.dtype)


def objectives(problem: str, x: np.ndarray) -> list[np.ndarray]:
    """Evaluate all individuals on one device: equal objectives for equal rows; padding rows get zeros."""
    values = [np.asarray(leaf) for leaf in evaluate(problem, x[:POPULATION])]
    return [np.pad(leaf, ((0, len(x) - POPULATION), *[(0, 0)] * (leaf.ndim - 1))) for leaf in values]


def living(rows: Population) -> Population:
    return jax.tree.map(lambda leaf: np.asarray(leaf)[np.asarray(rows.alive)], rows)


class Case:
    """An algorithm on some devices."""

    def __init__(self, name: str, devices: int):
        problem = PROBLEMS["constrained"]
        algorithm = cases.make(name, POPULATION).bind(problem)
        program = loop.Program(problem, algorithm, {}, "summary", 7 if name in ARCHIVED else 0)
        self.mesh, self.places = make_mesh(devices), program.places
        self.begin = jax.jit(lambda key: compiled.shard_carry(loop.begin(program, key, None)))

        # Compiled separately, since cases share the tell of an algorithm and the ask of a variation.
        @jax.jit
        def tell(key, carry, t, f, g):
            carry, record = loop.tell(program, key, carry, t, f, g, Clock(t / LAST, (t - 1) / LAST))
            return compiled.shard_carry(carry), record

        self.tell = tell
        self.ask = jax.jit(lambda key, carry, t: compiled.shard_carry(loop.ask(program, key, carry, t)))

    def run(self, problem: str) -> Iterator[dict[str, np.ndarray]]:
        """Yield all values of each generation by name, without padding and empty places."""
        key = jax.random.key(5)
        with use_mesh(self.mesh):
            carry = self.begin(key)
        for t in map(np.int32, range(LAST + 1)):
            values = objectives(problem, np.asarray(carry.offspring.x))
            with use_mesh(self.mesh):
                carry, record = self.tell(key, carry, t, *values)
                carry = self.ask(key, carry, t + 1)
            state, offspring = carry.state, jax.tree.map(lambda leaf: leaf[:POPULATION], carry.offspring)
            alive = [living(rows) for rows in filter(None, (state.population, carry.archive))]
            parts = {
                "survivors": alive,
                "score": state.score[: self.places],
                "extra": state.extra,
                "limits": state.limits,
            }
            parts |= {"record": record, "offspring": offspring}
            leaves = jax.tree_util.tree_leaves_with_path(parts)
            yield {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in leaves}


def difference(one: list[dict[str, np.ndarray]], many: Iterator[dict[str, np.ndarray]]) -> str:
    """Return where two runs first differ; "same" if they do not."""
    for t, (expected, found) in enumerate(zip(one, many, strict=True)):
        for name, leaf in expected.items():
            if leaf.tobytes() != found[name].tobytes():
                return f"differs in {name} at generation {t}"
    return "same"


def main() -> None:
    name, *numbers = sys.argv[1:]
    alone = Case(name, 1)
    one = {problem: list(alone.run(problem)) for problem in PROBLEMS}
    for devices in map(int, numbers):
        case = Case(name, devices)
        for problem, expected in one.items():
            print(name, problem, devices, difference(expected, case.run(problem)), flush=True)


if __name__ == "__main__":
    main()
