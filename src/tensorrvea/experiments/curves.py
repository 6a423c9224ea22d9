"""Indicators over the generations of repeated runs: sampling, resampling, and figures."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from tensorrvea.plot import plot_convergence
from tensorrvea.result import Result

STEPS = 60
Arrays = dict[str, np.ndarray]
# Problem → algorithm → the arrays of each seed.
Runs = Mapping[str, Mapping[str, Sequence[Arrays]]]


def sample_indices(length: int, samples: int) -> np.ndarray:
    """Up to ``samples`` indices below ``length``, geometrically spaced from the first to the last.

    >>> sample_indices(100, 5).tolist()
    [0, 2, 9, 31, 99]
    """
    if length <= samples:
        return np.arange(length)
    return np.unique(np.rint(np.geomspace(1, length, samples)).astype(int)) - 1


def sample_fronts(result: Result, samples: int) -> tuple[Arrays, list[np.ndarray]]:
    """Some of the generations of a run, with their times, and the fronts of these."""
    history = result.history
    assert history.fronts is not None  # recorded by history="fronts"
    sampled = sample_indices(len(history.fronts), samples)
    times = {"generation": history.generation[sampled], "seconds": history.seconds[sampled]}
    return times, [history.fronts[t] for t in sampled]


def resample(runs: Sequence[Arrays], axis: str, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return steps that all runs have reached, and each run's latest value at each of them, (runs, steps)."""
    first = max(run[axis][0] for run in runs)
    last = min(run[axis][-1] for run in runs)
    steps = np.linspace(first, last, STEPS)
    rows = [run[name][np.searchsorted(run[axis], steps, side="right") - 1] for run in runs]
    return steps, np.array(rows)


def draw_curves(runs: Runs, name: str, axis: str, *, log: bool = False) -> dict[str, Figure]:
    """Draw an indicator over time or generations, one figure per problem."""
    figures = {}
    for problem, by_algorithm in runs.items():
        curves = {algorithm: resample(seeds, axis, name) for algorithm, seeds in by_algorithm.items()}
        figures[problem] = plot_convergence(curves, ylabel=name, xlabel=axis, band="confidence", log=log)
    return figures


def final_values(runs: Runs, name: str) -> dict[str, dict[str, list[float]]]:
    """The last value of each run: problem → algorithm → one per seed."""
    return {p: {a: [float(run[name][-1]) for run in seeds] for a, seeds in each.items()} for p, each in runs.items()}


def final_rows(runs: Runs, *names: str) -> Iterator[tuple[Any, ...]]:
    """Yield problem, algorithm, seed, and the last values of each run."""
    for problem, by_algorithm in runs.items():
        for algorithm, seeds in by_algorithm.items():
            for seed, run in enumerate(seeds):
                yield (problem, algorithm, seed, *(run[name][-1] for name in names))
