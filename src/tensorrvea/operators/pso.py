"""Particle swarm optimisation: Kennedy and Eberhart, 1995."""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray

from tensorrvea.checks import check_number
from tensorrvea.domain import Domain
from tensorrvea.mating import living_rows
from tensorrvea.operators.base import Mating, Variation, check_mutation
from tensorrvea.operators.polynomial import PolynomialMutation
from tensorrvea.population import Offspring, Population
from tensorrvea.randomness import below, split, uniform, words
from tensorrvea.rounding import rounded
from tensorrvea.rows import take
from tensorrvea.settings import settings


class Particle(NamedTuple):
    """The memory of an individual: its velocity, and the best position it has had."""

    velocity: Float[Array, "n d"]
    best_x: Float[Array, "n d"]
    best_f: Float[Array, "n m"]
    best_violation: Float[Array, " n"]


@settings
class PSO(Variation):
    """Particle swarm: each parent moves by v ← w v + φp r (best − x) + φg r′ (leader − x), x ← x + v.

    A particle's best is its latest position that no earlier best dominates. Its leader is the better of two survivors
    drawn at random, since a single leader for all would contract the front to a point.

    Args:
      inertia: w, the share of the velocity that is kept.
      personal: φp, how much a particle's best attracts.
      social: φg, how much the leader attracts.
      mutation: how children mutate.

    Raises:
      TypeError: if a setting has the wrong type.
      ValueError: if a setting is out of range.

    >>> PSO(inertia=0.5).social
    0.8
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

    def init_memory(self, x: Float[Array, "n d"], objectives: int) -> Particle:
        unknown = jnp.full((len(x), objectives), jnp.inf, x.dtype)
        return Particle(velocity=jnp.zeros_like(x), best_x=x, best_f=unknown, best_violation=unknown[:, 0])

    def __call__(self, key: PRNGKeyArray, mating: Mating, problem: Domain, offspring: int) -> Offspring:
        del offspring
        survivors, parents, score = mating
        leader_key, personal_key, social_key, mutation_key = split(key, 4)
        particles = take(survivors, parents)
        memory = update_best(particles)
        leader = take(survivors.x, better_of_two(leader_key, survivors.alive, score, len(parents)))
        pull = self.personal * uniform(personal_key, particles.x.shape) * (memory.best_x - particles.x)
        follow = self.social * uniform(social_key, particles.x.shape) * (leader - particles.x)
        velocity = rounded(self.inertia * memory.velocity) + rounded(pull) + rounded(follow)
        x = jnp.clip(particles.x + velocity, *problem.box)
        return Offspring(self.mutation(mutation_key, x, problem), memory._replace(velocity=velocity))


def update_best(particles: Population) -> Particle:
    """Return the memory of evaluated particles, with their best positions updated."""
    memory: Particle = particles.memory
    dominates = (memory.best_f <= particles.f).all(axis=1) & (memory.best_f < particles.f).any(axis=1)
    same_violation = memory.best_violation == particles.violation
    best_stays = (memory.best_violation < particles.violation) | (same_violation & dominates)
    return Particle(
        velocity=memory.velocity,
        best_x=jnp.where(best_stays[:, None], memory.best_x, particles.x),
        best_f=jnp.where(best_stays[:, None], memory.best_f, particles.f),
        best_violation=jnp.minimum(memory.best_violation, particles.violation),
    )


def better_of_two(key: PRNGKeyArray, alive: Array, score: Float[Array, " r"], count: int) -> Int[Array, " n"]:
    """Return rows of survivors: of two drawn at random, the one with the smaller score."""
    rows, living = living_rows(alive)
    one, other = rows[below(words(key, (2, count)), living)]
    return jnp.where(score[one] <= score[other], one, other)
