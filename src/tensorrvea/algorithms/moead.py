"""MOEA/D.

Zhang and Li, "MOEA/D: A Multiobjective Evolutionary Algorithm Based on Decomposition", 2007; mating and bounded
replacement as by Li and Zhang, "Multiobjective Optimization Problems With Complicated Pareto Sets, MOEA/D and NSGA-II",
2009.
"""

from dataclasses import replace
from typing import NamedTuple

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray
from numpy.typing import ArrayLike

from tensorrvea.checks import check_choice, check_flag, check_integer, check_number
from tensorrvea.domain import Domain
from tensorrvea.evolution import Clock, Evolution, Selection, State
from tensorrvea.mating import first_living, living_rows, neighbouring_pairs, shuffled
from tensorrvea.operators import GA, Variation
from tensorrvea.population import Pool
from tensorrvea.problem import Problem
from tensorrvea.randomness import fold_in, split, uniform, words
from tensorrvea.reference_vectors import reference_vectors
from tensorrvea.rounding import scaled_down
from tensorrvea.selection.decomposition import DECOMPOSITIONS, nearest_vectors, scalar_value
from tensorrvea.selection.order import best_first
from tensorrvea.settings import settings, static
from tensorrvea.vector_settings import check_vector_setting, unit_vectors

# Offspring whose values for all subproblems are held at once.
BLOCK = 8


class Subproblems(NamedTuple):
    """The subproblems; place j holds the best individual found for subproblem j."""

    vectors: Float[Array, "r m"]
    neighbours: Int[Array, "r t"]
    """The subproblems with the nearest vectors, the own one first."""
    ideal: Float[Array, " m"]
    """The smallest value of each objective among all feasible individuals so far; infinite before the first."""
    of_offspring: Int[Array, " n"]
    """The subproblem for which each of the next offspring is bred."""
    is_local: Bool[Array, " n"]
    """Whether it is bred from neighbours, and may replace only these; otherwise from and for all."""


class Candidates(NamedTuple):
    """Individuals as subproblems compare them: by violation, then by their values."""

    f: Float[Array, "n m"]
    """Objectives, at least 0, in the units of the decomposition."""
    violation: Float[Array, " n"]
    """At least 0; infinite for rows that are not alive."""


@settings
class MOEAD(Evolution):
    """One scalar subproblem per reference vector; neighbouring subproblems exchange parents and solutions.

    An offspring is bred for a subproblem, from individuals of neighbouring subproblems with probability ``delta`` and
    of all otherwise. It replaces the individuals of at most ``replacements`` subproblems out of the same ones, if it is
    at least as good for them. The less violating of two individuals is better for any subproblem, and of equally
    violating ones (as of feasible ones) the one with the smaller value.

    All offspring of a generation are bred and evaluated at once, which differs from the paper in this:

    - Offspring are compared with the individuals of the last generation, and not with those that an earlier offspring
      of the same generation has replaced. If several may replace the same one, the best of them does.
    - Offspring are bred in pairs for a random half of the subproblems in each generation (if there are as many
      subproblems as offspring), since crossover has two children, and both are evaluated.
    - A variation that draws further parents itself (DE, PSO) draws them among all individuals.

    A generation takes O(n (t + (1 - delta) r) m) time, and O(n t) memory, for r subproblems with t neighbours.

    Args:
      population: the number of offspring per generation.
      variation: how offspring are bred.
      vectors: the directions of the subproblems, one per survivor: ``"lattice"`` (the largest simplex lattice of at
        most ``population``), ``"layers"`` (two lattices, for many objectives), ``"exact"`` (exactly ``population``),
        or an array of shape (r, m).
      decomposition: ``"tchebycheff"`` (max f / v over the objectives: the paper's with weights 1 / v, so that a
        solution is in the direction of its vector) or ``"pbi"`` (penalty-based boundary intersection).
      theta: the penalty of PBI.
      neighbours: how many subproblems are neighbours of each, itself included.
      delta: the probability that an offspring is bred from, and for, neighbouring subproblems.
      replacements: how many individuals an offspring may replace.
      normalize: whether objectives are divided by the range from the ideal point to the worst values of the survivors,
        as the paper suggests for objectives of different scales. With many objectives of one scale, it is better
        without: where an objective's range among the survivors shrinks, its unit does, and its end may be lost.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range, such as a population below 2.

    >>> MOEAD(population=105).places(3)
    105
    """

    population: int = static()
    variation: Variation = GA()
    vectors: str | ArrayLike = "lattice"
    decomposition: str = "tchebycheff"
    theta: float = 5.0
    neighbours: int = static(20)
    delta: float = 0.9
    replacements: int = static(2)
    normalize: bool = static(True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_vector_setting(self.vectors)
        check_choice("decomposition", self.decomposition, DECOMPOSITIONS)
        check_number("theta", self.theta, minimum=0.0)
        check_integer("neighbours", self.neighbours, minimum=2, why="two parents")
        check_number("delta", self.delta, minimum=0.0, maximum=1.0)
        check_integer("replacements", self.replacements, minimum=1)
        check_flag("normalize", self.normalize)

    def bind(self, problem: Problem) -> "MOEAD":
        return replace(self, vectors=reference_vectors(self.vectors, self.population, problem.objectives))

    def places(self, objectives: int) -> int:
        return len(reference_vectors(self.vectors, self.population, objectives))

    def setup(self, key: PRNGKeyArray, problem: Domain) -> Subproblems:
        del key
        vectors = unit_vectors(self.vectors, self.population, problem.objectives)
        return Subproblems(
            vectors=vectors,
            neighbours=nearest_vectors(vectors, min(self.neighbours, len(vectors))),
            ideal=jnp.full(problem.objectives, jnp.inf, vectors.dtype),
            of_offspring=jnp.zeros(self.population, jnp.int32),
            is_local=jnp.ones(self.population, bool),
        )

    def mate(self, key: PRNGKeyArray, state: State, count: int) -> Int[Array, " count"]:
        subproblems: Subproblems = state.extra
        parents_of_each = max(1, self.variation.num_parents(self.population) // self.population)
        family = jnp.minimum(jnp.arange(count) // parents_of_each, self.population - 1)
        neighbours = subproblems.neighbours[subproblems.of_offspring]
        return neighbouring_pairs(key, state.population.alive, neighbours, subproblems.is_local, family)

    def select(self, key: PRNGKeyArray, state: State, pool: Pool, clock: Clock) -> Selection:
        del clock
        replace_key, breed_key, local_key = split(key, 3)
        subproblems: Subproblems = state.extra
        r = len(subproblems.vectors)
        ideal = jnp.minimum(subproblems.ideal, jnp.where(pool.feasible[:, None], pool.f, jnp.inf).min(axis=0))
        rows = Candidates(self.measure(pool, ideal), jnp.where(pool.alive, jnp.maximum(pool.violation, 0), jnp.inf))
        row = self.replace_survivors(replace_key, rows, subproblems)
        # The first population is assigned to the subproblems in order.
        is_first = ~(pool.alive & ~pool.is_new).any()
        row = jnp.where(is_first, first_living(pool.alive, r)[0], row)
        filled = jnp.where(is_first, first_living(pool.alive, r)[1], pool.alive[row])

        value = self.values(rows.f[row].T, subproblems.vectors.T)
        by_quality, place = best_first((rows.violation[row], value), r)
        score = jnp.zeros(r, jnp.int32).at[by_quality].set(place, unique_indices=True)
        pairs = -(-self.population // 2)
        for_pairs = shuffled(breed_key, jnp.array(r), pairs), uniform(local_key, (pairs,)) <= self.delta
        of_offspring, is_local = (jnp.repeat(each, 2)[: self.population] for each in for_pairs)
        kept = subproblems._replace(ideal=ideal, of_offspring=of_offspring, is_local=is_local)
        return Selection(row, filled, score, kept)

    def measure(self, pool: Pool, ideal: Float[Array, " m"]) -> Float[Array, "n m"]:
        """Return the objectives from the ideal point on, at least 0, in units of their ranges if so chosen."""
        # Without feasible rows, any origin will do: violation decides.
        origin = jnp.where(jnp.isfinite(ideal), ideal, jnp.where(pool.alive[:, None], pool.f, jnp.inf).min(axis=0))
        # Infeasible rows may be below the ideal point.
        above = jnp.maximum(scaled_down(pool.f) - scaled_down(origin), 0)
        translated = jnp.where(pool.alive[:, None], above, 0)
        if not self.normalize:
            return translated
        survives = pool.alive & ~pool.is_new
        survives = jnp.where(survives.any(), survives, pool.alive)
        survives = jnp.where((survives & pool.feasible).any(), survives & pool.feasible, survives)
        spread = jnp.where(survives[:, None], translated, 0).max(axis=0)
        return translated / jnp.where(spread > 0, spread, scaled_down(jnp.ones_like(spread)))

    def values(self, f: Float[Array, "m ..."], vectors: Float[Array, "m ..."]) -> Float[Array, "..."]:
        """Return the values of objectives for subproblems, both with one entry per objective first."""
        return scalar_value(self.decomposition, self.theta, list(f), list(vectors))

    def replace_survivors(self, key: PRNGKeyArray, rows: Candidates, subproblems: Subproblems) -> Int[Array, " r"]:
        """Return the row of the pool for each subproblem: its survivor, or the best offspring that replaces it."""
        r, n = len(subproblems.vectors), self.population
        old = Candidates(*(leaf[:r] for leaf in rows))
        new = Candidates(*(leaf[r:] for leaf in rows))
        target = self.choose_targets(key, old, new, subproblems).reshape(-1)
        offspring = jnp.tile(jnp.arange(n, dtype=jnp.int32), len(target) // n)
        vectors = subproblems.vectors[jnp.minimum(target, r - 1)]
        violation, value = new.violation[offspring], self.values(new.f[offspring].T, vectors.T)

        def best_at(targets: Array, keys: Array) -> Array:
            """Return which have the smallest key of their target."""
            least = jnp.full(r + 1, jnp.iinfo(jnp.int32).max if keys.dtype == jnp.int32 else jnp.inf, keys.dtype)
            return least.at[targets].min(keys)[targets] == keys

        target = jnp.where(best_at(target, violation), target, r)
        target = jnp.where(best_at(target, value), target, r)
        winner = jnp.full(r + 1, n, jnp.int32).at[target].min(offspring)[:r]
        return jnp.where(winner < n, r + winner, jnp.arange(r, dtype=jnp.int32))

    def choose_targets(
        self, key: PRNGKeyArray, old: Candidates, new: Candidates, subproblems: Subproblems
    ) -> Int[Array, "most n"]:
        """Return the subproblems in which each offspring may replace the survivor; r where there are fewer.

        They are drawn at random from those for which it is at least as good.
        """
        local_key, global_key = split(key)
        r, n, vectors = len(subproblems.vectors), self.population, subproblems.vectors
        most = min(self.replacements, r)
        own = self.values(old.f.T, vectors.T)

        def improved(offspring: Int[Array, " k"], place: Int[Array, "l k"]) -> Bool[Array, "l k"]:
            """Return whether each offspring is at least as good for each of its subproblems ``place``."""
            value = self.values(new.f[offspring].T, jnp.moveaxis(vectors[place], 2, 0))
            violation, before = new.violation[offspring], old.violation[place]
            at_least_as_good = (violation < before) | ((violation == before) & (value <= own[place]))
            return at_least_as_good & jnp.isfinite(violation)

        everyone = jnp.arange(n, dtype=jnp.int32)
        near = subproblems.neighbours[subproblems.of_offspring].T
        chosen = draw_few(local_key, improved(everyone, near) & subproblems.is_local, min(most, len(near)))
        found = jnp.take_along_axis(near, jnp.minimum(chosen, len(near) - 1), axis=0)
        target = jnp.full((most, n), r, jnp.int32)
        target = target.at[: len(chosen)].set(jnp.where(chosen < len(near), found, r))

        far = jnp.pad(living_rows(~subproblems.is_local)[0], (0, BLOCK))
        count = (~subproblems.is_local).sum(dtype=jnp.int32)

        def for_all_subproblems(number: Array, target: Int[Array, "most n"]) -> Int[Array, "most n"]:
            offspring = lax.dynamic_slice(far, (number * BLOCK,), (BLOCK,))
            place = jnp.broadcast_to(jnp.arange(r, dtype=jnp.int32)[:, None], (r, BLOCK))
            chosen = draw_few(fold_in(global_key, number), improved(offspring, place), most)
            is_far = number * BLOCK + jnp.arange(BLOCK) < count
            return target.at[:, jnp.where(is_far, offspring, n)].set(chosen, mode="drop")

        return lax.fori_loop(0, -(-count // BLOCK), for_all_subproblems, target)


def draw_few(key: PRNGKeyArray, flags: Bool[Array, "l k"], most: int) -> Int[Array, "most k"]:
    """Return at most ``most`` rows, drawn at random out of those whose flag is set, for each column; l for none."""
    length = len(flags)
    row = jnp.arange(length, dtype=jnp.uint32)[:, None]
    bits = length.bit_length()
    # The row number in the low bits makes priorities differ.
    priority = words(key, flags.shape) >> bits << bits | row
    none = jnp.uint32(2**32 - 1)

    def draw(priority: Array, _: None) -> tuple[Array, Array]:
        first = priority.min(axis=0)
        drawn = jnp.where(first == none, length, (first & jnp.uint32(2**bits - 1)).astype(jnp.int32))
        return jnp.where(priority == first, none, priority), drawn

    return lax.scan(draw, jnp.where(flags, priority, none), length=most)[1]
