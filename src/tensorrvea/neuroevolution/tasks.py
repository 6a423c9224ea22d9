"""The robots' tasks, as a table: model, observation, objectives, termination and reference points.

Everything is a function of the generalised coordinates ``q`` and velocities ``qd`` alone, written for any batch
shape and for NumPy and JAX arrays alike. So each rule stands once, for all engines. The rules of reset,
observation and termination are Brax's (``brax.envs``, Apache-2.0), the objectives the paper's.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from tensorrvea.checks import check_choice


class Step(NamedTuple):
    """One step of the environment: what an objective may look at."""

    before: Float[Any, "*batch nq"]
    after: Float[Any, "*batch nq"]
    velocity: Float[Any, "*batch nv"]
    action: Float[Any, "*batch nu"]
    dt: float
    control_weight: float


@dataclass(frozen=True, kw_only=True)
class Objective:
    """One reward, always maximised: summed over the steps of an episode."""

    name: str
    reward: Callable[[Step], Any]
    unit: str = ""


def always(q: Any, qd: Any) -> Any:
    """For robots that cannot fall: every finite state is healthy."""
    del qd
    return q[..., 0] == q[..., 0]


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """A robot and what is asked of it. A task equals itself only: its rules are functions."""

    name: str
    model: str
    """Name of the MJCF file among Brax's assets."""
    environment: str
    """Brax's name of its environment: carries the pipelines' own time steps and gears."""
    frames: int
    """Physics steps for each step of the environment."""
    observations: int
    actions: int
    observe: Callable[[Any, Any], Any]
    start: Callable[[PRNGKeyArray, Any, int], tuple[Array, Array]]
    """Of a key, the model's own position and the number of velocities."""
    objectives: tuple[Objective, ...]
    healthy: Callable[[Any, Any], Any] = always
    """The episode ends with the first state that is not."""
    control_weight: float
    limit: float
    """A reward beyond this (and the control cost) in one step is an exploding simulation and no achievement."""
    references: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Reference points for the hypervolume, by experiment, in the rewards' own signs."""
    plane: str = "xz"
    """The plane of motion, for pictures."""
    ground: bool = True
    """Whether the floor is seen from the side."""
    pipelines: tuple[str, ...] = ("brax", "brax-spring", "brax-positional")
    """The pipelines of Brax that can simulate it. MJX and MuJoCo can simulate all."""
    steps: int = 1000

    @property
    def backends(self) -> tuple[str, ...]:
        return (*self.pipelines, "mjx", "mujoco")


# Terms that objectives are made of.


def speed(step: Step) -> Any:
    """Along x, from one step of the environment to the next."""
    return (step.after[..., 0] - step.before[..., 0]) / step.dt


def control_cost(step: Step) -> Any:
    """The weighted sum of squared actions."""
    return step.control_weight * (step.action * step.action).sum(axis=-1)


def rise(step: Step) -> Any:
    """Height of the torso over its height in the model (q[1] is a slider that starts at zero)."""
    return step.after[..., 1]


def distance(step: Step) -> Any:
    """From the reacher's fingertip to its target."""
    xp = step.after.__array_namespace__()
    away = reacher_tip(step.after) - step.after[..., 2:4]
    return xp.sqrt((away * away).sum(axis=-1))


# Start states.


def near(scale: float, *, normal_velocity: bool = False) -> Callable[[PRNGKeyArray, Any, int], tuple[Array, Array]]:
    """Uniform noise around the model's position; the same for velocities, or normal with that deviation."""

    def start(key: PRNGKeyArray, q: Any, velocities: int) -> tuple[Array, Array]:
        position_key, velocity_key = jax.random.split(key)
        q = jnp.asarray(q, jnp.result_type(float))
        q = q + jax.random.uniform(position_key, q.shape, minval=-scale, maxval=scale)
        if normal_velocity:
            return q, scale * jax.random.normal(velocity_key, (velocities,))
        return q, jax.random.uniform(velocity_key, (velocities,), minval=-scale, maxval=scale)

    return start


def ant_start(key: PRNGKeyArray, q: Any, velocities: int) -> tuple[Array, Array]:
    """As ``near(0.1)``, with the torso's quaternion made a rotation again (Brax leaves it as the noise made it)."""
    q, qd = near(0.1, normal_velocity=True)(key, q, velocities)
    rotation = q[3:7]
    return q.at[3:7].set(rotation / jnp.linalg.norm(rotation)), qd


def reacher_start(key: PRNGKeyArray, q: Any, velocities: int) -> tuple[Array, Array]:
    """The arm near its rest; the target anywhere at most 0.2 away from the arm's root."""
    position_key, velocity_key, target_key = jax.random.split(key, 3)
    q = jnp.asarray(q, jnp.result_type(float))
    q = q + jax.random.uniform(position_key, q.shape, minval=-0.1, maxval=0.1)
    qd = jax.random.uniform(velocity_key, (velocities,), minval=-0.005, maxval=0.005)
    radius, turn = jax.random.uniform(target_key, (2,))
    angle = 2 * jnp.pi * turn
    target = 0.2 * radius * jnp.stack([jnp.cos(angle), jnp.sin(angle)])
    return q.at[2:4].set(target), qd.at[2:4].set(0)


# Observations.

HOPPER_HEIGHT = 1.25  # of the torso in the models of hopper and walker, where the slider is at zero


def joined(*parts: Any) -> Any:
    return parts[0].__array_namespace__().concatenate(parts, axis=-1)


def walker_observation(q: Any, qd: Any) -> Any:
    """Height, angles, and velocities clipped to ±10; of hopper and walker."""
    xp = q.__array_namespace__()
    return joined(q[..., 1:2] + HOPPER_HEIGHT, q[..., 2:], xp.clip(qd, -10.0, 10.0))


def without(coordinates: int) -> Callable[[Any, Any], Any]:
    """All but the first coordinates: where the robot is must not matter."""

    def observe(q: Any, qd: Any) -> Any:
        return joined(q[..., coordinates:], qd)

    return observe


ARM, FOREARM = 0.1, 0.11  # lengths of the reacher's links, to the fingertip


def reacher_tip(q: Any) -> Any:
    xp = q.__array_namespace__()
    shoulder, elbow = q[..., 0], q[..., 0] + q[..., 1]
    return xp.stack(
        [
            ARM * xp.cos(shoulder) + FOREARM * xp.cos(elbow),
            ARM * xp.sin(shoulder) + FOREARM * xp.sin(elbow),
        ],
        axis=-1,
    )


def reacher_observation(q: Any, qd: Any) -> Any:
    """Cosines and sines of the angles, target, velocity of the tip, and the way from target to tip."""
    xp = q.__array_namespace__()
    shoulder, elbow = q[..., 0], q[..., 0] + q[..., 1]
    turn, bend = qd[..., 0], qd[..., 0] + qd[..., 1]
    tip_velocity = xp.stack(
        [
            -ARM * xp.sin(shoulder) * turn - FOREARM * xp.sin(elbow) * bend,
            ARM * xp.cos(shoulder) * turn + FOREARM * xp.cos(elbow) * bend,
        ],
        axis=-1,
    )
    angles, target = q[..., :2], q[..., 2:4]
    tip_to_target = reacher_tip(q) - target
    # The third component, height, is there in Brax too: tip and target lie in one plane, so it is zero.
    flat = xp.zeros_like(q[..., :1])
    return joined(xp.cos(angles), xp.sin(angles), target, tip_velocity, tip_to_target, flat)


# Termination.


def hopper_healthy(q: Any, qd: Any) -> Any:
    """Torso above 0.7, leaning less than 0.2, and nothing wild."""
    calm = (abs(q[..., 2:]) < 100).all(axis=-1) & (abs(qd) < 100).all(axis=-1)
    return calm & (q[..., 1] + HOPPER_HEIGHT > 0.7) & (abs(q[..., 2]) < 0.2)


def walker_healthy(q: Any, qd: Any) -> Any:
    """Torso between 0.8 and 2, leaning less than 1."""
    del qd
    height = q[..., 1] + HOPPER_HEIGHT
    return (height > 0.8) & (height < 2.0) & (abs(q[..., 2]) < 1.0)


def ant_healthy(q: Any, qd: Any) -> Any:
    """Torso between 0.2 and 1."""
    del qd
    return (q[..., 2] >= 0.2) & (q[..., 2] <= 1.0)


# The table.

FORWARD = Objective(name="forward reward", reward=lambda step: speed(step))
CONTROL = Objective(name="control cost", reward=lambda step: -control_cost(step))
# Where falling ends the episode, being alive is rewarded in every objective: otherwise it pays to fall at once.
FORWARD_ALIVE = Objective(name="forward reward", reward=lambda step: speed(step) + 1)
CONTROL_ALIVE = Objective(name="control cost", reward=lambda step: -control_cost(step) + 1)

_HOPPER: dict[str, Any] = {
    "model": "hopper",
    "environment": "hopper",
    "frames": 4,
    "observations": 11,
    "actions": 3,
    "observe": walker_observation,
    "start": near(5e-3),
    "healthy": hopper_healthy,
    "control_weight": 1.0,
    "limit": 20.0,
}

TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task(
            name="MoHalfCheetah",
            model="half_cheetah",
            environment="halfcheetah",
            frames=5,
            observations=17,
            actions=6,
            observe=without(1),
            start=near(0.1, normal_velocity=True),
            objectives=(FORWARD, CONTROL),
            control_weight=0.1,
            limit=40.0,
            references={"neuroevolution": (0.0, -599.78643799)},
        ),
        Task(
            name="MoHopper-m2",
            **_HOPPER,
            objectives=(
                Objective(name="forward reward", reward=lambda step: speed(step) - control_cost(step) + 1),
                Objective(name="height", reward=lambda step: 10 * rise(step) - control_cost(step) + 1),
            ),
            references={"neuroevolution": (0.0, -865.70227051), "extensibility": (0.0, -1127.1895752)},
        ),
        Task(
            name="MoHopper-m3",
            **_HOPPER,
            objectives=(
                FORWARD_ALIVE,
                Objective(name="height", reward=lambda step: 10 * rise(step) + 1),
                CONTROL_ALIVE,
            ),
            references={
                "neuroevolution": (0.0, 0.0, -1942.84301758),
                "extensibility": (80.86401367, 0.0, -1905.52331543),
            },
        ),
        Task(
            name="MoSwimmer",
            model="swimmer",
            environment="swimmer",
            frames=4,
            observations=8,
            actions=2,
            observe=without(2),
            start=near(0.1),
            objectives=(FORWARD, CONTROL),
            control_weight=1e-4,
            limit=20.0,
            references={"neuroevolution": (0.0, -0.19898804)},
            plane="xy",
            ground=False,
            pipelines=("brax",),
        ),
        Task(
            name="MoWalker2d",
            model="walker2d",
            environment="walker2d",
            frames=4,
            observations=17,
            actions=6,
            observe=walker_observation,
            start=near(5e-3),
            healthy=walker_healthy,
            objectives=(FORWARD_ALIVE, CONTROL_ALIVE),
            control_weight=1.0,
            limit=20.0,
        ),
        Task(
            name="MoAnt",
            model="ant",
            environment="ant",
            frames=5,
            observations=27,
            actions=8,
            observe=without(2),
            start=ant_start,
            healthy=ant_healthy,
            objectives=(FORWARD_ALIVE, CONTROL_ALIVE),
            control_weight=0.5,
            limit=20.0,
        ),
        Task(
            name="MoReacher",
            model="reacher",
            environment="reacher",
            frames=2,
            observations=11,
            actions=2,
            observe=reacher_observation,
            start=reacher_start,
            objectives=(
                Objective(name="goal reward", reward=lambda step: -distance(step)),
                CONTROL,
            ),
            control_weight=1.0,
            limit=2.0,
            plane="xy",
            ground=False,
        ),
    )
}


def find_task(task: str | Task) -> Task:
    """A task by its name, or one's own."""
    return task if isinstance(task, Task) else TASKS[check_choice("task", task, tuple(TASKS))]
