"""The physics engines: their names, the choice for a device, and the number of lanes."""

import logging
from functools import cache
from importlib.util import find_spec
from typing import Any

import jax

from tensorrvea.checks import check_choice
from tensorrvea.neuroevolution.backends.brax import PIPELINES, Brax
from tensorrvea.neuroevolution.backends.mjx import MJX
from tensorrvea.neuroevolution.backends.mujoco import MuJoCo
from tensorrvea.neuroevolution.task import Task

BACKENDS = (*PIPELINES, "mjx", "mujoco")
"""The physics engines by name: Brax's pipelines, MJX and MuJoCo itself."""

log = logging.getLogger(__name__)


def choose_backend(backend: str, task: Task) -> str:
    """Check a backend's name, and choose one for ``"auto"``: MJX or Brax on an accelerator, else MuJoCo."""
    if check_choice("backend", backend, ("auto", *BACKENDS)) == "auto":
        device = jax.default_backend()
        accelerated = "mjx" if find_spec("mujoco") and find_spec("mujoco.mjx") else "brax"
        backend = "mujoco" if device == "cpu" else accelerated
        log.info("backend %s for %s on %s; values are comparable only within one backend", backend, task.name, device)
    if backend not in task.backends:
        raise ValueError(f"backend must be one of {', '.join(task.backends)} for {task.name}, got {backend!r}")
    return backend


def make_physics(task: Task, backend: str, *, reads: bool = False) -> Any:
    """Create the robot in its engine, with readings of sensors, sites and bodies if rules use them; cached."""
    return _make_physics(task, backend, reads, bool(jax.config.read("jax_enable_x64")))


@cache
def _make_physics(task: Task, backend: str, reads: bool, double: bool) -> Any:
    del double  # part of the cache key: constants in the JAX engines keep the precision they were made with
    if backend == "mujoco":
        return MuJoCo(task, reads=reads)
    # The engine's constants must be concrete arrays even inside a transformation.
    with jax.ensure_compile_time_eval():
        return MJX(task, reads=reads) if backend == "mjx" else Brax(task, backend, reads=reads)


def default_lanes(backend: str) -> int:
    """The number of concurrent simulations that suits the device.

    On a CPU, a wide batch in JAX only waits for its longest episode. The C engine has no idle lanes, and a fixed cost
    per step for the policies in NumPy. An accelerator must be filled.
    """
    if backend == "mujoco":
        return 512
    return 32 if jax.default_backend() == "cpu" else 8192
