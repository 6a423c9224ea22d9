"""Conversion of results to the records that a page is made from."""

import platform
from dataclasses import replace
from typing import Any

import jax
import numpy as np

from tensorrvea.decision import knee, spread
from tensorrvea.history import Individuals
from tensorrvea.neuroevolution import Replay as Episode
from tensorrvea.optional import installed_versions
from tensorrvea.problem import Problem
from tensorrvea.problem_registry import problem_settings
from tensorrvea.report.command import make_command, settings_of
from tensorrvea.report.records import History, Part, Replay, ResultLike, Run

PACKAGES = ("tensorrvea", "jax", "jaxlib", "numpy", "brax", "mujoco")
TRUE_FRONT_POINTS = 3000


def run_from_result(result: ResultLike, label: str | None = None, *, replays: int = 0) -> Run:
    """Convert a result to a ``Run``, labelled by algorithm and seed unless ``label`` is given.

    If the run found no feasible solution, the infeasible survivors are shown with their violation.
    """
    problem = result.problem
    shown = result.front if len(result.front) else result.population
    truth = problem.front(TRUE_FRONT_POINTS)
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
        constraint_names=problem.constraint_names if shown.G.shape[1] else (),
        G=shown.G,
        constraint_scale=result.constraint_scale if shown.G.shape[1] else None,
        history=_history(result),
        true_front=truth,
        distance_units=None if truth is None else problem.distance_units(truth),
        reference_point=problem.reference_point(),
        replays=_replays(problem, shown, replays),
        provenance=_provenance(result),
    )


def algorithm_name(algorithm: Any) -> str:
    """The class name, with the variation operator unless it is the default: ``TensorRVEA + CSO``."""
    name = type(algorithm).__name__
    variation = settings_of(algorithm).get("variation")
    return name if variation is None or type(variation).__name__ == "GA" else f"{name} + {type(variation).__name__}"


def _replays(problem: Problem, shown: Individuals, count: int) -> list[Replay]:
    """Replay the knee and a spread of the front, if the problem can replay solutions."""
    if count == 0 or len(shown) == 0 or not problem.can_replay:
        return []
    chosen = spread(shown.F, count, problem.directions)
    knee_row = knee(shown.F, problem.directions)
    if knee_row not in chosen:
        others = spread(shown.F, count - 1, problem.directions) if count > 1 else []
        chosen = sorted({knee_row, *others})
    episodes = ((i, problem.replay(shown.X[i])) for i in chosen)
    return [replay_from_episode(episode, i) for i, episode in episodes if episode is not None]


def replay_from_episode(episode: Episode, solution: int) -> Replay:
    """Return an episode as a record of the page."""
    bodies = zip(episode.names, episode.radii, episode.fixed, strict=True)
    parts = [Part(name=name, radius=float(r), fixed=bool(fixed), far="left" in name) for name, r, fixed in bodies]
    if episode.sizes is not None:
        solids = zip(parts, episode.kinds, episode.sizes.tolist(), strict=True)
        parts = [replace(part, kind=kind, size=tuple(size)) for part, kind, size in solids]
    # In a plane, far limbs come first, so that near ones are drawn over them.
    order = np.argsort([not part.far and episode.poses is None for part in parts], kind="stable")
    return Replay(
        solution=solution,
        seconds=episode.seconds,
        parts=[parts[i] for i in order],
        ends=episode.ends[:, order],
        ground=episode.ground,
        poses=None if episode.poses is None else episode.poses[:, order],
        returns=None if episode.returns is None else episode.returns.tolist(),
    )


def _history(result: ResultLike) -> History:
    recorded = result.history
    fronts = recorded.fronts
    if fronts is None and recorded.populations is not None:
        fronts = [population.front(result.problem).F for population in recorded.populations]
    return History(
        generations=recorded.generation,
        seconds=recorded.seconds,
        evaluations=recorded.evaluations,
        living=recorded.living,
        metrics=recorded.metrics,
        fronts=[] if fronts is None else list(zip(recorded.generation.tolist(), fronts, strict=True)),
    )


def _provenance(result: ResultLike) -> dict[str, Any]:
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
        "versions": installed_versions(PACKAGES),
        "spec": {"problem": _describe(result.problem), "algorithm": repr(result.algorithm)},
        **({"command": command} if command else {}),
    }


def _describe(problem: Problem) -> str:
    """The constructor call of a registered problem; the ``repr`` of any other."""
    known = problem_settings(problem)
    if known is None:
        return repr(problem)
    name, settings = known
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in settings.items())})"
