"""What both halves of the comparison with many variables share: sizes, budget and files."""

from pathlib import Path
from typing import Any

import numpy as np

PROBLEMS = tuple(f"LSMOP{number}" for number in range(1, 10))
OBJECTIVES, VARIABLES = 3, (1000, 5000)
POPULATION, BUDGET, SEEDS = 105, 10_500, 5


def sample_designs(variables: int, count: int = 50) -> np.ndarray:
    """Return random designs, on which both implementations of a problem are compared."""
    upper = np.full(variables, 10.0)
    upper[: OBJECTIVES - 1] = 1.0
    return (np.random.default_rng(0).random((count, variables)) * upper).astype(np.float32)


def save(file: Path, arrays: dict[str, Any]) -> None:
    """Write a file that is never seen half written."""
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(".partial.npz")
    np.savez_compressed(partial, **arrays)
    partial.rename(file)
