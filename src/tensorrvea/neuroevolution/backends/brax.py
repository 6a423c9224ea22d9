"""Brax, the paper's engine: its pipelines, with the time steps and gears of its own environments."""

import contextlib
import io
import warnings
from collections.abc import Iterator
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float

from tensorrvea.checks import check_choice
from tensorrvea.neuroevolution.models import require, without_log_file
from tensorrvea.neuroevolution.task import Task

PIPELINES = {"brax": "generalized", "brax-spring": "spring", "brax-positional": "positional"}


class Brax:
    """One robot in one of Brax's pipelines."""

    def __init__(self, task: Task, backend: str):
        envs = import_brax()
        name = check_choice("environment of a task", task.environment or task.model, tuple(sorted(envs._envs)))
        with quiet(), without_log_file():
            self.environment = envs.get_environment(name, backend=PIPELINES[backend])
        self.dt = float(self.environment.dt)
        self.velocities = self.environment.sys.qd_size()

    def init(self, q: Float[Array, " nq"], qd: Float[Array, " nv"]) -> Any:
        with quiet():
            return self.environment.pipeline_init(q, qd)

    def step(self, state: Any, action: Float[Array, " nu"]) -> Any:
        with quiet():
            return self.environment.pipeline_step(state, action)

    def coordinates(self, state: Any) -> tuple[Float[Array, " nq"], Float[Array, " nv"]]:
        return state.q, state.qd


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
    """Suppress Brax's warnings on import and tracing (that it and JAXopt are unmaintained, and its deprecated access to
    a field of MJX), and what MJX prints on import (that the optional package warp is missing).
    """
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.filterwarnings("ignore", message="JAXopt is no longer maintained", category=DeprecationWarning)
        warnings.filterwarnings("ignore", message="Brax System, piplines and environments are not actively")
        warnings.filterwarnings("ignore", message="Accessing `.*` directly from `Data`", category=DeprecationWarning)
        yield
