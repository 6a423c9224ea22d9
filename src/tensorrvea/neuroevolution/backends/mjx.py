"""MJX: MuJoCo in JAX, for accelerators, with the same models as the C engine."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from tensorrvea.neuroevolution.backends.brax import quiet
from tensorrvea.neuroevolution.models import require
from tensorrvea.neuroevolution.task import Task


class MJXState(NamedTuple):
    """The state that MJX needs for the next step; the rest of its data is derived from it."""

    q: Float[Array, " nq"]
    qd: Float[Array, " nv"]
    warmstart: Float[Array, " nv"]
    readings: Float[Array, " r"] | None = None


class MJX:
    """One robot in MJX."""

    def __init__(self, task: Task, *, reads: bool = False):
        with quiet():
            self.mjx = require("mujoco.mjx", needed_for="backend 'mjx'")
        robot = task.robot
        compiled = robot.measured if reads else robot.compiled
        self.reads, self.layout, self.control = reads, robot.layout, robot.control
        try:
            self.model = self.mjx.put_model(compiled)
        except NotImplementedError as error:
            raise ValueError(f"backend 'mjx' cannot simulate {task.name}: {error}") from error
        self.blank = self.mjx.make_data(self.model)
        self.frames = task.frames
        self.dt = float(compiled.opt.timestep * task.frames)
        self.velocities = int(compiled.nv)

    def init(self, q: Float[Array, " nq"], qd: Float[Array, " nv"]) -> MJXState:
        data = self.blank.replace(qpos=q, qvel=qd)
        return MJXState(q=q, qd=qd, warmstart=jnp.zeros_like(qd), readings=self._read(data))

    def step(self, state: MJXState, action: Float[Array, " nu"]) -> MJXState:
        if self.control is not None:
            middle, reach = (jnp.asarray(part, action.dtype) for part in self.control)
            action = middle + reach * action
        data = self.blank.replace(qpos=state.q, qvel=state.qd, qacc_warmstart=state.warmstart, ctrl=action)
        data = jax.lax.fori_loop(0, self.frames, lambda _, now: self.mjx.step(self.model, now), data)
        return MJXState(q=data.qpos, qd=data.qvel, warmstart=data.qacc_warmstart, readings=self._read(data))

    def coordinates(self, state: MJXState) -> tuple[Any, Any, Any]:
        return state.q, state.qd, state.readings

    def _read(self, data: Any) -> Any:
        """The readings in this very state: those in the data are of one physics step before."""
        return self.mjx.forward(self.model, data).sensordata if self.reads else None
