"""Run an experiment at a scale, from the first run to the figures."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tensorrvea.checks import check_choice
from tensorrvea.experiments.acceleration import run_acceleration
from tensorrvea.experiments.findings import Findings
from tensorrvea.experiments.numerical import run_numerical
from tensorrvea.experiments.plans import PLANS, Acceleration, Numerical
from tensorrvea.experiments.robots import REFERENCES, run_robots
from tensorrvea.experiments.store import Store
from tensorrvea.neuroevolution import RobotProblem

EXPERIMENTS = tuple(PLANS)
Log = Callable[[str], None]


def reproduce(
    experiment: str,
    *,
    scale: str = "smoke",
    out: str | Path | None = None,
    backend: str = "auto",
    reference: str | None = None,
    log: Log = print,
) -> Findings:
    """Run one of the paper's experiments, or continue an interrupted one.

    Args:
      experiment: a name in ``PLANS``.
      scale: ``"smoke"``, ``"cpu"``, ``"large"`` (robots only) or ``"paper"``.
      out: directory of the results; ``results/EXPERIMENT-SCALE`` by default.
      backend: physics engine of robot tasks.
      reference: reference point of HV on robot tasks, paper or derived; see ``run_robots``.
      log: called with the name of each run.
    """
    return prepare(experiment, scale=scale, out=out, backend=backend, reference=reference, log=log)()


def prepare(
    experiment: str, *, scale: str, out: str | Path | None, backend: str, reference: str | None, log: Log
) -> Callable[[], Findings]:
    """Check all arguments before the first run, and return a function that runs the experiment."""
    plans = PLANS[check_choice("experiment", experiment, EXPERIMENTS)]
    plan = plans[check_choice(f"scale of {experiment}", scale, tuple(plans))]
    if reference is not None:
        check_choice("reference", reference, REFERENCES)
    run: Callable[[Store], Findings]
    if isinstance(plan, Acceleration):
        run = partial(run_acceleration, plan=plan)
    elif isinstance(plan, Numerical):
        run = partial(run_numerical, plan=plan)
    else:
        problems = {task: RobotProblem(task, backend=backend, steps=plan.steps) for task in plan.tasks}
        run = partial(run_robots, plan=plan, problems=problems, reference=reference)
    command = f"tensorrvea reproduce {experiment} --scale {scale}"
    command += f" --backend {backend}" if backend != "auto" else ""
    command += f" --reference {reference}" if reference is not None else ""

    def run_and_write() -> Findings:
        findings = run(Store(Path(out or f"results/{experiment}-{scale}"), experiment, scale, plan, command, log))
        findings.write()
        return findings

    return run_and_write
