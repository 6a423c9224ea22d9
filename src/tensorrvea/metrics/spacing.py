"""Spacing: the evenness of a set of points."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from tensorrvea.metrics.inputs import minimised


def spacing(F: ArrayLike, directions: str | Sequence[str] = "min") -> float:
    """Schott's spacing: the standard deviation of each point's distance to its nearest other point.

    Distances are sums of absolute differences, and the deviation has n - 1 in its denominator (Schott, 1995). Smaller
    is more even. Independent of ``directions``. Needs two points.

    >>> spacing([[0.0, 3.0], [1.0, 2.0], [3.0, 0.0]])
    1.1547005383792515
    """
    f = minimised("F", F, directions, minimum=2)
    nearest = cKDTree(f).query(f, k=2, p=1)[0][:, 1]
    return float(np.std(nearest, ddof=1))
