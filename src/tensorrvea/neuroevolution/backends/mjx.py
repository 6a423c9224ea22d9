"""MJX: MuJoCo in JAX, for accelerators, with the same models as the C engine."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from tensorrvea.neuroevolution.backends.brax import quiet
from tensorrvea.neuroevolution.models import load_model, require
from tensorrvea.neuroevolution.task import Task


class MJXState(NamedTuple):
    """The state that MJX needs for the next step; the rest of its data is derived from it."""

    q: Float[Array, " nq"]
    qd: Float[Array, " nv"]
    warmstart: Float[Array, " nv"]


class MJX:
    """One robot in MJX."""

    def __init__(self, task: Task):
        with quiet():
            self.mjx = require("mujoco.mjx", needed_for="backend 'mjx'")
        compiled = load_model(task.model)
        self.model = self.mjx.put_model(compiled)
        self.blank = self.mjx.make_data(self.model)
        self.frames = task.frames
        self.dt = float(compiled.opt.timestep * task.frames)
        self.velocities = int(compiled.nv)

    def init(self, q: Float[Array, " nq"], qd: Float[Array, " nv"]) -> MJXState:
        return MJXState(q=q, qd=qd, warmstart=jnp.zeros_like(qd))

    def step(self, state: MJXState, action: Float[Array, " nu"]) -> MJXState:
        data = self.blank.replace(qpos=state.q, qvel=state.qd, qacc_warmstart=state.warmstart, ctrl=action)
        data = jax.lax.fori_loop(0, self.frames, lambda _, now: self.mjx.step(self.model, now), data)
        return MJXState(q=data.qpos, qd=data.qvel, warmstart=data.qacc_warmstart)

    def coordinates(self, state: MJXState) -> tuple[Any, Any]:
        return state.q, state.qd
