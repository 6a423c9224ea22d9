"""An experiment at a scale, from the first run to the figures."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tensorrvea.checks import check_choice
from tensorrvea.experiments.acceleration import run_acceleration
from tensorrvea.experiments.findings import Findings
from tensorrvea.experiments.numerical import run_numerical
from tensorrvea.experiments.plans import PLANS, SCALES, Acceleration, Numerical
from tensorrvea.experiments.robots import REFERENCES, make_problem, run_robots
from tensorrvea.experiments.store import Store

EXPERIMENTS = tuple(PLANS)


def reproduce(
    experiment: str,
    *,
    scale: str = "smoke",
    out: str | Path | None = None,
    backend: str = "auto",
    reference: str | None = None,
    log: Callable[[str], None] = print,
) -> Findings:
    """Runs one of the paper's experiments, and goes on where it was stopped.

    Args:
      experiment: acceleration, numerical, neuroevolution or extensibility.
      scale: smoke, cpu or paper.
      out: the directory of results; ``results/EXPERIMENT-SCALE`` if not given.
      backend: the engine of robots' tasks.
      reference: the reference point of HV on robots' tasks: paper or derived; see ``run_robots``.
      log: is told what is run.
    """
    return prepare(experiment, scale=scale, out=out, backend=backend, reference=reference, log=log)()


def prepare(
    experiment: str,
    *,
    scale: str,
    out: str | Path | None,
    backend: str,
    reference: str | None,
    log: Callable[[str], None],
) -> Callable[[], Findings]:
    """The experiment, ready to be run: what is wrong with the arguments is said here, and not hours later."""
    plan = PLANS[check_choice("experiment", experiment, EXPERIMENTS)][check_choice("scale", scale, SCALES)]
    if reference is not None:
        check_choice("reference", reference, REFERENCES)
    run: Callable[[Store], Findings]
    if isinstance(plan, Acceleration):
        run = partial(run_acceleration, plan=plan)
    elif isinstance(plan, Numerical):
        run = partial(run_numerical, plan=plan)
    else:
        problems = {task: make_problem(task, plan, backend) for task in plan.tasks}
        run = partial(run_robots, plan=plan, problems=problems, reference=reference)
    command = f"tensorrvea reproduce {experiment} --scale {scale}"
    command += f" --backend {backend}" if backend != "auto" else ""
    command += f" --reference {reference}" if reference is not None else ""

    def whole() -> Findings:
        findings = run(Store(Path(out or f"results/{experiment}-{scale}"), experiment, scale, plan, command, log))
        findings.write()
        return findings

    return whole
