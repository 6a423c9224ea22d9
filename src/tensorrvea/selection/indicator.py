"""The fitness of IBEA by the additive ε-indicator, without a matrix of indicator values.

Zitzler and Künzli, "Indicator-Based Selection in Multiobjective Search", 2004. With objectives scaled to [0, 1],
I(y, x) = max_k (y_k − x_k) is what must be subtracted from y to make it weakly dominate x, and

    F(x) = − Σ_{y ≠ x} exp(−I(y, x) / (c κ)).

Two facts make this fast:

- c, the largest absolute value of I, is 1: it is attained by the two rows between which an objective ranges from 0 to
  1, and no difference is larger. (If all rows are equal, all I are 0, and c does not matter.)
- The exponential is monotone, so exp(−I(y, x) / κ) = min_k exp(x_k / κ) · exp(−y_k / κ): 2 n m exponentials suffice for
  the n² terms.

A row that dominates another has at least its fitness, so it is removed later, or has the same fitness. Terms larger
than 1, which only dominating rows contribute, are therefore never subtracted again, and float32 keeps the small ones.
"""

from functools import reduce

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float

from tensorrvea.devices import row_numbers
from tensorrvea.rows import map_rows
from tensorrvea.selection.last_front import scale_to_unit
from tensorrvea.selection.order import BLOCK, first_smallest

# Rows whose terms are added in one step: more of them take longer to compile.
STEP = 8


def fitness_after_removals(
    f: Float[Array, "n m"], competes: Bool[Array, " n"], most: int, kappa: float | Float[Array, ""]
) -> Float[Array, " n"]:
    """Return IBEA's fitness, larger is better, after removing the worst row until ``most`` are left.

    Each removal takes the row of the smallest fitness, the lowest of a tie, and updates the fitness of the others. Rows
    that were removed or do not compete have fitness infinity.
    """
    n, m = f.shape
    scaled = scale_to_unit(f, competes)
    # Filled up to whole blocks with rows that do not compete.
    competes = jnp.pad(competes, (0, -n % BLOCK))
    scaled = jnp.pad(scaled, ((0, -n % BLOCK), (0, 0)))
    # Exponents are centred, so that neither factor overflows.
    gain = [jnp.exp((scaled[:, k] - 0.5) / kappa) for k in range(m)]
    cost = [jnp.where(competes, jnp.exp((0.5 - scaled[:, k]) / kappa), 0) for k in range(m)]
    columns = jnp.stack(gain, axis=1)
    by_row = jnp.stack(cost, axis=1)
    fitness = jnp.where(competes, -map_rows(sum_of_terms, columns, by_row), jnp.inf)

    def remove_worst(_: Array, fitness: Float[Array, " rows"]) -> Float[Array, " rows"]:
        worst = first_smallest(fitness)
        return (fitness + terms(gain, list(by_row[worst]))).at[worst].set(jnp.inf)

    excess = competes.sum(dtype=jnp.int32) - most
    return lax.fori_loop(0, excess, remove_worst, fitness)[:n]


def terms(gain: list[Array], cost: list[Array]) -> Array:
    """Return exp(−I(y, x) / κ) for the rows x of ``gain`` and the rows y of ``cost``, one array per objective."""
    return reduce(jnp.minimum, [g * c for g, c in zip(gain, cost, strict=True)])


def sum_of_terms(gain: Float[Array, "rows m"], cost: Float[Array, "all m"]) -> Float[Array, " rows"]:
    """Return Σ_{y ≠ x} exp(−I(y, x) / κ) for each row x; rows y are added in order."""
    columns = [gain[:, k] for k in range(gain.shape[1])]
    own = row_numbers(len(gain))

    def add(total: Float[Array, " rows"], numbered: tuple[Array, Array]) -> tuple[Float[Array, " rows"], None]:
        first, block = numbered
        for i, row in enumerate(block):
            # Not added and subtracted: next to 1, terms of distant rows would lose their digits.
            total = total + jnp.where(own == first + i, 0, terms(columns, list(row)))
        return total, None

    blocks = cost.reshape(-1, STEP, cost.shape[1])
    first = jnp.arange(0, len(cost), STEP)
    return lax.scan(add, jnp.zeros(len(gain), gain.dtype), (first, blocks))[0]
