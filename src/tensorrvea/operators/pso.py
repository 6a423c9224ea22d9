"""Particle swarm optimisation: Kennedy and Eberhart, 1995."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray

from tensorrvea.checks import check_number
from tensorrvea.devices import padded_size
from tensorrvea.mating import living_rows
from tensorrvea.operators.base import check_mutation
from tensorrvea.operators.polynomial import PolynomialMutation
from tensorrvea.population import Offspring, Population, take
from tensorrvea.problem import Problem
from tensorrvea.randomness import below, uniform, words
from tensorrvea.rounding import rounded
from tensorrvea.settings import settings


class Particle(NamedTuple):
    """What a particle remembers: how it moved, and the best place it has been at."""

    velocity: Float[Array, "n d"]
    best_x: Float[Array, "n d"]
    best_f: Float[Array, "n m"]
    best_violation: Float[Array, " n"]


@settings
class PSO:
    """Each parent moves on: v ← w v + φp r (best − x) + φg r′ (leader − x), x ← x + v.

    A particle's best is the last place that no earlier best of it dominates. Its leader is the better of two
    survivors drawn at random: one leader for all would pull a front together to a point.
    """

    inertia: float = 0.6
    personal: float = 2.5
    social: float = 0.8
    mutation: PolynomialMutation = PolynomialMutation()

    def __post_init__(self) -> None:
        check_number("inertia", self.inertia, minimum=0.0)
        check_number("personal", self.personal, minimum=0.0)
        check_number("social", self.social, minimum=0.0)
        check_mutation(self.mutation)

    def num_parents(self, offspring: int) -> int:
        return offspring

    def init_memory(self, x: Float[Array, "n d"], objectives: int) -> Particle:
        unknown = jnp.full((len(x), objectives), jnp.inf, x.dtype)
        return Particle(velocity=jnp.zeros_like(x), best_x=x, best_f=unknown, best_violation=unknown[:, 0])

    def __call__(
        self,
        key: PRNGKeyArray,
        survivors: Population,
        mates: Int[Array, " k"],
        score: Float[Array, " r"],
        problem: Problem,
        offspring: int,
    ) -> Offspring:
        leader_key, personal_key, social_key, mutation_key = jax.random.split(key, 4)
        parents = take(survivors, mates)
        memory = look_back(parents)
        leader = take(survivors.x, better_of_two(leader_key, survivors.alive, score, padded_size(offspring)))
        pull = self.personal * uniform(personal_key, parents.x.shape) * (memory.best_x - parents.x)
        follow = self.social * uniform(social_key, parents.x.shape) * (leader - parents.x)
        velocity = rounded(self.inertia * memory.velocity) + rounded(pull) + rounded(follow)
        x = jnp.clip(parents.x + velocity, *problem.box)
        return Offspring(self.mutation(mutation_key, x, problem, offspring), memory._replace(velocity=velocity))


def look_back(parents: Population) -> Particle:
    """The parents' memory, now that it is known how good they are."""
    memory: Particle = parents.memory
    no_worse = (memory.best_f <= parents.f).all(axis=1) & (memory.best_f < parents.f).any(axis=1)
    same_violation = memory.best_violation == parents.violation
    best_stays = (memory.best_violation < parents.violation) | (same_violation & no_worse)
    return Particle(
        velocity=memory.velocity,
        best_x=jnp.where(best_stays[:, None], memory.best_x, parents.x),
        best_f=jnp.where(best_stays[:, None], memory.best_f, parents.f),
        best_violation=jnp.minimum(memory.best_violation, parents.violation),
    )


def better_of_two(key: PRNGKeyArray, alive: Array, score: Float[Array, " r"], count: int) -> Int[Array, " n"]:
    """Rows of survivors: of two drawn at random, the one with the smaller score."""
    rows, living = living_rows(alive)
    one, other = rows[below(words(key, (2, count)), living)]
    return jnp.where(score[one] <= score[other], one, other)
