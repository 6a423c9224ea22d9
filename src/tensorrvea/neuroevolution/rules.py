"""Rules of the built-in tasks: reward terms, start states, observations and termination.

Start states, observations and termination follow Brax's environments (``brax.envs``, Apache-2.0); the objectives are
the paper's.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, PRNGKeyArray

from tensorrvea.neuroevolution.state import State
from tensorrvea.neuroevolution.task import Start, Step, noisy_start

TORSO_HEIGHT = 1.25  # of hopper and walker in their models, where the slider is at zero
POLE = 0.6  # length of each pole of the double pendulum
WRIST = "r_wrist_flex_link"  # of the pusher; at the same place as its tips_arm, which Brax's engines do not have
ARM, FOREARM = 0.1, 0.11  # lengths of the reacher's links, to the fingertip


def forward_velocity(step: Step) -> Any:
    """Velocity along x over one environment step."""
    return (step.after.q[..., 0] - step.before.q[..., 0]) / step.dt


def control_cost(step: Step) -> Any:
    """The weighted sum of squared actions."""
    return step.control_weight * (step.action * step.action).sum(axis=-1)


def height_gain(step: Step) -> Any:
    """Height of the torso above its height in the model (q[1] is a slider that starts at zero)."""
    return step.after.q[..., 1]


def target_distance(step: Step) -> Any:
    """Distance from the reacher's fingertip to its target."""
    offset = reacher_tip(step.after.q) - step.after.q[..., 2:4]
    return step.after.xp.sqrt((offset * offset).sum(axis=-1))


def free_start(scale: float, *, normal_velocity: bool = False) -> Start:
    """``noisy_start`` with the torso's quaternion normalised, which Brax omits."""
    draw = noisy_start(scale, normal_velocity=normal_velocity)

    def start(key: PRNGKeyArray, q: Any, velocities: int) -> tuple[Array, Array]:
        q, qd = draw(key, q, velocities)
        rotation = q[3:7]
        return q.at[3:7].set(rotation / jnp.linalg.norm(rotation)), qd

    return start


def reacher_start(key: PRNGKeyArray, q: Any, velocities: int) -> tuple[Array, Array]:
    """The arm near its rest position; the target within 0.2 of the arm's root."""
    position_key, velocity_key, target_key = jax.random.split(key, 3)
    q = jnp.asarray(q, jnp.result_type(float))
    q = q + jax.random.uniform(position_key, q.shape, minval=-0.1, maxval=0.1)
    qd = jax.random.uniform(velocity_key, (velocities,), minval=-0.005, maxval=0.005)
    radius, turn = jax.random.uniform(target_key, (2,))
    angle = 2 * jnp.pi * turn
    target = 0.2 * radius * jnp.stack([jnp.cos(angle), jnp.sin(angle)])
    return q.at[2:4].set(target), qd.at[2:4].set(0)


def pusher_start(key: PRNGKeyArray, q: Any, velocities: int) -> tuple[Array, Array]:
    """The arm at rest; the object to one side of its goal, and at least 0.17 from it."""
    object_key, velocity_key = jax.random.split(key)
    place = jnp.array([-0.3, -0.2]) + jnp.array([0.3, 0.4]) * jax.random.uniform(object_key, (2,))
    place = place * jnp.maximum(1.0, 0.17 / jnp.linalg.norm(place))
    qd = jax.random.uniform(velocity_key, (velocities,), minval=-0.005, maxval=0.005)
    q = jnp.asarray(q, jnp.result_type(float))
    return q.at[-4:].set(jnp.concatenate([place, jnp.zeros(2)])), qd.at[-4:].set(0)


def walker_observation(state: State) -> Any:
    """Height, angles, and velocities clipped to ±10; of hopper and walker."""
    q, xp = state.q, state.xp
    return xp.concatenate([q[..., 1:2] + TORSO_HEIGHT, q[..., 2:], xp.clip(state.qd, -10.0, 10.0)], axis=-1)


def drop_coordinates(count: int) -> Callable[[State], Any]:
    """Observe all but the first coordinates, so that the robot's location does not matter."""

    def observe(state: State) -> Any:
        return state.xp.concatenate([state.q[..., count:], state.qd], axis=-1)

    return observe


def reacher_tip(q: Any) -> Any:
    """Position of the reacher's fingertip."""
    xp = q.__array_namespace__()
    shoulder, elbow = q[..., 0], q[..., 0] + q[..., 1]
    x = ARM * xp.cos(shoulder) + FOREARM * xp.cos(elbow)
    y = ARM * xp.sin(shoulder) + FOREARM * xp.sin(elbow)
    return xp.stack([x, y], axis=-1)


def reacher_observation(state: State) -> Any:
    """Cosines and sines of the angles, target, fingertip velocity, and the vector from target to fingertip."""
    q, qd, xp = state.q, state.qd, state.xp
    shoulder, elbow = q[..., 0], q[..., 0] + q[..., 1]
    turn, bend = qd[..., 0], qd[..., 0] + qd[..., 1]
    x = -ARM * xp.sin(shoulder) * turn - FOREARM * xp.sin(elbow) * bend
    y = ARM * xp.cos(shoulder) * turn + FOREARM * xp.cos(elbow) * bend
    angles, target = q[..., :2], q[..., 2:4]
    # The last component is a height difference, as in Brax; tip and target lie in one plane, so it is zero.
    flat = xp.zeros_like(q[..., :1])
    tip_to_target = reacher_tip(q) - target
    parts = [xp.cos(angles), xp.sin(angles), target, xp.stack([x, y], axis=-1), tip_to_target, flat]
    return xp.concatenate(parts, axis=-1)


def pendulum_tip(state: State) -> tuple[Any, Any]:
    """x and height of the tip of the second pole."""
    x, first, both = state.q[..., 0], state.q[..., 1], state.q[..., 1] + state.q[..., 2]
    sin, cos = state.xp.sin, state.xp.cos
    return x + POLE * (sin(first) + sin(both)), POLE * (cos(first) + cos(both))


def pendulum_observation(state: State) -> Any:
    """The cart's position, sines and cosines of the angles, and velocities clipped to ±10."""
    q, xp = state.q, state.xp
    angles = q[..., 1:]
    return xp.concatenate([q[..., :1], xp.sin(angles), xp.cos(angles), xp.clip(state.qd, -10.0, 10.0)], axis=-1)


def pendulum_balance(step: Step) -> Any:
    """Brax's reward of the double pendulum: 10, less the tip's distance from (0, 2) and the hinges' velocities."""
    x, height = pendulum_tip(step.after)
    first, second = step.after.qd[..., 1], step.after.qd[..., 2]
    return 10 - 0.01 * x**2 - (height - 2) ** 2 - 1e-3 * first**2 - 5e-3 * second**2


def pusher_observation(state: State) -> list[Any]:
    """The arm's angles and velocities, and the positions of wrist, object and goal."""
    return [state.q[..., :7], state.qd[..., :7], *(state.body(name) for name in (WRIST, "object", "goal"))]


def pushed_distance(step: Step) -> Any:
    """Distance from the object to its goal, and half of that from the wrist to the object."""
    place = step.after.body("object")
    away, reach = place - step.after.body("goal"), place - step.after.body(WRIST)
    sqrt = step.after.xp.sqrt
    return sqrt((away * away).sum(axis=-1)) + 0.5 * sqrt((reach * reach).sum(axis=-1))


def hopper_healthy(state: State) -> Any:
    """Torso above 0.7, leaning by less than 0.2, and all coordinates and velocities below 100."""
    q, qd = state.q, state.qd
    bounded = (abs(q[..., 2:]) < 100).all(axis=-1) & (abs(qd) < 100).all(axis=-1)
    return bounded & (q[..., 1] + TORSO_HEIGHT > 0.7) & (abs(q[..., 2]) < 0.2)


def walker_healthy(state: State) -> Any:
    """Torso between 0.8 and 2, leaning by less than 1."""
    height = state.q[..., 1] + TORSO_HEIGHT
    return (height > 0.8) & (height < 2.0) & (abs(state.q[..., 2]) < 1.0)


def ant_healthy(state: State) -> Any:
    """Torso between 0.2 and 1."""
    return (state.q[..., 2] >= 0.2) & (state.q[..., 2] <= 1.0)


def humanoid_healthy(state: State) -> Any:
    """Torso between 1 and 2."""
    return (state.q[..., 2] >= 1.0) & (state.q[..., 2] <= 2.0)


def pendulum_healthy(state: State) -> Any:
    """Tip of the second pole above 1, of at most 1.2."""
    return pendulum_tip(state)[1] > 1
