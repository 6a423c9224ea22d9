"""Curves of hypervolume, IGD and expected utility, from the recorded fronts of runs that recorded none themselves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from tensorrvea.metrics import derived_reference_point, expected_utility, hypervolume, igd, normalised_hypervolume
from tensorrvea.report.payload import Run

MOST_GENERATIONS = 60
MOST_WORK = 1_000_000  # of one hypervolume, as points ** (objectives - 2): some tenths of a second


@dataclass(frozen=True, kw_only=True)
class Indicated:
    """Runs with their curves, and what a reader must know of them."""

    runs: Sequence[Run]
    note: str


def with_indicators(runs: Sequence[Run]) -> Indicated:
    """Adds curves for the progress charts, where there are fronts to make them from and no curves yet.

    Where the true front is known: the hypervolume of objectives normalised by it, up to ones, and IGD. Where it is
    not: the hypervolume up to the worst values of all recorded fronts of all runs, and expected utility. These are the
    conventions of ``tensorrvea.metrics``.
    """
    histories = [run.history for run in runs if run.history is not None]
    fronts = [F for history in histories for _, F in history.fronts if len(F)]
    if len(fronts) < 2 or any(history.metrics for history in histories):
        return Indicated(runs=runs, note="")
    truth = next((run.true_front for run in runs if run.true_front is not None and len(run.true_front)), None)
    directions = tuple(runs[0].directions)
    reference = None if truth is not None else derived_reference_point(fronts, directions)
    affordable = max(map(len, fronts)) ** max(1, len(directions) - 2) <= MOST_WORK

    def indicate(F: np.ndarray) -> dict[str, float]:
        values = {}
        if affordable and reference is not None:
            values["hypervolume"] = hypervolume(F, reference, directions)
        if affordable and truth is not None:
            values["hypervolume"] = normalised_hypervolume(F, truth, directions)
        if truth is not None:
            values["IGD"] = igd(F, truth, directions)
        else:
            values["expected utility"] = expected_utility(F, directions)
        return values

    note = "" if reference is None or not affordable else f"Hypervolume is up to ({', '.join(map(_short, reference))})."
    return Indicated(runs=[_indicated(run, indicate) for run in runs], note=note)


def _indicated(run: Run, indicate: Callable[[np.ndarray], dict[str, float]]) -> Run:
    if run.history is None:
        return run
    recorded = {int(generation): np.asarray(F) for generation, F in run.history.fronts if len(F)}
    chosen = sorted(recorded)
    if len(chosen) > MOST_GENERATIONS:
        chosen = [chosen[i] for i in np.linspace(0, len(chosen) - 1, MOST_GENERATIONS).round().astype(int)]
    found = {generation: indicate(recorded[generation]) for generation in chosen}
    names = dict.fromkeys(name for values in found.values() for name in values)
    metrics: dict[str, Float[np.ndarray, " g"]] = {
        name: np.array([found.get(int(t), {}).get(name, np.nan) for t in run.history.generations]) for name in names
    }
    return replace(run, history=replace(run.history, metrics=metrics))


def _short(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")
