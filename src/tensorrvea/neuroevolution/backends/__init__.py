"""The engines, behind one interface: which there are, which fits, and how many lanes to keep busy in it."""

import logging
from functools import cache
from importlib.util import find_spec
from typing import Any

import jax

from tensorrvea.checks import check_choice
from tensorrvea.neuroevolution.backends.brax import PIPELINES, Brax
from tensorrvea.neuroevolution.backends.mjx import MJX
from tensorrvea.neuroevolution.backends.mujoco import MuJoCo
from tensorrvea.neuroevolution.tasks import Task

BACKENDS = (*PIPELINES, "mjx", "mujoco")
log = logging.getLogger(__name__)


def choose_backend(backend: str, task: Task) -> str:
    """The backend by its name; for ``"auto"`` what fits the device: MJX or Brax on an accelerator, else MuJoCo."""
    if check_choice("backend", backend, ("auto", *BACKENDS)) == "auto":
        device = jax.default_backend()
        if device == "cpu":
            backend = "mujoco"
        else:
            backend = "mjx" if find_spec("mujoco") and find_spec("mujoco.mjx") else "brax"
        log.info("backend %s for %s on %s; values compare only within one backend", backend, task.name, device)
    if backend not in task.backends:
        raise ValueError(f"backend must be one of {', '.join(task.backends)} for {task.name}, got {backend!r}")
    return backend


def make_physics(task: Task, backend: str) -> Any:
    """The robot in its engine; the same object again for the same arguments."""
    return _make_physics(task, backend, bool(jax.config.read("jax_enable_x64")))


@cache
def _make_physics(task: Task, backend: str, double: bool) -> Any:
    del double  # constants inside the JAX engines have the precision that was set when they were made
    if backend == "mujoco":
        return MuJoCo(task)
    # Also inside a transformation, the engine's constants must be plain arrays.
    with jax.ensure_compile_time_eval():
        return MJX(task) if backend == "mjx" else Brax(task, backend)


def fitting_lanes(backend: str) -> int:
    """How many simulations at a time the device takes well.

    On a CPU a wide batch only waits for its longest episode. The C engine has a fixed cost each step, of the
    policies in NumPy, and no lane ever idles; an accelerator wants to be full.
    """
    if backend == "mujoco":
        return 512
    return 32 if jax.default_backend() == "cpu" else 8192
