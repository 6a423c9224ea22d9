"""Workers on a Ray cluster: each is an actor, a process that Ray schedules."""

import logging
import os
import socket
import sys
import warnings
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tensorrvea.host import remote
from tensorrvea.host.remote import Functions, Outcome
from tensorrvea.host.workers import ENVIRONMENT, Worker, completed

try:
    import ray
    from ray._private import ray_constants
    from ray.exceptions import RayActorError
except ImportError as error:
    raise ImportError("executor='ray' needs Ray: pip install 'tensorrvea[ray]'") from error

# Seconds to wait for an answer of a cluster.
CONNECT_SECONDS = 10.0

# Pickled by value, so that the cluster's machines need NumPy and the user's imports, but not this package.
ray.cloudpickle.register_pickle_by_value(remote)


def connect(workers: int | None) -> int:
    """Connect to a cluster and return the number of workers to use.

    The cluster is that of an earlier ``ray.init``, or at RAY_ADDRESS, or else a new one on this machine.
    """
    if not ray.is_initialized():
        if "RAY_ADDRESS" in os.environ:
            _check_address(os.environ["RAY_ADDRESS"])
            ray.init(log_to_driver=False, logging_level=logging.ERROR)
        else:
            _start_local_cluster(workers)
    return workers or max(int(ray.cluster_resources().get("CPU", 1)), 1)


def _check_address(address: str) -> None:
    """Raise an error if nothing listens at the address; Ray would try for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdigit():
        return  # a word such as "auto"
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise ConnectionError(f"no Ray cluster answers at RAY_ADDRESS {address!r}: {error}") from error


def _start_local_cluster(workers: int | None) -> None:
    """Start a cluster of one machine, with this process' module search path."""
    paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    # Anyone who can reach Ray's ports can run code. With clusters disabled it listens on the loopback device only.
    with patch.object(ray_constants, "ENABLE_RAY_CLUSTER", False), warnings.catch_warnings():
        # Ray's forked processes exec other programs at once, so that JAX's threads do no harm.
        warnings.filterwarnings("ignore", message=r"os\.fork\(\) was called", category=RuntimeWarning)
        ray.init(
            num_cpus=workers,
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
            runtime_env={"env_vars": {"PYTHONPATH": paths}},
        )


@dataclass
class RayWorker(Worker):
    """Evaluates in an actor of a Ray cluster."""

    remedy = (
        "the cluster's machines must have what the function imports; for modules of your own, call "
        "ray.init(runtime_env={'working_dir': ...}) first"
    )

    functions: Functions

    def open(self) -> "Future[Any]":
        functions = self.functions

        # Defined here, so that the functions are pickled with the class: once per actor, not once per call.
        class Evaluator:
            def open(self) -> None:
                """Return once the actor has started and unpickled the functions."""

            def call(self, arguments: tuple[Any, ...]) -> Outcome:
                return remote.call(functions, arguments)

        actors: Any = ray.remote(num_cpus=1, max_restarts=0, runtime_env={"env_vars": ENVIRONMENT})(Evaluator)
        self._actor = actors.remote()
        return self._actor.open.remote().future()

    def submit(self, arguments: tuple[Any, ...]) -> "Future[Outcome]":
        try:
            return self._actor.call.remote(arguments).future()
        except RayActorError as error:
            return completed(error=error)

    def loss_message(self, error: BaseException) -> str | None:
        return "its Ray worker was killed" if isinstance(error, RayActorError) else None

    def close(self) -> None:
        if ray.is_initialized():  # otherwise its actors have ended with it
            ray.kill(self._actor)
