"""What a study keeps of a run: its front, and the fronts of some of its generations."""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

from tensorrvea.driver.search import Search
from tensorrvea.history import individuals
from tensorrvea.result import Result
from tensorrvea.study.store import Arrays

STEPS = 60
SAMPLES = 40
# Problem → algorithm → the arrays of each run.
Runs = Mapping[str, Mapping[str, Sequence[Arrays]]]


def sample_indices(length: int, samples: int) -> np.ndarray:
    """Up to ``samples`` indices below ``length``, geometrically spaced from the first to the last.

    >>> sample_indices(100, 5).tolist()
    [0, 2, 9, 31, 99]
    """
    if length <= samples:
        return np.arange(length)
    return np.unique(np.rint(np.geomspace(1, length, samples)).astype(int)) - 1


def reduce_search(search: Search, samples: int = SAMPLES) -> dict[int, Arrays]:
    """Return what is kept of each run of a finished search, by seed.

    ``F`` and ``X`` are the front. If the search recorded its fronts, ``fronts`` holds those of some generations, one
    after the other, and ``sizes`` how many points each has; ``generation``, ``evaluations`` and ``seconds`` say when.
    """
    reduced = {}
    for number, result in enumerate(search.results()):
        arrays = {"F": result.F, "X": result.X}
        if search.run.history == "fronts":
            sampled = sample_indices(len(result.history.generation), samples)
            fronts = [generation_front(search, result, int(t), number) for t in sampled]
            arrays |= pack_fronts(fronts)
            for name in ("generation", "evaluations", "seconds"):
                arrays[name] = getattr(result.history, name)[sampled]
        reduced[result.seed] = arrays
    return reduced


def generation_front(search: Search, result: Result, t: int, number: int) -> np.ndarray:
    """Return the front of generation ``t`` of run ``number`` of a search."""
    if t == result.generations:
        return result.F
    at = (0, number) if search.run.is_batched else (0,)
    rows: Any = search.recorder.between(t, t).population
    problem = search.run.problem
    return individuals(problem, jax.tree.map(lambda leaf: leaf[at], rows)).front(problem).F


def pack_fronts(fronts: Sequence[np.ndarray]) -> Arrays:
    return {"fronts": np.concatenate(fronts), "sizes": np.array([len(front) for front in fronts])}


def unpack_fronts(run: Arrays) -> list[np.ndarray]:
    """Return the fronts of the sampled generations of a run.

    >>> [front.tolist() for front in unpack_fronts(pack_fronts([np.ones((1, 2)), np.zeros((0, 2))]))]
    [[[1.0, 1.0]], []]
    """
    return np.split(run["fronts"], np.cumsum(run["sizes"])[:-1])


def resample(runs: Sequence[Arrays], axis: str, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return steps that all runs have reached, and each run's latest value at each of them, (runs, steps)."""
    first = max(run[axis][0] for run in runs)
    last = min(run[axis][-1] for run in runs)
    if all(np.array_equal(run[axis], runs[0][axis]) for run in runs):
        return runs[0][axis], np.array([run[name] for run in runs])
    steps = np.linspace(first, last, STEPS)
    rows = [run[name][np.searchsorted(run[axis], steps, side="right") - 1] for run in runs]
    return steps, np.array(rows)
