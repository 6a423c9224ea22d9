"""Every state that a crash can leave on disk, and every failing file operation, costs at most the last checkpoint.

The file operations of one run are recorded. A crash leaves the effects of those before the last flush of the directory,
and of any of those after it, in any order that the file system chooses; a file that was not flushed is torn.
"""

import errno
import itertools
import os
import random
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import tensorrvea as tr
from tensorrvea.runs import RunError, keep

pytestmark = pytest.mark.slow
PROBLEM, ALGORITHM = tr.problems.ZDT1(variables=5), tr.TensorRVEA(population=8)
# The most states per crash: all orders of more pending operations would be too many.
MOST_SUBSETS = 16


def run(directory: Path | None) -> tr.Result:
    return tr.optimize(
        PROBLEM, ALGORITHM, generations=2, seed=1, directory=directory, checkpoint_seconds=0.0, every=1,
        x=np.linspace(0.1, 0.9, 40).reshape(8, 5), callbacks=lambda _: None,
    )  # fmt: skip


def assert_same(one: tr.Result, other: tr.Result) -> None:
    for name in ("X", "F", "violation"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for name in ("progress", "ideal", "nadir", "living"):
        np.testing.assert_array_equal(getattr(one.history, name), getattr(other.history, name))


class Operation(NamedTuple):
    """A change of the directory: a file that is replaced, or removed if it has no content; or a flush."""

    kind: str
    name: str = ""
    content: bytes | None = None


def record(directory: Path, monkeypatch: pytest.MonkeyPatch) -> list[Operation]:
    """Run once, and return the operations on the directory."""
    operations: list[Operation] = []
    replace, unlink, fsync = Path.replace, Path.unlink, os.fsync

    def noted_replace(path: Path, target: Path) -> Path:
        operations.append(Operation("replace", target.name, path.read_bytes()))
        return replace(path, target)

    def noted_unlink(path: Path, **options) -> None:
        if path.exists():
            operations.append(Operation("remove", path.name))
        unlink(path, **options)

    def noted_fsync(handle: int) -> None:
        target = Path(f"/proc/self/fd/{handle}").readlink()
        kind = "flush" if target.is_dir() else "torn"
        operations.append(Operation(kind, target.name, None if target.is_dir() else target.read_bytes()))
        fsync(handle)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", noted_replace)
        patch.setattr(Path, "unlink", noted_unlink)
        patch.setattr(os, "fsync", noted_fsync)
        run(directory)
    return operations


def apply(files: dict[str, bytes], operation: Operation) -> dict[str, bytes]:
    if operation.kind == "replace":
        return files | {operation.name: operation.content or b""}
    return {name: content for name, content in files.items() if operation.kind != "remove" or name != operation.name}


def states(operations: list[Operation], rng: random.Random) -> list[dict[str, bytes]]:
    """All states that a crash can leave, each once."""
    found: dict[frozenset, dict[str, bytes]] = {}
    durable: dict[str, bytes] = {}
    pending: list[Operation] = []
    for operation in operations:
        if operation.kind == "flush":
            for each in pending:
                durable = apply(durable, each)
            pending = []
        elif operation.kind == "torn":
            content = operation.content or b""
            torn = content[: rng.randrange(len(content) + 1)] + bytes(rng.randrange(64))
            found.setdefault(frozenset({**durable, operation.name: torn}.items()), {**durable, operation.name: torn})
        else:
            pending.append(operation)
        subsets = list(itertools.product((False, True), repeat=len(pending)))
        for subset in rng.sample(subsets, min(len(subsets), MOST_SUBSETS)):
            state = durable
            for each, happened in zip(pending, subset, strict=True):
                state = apply(state, each) if happened else state
            found.setdefault(frozenset(state.items()), state)
    return list(found.values())


@pytest.mark.filterwarnings("ignore:.*is (missing|used)")
def test_every_state_that_a_crash_can_leave_resumes_to_the_same_bits(tmp_path, monkeypatch, record_property):
    monkeypatch.setattr(keep, "SHARE", 1e9)
    whole = run(None)
    operations = record(tmp_path / "recorded", monkeypatch)
    left = states(operations, random.Random(1))
    record_property("states that a crash can leave, each resumed to the same bits", len(left))
    assert len(left) > 40
    for number, files in enumerate(left):
        directory = tmp_path / str(number)
        directory.mkdir()
        for name, content in files.items():
            (directory / name).write_bytes(content)
        assert_same(run(directory), whole)
        assert not list(directory.glob(".*.part"))


@pytest.mark.parametrize("forever", [False, True])
def test_a_failing_file_operation_costs_at_most_the_last_checkpoint(tmp_path, monkeypatch, record_property, forever):
    monkeypatch.setattr(keep, "SHARE", 1e9)
    whole = run(None)
    count, fails_at = 0, -1

    def failing(operation):
        def call(*arguments, **options):
            nonlocal count
            count += 1
            if count == fails_at or (forever and 0 < fails_at <= count):
                raise OSError(errno.EIO, "Input/output error")
            return operation(*arguments, **options)

        return call

    for owner, name in ((os, "open"), (os, "fsync"), (Path, "replace"), (Path, "unlink")):
        monkeypatch.setattr(owner, name, failing(getattr(owner, name)))
    run(tmp_path / "whole")
    ended, unexplained = [], []
    for number in range(1, count + 1, 3 if forever else 1):
        directory, count, fails_at = tmp_path / str(number), 0, number
        try:
            assert_same(run(directory), whole)
            ended.append(False)
        except RunError as error:
            ended.append("Input/output error" in str(error) or "cannot be" in str(error))
            unexplained += [] if ended[-1] else [str(error)]
        fails_at = -1
        assert_same(run(directory), whole)
    record_property(f"file operations that failed {'for ever' if forever else 'once'}", len(ended))
    assert any(ended)
    assert not unexplained
