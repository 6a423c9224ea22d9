"""What defines a robot's task: model, observation, objectives, termination and reference points.

All rules are functions of the generalised coordinates ``q`` and velocities ``qd``, for any batch shape and for NumPy
and JAX arrays alike, so that each is written once for all engines.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from jaxtyping import Array, Float, PRNGKeyArray

# Draws a start state from a key, the model's default position and the number of velocities.
Start = Callable[[PRNGKeyArray, Any, int], tuple[Array, Array]]


class Step(NamedTuple):
    """One step of the environment, as objectives see it."""

    before: Float[Any, "*batch nq"]
    after: Float[Any, "*batch nq"]
    velocity: Float[Any, "*batch nv"]
    action: Float[Any, "*batch nu"]
    dt: float
    control_weight: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Objective:
    """A reward to maximise, summed over the steps of an episode."""

    name: str
    reward: Callable[[Step], Any]
    unit: str = ""


def always_healthy(q: Any, _: Any) -> Any:
    """For robots that cannot fall: every finite state is healthy."""
    return q[..., 0] == q[..., 0]


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """A robot and its objectives. A task equals only itself, since its rules are functions."""

    name: str
    model: str  # name of the MJCF file among Brax's assets
    environment: str | None = None  # the Brax environment, for time steps and gears; the model's by default
    frames: int  # physics steps per environment step
    observations: int
    actions: int
    observe: Callable[[Any, Any], Any]
    start: Start
    objectives: tuple[Objective, ...]
    healthy: Callable[[Any, Any], Any] = always_healthy  # an episode ends with the first state that is not healthy
    control_weight: float = 1.0
    limit: float = 20.0  # a step's reward beyond this limit (plus the control cost) counts as an exploding simulation
    # Reference points for the hypervolume, by experiment, in the rewards' own signs.
    references: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    plane: str = "xz"  # the plane of motion, for animations
    ground: bool = True  # whether the floor is visible from the side
    # The Brax pipelines that can simulate it; MJX and MuJoCo can simulate every task.
    pipelines: tuple[str, ...] = ("brax", "brax-spring", "brax-positional")
    steps: int = 1000

    @property
    def backends(self) -> tuple[str, ...]:
        return (*self.pipelines, "mjx", "mujoco")
