"""Offspring on lines through a survivor, for problems with hundreds to thousands of variables.

With n offspring per generation and many more variables, steps that are drawn for every variable separately nearly
cancel out. Here, all variables of a block move along one line, so that an offspring tries one number. Lines through the
corners of the box are those of LSMOF (He et al., "Accelerating Large-Scale Multiobjective Optimization via Problem
Reformulation", 2019), which optimises the positions on them as a problem of its own; blocks of variables that move
together are from WOF (Zille et al., "A Framework for Large-Scale Multiobjective Optimization Based on Problem
Transformation", 2018). This operator has neither's second optimiser: selection decides.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from tensorrvea.checks import check_number
from tensorrvea.domain import Domain
from tensorrvea.exchange import where_rows
from tensorrvea.mating import living_rows
from tensorrvea.operators.base import Mating, Variation, check_variation
from tensorrvea.operators.cso import CSO
from tensorrvea.population import Offspring, Population
from tensorrvea.powers import power
from tensorrvea.randomness import below, split, uniform, words
from tensorrvea.rows import resize_rows, take
from tensorrvea.settings import settings


class Bred(NamedTuple):
    """The memory of an individual: how it was bred, and what the base remembers of it."""

    on_line: Int[Array, " n"]
    """2 if it was bred on a line and 0 if by the base; 1 in the first population, so that both start equal."""
    base: Any


@settings
class Lines(Variation):
    """Move a part of the offspring along lines, for many variables; another operator breeds the rest.

    An offspring on a line is its parent x with a block of consecutive variables moved to a + w (x − a), within the
    bounds. The anchor a is the corner of all lower or of all upper bounds, or another survivor. The factor is
    w = (1/u − 1)^s, with u and s drawn uniformly from (0, 1]: moves towards the anchor and away from it are equally
    likely, and most are small. In half of the offspring the block is the whole individual, and in the others its length
    is uniform. It may reach over the last variable to the first.

    The probability of a line follows from what survives: it is the share of the survivors that were bred on one, at
    least ``least`` and at most 1 − ``least``. In the first population it is a half.

    Lines find solutions fast where good values of neighbouring variables are related: close to their bounds, in fixed
    proportions, or as in other survivors. Where every variable has a good value of its own inside the bounds, offspring
    on lines find little, and become few.

    Args:
      base: how the other offspring are bred. Offspring on a line have the memory of their first parent.
      least: the smallest probability of a line, and of none; with 0.5, both are equally likely throughout.
      corners: the probability that the anchor of a line is a corner, and not a survivor.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range.

    >>> Lines(least=0.25).num_parents(100)
    200
    """

    base: Variation = CSO()
    least: float = 0.1
    corners: float = 2 / 3

    def __post_init__(self) -> None:
        check_variation(self.base, "base")
        check_number("least", self.least, minimum=0.0, maximum=0.5)
        check_number("corners", self.corners, minimum=0.0, maximum=1.0)

    def num_parents(self, offspring: int) -> int:
        return max(self.base.num_parents(offspring), offspring)

    def init_memory(self, x: Float[Array, "n d"], objectives: int) -> Bred:
        return Bred(on_line=jnp.ones(len(x), jnp.int32), base=self.base.init_memory(x, objectives))

    def __call__(self, key: PRNGKeyArray, mating: Mating, problem: Domain, offspring: int) -> Offspring:
        base_key, share_key, anchor_key, line_key = split(key, 4)
        memory: Bred = mating.survivors.memory
        survivors, parents = mating.survivors._replace(memory=memory.base), mating.parents
        bred = self.base(base_key, mating._replace(survivors=survivors), problem, offspring)
        first_parents = parents[:: max(1, len(parents) // len(bred.x))]
        n, d = len(first_parents), problem.variables
        x, base_memory = take((survivors.x, survivors.memory), first_parents)
        anchor = self.choose_anchors(anchor_key, survivors, problem, n)
        factor_key, power_key, start_key, length_key = split(line_key, 4)
        factor = line_factor(uniform(factor_key, (n, 1)), uniform(power_key, (n, 1)))
        start = below(words(start_key, (n, 1)), d)
        length = 1 + below(words(length_key, (n, 1)), 2 * d)  # beyond d, which half of them are, it is the whole
        moved = jnp.clip(move_block(x, anchor, factor, start, length), *problem.box)
        is_on_line = uniform(share_key, (n,)) <= self.share(memory, survivors.alive)
        lines, others = Offspring(moved, base_memory), resize_rows(bred, n)
        chosen = jax.tree.map(lambda line, other: where_rows(is_on_line, line, other), lines, others)
        return Offspring(chosen.x, Bred(jnp.where(is_on_line, 2, 0).astype(jnp.int32), chosen.memory))

    def share(self, memory: Bred, alive: Bool[Array, " n"]) -> Float[Array, ""]:
        """Return the probability of a line: the share of the living that were bred on one, within the limits."""
        # A sum of integers has the same bits in any order.
        on_line = jnp.where(alive, memory.on_line, 0).sum() / jnp.maximum(2 * alive.sum(), 1)
        return jnp.clip(on_line, self.least, 1 - self.least)

    def choose_anchors(
        self, key: PRNGKeyArray, survivors: Population, problem: Domain, count: int
    ) -> Float[Array, "count d"]:
        """Return a corner of the box or a survivor for each line."""
        kind_key, survivor_key = split(key)
        rows, living = living_rows(survivors.alive)
        survivor = take(survivors.x, rows[below(words(survivor_key, (count,)), living)])
        lower, upper = problem.box
        kind = uniform(kind_key, (count, 1))
        corner = jnp.where(kind <= 0.5 * self.corners, lower, upper)
        return jnp.where(kind <= self.corners, corner, survivor)


def line_factor(u: Float[Array, "..."], s: Float[Array, "..."]) -> Float[Array, "..."]:
    """Return w = (1/u − 1)^s, for u and s in (0, 1].

    >>> line_factor(jnp.array([0.5, 0.2, 0.8]), jnp.array([0.3, 0.5, 0.5])).round(4).tolist()
    [1.0, 2.0, 0.5]
    """
    return power((1 - u) / u, s)


def move_block(
    x: Float[Array, "n d"],
    anchor: Float[Array, "n d"],
    factor: Float[Array, "n 1"],
    start: Int[Array, "n 1"],
    length: Int[Array, "n 1"],
) -> Float[Array, "n d"]:
    """Return a + w (x − a) for ``length`` variables from ``start`` on, the first following the last; x for the others.

    >>> x, anchor = jnp.full((1, 4), 3.0), jnp.full((1, 4), 1.0)
    >>> move_block(x, anchor, jnp.array([[0.5]]), jnp.array([[3]]), jnp.array([[2]])).tolist()
    [[2.0, 3.0, 3.0, 2.0]]
    """
    d = x.shape[1]
    is_in_block = (jnp.arange(d, dtype=jnp.int32) - start) % d < length
    return jnp.where(is_in_block, anchor + factor * (x - anchor), x)
