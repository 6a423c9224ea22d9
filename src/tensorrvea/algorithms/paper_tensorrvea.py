"""TensorRVEA exactly as in its paper: Liang, Jiang, Sun and Cheng, GECCO '24."""

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray
from numpy.typing import ArrayLike

from tensorrvea.checks import check_number
from tensorrvea.domain import Domain
from tensorrvea.evolution import Clock, Evolution, Selection, State
from tensorrvea.mating import first_living
from tensorrvea.operators import GA, Variation
from tensorrvea.platforms import run_if
from tensorrvea.population import Pool
from tensorrvea.problem import Problem
from tensorrvea.reference_vectors import reference_vectors
from tensorrvea.selection.adaptation import objective_ranges, scale_vectors
from tensorrvea.selection.apd import Selected, distance, select_by_niches, translate
from tensorrvea.selection.association import make_index, smallest_angles
from tensorrvea.settings import settings, static
from tensorrvea.vector_settings import check_vector_setting, unit_vectors


class Vectors(NamedTuple):
    """The reference vectors; place j is for the best individual of vector j (after the first generation)."""

    initial: Float[Array, "r m"]
    adapted: Float[Array, "k m"]
    gamma: Float[Array, " k"]
    """The smallest angle from each adapted vector to another."""
    index: Any
    """What makes association with the adapted vectors fast."""


@settings
class PaperTensorRVEA(Evolution):
    """TensorRVEA as the paper has it: the reference-vector-guided evolutionary algorithm, as tensors.

    ``TensorRVEA`` finds better fronts on most problems. This one is what the paper's experiments are reproduced with,
    and takes less time with large populations, since no individuals are compared for dominance.

    Args:
      population: the number of offspring per generation.
      variation: how offspring are bred.
      vectors: the reference vectors, one per possible survivor: ``"lattice"`` (the largest simplex lattice of at most
        ``population``), ``"layers"`` (two lattices, for many objectives), ``"exact"`` (exactly ``population``), or
        an array of shape (r, m).
      alpha: how the penalty on the angle grows over the budget, progress^alpha.
      adaptation: the vectors adapt to the ranges of the objectives each time this share of the budget is spent.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range, such as a population below 2.

    >>> PaperTensorRVEA(population=100).places(3)
    91
    """

    population: int = static()
    variation: Variation = GA()
    vectors: str | ArrayLike = "lattice"
    alpha: float = 2.0
    adaptation: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("alpha", self.alpha, minimum=0.0)
        check_number("adaptation", self.adaptation, minimum=0.0, maximum=1.0, open_minimum=True)
        check_vector_setting(self.vectors)

    def bind(self, problem: Problem) -> "PaperTensorRVEA":
        # The vectors are then an argument of compiled code, not a constant in it.
        return replace(self, vectors=reference_vectors(self.vectors, self.population, problem.objectives))

    def places(self, objectives: int) -> int:
        return len(reference_vectors(self.vectors, self.population, objectives))

    def setup(self, key: PRNGKeyArray, problem: Domain) -> Vectors:
        del key
        initial = unit_vectors(self.vectors, self.population, problem.objectives)
        # The first selection makes the index, with the code that makes it again whenever the vectors adapt.
        shapes = jax.eval_shape(indexed, initial, initial)
        empty = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), shapes)
        return empty._replace(initial=initial, adapted=initial, gamma=jnp.ones_like(empty.gamma))

    def select(self, key: PRNGKeyArray, state: State, pool: Pool, clock: Clock) -> Selection:
        del key
        vectors: Vectors = state.extra
        # In the first generation the vectors have no index yet: no row takes part. (The selection itself is not a
        # branch, since XLA does not divide the work inside one among the cores.)
        competing = pool._replace(alive=pool.alive & ~clock.is_first)
        best = self.best_per_vector(competing, vectors, clock.progress**self.alpha)

        def adapted(now: Selection) -> Selection:
            # The first population breeds as it is (line 3 of RVEA's framework), as far as there are places for it.
            row, filled = first_living(pool.alive, len(vectors.adapted))
            first = Selection(row, filled, distance(translate(pool))[row], now.extra)
            now = jax.tree.map(partial(jnp.where, clock.is_first), first, now)
            return now._replace(extra=self.adapt(now.extra, pool, now.row, now.filled, clock))

        selection = Selection(best.row, best.filled, best.score[best.row], vectors)
        return run_if(self.is_due(clock), adapted, selection)

    def best_per_vector(self, pool: Pool, vectors: Vectors, penalty: Float[Array, ""]) -> Selected:
        return select_by_niches(pool, vectors.adapted, vectors.gamma, vectors.index, penalty)

    def adapt(
        self, vectors: Vectors, pool: Pool, row: Int[Array, " r"], filled: Bool[Array, " r"], clock: Clock
    ) -> Vectors:
        """Scale the vectors to the ranges of the objectives; for the first population they are only indexed."""
        scaled = scale_vectors(vectors.initial, objective_ranges(pool, row, filled))
        return indexed(vectors.initial, jnp.where(clock.is_first, vectors.initial, scaled))

    def is_due(self, clock: Clock) -> Bool[Array, ""]:
        """Return whether ⌊progress / adaptation⌋ grows, which counts as negative before the first population."""
        return self._adaptations_done(clock.progress) > self._adaptations_done(clock.before)

    def _adaptations_done(self, progress: Float[Array, ""]) -> Float[Array, ""]:
        # t / t_max over a tenth is a whole number in exact arithmetic, and may be just below one in float32.
        return jnp.floor(progress / self.adaptation * (1 + 4 * jnp.finfo(progress.dtype).eps))


def indexed(initial: Float[Array, "r m"], adapted: Float[Array, "k m"]) -> Vectors:
    """Return adapted vectors with what association needs of them."""
    index = make_index(adapted)
    return Vectors(initial, adapted, smallest_angles(adapted, index), index)
