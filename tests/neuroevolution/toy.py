"""A toy engine, and the plain batched loop that lanes are compared with."""

import jax
import jax.numpy as jnp
import numpy as np

from tensorrvea.neuroevolution import MLP, Objective, Task
from tensorrvea.neuroevolution.rollout import Episodes, World, advance
from tensorrvea.neuroevolution.rules import control_cost
from tensorrvea.neuroevolution.state import Layout
from tensorrvea.neuroevolution.task import noisy_start


class Spinner:
    """A pushed pendulum, chaotic enough for episodes of different lengths."""

    dt = 0.05
    velocities = 2
    layout = Layout()

    def init(self, q, qd):
        return {"q": q, "qd": qd}

    def step(self, state, action):
        q, qd = state["q"], state["qd"]
        push = jnp.stack([action[0], action[0] * jnp.cos(q[0])])
        qd = qd + self.dt * (3 * push - jnp.sin(3 * q) + 0.4)
        return {"q": q + self.dt * qd, "qd": qd}

    def coordinates(self, state):
        return state["q"], state["qd"], None


def toy_task(**changes):
    settings = {
        "name": "Toy",
        "model": "none",
        "environment": "none",
        "frames": 1,
        "observations": 4,
        "actions": 1,
        "observe": lambda state: [state.q, state.qd],
        "start": noisy_start(0.2),
        "objectives": (
            Objective(name="distance", reward=lambda step: step.after.q[..., 0]),
            Objective(name="control cost", reward=lambda step: -control_cost(step) + 1),
        ),
        "healthy": lambda state: abs(state.q[..., 1]) < 1.5,
        "control_weight": 0.5,
        "limit": 100.0,
    }
    return Task(**(settings | changes))


def toy_world(task=None, physics=None):
    task = task or toy_task()
    return World(
        task=task, physics=physics or Spinner(), policy=MLP(inputs=4, outputs=1, hidden=(5,)), control_weight=0.5
    )


def start_states(world, episodes, seed=0):
    keys = jax.random.split(jax.random.key(seed), episodes)
    q, qd = jax.vmap(lambda key: world.task.start(key, np.zeros(2), world.physics.velocities))(keys)
    return jax.vmap(world.physics.init)(q, qd)


def plain_loop(world, x, starts, *, steps):
    """Run all policies as one batch, each from its own start state, until the last one ends."""

    def body(carry):
        state, total, length, over, failed, t = carry
        state, outcome, _ = advance(world, x, state)
        total = total + jnp.where(over[:, None], 0, outcome.reward)
        failed = failed | (~over & outcome.exploded)
        return state, total, length + ~over, over | ~outcome.healthy | outcome.exploded, failed, t + 1

    n = len(x)
    none = jnp.zeros(n, bool)
    first = (starts, jnp.zeros((n, len(world.task.objectives)), x.dtype), jnp.zeros(n, int), none, none, 0)
    _, total, length, _, failed, _ = jax.lax.while_loop(lambda carry: ~carry[3].all() & (carry[5] < steps), body, first)
    return Episodes(returns=total, lengths=length, failed=failed)


def lanes_of(lengths, lanes):
    """The lane of each job and its position in that lane, from a simulation of the queue."""
    free = [(0, lane) for lane in range(lanes)]
    placed, rounds = [], [0] * lanes
    for length in lengths:
        time, lane = min(free)
        free.remove((time, lane))
        free.append((time + int(length), lane))
        placed.append((lane, rounds[lane]))
        rounds[lane] += 1
    return placed
