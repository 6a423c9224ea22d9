"""NSGA-III's selection within the last front (Deb and Jain, 2014, Algorithms 2 to 4), without its loop."""

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from tensorrvea.randomness import split, words
from tensorrvea.rounding import power_of_two, scaled_down
from tensorrvea.selection.association import Index, associate

# The weight of the other axes when the extreme point of one is sought.
OFF_AXIS = 1e-6
# Intercepts smaller than this, or larger than its inverse, relative to the objective's range, are those of no plane.
DEGENERATE = 1e-6


def normalize(f: Float[Array, "n m"], ideal: Float[Array, " m"], judged: Bool[Array, " n"]) -> Float[Array, "n m"]:
    """Algorithm 2: return the objectives, at least 0, in units in which the hyperplane of the extreme points is Σf = 1.

    Only ``judged`` rows determine the scale. An objective without a range is left out of the plane. If the extreme
    points span none, the units are the largest values.
    """
    # Infeasible rows may be below the ideal point, and without feasible ones there is none. Dead rows are infinite.
    origin = jnp.where(jnp.isfinite(ideal), ideal, 0)
    translated = jnp.where(jnp.isfinite(f), jnp.maximum(scaled_down(f) - scaled_down(origin), 0), 0)
    own = jnp.where(judged[:, None], translated, 0)
    largest = own.max(axis=0)
    has_range = largest > 0
    largest = jnp.where(has_range, largest, scaled_down(jnp.ones_like(largest)))
    extreme = jnp.where(
        has_range[:, None], extreme_points(own, judged) / largest, jnp.eye(len(largest), dtype=largest.dtype)
    )
    plane = solve(extreme, jnp.ones_like(largest))
    is_plane = ((plane > DEGENERATE) & (plane < 1 / DEGENERATE)).all()
    return translated / jnp.where(is_plane, largest / plane, largest)


def extreme_points(translated: Float[Array, "n m"], judged: Bool[Array, " n"]) -> Float[Array, "m m"]:
    """Return, for each axis, the row that is nearest to it: that of the smallest achievement scalarizing function."""
    scaled = translated / power_of_two(translated.max())  # so that dividing by weights gives floats

    def nearest(weights: Float[Array, " m"]) -> Float[Array, " m"]:
        return translated[jnp.argmin(jnp.where(judged, (scaled / weights).max(axis=1), jnp.inf))]

    m = translated.shape[1]
    return jax.vmap(nearest)(jnp.where(jnp.eye(m, dtype=bool), 1, OFF_AXIS).astype(translated.dtype))


def solve(a: Float[Array, "m m"], b: Float[Array, " m"]) -> Float[Array, " m"]:
    """Solve a · x = b by elimination with row pivoting; NaN if ``a`` is singular to the precision of its numbers.

    ``jnp.linalg.solve`` calls a library, which is slow for small matrices in a batch, and which a compiled program
    loaded from disk does not find.
    """
    m = len(b)
    row = jnp.arange(m)
    smallest = 4 * m * jnp.finfo(a.dtype).eps * jnp.abs(a).max()

    def eliminate(k: Int[Array, ""], rows: Float[Array, "m m+1"]) -> Float[Array, "m m+1"]:
        pivot = jnp.argmax(jnp.where(row >= k, jnp.abs(rows[:, k]), -1))
        rows = rows.at[jnp.stack([k, pivot])].set(rows[jnp.stack([pivot, k])])
        scaled = rows[k] / jnp.where(jnp.abs(rows[k, k]) > smallest, rows[k, k], jnp.nan)
        return jnp.where((row == k)[:, None], scaled, rows - rows[:, k, None] * scaled)

    return lax.fori_loop(0, m, eliminate, jnp.concatenate([a, b[:, None]], axis=1))[:, m]


def associate_with_lines(
    f: Float[Array, "n m"], vectors: Float[Array, "r m"], index: Index
) -> tuple[Int[Array, " n"], Float[Array, " n"]]:
    """Algorithm 3: return the nearest reference line of each row, and the perpendicular distance to it."""
    niche, theta = associate(f, vectors, index)
    return niche, jnp.linalg.norm(f, axis=1) * jnp.sin(theta)


def niching(
    key: PRNGKeyArray,
    niche: Int[Array, " n"],
    distance: Float[Array, " n"],
    before: Bool[Array, " n"],
    candidate: Bool[Array, " n"],
    count: int,
) -> tuple[Int[Array, " n"], Array]:
    """Algorithm 4, without its loop: return when each candidate is chosen, smallest first, and a random tie break.

    The loop always takes from a niche with the fewest survivors, ρ. So the k-th that it takes from a niche is taken
    while its niche has ρ + k, and after all that are taken while theirs have fewer. Within a niche the order is random,
    except that the nearest comes first if ρ = 0; of niches with equally many the order is random.
    """
    order_key, tie_key = split(key)
    n = len(niche)
    row = jnp.arange(n, dtype=jnp.int32)
    niche = jnp.where(candidate | before, niche, count)
    rho = jnp.zeros(count + 1, jnp.int32).at[niche].add(before.astype(jnp.int32))

    own = jnp.where(candidate, niche, count)
    nearest = jnp.full(count + 1, jnp.inf, distance.dtype).at[own].min(distance)
    is_nearest = candidate & (rho[niche] == 0) & (distance == nearest[niche])
    # The candidates of a niche are next to each other in this order, and ``taken`` counts from the first of them.
    own, _, _, sorted_row = lax.sort((own, ~is_nearest, words(order_key, (n,)), row), num_keys=3)
    starts = jnp.pad(own[1:] != own[:-1], (1, 0), constant_values=True)
    taken = row - lax.cummax(jnp.where(starts, row, 0))
    k = jnp.zeros(n, jnp.int32).at[sorted_row].set(taken, unique_indices=True)
    return jnp.where(candidate, rho[niche] + k, 0), words(tie_key, (n,))
