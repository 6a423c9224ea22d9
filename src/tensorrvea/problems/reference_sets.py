"""Reference sets of the real-world suites, whose true fronts are not known in closed form.

``reference_designs.npz`` has nondominated feasible designs of each problem, found by long runs of this library's
algorithms (``python benchmarks/make_reference_sets.py`` repeats them). Objectives are computed from the designs, so
every point is attained.
"""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from tensorrvea.checks import check_integer

FILE = Path(__file__).with_name("reference_designs.npz")


@cache
def reference_designs() -> dict[str, Float[np.ndarray, "k d"]]:
    """Designs by the names of their problems, in double precision."""
    with np.load(FILE) as stored:
        return {name: stored[name].astype(float) for name in stored.files}


def reference_front(problem: Any, points: int) -> Float[np.ndarray, "k m"]:
    """At most ``points`` points of a problem's reference set, evenly many of all in order of the first objective."""
    check_integer("points", points, minimum=1)
    f = problem.objective_values(reference_designs()[type(problem).__name__].clip(problem.lower, problem.upper))
    f = f[np.argsort(f[:, 0], kind="stable")]
    return f[np.linspace(0, len(f) - 1, min(points, len(f))).round().astype(int)]
