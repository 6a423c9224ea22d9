"""Killed and interrupted runs resume without changing a bit."""

import multiprocessing
import os
import random
import signal
import time
import uuid
from multiprocessing.process import BaseProcess
from pathlib import Path

import jax
import killed_child
import numpy as np
import pytest
from processes_left import wait_until_none_left

import tensorrvea as tr
from tensorrvea import load
from tensorrvea.runs import checkpoint

# Children are forked from a server process that has imported the library and does nothing else.
CHILDREN = multiprocessing.get_context("forkserver")
CHILDREN.set_forkserver_preload(["killed_child"])
# 60 kills by default; TENSORRVEA_KILLS=500 makes it 500, for a nightly command.
KILLS = int(os.environ.get("TENSORRVEA_KILLS", "60"))
SHAPES = list(killed_child.SHAPES)
# Seconds within which some children are killed, whatever they are doing, such as compiling.
STARTING = 3.0


def start(shape: str, directory: Path, mark: str, *, is_whole: bool = False) -> BaseProcess:
    child = CHILDREN.Process(target=killed_child.run, args=(shape, str(directory), mark), kwargs={"is_whole": is_whole})
    child.start()
    return child


def reached(directory: Path) -> int:
    return max(checkpoint.saved_generations(directory), default=-1) if directory.exists() else -1


def wait_for_checkpoint(child: BaseProcess, directory: Path) -> None:
    """Wait until the child has saved a new checkpoint, so that it is running and not compiling."""
    before, deadline = reached(directory), time.monotonic() + 120
    while child.is_alive() and reached(directory) <= before and time.monotonic() < deadline:
        time.sleep(0.002)


def kill(shape: str, directory: Path, mark: str, rng: random.Random) -> bool:
    """Start or resume a run, and kill it at a random moment; return whether it had not ended before."""
    child = start(shape, directory, mark)
    if rng.random() < 0.75:
        wait_for_checkpoint(child, directory)
        time.sleep(rng.uniform(0.0, 0.05))
    else:
        time.sleep(rng.uniform(0.0, STARTING))
    child.kill()
    child.join()
    assert child.exitcode in (0, -signal.SIGKILL)
    wait_until_none_left(mark)
    return child.exitcode != 0


def assert_same_run(one: tr.Result, other: tr.Result) -> None:
    for name in ("population", "front"):
        ours, theirs = getattr(one, name), getattr(other, name)
        for part in ("X", "F", "violation"):
            np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part))
    for name in ("generation", "progress", "ideal", "nadir", "living", "feasible", "failed"):
        np.testing.assert_array_equal(getattr(one.history, name), getattr(other.history, name))
    for name in one.history.metrics:
        np.testing.assert_array_equal(one.history.metrics[name], other.history.metrics[name])
    for ours, theirs in zip(one.history.populations or (), other.history.populations or (), strict=True):
        np.testing.assert_array_equal(ours.F, theirs.F)


def assert_same_runs(directory: Path, whole: Path, *, is_double: bool) -> None:
    with jax.enable_x64(is_double):
        results = [load(path) for path in (directory, whole)]
    one, other = (result if isinstance(result, list) else [result] for result in results)
    for ours, theirs in zip(one, other, strict=True):
        assert_same_run(ours, theirs)
    with np.load(directory / "result.npz") as ours, np.load(whole / "result.npz") as theirs:
        for name in theirs.files:
            np.testing.assert_array_equal(ours[name], theirs[name])


def kill_and_resume(place: Path, shape: str, kills: int, seed: int = 0) -> int:
    """Kill and resume runs at random moments, and compare each with one that was not killed; return how many ended."""
    rng, mark = random.Random(seed), f"MARK_{uuid.uuid4().hex}"
    whole = start(shape, place / "whole", mark, is_whole=True)
    whole.join()
    assert whole.exitcode == 0
    done = ended = 0
    while done < kills:
        directory = place / str(ended)
        while done < kills and kill(shape, directory, mark, rng):
            done += 1
        last = start(shape, directory, mark)
        last.join()
        assert last.exitcode == 0
        wait_until_none_left(mark)
        assert_same_runs(directory, place / "whole", is_double=shape == "command")
        ended += 1
    return ended


@pytest.mark.filterwarnings("ignore:.*resumed in another environment")
def test_three_kills_do_not_change_a_bit(tmp_path):
    kill_and_resume(tmp_path, "one_run", 3)


@pytest.mark.slow
@pytest.mark.timeout(30 * KILLS + 600)
@pytest.mark.parametrize("shape", SHAPES)
def test_many_kills_do_not_change_a_bit(tmp_path, record_property, shape):
    number = SHAPES.index(shape)
    kills = KILLS // len(SHAPES) + (number < KILLS % len(SHAPES))
    runs = kill_and_resume(tmp_path, shape, kills, seed=number)
    record_property("SIGKILLs", kills)
    record_property("killed runs compared, 0 bits different, 0 processes left", runs)


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
