"""Workers end with the run that needs them, whatever they do and however it ends."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import uuid

import numpy as np
import pytest
import simulators
from processes_left import carriers, wait_until_none_left

from tensorrvea.host import HostProblem, guard

pytestmark = pytest.mark.skipif(not guard.IS_SUPPORTED, reason="processes are found in /proc")
X = np.linspace(3, -3, 13)[:, None]


def make(function, **arguments):
    return HostProblem(function, **({"lower": [-3.0], "upper": [3.0], "objectives": 2} | arguments))


SCRIPT = """
import os, re, subprocess, sys
import numpy as np
from tensorrvea.host import HostProblem

def simulate(x):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"], start_new_session=True)
    os.write(1, b"at work\\n")
    re.match(r"(a+)+$", "a" * 60 + "b")  # holds the interpreter lock for years
    return x[0], 1.0

problem = HostProblem(simulate, lower=[-3.0], upper=[3.0], objectives=2, workers=2)
os.write(1, b"starting\\n")
problem.evaluate_host(None, np.zeros((2, 1)))
"""


def start_script() -> tuple[subprocess.Popen, str]:
    mark = f"MARK_{uuid.uuid4().hex}"
    command, environment = [sys.executable, "-c", SCRIPT], os.environ | {mark: "1"}
    run = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True, start_new_session=True)
    assert run.stdout.readline() == "starting\n"
    return run, mark


def kill(run: subprocess.Popen) -> None:
    run.send_signal(signal.SIGKILL)
    run.stdout.close()
    run.wait()


def test_programs_in_their_own_session_and_functions_that_hold_the_lock_end_with_a_killed_run():
    run, mark = start_script()
    assert run.stdout.readline() == run.stdout.readline() == "at work\n"
    assert len(carriers(mark)) >= 5
    kill(run)
    wait_until_none_left(mark)


@pytest.mark.parametrize("delay", [0.05, 0.3, *(pytest.param(k / 20, marks=pytest.mark.slow) for k in range(2, 17))])
def test_workers_end_with_a_run_that_is_killed_while_they_start(delay):
    run, mark = start_script()
    time.sleep(delay)
    kill(run)
    wait_until_none_left(mark)


@pytest.mark.parametrize("function", [simulators.leaves_thread, simulators.leaves_fork])
def test_closing_ends_what_a_function_left_behind(monkeypatch, function):
    monkeypatch.setattr("tensorrvea.host.workers.GRACE", 0.5)
    problem = make(function, workers=1)
    problem.evaluate_host(None, X[:1])
    mark = problem._pool._idle[0]._mark
    ((name, value),) = mark.items()
    assert carriers(f"{name}={value}")
    problem.close()
    wait_until_none_left(f"{name}={value}")


def test_a_multiprocessing_process_with_workers_ends():
    process = multiprocessing.get_context("spawn").Process(target=simulators.use_workers_in_a_process)
    process.start()
    process.join(60)
    assert process.exitcode == 0


def test_closing_from_another_thread_ends_the_batch():
    problem = make(simulators.waits, workers=1)
    threading.Timer(1.5, problem.close).start()
    with pytest.raises(RuntimeError, match="closed by another thread"):
        problem.evaluate_host(None, X[:2])
    with make(simulators.schaffer, workers=1) as other:
        other.close()
        assert np.isfinite(other.evaluate_host(None, X[:1])[0]).all()


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (simulators.huge, "gave NaN or an infinite number"),
        (simulators.raises_without_message, "its message cannot be shown"),
    ],
)
def test_a_hostile_output_or_exception_costs_the_individual(function, message):
    problem = make(function)
    f, _ = problem.evaluate_host(None, X[:2])
    assert np.isnan(f).all()
    ((text, count),) = problem.failures
    assert message in text
    assert count == 2


def test_a_time_out_of_centuries_is_no_time_out():
    with make(simulators.schaffer, workers=1, timeout=1e10) as problem:
        assert np.isfinite(problem.evaluate_host(None, X[:1])[0]).all()
