"""Progress charts: one chart per indicator, one curve per algorithm, a confidence band over several runs."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tensorrvea.plot import summarise
from tensorrvea.report.records import History, Run

MAX_STEPS = 400

Curve = tuple[np.ndarray, np.ndarray, np.ndarray | None]
"""Generations, values, and seconds if they were recorded."""


def progress_charts(runs: Sequence[Run], groups: Sequence[str]) -> list[dict[str, Any]]:
    """Charts of the indicators in order of first appearance, then of survivors and evaluations per second."""
    recorded = [(groups.index(run.algorithm), run.history) for run in runs if run.history is not None]
    names = list(dict.fromkeys(name for _, history in recorded for name in history.metrics))
    charts = [{"name": name, "curves": _curves(recorded, partial(_metric, name))} for name in names]
    charts.append({"name": "survivors", "curves": _curves(recorded, _survivors)})
    charts.append({"name": "evaluations per second", "curves": _curves(recorded, _speed)})
    return [chart for chart in charts if chart["curves"]]


def _metric(name: str, history: History) -> Curve | None:
    if name not in history.metrics:
        return None
    values = np.asarray(history.metrics[name], dtype=float)
    return _curve(history, values, np.isfinite(values))  # NaN before the first feasible solution


def _survivors(history: History) -> Curve | None:
    if history.living is None:
        return None
    values = np.asarray(history.living, dtype=float)
    return _curve(history, values, np.ones(len(values), dtype=bool))


def _speed(history: History) -> Curve | None:
    """Evaluations per second, averaged over a twentieth of the run, since single generations vary."""
    if history.evaluations is None or history.seconds is None or len(history.generations) < 3:
        return None
    seconds, evaluations = np.asarray(history.seconds, dtype=float), np.asarray(history.evaluations, dtype=float)
    window = max(1, len(seconds) // 20)
    elapsed = seconds[window:] - seconds[:-window]
    values = np.full(len(seconds), np.nan)
    known = np.concatenate([np.zeros(window, dtype=bool), elapsed > 0])
    values[known] = ((evaluations[window:] - evaluations[:-window])[elapsed > 0]) / elapsed[elapsed > 0]
    return _curve(history, values, known)


def _curve(history: History, values: np.ndarray, known: np.ndarray) -> Curve | None:
    """The entries of a curve where ``known``; None if there are none."""
    if not known.any():
        return None
    seconds = None if history.seconds is None else np.asarray(history.seconds, dtype=float)[known]
    return np.asarray(history.generations, dtype=float)[known], values[known], seconds


def _curves(
    recorded: Sequence[tuple[int, History]], extract: Callable[[History], Curve | None]
) -> list[dict[str, Any]]:
    curves = []
    for group in sorted({group for group, _ in recorded}):
        extracted = [extract(history) for other, history in recorded if other == group]
        members = [curve for curve in extracted if curve is not None]
        if members:
            curves.append({"group": group, **_band(members)})
    return curves


def _band(members: Sequence[Curve]) -> dict[str, Any]:
    """Mean and confidence interval over the generations that all runs cover."""
    grid = np.unique(np.concatenate([generations for generations, _, _ in members]))
    first, last = max(g[0] for g, _, _ in members), min(g[-1] for g, _, _ in members)
    steps = grid[(grid >= first) & (grid <= last)]
    if len(steps) == 0:
        steps = members[0][0]
        members = members[:1]
    if len(steps) > MAX_STEPS:
        steps = steps[np.unique(np.linspace(0, len(steps) - 1, MAX_STEPS).round().astype(int))]
    values = np.stack([np.interp(steps, g, v) for g, v, _ in members])
    middle, low, high = summarise(values, "confidence")
    timed = [(g, s) for g, _, s in members if s is not None]
    seconds = np.mean([np.interp(steps, g, s) for g, s in timed], axis=0) if len(timed) == len(members) else None
    band = {"low": low.tolist(), "high": high.tolist()} if len(members) > 1 else {"low": None, "high": None}
    return {
        "runs": len(members),
        "generations": steps.tolist(),
        "seconds": None if seconds is None else seconds.tolist(),
        "middle": middle.tolist(),
        **band,
    }
