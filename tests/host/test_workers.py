"""HostProblem with worker processes and executors."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import jax
import numpy as np
import pytest
import simulators

from tensorrvea.host import HostProblem

KEY = jax.random.key(0)
X = np.linspace(3, -3, 13)[:, None]
F = np.concatenate([X**2, (X - 2) ** 2], axis=1)


def make(function=simulators.schaffer, **arguments):
    return HostProblem(function, **({"lower": [-3.0], "upper": [3.0], "objectives": 2} | arguments))


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the condition did not hold in time"
        time.sleep(0.02)


def is_running(process):
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rsplit(")", 1)[1].split()[0] != "Z"


def test_order_is_kept_and_values_agree_with_this_process():
    with make(simulators.slower_for_larger, workers=2, constraints=simulators.limit) as problem:
        for _ in range(2):  # the second batch finds the workers ready
            f, g = problem.evaluate_host(KEY, X)
            np.testing.assert_array_equal(f, F)
            np.testing.assert_array_equal(np.maximum(g, 0), np.maximum(X - 1, 0))


def test_workers_are_other_processes_that_stay_between_batches():
    with make(simulators.process_id, workers=2) as problem:
        first = set(problem.evaluate_host(KEY, X)[0][:, 0])
        second = set(problem.evaluate_host(KEY, X)[0][:, 0])
    assert len(first) == 2
    assert first == second
    assert os.getpid() not in first
    assert not any(is_running(int(process)) for process in first)


def test_batches_are_divided_into_one_block_per_worker():
    with make(simulators.batched_schaffer, batched=True, workers=2) as problem:
        f, _ = problem.evaluate_host(KEY, X)
    np.testing.assert_array_equal(f, F)


@pytest.mark.parametrize("batched", [False, True])
def test_an_unpicklable_exception_fails_only_that_individual(batched):
    function = simulators.batched_fails_above_two if batched else simulators.fails_above_two
    with make(function, batched=batched, workers=2) as problem:
        f, _ = problem.evaluate_host(KEY, X)
    failed = X[:, 0] > 2
    np.testing.assert_array_equal(np.isnan(f).all(axis=1), failed)
    np.testing.assert_array_equal(f[~failed], F[~failed])
    ((message, count),) = problem.failures
    assert message.startswith("SolverError: no convergence (code 7) (simulators.py:")
    assert count == failed.sum()


@pytest.mark.parametrize("function", [simulators.killed_above_two, simulators.exits_above_two])
def test_an_individual_that_ends_its_worker_twice_fails(function):
    x = X[1:]  # one row above 2
    with make(function, workers=2) as problem:
        f, _ = problem.evaluate_host(KEY, x)
    assert np.isnan(f[0]).all()
    np.testing.assert_array_equal(f[1:], F[2:])
    assert problem.failures == [("its worker process was killed", 1)]


def test_a_worker_killed_during_a_batch_loses_nothing(tmp_path):
    with make(simulators.KilledOnce(tmp_path / "mark"), workers=2) as problem:
        f, _ = problem.evaluate_host(KEY, X)
    np.testing.assert_array_equal(f, F)
    assert problem.failures == []


def test_a_worker_killed_between_batches_loses_nothing():
    with make(simulators.process_id, workers=2) as problem:
        first = {int(process) for process in problem.evaluate_host(KEY, X)[0][:, 0]}
        for process in first:
            os.kill(process, signal.SIGKILL)
        wait_until(lambda: not any(is_running(process) for process in first))
        f, _ = problem.evaluate_host(KEY, X)
    np.testing.assert_array_equal(f[:, 1], X[:, 0])
    assert first.isdisjoint(set(f[:, 0]))
    assert problem.failures == []


def test_a_time_out_fails_only_that_individual():
    x = X[1:]
    with make(simulators.hangs_above_two, workers=2, timeout=0.5) as problem:
        f, _ = problem.evaluate_host(KEY, x)
    assert np.isnan(f[0]).all()
    np.testing.assert_array_equal(f[1:], F[2:])
    assert problem.failures == [("took longer than 0.5 s", 1)]


def test_a_time_out_ends_programs_that_the_function_started(tmp_path):
    note = tmp_path / "process"
    with make(simulators.StartsProgram(note), workers=1, timeout=1.0) as problem:
        problem.evaluate_host(KEY, X[:1])
        assert problem.failures == [("took longer than 1 s", 1)]
    wait_until(lambda: not is_running(int(note.read_text())))


@pytest.mark.parametrize("error", [True, False])
@pytest.mark.parametrize("workers", [None, 1])
def test_failures_are_retried(tmp_path, error, workers):
    with make(simulators.FailsOnce(tmp_path / "mark", error), workers=workers, retries=1) as problem:
        f, _ = problem.evaluate_host(KEY, X)
    np.testing.assert_array_equal(f, F)
    assert problem.failures == []


@pytest.mark.parametrize("retries", [0, 3])
def test_retries_are_counted(retries):
    calls = []

    def never(x):
        calls.append(x)
        raise RuntimeError("never")

    problem = make(never, retries=retries)
    problem.evaluate_host(KEY, X[:2])
    assert len(calls) == 2 * (1 + retries)
    assert [count for _, count in problem.failures] == [2]


def test_outputs_of_the_wrong_shape_end_the_run_and_the_workers():
    problem = make(workers=2, objectives=3)
    before = set(multiprocessing.active_children())
    with pytest.raises(ValueError, match=r"function must give shape \(3,\) for x of shape \(1,\), got shape \(2,\)"):
        problem.evaluate_host(KEY, X)
    assert set(multiprocessing.active_children()) <= before


@pytest.mark.parametrize("batched", [False, True])
def test_noise_depends_only_on_the_key_and_the_row(batched):
    function = simulators.batched_noisy if batched else simulators.noisy
    here = make(function, batched=batched, stochastic=True)
    f, _ = here.evaluate_host(KEY, X)
    assert len(np.unique(f[:, 1])) == len(X)
    np.testing.assert_array_equal(here.evaluate_host(KEY, X)[0], f)
    np.testing.assert_array_equal(make(simulators.noisy, stochastic=True).evaluate_host(KEY, X)[0], f)
    assert (here.evaluate_host(jax.random.key(1), X)[0][:, 1] != f[:, 1]).all()
    with make(function, batched=batched, stochastic=True, workers=2) as elsewhere:
        np.testing.assert_array_equal(elsewhere.evaluate_host(KEY, X)[0], f)


def test_blocks_of_several_keys_draw_independently():
    problem = make(simulators.noisy, stochastic=True)
    keys = jax.random.split(KEY, 3)
    together, _ = problem.evaluate_host(keys, np.concatenate([X, X, X]))
    alone = [problem.evaluate_host(key, X)[0] for key in keys]
    np.testing.assert_array_equal(together, np.concatenate(alone))
    with pytest.raises(ValueError, match="same number of rows for each of 3 keys, got 13 rows"):
        problem.evaluate_host(keys, X)
    with pytest.raises(TypeError, match="key must be given for a stochastic problem"):
        problem.evaluate_host(None, X)


@pytest.mark.parametrize("batched", [False, True])
def test_a_users_executor_is_used_and_left_open(batched):
    function = simulators.batched_schaffer if batched else simulators.schaffer
    with ThreadPoolExecutor(2) as executor:
        f, _ = make(function, executor=executor, batched=batched).evaluate_host(KEY, X)
        np.testing.assert_array_equal(f, F)
        assert executor.submit(abs, -1).result() == 1


def test_a_users_broken_executor_ends_the_run():
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        problem = make(simulators.killed_above_two, executor=executor)
        f, _ = problem.evaluate_host(KEY, X[2:])
        np.testing.assert_array_equal(f, F[2:])
        with pytest.raises(RuntimeError, match=r"executor that was given is broken .* workers= replaces"):
            problem.evaluate_host(KEY, X)


def test_functions_that_cannot_be_imported_are_pickled():
    factor = 3
    with make(lambda x: (factor * x[0], 1.0), constraints=lambda _: factor, workers=2) as problem:
        f, g = problem.evaluate_host(KEY, X)
    np.testing.assert_array_equal(f[:, :1], 3 * X)
    np.testing.assert_array_equal(g, np.full((len(X), 1), 3))


def test_unpicklable_functions_are_rejected():
    lock = threading.Lock()
    for arguments in ({"function": lambda _: lock}, {"constraints": lambda _: lock}):
        with pytest.raises(TypeError, match=r"cannot be sent to a worker .* made inside the function"):
            make(workers=2, **arguments)


def test_a_worker_does_not_import_jax_or_use_the_gpu():
    with make(simulators.environment, workers=1) as problem:
        f, _ = problem.evaluate_host(KEY, X[:1])
    assert f.tolist() == [[0.0, float(os.environ.get("JAX_PLATFORMS", "cpu") == "cpu")]]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"workers": 0}, ValueError, "workers must be at least 1, got 0"),
        ({"workers": 1.5}, TypeError, "workers takes a whole number, got 1.5"),
        (
            {"executor": "dask"},
            TypeError,
            "executor takes None, 'ray' or a concurrent.futures.Executor, got 'dask'",
        ),
        ({"retries": -1}, ValueError, "retries must be at least 0, got -1"),
        ({"timeout": 0, "workers": 1}, ValueError, r"timeout must be a finite number in \(0, inf\), got 0"),
        ({"timeout": 1}, ValueError, "timeout needs workers= or executor='ray': a call in this process"),
        (
            {"timeout": 1, "executor": ThreadPoolExecutor(1)},
            ValueError,
            "in an executor of your own cannot be ended",
        ),
    ],
)
def test_invalid_arguments_are_rejected(arguments, error, message):
    with pytest.raises(error, match=message):
        make(**arguments)


def test_equality_includes_workers():
    assert make(workers=2, timeout=1.0) == make(workers=2, timeout=1.0)
    assert make(workers=2) != make(workers=3)


def test_workers_stop_when_the_problem_is_collected():
    problem = make(simulators.process_id, workers=1)
    process = int(problem.evaluate_host(KEY, X[:1])[0][0, 0])
    assert is_running(process)
    del problem
    wait_until(lambda: not is_running(process))


SCRIPT = """
import os
import signal
import time
import numpy as np
import tensorrvea as tr

# A shell that runs this in the background makes it ignore interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)

def simulate(x):
    os.write(1, b"at work\\n")  # in one piece, since two workers write
    time.sleep({seconds})
    return x[0], 1.0

problem = tr.HostProblem(simulate, lower=[-3.0], upper=[3.0], objectives=2, workers=2)
print(problem.evaluate_host(None, np.zeros((2, 1)))[0].tolist(), flush=True)
"""


def children(process):
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_or_killed_run_leaves_no_process_behind(how):
    command = [sys.executable, "-c", SCRIPT.format(seconds=1000)]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    assert run.stdout.readline() == run.stdout.readline() == "at work\n"
    workers = children(run.pid)
    assert len(workers) >= 2
    os.kill(run.pid, how)
    _, errors = run.communicate(timeout=60)
    assert run.returncode != 0
    assert ("KeyboardInterrupt" in errors) == (how == signal.SIGINT)
    wait_until(lambda: not any(is_running(worker) for worker in workers))


@pytest.mark.parametrize("as_file", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_scripts_need_no_main_guard_and_sessions_can_use_workers(tmp_path, as_file):
    script = SCRIPT.format(seconds=0.01)
    (tmp_path / "script.py").write_text(script)
    command = [sys.executable, *([str(tmp_path / "script.py")] if as_file else ["-c", script])]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.stdout.splitlines() == ["at work", "at work", "[[0.0, 1.0], [0.0, 1.0]]"], run.stderr
    assert run.returncode == 0
    assert run.stderr == ""
