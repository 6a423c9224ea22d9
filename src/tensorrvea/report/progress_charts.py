"""Progress charts: one chart per indicator, one curve per algorithm, a confidence band over several runs."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tensorrvea.plot import summarise
from tensorrvea.report.packing import thin
from tensorrvea.report.records import History, Run

MAX_STEPS = 400

Curve = tuple[np.ndarray, np.ndarray, np.ndarray | None]
"""Generations, values, and seconds if they were recorded."""


def progress_charts(runs: Sequence[Run], groups: Sequence[str]) -> list[dict[str, Any]]:
    """Charts of the indicators in order of first appearance, then of survivors and evaluations per second."""
    recorded = [(groups.index(run.algorithm), run.history) for run in runs if run.history is not None]
    names = list(dict.fromkeys(name for _, history in recorded for name in history.metrics))
    charts = [{"name": name, "curves": _curves(recorded, partial(_metric, name))} for name in names]
    charts.append({"name": "survivors", "curves": _curves(recorded, lambda history: history.living)})
    charts.append({"name": "evaluations per second", "curves": _curves(recorded, _speed)})
    return [chart for chart in charts if chart["curves"]]


def _metric(name: str, history: History) -> np.ndarray | None:
    return history.metrics.get(name)


def _speed(history: History) -> np.ndarray | None:
    """Evaluations per second, averaged over a twentieth of the run, since single generations vary."""
    if history.evaluations is None or history.seconds is None or len(history.generations) < 3:
        return None
    seconds, evaluations = np.asarray(history.seconds, dtype=float), np.asarray(history.evaluations, dtype=float)
    window = max(1, len(seconds) // 20)
    elapsed = seconds[window:] - seconds[:-window]
    gained = evaluations[window:] - evaluations[:-window]
    speed = np.divide(gained, elapsed, out=np.full(len(elapsed), np.nan), where=elapsed > 0)
    return np.concatenate([np.full(window, np.nan), speed])


def _curves(
    recorded: Sequence[tuple[int, History]], values_of: Callable[[History], np.ndarray | None]
) -> list[dict[str, Any]]:
    members: dict[int, list[Curve]] = {}
    for group, history in recorded:
        given = values_of(history)
        values = np.array([]) if given is None else np.asarray(given, dtype=float)
        known = np.isfinite(values)  # NaN before the first feasible solution
        if known.any():
            seconds = None if history.seconds is None else np.asarray(history.seconds, dtype=float)[known]
            curve = (np.asarray(history.generations, dtype=float)[known], values[known], seconds)
            members.setdefault(group, []).append(curve)
    return [{"group": group, **_band(curves)} for group, curves in sorted(members.items())]


def _band(members: Sequence[Curve]) -> dict[str, Any]:
    """Mean and confidence interval over the generations that all runs cover."""
    grid = np.unique(np.concatenate([generations for generations, _, _ in members]))
    first, last = max(g[0] for g, _, _ in members), min(g[-1] for g, _, _ in members)
    steps = grid[(grid >= first) & (grid <= last)]
    if len(steps) == 0:
        steps = members[0][0]
        members = members[:1]
    steps = thin(steps, MAX_STEPS)
    values = np.stack([np.interp(steps, g, v) for g, v, _ in members])
    middle, low, high = summarise(values, "confidence")
    seconds = [np.interp(steps, g, s) for g, _, s in members if s is not None]
    return {
        "runs": len(members),
        "generations": steps.tolist(),
        "seconds": np.mean(seconds, axis=0).tolist() if len(seconds) == len(members) else None,
        "middle": middle.tolist(),
        "low": low.tolist() if len(members) > 1 else None,
        "high": high.tolist() if len(members) > 1 else None,
    }
