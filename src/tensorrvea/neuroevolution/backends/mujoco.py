"""MuJoCo's C engine with its threaded batch rollout, for CPUs, with the policies evaluated in NumPy."""

import os
import threading
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from tensorrvea.neuroevolution.models import require, without_log_file
from tensorrvea.neuroevolution.policy import Layers, forward
from tensorrvea.neuroevolution.rollout import Episodes, Outcome, World, judge
from tensorrvea.neuroevolution.state import State
from tensorrvea.neuroevolution.task import Step, Task


class MuJoCo:
    """One robot in the C engine, stepped as a batch. Safe to use from several threads; a lock serialises them."""

    def __init__(self, task: Task, *, reads: bool = False, threads: int | None = None):
        mujoco = require("mujoco", needed_for="backend 'mujoco'")
        rollout = require("mujoco.rollout", needed_for="backend 'mujoco'")
        robot = task.robot
        self.reads, self.layout, self.control = reads, robot.layout, robot.control
        self.model = robot.measured if reads else robot.compiled
        self.frames = task.frames
        self.dt = float(self.model.opt.timestep * task.frames)
        self.positions, self.velocities = int(self.model.nq), int(self.model.nv)
        self.threads = threads or usable_cores()
        self._data = [mujoco.MjData(self.model) for _ in range(self.threads)]
        self._pool = rollout.Rollout(nthread=self.threads if self.threads > 1 else 0)
        self._alone = rollout.Rollout(nthread=0)
        self._lock = threading.Lock()

    def step(
        self, q: Float[np.ndarray, "lanes nq"], qd: Float[np.ndarray, "lanes nv"], action: Float[np.ndarray, "lanes nu"]
    ) -> tuple[
        Float[np.ndarray, "lanes nq"], Float[np.ndarray, "lanes nv"], np.ndarray | None, Bool[np.ndarray, " lanes"]
    ]:
        """Return positions, velocities and readings after an environment step, and the lanes that MuJoCo stopped."""
        # Sensors are computed at the beginning of a physics step, so that those of the last state need one more.
        states, readings = self._roll(q, qd, action, self.frames + self.reads)
        after = states[:, self.frames - 1]
        stopped = after[:, 0] < 0.999 * self.dt  # MuJoCo's clock stops at the first warning
        return *self._split(after), readings[:, -1] if self.reads else None, stopped

    def read(self, q: Float[np.ndarray, "n nq"], qd: Float[np.ndarray, "n nv"]) -> Float[np.ndarray, "n r"] | None:
        """The readings of start states, with no action; None where no rule reads them."""
        if not self.reads:
            return None
        return self._roll(q, qd, np.zeros((len(q), self.model.nu)), 1)[1][:, 0]

    def _roll(self, q: np.ndarray, qd: np.ndarray, action: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
        """States (time, positions, velocities) after each physics step, and the readings before it."""
        lanes = len(q)
        before = np.concatenate([np.zeros((lanes, 1)), q, qd], axis=1)
        if self.control is not None:
            middle, reach = self.control
            action = middle + reach * action
        control = np.repeat(action[:, None, :], steps, axis=1)
        states = np.empty((lanes, steps, before.shape[1]))
        readings = np.empty((lanes, steps, self.model.nsensordata))
        # A few lanes finish before another thread wakes up.
        few = lanes < 4 * len(self._data)
        pool, data = (self._alone, self._data[:1]) if few else (self._pool, self._data)
        with self._lock, without_log_file():
            pool.rollout(
                [self.model] * lanes, data, before, control, skip_checks=True, nstep=steps, state=states,
                sensordata=readings,
            )  # fmt: skip
        return states, readings

    def _split(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return states[:, 1 : 1 + self.positions], states[:, 1 + self.positions :]


class Lanes(NamedTuple):
    """Running simulations, one per row. Rows are replaced and moved in place."""

    job: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    readings: np.ndarray | None
    total: np.ndarray
    length: np.ndarray
    layers: Layers

    def replace_rows(self, rows: np.ndarray, other: "Lanes", sources: Any = slice(None)) -> None:
        """Copy lanes of ``other`` into these rows."""
        for name in ("job", "q", "qd", "total", "length"):
            getattr(self, name)[rows] = getattr(other, name)[sources]
        if self.readings is not None and other.readings is not None:
            self.readings[rows] = other.readings[sources]
        for mine, theirs in zip(self.layers, other.layers, strict=True):
            for part, source in zip(mine, theirs, strict=True):
                part[rows] = source[sources]

    def without(self, idle: Bool[np.ndarray, " lanes"]) -> "Lanes":
        """Drop idle lanes: the last working ones move into their places, so that few weights are copied."""
        count = len(idle) - int(idle.sum())
        holes, moved = np.flatnonzero(idle[:count]), count + np.flatnonzero(~idle[count:])
        if len(holes):
            self.replace_rows(holes, self, moved)
        readings = None if self.readings is None else self.readings[:count]
        layers = [(weights[:count], bias[:count]) for weights, bias in self.layers]
        rows = (self.job[:count], self.q[:count], self.qd[:count], readings, self.total[:count], self.length[:count])
        return Lanes(*rows, layers)


def advance_on_host(world: World, layers: Layers, before: State) -> tuple[Step, Outcome, np.ndarray]:
    """Advance each row by one environment step; also return what its policy has observed."""
    observation = world.task.observation(before)
    action = forward(layers, observation, world.policy.activation)
    q, qd, readings, stopped = world.physics.step(before.q, before.qd, action)
    after = State(q, qd, readings, before.layout)
    step = Step(before, after, action, dt=world.physics.dt, control_weight=world.control_weight)
    with np.errstate(invalid="ignore", over="ignore"):  # from exploded simulations
        outcome = judge(world.task, step)
    return step, outcome._replace(exploded=outcome.exploded | stopped), observation


def run_on_host(
    world: World,
    x: Float[np.ndarray, "n d"],
    starts: tuple[Float[np.ndarray, "blocks episodes nq"], Float[np.ndarray, "blocks episodes nv"]],
    *,
    lanes: int,
    steps: int,
    seen: np.ndarray | None = None,
) -> Episodes:
    """``run_lanes`` in the C engine. Lanes are dropped when the queue is empty, so that none idles.

    The policies are consecutive ``blocks`` of equal size, each with its own start states.

    Args:
      world: the robot and its rules.
      x: one policy per row.
      starts: positions and velocities of the start states of each block.
      lanes: the number of concurrent simulations.
      steps: the maximum length of an episode.
      seen: if given, receives the sums of the observations and of their squares, (policies, episodes, 2, inputs).
    """
    start_q, start_qd = starts
    blocks, episodes = start_q.shape[:2]
    n, m = len(x), len(world.task.objectives)
    jobs, block_size = n * episodes, n // blocks
    layers = world.policy.unpack(np.asarray(x, np.float64))
    readings = world.physics.read(*(part.reshape(-1, part.shape[-1]) for part in starts))
    if readings is not None:
        readings = readings.reshape(blocks, episodes, -1)
    done = Episodes(np.zeros((jobs, m)), np.zeros(jobs, int), np.zeros(jobs, bool))

    def start(job: np.ndarray) -> Lanes:
        policy, episode = job // episodes, job % episodes
        block = policy // block_size
        return Lanes(
            job=job, q=start_q[block, episode], qd=start_qd[block, episode],
            readings=None if readings is None else readings[block, episode],
            total=np.zeros((len(job), m)), length=np.zeros(len(job), int),
            layers=[(weights[policy], bias[policy]) for weights, bias in layers],
        )  # fmt: skip

    sums = None if seen is None else seen.reshape(jobs, 2, -1)
    queue = min(lanes, jobs)
    now = start(np.arange(queue))
    with without_log_file():  # once, and not in each step
        while len(now.job):
            before = State(now.q, now.qd, now.readings, world.physics.layout)
            step, outcome, observation = advance_on_host(world, now.layers, before)
            if sums is not None:  # an episode has one lane at a time, so that the order of its sum is that of its steps
                sums[now.job, 0] += observation
                sums[now.job, 1] += observation * observation
            total, length, after = now.total + outcome.reward, now.length + 1, step.after
            now = Lanes(now.job, after.q, after.qd, after.readings, total, length, now.layers)
            ended = ~outcome.healthy | outcome.exploded | (length >= steps)
            if not ended.any():
                continue
            slots = np.flatnonzero(ended)
            finished = now.job[slots]
            done.returns[finished] = total[slots]
            done.lengths[finished] = length[slots]
            done.failed[finished] = outcome.exploded[slots]
            new_jobs = np.arange(queue, min(queue + len(slots), jobs))
            queue += len(new_jobs)
            refilled = slots[: len(new_jobs)]
            if len(refilled):
                now.replace_rows(refilled, start(new_jobs))
                ended[refilled] = False
            if len(refilled) < len(slots):
                now = now.without(ended)
    return Episodes(*(part.reshape(n, episodes, *part.shape[1:]) for part in done))


def usable_cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
