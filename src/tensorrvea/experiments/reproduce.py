"""An experiment at a scale, from the first run to the figures."""

from collections.abc import Callable
from pathlib import Path

from tensorrvea.checks import check_choice
from tensorrvea.experiments.acceleration import run_acceleration
from tensorrvea.experiments.findings import Findings
from tensorrvea.experiments.numerical import run_numerical
from tensorrvea.experiments.plans import PLANS, SCALES, Acceleration, Numerical
from tensorrvea.experiments.robots import run_robots
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
    plan = PLANS[check_choice("experiment", experiment, EXPERIMENTS)][check_choice("scale", scale, SCALES)]
    store = Store(Path(out or f"results/{experiment}-{scale}"), experiment, scale, plan, log)
    if isinstance(plan, Acceleration):
        findings = run_acceleration(store, plan)
    elif isinstance(plan, Numerical):
        findings = run_numerical(store, plan)
    else:
        findings = run_robots(store, plan, backend=backend, reference=reference)
    findings.write()
    return findings
