"""What is compiled: the first population, a chunk of generations, and one generation of a problem on the host.

A chunk is one compiled loop of a dynamic length, so that a remainder does not compile again, and its state is donated.
Each function takes one run or, for a batched program, many: keys and carries then have a leading axis of runs. The
clock is never batched, since a condition on a batch computes both of its sides.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxtyping import Array, Int, Key

from tensorrvea import loop
from tensorrvea.devices import REPLICATED, ROWS, RUNS, current_mesh, default_device, map_runs, use_mesh
from tensorrvea.evolution import Clock
from tensorrvea.loop import Carry, Program, Record
from tensorrvea.problem import Problem


class Setting(NamedTuple):
    """How a program is run: on which devices, and whether as a batch of runs."""

    mesh: Mesh | None = None
    is_batched: bool = False


class Compiled:
    """A function of a program, compiled once per problem and set of shapes."""

    def __init__(self, function: Callable, donate: tuple[str, ...]):
        def run(problem: Problem, history: str, archive: int, algorithm: Any, metrics: Any, **arguments: Any) -> Any:
            return function(Program(problem, algorithm, metrics, history, archive), **arguments)

        static = ("problem", "history", "archive", "is_batched", "capacity")
        self.run = jax.jit(run, static_argnames=static, donate_argnames=donate)
        self.prepared: set = set()

    def arguments(self, program: Program, setting: Setting, arguments: dict[str, Any]) -> dict[str, Any]:
        return program._asdict() | {"is_batched": setting.is_batched} | arguments

    def __call__(self, program: Program, setting: Setting, **arguments: Any) -> Any:
        with use_mesh(setting.mesh):
            return self.run(**self.arguments(program, setting, arguments))

    def lower(self, program: Program, setting: Setting, **arguments: Any) -> Any:
        with use_mesh(setting.mesh):
            return self.run.lower(**self.arguments(program, setting, arguments))

    def prepare(self, program: Program, setting: Setting, **arguments: Any) -> None:
        """Compile without running, so that a clock that starts next does not include it."""
        given = self.arguments(program, setting, arguments)
        leaves, structure = jax.tree.flatten(given, is_leaf=lambda leaf: isinstance(leaf, Problem))
        arrays = jax.Array | np.ndarray | np.generic | jax.ShapeDtypeStruct
        known = tuple((leaf.shape, leaf.dtype) if isinstance(leaf, arrays) else leaf for leaf in leaves)
        signature = structure, known, setting.mesh, default_device()
        if signature not in self.prepared:
            self.lower(program, setting, **arguments).compile()
            self.prepared.add(signature)

    def shapes(self, program: Program, setting: Setting, **arguments: Any) -> Any:
        """Return the shapes of its result without computing anything."""
        with use_mesh(setting.mesh):
            return self.run.eval_shape(**self.arguments(program, setting, arguments))

    def memory(self, program: Program, setting: Setting, **arguments: Any) -> int:
        """Return the bytes on the device while it runs, its arguments included, as reported by the compiler."""
        return memory_of(self.lower(program, setting, **arguments).compile())


def memory_of(executable: Any) -> int:
    """Return the bytes that a compiled function needs on the device, its arguments included."""
    used = executable.memory_analysis()
    return used.argument_size_in_bytes + used.output_size_in_bytes + used.temp_size_in_bytes - used.alias_size_in_bytes


def compiled(*, donate: tuple[str, ...] = ()) -> Callable[[Callable], Compiled]:
    return lambda function: Compiled(function, donate)


@compiled()
def begin(program: Program, key: Key[Array, "..."], x: Array | None, *, is_batched: bool) -> Carry:
    if not is_batched:
        return shard_carry(loop.begin(program, key, x))
    return map_runs(jax.vmap(partial(loop.begin, program), (0, None)), (0, None), 0)(key, x)


@compiled(donate=("carry",))
def tell_and_ask(
    program: Program,
    key: Key[Array, "..."],
    carry: Carry,
    t: Int[Array, ""],
    f: Array,
    violation: Array,
    clock: Clock,
    *,
    is_batched: bool,
) -> tuple[Carry, Record]:
    one: Callable = partial(loop.tell_and_ask, program)
    if is_batched:
        axes = (0, 0, None, 0, 0, None)
        return map_runs(jax.vmap(one, axes), axes, 0)(key, carry, t, f, violation, clock)
    carry, record = one(key, carry, t, f, violation, clock)
    return shard_carry(carry), record


@compiled(donate=("carry",))
def chunk(
    program: Program,
    key: Key[Array, "..."],
    carry: Carry,
    start: Int[Array, ""],
    count: Int[Array, ""],
    clocks: Clock,
    *,
    is_batched: bool,
    capacity: int,
) -> tuple[Carry, Record]:
    """Return the carry after ``count`` generations from ``start`` on, at most ``capacity``, and their records."""

    def one(key: Array, carry: Carry, t: Array, clock: Clock) -> tuple[Carry, Record]:
        carry, record = loop.generation(program, key, carry, t, clock)
        return carry if is_batched else shard_carry(carry), record

    def generations(key: Array, carry: Carry, start: Array, count: Array, clocks: Clock) -> tuple[Carry, Record]:
        each = jax.vmap(one, (0, 0, None, None)) if is_batched else one

        def step(i: Int[Array, ""], state: tuple[Carry, Record]) -> tuple[Carry, Record]:
            carry, records = state
            carry, new = each(key, carry, start + i, jax.tree.map(lambda times: times[i], clocks))
            return carry, jax.tree.map(lambda rows, row: rows.at[i].set(row), records, new)

        _, record = jax.eval_shape(each, key, carry, start, jax.tree.map(lambda times: times[0], clocks))
        records = jax.tree.map(lambda leaf: jnp.zeros((capacity, *leaf.shape), leaf.dtype), record)
        return lax.fori_loop(0, count, step, (carry, records))

    if is_batched:
        # The whole loop, not its body: so the devices do not wait for each other in every generation.
        generations = map_runs(generations, (0, 0, None, None, None), (0, 1))
    return generations(key, carry, start, count, clocks)


# Carries over devices


def shard_carry(carry: Carry) -> Carry:
    """Divide what has a row per individual over the devices of the current mesh, if there is one."""
    if current_mesh() is None:
        return carry
    return jax.tree.map(lax.with_sharding_constraint, carry, layout(carry, is_batched=False))


def layout(carry: Carry, *, is_batched: bool) -> Carry:
    """Return how a carry is divided over devices: by the rows of one run, or by runs."""

    def each(tree: Any, spec: PartitionSpec) -> Any:
        return jax.tree.map(lambda _: spec, tree)

    if is_batched:
        return each(carry, PartitionSpec(RUNS))
    state = each(carry.state, ROWS)._replace(extra=each(carry.state.extra, REPLICATED))
    return Carry(state, each(carry.archive, ROWS), each(carry.offspring, ROWS))


def place(program: Program, setting: Setting, carry: Carry, **start: Any) -> Carry:
    """Move a carry from the host to the devices of the setting; ``start`` are the arguments of ``begin``."""
    mesh = setting.mesh
    if mesh is None:
        return jax.tree.map(jnp.array, carry)
    shapes = begin.shapes(program, setting, **start)
    # Padding rows are empty places; padding runs repeat the last run.
    mode: Any = "edge" if setting.is_batched else "constant"

    def pad(leaf: Any, wanted: Any) -> Any:
        return np.pad(leaf, [(0, n - k) for n, k in zip(wanted.shape, leaf.shape, strict=True)], mode=mode)

    def put(leaf: np.ndarray, spec: PartitionSpec) -> Array:
        # Each device receives only its own part.
        return jax.make_array_from_callback(leaf.shape, NamedSharding(mesh, spec), lambda part: leaf[part])

    return jax.tree.map(put, jax.tree.map(pad, carry, shapes), layout(carry, is_batched=setting.is_batched))
