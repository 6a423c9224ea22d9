"""Ctrl-C gives what a run has found, and loses nothing."""

import signal
import time
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import pytest

import tensorrvea as tr
from tensorrvea.cli.main import execute
from tensorrvea.driver.search import Observer
from tensorrvea.driver.signals import WAITING, Interrupted, Signals, raise_interrupts

PROBLEM, ALGORITHM = tr.problems.ZDT1(variables=5), tr.TensorRVEA(population=8)
BUDGET = {"generations": 40, "seed": 1}


@pytest.fixture(autouse=True)
def _heeded():
    """Heed Ctrl-C also where the tests run in the background of a shell, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def interrupt_at(generation: int, times: int = 1):
    def callback(result: tr.Result) -> None:
        if result.generations == generation:
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)

    return callback


def test_an_interrupted_run_returns_what_it_has_found(capsys):
    whole = tr.optimize(PROBLEM, ALGORITHM, history="fronts", **BUDGET)
    result = tr.optimize(PROBLEM, ALGORITHM, callbacks=interrupt_at(20), **BUDGET)
    assert result.stopped == "interrupted"
    assert result.generations == 20
    np.testing.assert_array_equal(result.F, whole.history.fronts[20])
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "interrupted at generation 20 of 40; the result has what was found until then"


def test_a_second_interrupt_leaves_at_once():
    with pytest.raises(KeyboardInterrupt) as left:
        tr.optimize(PROBLEM, ALGORITHM, callbacks=interrupt_at(20, times=2), **BUDGET)
    assert left.type is KeyboardInterrupt


def test_an_interrupt_before_the_first_generation_leaves_at_once(monkeypatch):
    monkeypatch.setattr("tensorrvea.driver.search.Search.prepare", lambda _: signal.raise_signal(signal.SIGINT))
    with pytest.raises(Interrupted, match="before the first generation"):
        tr.optimize(PROBLEM, ALGORITHM, **BUDGET)


def test_an_interrupted_run_in_a_directory_is_saved_and_resumes(tmp_path, capsys):
    where = tmp_path / "run"
    result = tr.optimize(PROBLEM, ALGORITHM, callbacks=interrupt_at(20), directory=where, **BUDGET)
    assert (result.stopped, result.generations) == ("interrupted", 20)
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"saved at generation 20 of 40 in {where}; call again to resume"
    result = tr.resume(where, callbacks=interrupt_at(30))
    assert (result.stopped, result.generations) == ("interrupted", 30)
    resumed = tr.optimize(PROBLEM, ALGORITHM, directory=where, **BUDGET)
    np.testing.assert_array_equal(resumed.F, tr.optimize(PROBLEM, ALGORITHM, **BUDGET).F)
    assert resumed.stopped == "budget spent"


def test_an_interrupt_while_a_resumed_run_compiles_returns_the_checkpoint(tmp_path, monkeypatch):
    options = BUDGET | {"directory": tmp_path / "run"}
    tr.optimize(PROBLEM, ALGORITHM, callbacks=interrupt_at(20), **options)
    monkeypatch.setattr(
        "tensorrvea.driver.evaluators.StepEvaluator.prepare", lambda *_: signal.raise_signal(signal.SIGINT)
    )
    monkeypatch.setattr(
        "tensorrvea.driver.evaluators.ChunkEvaluator.prepare", lambda *_: signal.raise_signal(signal.SIGINT)
    )
    result = tr.optimize(PROBLEM, ALGORITHM, **options)
    assert (result.stopped, result.generations) == ("interrupted", 20)


def test_a_program_of_several_runs_is_left(tmp_path):
    for options in ({}, {"directory": tmp_path / "run"}):
        with raise_interrupts(), pytest.raises(Interrupted, match="generation 20 of 40"):
            tr.optimize(PROBLEM, ALGORITHM, callbacks=interrupt_at(20), **BUDGET, **options)


def test_the_command_line_says_how_far_the_run_got(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("tensorrvea.cli.run.standard_observers", lambda *_, **__: [InterruptAt(7)])
    assert execute(["run", "ZDT1", "--generations", "40", "--population", "8", "--out", str(tmp_path / "run")]) == 130
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"saved at generation 7 of 40; to continue: tensorrvea resume {tmp_path / 'run'}"
    assert tr.load(tmp_path / "run").generations == 7


class InterruptAt(Observer):
    """An observer that interrupts, in chunks of one generation."""

    def __init__(self, generation: int):
        self.generation = generation

    def start(self, search) -> None:
        search.schedule.every = 1

    def after(self, search) -> None:
        if search.generation == self.generation:
            signal.raise_signal(signal.SIGINT)

    def close(self) -> None: ...


def test_a_slow_problem_says_what_it_waits_for(capsys):
    def slow(x):
        time.sleep(0.001)
        return x[0], 1 - x[0]

    problem = tr.HostProblem(slow, lower=[0.0], upper=[1.0], objectives=2)
    result = tr.optimize(problem, ALGORITHM, callbacks=interrupt_at(2), every=1, **BUDGET)
    assert result.generations == 2
    assert capsys.readouterr().err.splitlines()[0] == WAITING


def test_an_ignored_signal_stays_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with Signals((signal.SIGINT,), has_progress=lambda: True) as signals:
        signal.raise_signal(signal.SIGINT)
    assert signals.received is None
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_failures_are_kept_over_a_resume(tmp_path):
    def fails(x):
        if x[0] > 0.7:
            raise ValueError("too large \udc80")
        return x[0], 1 - x[0]

    def make() -> tr.HostProblem:
        return tr.HostProblem(fails, lower=[0.0, 0.0], upper=[1.0, 1.0], objectives=2)

    whole = make()
    tr.optimize(whole, ALGORITHM, **BUDGET)
    first, where = make(), tmp_path / "run"
    tr.optimize(first, ALGORITHM, callbacks=interrupt_at(3), every=1, directory=where, **BUDGET)
    assert tr.load(where).problem.failures == first.failures
    second = make()
    tr.resume(where, problem=second)
    ((message, count),) = whole.failures
    assert sum(n for _, n in second.failures) == count
    assert "too large" in message
    assert tr.load(where).failed == count


def test_an_interrupted_process_of_an_executor_is_no_failed_evaluation():
    class Interrupting(ThreadPoolExecutor):
        def submit(self, *_, **__):
            future = Future()
            future.set_exception(KeyboardInterrupt())
            return future

    def schaffer(x):
        return x[0] ** 2, (x[0] - 2) ** 2

    with Interrupting() as executor:
        problem = tr.HostProblem(schaffer, lower=[0.0], upper=[1.0], objectives=2, executor=executor)
        with pytest.raises(KeyboardInterrupt):
            problem.evaluate_host(None, np.zeros((2, 1)))
    assert problem.failures == []
