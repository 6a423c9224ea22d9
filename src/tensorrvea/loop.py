"""The generations: what is compiled, and what is recorded of it.

A chunk of generations is one compiled loop. Its length is a number like any other, so that a remainder does not
compile again, and its state is donated. A generation evaluates, tells and then asks for the next, so that the first
population needs no code of its own, and a problem on the host is evaluated between two such turns; nothing calls back
from inside compiled code. All functions take one run, or, with a batch of keys, many: then ``progress`` is still one
number, since a condition on a batch of them would run both its sides.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxtyping import Array, Float, Int, Key, PRNGKeyArray

from tensorrvea.algorithms.base import Algorithm
from tensorrvea.archive import empty_archive, insert
from tensorrvea.devices import REPLICATED, ROWS, RUNS, current_mesh, default_device, map_rows, map_runs, use_mesh
from tensorrvea.population import Offspring, Population, evaluated
from tensorrvea.problem import Problem

HISTORIES = ("summary", "fronts", "populations")

Metrics = Mapping[str, Callable[[Array, Array], Array]]


class Carry(NamedTuple):
    """What goes from one generation to the next."""

    state: Any
    archive: Any
    offspring: Offspring
    """Who is evaluated next."""


class Record(NamedTuple):
    """What is kept of a generation: small things, and the rest only if it was asked for."""

    ideal: Float[Array, " m"]
    nadir: Float[Array, " m"]
    living: Int[Array, ""]
    feasible: Int[Array, ""]
    failed: Int[Array, ""]
    metrics: dict[str, Float[Array, ""]]
    population: Population | tuple


class Program(NamedTuple):
    """What is run: static parts decide what is compiled, the others are its arguments."""

    problem: Problem
    algorithm: Algorithm
    metrics: Metrics
    history: str
    archive: int
    mesh: Mesh | None = None


def begin(program: Program, key: PRNGKeyArray, x: Array | None) -> Carry:
    """Nobody yet, and a first population to evaluate."""
    init_key, _ = generation_keys(key, 0)
    state, offspring = program.algorithm.init(init_key, program.problem, x)
    archive = (
        empty_archive(program.archive, Offspring(offspring.x), program.problem.objectives) if program.archive else ()
    )
    return divided_carry(Carry(state, archive, offspring))


def divided_carry(carry: Carry) -> Carry:
    """The same, with what has a row for each individual divided over the devices, if there are many."""
    if current_mesh() is None:
        return carry
    return jax.tree.map(lax.with_sharding_constraint, carry, layout(carry))


def layout(carry: Carry) -> Carry:
    """How a carry is divided over many devices: by the rows of one run, or by runs."""

    def every(tree: Any, spec: PartitionSpec) -> Any:
        return jax.tree.map(lambda _: spec, tree)

    if jnp.ndim(carry.state.score) > 1:
        runs = every(carry, PartitionSpec(RUNS))
        return runs._replace(state=runs.state._replace(progress=REPLICATED))
    rows = {"population": every(carry.state.population, ROWS), "score": ROWS}
    state = every(carry.state, REPLICATED)._replace(**rows)
    return Carry(state, every(carry.archive, ROWS), every(carry.offspring, ROWS))


def evaluate(program: Program, key: PRNGKeyArray, offspring: Offspring, t: Int[Array, ""]) -> tuple[Array, Array]:
    _, evaluate_key = generation_keys(key, t)
    problem = program.problem
    if not problem.rowwise:
        return problem.evaluate(evaluate_key, offspring.x)
    return map_rows(lambda x, key: problem.evaluate(key, x), offspring.x, evaluate_key)


def turn(
    program: Program,
    key: PRNGKeyArray,
    carry: Carry,
    t: Int[Array, ""],
    f: Array,
    violation: Array,
    progress: Float[Array, ""],
) -> tuple[Carry, Record]:
    """Tells how the offspring of generation t did, and asks for the next."""
    carry, new = tell(program, carry, f, violation, progress)
    return divided_carry(ask(program, key, carry, t + 1)), new


def tell(
    program: Program, carry: Carry, f: Array, violation: Array, progress: Float[Array, ""]
) -> tuple[Carry, Record]:
    """Who survives, given how the offspring did."""
    algorithm, offspring = program.algorithm, carry.offspring
    state = algorithm.tell(carry.state, offspring, f, violation, progress)
    newborn = evaluated(offspring, f, violation, algorithm.population)
    archive = insert(carry.archive, newborn._replace(memory=()), program.archive) if program.archive else ()
    return Carry(state, archive, offspring), record(program, state.population, newborn)


def ask(program: Program, key: PRNGKeyArray, carry: Carry, t: Int[Array, ""]) -> Carry:
    """The offspring of generation t, in the place of those before."""
    ask_key, _ = generation_keys(key, t)
    return carry._replace(offspring=program.algorithm.ask(ask_key, carry.state, program.problem))


def evaluation_shapes(program: Program, carry: Carry) -> dict[str, jax.ShapeDtypeStruct]:
    """What is told of the offspring of a carry, as shapes."""
    rows, dtype = carry.offspring.x.shape[:-1], carry.offspring.x.dtype
    f = jax.ShapeDtypeStruct((*rows, program.problem.objectives), dtype)
    return {"f": f, "violation": jax.ShapeDtypeStruct(rows, dtype)}


def generation(
    program: Program, key: PRNGKeyArray, carry: Carry, t: Int[Array, ""], progress: Float[Array, ""]
) -> tuple[Carry, Record]:
    return turn(program, key, carry, t, *evaluate(program, key, carry.offspring, t), progress)


def generation_keys(key: PRNGKeyArray, t: Int[Array, ""] | int) -> Key[Array, "2"]:
    """Generation t's own keys: to breed, and to evaluate."""
    return jax.random.split(jax.random.fold_in(key, t))


def evaluation_key(key: Key[Array, "..."], t: int) -> Key[Array, "..."]:
    """The key to evaluate generation t with; one for each run of a batch."""
    return jax.vmap(generation_keys, (0, None))(key, t)[:, 1] if many(key) else generation_keys(key, t)[1]


def record(program: Program, survivors: Population, newborn: Population) -> Record:
    counted = survivors.feasible
    everyone = survivors.alive
    # Without a feasible individual the ranges are those of the living.
    shown = jnp.where(counted.any(), counted, everyone)[:, None]
    return Record(
        ideal=jnp.where(shown, survivors.f, jnp.inf).min(axis=0),
        nadir=jnp.where(shown, survivors.f, -jnp.inf).max(axis=0),
        living=everyone.sum(),
        feasible=counted.sum(),
        failed=program.algorithm.population - newborn.alive.sum(),
        metrics={name: metric(survivors.f, counted) for name, metric in program.metrics.items()},
        population=kept(survivors, program.history),
    )


def kept(survivors: Population, history: str) -> Population | tuple:
    """What the chosen history keeps of the survivors; for fronts not X, which is the most of it."""
    if history == "summary":
        return ()
    slim = survivors._replace(memory=())
    return slim if history == "populations" else slim._replace(x=slim.x[:, :0])


# Batches of runs.


def batched(function: Callable, *, axes: tuple, carry_axes: Any) -> Callable:
    """``function`` over a batch of keys, where an axis "carry" stands for that of a carry.

    Runs are divided over the devices, if there are many: none has to wait for another.
    """

    def resolve(axis: Any) -> Any:
        return carry_axes if axis == "carry" else axis

    *inputs, outputs = axes
    ins = tuple(map(resolve, inputs))
    out = tuple(map(resolve, outputs)) if isinstance(outputs, tuple) else resolve(outputs)
    return map_runs(jax.vmap(function, in_axes=ins, out_axes=out), ins, out)


def axes_of(carry: Carry) -> Carry:
    """All of a carry is batched but the progress, which all runs share."""
    each = jax.tree.map(lambda _: 0, carry)
    return each._replace(state=each.state._replace(progress=None))


# What is compiled.


def many(key: Key[Array, "..."]) -> bool:
    return key.ndim == 1


def parts(program: Program) -> dict[str, Any]:
    """What compiled code is given; the mesh is in force around it."""
    return {name: part for name, part in program._asdict().items() if name != "mesh"}


class Compiled:
    """A function of a program, compiled once for each problem and each set of shapes."""

    def __init__(self, function: Callable, donate: tuple[str, ...]):
        def run(problem: Problem, history: str, archive: int, algorithm: Any, metrics: Any, **arguments: Any) -> Any:
            return function(Program(problem, algorithm, metrics, history, archive), **arguments)

        static = ("problem", "history", "archive", "capacity")
        self.run = jax.jit(run, static_argnames=static, donate_argnames=donate)
        self.prepared: set = set()

    def __call__(self, program: Program, **arguments: Any) -> Any:
        with use_mesh(program.mesh):
            return self.run(**parts(program), **arguments)

    def prepare(self, program: Program, **arguments: Any) -> None:
        """Compiles without running, so that a clock which is started next does not see it."""
        given = parts(program) | arguments
        leaves, structure = jax.tree.flatten(given, is_leaf=lambda leaf: isinstance(leaf, Problem))
        known = tuple((leaf.shape, leaf.dtype) if hasattr(leaf, "shape") else leaf for leaf in leaves)
        what = structure, known, program.mesh, default_device()
        if what not in self.prepared:
            with use_mesh(program.mesh):
                self.run.lower(**given).compile()
            self.prepared.add(what)

    def shapes(self, program: Program, **arguments: Any) -> Any:
        """What it would give, as shapes alone."""
        with use_mesh(program.mesh):
            return self.run.eval_shape(**parts(program), **arguments)

    def memory(self, program: Program, **arguments: Any) -> int:
        """Bytes on the device while it runs, its arguments included, as its compiler says."""
        with use_mesh(program.mesh):
            used: Any = self.run.lower(**parts(program), **arguments).compile().memory_analysis()
        return (
            used.argument_size_in_bytes + used.output_size_in_bytes + used.temp_size_in_bytes - used.alias_size_in_bytes
        )

    @property
    def compilations(self) -> int:
        return self.run._cache_size()  # type: ignore[attr-defined]


def compiled(*, donate: tuple[str, ...] = ()) -> Callable[[Callable], Compiled]:
    return lambda function: Compiled(function, donate)


def place(program: Program, carry: Carry, **start: Any) -> Carry:
    """A carry on the host, on the devices of the program; ``start`` is what the run was begun with."""
    mesh = program.mesh
    if mesh is None:
        return jax.tree.map(jnp.array, carry)
    like = begin_compiled.shapes(program, **start)

    # Rows that fill the devices are dead: zeros. Runs that do are as the last one is.
    mode: Any = "edge" if jnp.ndim(carry.state.score) > 1 else "constant"

    def fill(leaf: Any, wanted: Any) -> Any:
        if leaf.shape == wanted.shape:
            return leaf
        return np.pad(leaf, [(0, more - rows) for more, rows in zip(wanted.shape, leaf.shape, strict=True)], mode=mode)

    def put(leaf: np.ndarray, spec: PartitionSpec) -> Array:
        # No device is given more than its own part.
        return jax.make_array_from_callback(leaf.shape, NamedSharding(mesh, spec), lambda part: leaf[part])

    return jax.tree.map(put, jax.tree.map(fill, carry, like), layout(carry))


@compiled()
def begin_compiled(program: Program, key: Key[Array, "..."], x: Array | None) -> Carry:
    if not many(key):
        return begin(program, key, x)
    carry = map_runs(jax.vmap(lambda k, x: begin(program, k, x), (0, None)), (0, None), 0)(key, x)
    progress = jnp.zeros((), carry.state.progress.dtype)
    return carry._replace(state=carry.state._replace(progress=progress))


@compiled(donate=("carry",))
def tell_and_ask_compiled(
    program: Program,
    key: Key[Array, "..."],
    carry: Carry,
    t: Int[Array, ""],
    f: Array,
    violation: Array,
    progress: Float[Array, ""],
) -> tuple[Carry, Record]:
    one: Callable = partial(turn, program)
    if many(key):
        axes = (0, "carry", None, 0, 0, None, ("carry", 0))
        one = batched(one, axes=axes, carry_axes=axes_of(carry))
    return one(key, carry, t, f, violation, progress)


@compiled(donate=("carry",))
def chunk_compiled(
    program: Program,
    key: Key[Array, "..."],
    carry: Carry,
    start: Int[Array, ""],
    count: Int[Array, ""],
    progress: Float[Array, " capacity"],
    *,
    capacity: int,
) -> tuple[Carry, Record]:
    """``count`` generations from ``start`` on, of at most ``capacity``, and their records."""

    def generations(key: Array, carry: Carry, start: Array, count: Array, progress: Array) -> tuple[Carry, Record]:
        one: Callable = partial(generation, program)
        if many(key):
            one = batched(one, axes=(0, "carry", None, None, ("carry", 0)), carry_axes=axes_of(carry))

        def step(i: Int[Array, ""], loop: tuple[Carry, Record]) -> tuple[Carry, Record]:
            carry, records = loop
            carry, new = one(key, carry, start + i, progress[i])
            return carry, jax.tree.map(lambda rows, row: rows.at[i].set(row), records, new)

        _, like = jax.eval_shape(one, key, carry, start, progress[0])
        records = jax.tree.map(lambda leaf: jnp.zeros((capacity, *leaf.shape), leaf.dtype), like)
        return lax.fori_loop(0, count, step, (carry, records))

    if many(key):
        # All of the loop, and not what is in it: then devices do not wait for each other in every generation.
        axes = axes_of(carry)
        generations = map_runs(generations, (0, axes, None, None, None), (axes, 1))
    return generations(key, carry, start, count, progress)
