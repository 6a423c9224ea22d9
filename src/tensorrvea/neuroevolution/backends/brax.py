"""Brax, the paper's engine: its pipelines, with the time steps and gears of its own environments."""

import contextlib
import io
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float

from tensorrvea.checks import check_choice
from tensorrvea.neuroevolution.models import is_own, require, without_log_file
from tensorrvea.neuroevolution.state import Layout
from tensorrvea.neuroevolution.task import Task

PIPELINES = {"brax": "generalized", "brax-spring": "spring", "brax-positional": "positional"}


class Brax:
    """One robot in one of Brax's pipelines."""

    def __init__(self, task: Task, backend: str, *, reads: bool = False):
        envs = import_brax()
        pipeline = PIPELINES[backend]
        with quiet(), without_log_file():
            if is_own(task.model):
                self.environment = own_environment(task, backend)
            else:
                known = tuple(sorted(envs._envs))
                name = check_choice("environment of a task", task.environment or task.model, known)
                self.environment = envs.get_environment(name, backend=pipeline)
        self.dt = float(self.environment.dt)
        self.velocities = self.environment.sys.qd_size()
        self.reads, self.control, self.layout = reads, task.robot.control, self._find_layout(task)

    def init(self, q: Float[Array, " nq"], qd: Float[Array, " nv"]) -> Any:
        with quiet():
            return self.environment.pipeline_init(q, qd)

    def step(self, state: Any, action: Float[Array, " nu"]) -> Any:
        if self.control is not None:
            middle, reach = (jnp.asarray(part, action.dtype) for part in self.control)
            action = middle + reach * action
        with quiet():
            return self.environment.pipeline_step(state, action)

    def coordinates(self, state: Any) -> tuple[Float[Array, " nq"], Float[Array, " nv"], Any]:
        return state.q, state.qd, state.x.pos.reshape(-1) if self.reads else None

    def _find_layout(self, task: Task) -> Layout:
        """Joints and bodies. Brax has no sensors and no sites, and fuses bodies without joints with their parents."""
        links = self.environment.sys.link_names
        bodies = {name: slice(3 * i, 3 * i + 3) for i, name in enumerate(links)}
        return replace(task.robot.layout, sensors={}, sites={}, bodies=bodies)


def own_environment(task: Task, backend: str) -> Any:
    """A user's model in one of Brax's pipelines, with its own time step."""
    base, mjcf = require("brax.envs.base", needed_for="backend 'brax'"), require("brax.io.mjcf", needed_for="brax")
    robot = task.robot
    try:
        system = mjcf.load(robot.source) if isinstance(robot.source, Path) else mjcf.loads(robot.source)
    except (NotImplementedError, AttributeError) as error:
        raise ValueError(f"backend {backend!r} cannot simulate {task.name}: {error}") from error

    class OwnEnvironment(base.PipelineEnv):
        """Only the pipeline is used; episodes are those of this library."""

        reset = step = None

    return OwnEnvironment(system, backend=PIPELINES[backend], n_frames=task.frames)


@cache
def import_brax() -> ModuleType:
    """Import ``brax.envs`` and patch it for current JAX."""
    with quiet():
        envs = require("brax.envs", needed_for="backend 'brax'")
        fluid = require("brax.fluid", needed_for="backend 'brax'")
    # JAX has removed clip's ``a_min``, which Brax 0.14's fluid forces (and so the swimmer) still use. Only the name
    # ``jp`` in that module is replaced.
    vars(fluid)["jp"] = SimpleNamespace(**vars(jnp) | {"clip": lambda x, *, a_min: jnp.maximum(x, a_min)})
    return envs


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Suppress Brax's warnings on import and tracing, and what MJX prints on import.

    Brax warns that it and JAXopt are unmaintained, and of its deprecated access to a field of MJX; MJX prints that the
    optional package warp is missing.
    """
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.filterwarnings("ignore", message="JAXopt is no longer maintained", category=DeprecationWarning)
        warnings.filterwarnings("ignore", message="Brax System, piplines and environments are not actively")
        warnings.filterwarnings("ignore", message="Accessing `.*` directly from `Data`", category=DeprecationWarning)
        yield
