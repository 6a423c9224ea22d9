"""Rules of the built-in tasks: reward terms, start states, observations and termination.

Start states, observations and termination follow Brax's environments (``brax.envs``, Apache-2.0); the objectives are
the paper's.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, PRNGKeyArray

from tensorrvea.neuroevolution.task import Start, Step

TORSO_HEIGHT = 1.25  # of hopper and walker in their models, where the slider is at zero
ARM, FOREARM = 0.1, 0.11  # lengths of the reacher's links, to the fingertip


def forward_velocity(step: Step) -> Any:
    """Velocity along x over one environment step."""
    return (step.after[..., 0] - step.before[..., 0]) / step.dt


def control_cost(step: Step) -> Any:
    """The weighted sum of squared actions."""
    return step.control_weight * (step.action * step.action).sum(axis=-1)


def height_gain(step: Step) -> Any:
    """Height of the torso above its height in the model (q[1] is a slider that starts at zero)."""
    return step.after[..., 1]


def target_distance(step: Step) -> Any:
    """Distance from the reacher's fingertip to its target."""
    xp = step.after.__array_namespace__()
    offset = reacher_tip(step.after) - step.after[..., 2:4]
    return xp.sqrt((offset * offset).sum(axis=-1))


def noisy_start(scale: float, *, normal_velocity: bool = False) -> Start:
    """Uniform noise on the model's default position, and uniform or normal noise of that scale for velocities."""

    def start(key: PRNGKeyArray, q: Any, velocities: int) -> tuple[Array, Array]:
        position_key, velocity_key = jax.random.split(key)
        q = jnp.asarray(q, jnp.result_type(float))
        q = q + jax.random.uniform(position_key, q.shape, minval=-scale, maxval=scale)
        if normal_velocity:
            return q, scale * jax.random.normal(velocity_key, (velocities,))
        return q, jax.random.uniform(velocity_key, (velocities,), minval=-scale, maxval=scale)

    return start


def ant_start(key: PRNGKeyArray, q: Any, velocities: int) -> tuple[Array, Array]:
    """``noisy_start(0.1)`` with the torso's quaternion normalised, which Brax omits."""
    q, qd = noisy_start(0.1, normal_velocity=True)(key, q, velocities)
    rotation = q[3:7]
    return q.at[3:7].set(rotation / jnp.linalg.norm(rotation)), qd


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


def walker_observation(q: Any, qd: Any) -> Any:
    """Height, angles, and velocities clipped to ±10; of hopper and walker."""
    xp = q.__array_namespace__()
    return xp.concatenate([q[..., 1:2] + TORSO_HEIGHT, q[..., 2:], xp.clip(qd, -10.0, 10.0)], axis=-1)


def drop_coordinates(count: int) -> Callable[[Any, Any], Any]:
    """Observe all but the first coordinates, so that the robot's location does not matter."""

    def observe(q: Any, qd: Any) -> Any:
        return q.__array_namespace__().concatenate([q[..., count:], qd], axis=-1)

    return observe


def reacher_tip(q: Any) -> Any:
    """Position of the reacher's fingertip."""
    xp = q.__array_namespace__()
    shoulder, elbow = q[..., 0], q[..., 0] + q[..., 1]
    x = ARM * xp.cos(shoulder) + FOREARM * xp.cos(elbow)
    y = ARM * xp.sin(shoulder) + FOREARM * xp.sin(elbow)
    return xp.stack([x, y], axis=-1)


def reacher_observation(q: Any, qd: Any) -> Any:
    """Cosines and sines of the angles, target, fingertip velocity, and the vector from target to fingertip."""
    xp = q.__array_namespace__()
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


def hopper_healthy(q: Any, qd: Any) -> Any:
    """Torso above 0.7, leaning by less than 0.2, and all coordinates and velocities below 100."""
    bounded = (abs(q[..., 2:]) < 100).all(axis=-1) & (abs(qd) < 100).all(axis=-1)
    return bounded & (q[..., 1] + TORSO_HEIGHT > 0.7) & (abs(q[..., 2]) < 0.2)


def walker_healthy(q: Any, _: Any) -> Any:
    """Torso between 0.8 and 2, leaning by less than 1."""
    height = q[..., 1] + TORSO_HEIGHT
    return (height > 0.8) & (height < 2.0) & (abs(q[..., 2]) < 1.0)


def ant_healthy(q: Any, _: Any) -> Any:
    """Torso between 0.2 and 1."""
    return (q[..., 2] >= 0.2) & (q[..., 2] <= 1.0)
