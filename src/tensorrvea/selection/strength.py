"""The fitness of SPEA2, in blocks: raw fitness by strengths, and the distance to the k-th nearest row.

Zitzler, Laumanns and Thiele, "SPEA2: Improving the Strength Pareto Evolutionary Algorithm", 2001. A row's strength S is
the number of rows that it dominates, its raw fitness R the sum of the strengths of the rows that dominate it. The paper
adds the density 1 / (σ + 2) < 1, where σ is the distance to the k-th nearest row. Since R is a whole number, the sum
orders rows by R, and rows of equal R by decreasing σ.
"""

from functools import reduce
from operator import and_, or_

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int, UInt

from tensorrvea.rounding import rounded
from tensorrvea.rows import map_rows
from tensorrvea.selection.order import integer_of

# Rows that all others are compared with in one step: more of them take longer to compile.
STEP = 8
# Distances that are held at once, to find the k-th smallest of each row: they should fit the cache.
HELD = 2**18


def raw_fitness(f: Float[Array, "n m"], competes: Bool[Array, " n"]) -> UInt[Array, " n"]:
    """Return Σ S(j) over the rows j that dominate each row, among those that compete; undefined for the others.

    The sums are exact up to 92,000 rows.

    >>> f = jnp.array([[0.0, 0.0], [1.0, 2.0], [2.0, 1.0], [2.0, 2.0], [9.0, 9.0]])
    >>> raw_fitness(f, jnp.array([True, True, True, True, False])).tolist()[:4]
    [0, 3, 3, 5]
    """
    finite = jnp.where(competes[:, None], f, 0)
    one = competes.astype(jnp.uint32)
    # i dominates j if −j dominates −i.
    strength = map_rows(sum_over_dominators, -finite, (-finite, one))
    return map_rows(sum_over_dominators, finite, (finite, jnp.where(competes, strength, 0)))


def sum_over_dominators(
    f: Float[Array, "rows m"], everyone: tuple[Float[Array, "n m"], UInt[Array, " n"]]
) -> UInt[Array, " rows"]:
    """Return, for each row, the sum of the values of those of ``everyone`` that dominate it."""
    others, values = everyone
    m = f.shape[1]
    columns = [f[:, k] for k in range(m)]
    fill = -len(values) % STEP
    blocks = jnp.pad(others, ((0, fill), (0, 0))).reshape(-1, STEP, m)

    def add(total: Array, block: tuple[Array, Array]) -> tuple[Array, None]:
        for other, value in zip(*block, strict=True):
            no_worse = reduce(and_, [other[k] <= columns[k] for k in range(m)])
            better = reduce(or_, [other[k] < columns[k] for k in range(m)])
            total = total + jnp.where(no_worse & better, value, 0)
        return total, None

    start = jnp.zeros(len(f), values.dtype)
    return lax.scan(add, start, (blocks, jnp.pad(values, (0, fill)).reshape(-1, STEP)))[0]


def squared_distance(a: list[Array], b: list[Array]) -> Array:
    """Return ‖a − b‖², given one array per objective, with the same bits wherever it is computed."""
    return reduce(jnp.add, [rounded((x - y) ** 2) for x, y in zip(a, b, strict=True)])


def kth_nearest(f: Float[Array, "n m"], competes: Bool[Array, " n"], k: Int[Array, ""]) -> Float[Array, " n"]:
    """Return the squared distance to the k-th nearest other row that competes; undefined for those that do not.

    It is infinite if there are fewer. Rows are taken in blocks, and an interval with the k-th distance is halved until
    it holds no other: XLA's sort takes 30 times as long.

    >>> kth_nearest(jnp.array([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]]), jnp.ones(3, bool), jnp.array(2)).tolist()
    [16.0, 25.0, 25.0]
    """
    finite = jnp.where(competes[:, None], f, 0)
    return map_rows(kth_nearest_of_rows, finite, (jnp.where(competes[:, None], f, jnp.inf), k))


def kth_nearest_of_rows(
    f: Float[Array, "rows m"], everyone: tuple[Float[Array, "n m"], Int[Array, ""]]
) -> Float[Array, " rows"]:
    others, k = everyone
    rows, m = f.shape
    integer = integer_of(f.dtype)
    block = max(8, min(128, HELD // len(others) // 8 * 8))
    columns = [others[:, [c]] for c in range(m)]

    def of_block(own: Float[Array, "block m"]) -> Float[Array, " block"]:
        squared = squared_distance(columns, [own[:, c] for c in range(m)])
        # The bits of floats that are not negative are ordered as the floats.
        distances = lax.bitcast_convert_type(squared, integer)

        def halve(interval: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
            low, high, below_high = interval
            middle = low + (high - low) // 2
            below = (distances < middle).sum(axis=0, dtype=jnp.int32)
            is_low = below <= k
            return (
                jnp.where(is_low, middle, low),
                jnp.where(is_low, high, middle),
                jnp.where(is_low, below_high, below),
            )

        def is_open(interval: tuple[Array, Array, Array]) -> Array:
            low, high, below_high = interval
            return ((high - low > 1) & (below_high > k + 1)).any()

        # At most k distances are below ``low``, and more than k below ``high``. The distance 0 of the row itself is
        # among them.
        above_all = lax.bitcast_convert_type(jnp.full(block, jnp.inf, f.dtype), integer) + 1
        start = (jnp.zeros(block, integer), above_all, jnp.full(block, len(others), jnp.int32))
        _, high, _ = lax.while_loop(is_open, halve, start)
        return jnp.where(distances < high, squared, 0).max(axis=0)

    padded = jnp.pad(f, ((0, -rows % block), (0, 0)))
    return lax.map(of_block, padded.reshape(-1, block, m)).reshape(-1)[:rows]
