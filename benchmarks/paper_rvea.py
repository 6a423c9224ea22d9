"""RVEA like the paper's CPU baseline: dense angles, and a loop over the reference vectors.

Do not change: the speed-ups in the documentation are relative to this. It is a transcription of Algorithm 1 and of the
supplement's operators without optimisation: an n × r matrix of angles, an r × r matrix for γ, one draw for every random
tensor in the formulas, and a ``fori_loop`` over the vectors.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tensorrvea.reference_vectors import largest_divisions, simplex_lattice


def dtlz1(x, m):
    g = 100 * (x.shape[1] - m + 1 + ((x[:, m - 1 :] - 0.5) ** 2 - jnp.cos(20 * jnp.pi * (x[:, m - 1 :] - 0.5))).sum(1))
    ones = jnp.ones((len(x), 1))
    forward = jnp.concatenate([ones, jnp.cumprod(x[:, : m - 1], axis=1)], axis=1)[:, ::-1]
    return 0.5 * (1 + g)[:, None] * forward * jnp.concatenate([ones, 1 - x[:, m - 2 :: -1]], axis=1)


def dtlz2(x, m):
    g = ((x[:, m - 1 :] - 0.5) ** 2).sum(1)
    angle = x[:, : m - 1] * jnp.pi / 2
    ones = jnp.ones((len(x), 1))
    forward = jnp.concatenate([ones, jnp.cumprod(jnp.cos(angle), axis=1)], axis=1)[:, ::-1]
    return (1 + g)[:, None] * forward * jnp.concatenate([ones, jnp.sin(angle)[:, ::-1]], axis=1)


def crossover(key, x, eta=30.0):
    k1, k2, k3 = jax.random.split(key, 3)
    x1, x2 = x[: len(x) // 2], x[len(x) // 2 : len(x) // 2 * 2]
    mc, r1, r2 = (jax.random.uniform(k, x1.shape) for k in (k1, k2, k3))
    b = jnp.where(mc <= 0.5, (2 * mc) ** (1 / (eta + 1)), (2 - 2 * mc) ** (-1 / (eta + 1)))
    b = jnp.where(r1 >= 0.5, b, -b)
    b = jnp.where(r2 >= 0.5, 1, b)
    return jnp.concatenate([((1 + b) * x1 + (1 - b) * x2) / 2, ((1 - b) * x1 + (1 + b) * x2) / 2])


def mutation(key, x, eta=20.0):
    k1, k2 = jax.random.split(key)
    mutates, u = jax.random.uniform(k1, x.shape) < 1 / x.shape[1], jax.random.uniform(k2, x.shape)
    x = jnp.clip(x, 0, 1)
    down = (2 * u + (1 - 2 * u) * (1 - x) ** (eta + 1)) ** (1 / (eta + 1)) - 1
    up = 1 - (2 * (1 - u) + 2 * (u - 0.5) * x ** (eta + 1)) ** (1 / (eta + 1))
    return jnp.clip(jnp.where(mutates, x + jnp.where(u <= 0.5, down, up), x), 0, 1)


def select(x, f, vectors, penalty):
    m = f.shape[1]
    translated = f - f.min(axis=0)
    length = jnp.linalg.norm(translated, axis=1)
    cosine = translated @ vectors.T / jnp.maximum(length, 1e-12)[:, None]
    theta = jnp.arccos(jnp.clip(cosine, -1, 1))
    between = jnp.clip(vectors @ vectors.T, -1, 1)
    gamma = jnp.arccos(between - 2 * jnp.eye(len(vectors))).min(axis=1)
    nearest = theta.argmin(axis=1)

    def visit(j, chosen):
        apd = (1 + m * penalty * theta[:, j] / gamma[j]) * length
        apd = jnp.where(nearest == j, apd, jnp.inf)
        best = apd.argmin()
        return chosen.at[j].set(jnp.where(jnp.isfinite(apd[best]), best, -1))

    chosen = lax.fori_loop(0, len(vectors), visit, jnp.zeros(len(vectors), jnp.int32))
    alive = chosen >= 0
    return jnp.where(alive[:, None], x[chosen], jnp.nan), jnp.where(alive[:, None], f[chosen], jnp.nan)


def make_run(problem, n, d, m):
    """Return a compiled function of a key and a number of generations."""
    vectors = simplex_lattice(largest_divisions(n, m), m)
    initial = jnp.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
    function = {"DTLZ1": dtlz1, "DTLZ2": dtlz2}[problem]

    def generation(t, carry, key, t_max):
        x, f, v = carry
        mate, cross, mutate = jax.random.split(jax.random.fold_in(key, t), 3)
        alive = jnp.isfinite(f[:, 0])
        parents = jax.random.choice(mate, len(x), (n,), p=alive / alive.sum())
        offspring = mutation(mutate, crossover(cross, x[parents]))
        pool_x = jnp.concatenate([x, offspring])
        pool_f = jnp.concatenate([jnp.where(alive[:, None], f, 1e9), function(offspring, m)])
        x, f = select(pool_x, pool_f, v, (t / t_max) ** 2)
        span = jnp.nanmax(f, axis=0) - jnp.nanmin(f, axis=0)
        adapted = initial * jnp.maximum(span, 1e-6)
        adapted = adapted / jnp.linalg.norm(adapted, axis=1, keepdims=True)
        return x, f, jnp.where(t % jnp.maximum(t_max // 10, 1) == 0, adapted, v)

    @jax.jit
    def run(key, generations):
        x = jax.random.uniform(key, (len(initial), d))
        return lax.fori_loop(
            1, generations + 1, lambda t, c: generation(t, c, key, generations), (x, function(x, m), initial)
        )

    return run
