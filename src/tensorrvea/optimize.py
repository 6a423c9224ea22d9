"""``optimize`` and ``replicate``: the host's side of the loop.

Between chunks of compiled generations is where budgets, progress bars, callbacks and Ctrl-C live.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array
from numpy.typing import ArrayLike
from tqdm import tqdm

from tensorrvea import loop
from tensorrvea.algorithms.base import Algorithm
from tensorrvea.checks import check_array, check_choice, check_integer, check_number, check_part, check_settings
from tensorrvea.devices import AXIS, RUNS, Devices, make_mesh, padded_size, use_mesh
from tensorrvea.history import Recorder, individuals
from tensorrvea.loop import HISTORIES, Carry, Compiled, Program
from tensorrvea.problem import Problem
from tensorrvea.processes import broadcast_from_primary, detect_lost_peers, fetch, is_primary, on_primary_process
from tensorrvea.result import Result

# A chunk ends about this often, for the bar to move and Ctrl-C to work, and has at most this many generations
# and bytes of records.
CHUNK_SECONDS = 0.25
CHUNK_GENERATIONS = 128
CHUNK_BYTES = 2**26

Callback = Callable[[Result], Any]

make_key, make_keys = jax.jit(jax.random.key), jax.jit(jax.vmap(jax.random.key))


def optimize(
    problem: Problem,
    algorithm: Algorithm,
    *,
    generations: int | None = None,
    evaluations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    x: ArrayLike | None = None,
    history: str = "summary",
    archive: int = 0,
    metrics: Mapping[str, Callable] | None = None,
    callbacks: Callback | Sequence[Callback] = (),
    stop: Callback | Sequence[Callback] = (),
    every: int = 10,
    progress: bool = False,
    directory: str | Path | None = None,
    checkpoint_seconds: float = 30.0,
    devices: Devices = None,
) -> Result:
    """Searches for the front of ``problem`` and gives what was found.

    Args:
      generations, evaluations, seconds: the budget; give one of them. The first population is generation 0, so that g
        generations cost ``population · (g + 1)`` evaluations. Seconds leave out compilation.
      seed: the same seed gives the same result, bit for bit.
      x: individuals to start from, (k, d), the best first: where there are fewer reference vectors than individuals,
        the last find no place. The rest of the first population is sampled.
      history: what is recorded of each generation: ``"summary"``, also its ``"fronts"``, or also its ``"populations"``.
      archive: keeps up to this many of the best non-dominated solutions ever found; 0 for none.
      metrics: functions of the survivors' objectives (all minimised) and of which of them count, recorded each
        generation on the device; see ``tensorrvea.metrics.device``.
      callbacks, stop: functions of the ``Result`` so far, called every ``every`` generations. A true answer of one in
        ``stop`` ends the run, and so does ``True`` from a callback.
      progress: whether to show a progress bar.
      directory: where the run is kept: called again, it goes on where it was stopped (see ``docs/runs.md``).
      checkpoint_seconds: from one checkpoint to the next.
      devices: the number of devices to divide the rows over, a list of them, or ``"cores"`` for all of a CPU's; one
        if not given, and all after ``distributed``. The result is the same, bit for bit (see ``docs/scale.md``).
    """
    population = population_of(algorithm)
    budget = Budget(population=population, generations=generations, evaluations=evaluations, seconds=seconds)
    search = Search(
        problem, algorithm, seeds=[seed], batch=False, budget=budget, x=x, history=history, archive=archive,
        metrics=metrics, callbacks=callbacks, stop=stop, every=every, devices=devices,
    )  # fmt: skip
    search.run_in(directory, checkpoint_seconds, progress)
    return search.results()[0]


def replicate(
    problem: Problem,
    algorithm: Algorithm,
    *,
    seeds: Iterable[int],
    generations: int | None = None,
    evaluations: int | None = None,
    seconds: float | None = None,
    x: ArrayLike | None = None,
    history: str = "summary",
    archive: int = 0,
    metrics: Mapping[str, Callable] | None = None,
    progress: bool = False,
    directory: str | Path | None = None,
    checkpoint_seconds: float = 30.0,
    devices: Devices = None,
) -> list[Result]:
    """Independent runs as one compiled program: seed k starts and draws as ``optimize(seed=k)`` does.

    The arguments are those of ``optimize``, but for callbacks and stops: all runs end together. ``devices`` are what
    the runs are divided over.
    """
    if not isinstance(seeds, Iterable):
        raise TypeError(f"seeds takes whole numbers, one a run, got {seeds!r}")
    population = population_of(algorithm)
    budget = Budget(population=population, generations=generations, evaluations=evaluations, seconds=seconds)
    search = Search(
        problem, algorithm, seeds=list(seeds), batch=True, budget=budget, x=x, history=history, archive=archive,
        metrics=metrics, devices=devices,
    )  # fmt: skip
    search.run_in(directory, checkpoint_seconds, progress)
    return search.results()


@dataclass(frozen=True, kw_only=True)
class Budget:
    """How long to search: a number of generations, or of seconds."""

    population: int
    generations: int | None = None
    evaluations: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        given = [name for name in ("generations", "evaluations", "seconds") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"give one of generations, evaluations and seconds as the budget, got {given or 'none'}")
        if self.generations is not None:
            object.__setattr__(self, "generations", check_integer("generations", self.generations, minimum=1))
        if self.evaluations is not None:
            least, why = 2 * self.population, f"two generations of {self.population}"
            spent = check_integer("evaluations", self.evaluations, minimum=least, why=why)
            object.__setattr__(self, "evaluations", spent)
        if self.seconds is not None:
            check_number("seconds", self.seconds, minimum=0.0, open_minimum=True, scalar=True)

    @property
    def last(self) -> int | None:
        """t_max, the last generation; None if the clock decides."""
        if self.evaluations is not None:
            return self.evaluations // self.population - 1
        return self.generations


@dataclass
class Search:
    """A run, or a batch of runs, on its way: what is on the device, what was recorded, and how far it got."""

    problem: Problem
    algorithm: Algorithm
    seeds: Sequence[int]
    batch: bool
    budget: Budget
    x: ArrayLike | None = None
    history: str = "summary"
    archive: int = 0
    metrics: Mapping[str, Callable] | None = None
    callbacks: Callback | Sequence[Callback] = ()
    stop: Callback | Sequence[Callback] = ()
    every: int = 10
    devices: Devices = None

    generation: int = field(default=-1, init=False)
    stopped: str = field(default="", init=False)
    carry: Carry | None = field(default=None, init=False)
    recorder: Recorder = field(default_factory=Recorder, init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.problem, Problem):
            raise TypeError(f"problem takes a Problem, got {self.problem!r:.80}")
        check_choice("history", self.history, HISTORIES)
        self.archive = check_integer("archive", self.archive, minimum=0)
        self.every = check_integer("every", self.every, minimum=1)
        if not self.seeds:
            raise ValueError("seeds must hold at least one, got none")
        for seed in self.seeds:
            if check_integer("seed", seed, minimum=0) >= 2**32:
                raise ValueError(f"seed must be below 2**32, got {seed}")
        self.callbacks = _functions("callbacks", self.callbacks)
        self.stop = _functions("stop", self.stop)
        if not isinstance(self.metrics, Mapping | None):
            raise TypeError(f"metrics takes functions by name, got {self.metrics!r:.80}")
        metrics = {name: _as_argument(name, metric) for name, metric in (self.metrics or {}).items()}
        for function in self.stop:
            getattr(function, "check", lambda *_: None)(self.problem, metrics)
        mesh = make_mesh(self.devices, RUNS if self.batch else AXIS)
        sized = getattr(self.algorithm, "sized", None)
        algorithm = sized(self.problem) if sized else self.algorithm
        check_settings("algorithm", algorithm, self.problem.variables)
        self.program = Program(self.problem, algorithm, metrics, self.history, self.archive, mesh)
        _check_metrics(self.program)
        self.start_x = None if self.x is None else _check_start(self.x, self.problem, self.algorithm.population)
        # As many runs on each device: the last seed may be there more than once.
        spare = -len(self.seeds) % mesh.size if self.batch and mesh is not None else 0
        seeds = np.array([*self.seeds, *[self.seeds[-1]] * spare], np.uint32)
        self.key = make_keys(seeds) if self.batch else make_key(seeds[0])

    # One after another.

    def run(self, progress: bool = False, between: Callable[[], None] = lambda: None) -> None:
        """Goes on until the budget is spent or somebody stops it; ``between`` is called after every chunk."""
        with Bar(self, shown=progress and is_primary()) as bar, self.workers(), detect_lost_peers():
            if self.carry is None:
                self.carry = loop.begin_compiled(self.program, key=self.key, x=self.start_x)
                if not self.problem.host:
                    self.compile()
            while not self.stopped:
                self.advance()
                bar.update()
                between()

    @contextmanager
    def workers(self) -> Iterator[None]:
        """Whoever evaluates for a problem on the host stays for the next run, but does not outlive one that broke."""
        try:
            yield
        except BaseException:
            getattr(self.problem, "close", lambda: None)()
            raise

    def run_in(self, directory: str | Path | None, checkpoint_seconds: float, progress: bool) -> None:
        """As ``run``, from and into a directory if one is given."""
        if directory is None:
            self.run(progress)
        else:
            # What is on disk is a layer above: only who asks for it gets there.
            from tensorrvea.runs.keep import keep_run

            keep_run(self, directory, every=checkpoint_seconds, progress=progress)

    def compile(self) -> None:
        """What a generation calls, before the clock is started."""
        compiled, arguments = self.to_compile()
        compiled.prepare(self.program, **arguments)

    def to_compile(self) -> tuple[Compiled, dict[str, Any]]:
        """What a generation calls, with arguments of the right shapes."""
        if not self.problem.host:
            return loop.chunk_compiled, self.chunk_arguments(0, [])
        told = loop.evaluation_shapes(self.program, self.carry)  # type: ignore[arg-type]
        return loop.tell_and_ask_compiled, self.turn_arguments(**told, progress=0.0)

    def fetch(self, records: Any) -> Any:
        """Records, generations first, on the host, and without the runs and rows that only fill the devices."""
        records = fetch(records)
        if self.batch:
            return jax.tree.map(lambda leaf: leaf[:, : len(self.seeds)], records)
        return records._replace(population=jax.tree.map(lambda leaf: leaf[:, : self.places], records.population))

    def reasons(self) -> str:
        """What a problem on the host has to say about its failures."""
        failures = getattr(self.problem, "failures", None)
        return f" ({failures})" if failures else ""

    def advance(self) -> None:
        """A chunk of generations; then whoever asked to be called is called."""
        if self.problem.host:
            self.host_generation()
        else:
            self.chunk()
        if self.generation == 0:
            self.check_the_first()
            return
        if self.budget_is_spent():
            self.stopped = "budget spent"
        if self.generation % self.every == 0 or self.stopped:
            self.call_back()

    def check_the_first(self) -> None:
        if (self.recorder.joined().living[0] == 0).any():
            raise RuntimeError(
                f"all {self.algorithm.population} evaluations of the first population failed: "
                f"the objectives or constraints came back NaN or infinite{self.reasons()}"
            )

    def call_back(self) -> None:
        functions = (*self.callbacks, *self.stop)  # type: ignore[misc]
        if not functions:
            return
        result = self.results()[0]
        for function in functions:
            if on_primary_process(partial(self.ends, function, result)):
                self.stopped = self.stopped or f"stopped by {getattr(function, '__name__', type(function).__name__)}"

    def ends(self, function: Callback, result: Result) -> bool:
        """Whether a function that is called back wants the run to end."""
        answer = function(result)
        if function in self.stop:  # type: ignore[operator]
            return bool(answer)
        return isinstance(answer, bool | np.bool_) and bool(answer)

    def chunk(self) -> None:
        """As many generations as fit the time between two looks at the clock, as one compiled loop."""
        count = self.next_count()
        progress = self.progress_of(count)
        started = time.perf_counter()
        self.carry, records = loop.chunk_compiled(self.program, **self.chunk_arguments(count, progress))
        records = self.fetch(records)
        elapsed = since(started)
        before = self.elapsed
        seconds = [before + elapsed * (i + 1) / count for i in range(count)]
        self.pace, self.length = elapsed / count, count
        self.generation += count
        self.recorder.add(records, progress, seconds)

    def chunk_arguments(self, count: int, progress: list[float]) -> dict[str, Any]:
        padded = np.zeros(self.capacity, jnp.result_type(float))
        padded[:count] = progress
        start = np.int32(self.generation + 1)
        here = {
            "key": self.key,
            "carry": self.carry,
            "start": start,
            "count": np.int32(count),
            "progress": padded,
        }
        return here | {"capacity": self.capacity}

    def turn_arguments(self, f: Any, violation: Any, progress: float) -> dict[str, Any]:
        now = np.asarray(progress, jnp.result_type(float))
        here = {"key": self.key, "carry": self.carry, "t": np.int32(self.generation + 1)}
        return here | {"f": f, "violation": violation, "progress": now}

    def host_generation(self) -> None:
        progress = self.progress_of(1)
        if not self.pace:
            self.rows_to_evaluate()  # compiles something at its first call, for which the clock does not wait
        started = time.perf_counter()
        told = self.evaluate_on_host()
        evaluated = since(started)
        if self.generation < 0:
            self.compile()  # what is wrong with the problem's function was said before this
        started = time.perf_counter()
        self.carry, record = loop.tell_and_ask_compiled(self.program, **self.turn_arguments(*told, progress[0]))
        record = self.fetch(jax.tree.map(lambda leaf: leaf[None], fetch(record)))
        self.pace = evaluated + since(started)
        self.generation += 1
        self.recorder.add(record, progress, [self.elapsed + self.pace])

    def rows_to_evaluate(self) -> tuple[Array, np.ndarray]:
        """The key, and the rows of all runs as one batch, without the rows and runs that only fill the devices."""
        runs, population = len(self.seeds), self.algorithm.population
        key = loop.evaluation_key(self.key[:runs] if self.batch else self.key, self.generation + 1)
        x = fetch(self.carry.offspring.x)[: runs if self.batch else population]  # type: ignore[union-attr]
        return key, self.problem.show(x.reshape(-1, x.shape[-1]))

    def evaluate_on_host(self) -> tuple[Array, Array]:
        """Objectives and violation of the offspring, shaped as they are."""
        key, rows = self.rows_to_evaluate()
        f, violation = on_primary_process(lambda: self.problem.evaluate_host(key, rows))
        x = self.carry.offspring.x  # type: ignore[union-attr]
        whole = x.shape[:-1]
        shape = (len(self.seeds), *whole[1:]) if self.batch else (self.algorithm.population,)
        # What is too large for the device's precision is infinite there, and so a failure of that individual.
        with np.errstate(over="ignore"):
            f, violation = f.astype(x.dtype), violation.astype(x.dtype)
        f, violation = f.reshape(*shape, -1), violation.reshape(shape)
        if shape != whole:
            spare, mode = whole[0] - shape[0], "edge" if self.batch else "constant"
            f = np.pad(f, ((0, spare), *[(0, 0)] * (f.ndim - 1)), mode=mode)  # type: ignore[call-overload]
            violation = np.pad(violation, ((0, spare), *[(0, 0)] * (violation.ndim - 1)), mode=mode)  # type: ignore[call-overload]
        return jnp.asarray(f), jnp.asarray(violation)

    # How far.

    pace: float = field(default=0.0, init=False)
    """Seconds that a generation took in the last chunk."""
    length: int = field(default=1, init=False)
    """How many generations it had."""

    @property
    def elapsed(self) -> float:
        return self.recorder.seconds[-1] if self.recorder.seconds else 0.0

    @cached_property
    def capacity(self) -> int:
        """The most generations of a chunk: set by the size of what is recorded."""
        rows = self.carry.state.population  # type: ignore[union-attr]
        kept = jax.eval_shape(partial(loop.kept, history=self.history), rows)
        size = sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(kept))
        return int(np.clip(CHUNK_BYTES // max(size, 1), 1, CHUNK_GENERATIONS))

    @property
    def places(self) -> int:
        """The most survivors that there can be."""
        vectors = getattr(self.carry.state, "vectors", None)  # type: ignore[union-attr]
        return self.algorithm.population if vectors is None else vectors.shape[-2]

    def next_count(self) -> int:
        """How many generations the next chunk has; few in the first, since it is not known how long they take."""
        count = int(np.clip(CHUNK_SECONDS / self.pace, 1, self.capacity)) if self.pace else 1
        if self.callbacks or self.stop:
            count = min(count, self.every - self.generation % self.every)
        if self.budget.last is not None:
            return min(count, self.budget.last - self.generation)
        if not self.pace:
            return 1
        # Progress is told ahead, by the pace of the chunk before. That of a short one is mostly what a chunk costs: a
        # much longer one would be over long before the budget that it was told to spend.
        left = self.budget.seconds - self.elapsed  # type: ignore[operator]
        return max(1, min(count, 2 * self.length, int(left / self.pace)))

    def progress_of(self, count: int) -> list[float]:
        """The share of the budget that is spent at each of the next generations."""
        if self.generation < 0:
            return [0.0]
        if self.budget.last is not None:
            return [(self.generation + 1 + i) / self.budget.last for i in range(count)]
        # The clock is read once a chunk, and what it says is recorded. Progress never goes back, though the pace may
        # turn out to have been another.
        budget, before = self.budget.seconds, self.recorder.progress[-1]
        spent = (self.elapsed + self.pace * np.arange(1, count + 1)) / budget  # type: ignore[operator]
        return np.clip(spent, max(before, float(np.finfo(np.float32).tiny)), 1.0).tolist()

    def budget_is_spent(self) -> bool:
        if self.budget.last is not None:
            return self.generation >= self.budget.last
        return self.generation > 0 and self.elapsed >= self.budget.seconds  # type: ignore[operator]

    # What it found.

    def results(self) -> list[Result]:
        with detect_lost_peers():
            carry = fetch(self.carry)
        return [self.result(carry, run, seed) for run, seed in enumerate(self.seeds)]

    def result(self, carry: Carry, run: int, seed: int) -> Result:
        def found(population: Any) -> Any:
            rows = [leaf[run] if self.batch else leaf for leaf in population[:4]]
            return individuals(self.problem, *rows)

        which = run if self.batch else None
        return Result(
            problem=self.problem,
            algorithm=self.algorithm,
            seed=seed,
            population=found(carry.state.population),
            history=self.recorder.history(self.problem, self.algorithm.population, self.history, which),
            archive=found(carry.archive) if self.archive else None,
            vectors=self.places,
            stopped=self.stopped or "not finished",
        )


class Bar:
    """A progress bar over generations or over seconds; its clock starts when all is compiled."""

    def __init__(self, search: Search, *, shown: bool):
        self.search = search
        by_generation = search.budget.last is not None
        self.total: float = search.budget.last if by_generation else search.budget.seconds  # type: ignore[assignment]
        unit = "gen" if by_generation else "s"
        self.bar = tqdm(total=self.total, unit=unit, desc="compiling") if shown else None
        self.started = False

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()

    def update(self) -> None:
        if self.bar is None:
            return
        search = self.search
        n = search.generation if search.budget.last is not None else round(min(search.elapsed, self.total), 2)
        if not self.started:
            self.started = True
            self.bar.set_description(search.problem.name, refresh=False)
            self.bar.reset(self.total)
            self.bar.initial = n  # a run that is gone on with: its pace is that of what is new
        self.bar.n = n
        record = search.recorder.records[-1]
        self.bar.set_postfix(
            {"living": int(np.mean(record.living[-1]))}
            | {name: f"{np.mean(values[-1]):.4g}" for name, values in record.metrics.items()}
        )


def since(started: float) -> float:
    """Seconds, by the clock of the first process: what depends on them is then the same in all."""
    return broadcast_from_primary(time.perf_counter() - started)


def population_of(algorithm: Algorithm) -> int:
    parts = ("population", "init", "ask", "tell")
    check_part("algorithm", algorithm, *parts, takes=f"one with {', '.join(parts)}")
    return algorithm.population


def _functions(name: str, given: Callback | Sequence[Callback]) -> tuple[Callback, ...]:
    functions = tuple(given) if isinstance(given, Iterable) else (given,)
    for function in functions:
        if not callable(function) or isinstance(function, type):
            raise TypeError(f"{name} takes functions of a Result, got {function!r}")
    return functions


def _as_argument(name: str, metric: Callable) -> Callable:
    """A metric whose settings are arguments of the compiled code: other reference points do not compile again."""
    if not callable(metric) or not isinstance(name, str):
        raise TypeError(f"metrics takes functions by name, got {metric!r} for {name!r}")
    if isinstance(metric, partial):
        return jax.tree_util.Partial(metric.func, *metric.args, **metric.keywords)
    return metric if isinstance(metric, jax.tree_util.Partial) else jax.tree_util.Partial(metric)


def _check_metrics(program: Program) -> None:
    """Each metric gives one number for the survivors that there can be; found by tracing, without compiling."""
    vectors, m = getattr(program.algorithm, "vectors", ()), program.problem.objectives
    with use_mesh(program.mesh):
        rows = padded_size(len(vectors) if np.ndim(vectors) == 2 else program.algorithm.population)
    f, alive = jax.ShapeDtypeStruct((rows, m), jnp.result_type(float)), jax.ShapeDtypeStruct((rows,), bool)
    takes = "takes objectives (n, m) and which of them count (n,), and gives a number, as in tensorrvea.metrics.device"
    for name, metric in program.metrics.items():
        try:
            given = jax.eval_shape(lambda metric, f, alive: metric(f, alive), metric, f, alive)
        except Exception as error:  # whatever a function of the user's raises: it is told, and nothing goes on
            raise TypeError(f"metrics[{name!r}] {takes}; it could not be traced with m = {m}: {error}") from error
        if getattr(given, "shape", None) != ():
            raise ValueError(f"metrics[{name!r}] {takes}; it gives {getattr(given, 'shape', given)!s:.80}")


def _check_start(x: ArrayLike, problem: Problem, population: int) -> Array:
    rows = check_array("x", x, shape="(individuals, variables)", ndim=2)
    if rows.shape[1] != problem.variables:
        raise ValueError(f"x must have {problem.variables} columns, one a variable, got {rows.shape[1]}")
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
        moved = np.array(problem.integer) & (shown != rows)
        if moved.any():
            i, j = (int(k) for k in np.argwhere(moved)[0])
            raise ValueError(
                f"x must be what {encoded.dtype} can hold, got x[{i}, {j}] = {rows[i, j]}, which would become "
                f"{shown[i, j]}; set jax_enable_x64"
            )
    return encoded
