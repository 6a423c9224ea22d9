"""HostProblem on a Ray cluster on this machine, which is slow to start."""

import os
import signal
import socket
import threading
import time
from pathlib import Path

import jax
import numpy as np
import pytest
import simulators

from tensorrvea.host import HostProblem

ray = pytest.importorskip("ray")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

KEY = jax.random.key(0)
X = np.linspace(3, -3, 13)[:, None]
F = np.concatenate([X**2, (X - 2) ** 2], axis=1)


@pytest.fixture(scope="module", autouse=True)
def cluster():
    yield
    ray.shutdown()


def make(function=simulators.schaffer, **arguments):
    default = {"lower": [-3.0], "upper": [3.0], "objectives": 2, "executor": "ray", "workers": 2}
    return HostProblem(function, **(default | arguments))


def test_an_address_where_nothing_listens_is_refused_before_ray_tries_it(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{port}")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", lambda **_: pytest.fail("Ray tries for minutes"))
    with pytest.raises(ConnectionError, match=f"no Ray cluster answers at RAY_ADDRESS '127.0.0.1:{port}'"):
        make().evaluate_host(KEY, X)
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:99999999")
    with pytest.raises(ConnectionError, match="no Ray cluster answers"):
        make().evaluate_host(KEY, X)


def test_order_is_kept_and_values_agree_with_this_process():
    with make(simulators.slower_for_larger, constraints=simulators.limit) as problem:
        f, g = problem.evaluate_host(KEY, X)
    np.testing.assert_array_equal(f, F)
    np.testing.assert_array_equal(np.maximum(g, 0), np.maximum(X - 1, 0))


def test_the_cluster_listens_on_the_loopback_device_only():
    with make() as problem:
        problem.evaluate_host(KEY, X[:1])
        assert [node["NodeManagerAddress"] for node in ray.nodes()] == ["127.0.0.1"]


def test_functions_that_cannot_be_imported_are_pickled_and_jax_is_not_imported():
    factor = 3

    def nested(x):
        import sys

        return factor * x[0], float("jax" in sys.modules)

    with make(nested) as problem:
        f, _ = problem.evaluate_host(KEY, X)
    np.testing.assert_array_equal(f, np.concatenate([3 * X, np.zeros_like(X)], axis=1))


def test_an_unpicklable_exception_fails_only_that_individual():
    with make(simulators.fails_above_two) as problem:
        f, _ = problem.evaluate_host(KEY, X)
    np.testing.assert_array_equal(np.isnan(f).all(axis=1), X[:, 0] > 2)
    ((message, count),) = problem.failures
    assert message.startswith("SolverError: no convergence (code 7) (simulators.py:")
    assert count == 2


def test_a_worker_killed_during_a_batch_loses_nothing():
    x = np.linspace(-3, 3, 60)[:, None]
    with make(simulators.process_id) as problem:
        first, _ = problem.evaluate_host(KEY, x)
        victim = int(first[-1, 0])
        killer = threading.Timer(0.5, os.kill, (victim, signal.SIGKILL))
        killer.start()
        f, _ = problem.evaluate_host(KEY, x)
        killer.join()
    np.testing.assert_array_equal(f[:, 1], x[:, 0])
    assert problem.failures == []


def test_an_individual_that_kills_its_worker_twice_fails():
    with make(simulators.exits_above_two) as problem:
        f, _ = problem.evaluate_host(KEY, X[1:])
    np.testing.assert_array_equal(f[1:], F[2:])
    assert problem.failures == [("its Ray worker was killed", 1)]


def test_a_time_out_fails_only_that_individual():
    with make(simulators.hangs_above_two, timeout=1.0) as problem:
        f, _ = problem.evaluate_host(KEY, X[1:])
    np.testing.assert_array_equal(f[1:], F[2:])
    assert problem.failures == [("took longer than 1 s", 1)]


def test_a_time_out_ends_programs_that_the_function_started(tmp_path):
    note = tmp_path / "process"
    with make(simulators.StartsProgram(note), workers=1, timeout=2.0) as problem:
        problem.evaluate_host(KEY, X[:1])
        assert problem.failures == [("took longer than 2 s", 1)]
    program = Path("/proc") / note.read_text()
    end = time.monotonic() + 20
    while program.exists():
        assert time.monotonic() < end, "the program still runs"
        time.sleep(0.1)
