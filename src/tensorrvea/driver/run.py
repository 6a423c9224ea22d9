"""The arguments of a run, checked before anything is compiled."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key, UInt32
from numpy.typing import ArrayLike

from tensorrvea.checks import MOST_ROWS, as_tuple, check_array, check_choice, check_integer, check_settings, shown
from tensorrvea.compiled import Setting
from tensorrvea.devices import AXIS, RUNS, Devices, make_mesh, padded_size, use_mesh
from tensorrvea.driver.schedule import Budget
from tensorrvea.effort import EFFORTS, choose_effort
from tensorrvea.evolution import Evolution, check_algorithm
from tensorrvea.loop import HISTORIES, Program
from tensorrvea.problem import Problem
from tensorrvea.result import Result
from tensorrvea.stop import StopCriterion

Callback = Callable[[Result], Any]


def make_keys(seeds: UInt32[np.ndarray, "..."]) -> Key[Array, "..."]:
    """Return ``jax.random.key`` of each seed, if possible without compiling anything."""
    if jax.config.values["jax_default_prng_impl"] == "threefry2x32":
        words = jax.device_put(np.stack([np.zeros_like(seeds), seeds], axis=-1))
        return jax.random.wrap_key_data(words, impl="threefry2x32")
    return jnp.vectorize(jax.random.key)(seeds)


@dataclass
class Run:
    """What a run, or a batch of runs, consists of; see ``tensorrvea.optimize`` for the arguments."""

    problem: Problem
    algorithm: Evolution
    seeds: Sequence[int]
    is_batched: bool
    budget: Budget
    x: ArrayLike | None = None
    history: str = "summary"
    archive: int = 0
    metrics: Mapping[str, Callable] | None = None
    callbacks: Callback | Sequence[Callback] = ()
    stop: Callback | Sequence[Callback] = ()
    every: int = 10
    devices: Devices = None
    effort: str | None = None
    algorithms: Sequence[Evolution] | None = None
    """For a sweep: the algorithm of each run of the batch, which differ from ``algorithm`` in numbers only."""

    program: Program = field(init=False)
    setting: Setting = field(init=False)
    key: Array = field(init=False)
    """The key of the run; one per run of a batch, padded to fill the devices."""
    start_x: Array | None = field(default=None, init=False)
    """``x`` in the search space."""
    callback_functions: tuple[Callback, ...] = field(init=False)
    stop_functions: tuple[Callback, ...] = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.problem, Problem):
            raise TypeError(f"problem takes a Problem, got {shown(self.problem)}")
        check_algorithm(self.algorithm)
        check_choice("history", self.history, HISTORIES)
        self.archive = check_integer("archive", self.archive, minimum=0, maximum=MOST_ROWS)
        self.every = check_integer("every", self.every, minimum=1)
        if not self.seeds:
            raise ValueError("seeds must hold at least one seed, got none")
        for seed in self.seeds:
            if check_integer("seed", seed, minimum=0) >= 2**32:
                raise ValueError(f"seed must be below 2**32, got {seed}")
        self.callback_functions = _check_functions("callbacks", self.callbacks)
        self.stop_functions = _check_functions("stop", self.stop)
        if not isinstance(self.metrics, Mapping | None):
            raise TypeError(f"metrics takes functions by name, got {shown(self.metrics)}")
        metrics = {name: _as_argument(name, metric) for name, metric in (self.metrics or {}).items()}
        for function in self.stop_functions:
            if isinstance(function, StopCriterion):
                function.check(self.problem, metrics)
        mesh = make_mesh(self.devices, RUNS if self.is_batched else AXIS)
        if self.effort is None:
            effort = choose_effort(
                population=self.algorithm.population, variables=self.problem.variables,
                generations=self.budget.last, runs=len(self.seeds),
            )  # fmt: skip
        else:
            effort = EFFORTS[check_choice("effort", self.effort, tuple(EFFORTS))]
        bound = self.algorithm.bind(self.problem)
        swept: tuple[bool, ...] = ()
        check_settings("algorithm", bound, self.problem.variables)
        if self.algorithms is not None:
            each = [algorithm.bind(self.problem) for algorithm in self.algorithms]
            for one in each:
                check_settings("algorithm", one, self.problem.variables)
            bound, swept = stack_settings(each)
        self.setting = Setting(mesh, self.is_batched, effort, swept)
        self.program = Program(self.problem, bound, metrics, self.history, self.archive)
        with use_mesh(mesh):
            _check_metrics(self.program, padded_size(self.program.places))
        if self.x is not None:
            self.start_x = _check_start(self.x, self.problem, self.algorithm.population)
        # Every device has the same number of runs: the last seed is repeated.
        spare = -len(self.seeds) % mesh.size if self.is_batched and mesh is not None else 0
        seeds = np.array([*self.seeds, *[self.seeds[-1]] * spare], np.uint32)
        self.key = make_keys(seeds if self.is_batched else seeds[0])

    @property
    def places(self) -> int:
        """The largest number of survivors."""
        return self.program.places

    def without_padding(self, tree: Any, *, axis: int = 0) -> Any:
        """Cut off the runs of a batch that only fill the devices; ``axis`` is that of the runs."""
        cut = (slice(None),) * axis + (slice(len(self.seeds)),)
        return jax.tree.map(lambda leaf: leaf[cut], tree) if self.is_batched else tree


def stack_settings(algorithms: Sequence[Evolution]) -> tuple[Evolution, tuple[bool, ...]]:
    """Return an algorithm whose leaves that differ have a leading axis of algorithms, and which leaves these are."""
    structures = {jax.tree.structure(algorithm) for algorithm in algorithms}
    if len(structures) > 1:
        raise ValueError("the algorithms of a sweep must differ in numbers only, and not in what decides the code")
    columns = list(zip(*(jax.tree.leaves(algorithm) for algorithm in algorithms), strict=True))
    swept = tuple(not all(np.array_equal(leaf, column[0]) for leaf in column) for column in columns)
    leaves = [np.stack(column) if differs else column[0] for column, differs in zip(columns, swept, strict=True)]
    return jax.tree.unflatten(structures.pop(), leaves), swept


def _check_functions(name: str, given: Callback | Sequence[Callback]) -> tuple[Callback, ...]:
    is_none = isinstance(given, tuple | list) and not given
    functions = () if is_none else as_tuple(given) or (given,)
    for function in functions:
        if not callable(function) or isinstance(function, type):
            raise TypeError(f"{name} takes functions of a Result, got {shown(function)}")
    return functions


def _as_argument(name: str, metric: Callable) -> Callable:
    """Return a metric whose settings are arguments of compiled code: other reference points do not compile again."""
    if not callable(metric) or not isinstance(name, str):
        raise TypeError(f"metrics takes functions by name, got {metric!r} for {name!r}")
    if isinstance(metric, partial):
        return jax.tree_util.Partial(metric.func, *metric.args, **metric.keywords)
    return metric if isinstance(metric, jax.tree_util.Partial) else jax.tree_util.Partial(metric)


def _check_metrics(program: Program, rows: int) -> None:
    """Trace each metric, without compiling it, to see that it returns one number."""
    m = program.problem.objectives
    f, alive = jax.ShapeDtypeStruct((rows, m), jnp.result_type(float)), jax.ShapeDtypeStruct((rows,), bool)
    takes = "takes objectives (n, m) and which of them count (n,), and gives a number, as in tensorrvea.metrics.device"
    for name, metric in program.metrics.items():
        try:
            given = jax.eval_shape(lambda metric, f, alive: metric(f, alive), metric, f, alive)
        except Exception as error:  # a function of the user may raise anything
            raise TypeError(f"metrics[{name!r}] {takes}; it could not be traced with m = {m}: {error}") from error
        if not isinstance(given, jax.ShapeDtypeStruct) or given.shape != ():
            shape = given.shape if isinstance(given, jax.ShapeDtypeStruct) else given
            raise ValueError(f"metrics[{name!r}] {takes}; it gives {shape!s:.80}")


def _check_start(x: ArrayLike, problem: Problem, population: int) -> Array:
    """Return the individuals to start from in the search space."""
    rows = check_array("x", x, shape="(individuals, variables)", ndim=2)
    if rows.shape[1] != problem.variables:
        raise ValueError(f"x must have {problem.variables} columns, one per variable, got {rows.shape[1]}")
    if not 1 <= len(rows) <= population:
        raise ValueError(f"x must have 1 to {population} rows, as the population has, got {len(rows)}")
    outside = (rows < problem.lower) | (rows > problem.upper)
    if outside.any():
        i, j = (int(k) for k in np.argwhere(outside)[0])
        raise ValueError(
            f"x must be within the bounds, got x[{i}, {j}] = {rows[i, j]} outside "
            f"[{problem.lower[j]}, {problem.upper[j]}]"
        )
    fractional = np.array(problem.integer) & (rows != np.floor(rows))
    if fractional.any():
        i, j = (int(k) for k in np.argwhere(fractional)[0])
        raise ValueError(f"x must be whole where variables are integers, got x[{i}, {j}] = {rows[i, j]}")
    encoded = jnp.clip(problem.encode(jnp.asarray(rows, jnp.result_type(float))), *problem.box)
    if any(problem.integer):
        shown = problem.show(encoded)
        changed = np.array(problem.integer) & (shown != rows)
        if changed.any():
            i, j = (int(k) for k in np.argwhere(changed)[0])
            raise ValueError(
                f"x must be what {encoded.dtype} can hold, got x[{i}, {j}] = {rows[i, j]}, which would become "
                f"{shown[i, j]}; set jax_enable_x64"
            )
    return encoded
