"""A search that is saved in a directory: started or resumed there, with checkpoints as it goes.

Of several processes only the primary one reads and writes the directory; the others are told what it found there.
"""

import signal
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tensorrvea.checks import as_tuple, check_flag, check_number, shown
from tensorrvea.driver.observers import Interruption
from tensorrvea.driver.search import INTERRUPTED, Observer, Search
from tensorrvea.driver.signals import Interrupted, Signals
from tensorrvea.processes import broadcast_from_primary, detect_lost_peers, on_primary_process
from tensorrvea.result import Result
from tensorrvea.runs import checkpoint
from tensorrvea.runs.arrays import write_arrays
from tensorrvea.runs.errors import RunError, SpecDiffersError
from tensorrvea.runs.files import as_path, locked
from tensorrvea.runs.latest import digest_of, find_latest
from tensorrvea.runs.manifest import (
    NAME,
    RESULT,
    add_session,
    has_manifest,
    new_manifest,
    now,
    read_manifest,
    write_manifest,
)  # fmt: skip
from tensorrvea.runs.spec import SOURCE, Arrays, Spec, describe, differences

INTERVAL = 30.0
# Slow checkpoints are taken less often, so that all of them take at most this share of the time.
SHARE = 0.03


def keep_run(
    search: Search,
    directory: str | Path,
    observers: Sequence[Observer] = (),
    *,
    every: float = INTERVAL,
    extend: bool = False,
    accept_changes: bool = False,
) -> None:
    """Run a search in a directory: from its last checkpoint if there is one, else from the beginning.

    Args:
      search: a search that has not started.
      directory: made if it does not exist.
      observers: called before each checkpoint.
      every: seconds from one checkpoint to the next.
      extend: whether the budget may differ from the directory's.
      accept_changes: whether the source of the user's own problem, algorithm or metrics may differ.

    Raises:
      Interrupted: after Ctrl-C, once the run is saved.
      SystemExit: after SIGTERM, once the run is saved.
    """
    if not isinstance(search, Search):
        raise TypeError(f"search takes a Search, got {shown(search)}")
    check_number("checkpoint_seconds", every, minimum=0.0, scalar=True)
    check_flag("extend", extend)
    check_flag("accept_changes", accept_changes)
    path = as_path(directory)
    is_none = isinstance(observers, tuple | list) and not observers
    for observer in () if is_none else as_tuple(observers) or (observers,):
        if not isinstance(observer, Observer):
            raise TypeError(f"observers takes observers of a search, got {shown(observer)}")
    signals = Signals(
        (signal.SIGINT, signal.SIGTERM), has_progress=lambda: search.has_progress, is_slow=search.run.problem.host
    )
    try:
        with detect_lost_peers(), ExitStack() as held, signals:
            on_primary_process(lambda: held.enter_context(locked(path)))
            keeper = Keeper(search, path, every=every)
            keeper.open(extend=extend, accept_changes=accept_changes)
            if not search.stopped:
                search.execute([*observers, Interruption(signals), keeper])
            keeper.finish()
    except Interrupted:
        search.stopped = INTERRUPTED
    if search.stopped == INTERRUPTED and signals.received == signal.SIGINT:
        saved = "saved at" if search.generation >= 0 else "interrupted"
        raise Interrupted(f"{saved} {search.schedule}")
    if signals.received not in (None, signal.SIGINT):
        sys.exit(128 + signals.received)


class Keeper(Observer):
    """Saves a search to its directory: an observer of the search."""

    def __init__(self, search: Search, directory: Path, *, every: float):
        self.search, self.directory, self.every = search, directory, every
        self.manifest: dict[str, Any] = {}
        self.last: dict[str, Any] | None = None
        self.before: dict[str, Any] | None = None
        self.due = 0.0

    # Starting or resuming

    def open(self, *, extend: bool, accept_changes: bool) -> None:
        search, (spec, arrays) = self.search, describe(self.search.run)
        saved = on_primary_process(lambda: self.find(spec, arrays, extend=extend, accept_changes=accept_changes))
        if saved is not None:
            checkpoint.restore(search, saved)
        search.stopped = on_primary_process(lambda: self.begin(spec, extend=extend))
        extended = broadcast_from_primary(self.manifest.get("extended"))
        search.schedule.is_extended = bool(extended) and extended[-1]["generation"] >= search.generation
        if search.carry is not None and not search.stopped:
            search.restore(search.carry)

    def find(self, spec: Spec, arrays: Arrays, *, extend: bool, accept_changes: bool) -> checkpoint.Saved | None:
        """Return the last checkpoint of the directory; make a manifest if it has none."""
        checkpoint.remove_partial_files(self.directory)
        if has_manifest(self.directory):
            self.manifest, _ = read_manifest(self.directory)
            self.check_spec(spec, extend=extend, accept_changes=accept_changes)
            self.last, saved = find_latest(self.search, self.directory, self.manifest)
            return saved
        names = [path.name for path in self.directory.iterdir() if path.name != "lock"]
        if any(checkpoint.OURS.fullmatch(name) for name in names if not name.endswith(".part")):
            raise RunError(f"{self.directory} has checkpoints but no {NAME}: it is not complete")
        for line in differences(spec, spec):  # the same spec differs only in what cannot be compared
            warnings.warn(f"{line}; to run again in {self.directory}: resume(…, accept_changes=True)", stacklevel=8)
        with self.write_errors("the manifest"):
            self.manifest = new_manifest(spec, arrays, self.directory)
        return None

    def begin(self, spec: Spec, *, extend: bool) -> str:
        """Record that the run starts or resumes, unless it has ended; return why it has ended."""
        self.spec_digest = digest_of(self.manifest)
        if extend:
            self.extend(spec)
        # The spec may change, by accepted sources and by settings that an earlier version did not have. The checkpoints
        # stay tied to what it was.
        self.manifest["spec"] |= {key: value for key, value in spec.items() if key != "budget"}
        self.manifest["spec_digest"] = self.spec_digest
        if self.search.stopped:
            return self.search.stopped
        changes = add_session(self.manifest, max(self.search.generation, 0))
        if self.search.run.problem.origin:
            self.manifest["sessions"][-1]["problem"] = self.search.run.problem.origin
        if changes:
            warnings.warn(
                f"{self.directory} is resumed in another environment than before ({'; '.join(changes)}): "
                "results may differ in their last bits from those of an uninterrupted run",
                stacklevel=7,
            )
        # A finished run whose last checkpoint was lost is not finished.
        self.manifest |= {"ended": None, "result": None}
        with self.write_errors("the manifest"):
            write_manifest(self.directory, self.manifest)
        return ""

    def check_spec(self, spec: Spec, *, extend: bool, accept_changes: bool) -> None:
        """Refuse a directory that holds another run."""
        lines = differences(self.manifest["spec"], spec)
        budget = [line for line in lines if line.startswith("budget.")]
        source = [line for line in lines if line.startswith(SOURCE)]
        lines = [line for line in lines if not (extend and line in budget) and not (accept_changes and line in source)]
        if not lines:
            return
        kind, advice = "", ""
        if set(lines) <= set(source):
            kind, advice = "source", "To resume it nevertheless: resume(directory, problem=…, accept_changes=True)"
        elif set(lines) <= set(budget):
            kind, advice = "budget", "To run it for longer: resume(directory, generations=…)"
        text = f"{self.directory} holds another run:\n  " + "\n  ".join(lines)
        raise SpecDiffersError(text, kind=kind, advice=advice)

    def extend(self, spec: Spec) -> None:
        """Give the run its new budget, which must not be spent already."""
        search, old, new = self.search, self.manifest["spec"]["budget"], spec["budget"]
        if old == new:
            return
        if search.generation >= 0 and search.schedule.is_spent:
            shown = ", ".join(f"{name}={value}" for name, value in new.items())
            raise RunError(
                f"the new budget ({shown}) must be more than what the run has spent: "
                f"{search.generation} generations in {search.schedule.elapsed:.3g} s"
            )
        self.manifest["extended"].append({"generation": search.generation, "budget": old, "at": now()})
        self.manifest["spec"]["budget"] = new
        self.manifest["ended"] = None
        search.stopped = ""

    # Observing

    def start(self, search: Search) -> None:
        del search
        self.due = time.monotonic() + self.every

    def after(self, search: Search) -> None:
        """Save if a checkpoint is due, or if the search has ended or was interrupted."""
        if search.stopped or broadcast_from_primary(time.monotonic() >= self.due):
            self.save(stopped="" if search.stopped == INTERRUPTED else search.stopped)

    def save(self, *, stopped: str) -> None:
        started = time.monotonic()
        carry = checkpoint.fetch_carry(self.search)
        on_primary_process(lambda: self.write(carry, stopped))
        ended = time.monotonic()
        self.due = ended + max(self.every, (ended - started) / SHARE)

    def write(self, carry: Any, stopped: str) -> None:
        with self.write_errors(f"the checkpoint of generation {self.search.generation}"):
            new = checkpoint.save(self.search, carry, self.directory, self.spec_digest, self.last, stopped=stopped)
        self.before, self.last = self.last, new
        # Older files are removed only after the new checkpoint is complete.
        checkpoint.remove_others(self.directory, [one for one in (self.before, self.last) if one is not None])

    @contextmanager
    def write_errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            kept = "none yet" if self.last is None else f"of generation {self.last['generation']}"
            raise RunError(
                f"{what} could not be written to {self.directory}: {error.strerror or error}. "
                f"The last checkpoint ({kept}) is unchanged"
            ) from error

    # Finishing

    def finish(self) -> None:
        """Write how the run ended and what it found, unless that was done before."""
        if broadcast_from_primary(self.manifest.get("ended")) is None:
            results = [] if self.search.stopped == INTERRUPTED else self.search.results()
            on_primary_process(lambda: self.write_end(results))

    def write_end(self, results: list[Result]) -> None:
        search, session = self.search, self.manifest["sessions"][-1]
        session["ended"], session["generation"] = now(), search.generation
        if search.stopped != INTERRUPTED:
            self.manifest["ended"] = {"at": now(), "why": search.stopped, "generation": search.generation}
            with self.write_errors("the result"):
                self.manifest["result"] = write_result(results, self.directory, is_batched=search.run.is_batched)
        with self.write_errors("the manifest"):
            write_manifest(self.directory, self.manifest)


def write_result(results: list[Result], directory: Path, *, is_batched: bool) -> dict[str, Any]:
    """Write the fronts, in the user's values and signs, for any program that reads ``.npz``; return check values."""
    arrays: dict[str, Any] = {}
    for result in results:
        prefix = f"seed{result.seed}." if is_batched else ""
        front = {"X": result.X, "F": result.F, "G": result.G, "violation": result.violation}
        arrays |= {prefix + name: value for name, value in front.items()}
    return write_arrays(directory / RESULT, arrays)
