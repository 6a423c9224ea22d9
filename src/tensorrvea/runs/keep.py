"""A search kept in a directory: begun, or gone on with, and saved as it goes.

Of several processes only the first has the directory; the others hear from it what was found there.
"""

import time
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tensorrvea import loop
from tensorrvea.checks import check_number
from tensorrvea.optimize import Search
from tensorrvea.processes import broadcast_from_primary, detect_lost_peers, gather_from_all, on_primary_process
from tensorrvea.result import Result
from tensorrvea.runs import checkpoint
from tensorrvea.runs.arrays import write_arrays
from tensorrvea.runs.errors import DamagedError, RunError, SpecDiffersError
from tensorrvea.runs.files import digest, locked
from tensorrvea.runs.manifest import (
    NAME,
    new_manifest,
    new_session,
    now,
    read_manifest,
    session_changes,
    write_manifest,
)
from tensorrvea.runs.signals import Signals
from tensorrvea.runs.spec import BUDGETS, Arrays, Spec, describe, differences

INTERVAL = 30.0
# A checkpoint that takes long is taken less often, so that all of them take at most this share of the time.
SHARE = 0.03
RESULT = "result.npz"


def keep_run(
    search: Search,
    directory: str | Path,
    *,
    every: float = INTERVAL,
    progress: bool = False,
    extend: bool = False,
    accept_changes: bool = False,
) -> None:
    """Runs a search in a directory: from its last checkpoint if there is one, from the beginning if not.

    Args:
      every: seconds from one checkpoint to the next.
      extend: whether the budget may be another than the directory's.
      accept_changes: whether the source of the user's own problem, algorithm or metrics may be another.
    """
    check_number("checkpoint_seconds", every, minimum=0.0, scalar=True)
    path = Path(directory)
    with detect_lost_peers(), ExitStack() as held, Signals() as signals:
        on_primary_process(lambda: hold(path, held))
        kept = Kept(search, path, every=every, signals=signals)
        kept.open(extend=extend, accept_changes=accept_changes)
        if not search.stopped:
            search.run(progress, between=kept.between)
        kept.close()
    signals.raise_received()


def hold(directory: Path, held: ExitStack) -> None:
    """Makes the directory, if it is not there, and keeps others out of it."""
    directory.mkdir(parents=True, exist_ok=True)
    held.enter_context(locked(directory))


class Kept:
    """A search and its directory."""

    def __init__(self, search: Search, directory: Path, *, every: float, signals: Signals):
        self.search, self.directory, self.every, self.signals = search, directory, every, signals
        self.manifest: dict[str, Any] = {}
        self.last: dict[str, Any] | None = None
        self.before: dict[str, Any] | None = None
        self.due = 0.0

    # Begin, or go on.

    def open(self, *, extend: bool, accept_changes: bool) -> None:
        search, (spec, arrays) = self.search, describe(self.search)
        saved = on_primary_process(lambda: self.find(spec, arrays, extend=extend, accept_changes=accept_changes))
        if saved is not None:
            checkpoint.restore(search, saved)
        search.stopped = on_primary_process(lambda: self.begin(spec, extend=extend))
        if search.carry is not None and not search.stopped:
            search.carry = loop.place(search.program, search.carry, key=search.key, x=search.start_x)
            search.compile()
        self.due = time.monotonic() + self.every

    def find(self, spec: Spec, arrays: Arrays, *, extend: bool, accept_changes: bool) -> checkpoint.Saved | None:
        """The last checkpoint of the directory; a manifest where there is none."""
        if (self.directory / NAME).exists() or (self.directory / NAME).is_symlink():
            self.manifest, _ = read_manifest(self.directory)
            self.agree(spec, extend=extend, accept_changes=accept_changes)
            self.last, saved = find_latest(self.search, self.directory, self.manifest)
            return saved
        foreign = [path.name for path in self.directory.iterdir() if path.name != "lock"]
        if any(checkpoint.OURS.fullmatch(name) for name in foreign if not name.endswith(".part")):
            raise RunError(f"{self.directory} has checkpoints but no {NAME}: it is not complete")
        self.manifest = new_manifest(spec, arrays, self.directory)
        return None

    def begin(self, spec: Spec, *, extend: bool) -> str:
        """Writes that the run begins or goes on, unless it has ended: then says why."""
        self.spec_digest = digest_of(self.manifest)
        if extend:
            self.extend(spec)
        self.manifest["spec"] |= {key: value for key, value in spec.items() if key != "budget"}  # accepted sources
        if not self.search.stopped:
            self.begin_session()
        return self.search.stopped

    def agree(self, spec: dict[str, Any], *, extend: bool, accept_changes: bool) -> None:
        """Refuses a directory that holds another run."""
        lines = differences(self.manifest["spec"], spec)
        budget = [line for line in lines if line.startswith("budget.")]
        source = [line for line in lines if line.startswith("the source code of ")]
        lines = [line for line in lines if not (extend and line in budget) and not (accept_changes and line in source)]
        if not lines:
            return
        advice = ""
        if set(lines) <= set(source):
            advice = "\nTo go on with it nevertheless: resume(directory, problem=…, accept_changes=True)"
        elif set(lines) <= set(budget):
            advice = "\nTo run it for longer: resume(directory, generations=…)"
        raise SpecDiffersError(f"{self.directory} holds another run:\n  " + "\n  ".join(lines) + advice)

    def extend(self, spec: dict[str, Any]) -> None:
        """Gives the run its new budget, unless that is spent already."""
        search, old, new = self.search, self.manifest["spec"]["budget"], spec["budget"]
        if old == new:
            return
        if search.generation >= 0 and search.budget_is_spent():
            raise RunError(
                f"the new budget ({_shown(new)}) must be more than what the run has spent: "
                f"{search.generation} generations in {search.elapsed:.3g} s"
            )
        self.manifest["extended"].append({"generation": search.generation, "budget": old, "at": now()})
        self.manifest["spec"]["budget"] = new
        self.manifest["ended"] = None
        search.stopped = ""

    def begin_session(self) -> None:
        session = new_session(max(self.search.generation, 0))
        if self.manifest["sessions"]:
            changed = session_changes(self.manifest["sessions"][-1], session)
            if changed:
                warnings.warn(
                    f"{self.directory} goes on elsewhere than it was begun ({'; '.join(changed)}): "
                    "results may differ in their last bits from those of a run that was never stopped",
                    stacklevel=8,
                )
        self.manifest["sessions"].append(session)
        write_manifest(self.directory, self.manifest)

    # Between two chunks, and at the end.

    def between(self) -> None:
        """Saves if it is time to, if the search has ended, or if somebody wants it to leave."""
        search = self.search
        asked = gather_from_all([self.signals.received or 0, time.monotonic() >= self.due])
        signal, due = int(asked[:, 0].max()), bool(asked[0, 1])  # anybody's signal, and the first's clock
        if signal and not search.stopped:
            self.signals.received = signal
            self.save(stopped="")
            search.stopped = "interrupted"
        elif search.stopped:
            self.save(stopped=search.stopped)
        elif due:
            self.save(stopped="")

    def save(self, *, stopped: str) -> None:
        started = time.monotonic()
        carry = checkpoint.on_one_device(self.search)
        on_primary_process(lambda: self.write(carry, stopped))
        ended = time.monotonic()
        self.due = ended + max(self.every, (ended - started) / SHARE)

    def write(self, carry: Any, stopped: str) -> None:
        try:
            new = checkpoint.save(self.search, carry, self.directory, self.spec_digest, self.last, stopped=stopped)
        except OSError as error:
            kept = "none yet" if self.last is None else f"of generation {self.last['generation']}"
            raise RunError(
                f"the checkpoint of generation {self.search.generation} could not be written to {self.directory}: "
                f"{error.strerror or error}. The last checkpoint ({kept}) is as it was"
            ) from error
        self.before, self.last = self.last, new
        # Only now that the new one is safe, what came before the last two goes.
        checkpoint.remove_others(self.directory, [one for one in (self.before, self.last) if one is not None])

    def close(self) -> None:
        """Writes how it ended, and what was found, unless that was done when it ended."""
        if broadcast_from_primary(self.manifest.get("ended")) is None:
            results = [] if self.search.stopped == "interrupted" else self.search.results()
            on_primary_process(lambda: self.write_end(results))

    def write_end(self, results: list[Result]) -> None:
        search, session = self.search, self.manifest["sessions"][-1]
        session["ended"], session["generation"] = now(), search.generation
        if search.stopped != "interrupted":
            self.manifest["ended"] = {"at": now(), "why": search.stopped, "generation": search.generation}
            write_result(results, self.directory, batch=search.batch)
        write_manifest(self.directory, self.manifest)


def find_latest(
    search: Search, directory: Path, manifest: dict[str, Any]
) -> tuple[dict[str, Any], checkpoint.Saved] | tuple[None, None]:
    """The description and the content of the latest checkpoint that is sound; None if there is none at all."""
    problems: list[str] = []
    for generation in checkpoint.found(directory):
        try:
            content = checkpoint.describe_checkpoint(directory, generation, digest_of(manifest))
            saved = checkpoint.read(search, directory, content)
        except DamagedError as error:
            problems.append(str(error))
            continue
        extended = manifest["extended"]
        if extended and extended[-1]["generation"] >= generation:  # it ended, and then got a larger budget
            saved = saved._replace(stopped="")
        if problems:
            warnings.warn(f"{problems[0]}; the checkpoint before it, of generation {generation}, is used", stacklevel=8)
        return content, saved
    if problems:
        raise DamagedError(f"{directory} has no sound checkpoint: " + "; ".join(problems))
    return None, None


def digest_of(manifest: dict[str, Any]) -> str:
    """What ties checkpoints to a run: its spec, but for the budget and for sources, which the user may change."""
    return digest(_without_sources({key: value for key, value in manifest["spec"].items() if key != "budget"}))


def _without_sources(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _without_sources(value) for key, value in content.items() if key != "source"}
    return [_without_sources(value) for value in content] if isinstance(content, list) else content


def write_result(results: list[Result], directory: Path, *, batch: bool) -> None:
    """The fronts that were found, in the user's values and signs, for any program that reads ``.npz``."""
    arrays: dict[str, Any] = {}
    for result in results:
        prefix = f"seed{result.seed}." if batch else ""
        arrays |= {prefix + name: getattr(result, name) for name in ("X", "F", "violation")}
    write_arrays(directory / RESULT, arrays)


def _shown(budget: dict[str, Any]) -> str:
    return ", ".join(f"{name}={budget[name]}" for name in BUDGETS if name in budget)
