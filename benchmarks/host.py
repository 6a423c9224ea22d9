"""Utilisation of workers on the host, and the cost of a killed worker.

    python benchmarks/host.py [processes] [ray]

Each individual sleeps for 50 ms, in place of a simulator; the ideal time is their sum divided by the workers. The time
to start the workers is excluded and reported separately.
"""

import argparse
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorrvea.host import HostProblem

INDIVIDUALS, SECONDS, WORKERS = 200, 0.05, 2
KINDS: dict[str, dict[str, Any]] = {"processes": {}, "ray": {"executor": "ray"}}


def simulate(x: np.ndarray) -> tuple[float, float]:
    time.sleep(SECONDS)
    return x[0], os.getpid()


def evaluate_timed(problem: HostProblem, x: np.ndarray) -> tuple[np.ndarray, float]:
    started = time.perf_counter()
    f, _ = problem.evaluate_host(None, x)
    return f, time.perf_counter() - started


def kill_during(work: Callable[[], tuple[np.ndarray, float]], process: int) -> tuple[np.ndarray, float]:
    """Run ``work`` and kill a process halfway through."""
    killer = threading.Timer(INDIVIDUALS * SECONDS / WORKERS / 2, os.kill, (process, signal.SIGKILL))
    killer.start()
    try:
        return work()
    finally:
        killer.join()


def start_workers(problem: HostProblem, x: np.ndarray) -> float:
    """Seconds until all workers have evaluated."""
    started = time.perf_counter()
    while len(set(problem.evaluate_host(None, x[: 4 * WORKERS])[0][:, 1])) < WORKERS:
        pass
    return time.perf_counter() - started


def report(kind: str) -> None:
    x = np.linspace(0, 1, INDIVIDUALS)[:, None]
    ideal = INDIVIDUALS * SECONDS / WORKERS
    options = KINDS[kind]
    with HostProblem(simulate, lower=[0], upper=[1], objectives=2, workers=WORKERS, **options) as problem:
        starting = start_workers(problem, x)
        plain, seconds = evaluate_timed(problem, x)
        killed, with_kill = kill_during(lambda: evaluate_timed(problem, x), int(plain[-1, 1]))
        survived = bool((killed[:, 0] == x[:, 0]).all()) and not problem.failures
    replaced = len(set(killed[:, 1]) - set(plain[:, 1]))
    each = f"{INDIVIDUALS} individuals of {SECONDS * 1000:.0f} ms on {WORKERS} workers"
    print(f"{kind}: {each}, ideal {ideal:.2f} s")
    print(f"  workers started in    {starting:6.2f} s")
    print(f"  evaluated in          {seconds:6.2f} s = {seconds / ideal:.3f} × ideal")
    print(f"  with a killed worker  {with_kill:6.2f} s = {with_kill / ideal:.3f} × ideal;", end=" ")
    print(f"{'nothing' if survived else 'something'} lost, {replaced} worker(s) replaced")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="kind", help=" or ".join(KINDS) + "; all if none is given")
    kinds = parser.parse_args().kinds or list(KINDS)
    if unknown := set(kinds) - set(KINDS):
        parser.error(f"kind must be one of {', '.join(KINDS)}, got {', '.join(unknown)}")
    for kind in kinds:
        report(kind)


if __name__ == "__main__":
    main()
