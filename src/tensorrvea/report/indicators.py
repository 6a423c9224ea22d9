"""Curves of hypervolume, IGD and expected utility, computed from recorded fronts if the runs did not record them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from tensorrvea import metrics
from tensorrvea.report.packing import thin
from tensorrvea.report.records import Run

MAX_GENERATIONS = 60
MAX_EXACT_WORK = 10**9  # points ** (objectives - 2) of one exact hypervolume: less than a tenth of a second
MAX_SAMPLES = 10_000  # of one estimate
MAX_RATIOS = 10**7  # points × samples of one estimate


class RunsWithIndicators(NamedTuple):
    """Runs with indicator curves, and a note that explains how the curves were computed."""

    runs: Sequence[Run]
    note: str


class Indicator(NamedTuple):
    """A quality measure of a front, with its description."""

    name: str
    value: Callable[[np.ndarray], float]
    description: str


def add_indicators(runs: Sequence[Run]) -> RunsWithIndicators:
    """Add hypervolume, expected utility and, if the true front is known, IGD from recorded fronts.

    Recorded curves keep their values and names. An indicator that all runs recorded is not added. One that only some
    runs recorded is added to all under another name, since theirs may use another reference.
    """
    recorded = [{_normalise_name(name) for name in run.history.metrics} if run.history else set() for run in runs]
    fronts = [F for run in runs for _, F in recorded_fronts(run)]
    added = []
    for indicator in _indicators(runs, fronts) if len(fronts) > 1 else []:
        has = [_normalise_name(indicator.name) in names for names in recorded]
        if any(recorded_fronts(run) and not its for run, its in zip(runs, has, strict=True)):
            added.append(indicator._replace(name=f"{indicator.name} (of fronts)") if any(has) else indicator)
    sentences = [f"{one.name[0].upper()}{one.name[1:]}: {one.description}." for one in added]
    if any(recorded):
        sentences.append(f"{'Other indicators' if added else 'Indicators'} are as the runs recorded them.")
    return RunsWithIndicators([_with_curves(run, added) for run in runs], " ".join(sentences))


def _indicators(runs: Sequence[Run], fronts: Sequence[np.ndarray]) -> list[Indicator]:
    """All indicators that can be computed."""
    directions = tuple(runs[0].directions)
    truth = known_true_front(runs)
    indicators = [_hypervolume(runs, fronts, truth)]
    if truth is not None:
        indicators.append(_igd(runs, truth))
    description = "the best weighted sum of objectives, averaged over even weights; minimised objectives count negative"
    return [*indicators, Indicator("expected utility", lambda F: metrics.expected_utility(F, directions), description)]


def _igd(runs: Sequence[Run], truth: np.ndarray) -> Indicator:
    """IGD in the objectives' unit if they have a common one, else in parts of their ranges."""
    units = next((run.distance_units for run in runs if run.distance_units is not None), np.ones(truth.shape[1]))
    scaled = "" if np.all(units == 1) else ", in parts of the objectives' ranges on it"
    description = f"the mean distance from a point of the true front to the nearest solution{scaled}"
    directions = tuple(runs[0].directions)
    return Indicator("IGD", lambda F: metrics.igd(F / units, truth / units, directions), description)


def _hypervolume(runs: Sequence[Run], fronts: Sequence[np.ndarray], truth: np.ndarray | None) -> Indicator:
    """Hypervolume to the problem's reference point, else normalised by the true front, else to the worst values."""
    directions = tuple(runs[0].directions)
    known = next((run.reference_point for run in runs if run.reference_point is not None), None)
    measure, method = _exact_or_estimate(max(map(len, fronts)), len(directions))
    if known is None and truth is not None:
        ones = np.ones(len(directions))
        description = f"of objectives scaled to the true front's range, up to {_format_point(ones)}{method}"
        return Indicator(
            "hypervolume", lambda F: measure(metrics.normalise_by_front(F, truth, directions), ones, "min"), description
        )
    if known is not None:
        reference, origin = np.asarray(known, float), "up to the problem's reference point"
    else:
        reference = metrics.derived_reference_point(fronts, directions)
        origin = "up to the worst values of all recorded fronts,"
    description = f"{origin} {_format_point(reference)}{method}"
    return Indicator("hypervolume", lambda F: measure(F, reference, directions), description)


def _exact_or_estimate(points: int, objectives: int) -> tuple[Callable[..., float], str]:
    """Exact if that is fast for the largest front, else an estimate for all fronts, so that they are comparable."""
    if objectives <= 3 or points ** (objectives - 2) <= MAX_EXACT_WORK:
        return metrics.hypervolume, ""
    samples = min(MAX_SAMPLES, max(1000, MAX_RATIOS // points))

    def estimate(F: np.ndarray, reference: np.ndarray, directions: str | Sequence[str]) -> float:
        return metrics.hypervolume_estimate(F, reference, directions, samples=samples).value

    return estimate, f"; estimated from {samples:,} samples"


def _with_curves(run: Run, indicators: Sequence[Indicator]) -> Run:
    fronts = dict(recorded_fronts(run))
    if run.history is None or not fronts or not indicators:
        return run
    chosen = thin(np.array(sorted(fronts)), MAX_GENERATIONS).tolist()
    curves: dict[str, Float[np.ndarray, " g"]] = {}
    for indicator in indicators:
        values = {generation: indicator.value(fronts[generation]) for generation in chosen}
        curves[indicator.name] = np.array([values.get(int(t), np.nan) for t in run.history.generations])
    return replace(run, history=replace(run.history, metrics={**run.history.metrics, **curves}))


def recorded_fronts(run: Run) -> list[tuple[int, np.ndarray]]:
    """The recorded fronts that are not empty, with their generations."""
    fronts = [] if run.history is None else run.history.fronts
    return [(int(generation), np.asarray(F)) for generation, F in fronts if len(F)]


def known_true_front(runs: Sequence[Run]) -> np.ndarray | None:
    """The first true front that a run has; None if no run has one."""
    return next((run.true_front for run in runs if run.true_front is not None and len(run.true_front)), None)


def _normalise_name(name: str) -> str:
    """Ignore case and separators.

    >>> _normalise_name("Expected utility") == _normalise_name("expected_utility")
    True
    """
    return name.lower().replace("_", " ").replace("-", " ")


def _format_point(values: np.ndarray) -> str:
    return f"({', '.join(f'{value:.4g}'.replace('-', '−') for value in values)})"
