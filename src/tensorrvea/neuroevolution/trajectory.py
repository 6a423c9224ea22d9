"""Single episodes recorded step by step."""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from tensorrvea.neuroevolution.backends.mujoco import advance_on_host
from tensorrvea.neuroevolution.rollout import Outcome, World, advance
from tensorrvea.neuroevolution.state import State
from tensorrvea.neuroevolution.task import Step


class Trajectory(NamedTuple):
    """A recorded episode, with one more state than actions.

    Args:
      q: positions of each state.
      qd: velocities of each state.
      actions: the policy's outputs at each step.
      rewards: one per objective and step.
      dt: the time of a step, in seconds.
      failed: whether the simulation exploded.
    """

    q: Float[np.ndarray, "steps+1 nq"]
    qd: Float[np.ndarray, "steps+1 nv"]
    actions: Float[np.ndarray, "steps nu"]
    rewards: Float[np.ndarray, "steps m"]
    dt: float
    failed: bool


def record_episode(world: World, x: Any, starts: tuple[Any, Any], *, steps: int, host: bool) -> Trajectory:
    """Record one episode of the policy ``x`` from the first of the start states."""
    motion, outcome = (_trace_on_host if host else _trace)(world, x, starts, steps)
    q, after, velocity, action = motion
    ended = ~outcome.healthy | outcome.exploded
    length = int(np.argmax(ended)) + 1 if ended.any() else steps
    return Trajectory(
        q=np.concatenate([q[:1], after[:length]]),
        qd=np.concatenate([np.asarray(starts[1])[:1], velocity[:length]]),
        actions=action[:length],
        rewards=outcome.reward[:length],
        dt=world.physics.dt,
        failed=bool(outcome.exploded[length - 1]),
    )


def _trace(world: World, x: Any, starts: tuple[Any, Any], steps: int) -> tuple[tuple[Any, ...], Outcome]:
    """Simulate ``steps`` steps in compiled code, also past the end of the episode."""
    dtype = jnp.result_type(float)
    q, qd = (jnp.asarray(part, dtype)[:1] for part in starts)
    traced = jax.device_get(_trace_compiled(world, jnp.asarray(x, dtype)[None], q, qd, steps=steps))
    return jax.tree.map(lambda rows: rows[:, 0], traced)


def motion_of(step: Step) -> tuple[Any, Any, Any, Any]:
    """Positions before a step, positions and velocities after it, and the action."""
    return step.before.q, step.after.q, step.after.qd, step.action


@partial(jax.jit, static_argnames=("world", "steps"))
def _trace_compiled(world: World, weights: Float[Array, "1 d"], q: Array, qd: Array, *, steps: int) -> Any:
    def step(state: Any, _: None) -> Any:
        state, outcome, made = advance(world, weights, state)
        return state, (motion_of(made), outcome)

    return jax.lax.scan(step, jax.vmap(world.physics.init)(q, qd), None, length=steps)[1]


def _trace_on_host(world: World, x: Any, starts: tuple[Any, Any], steps: int) -> tuple[tuple[Any, ...], Outcome]:
    """Simulate in the C engine until the episode ends."""
    q, qd = (np.asarray(part, np.float64)[:1] for part in starts)
    layers = world.policy.unpack(np.asarray(x, np.float64)[None])
    traced = []
    state = State(q, qd, world.physics.read(q, qd), world.physics.layout)
    for _ in range(steps):
        step, outcome, _ = advance_on_host(world, layers, state)
        state = step.after
        traced.append((motion_of(step), outcome))
        if outcome.exploded[0] or not outcome.healthy[0]:
            break
    return jax.tree.map(lambda *rows: np.concatenate(rows), *traced)
