"""Results as runs of a page."""

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import jax
import numpy as np

from tensorrvea.decision import knee, spread
from tensorrvea.problem import Problem
from tensorrvea.report.command import make_command
from tensorrvea.report.payload import History, Part, Replay, Run
from tensorrvea.result import Result
from tensorrvea.runs.registry import problem_settings

VERSIONS = ("tensorrvea", "jax", "jaxlib", "numpy", "brax", "mujoco")
TRUE_FRONT_POINTS = 3000


def run_from_result(result: Result, label: str | None = None, *, replays: int = 0) -> Run:
    """A result as a run, by default called by algorithm and seed; with episodes of a spread of the front.

    Where nothing feasible was found, the survivors with their violation are shown.
    """
    problem = result.problem
    shown = result.front if len(result.F) else result.population
    return Run(
        label=label or f"{algorithm_name(result.algorithm)}, seed {result.seed}",
        algorithm=algorithm_name(result.algorithm),
        problem=problem.name,
        objective_names=problem.objective_names,
        units=problem.units,
        directions=problem.directions,
        variable_names=problem.variable_names,
        X=shown.X,
        F=shown.F,
        violation=shown.violation,
        history=_history(result),
        true_front=problem.front(TRUE_FRONT_POINTS),
        reference_point=problem.reference_point(),
        replays=_replays(problem, shown, replays),
        provenance=_provenance(result),
    )


def algorithm_name(algorithm: Any) -> str:
    """Its class, and its operators' where they are a choice: ``TensorRVEA + CSO``."""
    variation = getattr(algorithm, "variation", None)
    name = type(algorithm).__name__
    return name if variation is None or type(variation).__name__ == "GA" else f"{name} + {type(variation).__name__}"


def _replays(problem: Problem, shown: Any, count: int) -> list[Replay]:
    """Episodes of solutions spread over the front, for problems that can replay one."""
    if count == 0 or len(shown) == 0 or not problem.can_replay:
        return []
    chosen = spread(shown.F, count, problem.directions)
    first = knee(shown.F, problem.directions)  # what a reader looks at first is always among them
    if first not in chosen:
        others = spread(shown.F, count - 1, problem.directions) if count > 1 else []
        chosen = sorted({first, *others})
    return [_replay(problem.replay(shown.X[i]), i) for i in chosen]


def _replay(recorded: Any, solution: int) -> Replay:
    parts = [
        Part(name=name, radius=float(radius), fixed=bool(fixed), far="left" in name)
        for name, radius, fixed in zip(recorded.names, recorded.radii, recorded.fixed, strict=True)
    ]
    return Replay(
        solution=solution,
        seconds=recorded.seconds,
        # The further limbs first, so that the nearer ones are drawn over them.
        parts=[part for part in parts if part.far] + [part for part in parts if not part.far],
        ends=recorded.ends[:, np.argsort([not part.far for part in parts], kind="stable")],
        ground=recorded.ground,
        returns=None if recorded.returns is None else recorded.returns.tolist(),
    )


def _history(result: Result) -> History:
    recorded = result.history
    fronts = recorded.fronts
    if fronts is None and recorded.populations is not None:
        fronts = [population.front(result.problem).F for population in recorded.populations]
    return History(
        generations=recorded.generation,
        seconds=recorded.seconds,
        evaluations=recorded.evaluations,
        living=recorded.living,
        ideal=recorded.ideal,
        nadir=recorded.nadir,
        metrics={name: np.asarray(values) for name, values in recorded.metrics.items()},
        fronts=[] if fronts is None else list(zip(recorded.generation.tolist(), fronts, strict=True)),
    )


def _provenance(result: Result) -> dict[str, Any]:
    command = make_command(result)
    return {
        "seed": result.seed,
        "generations": result.generations,
        "evaluations": result.evaluations,
        "seconds": result.seconds,
        "ended by": result.stopped,
        **({"failed evaluations": result.failed} if result.failed else {}),
        "device": ", ".join(sorted({device.device_kind for device in jax.devices()})),
        "system": f"{platform.system()} {platform.machine()}",
        "versions": installed_versions(),
        "spec": {"problem": _described(result.problem), "algorithm": repr(result.algorithm)},
        **({"command": command} if command else {}),
    }


def _described(problem: Problem) -> str:
    """As the call that makes it, where it is one of the library's."""
    known = problem_settings(problem)
    if known is None:
        return repr(problem)
    name, settings = known
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in settings.items())})"


def installed_versions() -> dict[str, str]:
    """Of Python and of the packages that decide what comes out, as far as they are installed."""
    found = {"python": platform.python_version()}
    for name in VERSIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
