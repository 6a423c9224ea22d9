"""The front of several runs."""

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

import numpy as np

from tensorrvea.checks import as_tuple, shown
from tensorrvea.history import History, Individuals
from tensorrvea.result import Result

DESCRIBED = ("name", "variables", "objectives", "directions", "objective_names")


def merge(results: Iterable[Result]) -> Result:
    """Join the fronts of several runs of one problem, of any algorithms and seeds.

    The population of the merged result holds the front of every run, and its archive if there is one, so that ``X`` and
    ``F`` are the best of all runs. Its history has one entry: what all runs took together.

    Args:
      results: at least one result, such as those of ``replicate``.

    Raises:
      TypeError: if something else than results is given.
      ValueError: if there is none, or if they are of different problems.

    Returns:
      The joint result.

    >>> import tensorrvea as tr
    >>> problem, algorithm = tr.problems.ZDT1(variables=5), tr.TensorRVEA(population=8)
    >>> runs = tr.replicate(problem, algorithm, generations=5, seeds=range(3))
    >>> merged = tr.merge(runs)
    >>> merged.evaluations == 3 * runs[0].evaluations, merged.stopped
    (True, 'merged from 3 runs')
    """
    runs = (results,) if isinstance(results, Result) else as_tuple(results)
    if not runs and isinstance(results, list | tuple):
        raise ValueError("results must hold at least one Result, got none")
    if not runs or not all(isinstance(run, Result) for run in runs):
        raise TypeError(f"results takes several Results, got {shown(results)}")
    first = runs[0]
    for run in runs[1:]:
        for name in DESCRIBED:
            one, other = getattr(first.problem, name), getattr(run.problem, name)
            if one != other:
                raise ValueError(f"results must be of one problem, got {name} {shown(one)} and {shown(other)}")
    parts = [part for run in runs for part in (run.front, run.archive) if part is not None]
    population = concatenate(parts)
    if len(population) == 0:  # none is feasible: keep all, so that the violation can be seen
        population = concatenate([run.population for run in runs])
    feasible = population.rows(population.violation <= 0)
    displayed = (feasible if len(feasible) else population).F * first.problem.signs
    empty = np.full((1, first.problem.objectives), np.nan)
    history = History(
        generation=np.array([max(run.generations for run in runs)]),
        evaluations=np.array([sum(run.evaluations for run in runs)]),
        seconds=np.array([sum(run.seconds for run in runs)]),
        progress=np.array([min(float(run.history.progress[-1]) for run in runs)]),
        ideal=displayed.min(axis=0)[None] * first.problem.signs if len(displayed) else empty,
        nadir=displayed.max(axis=0)[None] * first.problem.signs if len(displayed) else empty,
        living=np.array([len(population)]),
        feasible=np.array([len(feasible)]),
        failed=np.array([sum(run.failed for run in runs)]),
    )
    count = f"{len(runs)} run" + ("s" if len(runs) > 1 else "")
    return replace(
        first, population=population, history=history, archive=None,
        capacity=sum(run.capacity for run in runs), stopped=f"merged from {count}",
    )  # fmt: skip


def concatenate(parts: list[Individuals]) -> Individuals:
    """Join several sets of individuals."""
    columns: dict[str, Any] = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Individuals)
    }
    return Individuals(**columns)
