"""What algorithms and operators know of a problem: numbers of variables, objectives and constraints, and bounds."""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from tensorrvea.randomness import uniform
from tensorrvea.settings import settings, static


class Domain:
    """What algorithms and operators know of a problem.

    ``variables`` and ``objectives`` are their numbers, ``box`` holds the bounds of the search space: arrays of shape
    (d,), or scalars where all variables share them. In compiled code the bounds are arguments, so that problems of one
    shape share the compiled code of an algorithm.
    """

    variables: int
    objectives: int

    @property
    def num_constraints(self) -> int:
        """The number of constraint values of an individual."""
        return 0

    @property
    def num_equalities(self) -> int:
        """How many of them, the last ones, are equalities."""
        return 0

    @property
    def box(self) -> tuple[Any, Any]:
        """Bounds of the search space."""
        raise NotImplementedError

    def initial_knowledge(self) -> Any:
        """What a problem on the host that learns from its evaluations knows at first, as arrays; () for all others."""
        return ()

    def sample(self, key: PRNGKeyArray, n: int) -> Float[Array, "n d"]:
        """Draw n rows uniformly from the box. A row does not depend on the number of rows."""
        lower, upper = self.box
        drawn = lower + (upper - lower) * uniform(key, (n, self.variables))
        return jnp.clip(drawn.astype(jnp.result_type(float)), lower, upper)


@settings
class Box(Domain):
    """A domain whose bounds are arguments of compiled code."""

    lower: Any
    upper: Any
    variables: int = static()
    objectives: int = static()
    num_constraints: int = static(default=0)
    num_equalities: int = static(default=0)
    sampler: Domain | None = static(None)
    """The problem, if it draws first populations in its own way."""

    @property
    def box(self) -> tuple[Any, Any]:
        return self.lower, self.upper

    def sample(self, key: PRNGKeyArray, n: int) -> Float[Array, "n d"]:
        return super().sample(key, n) if self.sampler is None else self.sampler.sample(key, n)

    def initial_knowledge(self) -> Any:
        return () if self.sampler is None else self.sampler.initial_knowledge()
