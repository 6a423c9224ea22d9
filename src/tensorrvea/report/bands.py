"""Progress charts: one indicator a chart, one curve an algorithm, a band where it has several runs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorrvea.plot import summarise
from tensorrvea.report.payload import History, Run

MOST_STEPS = 400


def progress_charts(runs: Sequence[Run], groups: Sequence[str]) -> list[dict[str, Any]]:
    """Indicators in the order in which they are first met, then the living, then evaluations a second."""
    recorded = [(groups.index(run.algorithm), run.history) for run in runs if run.history is not None]
    names = list(dict.fromkeys(name for _, history in recorded for name in history.metrics))
    charts = [{"name": name, "curves": _curves(recorded, lambda h, n=name: _metric(h, n))} for name in names]
    charts.append({"name": "living", "curves": _curves(recorded, _living)})
    charts.append({"name": "evaluations a second", "curves": _curves(recorded, _speed)})
    return [chart for chart in charts if chart["curves"]]


Curve = tuple[np.ndarray, np.ndarray, np.ndarray | None]
"""Generations, values, and seconds where the clock is known."""


def _metric(history: History, name: str) -> Curve | None:
    if name not in history.metrics:
        return None
    values = np.asarray(history.metrics[name], dtype=float)
    known = np.isfinite(values)  # an indicator may not exist before the first feasible solution
    return _where(history, values, known)


def _living(history: History) -> Curve | None:
    if history.living is None:
        return None
    values = np.asarray(history.living, dtype=float)
    return _where(history, values, np.ones(len(values), dtype=bool))


def _speed(history: History) -> Curve | None:
    """Evaluations a second, averaged over about a twentieth of the run, since single generations jitter."""
    if history.evaluations is None or history.seconds is None or len(history.generations) < 3:
        return None
    seconds, evaluations = (
        np.asarray(history.seconds, dtype=float),
        np.asarray(history.evaluations, dtype=float),
    )
    back = max(1, len(seconds) // 20)
    elapsed = seconds[back:] - seconds[:-back]
    values = np.full(len(seconds), np.nan)
    known = np.concatenate([np.zeros(back, dtype=bool), elapsed > 0])
    values[known] = ((evaluations[back:] - evaluations[:-back])[elapsed > 0]) / elapsed[elapsed > 0]
    return _where(history, values, known)


def _where(history: History, values: np.ndarray, known: np.ndarray) -> Curve | None:
    if not known.any():
        return None
    seconds = None if history.seconds is None else np.asarray(history.seconds, dtype=float)[known]
    return np.asarray(history.generations, dtype=float)[known], values[known], seconds


def _curves(recorded: Sequence[tuple[int, History]], pick: Any) -> list[dict[str, Any]]:
    curves = []
    for group in sorted({group for group, _ in recorded}):
        picked = [pick(history) for other, history in recorded if other == group]
        members = [curve for curve in picked if curve is not None]
        if members:
            curves.append({"group": group, **_band(members)})
    return curves


def _band(members: Sequence[Curve]) -> dict[str, Any]:
    """Mean and confidence interval where all runs have been: between the last start and the first end."""
    grid = np.unique(np.concatenate([generations for generations, _, _ in members]))
    first, last = max(g[0] for g, _, _ in members), min(g[-1] for g, _, _ in members)
    inside = grid[(grid >= first) & (grid <= last)]
    if len(inside) == 0:
        inside = members[0][0]
        members = members[:1]
    if len(inside) > MOST_STEPS:
        inside = inside[np.unique(np.linspace(0, len(inside) - 1, MOST_STEPS).round().astype(int))]
    values = np.stack([np.interp(inside, g, v) for g, v, _ in members])
    middle, low, high = summarise(values, "confidence")
    timed = [(g, s) for g, _, s in members if s is not None]
    seconds = np.mean([np.interp(inside, g, s) for g, s in timed], axis=0) if len(timed) == len(members) else None
    band = {"low": low.tolist(), "high": high.tolist()} if len(members) > 1 else {"low": None, "high": None}
    return {
        "runs": len(members),
        "generations": inside.tolist(),
        "seconds": None if seconds is None else seconds.tolist(),
        "middle": middle.tolist(),
        **band,
    }
