"""The data of a page: plain records of runs, made from results (``from_result``) or by hand.

All values are in the user's signs and units.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float, Int

from tensorrvea.checks import check_array, check_directions, check_number
from tensorrvea.history import History as RunHistory
from tensorrvea.history import Individuals
from tensorrvea.problem import Problem


@dataclass(frozen=True, kw_only=True)
class Part:
    """A robot's body as a capsule, or as a ball if its two ends coincide.

    ``fixed`` parts belong to the surroundings; ``far`` parts (the far leg of a pair) are drawn paler. Parts are drawn
    in order, later ones in front. In space, a part has a ``kind`` (``"capsule"``, ``"cylinder"``, ``"sphere"`` or
    ``"box"``) and half sizes along its own axes; a capsule lies along its z.
    """

    name: str
    radius: float
    fixed: bool = False
    far: bool = False
    kind: str = "capsule"
    size: tuple[float, float, float] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Replay:
    """One episode of a solution's policy, projected onto a plane, or in space.

    Attributes:
      solution: the row of the run's ``X`` and ``F``.
      seconds: between two frames.
      parts: the bodies; the camera follows the first that is not fixed.
      ends: x and y of one end of each capsule, then of the other, in metres.
      ground: whether to draw a floor at height 0; False for robots seen from above, such as swimmers.
      poses: positions and quaternions (w, x, y, z) of the parts, for robots that move in space; None in a plane.
      returns: the returns of this episode, if known; they differ from the objectives, since its start state does.
    """

    solution: int
    seconds: float
    parts: Sequence[Part]
    ends: Float[np.ndarray, "frames parts 4"]
    ground: bool = True
    poses: Float[np.ndarray, "frames parts 7"] | None = None
    returns: Sequence[float] | None = None

    def __post_init__(self) -> None:
        ends = check_array("ends", self.ends, shape="(frames, parts, 4)", ndim=3)
        if all(part.fixed for part in self.parts):
            raise ValueError("parts must hold at least one part that is not fixed, got none")
        if ends.shape[1:] != (len(self.parts), 4) or len(ends) == 0:
            raise ValueError(f"ends must have shape (frames, {len(self.parts)}, 4), got {ends.shape}")
        if self.poses is not None:
            poses = check_array("poses", self.poses, shape="(frames, parts, 7)", ndim=3)
            if poses.shape != (*ends.shape[:2], 7):
                raise ValueError(f"poses must have shape {(*ends.shape[:2], 7)}, as ends have, got {poses.shape}")
            if any(part.size is None for part in self.parts):
                raise ValueError("parts must have a size each where poses are given, got None")
        check_number("seconds", self.seconds, minimum=0.0, open_minimum=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class History:
    """The course of a run: arrays with one entry per recorded generation, in order.

    Attributes:
      generations: generation numbers.
      seconds, evaluations: since the start of the run.
      living: number of survivors.
      metrics: curves by name, such as hypervolume or IGD; NaN where unknown.
      fronts: pairs of a generation and the objectives of its front, for any subset of the generations.
    """

    generations: Int[np.ndarray, " g"]
    seconds: Float[np.ndarray, " g"] | None = None
    evaluations: Int[np.ndarray, " g"] | None = None
    living: Int[np.ndarray, " g"] | None = None
    metrics: Mapping[str, Float[np.ndarray, " g"]] = field(default_factory=dict)
    fronts: Sequence[tuple[int, Float[np.ndarray, "k m"]]] = ()

    def __post_init__(self) -> None:
        given = {"seconds": self.seconds, "evaluations": self.evaluations, "living": self.living}
        for name, values in {**given, **self.metrics}.items():
            if values is not None and len(values) != len(self.generations):
                n = len(self.generations)
                raise ValueError(f"{name} must have {n} entries, one per generation, got {len(values)}")


@dataclass(frozen=True, kw_only=True, eq=False)
class Run:
    """One run: its solutions, history and provenance.

    Attributes:
      label: a name that is unique within the page.
      algorithm: runs of the same algorithm share a colour, and a band in the progress charts.
      problem: the problem's name.
      objective_names, units, directions, variable_names: of the problem; ``directions`` are "min" or "max".
      X, F, violation: the solutions to choose from. X has no columns if it was not kept.
      constraint_names, G: the constraints' names, and their values for each solution, feasible where ≤ 0.
      constraint_scale: the usual size of the values of each constraint; None if it is not known.
      history: None if nothing was recorded.
      true_front: points of the true front, if known.
      distance_units: what distances to it are measured in, per objective; 1 by default.
      reference_point: of the hypervolume, if the problem defines one.
      replays: episodes of some of the solutions.
      provenance: anything known about the origin of the run, such as spec, seed, versions, device and command, as
        strings, numbers, or nested lists and mappings of them. ``command`` gets a copy button.
    """

    label: str
    algorithm: str
    problem: str
    objective_names: Sequence[str]
    units: Sequence[str]
    directions: Sequence[str]
    variable_names: Sequence[str]
    X: Float[np.ndarray, "n d"]
    F: Float[np.ndarray, "n m"]
    violation: Float[np.ndarray, " n"]
    constraint_names: Sequence[str] = ()
    G: Float[np.ndarray, "n c"] | None = None
    constraint_scale: Float[np.ndarray, " c"] | None = None
    history: History | None = None
    true_front: Float[np.ndarray, "k m"] | None = None
    distance_units: Float[np.ndarray, " m"] | None = None
    reference_point: Float[np.ndarray, " m"] | None = None
    replays: Sequence[Replay] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        f = check_array("F", self.F, shape="(solutions, objectives)", ndim=2)
        x = check_array("X", self.X, shape="(solutions, variables)", ndim=2)
        violation = check_array("violation", self.violation, shape="(solutions,)", ndim=1)
        if not len(f) == len(x) == len(violation):
            raise ValueError(
                f"X, F and violation must have the same number of rows, got {len(x)}, {len(f)} and {len(violation)}"
            )
        if f.shape[1] < 2:
            raise ValueError(f"F must have at least 2 objectives, got {f.shape[1]}")
        if x.shape[1] not in (0, len(self.variable_names)):
            raise ValueError(f"X must have {len(self.variable_names)} columns, one per variable name, got {x.shape[1]}")
        if self.constraints.shape != (len(f), len(self.constraint_names)):
            expected = (len(f), len(self.constraint_names))
            raise ValueError(
                f"G must have shape {expected}, a column per constraint name, got {self.constraints.shape}"
            )
        for name, entries in self.objective_settings.items():
            if len(entries) != f.shape[1]:
                raise ValueError(f"{name} must have {f.shape[1]} entries, one per objective, got {len(entries)}")
        check_directions(tuple(self.directions), f.shape[1])
        if self.true_front is not None:
            truth = check_array("true_front", self.true_front, shape="(points, objectives)", ndim=2)
            if truth.shape[1] != f.shape[1]:
                raise ValueError(f"true_front must have {f.shape[1]} columns, got {truth.shape[1]}")
        for name in ("reference_point", "distance_units"):
            given = getattr(self, name)
            if given is not None and len(check_array(name, given, shape="(objectives,)", ndim=1)) != f.shape[1]:
                raise ValueError(f"{name} must have {f.shape[1]} entries, got {len(given)}")
        for replay in self.replays:
            if not 0 <= replay.solution < len(f):
                raise ValueError(f"a replay's solution must be a row of F, 0 to {len(f) - 1}, got {replay.solution}")

    @property
    def constraints(self) -> Float[np.ndarray, "n c"]:
        """The constraint values; no columns if there are none."""
        return np.empty((len(self.F), 0)) if self.G is None else self.G

    @property
    def objective_settings(self) -> dict[str, tuple[str, ...]]:
        """Names, units and directions of the objectives, which all runs of a page share."""
        given = {"objective_names": self.objective_names, "units": self.units, "directions": self.directions}
        return {name: tuple(entries) for name, entries in given.items()}


@runtime_checkable
class ResultLike(Protocol):
    """The attributes of ``tensorrvea.Result`` that a report reads; this package cannot import it, since it is below."""

    problem: Problem
    algorithm: Any
    seed: int
    population: Individuals
    history: RunHistory
    stopped: str

    @property
    def constraint_scale(self) -> Any: ...
    @property
    def front(self) -> Individuals: ...
    @property
    def generations(self) -> int: ...
    @property
    def evaluations(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def failed(self) -> int: ...
