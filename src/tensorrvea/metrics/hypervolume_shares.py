"""Shares of the hypervolume that rows dominate together, and removal by them (Bader and Zitzler, HypE, 2011).

I_h^k(a) is the hypervolume that is lost on average with row a if a and k - 1 others, drawn at random, are removed. A
part that i rows dominate is lost if all of them are drawn: it counts for each of them with α_i (Eq. 11),

    α_i = 1/i · Π_{j=1}^{i-1} (k - j) / (n - j)
"""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from tensorrvea.randomness import uniform
from tensorrvea.rounding import rounded

# Parts with a smaller weight than this, relative to a part of a single row, are left out.
NEGLIGIBLE = 1e-7
# Samples that more rows than these dominate are left out.
SHARED_BY = 32
# Samples of a removed row that are updated at once.
CHUNK = 128


def share_weights(k: Int[Array, ""], n: Int[Array, ""], size: int) -> Float[Array, " size"]:
    """Return α_1, α_2, … for k of n rows to remove.

    >>> share_weights(jnp.array(2), jnp.array(3), 3).tolist()
    [1.0, 0.25, 0.0]
    """
    j = jnp.arange(1, size)
    factors = jnp.where(j < k, (k - j) / jnp.maximum(n - j, 1), 0)
    return jnp.append(1, jnp.cumprod(factors)) / jnp.arange(1, size + 1)


def remove_least_shares_2d(
    f: Float[Array, "n 2"], front: Bool[Array, " n"], count: Int[Array, ""], reference: float
) -> Bool[Array, " n"]:
    """Return the front after ``count`` rows with the smallest I_h^k were removed one at a time, computed exactly.

    k is the number of rows that are still to be removed. Of equal rows, the highest is removed.

    The rows are sorted by the first objective. A part that i rows dominate is then a rectangle: they are neighbours,
    and it lies between the first of them and its predecessor in one objective, and between the last and its successor
    in the other.
    """
    n = len(front)
    place = jnp.arange(n, dtype=jnp.int32)
    x, y, row = lax.sort((jnp.where(front, f[:, 0], jnp.inf), f[:, 1], place), num_keys=1)

    def remove(removed: Int[Array, ""], state: tuple) -> tuple:
        x, y, row, left = state
        size = front.sum(dtype=jnp.int32) - removed
        is_row = place < size
        above = jnp.where(place == 0, reference, jnp.roll(y, 1)) - y
        beyond = jnp.where(place == size - 1, reference, jnp.roll(x, -1)) - x
        above, beyond = jnp.where(is_row, above, 0), jnp.where(is_row, beyond, 0)
        alpha = share_weights(count - removed, size, n)
        terms = (alpha > NEGLIGIBLE).sum(dtype=jnp.int32)
        padded = jnp.pad(beyond, (0, n))

        def add(step: Int[Array, ""], sums: tuple) -> tuple:
            # Parts of at least i neighbours, by the first of them; each of the i has a share.
            i = terms - 1 - step
            parts, share = sums
            parts = parts + rounded(alpha[i] * above * lax.dynamic_slice(padded, (i,), (n,)))
            return parts, share + lax.dynamic_slice(jnp.pad(parts, (n, 0)), (n - i,), (n,))

        _, share = lax.fori_loop(0, terms, add, (jnp.zeros(n, f.dtype), jnp.zeros(n, f.dtype)))
        share = jnp.where(is_row, share, jnp.inf)
        worst = jnp.where(share == share.min(), row, -1).max()
        at = jnp.where(row == worst, place, n).min()
        follow = jnp.minimum(place + (place >= at), n - 1)
        return x[follow], y[follow], row[follow], left.at[worst].set(False)

    *_, left = lax.fori_loop(0, count, remove, (x, y, row, front))
    return left


def remove_least_shares(
    key: PRNGKeyArray,
    f: Float[Array, "n m"],
    front: Bool[Array, " n"],
    count: Int[Array, ""],
    reference: float,
    samples: int,
) -> Bool[Array, " n"]:
    """Return the front after ``count`` rows with the smallest I_h^k were removed one at a time, estimated by sampling.

    The samples are uniform between the ideal and the reference point, and the same for all removals. For each row,
    ``shared`` counts the samples that it dominates together with 0, 1, … others. A removal changes only the counts of
    rows that share samples with the removed one, which are looked up in two lists: who dominates a sample, and which
    samples a row dominates. Samples that more than 32 rows dominate are left out: their weight is small.
    """
    n, m = f.shape
    point = [reference * uniform(key, (m, samples))[k] for k in range(m)]
    sample = jnp.arange(samples, dtype=jnp.int32)

    def enter(row: Int[Array, ""], state: tuple) -> tuple:
        owners, owned_by = state
        dominates = jnp.broadcast_to(front[row], (samples,))
        for k in range(m):
            dominates &= f[row, k] <= point[k]
        at = jnp.where(dominates & (owned_by < SHARED_BY), owned_by, SHARED_BY)
        return owners.at[sample, at].set(row, mode="drop"), owned_by + dominates

    start = (jnp.full((samples, SHARED_BY), n, jnp.int32), jnp.zeros(samples, jnp.int32))
    owners, owned_by = lax.fori_loop(0, n, enter, start)
    owners = jnp.where((owned_by <= SHARED_BY)[:, None], owners, n)
    shared = jnp.zeros((n, SHARED_BY), f.dtype)
    shared = shared.at[owners, jnp.maximum(owned_by - 1, 0)[:, None]].add(1, mode="drop")
    # Row and sample in one number, which sorts five times faster than two: the samples of a row follow each other.
    pairs = jnp.sort((owners.astype(jnp.uint32) * samples + sample[:, None].astype(jnp.uint32)).ravel())
    first = jnp.searchsorted(pairs, jnp.arange(n + 1, dtype=jnp.uint32) * samples).astype(jnp.int32)
    of_row = jnp.pad((pairs % samples).astype(jnp.int32), (0, CHUNK))

    def remove(removed: Int[Array, ""], state: tuple) -> tuple:
        left, shared, owned_by = state
        alpha = share_weights(count - removed, front.sum(dtype=jnp.int32) - removed, SHARED_BY)
        share = jnp.where(left, rounded(shared * alpha.astype(f.dtype)).sum(axis=1), jnp.inf)
        worst = jnp.where(share == share.min(), jnp.arange(n, dtype=jnp.int32), -1).max()

        def update(number: Int[Array, ""], state: tuple) -> tuple:
            shared, owned_by = state
            begin = first[worst] + number * CHUNK
            which = lax.dynamic_slice(of_row, (begin,), (CHUNK,))
            is_own = begin + jnp.arange(CHUNK) < first[worst + 1]
            which = jnp.where(is_own, which, samples)
            members = owners.at[which].get(mode="fill", fill_value=n)
            before = owned_by.at[which].get(mode="fill", fill_value=1)[:, None]
            shared = shared.at[members, before - 1].add(-1, mode="drop")
            # A sample that no row dominates any more leaves the table at its end.
            shared = shared.at[members, jnp.where(before > 1, before - 2, SHARED_BY)].add(1, mode="drop")
            return shared, owned_by.at[which].add(-1, mode="drop")

        chunks = (first[worst + 1] - first[worst] + CHUNK - 1) // CHUNK
        shared, owned_by = lax.fori_loop(0, chunks, update, (shared, owned_by))
        return left.at[worst].set(False), shared, owned_by

    left, *_ = lax.fori_loop(0, count, remove, (front, shared, owned_by))
    return left


def sampled_shares(
    key: PRNGKeyArray, f: Float[Array, "n m"], alive: Bool[Array, " n"], reference: float, samples: int
) -> Float[Array, " n"]:
    """Return I_h^n of n living rows, in samples: each sample is divided equally among the rows that dominate it."""
    m = f.shape[1]
    point = [reference * uniform(key, (m, samples))[k] for k in range(m)]

    def dominates(row: Int[Array, ""]) -> Bool[Array, " samples"]:
        found = jnp.broadcast_to(alive[row], (samples,))
        for k in range(m):
            found &= f[row, k] <= point[k]
        return found

    total = lax.fori_loop(0, len(f), lambda i, total: total + dominates(i), jnp.zeros(samples, jnp.int32))
    share = 1 / jnp.maximum(total, 1).astype(f.dtype)
    return lax.map(lambda i: jnp.where(dominates(i), share, 0).sum(), jnp.arange(len(f)))
