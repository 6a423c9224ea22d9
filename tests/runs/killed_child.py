"""Runs of eight shapes that save every few generations, to be killed by a test."""

import os
from collections.abc import Callable
from contextlib import suppress

import jax
import numpy as np

import tensorrvea as tr
from tensorrvea.cli.main import execute
from tensorrvea.driver import schedule
from tensorrvea.runs import SpecDiffersError, keep

# Children are forked before JAX has started, so that flags still count.
DEVICES = "--xla_force_host_platform_device_count=2"


def ignore(_: tr.Result) -> None:
    """A callback, for chunks of ``every`` generations."""


def search(directory: str, problem: tr.Problem, algorithm: tr.Evolution, **options) -> None:
    fixed = {"seed": 7, "directory": directory, "checkpoint_seconds": 0.0, "callbacks": ignore}
    tr.optimize(problem, algorithm, **fixed | {"generations": 240, "every": 4} | options)


def one_run(directory: str, *, is_whole: bool) -> None:
    del is_whole
    search(directory, tr.problems.DTLZ2(objectives=3), tr.TensorRVEA(population=28, variation=tr.PSO()))


def batch(directory: str, *, is_whole: bool) -> None:
    del is_whole
    tr.replicate(
        tr.problems.ZDT1(variables=6), tr.NSGA2(population=12), seeds=[1, 2, 3], generations=2000,
        directory=directory, checkpoint_seconds=0.0,
    )  # fmt: skip


def devices(directory: str, *, is_whole: bool) -> None:
    """On two devices; the run that is not killed has one."""
    problem, algorithm = tr.problems.DTLZ2(objectives=3), tr.TensorRVEA(population=28, variation=tr.CSO())
    search(directory, problem, algorithm, devices=None if is_whole else 2)


def records(directory: str, *, is_whole: bool) -> None:
    """With constraints, an archive, metrics, individuals to start from, and all populations recorded."""
    del is_whole
    problem = tr.problems.C1DTLZ1(objectives=2, variables=5)
    search(
        directory, problem, tr.TensorRVEA(population=12, variation=tr.DE()), history="populations", archive=20,
        x=np.linspace(0.1, 0.9, 40).reshape(8, 5), metrics={"spacing": tr.metrics.device.spacing},
    )  # fmt: skip


def schaffer(x: np.ndarray) -> tuple[float, float]:
    return x[0] ** 2 + x[1], (x[0] - 2) ** 2 + x[1]


def host_problem(**options) -> tr.HostProblem:
    return tr.HostProblem(schaffer, lower=[-3.0, 0.0], upper=[3.0, 1.0], objectives=2, **options)


def host(directory: str, *, is_whole: bool) -> None:
    del is_whole
    search(directory, host_problem(), tr.TensorRVEA(population=8), generations=60)


def workers(directory: str, *, is_whole: bool) -> None:
    """With worker processes; the run that is not killed evaluates in its own process."""
    problem = host_problem(workers=None if is_whole else 2)
    search(directory, problem, tr.TensorRVEA(population=8), generations=60)


def extended(directory: str, *, is_whole: bool) -> None:
    """A finished run that gets a larger budget."""
    del is_whole
    with suppress(SpecDiffersError):  # it has its larger budget already
        search(directory, tr.problems.ZDT3(variables=6), tr.NSGA3(population=12), generations=40)
    tr.resume(directory, generations=240, checkpoint_seconds=0.0, callbacks=ignore)


def command(directory: str, *, is_whole: bool) -> None:
    """From the command line, in double precision, with a stopping rule."""
    del is_whole
    words = "run DTLZ7 --double --population 15 --generations 240 --history fronts --every 4 --stop-metric igd<=0"
    assert execute([*words.split(), "--checkpoint-seconds", "0", "--seed", "3", "--out", directory]) == 0


SHAPES: dict[str, Callable[..., None]] = {
    shape.__name__: shape for shape in (one_run, batch, devices, records, host, workers, extended, command)
}


def run(shape: str, directory: str, mark: str, *, is_whole: bool) -> None:
    """Run a shape in a process of its own, whose descendants carry a mark in their environment."""
    os.environ[mark] = "1"
    if shape == "devices" and not is_whole:
        os.environ["XLA_FLAGS"] = DEVICES
    if not is_whole:  # a process that is killed while it writes to JAX's cache leaves half a file there
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 1e9)
    keep.SHARE, schedule.CHUNK_SECONDS = 1e9, 0.01
    SHAPES[shape](directory, is_whole=is_whole)
