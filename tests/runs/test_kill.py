import multiprocessing
import os
import random
import signal
import time
from multiprocessing.process import BaseProcess
from pathlib import Path

import killed_child
import numpy as np
import pytest

import tensorrvea as tr
from tensorrvea import load
from tensorrvea.runs import checkpoint

# Each child is a process of its own; what it imports was imported once, by the one that they are forked from, which
# does nothing else.
CHILDREN = multiprocessing.get_context("forkserver")
CHILDREN.set_forkserver_preload(["tensorrvea.runs"])


def start(directory: Path) -> BaseProcess:
    child = CHILDREN.Process(target=killed_child.save_often, args=(str(directory),))
    child.start()
    return child


def wait_for_news(child: BaseProcess, directory: Path, *, beyond: int) -> None:
    """Until the child has come further than it was: only then is it running and saving, not compiling."""
    deadline = time.monotonic() + 120
    while child.is_alive() and time.monotonic() < deadline:
        if directory.exists() and max(checkpoint.saved_generations(directory), default=-1) > beyond:
            return
        time.sleep(0.002)
    assert child.exitcode in (None, 0)


def reached(directory: Path) -> int:
    return max(checkpoint.saved_generations(directory), default=-1) if directory.exists() else -1


def assert_same_run(one: tr.Result, other: tr.Result) -> None:
    for name in ("population", "front"):
        ours, theirs = getattr(one, name), getattr(other, name)
        for part in ("X", "F", "violation"):
            np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part))
    for name in ("generation", "progress", "ideal", "nadir", "living", "feasible", "failed"):
        np.testing.assert_array_equal(getattr(one.history, name), getattr(other.history, name))


def kill_and_go_on(directory: Path, kills: int) -> None:
    """Kills a run at random moments, goes on each time, and compares with one that nobody has killed."""
    rng = random.Random(kills)
    for _ in range(kills):
        child = start(directory)
        before = reached(directory)
        wait_for_news(child, directory, beyond=before)
        time.sleep(rng.uniform(0.0, 0.05))
        child.kill()
        child.join()
        assert child.exitcode == -signal.SIGKILL
        if reached(directory) >= killed_child.GENERATIONS:
            pytest.fail("the run was over before it could be killed")
    last = start(directory)
    last.join()
    assert last.exitcode == 0
    assert_same_run(load(directory), killed_child.run(None))


def test_three_kills_do_not_change_a_bit(tmp_path):
    kill_and_go_on(tmp_path / "run", 3)


@pytest.mark.slow
@pytest.mark.parametrize("kills", [9, 10, 11])
def test_thirty_kills_do_not_change_a_bit(tmp_path, kills):
    kill_and_go_on(tmp_path / "run", kills)


class PowerCut(BaseException):
    """Nothing catches it, as nothing catches SIGKILL."""


class Fuse:
    """Blows at the k-th operation on files."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.left = 10**9
        self.count = 0
        for owner, name in ((os, "open"), (os, "fsync"), (Path, "replace"), (Path, "unlink")):
            monkeypatch.setattr(owner, name, self.guarded(getattr(owner, name)))

    def guarded(self, operation):
        def call(*arguments, **options):
            self.count += 1
            if self.left <= 0:
                raise PowerCut
            self.left -= 1
            return operation(*arguments, **options)

        return call


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_a_power_cut_at_any_operation_on_files_loses_nothing(tmp_path, monkeypatch, step):
    problem, algorithm = tr.problems.ZDT1(variables=5), tr.TensorRVEA(population=8)

    def run(directory: Path | None) -> tr.Result:
        return tr.optimize(problem, algorithm, generations=2, seed=1, directory=directory, checkpoint_seconds=0.0)

    monkeypatch.setattr("tensorrvea.runs.keep.SHARE", 1e9)
    whole = run(None)
    fuse = Fuse(monkeypatch)
    run(tmp_path / "whole")
    operations = fuse.count
    assert operations > 20
    for left in range(0, operations, step):
        directory = tmp_path / str(left)
        fuse.left = left
        with pytest.raises(PowerCut):
            run(directory)
        fuse.left = 10**9
        assert_same_run(run(directory), whole)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_saves_and_leaves_and_the_run_goes_on(tmp_path, number):
    generation = []

    def interrupt(result: tr.Result) -> None:
        generation.append(result.generations)
        if result.generations == 20:
            signal.raise_signal(number)

    problem, algorithm = tr.problems.ZDT1(variables=5), tr.TensorRVEA(population=8)
    options = {"generations": 60, "seed": 1, "directory": tmp_path / "run"}
    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt if number == signal.SIGINT else SystemExit) as left:
        tr.optimize(problem, algorithm, callbacks=interrupt, **options)
    if number == signal.SIGTERM:
        assert left.value.code == 143
    assert signal.getsignal(number) is before
    assert load(tmp_path / "run").generations == 20 == generation[-1]
    assert load(tmp_path / "run").stopped == "not finished"
    assert_same_run(
        tr.optimize(problem, algorithm, **options),
        tr.optimize(problem, algorithm, generations=60, seed=1),
    )
