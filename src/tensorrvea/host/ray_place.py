"""Evaluations on a Ray cluster: each place is an actor, a process somewhere that Ray has found room for."""

import logging
import os
import sys
import warnings
from concurrent.futures import Future
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tensorrvea.host import worker
from tensorrvea.host.places import ENVIRONMENT, failed
from tensorrvea.host.worker import Functions, Outcome

try:
    import ray
    from ray._private import ray_constants
    from ray.exceptions import RayActorError
except ImportError as error:
    raise ImportError("executor='ray' needs Ray: pip install 'tensorrvea[ray]'") from error

# The cluster's machines need NumPy and what the user's function imports, not this package.
ray.cloudpickle.register_pickle_by_value(worker)


def connect(workers: int | None) -> int:
    """Joins the cluster at hand, or starts one on this machine; gives the number of places.

    A cluster is at hand if ``ray.init`` was called before, or if RAY_ADDRESS says where it is.
    """
    if not ray.is_initialized():
        if "RAY_ADDRESS" in os.environ:
            ray.init(log_to_driver=False, logging_level=logging.ERROR)
        else:
            _start_on_this_machine(workers)
    return workers or max(int(ray.cluster_resources().get("CPU", 1)), 1)


def _start_on_this_machine(workers: int | None) -> None:
    """A cluster of one machine, whose workers find the modules that this process finds."""
    paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    # Ray lets anyone who reaches its ports run code. Without clusters, it listens on the loopback device alone.
    with patch.object(ray_constants, "ENABLE_RAY_CLUSTER", False), warnings.catch_warnings():
        # Ray's own processes are forked, and become other programs at once: nothing of JAX runs in them.
        warnings.filterwarnings("ignore", message=r"os\.fork\(\) was called", category=RuntimeWarning)
        ray.init(
            num_cpus=workers,
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
            runtime_env={"env_vars": {"PYTHONPATH": paths}},
        )


class RayPlace:
    """In an actor of a Ray cluster."""

    remedy = (
        "the cluster's machines must have what the function imports; for modules of your own, call "
        "ray.init(runtime_env={'working_dir': ...}) first"
    )

    def __init__(self, functions: Functions):
        self._functions = functions

    def open(self) -> "Future[Any]":
        functions = self._functions

        # Made here, so that the functions go with the class: sent and read once an actor, not once a call.
        class Evaluator:
            def open(self) -> None:
                """Returns once the actor is there and has read the functions."""

            def call(self, given: tuple[Any, ...]) -> Outcome:
                return worker.call(functions, given)

        actors: Any = ray.remote(num_cpus=1, max_restarts=0, runtime_env={"env_vars": ENVIRONMENT})(Evaluator)
        self._actor = actors.remote()
        return self._actor.open.remote().future()

    def start(self, given: tuple[Any, ...]) -> "Future[Outcome]":
        try:
            return self._actor.call.remote(given).future()
        except RayActorError as error:
            return failed(error)

    def lost(self, error: BaseException) -> str | None:
        return "its Ray worker was killed" if isinstance(error, RayActorError) else None

    def close(self) -> None:
        self.kill()

    def kill(self) -> None:
        if ray.is_initialized():  # else its actors ended with it
            ray.kill(self._actor)
