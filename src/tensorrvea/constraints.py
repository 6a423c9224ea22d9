"""How far individuals are from feasible, and how far they may be.

A constraint value g is feasible where g ≤ 0. The violation of an individual is the sum of its positive values, each
relative to the largest violation of that constraint so far, rounded down to a power of two, so that a limit in pascal
does not drown one in metres.
Only the largest value is taken over individuals, which is exact: the result does not depend on their order, nor on
how they are divided over devices. It goes from one generation to the next in ``Limits``, and so into checkpoints.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float

from tensorrvea.checks import check_flag, check_number, shown
from tensorrvea.rounding import power_of_two
from tensorrvea.settings import settings, static

SMALLEST_VIOLATION = float(np.finfo(np.float32).tiny)
# The share of the first population that counts as feasible at first, if there are equality constraints.
EQUALITY_SHARE = 0.2


class Limits(NamedTuple):
    """What is known of the constraints of a run."""

    largest: Float[Array, " c"]
    """The largest violation of each constraint so far; 0 if it was never violated."""
    level: Any = ()
    """The violation up to which individuals of the first population count as feasible; () if none may be."""


def total_violation(g: Float[Any, "n c"], scale: Float[Any, " c"] | None = None) -> Float[Any, " n"]:
    """The sum of the positive constraint values of each row, in NumPy or JAX; NaN if one of them is.

    It is 0 where the row is feasible, and nowhere else. A value below 1.2e-38 counts as 0, on the host as on devices,
    which compute such numbers as 0.

    Args:
      g: the constraint values.
      scale: divide each constraint by this; None for the plain sum.
    """
    namespace = g.__array_namespace__()
    over = namespace.maximum(g, 0)
    if scale is not None:
        over = over / scale
    total = namespace.clip(over.sum(axis=1), SMALLEST_VIOLATION, np.finfo(g.dtype).max)
    is_feasible = (g < SMALLEST_VIOLATION).all(axis=1)
    return namespace.where(is_feasible, 0, total)


@settings
class ConstraintRule:
    """How individuals that violate constraints are compared, in every algorithm.

    An algorithm prefers feasible individuals, and of infeasible ones those with the smaller violation. With
    ``epsilon``, those whose violation is at most a level ε count as feasible, too, so that a search can cross an
    infeasible region, or spread along an equality constraint. The level shrinks to 0: Takahama and Sakai,
    "Constrained Optimization by the ε Constrained Differential Evolution", CEC 2006, equation 9,
    ε(t) = ε(0) (1 − t / T)^power, where ε(0) is the violation at a given share of the first population.

    Args:
      relative: whether each constraint is divided by its largest violation so far, rounded down to a power of two;
        False for the plain sum of violations, as in the paper of RVEA.
      epsilon: the share of the first population that counts as feasible at first; 0 for none. None is 0.2 for a
        problem with equality constraints, and 0 for others.
      until: the share of the budget, T, after which only feasible individuals count as such.
      power: how fast the level shrinks.

    >>> ConstraintRule(epsilon=0.3).until
    0.8
    """

    relative: bool = static(default=True)
    epsilon: float | None = None
    until: float = 0.8
    power: float = 4.0

    def __post_init__(self) -> None:
        check_flag("relative", self.relative)
        if self.epsilon is not None:
            check_number("epsilon", self.epsilon, minimum=0.0, maximum=1.0)
        check_number("until", self.until, minimum=0.0, maximum=1.0, open_minimum=True)
        check_number("power", self.power, minimum=0.0)

    def start(self, constraints: int, equalities: int, dtype: Any) -> Limits | tuple:
        """Return what is known of the constraints before the first population; () without constraints."""
        if constraints == 0:
            return ()
        is_relaxed = self.epsilon is not None or equalities > 0
        return Limits(jnp.zeros(constraints, dtype), jnp.zeros((), dtype) if is_relaxed else ())

    def observe(self, limits: Limits, g: Float[Array, "n c"], alive: Bool[Array, " n"], is_first: Array) -> Limits:
        """Return the limits after the evaluation of new individuals."""
        largest = jnp.maximum(limits.largest, jnp.where(alive[:, None], g, 0).max(axis=0))
        limits = limits._replace(largest=largest)
        if isinstance(limits.level, tuple):
            return limits

        def at_share() -> Array:
            ordered = jnp.sort(jnp.where(alive, self.violation(limits, g), jnp.inf))
            share = EQUALITY_SHARE if self.epsilon is None else self.epsilon
            position = jnp.ceil(share * alive.sum()).astype(int) - 1
            return jnp.where(position < 0, 0.0, ordered[jnp.maximum(position, 0)]).astype(limits.level.dtype)

        return limits._replace(level=lax.cond(is_first, at_share, lambda: limits.level))

    def violation(self, limits: Limits, g: Float[Array, "n c"]) -> Float[Array, " n"]:
        """Return how far rows are from feasible; 0 for those that are."""
        # A power of two, by which a division is exact: compilers may multiply by the reciprocal instead, and whether
        # they do depends on the number of devices.
        return total_violation(g, power_of_two(limits.largest) if self.relative else None)

    def relax(self, limits: Limits, violation: Float[Array, " n"], progress: Array) -> Float[Array, " n"]:
        """Return the violations that selection compares: 0 up to the level ε(t)."""
        if isinstance(limits.level, tuple):
            return violation
        left = jnp.maximum(1 - progress / self.until, 0)
        return jnp.where(violation <= limits.level * left**self.power, 0, violation)


@settings
class Constrained:
    """What has a rule for constraints."""

    constraint_rule: ConstraintRule = ConstraintRule()


def check_constraint_rule(rule: Any) -> None:
    """Raise a ``TypeError`` unless it is a ``ConstraintRule``."""
    if not isinstance(rule, ConstraintRule):
        raise TypeError(f"constraint_rule takes a ConstraintRule, got {shown(rule)}")
