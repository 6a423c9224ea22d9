"""The contract of an algorithm: it says who breeds and who survives, and this class does the rest."""

from typing import Any, NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from tensorrvea.checks import MOST_ROWS, check_integer, shown
from tensorrvea.constraints import Constrained, Limits, check_constraint_rule
from tensorrvea.devices import padded_size
from tensorrvea.domain import Domain
from tensorrvea.mating import permute_living
from tensorrvea.operators.base import Mating, Variation, check_variation
from tensorrvea.population import Offspring, Pool, Population, empty_population, evaluated, join, settle
from tensorrvea.problem import Problem
from tensorrvea.randomness import fold_in, split
from tensorrvea.rows import resize_rows

# Folded into the key of the first population to make the key of ``setup``: larger than any number of genes.
SETUP = 2**32 - 1


class Clock(NamedTuple):
    """The share of the budget that is spent, from 0 to 1: now, and at the generation before.

    It is never batched, so that a ``lax.cond`` on it computes one side only.

    >>> float(Clock(progress=0.5, before=0.25).progress)
    0.5
    """

    progress: Float[Array, "..."]
    before: Float[Array, "..."]
    """Negative for the first population, before which there is no generation."""

    @property
    def is_first(self) -> Bool[Array, ""]:
        """Whether this is the first population, so that there are no survivors yet."""
        return jnp.asarray(self.before) < 0


FIRST = -1.0
"""``Clock.before`` of the first population."""


class State(NamedTuple):
    """What goes from one generation to the next."""

    population: Population
    """The survivors."""
    score: Float[Array, " n"]
    """Their order, smaller is better; infinite for empty places."""
    extra: Any = ()
    """What the algorithm keeps besides: the result of ``setup``, then ``Selection.extra``."""
    limits: Any = ()
    """What is known of the constraints (``Limits``); () if the problem has none."""


class Selection(NamedTuple):
    """Who survives, with one entry per place.

    >>> import jax.numpy as jnp
    >>> chosen = Selection(row=jnp.array([2, 0]), filled=jnp.array([True, True]), score=jnp.array([0.0, 1.0]))
    >>> chosen.row.tolist()
    [2, 0]
    """

    row: Int[Array, " places"]
    """The survivor's row in the pool."""
    filled: Bool[Array, " places"]
    """Whether the place has a survivor at all."""
    score: Float[Array, " places"]
    """The order of the survivors, smaller is better."""
    extra: Any = ()
    """What the algorithm keeps for the next generation."""


class Evolution(Constrained):
    """The base of every algorithm. A new one defines ``select``, and whichever other hooks it needs.

    Every algorithm takes ``constraint_rule=``, a ``ConstraintRule``, which says how infeasible individuals compare.

    Subclasses are made with ``tensorrvea.settings.settings``, so that their numbers are arguments of compiled code.
    ``init``, ``ask`` and ``tell`` are pure; they jit, vmap and scan. Call them to write a loop of your own.

    Args:
      constraint_rule: how infeasible individuals compare.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range.

    Example::

        @settings
        class ByRank(tr.Evolution):
            population: int = static()
            variation: Variation = GA()

            def select(self, key, state, pool, clock):
                rank = rank_rows(pool.f, pool.alive, pool.violation)
                best = jnp.argsort(rank)[: self.population]
                return tr.Selection(row=best, filled=pool.alive[best], score=rank[best])
    """

    population: int
    """The number of offspring per generation."""
    variation: Variation
    """How offspring are bred from their parents."""

    def __post_init__(self) -> None:
        check_integer("population", self.population, minimum=2, maximum=MOST_ROWS, why="two parents")
        check_variation(self.variation)
        check_constraint_rule(self.constraint_rule)

    # Hooks for an algorithm to define

    def places(self, objectives: int) -> int:
        """Return the largest number of survivors."""
        del objectives
        return self.population

    def bind(self, problem: Problem) -> "Evolution":
        """Return the algorithm with its settings worked out for ``problem``, outside compiled code."""
        del problem
        return self

    def setup(self, key: PRNGKeyArray, problem: Domain) -> Any:
        """Return what the algorithm keeps besides the survivors: ``State.extra`` of the first generation."""
        del key, problem
        return ()

    def mate(self, key: PRNGKeyArray, state: State, count: int) -> Int[Array, " count"]:
        """Return the rows of ``count`` parents. By default every survivor is a parent equally often."""
        return permute_living(key, state.population.alive, count)

    def select(self, key: PRNGKeyArray, state: State, pool: Pool, clock: Clock) -> Selection:
        """Return who of the pool survives."""
        raise NotImplementedError(f"{type(self).__name__} must define select")

    # The generation

    def init(self, key: PRNGKeyArray, problem: Domain, x: Float[Array, "k d"] | None = None) -> tuple[State, Offspring]:
        """Return a state without survivors, and the first population, whose first rows are ``x`` if it is given."""
        sampled = problem.sample(key, self.population)
        first = sampled if x is None else sampled.at[: len(x)].set(x[: self.population])
        first = resize_rows(first, padded_size(self.population))
        offspring = Offspring(first, self.variation.init_memory(first, problem.objectives))
        places = self.places(problem.objectives)
        survivors = empty_population(places, offspring, problem.objectives, problem.num_constraints)
        extra = self.setup(fold_in(key, SETUP), problem)
        limits = self.constraint_rule.start(problem.num_constraints, problem.num_equalities, first.dtype)
        return State(survivors, jnp.full(len(survivors.alive), jnp.inf, first.dtype), extra, limits), offspring

    def ask(self, key: PRNGKeyArray, state: State, problem: Domain) -> Offspring:
        """Return offspring to evaluate."""
        mate_key, vary_key = split(key)
        rows = padded_size(self.population)
        parents = self.mate(mate_key, state, self.variation.num_parents(rows))
        mating = Mating(state.population, parents, state.score)
        bred = self.variation(vary_key, mating, problem, self.population)
        return resize_rows(bred, rows)

    def tell(
        self,
        key: PRNGKeyArray,
        state: State,
        offspring: Offspring,
        f: Float[Array, "n m"],
        g: Float[Array, "n *c"] | tuple,
        clock: Clock,
    ) -> State:
        """Return the state after selection.

        Args:
          key: for whatever is drawn.
          state: of ``init`` or of the last ``tell``.
          offspring: of ``init`` or ``ask``.
          f: the objectives, all minimised.
          g: the constraint values, feasible where ≤ 0, (n, c); (n, 0) or () for a problem without constraints.
          clock: the share of the budget that is spent.

        Returns:
          The state after selection.
        """
        is_first = ~state.population.alive.any()
        clock = clock._replace(before=jnp.where(is_first, FIRST, clock.before))
        return self.survive(key, state, evaluated(offspring, f, g, self.population), clock)

    def survive(self, key: PRNGKeyArray, state: State, offspring: Population, clock: Clock) -> State:
        """Return the state after selection among the survivors and the evaluated offspring."""
        old, dtype = state.population, state.score.dtype
        check_constraints(old, offspring)
        now = Clock(jnp.asarray(clock.progress, dtype), jnp.asarray(clock.before, dtype))
        places, rule, limits = self.places(old.f.shape[1]), self.constraint_rule, state.limits
        if isinstance(limits, Limits):
            limits = rule.observe(limits, offspring.g, offspring.alive, now.is_first)
            old, offspring = (with_violation(rows, rule.violation(limits, rows.g)) for rows in (old, offspring))
        pool = join(old, offspring, places, self.population)
        if isinstance(limits, Limits):
            pool = pool._replace(violation=rule.relax(limits, pool.violation, now.progress))
        selection = self.select(key, state, pool, now)
        survivors = settle(old, offspring, selection.row, selection.filled)
        score = jnp.where(selection.filled, selection.score.astype(dtype), jnp.inf)
        padding = len(survivors.alive) - places
        return State(survivors, jnp.pad(score, (0, padding), constant_values=jnp.inf), selection.extra, limits)


def with_violation(rows: Population, violation: Float[Array, " n"]) -> Population:
    """Return the rows with other violations; infinite for rows that are not alive."""
    return rows._replace(violation=jnp.where(rows.alive, violation, jnp.inf))


def check_constraints(survivors: Population, offspring: Population) -> None:
    """Check that the offspring have a value for each constraint of the survivors."""
    there, here = (0 if isinstance(rows.g, tuple) else rows.g.shape[1] for rows in (survivors, offspring))
    if there != here:
        raise ValueError(f"g must have {there} columns, one for each constraint of the problem, got {here}")


def check_algorithm(algorithm: Any) -> Evolution:
    """Return the algorithm, which must be an instance of a subclass of ``Evolution``."""
    if not isinstance(algorithm, Evolution):
        raise TypeError(f"algorithm takes one such as TensorRVEA(population=105), got {shown(algorithm)}")
    return algorithm
