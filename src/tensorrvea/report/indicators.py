"""Curves of hypervolume, IGD and expected utility, from recorded fronts, where the runs did not record their own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from tensorrvea.metrics import (
    derived_reference_point,
    expected_utility,
    hypervolume,
    hypervolume_estimate,
    igd,
    normalise_by_front,
)
from tensorrvea.report.payload import Run

MOST_GENERATIONS = 60
MOST_WORK = 10**9  # of one exact hypervolume, as points ** (objectives - 2): less than a tenth of a second
MOST_SAMPLES = 10_000  # of one estimate, and fewer where points times samples would exceed what follows
MOST_RATIOS = 10**7


@dataclass(frozen=True, kw_only=True)
class Indicated:
    """Runs with their curves, and what a reader must know of them."""

    runs: Sequence[Run]
    note: str


class Indicator(NamedTuple):
    """A number for a front, and in words what it is."""

    name: str
    value: Callable[[np.ndarray], float]
    about: str


def with_indicators(runs: Sequence[Run]) -> Indicated:
    """Adds what the recorded fronts can tell: hypervolume, IGD where the true front is known, expected utility.

    What a run recorded stays as it is and is called. An indicator that all of them recorded is not added again. One
    that only some did is added for all, under another name, since theirs may have been of another reference.
    """
    recorded = [{_plain(name) for name in run.history.metrics} if run.history else set() for run in runs]
    fronts = [F for run in runs for _, F in _fronts(run)]
    added = []
    for indicator in _indicators(runs, fronts) if len(fronts) > 1 else []:
        has = [_plain(indicator.name) in names for names in recorded]
        if any(_fronts(run) and not its for run, its in zip(runs, has, strict=True)):
            added.append(indicator._replace(name=f"{indicator.name} (of fronts)") if any(has) else indicator)
    said = [f"{one.name[0].upper()}{one.name[1:]}: {one.about}." for one in added]
    if any(recorded):
        said.append(f"{'Other indicators' if added else 'Indicators'} are as the runs recorded them.")
    return Indicated(runs=[_with_curves(run, added) for run in runs], note=" ".join(said))


def _indicators(runs: Sequence[Run], fronts: Sequence[np.ndarray]) -> list[Indicator]:
    """All that can be computed."""
    directions = tuple(runs[0].directions)
    truth = next((run.true_front for run in runs if run.true_front is not None and len(run.true_front)), None)
    found = [_hypervolume(runs, fronts, truth)]
    if truth is not None:
        about = "the mean distance from a point of the true front to the nearest solution"
        found.append(Indicator("IGD", lambda F: igd(F, truth, directions), about))
    about = "the best weighted sum of objectives, averaged over even weights; what is minimised counts negative"
    return [*found, Indicator("expected utility", lambda F: expected_utility(F, directions), about)]


def _hypervolume(runs: Sequence[Run], fronts: Sequence[np.ndarray], truth: np.ndarray | None) -> Indicator:
    """Up to the problem's own reference point; or normalised by the true front; or up to the worst of all fronts."""
    directions = tuple(runs[0].directions)
    known = next((run.reference_point for run in runs if run.reference_point is not None), None)
    measure, how = _measure(max(map(len, fronts)), len(directions))
    if known is None and truth is not None:
        ones = np.ones(len(directions))
        about = f"of objectives scaled to the true front's range, up to {_point(ones)}{how}"
        return Indicator("hypervolume", lambda F: measure(normalise_by_front(F, truth, directions), ones, "min"), about)
    if known is not None:
        reference, of = np.asarray(known, float), "up to the problem's reference point"
    else:
        reference, of = derived_reference_point(fronts, directions), "up to the worst values of all recorded fronts,"
    return Indicator("hypervolume", lambda F: measure(F, reference, directions), f"{of} {_point(reference)}{how}")


def _measure(points: int, objectives: int) -> tuple[Callable[..., float], str]:
    """Exact where that is quick for the largest front, else sampled for all of them, so that they compare."""
    if objectives <= 3 or points ** (objectives - 2) <= MOST_WORK:
        return hypervolume, ""
    samples = min(MOST_SAMPLES, max(1000, MOST_RATIOS // points))

    def estimate(F: np.ndarray, reference: np.ndarray, directions: str | Sequence[str]) -> float:
        return hypervolume_estimate(F, reference, directions, samples=samples).value

    return estimate, f"; estimated from {samples:,} samples"


def _with_curves(run: Run, indicators: Sequence[Indicator]) -> Run:
    fronts = dict(_fronts(run))
    if run.history is None or not fronts or not indicators:
        return run
    chosen = sorted(fronts)
    if len(chosen) > MOST_GENERATIONS:
        chosen = [chosen[i] for i in np.linspace(0, len(chosen) - 1, MOST_GENERATIONS).round().astype(int)]
    curves: dict[str, Float[np.ndarray, " g"]] = {}
    for indicator in indicators:
        values = {generation: indicator.value(fronts[generation]) for generation in chosen}
        curves[indicator.name] = np.array([values.get(int(t), np.nan) for t in run.history.generations])
    return replace(run, history=replace(run.history, metrics={**run.history.metrics, **curves}))


def _fronts(run: Run) -> list[tuple[int, np.ndarray]]:
    """Recorded fronts that hold something, with their generations."""
    recorded = [] if run.history is None else run.history.fronts
    return [(int(generation), np.asarray(F)) for generation, F in recorded if len(F)]


def _plain(name: str) -> str:
    """A name without what only looks different.

    >>> _plain("Expected utility") == _plain("expected_utility")
    True
    """
    return name.lower().replace("_", " ").replace("-", " ")


def _point(values: np.ndarray) -> str:
    return f"({', '.join(f'{value:.4g}'.replace('-', '−') for value in values)})"
