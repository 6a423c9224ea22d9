"""Killed and interrupted runs resume without changing a bit."""

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

# Children are forked from a server process that has imported the library and does nothing else.
CHILDREN = multiprocessing.get_context("forkserver")
CHILDREN.set_forkserver_preload(["tensorrvea.runs"])


def start(directory: Path) -> BaseProcess:
    child = CHILDREN.Process(target=killed_child.save_often, args=(str(directory),))
    child.start()
    return child


def wait_for_checkpoint(child: BaseProcess, directory: Path, *, beyond: int) -> None:
    """Wait until the child has saved a new checkpoint, so that it is running and not compiling."""
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


def kill_and_resume(directory: Path, kills: int, seed: int = 0) -> None:
    """Kill and resume a run at random moments, and compare it with an uninterrupted one."""
    rng = random.Random(seed)
    for _ in range(kills):
        child = start(directory)
        before = reached(directory)
        wait_for_checkpoint(child, directory, beyond=before)
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
    kill_and_resume(tmp_path / "run", 3)


# 60 kills by default; TENSORRVEA_KILLS=500 makes it 500, for a nightly command.
KILLS = int(os.environ.get("TENSORRVEA_KILLS", "60"))
PER_RUN = 10


@pytest.mark.slow
@pytest.mark.timeout(60 * KILLS)
def test_many_kills_do_not_change_a_bit(tmp_path):
    for number in range(KILLS // PER_RUN):
        kill_and_resume(tmp_path / str(number), PER_RUN, seed=number)


class PowerCut(BaseException):
    """An exception that nothing catches, like SIGKILL."""


class Fuse:
    """Raise ``PowerCut`` at the k-th file operation."""

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
def test_a_power_cut_at_any_file_operation_loses_nothing(tmp_path, monkeypatch, step):
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
def test_a_signal_saves_a_checkpoint_from_which_the_run_resumes(tmp_path, number):
    generation = []

    def interrupt(result: tr.Result) -> None:
        generation.append(result.generations)
        if result.generations == 20:
            signal.raise_signal(number)

    problem, algorithm = tr.problems.ZDT1(variables=5), tr.TensorRVEA(population=8)
    options = {"generations": 60, "seed": 1, "directory": tmp_path / "run"}
    before = signal.getsignal(number)
    if number == signal.SIGTERM:
        with pytest.raises(SystemExit) as left:
            tr.optimize(problem, algorithm, callbacks=interrupt, **options)
        assert left.value.code == 143
    else:
        assert tr.optimize(problem, algorithm, callbacks=interrupt, **options).stopped == "interrupted"
    assert signal.getsignal(number) is before
    assert load(tmp_path / "run").generations == 20 == generation[-1]
    assert load(tmp_path / "run").stopped == "not finished"
    assert_same_run(
        tr.optimize(problem, algorithm, **options),
        tr.optimize(problem, algorithm, generations=60, seed=1),
    )
