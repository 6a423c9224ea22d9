"""Episodes in lanes: a fixed number of concurrent simulations, each of which takes the next policy when its own ends.

The cost is the sum of the episodes' lengths, not their number times the longest; memory depends on the lanes alone.
"""

from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from tensorrvea.neuroevolution.policy import MLP
from tensorrvea.neuroevolution.state import Layout, State
from tensorrvea.neuroevolution.task import Step, Task
from tensorrvea.rows import take


class Physics(Protocol):
    """A physics engine with one robot, as pure functions of one state."""

    dt: float
    velocities: int
    layout: Layout

    def init(self, q: Any, qd: Any) -> Any: ...

    def step(self, state: Any, action: Any) -> Any: ...

    def coordinates(self, state: Any) -> tuple[Any, Any, Any]:
        """Positions, velocities, and readings or None."""


class World(NamedTuple):
    """Everything that a rollout depends on."""

    task: Task
    physics: Any  # ``Physics``, or ``MuJoCo`` on the host
    policy: MLP
    control_weight: float


class Outcome(NamedTuple):
    """Results of a step, in NumPy or JAX."""

    reward: Float[Any, "*batch m"]
    healthy: Bool[Any, "*batch"]
    exploded: Bool[Any, "*batch"]


class Episodes(NamedTuple):
    """Results of whole episodes, in NumPy or JAX. The returns of failed ones are meaningless."""

    returns: Float[Any, "n episodes m"]
    lengths: Int[Any, "n episodes"]
    failed: Bool[Any, "n episodes"]


def judge(task: Task, step: Step) -> Outcome:
    """Compute a step's rewards, whether the robot is healthy, and whether the simulation has exploded."""
    after, xp = step.after, step.after.xp
    reward = xp.stack([objective.reward(step) for objective in task.objectives], axis=-1)
    finite = xp.isfinite(after.q).all(axis=-1) & xp.isfinite(after.qd).all(axis=-1)
    # The control cost is bounded and no sign of an explosion.
    limit = task.limit + step.control_weight * step.action.shape[-1]
    within = (abs(reward) <= limit).all(axis=-1)  # False for NaN
    return Outcome(reward=reward, healthy=task.healthy(after), exploded=~(finite & within))


def view(physics: Physics, state: Any) -> State:
    """The states of all lanes as rules see them."""
    return State(*jax.vmap(physics.coordinates)(state), layout=physics.layout)


def advance(world: World, weights: Float[Array, "lanes d"], state: Any) -> tuple[Any, Outcome, Step]:
    """Advance each lane by one environment step."""
    physics: Physics = world.physics
    before = view(physics, state)
    action = world.policy.apply(weights, world.task.observation(before))
    state = jax.vmap(physics.step)(state, action)
    step = Step(before, view(physics, state), action, dt=physics.dt, control_weight=world.control_weight)
    return state, judge(world.task, step), step


class _Lanes(NamedTuple):
    job: Int[Array, " lanes"]
    state: Any
    total: Float[Array, "lanes m"]
    length: Int[Array, " lanes"]
    queue: Int[Array, ""]  # the next job to start
    done: Episodes


def run_lanes(world: World, x: Float[Array, "n d"], starts: Any, *, lanes: int, steps: int) -> Episodes:
    """Run every policy from every start state, for at most ``steps`` steps each.

    A job is a pair of policy and start state. A lane without a job stays at a start state, where a step is cheap.

    Args:
      world: the robot and its rules.
      x: one policy per row.
      starts: engine states with a leading axis, one per episode of an evaluation.
      lanes: the number of concurrent simulations.
      steps: the maximum length of an episode.
    """
    n, episodes = len(x), jax.tree.leaves(starts)[0].shape[0]
    jobs, m = n * episodes, len(world.task.objectives)
    lanes = min(lanes, jobs)

    def start_state(job: Int[Array, " lanes"]) -> Any:
        return take(starts, job % episodes)

    def step(now: _Lanes) -> _Lanes:
        weights = take(x, jnp.minimum(now.job // episodes, n - 1))
        state, outcome, _ = advance(world, weights, now.state)
        working = now.job < jobs
        total, length = now.total + outcome.reward, now.length + 1
        ended = working & (~outcome.healthy | outcome.exploded | (length >= steps))

        slot = jnp.where(ended, now.job, jobs)  # other lanes write past the end, which is dropped
        done = Episodes(
            returns=now.done.returns.at[slot].set(total, mode="drop"),
            lengths=now.done.lengths.at[slot].set(length, mode="drop"),
            failed=now.done.failed.at[slot].set(outcome.exploded, mode="drop"),
        )
        job = jnp.where(ended, now.queue + jnp.cumsum(ended, dtype=int) - 1, now.job)
        restarted = ended | ~working

        def restart(new: Array, old: Array) -> Array:
            return jnp.where(restarted.reshape(-1, *[1] * (old.ndim - 1)), new, old)

        return _Lanes(
            job=job,
            state=jax.tree.map(restart, start_state(job), state),
            total=restart(jnp.zeros_like(total), total),
            length=restart(jnp.zeros_like(length), length),
            queue=now.queue + ended.sum(dtype=int),
            done=done,
        )

    first = jnp.arange(lanes)
    end = jax.lax.while_loop(
        lambda now: (now.job < jobs).any(),
        step,
        _Lanes(
            job=first,
            state=start_state(first),
            total=jnp.zeros((lanes, m), x.dtype),
            length=jnp.zeros(lanes, int),
            queue=jnp.asarray(lanes, int),
            done=Episodes(jnp.zeros((jobs, m), x.dtype), jnp.zeros(jobs, int), jnp.zeros(jobs, bool)),
        ),
    )
    return Episodes(*(part.reshape(n, episodes, *part.shape[1:]) for part in end.done))
