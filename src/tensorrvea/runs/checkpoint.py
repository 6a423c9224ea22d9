"""Checkpoints: the state of a search and its records, as plain arrays.

The whole state is written each time. Records are written once, in segments; a checkpoint lists those that it needs.
Small segments are merged to keep their number low. A checkpoint is complete once its JSON file exists, which is
written last and holds the checksums of the others.
"""

import logging
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from tensorrvea import compiled
from tensorrvea.compiled import Setting
from tensorrvea.driver.search import Search
from tensorrvea.problem import Problem
from tensorrvea.processes import fetch
from tensorrvea.runs.arrays import read_arrays, write_arrays
from tensorrvea.runs.errors import DamagedError
from tensorrvea.runs.manifest import SCHEMA, damaged_on_error, read_checked, write_checked
from tensorrvea.runs.migrate import add_constraints

logger = logging.getLogger("tensorrvea.runs")
# The most bytes of a merged segment.
MERGED_BYTES = 2**25
# The most generations of a lost history.
MOST_LOST = 10**7
# The files that a run may remove from its directory.
PARTIAL = re.compile(r"\..+\.\d+\.part")
OURS = re.compile(r"(checkpoint-\d{10}\.(json|npz)|history-\d{10}-\d{10}\.npz|\..+\.\d+\.part)")


def state_name(generation: int) -> str:
    return f"checkpoint-{generation:010d}"


def segment_name(first: int, last: int) -> str:
    return f"history-{first:010d}-{last:010d}.npz"


def save(
    search: Search, carry: Any, directory: Path, spec: str, before: dict[str, Any] | None, *, stopped: str
) -> dict[str, Any]:
    """Write a checkpoint with the carry, which is on the host, and return its description.

    ``before`` is the description of the previous checkpoint.
    """
    generation = search.generation
    segments = list(before["history"]) if before is not None else []
    done = segments[-1]["last"] if segments else -1
    if generation > done:
        segments = _append(search, directory, segments, first=done + 1)
    name = state_name(generation)
    written = write_arrays(directory / f"{name}.npz", named_leaves(carry))
    content = {
        "schema": SCHEMA,
        "spec": spec,
        "generation": generation,
        "elapsed": search.schedule.elapsed,
        "progress": search.schedule.progress[-1],
        "stopped": stopped,
        "failures": [[_as_unicode(message), count] for message, count in search.run.problem.failures],
        "carry": written,
        "history": segments,
    }
    write_checked(directory / f"{name}.json", content)
    return content


def _as_unicode(text: str) -> str:
    """Replace halves of surrogate pairs, which may be in the name of a file and not in JSON."""
    return text.encode(errors="replace").decode()


def _append(search: Search, directory: Path, segments: list[dict[str, Any]], first: int) -> list[dict[str, Any]]:
    """Write a segment from ``first`` on, merged with preceding ones that are no longer than it."""
    last = search.generation
    bytes_per_generation = sum(leaf[0].nbytes for leaf in jax.tree.leaves(search.recorder.last))
    while segments and last - segments[-1]["first"] < 2 * (last - first + 1):
        if (last - segments[-1]["first"]) * bytes_per_generation > MERGED_BYTES:
            break
        first = segments.pop()["first"]
    arrays = named_leaves(search.recorder.between(first, last))
    times = {"progress": search.schedule.progress, "seconds": search.schedule.seconds}
    arrays |= {name: np.array(values[first : last + 1], np.float64) for name, values in times.items()}
    check = write_arrays(directory / segment_name(first, last), arrays)
    return [*segments, {"first": first, "last": last, **check}]


def remove_others(directory: Path, keep: list[dict[str, Any]]) -> None:
    """Remove checkpoints and segments that none of ``keep`` needs, and partial files left by a crash."""
    needed = {f"{state_name(c['generation'])}.{kind}" for c in keep for kind in ("json", "npz")}
    needed |= {segment_name(s["first"], s["last"]) for c in keep for s in c["history"]}
    for path in directory.iterdir():
        if OURS.fullmatch(path.name) and path.name not in needed:
            try:
                path.unlink(missing_ok=True)
            except OSError as error:  # the run needs the space, but can do without it
                logger.warning("%s could not be removed: %s", path, error.strerror)


def remove_partial_files(directory: Path) -> None:
    """Remove the temporary files of writers that were killed."""
    for path in directory.iterdir():
        if PARTIAL.fullmatch(path.name):
            with suppress(OSError):
                path.unlink()


# Reading


def saved_generations(directory: Path) -> list[int]:
    """Return the generations that have a checkpoint, the latest first."""
    names = (re.fullmatch(r"checkpoint-(\d{10})\.json", path.name) for path in directory.iterdir())
    return sorted((int(match[1]) for match in names if match), reverse=True)


def describe_checkpoint(directory: Path, generation: int, spec: str) -> dict[str, Any]:
    """Read and check the JSON of a checkpoint."""
    path = directory / f"{state_name(generation)}.json"
    content = read_checked(path)
    if content.get("spec") != spec:
        raise DamagedError(f"{path} belongs to a run with another spec")
    with damaged_on_error(path):
        firsts = [s["first"] for s in content["history"]]
        lasts = [s["last"] for s in content["history"]]
        if firsts != [0, *(k + 1 for k in lasts[:-1])] or not content["generation"] == lasts[-1] == generation:
            raise DamagedError(f"{path} does not list one record per generation")
        float(content["elapsed"])
        float(content.get("progress", 0.0))
        str.encode(content["stopped"])
        if not all(isinstance(text, str) and type(n) is int for text, n in content.get("failures", [])):
            raise DamagedError(f"{path} does not list failures as messages with their counts")
    return content


class Saved(NamedTuple):
    """The content of a checkpoint, on the host."""

    stopped: str
    carry: Any
    segments: list[tuple[Any, list[float], list[float]]]
    lost: str = ""  # what is wrong with its history, if that may be lost
    failures: Sequence[tuple[str, int]] = ()


def read(search: Search, directory: Path, content: dict[str, Any], *, with_history: bool = True) -> Saved:
    """Read a checkpoint, which must be undamaged and fit the search; without ``with_history``, its state must."""
    path = directory / f"{state_name(content['generation'])}.npz"
    carry_like, record_like = shapes(search)
    problem = search.run.problem
    with damaged_on_error(path):
        carry = from_named(read_arrays(path, dict(content["carry"])), carry_like, path, problem)
        segments, lost = [], ""
        for segment in content["history"]:
            try:
                segments.append(_read_segment(directory, segment, record_like, problem))
            except DamagedError as error:
                if with_history:
                    raise
                segments.append(_empty_segment(segment, record_like, content))
                lost = lost or str(error)
    failures = [(message, count) for message, count in content.get("failures", [])]
    return Saved(content["stopped"], carry, segments, lost, failures)


def restore(search: Search, saved: Saved) -> None:
    """Set a search to the state of the checkpoint; the carry stays on the host."""
    search.carry, search.stopped = saved.carry, saved.stopped
    search.run.problem.restore_failures(saved.failures)
    for records, progress, seconds in saved.segments:
        search.recorder.add(records)
        search.schedule.progress += progress
        search.schedule.seconds += seconds


def _read_segment(
    directory: Path, segment: dict[str, Any], like: Any, problem: Problem
) -> tuple[Any, list[float], list[float]]:
    path = directory / segment_name(segment["first"], segment["last"])
    arrays = read_arrays(path, segment)
    count = segment["last"] - segment["first"] + 1
    progress, seconds = arrays.pop("progress"), arrays.pop("seconds")
    expected = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct((count, *leaf.shape), leaf.dtype), like)
    if progress.shape != (count,) or seconds.shape != (count,):
        raise DamagedError(f"{path} does not have {count} generations")
    return from_named(arrays, expected, path, problem), progress.tolist(), seconds.tolist()


def _empty_segment(segment: dict[str, Any], like: Any, content: dict[str, Any]) -> tuple[Any, list[float], list[float]]:
    """Records of NaN, or 0 where there is none, up to the progress and the time that the checkpoint itself has."""
    count = segment["last"] - segment["first"] + 1
    if count > MOST_LOST:
        raise DamagedError(f"a history of {count} generations is missing")

    def empty(leaf: Any) -> np.ndarray:
        value = np.nan if np.issubdtype(leaf.dtype, np.floating) else 0
        return np.broadcast_to(np.asarray(value, leaf.dtype), (count, *leaf.shape))

    last = {"progress": float(content.get("progress", 0.0)), "seconds": float(content["elapsed"])}
    progress, seconds = ([np.nan] * (count - 1) + [last[name]] for name in ("progress", "seconds"))
    return jax.tree.map(empty, like), progress, seconds


def shapes(search: Search) -> tuple[Any, Any]:
    """Return the shapes of a carry and of a record on one device, without computing anything."""
    run = search.run
    setting, key = Setting(None, run.is_batched), run.without_padding(run.key)
    carry = compiled.begin.shapes(run.program, setting, key, run.start_x)
    records = compiled.record_shapes(run.program, setting, carry, capacity=1)
    return carry, jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype), records)


def fetch_carry(search: Search) -> Any:
    """Return the carry on the host without padding, so that it can be resumed on any number of devices."""
    carry = fetch(search.carry)
    if search.run.setting.mesh is None:
        return carry
    like, _ = shapes(search)
    return jax.tree.map(lambda leaf, one: leaf[: one.shape[0]] if leaf.ndim else leaf, carry, like)


# Trees as named arrays


def named_leaves(tree: Any) -> dict[str, np.ndarray]:
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    return {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in leaves}


def from_named(arrays: dict[str, np.ndarray], like: Any, path: Path, problem: Problem | None = None) -> Any:
    """Return the tree of named arrays, whose names, shapes and types must be those of ``like``.

    With a problem, constraint values that the earlier schema did not have are added.
    """
    expected = {jax.tree_util.keystr(at): leaf for at, leaf in jax.tree_util.tree_leaves_with_path(like)}
    if problem is not None and expected.keys() > arrays.keys():
        arrays = add_constraints(arrays, like, problem)
    if arrays.keys() != expected.keys():
        odd = sorted(arrays.keys() ^ expected.keys())
        raise DamagedError(f"{path} does not fit this run: {', '.join(odd)[:200]} on one side only")
    for name, leaf in expected.items():
        if arrays[name].shape != leaf.shape or arrays[name].dtype != leaf.dtype:
            came = f"{arrays[name].dtype}{list(arrays[name].shape)}"
            raise DamagedError(f"{path} does not fit this run: {name} is {came}, not {leaf.dtype}{list(leaf.shape)}")
    return jax.tree_util.tree_map_with_path(lambda at, _: arrays[jax.tree_util.keystr(at)], like)
