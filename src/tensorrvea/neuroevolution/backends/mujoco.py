"""MuJoCo's C engine with its threaded batch rollout, for CPUs; the policies are in the loop, in NumPy."""

import os
import threading
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Bool, Float

from tensorrvea.neuroevolution.models import load_model, require, without_log_file
from tensorrvea.neuroevolution.policy import forward
from tensorrvea.neuroevolution.rollout import Episodes, World, judge
from tensorrvea.neuroevolution.tasks import Step, Task


class MuJoCo:
    """One robot in the C engine, stepped as a batch. May be used from several threads, one at a time."""

    def __init__(self, task: Task, threads: int | None = None):
        mujoco = require("mujoco", needed_for="backend 'mujoco'")
        rollout = require("mujoco.rollout", needed_for="backend 'mujoco'")
        self.model = load_model(task.model)
        self.frames = task.frames
        self.dt = float(self.model.opt.timestep * task.frames)
        self.positions, self.velocities = int(self.model.nq), int(self.model.nv)
        threads = threads or usable_cores()
        self._data = [mujoco.MjData(self.model) for _ in range(threads)]
        self._pool = rollout.Rollout(nthread=threads if threads > 1 else 0)
        self._alone = rollout.Rollout(nthread=0)
        self._lock = threading.Lock()

    def step(
        self, q: Float[np.ndarray, "lanes nq"], qd: Float[np.ndarray, "lanes nv"], action: Float[np.ndarray, "lanes nu"]
    ) -> tuple[Float[np.ndarray, "lanes nq"], Float[np.ndarray, "lanes nv"], Bool[np.ndarray, " lanes"]]:
        """Positions and velocities after a step of the environment, and where MuJoCo gave up on the way."""
        lanes, frames = len(q), self.frames
        before = np.concatenate([np.zeros((lanes, 1)), q, qd], axis=1)  # time, positions, velocities
        control = np.repeat(action[:, None, :], frames, axis=1)
        states = np.empty((lanes, frames, before.shape[1]))
        # A few lanes are done before another thread has woken up.
        few = lanes < 4 * len(self._data)
        pool, data = (self._alone, self._data[:1]) if few else (self._pool, self._data)
        with self._lock, without_log_file():
            pool.rollout(
                [self.model] * lanes, data, before, control, skip_checks=True, nstep=frames, state=states,
                sensordata=np.empty((lanes, frames, self.model.nsensordata)),
            )  # fmt: skip
        after = states[:, -1]
        gave_up = after[:, 0] < 0.999 * self.dt  # its clock stands still from the first warning on
        return after[:, 1 : 1 + self.positions], after[:, 1 + self.positions :], gave_up


class Lanes(NamedTuple):
    """Simulations that are under way, one a row."""

    job: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    total: np.ndarray
    length: np.ndarray
    layers: list[tuple[np.ndarray, np.ndarray]]


def advance_on_host(world: World, lanes: Lanes) -> tuple[np.ndarray, np.ndarray, Any, Step]:
    """One step of the environment in each lane."""
    physics: MuJoCo = world.physics  # type: ignore[assignment]
    action = forward(lanes.layers, world.task.observe(lanes.q, lanes.qd))
    q, qd, gave_up = physics.step(lanes.q, lanes.qd, action)
    step = Step(lanes.q, q, qd, action, dt=physics.dt, control_weight=world.control_weight)
    with np.errstate(invalid="ignore", over="ignore"):  # of exploded simulations
        outcome = judge(world.task, step)
    return q, qd, outcome._replace(exploded=outcome.exploded | gave_up), step


def run_on_host(
    world: World,
    x: Float[np.ndarray, "n d"],
    starts: tuple[Float[np.ndarray, "parts episodes nq"], Float[np.ndarray, "parts episodes nv"]],
    *,
    lanes: int,
    steps: int,
) -> Episodes:
    """As ``run_lanes``, in the C engine. Lanes that find the queue empty are dropped, so that none idles.

    The policies are equal ``parts``, one after another, each with start states of its own.
    """
    start_q, start_qd = starts
    parts, episodes = start_q.shape[:2]
    n, m = len(x), len(world.task.objectives)
    jobs, rows_of_a_part = n * episodes, n // parts
    layers = world.policy.unpack(np.asarray(x, np.float64))
    done: Any = Episodes(np.zeros((jobs, m)), np.zeros(jobs, int), np.zeros(jobs, bool))  # type: ignore[arg-type]

    def begin(job: np.ndarray) -> Lanes:
        policy, episode = job // episodes, job % episodes
        part = policy // rows_of_a_part
        return Lanes(
            job=job, q=start_q[part, episode], qd=start_qd[part, episode], total=np.zeros((len(job), m)),
            length=np.zeros(len(job), int), layers=[(weights[policy], bias[policy]) for weights, bias in layers],
        )  # fmt: skip

    queue = min(lanes, jobs)
    now = begin(np.arange(queue))
    while len(now.job):
        q, qd, outcome, _ = advance_on_host(world, now)
        now = now._replace(q=q, qd=qd, total=now.total + outcome.reward, length=now.length + 1)
        ended = ~outcome.healthy | outcome.exploded | (now.length >= steps)
        if not ended.any():
            continue
        finished, slots = now.job[ended], np.flatnonzero(ended)
        done.returns[finished] = now.total[ended]
        done.lengths[finished] = now.length[ended]
        done.failed[finished] = outcome.exploded[ended]
        new_jobs = np.arange(queue, min(queue + len(slots), jobs))
        queue += len(new_jobs)
        refilled, idle = slots[: len(new_jobs)], slots[len(new_jobs) :]
        jax.tree.map(lambda rows, new, at=refilled: rows.__setitem__(at, new), now, begin(new_jobs))
        if len(idle):
            now = jax.tree.map(lambda rows, gone=idle: np.delete(rows, gone, axis=0), now)
    returns, lengths, failed = (part.reshape(n, episodes, *part.shape[1:]) for part in done)
    return Episodes(returns, lengths, failed)


def usable_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
