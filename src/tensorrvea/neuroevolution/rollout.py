"""Episodes in lanes: a fixed number of simulations at a time, each taking the next policy when its own has ended.

The cost is the sum of the episodes' lengths, not their number times the longest, and memory is set by the lanes.
"""

from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from tensorrvea.neuroevolution.policy import MLP
from tensorrvea.neuroevolution.tasks import Step, Task
from tensorrvea.rows import take


class Physics(Protocol):
    """An engine with one robot in it, as pure functions of one state."""

    dt: float
    velocities: int

    def init(self, q: Any, qd: Any) -> Any: ...

    def step(self, state: Any, action: Any) -> Any: ...

    def coordinates(self, state: Any) -> tuple[Any, Any]: ...


class World(NamedTuple):
    """A robot, its policy, and the rules: what a rollout needs to know."""

    task: Task
    physics: Physics
    policy: MLP
    control_weight: float


class Outcome(NamedTuple):
    """What came of a step."""

    reward: Float[Array, "*batch m"]
    healthy: Bool[Array, "*batch"]
    exploded: Bool[Array, "*batch"]


class Episodes(NamedTuple):
    """What came of whole episodes. The returns of a failed one mean nothing."""

    returns: Float[Array, "n episodes m"]
    lengths: Int[Array, "n episodes"]
    failed: Bool[Array, "n episodes"]


def judge(task: Task, step: Step) -> Outcome:
    """Rewards of a step, whether the robot still stands, and whether the simulation has exploded."""
    xp = step.after.__array_namespace__()
    reward = xp.stack([objective.reward(step) for objective in task.objectives], axis=-1)
    finite = xp.isfinite(step.after).all(axis=-1) & xp.isfinite(step.velocity).all(axis=-1)
    limit = task.limit + step.control_weight * task.actions  # the control cost is bounded, and no sign of trouble
    within = (abs(reward) <= limit).all(axis=-1)  # not so for NaN either
    return Outcome(reward=reward, healthy=task.healthy(step.after, step.velocity), exploded=~(finite & within))


def advance(world: World, weights: Float[Array, "lanes d"], state: Any) -> tuple[Any, Outcome, Step]:
    """One step of the environment in each lane."""
    physics = world.physics
    q, qd = jax.vmap(physics.coordinates)(state)
    action = world.policy.apply(weights, world.task.observe(q, qd))
    state = jax.vmap(physics.step)(state, action)
    after, velocity = jax.vmap(physics.coordinates)(state)
    step = Step(q, after, velocity, action, dt=physics.dt, control_weight=world.control_weight)
    return state, judge(world.task, step), step


class _Lanes(NamedTuple):
    job: Int[Array, " lanes"]
    state: Any
    total: Float[Array, "lanes m"]
    length: Int[Array, " lanes"]
    queue: Int[Array, ""]
    """The next job that nobody has taken."""
    done: Episodes


def run_lanes(world: World, x: Float[Array, "n d"], starts: Any, *, lanes: int, steps: int) -> Episodes:
    """Every policy from every start state, at most ``steps`` steps each.

    A job is a pair of policy and start state. A lane without a job stays at a start state, where a step is cheap.

    Args:
      starts: states of the engine, with a leading axis: one for each episode of an evaluation.
    """
    n, episodes = len(x), jax.tree.leaves(starts)[0].shape[0]
    jobs, m = n * episodes, len(world.task.objectives)
    lanes = min(lanes, jobs)

    def begin(job: Int[Array, " lanes"]) -> Any:
        return take(starts, job % episodes)

    def busy(now: _Lanes) -> Bool[Array, ""]:
        return (now.job < jobs).any()

    def step(now: _Lanes) -> _Lanes:
        weights = take(x, jnp.minimum(now.job // episodes, n - 1))
        state, outcome, _ = advance(world, weights, now.state)
        working = now.job < jobs
        total, length = now.total + outcome.reward, now.length + 1
        ended = working & (~outcome.healthy | outcome.exploded | (length >= steps))

        slot = jnp.where(ended, now.job, jobs)  # the others write past the end: dropped
        done = Episodes(
            returns=now.done.returns.at[slot].set(total, mode="drop"),
            lengths=now.done.lengths.at[slot].set(length, mode="drop"),
            failed=now.done.failed.at[slot].set(outcome.exploded, mode="drop"),
        )
        job = jnp.where(ended, now.queue + jnp.cumsum(ended, dtype=int) - 1, now.job)
        fresh = ended | ~working

        def renew(new: Array, old: Array) -> Array:
            return jnp.where(fresh.reshape(-1, *[1] * (old.ndim - 1)), new, old)

        return _Lanes(
            job=job,
            state=jax.tree.map(renew, begin(job), state),
            total=renew(jnp.zeros_like(total), total),
            length=renew(jnp.zeros_like(length), length),
            queue=now.queue + ended.sum(dtype=int),
            done=done,
        )

    first = jnp.arange(lanes)
    end = jax.lax.while_loop(
        busy,
        step,
        _Lanes(
            job=first,
            state=begin(first),
            total=jnp.zeros((lanes, m), x.dtype),
            length=jnp.zeros(lanes, int),
            queue=jnp.asarray(lanes, int),
            done=Episodes(
                returns=jnp.zeros((jobs, m), x.dtype),
                lengths=jnp.zeros(jobs, int),
                failed=jnp.zeros(jobs, bool),
            ),
        ),
    )
    return Episodes(
        returns=end.done.returns.reshape(n, episodes, m),
        lengths=end.done.lengths.reshape(n, episodes),
        failed=end.done.failed.reshape(n, episodes),
    )
