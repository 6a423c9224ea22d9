"""One generation of one run: pure functions, which ``compiled`` compiles and batches.

A generation evaluates, tells and then asks for the next offspring. So the first population needs no code of its own,
and a problem on the host is evaluated between two calls of compiled code; nothing calls back from inside it.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key, PRNGKeyArray

from tensorrvea.archive import empty_archive, insert
from tensorrvea.evolution import Clock, Evolution, State
from tensorrvea.population import Offspring, Population, evaluated
from tensorrvea.randomness import fold_in, split
from tensorrvea.rows import map_rows

HISTORIES = ("summary", "fronts", "populations")

Metrics = Mapping[str, Callable[[Array, Array], Array]]


class Carry(NamedTuple):
    """What goes from one generation to the next."""

    state: State
    archive: Population | tuple
    offspring: Offspring
    """Individuals to evaluate next."""
    known: Any = ()
    """What the problem has learnt in earlier generations, if it learns."""


class Record(NamedTuple):
    """What is recorded of a generation."""

    ideal: Float[Array, " m"]
    nadir: Float[Array, " m"]
    living: Int[Array, ""]
    feasible: Int[Array, ""]
    failed: Int[Array, ""]
    metrics: dict[str, Float[Array, ""]]
    population: Population | tuple
    """The survivors without their memory, if the history keeps them, else ()."""


class Program(NamedTuple):
    """What is run. The algorithm and the metrics are arguments of compiled code; the rest decides what is compiled."""

    problem: Any
    """A ``Problem``; only its ``Box`` in code that does not evaluate."""
    algorithm: Evolution
    metrics: Metrics
    history: str
    archive: int

    @property
    def places(self) -> int:
        """The largest number of survivors."""
        return self.algorithm.places(self.problem.objectives)


def begin(program: Program, key: PRNGKeyArray, x: Float[Array, "k d"] | None) -> Carry:
    """Return a state without survivors, and a first population to evaluate."""
    init_key, *_ = generation_keys(key, 0)
    state, offspring = program.algorithm.init(init_key, program.problem, x)
    problem = program.problem
    sizes = problem.objectives, problem.num_constraints
    archive = empty_archive(program.archive, offspring, *sizes) if program.archive else ()
    return Carry(state, archive, offspring, problem.initial_knowledge())


def evaluate(
    program: Program, key: PRNGKeyArray, x: Float[Array, "n d"], t: Int[Array, ""]
) -> tuple[Float[Array, "n m"], Float[Array, "n c"] | tuple]:
    """Return objectives of the rows of generation t, and constraint values; () if the problem has none."""
    _, evaluate_key, _ = generation_keys(key, t)
    problem = program.problem

    def values(x: Array, key: PRNGKeyArray) -> tuple:
        f, g = problem.evaluate(key, x)
        return f, g if problem.num_constraints else ()

    return map_rows(values, x, evaluate_key) if problem.rowwise else values(x, evaluate_key)


def tell(
    program: Program, key: PRNGKeyArray, carry: Carry, t: Int[Array, ""], f: Array, g: Any, clock: Clock
) -> tuple[Carry, Record]:
    """Select the survivors of generation t."""
    algorithm = program.algorithm
    _, _, select_key = generation_keys(key, t)
    offspring = evaluated(carry.offspring, f, g, algorithm.population)
    state = algorithm.survive(select_key, carry.state, offspring, clock)
    archive = carry.archive
    if isinstance(archive, Population):
        archive = insert(archive, offspring, program.archive, algorithm.population)
    return carry._replace(state=state, archive=archive), record(program, state.population, offspring)


def ask(program: Program, key: PRNGKeyArray, carry: Carry, t: Int[Array, ""]) -> Carry:
    """Replace the offspring by those of generation t."""
    ask_key, *_ = generation_keys(key, t)
    return carry._replace(offspring=program.algorithm.ask(ask_key, carry.state, program.problem))


def tell_and_ask(
    program: Program, key: PRNGKeyArray, carry: Carry, t: Int[Array, ""], f: Array, g: Any, clock: Clock
) -> tuple[Carry, Record]:
    """Select the survivors of generation t, and breed the offspring of the next."""
    carry, recorded = tell(program, key, carry, t, f, g, clock)
    return ask(program, key, carry, t + 1), recorded


def generation(
    program: Program, key: PRNGKeyArray, carry: Carry, t: Int[Array, ""], clock: Clock
) -> tuple[Carry, Record]:
    return tell_and_ask(program, key, carry, t, *evaluate(program, key, carry.offspring.x, t), clock)


def generation_keys(key: PRNGKeyArray, t: Int[Array, ""] | int) -> Key[Array, "3"]:
    """Return the keys of generation t: to breed, to evaluate and to select."""
    return split(fold_in(key, t), 3)


def record(program: Program, survivors: Population, offspring: Population) -> Record:
    alive, feasible = survivors.alive, survivors.feasible
    # Without a feasible individual the ranges are those of the living.
    counted = jnp.where(feasible.any(), feasible, alive)[:, None]
    return Record(
        ideal=jnp.where(counted, survivors.f, jnp.inf).min(axis=0),
        nadir=jnp.where(counted, survivors.f, -jnp.inf).max(axis=0),
        living=alive.sum(),
        feasible=feasible.sum(),
        failed=program.algorithm.population - offspring.alive.sum(),
        metrics={name: metric(survivors.f, feasible) for name, metric in program.metrics.items()},
        population=recorded_part(survivors, program.history),
    )


def recorded_part(survivors: Population, history: str) -> Population | tuple:
    """Return what the chosen history keeps of the survivors; X and the constraints only for populations."""
    if history == "summary":
        return ()
    without_memory = survivors._replace(memory=())
    return without_memory if history == "populations" else without_memory._replace(x=survivors.x[:, :0], g=())
