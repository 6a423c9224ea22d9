"""Signs that convert objectives to minimisation."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from tensorrvea.checks import check_directions

# "min" or "max" for each objective, or one of them for all.
Directions = str | Sequence[str]


def signs(directions: Directions, objectives: int) -> Float[np.ndarray, " m"]:
    """1 for an objective that is minimised, -1 for one that is maximised."""
    return np.array([1.0 if each == "min" else -1.0 for each in check_directions(directions, objectives)])
