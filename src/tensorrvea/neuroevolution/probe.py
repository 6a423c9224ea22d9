"""A task's rules tried once, in NumPy, when a problem is made: their sizes, and what they read."""

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from tensorrvea.neuroevolution.models import is_own
from tensorrvea.neuroevolution.state import State
from tensorrvea.neuroevolution.task import Step, Task

SMALLEST_BATCH = 7  # states in a trial


class Sizes(NamedTuple):
    """Numbers of the policy's inputs and outputs, and whether rules read sensors, sites or bodies."""

    observations: int
    actions: int
    reads: bool


@dataclass(frozen=True, eq=False)
class Watched(State):
    """A state that notices whether its readings are used."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "used", [])

    def _read(self, kind: str, name: str, places: Any) -> Any:
        vars(self)["used"].append(name)
        return super()._read(kind, name, places)


@cache
def measure(task: Task) -> Sizes:
    """Try the rules of a task on its default state; built-in tasks with known sizes are not tried.

    Raises:
      ValueError: if a rule returns a wrong shape, or asks for a joint, sensor, site or body that the model lacks.
    """
    if not is_own(task.model) and task.observations is not None and task.actions is not None:
        return Sizes(task.observations, task.actions, reads=False)
    robot = task.robot
    mujoco, model = robot.mujoco, robot.measured
    # No size of the model, so that a rule that takes states for coordinates is noticed.
    batch = next(k for k in range(SMALLEST_BATCH, 2 * SMALLEST_BATCH) if k not in (model.nq, model.nv, model.nu))
    data = mujoco.MjData(model)
    data.qpos[:] = robot.position
    mujoco.mj_forward(model, data)
    q, qd, readings = (np.tile(np.array(part), (batch, 1)) for part in (data.qpos, data.qvel, data.sensordata))
    state = Watched(q, qd, readings, robot.layout)
    observed = np.asarray(task.observation(state))
    if observed.ndim != 2 or observed.shape[0] != batch or not observed.shape[1]:
        raise ValueError(
            f"observe must return an array ({batch}, k) for {batch} states, or a list of numbers and arrays, "
            f"got shape {observed.shape}"
        )
    step = Step(state, state, np.zeros((batch, model.nu)), dt=float(model.opt.timestep) * task.frames)
    rules = {"healthy": task.healthy(state)}
    rules |= {f"reward of {each.name!r}": each.reward(step) for each in task.objectives}
    for name, value in rules.items():
        if np.shape(value) != (batch,):
            raise ValueError(f"{name} must return one value per state, shape ({batch},) here, got {np.shape(value)}")
    return Sizes(observed.shape[1], int(model.nu), bool(vars(state)["used"]))
