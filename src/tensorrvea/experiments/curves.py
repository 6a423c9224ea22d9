"""Resampling of convergence curves."""

from collections.abc import Sequence

import numpy as np

STEPS = 60


def sample_indices(length: int, samples: int) -> np.ndarray:
    """Up to ``samples`` indices below ``length``, geometrically spaced from the first to the last.

    >>> sample_indices(100, 5).tolist()
    [0, 2, 9, 31, 99]
    """
    if length <= samples:
        return np.arange(length)
    return np.unique(np.rint(np.geomspace(1, length, samples)).astype(int)) - 1


def resample(runs: Sequence[dict[str, np.ndarray]], axis: str, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return steps that all runs have reached, and each run's latest value at each of them, (runs, steps)."""
    first = max(run[axis][0] for run in runs)
    last = min(run[axis][-1] for run in runs)
    steps = np.linspace(first, last, STEPS)
    rows = [run[name][np.searchsorted(run[axis], steps, side="right") - 1] for run in runs]
    return steps, np.array(rows)
