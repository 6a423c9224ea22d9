"""What fronts are measured against: a reference set, and the reference point of the hypervolume."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tensorrvea.checks import check_array
from tensorrvea.directions import signs
from tensorrvea.problem import Problem
from tensorrvea.selection.dominance import nondominated

# How far beyond the nadir point the reference point is, in parts of the range, if it comes from the runs themselves.
MARGIN = 0.1
FRONT_POINTS = 1000


@dataclass(frozen=True)
class Reference:
    """What the fronts of one problem are measured against, in the user's signs.

    ``ideal`` and ``scale`` say how objectives are scaled for the hypervolume, all minimised: (f − ideal) / scale.
    Distances are in units of ``unit``: the range of the reference set if that comes from the runs or the objectives
    have different units, else 1.
    """

    front: Float[np.ndarray, "p m"] | None
    """None if it is unknown, and no run found a feasible solution."""
    point: Float[np.ndarray, " m"]
    ideal: Float[np.ndarray, " m"]
    scale: Float[np.ndarray, " m"]
    unit: Float[np.ndarray, " m"]
    directions: tuple[str, ...]
    note: str
    """Where both come from, in words."""

    @property
    def signs(self) -> np.ndarray:
        return signs(self.directions, len(self.directions))

    def scaled(self, F: Float[np.ndarray, "k m"]) -> Float[np.ndarray, "k m"]:
        """Scale objectives for the hypervolume; all are minimised."""
        return (F * self.signs - self.ideal) / self.scale

    @property
    def corner(self) -> Float[np.ndarray, " m"]:
        """The reference point, scaled."""
        return self.scaled(self.point)


def make_reference(
    problem: Problem,
    fronts: Iterable[Float[np.ndarray, "k m"]],
    point: ArrayLike | None = None,
    front_points: int = FRONT_POINTS,
) -> Reference:
    """Return what the fronts of all runs on a problem are measured against.

    The reference set is the true front if it is known, else the non-dominated points of all runs together. The
    reference point is, in this order: ``point``; the problem's own; the nadir point of the true front; the nadir point
    of the reference set and a margin of a tenth of the range. In the first two cases the hypervolume is in the
    objectives' own units, else objectives are scaled to the range of the reference set. Distances to the true front are
    in the objectives' unit if they have a common one; others are in parts of the ranges of the reference set.
    """
    sign, m = problem.signs, problem.objectives
    true, fronts = problem.front(front_points), list(fronts)
    front = true if true is not None else union(fronts, problem)
    if front is None:
        unknown = np.full(m, np.nan)
        note = "no run found a feasible solution" if fronts else "no front is known"
        return Reference(None, unknown, unknown, unknown, unknown, problem.directions, note)
    which = "the true front" if true is not None else f"the {len(front)} best points of all runs"
    ideal, nadir = (front * sign).min(axis=0), (front * sign).max(axis=0)
    scale = np.where(nadir > ideal, nadir - ideal, 1.0)
    unit = problem.distance_units(front) if true is not None else scale
    given, source = point, "given"
    if point is None:
        given, source = problem.reference_point(), "the problem's own"
    if given is not None:
        at = check_array("reference", given, shape="(objectives,)", ndim=1)
        if len(at) != m:
            raise ValueError(f"reference must have {m} entries for {problem.name}, got {len(at)}")
        note = f"reference set: {which}; reference point: {_show(at)}, {source}"
        return Reference(front, at, np.zeros(m), np.ones(m), unit, problem.directions, note)
    at = (nadir + (0.0 if true is not None else MARGIN) * scale) * sign + 0.0
    how = "its nadir point" if true is not None else f"their nadir point and a margin of {MARGIN:.0%}"
    note = f"reference set: {which}; reference point: {_show(at)}, {how}"
    return Reference(front, at, ideal, scale, unit, problem.directions, note)


def union(fronts: Iterable[Float[np.ndarray, "k m"]], problem: Problem) -> Float[np.ndarray, "p m"] | None:
    """Return the different non-dominated points of all fronts together; None if there are none."""
    every = np.concatenate([np.empty((0, problem.objectives)), *fronts])
    if len(every) == 0:
        return None
    different = np.unique(every + 0.0, axis=0)
    return different[nondominated(different, problem.directions)]


def _show(point: np.ndarray) -> str:
    return f"({', '.join(f'{value:.4g}' for value in point)})"
