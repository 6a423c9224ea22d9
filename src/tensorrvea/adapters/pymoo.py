"""Adapter for pymoo's problems."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tensorrvea.checks import check_number, shown
from tensorrvea.host.problem import HostProblem
from tensorrvea.optional import import_optional

# pymoo's own default tolerance of equality constraints.
EQUALITY_TOLERANCE = 1e-4


def from_pymoo(
    problem: Any, *, equality_tolerance: float = EQUALITY_TOLERANCE, front: ArrayLike | None = None, **host: Any
) -> HostProblem:
    """Wrap a ``pymoo.core.problem.Problem``, which is evaluated by pymoo's own code.

    Bounds, objectives (all minimised), inequality constraints G ≤ 0 and integer variables are kept; an equality H = 0
    becomes ``|H|`` ≤ ``equality_tolerance``. ``front`` may be ``problem.pareto_front()``. The other arguments,
    ``host``, are those of ``HostProblem``.

    Args:
      problem: a problem of pymoo's.
      equality_tolerance: how far an equality may be from 0.
      front: points of the true front, if they are known.
      host: arguments of ``HostProblem``, such as ``workers=4``.

    Returns:
      The problem.

    Raises:
      TypeError: if it is not a problem of pymoo's.

    >>> from pymoo.problems import get_problem
    >>> from_pymoo(get_problem("bnh"))
    HostProblem(name='BNH', variables=2, objectives=2)
    """
    pymoo = import_optional("pymoo.core.problem", needed_for="from_pymoo", extra="adapters")
    if not isinstance(problem, pymoo.Problem):
        raise TypeError(f"problem takes a pymoo.core.problem.Problem, got {shown(problem)}")
    if getattr(problem, "vars", None) is not None:
        raise ValueError("problem must have variables of one kind with bounds xl and xu, got one of mixed variables")
    if problem.xl is None or problem.xu is None:
        raise ValueError("problem must have bounds xl and xu, got None")
    check_number("equality_tolerance", equality_tolerance, minimum=0)
    return HostProblem(
        PymooFunction(problem, equality_tolerance),
        lower=problem.xl,
        upper=problem.xu,
        objectives=problem.n_obj,
        constraints=problem.n_ieq_constr + problem.n_eq_constr,
        batched=True,
        integer=problem.vtype in (int, bool),
        front=front,
        name=type(problem).__name__,
        **host,
    )


@dataclass(frozen=True)
class PymooFunction:
    """Objectives, then constraints, of a pymoo problem."""

    problem: Any
    equality_tolerance: float

    def __call__(self, x: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n k"]:
        """Return objectives and constraints of a batch, computed by pymoo."""
        rows = x.astype(self.problem.vtype) if self.problem.vtype in (int, bool) else x
        out = self.problem.evaluate(rows, return_values_of=["F", "G", "H"], return_as_dictionary=True)
        return np.concatenate([out["F"], out["G"], np.abs(out["H"]) - self.equality_tolerance], axis=1)
