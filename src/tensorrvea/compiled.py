"""What is compiled: the first population, evaluation, a step of the search, and a chunk of generations.

A chunk is one compiled loop of a dynamic length, so that a remainder does not compile again. In a short run (see
``effort``), evaluation and steps of the search take turns instead. A step depends on a problem by its shape only, so
that all problems of one shape share it. What goes from one generation to the next is donated.

Each function takes one run or, for a batched setting, many: keys and carries then have a leading axis of runs. The
clock is never batched, since a condition on a batch computes both of its sides.
"""

import dataclasses
import math
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxtyping import Array, Int, Key

from tensorrvea import loop
from tensorrvea.devices import AXIS, REPLICATED, ROWS, RUNS, current_mesh, default_device, map_runs, use_mesh
from tensorrvea.domain import Box
from tensorrvea.effort import FULL, Effort
from tensorrvea.evolution import Clock
from tensorrvea.loop import Carry, Program, Record
from tensorrvea.platforms import on_accelerator, target_platform
from tensorrvea.program_store import compile_stored


class Setting(NamedTuple):
    """How a program is run: on which devices, whether as a batch of runs, and how much effort its compiler makes."""

    mesh: Mesh | None = None
    is_batched: bool = False
    effort: Effort = FULL
    swept: tuple[bool, ...] = ()
    """For a sweep: which leaves of the algorithm have a leading axis of runs."""


class Steps(NamedTuple):
    """What a step of the search changes."""

    carry: Carry
    records: Record
    """Records of the generations of a chunk, by their number in it."""
    t: Any
    """The number of the next generation in the run."""
    i: Any
    """Its number in the chunk."""


class Compiled:
    """A function of a program, a setting and arrays, compiled once for each set of shapes.

    Args:
      function: called as ``function(program, setting, *arguments)``.
      part: the part of a program that it depends on (see ``program_parts``).
      donate: the number of the argument that is overwritten, if any.
    """

    def __init__(self, function: Callable, part: str, donate: int | None = None):
        self.function, self.part, self.donate = function, part, donate
        self.executables: dict[Hashable, Any] = {}

    def prepare(self, program: Program, setting: Setting, *arguments: Any) -> partial[Any]:
        """Return the compiled function of arguments like these, which may be arrays or their shapes."""
        static, leaves, structure = flatten_program(program, self.part)
        if setting.mesh is None:
            leaves = jax.device_put(leaves)  # once, and not with every call
        device = default_device()
        shapes = tuple((leaf.shape, leaf.dtype) for leaf in leaves)
        known = jax.tree.map(_shape, arguments, is_leaf=lambda leaf: isinstance(leaf, jax.ShapeDtypeStruct))
        platform = target_platform()
        signature = static, structure, shapes, str(known), setting, device, platform
        if signature not in self.executables:
            described = describe(self.function.__name__, static, structure, (shapes, str(known)), setting)
            lower = partial(self.lower, program, setting, *arguments)
            if setting.mesh is None:
                self.executables[signature] = compile_stored(lower, device, repr((setting.effort, platform)), described)
            else:
                self.executables[signature] = lower().compile()
        return partial(self.executables[signature], leaves)

    def __call__(self, program: Program, setting: Setting, *arguments: Any) -> Any:
        return self.prepare(program, setting, *arguments)(*arguments)

    def lower(self, program: Program, setting: Setting, *arguments: Any) -> Any:
        static, leaves, structure = flatten_program(program, self.part)

        def run(leaves: list, *arguments: Any) -> Any:
            return self.function(join_parts(static, jax.tree.unflatten(structure, leaves)), setting, *arguments)

        run.__name__ = self.function.__name__
        jitted = jax.jit(
            run,
            keep_unused=True,  # so that the text of a program, by which it is stored, tells which argument is which
            donate_argnums=() if self.donate is None else self.donate + 1,
            compiler_options=setting.effort.compiler_options(target_platform()),
        )
        with use_mesh(setting.mesh):
            return jitted.lower(leaves, *arguments)

    def shapes(self, program: Program, setting: Setting, *arguments: Any) -> Any:
        """Return the shapes of its result without compiling or computing anything."""
        with use_mesh(setting.mesh):
            return jax.eval_shape(partial(self.function, program, setting), *arguments)

    def memory(self, program: Program, setting: Setting, *arguments: Any) -> int:
        """Return the bytes on the device while it runs, its arguments included, as reported by the compiler."""
        return memory_of(self.prepare(program, setting, *arguments).func)


def memory_of(executable: Any) -> int:
    """Return the bytes that a compiled function needs on the device, its arguments included."""
    used = executable.memory_analysis()
    return used.argument_size_in_bytes + used.output_size_in_bytes + used.temp_size_in_bytes - used.alias_size_in_bytes


def compiled(part: str, *, donate: int | None = None) -> Callable[[Callable], Compiled]:
    return lambda function: Compiled(function, part, donate)


def program_parts(program: Program, part: str) -> tuple[tuple, tuple]:
    """Return what decides the code, and what is an argument of it, of a part of a program.

    The part is ``"all"``; ``"problem"``, which evaluates; or ``"search"``, which knows only the domain of the problem.
    """
    if part == "problem":
        return (program.problem, "", 0), (None, None, None)
    domain = program.problem.domain if part == "search" else None
    static = (None if domain else program.problem, program.history, program.archive)
    return static, (domain, program.algorithm, program.metrics)


def flatten_program(program: Program, part: str) -> tuple[tuple, list, Any]:
    """Return what decides the code, and the arguments as arrays with their structure."""
    static, dynamic = program_parts(program, part)
    leaves, structure = jax.tree.flatten(dynamic)
    floating = jnp.result_type(float)  # of Python's floats, which most settings are; asked once, since it takes long

    def to_array(leaf: Any) -> Any:
        if isinstance(leaf, jax.Array):
            return leaf
        return np.asarray(leaf, floating if type(leaf) is float else jnp.result_type(leaf))

    return static, [to_array(leaf) for leaf in leaves], structure


def join_parts(static: tuple, dynamic: tuple) -> Program:
    problem, history, archive = static
    domain, algorithm, metrics = dynamic
    return Program(problem if domain is None else domain, algorithm, metrics, history, archive)


def describe(name: str, static: tuple, structure: Any, shapes: Any, setting: Setting) -> str | None:
    """Return a text that identifies a program whose code is all in this library; None for one with other code."""
    problem, history, archive = static
    domain, algorithm, metrics = jax.tree.unflatten(structure, [None] * structure.num_leaves)
    if problem is not None or metrics or not isinstance(domain, Box) or domain.sampler is not None:
        return None
    if not is_own(algorithm):
        return None
    return repr((name, history, archive, str(structure), shapes, setting))


def is_own(part: Any) -> bool:
    """Return whether an algorithm or operator, and all parts of it, are classes of this library."""
    if not dataclasses.is_dataclass(part):
        return True
    in_library = type(part).__module__.startswith(f"{__package__}.")
    return in_library and all(is_own(getattr(part, field.name)) for field in dataclasses.fields(part))


def _shape(leaf: Any) -> Any:
    if not isinstance(leaf, jax.Array | jax.ShapeDtypeStruct):
        return np.shape(leaf), jnp.result_type(leaf), None
    return leaf.shape, leaf.dtype, leaf.sharding if isinstance(leaf.sharding, NamedSharding) else None


@compiled("search")
def begin(program: Program, setting: Setting, key: Key[Array, "..."], x: Array | None) -> Carry:
    if not setting.is_batched:
        return shard_carry(loop.begin(program, key, x))
    return map_runs(over_runs(loop.begin, program, setting, (0, None)), (0, None), 0)(key, x)


@compiled("problem")
def evaluate(
    program: Program, setting: Setting, key: Key[Array, "..."], x: Array, t: Int[Array, ""]
) -> tuple[Array, Any]:
    """Return objectives and constraint values (() if there are none) of the rows of generation t."""
    one: Callable = partial(loop.evaluate, program)
    if setting.is_batched:
        return map_runs(jax.vmap(one, (0, 0, None)), (0, 0, None), 0)(key, x, t)
    return jax.tree.map(shard_rows, one(key, x, t))


@compiled("search", donate=1)
def step(
    program: Program, setting: Setting, key: Key[Array, "..."], steps: Steps, f: Array, g: Any, clocks: Clock
) -> Steps:
    """Select the survivors of a generation, breed the next, and add to the records."""
    carry, records, t, i = steps
    one: Callable = partial(loop.tell_and_ask, program)
    if setting.is_batched:
        axes = (0, 0, None, 0, 0, None)
        one = map_runs(over_runs(loop.tell_and_ask, program, setting, axes), axes, 0)
    carry, record = one(key, carry, t, f, g, clock_at(clocks, i))
    return shard_steps(Steps(carry, add_record(records, i, record), t + 1, i + 1), setting)


@compiled("all", donate=1)
def chunk(
    program: Program,
    setting: Setting,
    key: Key[Array, "..."],
    carry: Carry,
    start: Int[Array, ""],
    count: Int[Array, ""],
    clocks: Clock,
) -> tuple[Carry, Record]:
    """Return the carry after ``count`` generations from ``start`` on, at most as many as clocks, and their records."""
    is_batched = setting.is_batched

    def one(key: Array, carry: Carry, t: Array, clock: Clock) -> tuple[Carry, Record]:
        carry, record = loop.generation(program, key, carry, t, clock)
        return shard_carry(carry), record

    def generations(key: Array, carry: Carry, start: Array, count: Array, clocks: Clock) -> tuple[Carry, Record]:
        each = over_runs(loop.generation, program, setting, (0, 0, None, None)) if is_batched else one

        shapes = record_shapes(program, setting, carry, len(clocks.progress))
        pack, unpack = packing(shapes) if on_accelerator() else (lambda record: record,) * 2

        def run_one(i: Int[Array, ""], state: tuple[Carry, Any]) -> tuple[Carry, Any]:
            carry, records = state
            carry, new = each(key, carry, start + i, clock_at(clocks, i))
            return carry, add_record(records, i, pack(new))

        records = jax.vmap(pack)(jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), shapes))
        carry, records = lax.fori_loop(0, count, run_one, (carry, records))
        return carry, unpack(records)

    if is_batched:
        # The whole loop, not its body: so the devices do not wait for each other in every generation.
        generations = map_runs(generations, (0, 0, None, None, None), (0, 1))
    return generations(key, carry, start, count, clocks)


def over_runs(function: Callable, program: Program, setting: Setting, axes: tuple) -> Callable:
    """Map a function of a program over the runs of a batch; in a sweep, each has its own settings of the algorithm."""
    if not setting.swept:
        return jax.vmap(partial(function, program), axes)
    leaves, structure = jax.tree.flatten(program.algorithm)

    def one(own: list, *arguments: Any) -> Any:
        values = iter(own)
        chosen = [next(values) if swept else leaf for leaf, swept in zip(leaves, setting.swept, strict=True)]
        return function(program._replace(algorithm=jax.tree.unflatten(structure, chosen)), *arguments)

    own = [leaf for leaf, swept in zip(leaves, setting.swept, strict=True) if swept]
    return partial(jax.vmap(one, (0, *axes)), own)


# Records of a chunk


def record_shapes(program: Program, setting: Setting, carry: Carry, capacity: int) -> Record:
    """Return the shapes of the records of ``capacity`` generations; the carry may be of shapes alone."""
    record: Callable = partial(loop.record, program)
    shapes = jax.eval_shape(jax.vmap(record) if setting.is_batched else record, *[carry.state.population] * 2)
    return jax.tree.map(lambda leaf: jax.ShapeDtypeStruct((capacity, *leaf.shape), leaf.dtype), shapes)


def packing(shapes: Record) -> tuple[Callable[[Record], Any], Callable[[Any], Record]]:
    """Return functions that pack a record into an array for each type of its numbers, and unpack all records.

    An accelerator needs a kernel for each array that a record is written to. Populations are not packed.
    """
    leaves, structure = jax.tree.flatten(shapes._replace(population=()))
    kinds = sorted({str(leaf.dtype) for leaf in leaves})

    def pack(record: Record) -> Any:
        numbers = jax.tree.leaves(record._replace(population=()))
        arrays = {kind: [jnp.ravel(leaf) for leaf in numbers if str(leaf.dtype) == kind] for kind in kinds}
        return jax.tree.map(jnp.concatenate, arrays, is_leaf=lambda leaf: isinstance(leaf, list)), record.population

    def unpack(packed: Any) -> Record:
        arrays, populations = packed
        start = dict.fromkeys(kinds, 0)
        numbers = []
        for leaf in leaves:
            kind, size = str(leaf.dtype), math.prod(leaf.shape[1:])
            numbers.append(arrays[kind][:, start[kind] : start[kind] + size].reshape(leaf.shape))
            start[kind] += size
        return jax.tree.unflatten(structure, numbers)._replace(population=populations)

    return pack, unpack


def add_record(records: Any, i: Int[Array, ""], record: Any) -> Any:
    return jax.tree.map(lambda rows, row: lax.dynamic_update_index_in_dim(rows, row, i, 0), records, record)


def clock_at(clocks: Clock, i: Int[Array, ""]) -> Clock:
    return jax.tree.map(lambda times: lax.dynamic_index_in_dim(times, i, keepdims=False), clocks)


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
    shared = {name: each(getattr(carry.state, name), REPLICATED) for name in ("extra", "limits")}
    state = each(carry.state, ROWS)._replace(**shared)
    known = each(carry.known, REPLICATED)
    return Carry(state, each(carry.archive, ROWS), each(carry.offspring, ROWS), known)


def shard_rows(rows: Array) -> Array:
    return rows if current_mesh() is None else lax.with_sharding_constraint(rows, ROWS)


def shard_steps(steps: Steps, setting: Setting) -> Steps:
    """Divide what a step changes over the devices of the setting, always in the same way."""
    if setting.mesh is None:
        return steps
    return jax.tree.map(lax.with_sharding_constraint, steps, steps_layout(steps, setting))


def steps_layout(steps: Steps, setting: Setting) -> Steps:
    """Return how what a step changes is divided over devices."""
    axis = RUNS if setting.is_batched else AXIS

    def each(tree: Any, spec: PartitionSpec) -> Any:
        # XLA does not divide what is empty.
        return jax.tree.map(lambda leaf: spec if leaf.size else REPLICATED, tree)

    by_generation = PartitionSpec(None, axis)
    records = each(steps.records, by_generation if setting.is_batched else REPLICATED)
    records = records._replace(population=each(steps.records.population, by_generation))
    return Steps(layout(steps.carry, is_batched=setting.is_batched), records, REPLICATED, REPLICATED)


def start_steps(setting: Setting, carry: Carry, records: Record, t: int) -> Steps:
    """Return the first step of a chunk; ``records`` may be of shapes alone, for which zeros are made."""
    if isinstance(records.living, jax.ShapeDtypeStruct):
        records = jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), records)
    steps = Steps(carry, records, np.int32(t), np.int32(0))
    if setting.mesh is None:
        return jax.device_put(steps)
    mesh = setting.mesh
    return jax.tree.map(
        lambda leaf, spec: leaf if isinstance(leaf, jax.Array) else put(mesh, leaf, spec),
        steps,
        steps_layout(steps, setting),
    )


def put(mesh: Mesh, leaf: Any, spec: PartitionSpec) -> Array:
    """Move an array from the host to devices, each of which receives only its own part."""
    return jax.make_array_from_callback(np.shape(leaf), NamedSharding(mesh, spec), lambda part: leaf[part])


def place(program: Program, setting: Setting, carry: Carry, *start: Any) -> Carry:
    """Move a carry from the host to the devices of the setting; ``start`` are the arguments of ``begin``."""
    mesh = setting.mesh
    if mesh is None:
        return jax.tree.map(jnp.array, carry)
    shapes = begin.shapes(program, setting, *start)
    # Padding rows are empty places; padding runs repeat the last run.
    mode: Any = "edge" if setting.is_batched else "constant"

    def pad(leaf: Any, wanted: Any) -> Any:
        return np.pad(leaf, [(0, n - k) for n, k in zip(wanted.shape, leaf.shape, strict=True)], mode=mode)

    padded = jax.tree.map(pad, carry, shapes)
    return jax.tree.map(partial(put, mesh), padded, layout(carry, is_batched=setting.is_batched))
