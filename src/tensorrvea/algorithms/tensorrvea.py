"""TensorRVEA: Liang, Jiang, Sun and Cheng, GECCO '24."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, PRNGKeyArray
from numpy.typing import ArrayLike

from tensorrvea.algorithms.base import first_population
from tensorrvea.checks import check_choice, check_integer, check_number, is_traced
from tensorrvea.devices import padded_size
from tensorrvea.mating import living_rows, permutations_of_the_living
from tensorrvea.operators import GA, Variation
from tensorrvea.operators.base import check_variation
from tensorrvea.population import Offspring, Population, choose, empty_population, evaluated
from tensorrvea.problem import Problem
from tensorrvea.reference_vectors import GENERATORS, check_vectors, reference_vectors, unit_rows
from tensorrvea.selection.apd import Pool, Selected, select
from tensorrvea.selection.association import make_index, smallest_angles
from tensorrvea.settings import settings, static


class State(NamedTuple):
    """Row j of the population is the best individual of niche j, if there is one (after the first generation)."""

    population: Population
    score: Float[Array, " r"]
    initial_vectors: Float[Array, "r m"]
    vectors: Float[Array, "r m"]
    gamma: Float[Array, " r"]
    index: Any
    progress: Float[Array, ""]


@settings
class TensorRVEA:
    """The reference-vector-guided evolutionary algorithm, as tensors.

    Args:
      population: how many offspring there are in a generation.
      variation: how they are bred.
      vectors: the reference vectors, one for each survivor there can be: ``"lattice"`` (the largest simplex lattice of
        at most ``population``), ``"layers"`` (two lattices, for many objectives), ``"exact"`` (just
        ``population`` of them), or an array of shape (r, m).
      alpha: how the penalty on the angle grows over the budget, progress^alpha.
      adaptation: the vectors adapt to the ranges of the objectives each time this share of the budget is spent.
    """

    population: int = static()
    variation: Variation = GA()
    vectors: str | ArrayLike = "lattice"
    alpha: float = 2.0
    adaptation: float = 0.1

    def __post_init__(self) -> None:
        check_integer("population", self.population, minimum=2, why="two parents")
        check_variation(self.variation)
        check_number("alpha", self.alpha, minimum=0.0)
        check_number("adaptation", self.adaptation, minimum=0.0, maximum=1.0, open_minimum=True)
        if isinstance(self.vectors, str):
            check_choice("vectors", self.vectors, GENERATORS)
        elif not is_traced(self.vectors):
            check_vectors("vectors", self.vectors)

    def sized(self, problem: Problem) -> "TensorRVEA":
        """The same, with its vectors worked out: an argument of compiled code, and not a constant in it."""
        return replace(self, vectors=reference_vectors(self.vectors, self.population, problem.objectives))

    def init(
        self, key: PRNGKeyArray, problem: Problem, x: Float[Array, "k d"] | None = None
    ) -> tuple[State, Offspring]:
        vectors = unit_rows(jnp.asarray(reference_vectors(self.vectors, self.population, problem.objectives)))
        index = make_index(vectors)
        first = first_population(key, problem, self.population, x)
        offspring = Offspring(first, self.variation.init_memory(first, problem.objectives))
        state = State(
            population=empty_population(len(vectors), offspring, problem.objectives),
            score=jnp.full(padded_size(len(vectors)), jnp.inf, vectors.dtype),
            initial_vectors=vectors,
            vectors=vectors,
            gamma=smallest_angles(vectors, index),
            index=index,
            progress=jnp.zeros((), vectors.dtype),
        )
        return state, offspring

    def ask(self, key: PRNGKeyArray, state: State, problem: Problem) -> Offspring:
        mate_key, vary_key = jax.random.split(key)
        count = self.variation.num_parents(padded_size(self.population))
        mates = permutations_of_the_living(mate_key, state.population.alive, count)
        return self.variation(vary_key, state.population, mates, state.score, problem, self.population)

    def tell(
        self,
        state: State,
        offspring: Offspring,
        f: Float[Array, "n m"],
        violation: Float[Array, " n"],
        progress: Float[Array, ""] | float,
    ) -> State:
        progress = jnp.asarray(progress, state.progress.dtype)
        newborn = evaluated(offspring, f, violation, self.population)
        survivors, score = self.survive(state, newborn, progress)
        state = state._replace(population=survivors, score=score)
        return self.adapt(state, newborn, progress)._replace(progress=progress)

    def survive(
        self, state: State, newborn: Population, progress: Float[Array, ""]
    ) -> tuple[Population, Float[Array, " r"]]:
        """The best of survivors and newborn in each niche."""
        old = state.population
        pool = Pool(*(jnp.concatenate([a, b]) for a, b in zip(old[1:4], newborn[1:4], strict=True)))
        best = self.selection(pool, state.vectors, state.gamma, state.index, progress**self.alpha)
        # The first population breeds as it is (line 3 of RVEA's framework), as far as there are places for it.
        places = len(state.vectors)
        spare = len(old.alive) - places  # rows that fill the devices: nobody's places
        place = jnp.arange(len(old.alive), dtype=best.row.dtype)
        born_at = jnp.minimum(place, len(newborn.alive) - 1)
        if places < self.population:
            # Where there are too few places, none is for one that failed.
            born_at = living_rows(newborn.alive)[0][born_at]
            there = place < newborn.alive.sum()
        else:
            there = (place < len(newborn.alive)) & newborn.alive[born_at]
        newcomer = len(place) + born_at
        first = ~old.alive.any()
        row = jnp.where(first, newcomer, jnp.pad(best.row, (0, spare)))
        filled = jnp.where(first, there & (place < places), jnp.pad(best.filled, (0, spare)))
        chosen: Population = choose(old, newborn, row)
        survivors = chosen._replace(
            f=jnp.where(filled[:, None], chosen.f, jnp.inf),
            violation=jnp.where(filled, chosen.violation, jnp.inf),
            alive=filled,
        )
        return survivors, jnp.where(filled, best.score[row], jnp.inf)

    @property
    def selection(self) -> Callable[..., Selected]:
        return select

    def adapt(self, state: State, newborn: Population, progress: Float[Array, ""]) -> State:
        """Vectors scaled to the ranges of the objectives, whenever ⌊progress / adaptation⌋ grows."""

        def adapted() -> tuple:
            vectors = scaled(state.initial_vectors, objective_ranges(state.population, newborn))
            index = make_index(vectors)
            return vectors, smallest_angles(vectors, index), index

        due = self._adaptations_done(progress) > self._adaptations_done(state.progress)
        vectors, gamma, index = lax.cond(due, adapted, lambda: (state.vectors, state.gamma, state.index))
        return state._replace(vectors=vectors, gamma=gamma, index=index)

    def _adaptations_done(self, progress: Float[Array, ""]) -> Float[Array, ""]:
        # t / t_max over a tenth is a whole number in exact arithmetic, and may be just below one in float32.
        return jnp.floor(progress / self.adaptation * (1 + 4 * jnp.finfo(progress.dtype).eps))


def objective_ranges(survivors: Population, newborn: Population) -> Float[Array, " m"]:
    """z_max − z_min of the living survivors, or of the feasible ones where there are constraints to meet.

    Infeasible outliers would stretch the ranges until the feasible all share a niche, of which one survives: when there
    are no two feasible survivors, those who were born feasible say more.
    """
    nobody = jnp.zeros_like(newborn.alive)
    surviving = jnp.concatenate([survivors.feasible, nobody])
    everyone = jnp.concatenate([survivors.feasible, newborn.feasible])
    living = jnp.concatenate([survivors.alive, nobody])
    counted = jnp.where(surviving.sum() > 1, surviving, jnp.where(everyone.sum() > 1, everyone, living))[:, None]
    f = jnp.concatenate([survivors.f, newborn.f])
    return jnp.where(counted, f, -jnp.inf).max(axis=0) - jnp.where(counted, f, jnp.inf).min(axis=0)


def scaled(vectors: Float[Array, "r m"], ranges: Float[Array, " m"]) -> Float[Array, "r m"]:
    """V ∘ (z_max − z_min), rows normalised. An objective with no range keeps the smallest that another has."""
    usable = jnp.isfinite(ranges) & (ranges > 0)
    smallest = jnp.where(usable, ranges, jnp.inf).min()
    ranges = jnp.where(usable, ranges, jnp.where(usable.any(), smallest, 1))
    # Relative to the largest, so that neither huge nor tiny ranges leave the numbers that squares can have; and never
    # below what the precision can tell apart in a vector's direction: a millionth in float32.
    return unit_rows(vectors * jnp.maximum(ranges / ranges.max(), 8 * jnp.finfo(ranges.dtype).eps))
