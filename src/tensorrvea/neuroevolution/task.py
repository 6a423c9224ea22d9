"""What defines a robot's task: model, observation, objectives, termination and reference points.

All rules are functions of a ``State``, for any batch shape and for NumPy and JAX arrays alike, so that each is written
once for all engines.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from tensorrvea.checks import (
    as_tuple,
    check_callable,
    check_choice,
    check_flag,
    check_integer,
    check_number,
    check_text,
    shown,
)
from tensorrvea.neuroevolution.models import Robot, builtin_robot, is_own, load_robot
from tensorrvea.neuroevolution.state import State

# Draws a start state from a key, the model's default position and the number of velocities.
Start = Callable[[PRNGKeyArray, Any, int], tuple[Array, Array]]
PIPELINES = ("brax", "brax-spring", "brax-positional")
PLANES = ("xz", "xy", "3d")


class Step(NamedTuple):
    """One step of the environment, as objectives see it. Actions are the policy's, in (-1, 1).

    Args:
      before: the state at the beginning of the step.
      after: the state at its end.
      action: the policy's outputs.
      dt: the time of the step, in seconds.
      control_weight: the weight of the control cost.
    """

    before: State
    after: State
    action: Float[Any, "*batch nu"]
    dt: float
    control_weight: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Objective:
    """A reward to maximise, summed over the steps of an episode.

    Args:
      name: of the objective, in results and reports.
      reward: function of a ``Step``; one number for each of a batch.
      unit: of the objective, if it has one.

    >>> Objective(name="height", reward=lambda step: step.after.q[..., 1]).name
    'height'
    """

    name: str
    reward: Callable[[Step], Any]
    unit: str = ""

    def __post_init__(self) -> None:
        check_text("name", self.name)
        check_callable("reward", self.reward, takes="a function of a Step")
        check_text("unit", self.unit)


def always_healthy(state: State) -> Any:
    """For robots that cannot fall: every finite state is healthy."""
    return state.q[..., 0] == state.q[..., 0]


def noisy_start(scale: float, *, normal_velocity: bool = False) -> Start:
    """Uniform noise on the model's default position, and uniform or normal noise of that scale for velocities.

    Args:
      scale: the largest deviation of each position and velocity.
      normal_velocity: whether velocities are drawn from a normal distribution with that standard deviation.

    Returns:
      A function for ``start=`` of a ``Task``.

    >>> import jax
    >>> import numpy as np
    >>> q, qd = noisy_start(0.1)(jax.random.key(0), np.zeros(3), 2)
    >>> q.shape, qd.shape, bool(abs(q).max() <= 0.1)
    ((3,), (2,), True)
    """
    check_number("scale", scale, minimum=0.0, scalar=True)
    check_flag("normal_velocity", normal_velocity)

    def start(key: PRNGKeyArray, q: Any, velocities: int) -> tuple[Array, Array]:
        position_key, velocity_key = jax.random.split(key)
        q = jnp.asarray(q, jnp.result_type(float))
        q = q + jax.random.uniform(position_key, q.shape, minval=-scale, maxval=scale)
        if normal_velocity:
            return q, scale * jax.random.normal(velocity_key, (velocities,))
        return q, jax.random.uniform(velocity_key, (velocities,), minval=-scale, maxval=scale)

    return start


NEAR_DEFAULT = noisy_start(0.01)


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """A robot and its objectives. A task equals only itself, since its rules are functions.

    Args:
      name: of the task, in results and reports.
      model: path of an MJCF file, ending in ``.xml``; or its text; or the name of one of Brax's models.
      objectives: two or more rewards, each maximised.
      observe: maps a ``State`` to the policy's inputs: an array (…, k), or a list of numbers and arrays, which are
        joined. All positions and velocities by default.
      healthy: maps a ``State`` to True or False; an episode ends with the first state that is not healthy.
      start: ``(key, q, velocities) → (q, qd)`` draws a start state with JAX, from the model's default position and its
        number of velocities. By default, uniform noise of 0.01 on both (``noisy_start``).
      keyframe: name of the keyframe in the model that is the default position; else the model's own.
      frames: number of physics steps per environment step, during which the action is held.
      steps: maximum number of environment steps in an episode.
      control_weight: what ``step.control_weight`` is in rewards, unless the problem sets another.
      limit: a step's reward beyond this limit (plus the control cost) counts as an exploding simulation.
      plane: what animations show: ``"xz"`` from the side, ``"xy"`` from above, ``"3d"`` in space.
      ground: whether animations show a floor at height 0.

    The policy's outputs, in (-1, 1), are scaled to the actuators' ``ctrlrange``; actuators without one get them as they
    are. The other fields serve the built-in tasks.

    Example::

        task = Task(name="cart", model="cart.xml", objectives=(
            Objective(name="speed", reward=lambda step: step.after.qd[..., 0]),
            Objective(name="little force", reward=lambda step: -(step.action**2).sum(axis=-1)),
        ))
    """

    name: str
    model: str | os.PathLike
    objectives: tuple[Objective, ...]
    observe: Callable[[State], Any] = lambda state: [state.q, state.qd]
    healthy: Callable[[State], Any] = always_healthy
    start: Start = NEAR_DEFAULT
    keyframe: str | None = None
    frames: int = 1
    steps: int = 1000
    control_weight: float = 1.0
    limit: float = float("inf")
    plane: str = "3d"
    ground: bool = True
    # Known sizes of built-in tasks, so that they need not be measured.
    observations: int | None = None
    actions: int | None = None
    environment: str | None = None  # the Brax environment, for time steps and gears; the model's by default
    # Reference points for the hypervolume, by experiment, in the rewards' own signs.
    references: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    # The Brax pipelines that can simulate it; MJX and MuJoCo can simulate every task.
    pipelines: tuple[str, ...] = PIPELINES

    def __post_init__(self) -> None:
        if not isinstance(self.model, str | os.PathLike):
            raise TypeError(f"model takes the path of an MJCF file, or its text, got {shown(self.model)}")
        check_text("name", self.name)
        object.__setattr__(self, "objectives", as_tuple(self.objectives))
        if len(self.objectives) < 2 or not all(isinstance(each, Objective) for each in self.objectives):
            raise ValueError(
                f"objectives must be two or more Objective(name=…, reward=…), got {shown(self.objectives)}"
            )
        for rule in ("observe", "healthy", "start"):
            check_callable(rule, getattr(self, rule), takes="a function")
        check_integer("frames", self.frames, minimum=1)
        check_integer("steps", self.steps, minimum=1)
        check_choice("plane", self.plane, PLANES)
        check_number("control_weight", self.control_weight, minimum=0.0)
        if not isinstance(self.limit, int | float) or not self.limit > 0:
            raise ValueError(f"limit must be a positive number, got {shown(self.limit)}")

    @property
    def backends(self) -> tuple[str, ...]:
        """The engines that can simulate the task."""
        return (*self.pipelines, "mjx", "mujoco")

    @cached_property
    def robot(self) -> Robot:
        """The compiled model. It is read once: make a new task after changing the file."""
        return load_robot(self.model, self.keyframe) if is_own(self.model) else builtin_robot(str(self.model))

    def observation(self, state: State) -> Float[Any, "*batch k"]:
        """The policy's inputs: what ``observe`` returns, joined if it is a list."""
        observed = self.observe(state)
        if not isinstance(observed, list | tuple):
            return observed
        xp, batch = state.xp, state.q.ndim - 1

        def as_columns(part: Any) -> Any:
            part = xp.asarray(part)
            if part.ndim <= batch:
                part = xp.broadcast_to(part, state.q.shape[:-1])[..., None]
            return part

        return xp.concatenate([as_columns(part) for part in observed], axis=-1)

    @property
    def source_parts(self) -> tuple[Any, ...]:
        """What determines the task's values: its fields, with the content of the model for its path."""
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        return tuple((own | {"model": self.robot.digest if is_own(self.model) else str(self.model)}).items())
