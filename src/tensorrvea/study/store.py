"""Arrays of finished runs on disk, one file per batch of runs, so that they are not repeated."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tensorrvea.runs.arrays import read_arrays, write_arrays
from tensorrvea.runs.errors import DamagedError

Arrays = dict[str, np.ndarray]


class RunFiles:
    """A directory of files of arrays.

    Args:
      directory: made if it does not exist.
      log: called with a message for each file that is damaged.
    """

    def __init__(self, directory: Path, log: Callable[[str], None]):
        directory.mkdir(parents=True, exist_ok=True)
        self.directory, self.log = directory, log

    def path(self, name: str) -> Path:
        return self.directory / f"{file_name(name)}.npz"

    def read(self, path: Path) -> Arrays | None:
        """Return the arrays of a file; None if it does not exist or is damaged."""
        if not path.exists():
            return None
        try:
            return read_arrays(path)
        except DamagedError as error:
            self.log(f"{error}; running it again")
            return None

    def load_or_run(self, name: str, run: Callable[[], Arrays]) -> Arrays:
        """Return the arrays of a run: from disk if they are there and undamaged, else from ``run``."""
        path = self.path(name)
        arrays = self.read(path)
        if arrays is None:
            self.log(name)
            arrays = run()
            write_arrays(path, arrays)
        return arrays

    # Batches of runs

    def load_seeds(self, series: str) -> dict[int, Arrays]:
        """Return the arrays of all runs of a series that are on disk, by seed."""
        found: dict[int, Arrays] = {}
        for path in sorted(self.directory.glob(f"{file_name(series)}.*.npz")):
            found |= split_runs(self.read(path) or {})
        return found

    def save_seeds(self, series: str, runs: dict[int, Arrays]) -> None:
        """Write a batch of runs as one file, which is there as a whole or not at all."""
        seeds = ",".join(map(str, runs))
        number = hashlib.sha256(seeds.encode()).hexdigest()[:10]
        arrays = {f"{seed}.{name}": array for seed, run in runs.items() for name, array in run.items()}
        write_arrays(self.directory / f"{file_name(series)}.{number}.npz", arrays)


def split_runs(arrays: Arrays) -> dict[int, Arrays]:
    """Return the arrays of each run of a batch, from names such as ``3.F``.

    >>> split_runs({"3.F": np.ones(1), "3.X": np.zeros(1)})
    {3: {'F': array([1.]), 'X': array([0.])}}
    """
    runs: dict[int, Arrays] = {}
    for name, array in arrays.items():
        seed, _, part = name.partition(".")
        runs.setdefault(int(seed), {})[part] = array
    return runs


def file_name(name: str) -> str:
    """Make a unique file name from any text.

    >>> file_name("DTLZ1, RVEA, seed 3")
    'DTLZ1-RVEA-seed-3-02207c'
    """
    plain = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")
    return f"{plain[:120]}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"
