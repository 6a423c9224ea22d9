"""The built-in tasks."""

from dataclasses import replace

from tensorrvea.checks import check_choice
from tensorrvea.neuroevolution import rules
from tensorrvea.neuroevolution.rules import control_cost, forward_velocity, height_gain, target_distance
from tensorrvea.neuroevolution.task import Objective, Task, noisy_start

FORWARD = Objective(name="forward reward", reward=forward_velocity)
CONTROL = Objective(name="control cost", reward=lambda step: -control_cost(step))
# Where falling ends the episode, every objective rewards being alive; otherwise falling at once would pay.
FORWARD_ALIVE = Objective(name="forward reward", reward=lambda step: forward_velocity(step) + 1)
CONTROL_ALIVE = Objective(name="control cost", reward=lambda step: -control_cost(step) + 1)

# Several times what robots reach in a step.
STEP_LIMIT = 20.0

HOPPER = Task(
    name="MoHopper-m2",
    model="hopper",
    plane="xz",
    limit=STEP_LIMIT,
    frames=4,
    observations=11,
    actions=3,
    observe=rules.walker_observation,
    start=noisy_start(5e-3),
    healthy=rules.hopper_healthy,
    objectives=(
        Objective(name="forward reward", reward=lambda step: forward_velocity(step) - control_cost(step) + 1),
        Objective(name="height", reward=lambda step: 10 * height_gain(step) - control_cost(step) + 1),
    ),
    references={"neuroevolution": (0.0, -865.70227051), "extensibility": (0.0, -1127.1895752)},
)

TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task(
            name="MoHalfCheetah",
            model="half_cheetah",
            plane="xz",
            environment="halfcheetah",
            frames=5,
            observations=17,
            actions=6,
            observe=rules.drop_coordinates(1),
            start=noisy_start(0.1, normal_velocity=True),
            objectives=(FORWARD, CONTROL),
            control_weight=0.1,
            limit=40.0,
            references={"neuroevolution": (0.0, -599.78643799)},
        ),
        HOPPER,
        replace(
            HOPPER,
            name="MoHopper-m3",
            objectives=(
                FORWARD_ALIVE,
                Objective(name="height", reward=lambda step: 10 * height_gain(step) + 1),
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
            limit=STEP_LIMIT,
            frames=4,
            observations=8,
            actions=2,
            observe=rules.drop_coordinates(2),
            start=noisy_start(0.1),
            objectives=(FORWARD, CONTROL),
            control_weight=1e-4,
            references={"neuroevolution": (0.0, -0.19898804)},
            plane="xy",
            ground=False,
            pipelines=("brax",),
        ),
        Task(
            name="MoWalker2d",
            model="walker2d",
            plane="xz",
            limit=STEP_LIMIT,
            frames=4,
            observations=17,
            actions=6,
            observe=rules.walker_observation,
            start=noisy_start(5e-3),
            healthy=rules.walker_healthy,
            objectives=(FORWARD_ALIVE, CONTROL_ALIVE),
        ),
        Task(
            name="MoAnt",
            model="ant",
            limit=STEP_LIMIT,
            frames=5,
            observations=27,
            actions=8,
            observe=rules.drop_coordinates(2),
            start=rules.free_start(0.1, normal_velocity=True),
            healthy=rules.ant_healthy,
            objectives=(FORWARD_ALIVE, CONTROL_ALIVE),
            control_weight=0.5,
        ),
        Task(
            name="MoReacher",
            model="reacher",
            frames=2,
            observations=11,
            actions=2,
            observe=rules.reacher_observation,
            start=rules.reacher_start,
            objectives=(Objective(name="goal reward", reward=lambda step: -target_distance(step)), CONTROL),
            limit=2.0,
            plane="xy",
            ground=False,
        ),
        Task(
            name="MoHumanoid",
            model="humanoid",
            pipelines=(),
            limit=STEP_LIMIT,
            frames=5,
            observations=45,
            actions=17,
            observe=rules.drop_coordinates(2),
            start=rules.free_start(0.01),
            healthy=rules.humanoid_healthy,
            objectives=(FORWARD_ALIVE, CONTROL_ALIVE),
            control_weight=0.016,
        ),
        Task(
            name="MoHumanoidStandup",
            model="humanoidstandup",
            pipelines=(),
            limit=20 * STEP_LIMIT,
            frames=5,
            observations=45,
            actions=17,
            observe=rules.drop_coordinates(2),
            start=rules.free_start(0.01),
            objectives=(Objective(name="height", reward=lambda step: step.after.q[..., 2] / step.dt), CONTROL),
            control_weight=0.0016,
        ),
        Task(
            name="MoInvertedDoublePendulum",
            model="inverted_double_pendulum",
            pipelines=(),
            plane="xz",
            limit=20 * STEP_LIMIT,
            frames=2,
            observations=8,
            actions=1,
            observe=rules.pendulum_observation,
            start=noisy_start(0.01, normal_velocity=True),
            healthy=rules.pendulum_healthy,
            objectives=(Objective(name="balance", reward=rules.pendulum_balance), CONTROL_ALIVE),
            ground=False,
        ),
        Task(
            name="MoPusher",
            model="pusher",
            pipelines=(),
            limit=STEP_LIMIT,
            frames=5,
            observe=rules.pusher_observation,
            start=rules.pusher_start,
            objectives=(Objective(name="goal reward", reward=lambda step: -rules.pushed_distance(step)), CONTROL),
            control_weight=0.4,
            ground=False,
        ),
    )
}
"""The built-in tasks, by name."""


def find_task(task: str | Task) -> Task:
    """Return a task, given itself or its name."""
    return task if isinstance(task, Task) else TASKS[check_choice("task", task, tuple(TASKS))]
