"""The reference vector nearest by angle to each individual, without the n × r matrix of angles.

There are three exact methods; :func:`make_index` chooses one.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from tensorrvea.platforms import on_accelerator
from tensorrvea.rows import map_rows
from tensorrvea.selection.association import grid, sorted_angles, stream
from tensorrvea.selection.association.chord import angle, directions
from tensorrvea.selection.association.grid import Grid
from tensorrvea.selection.association.sorted_angles import SortedAngles

__all__ = ["Index", "associate", "make_index", "smallest_angles"]

# Precomputed for a set of vectors. None: all vectors are compared.
Index = SortedAngles | Grid | None

# Numbers of rows are rounded up to multiples of this, which most numbers of cores divide.
LANES = 64

# With fewer vectors all are compared: that is one small kernel, while an index takes several.
LEAST_FOR_ANGLES = 512
LEAST_FOR_GRID = {3: 1024, 4: 2048, 5: 8192}
# Up to this many vectors, an accelerator compares all with all.
MOST_AT_ONCE = 65_536


def make_index(vectors: Float[Array, "r m"]) -> Index:
    """Return an index that speeds up association with these vectors; it must be rebuilt when they change.

    - Few vectors, or six objectives and more: no index. Every row is compared with all vectors, and nothing is stored.
      From six objectives on, a window of bins would hold about as many vectors as there are.
    - Two objectives: the vectors sorted by angle, for a binary search.
    - Three to five: bins over the simplex, a window of which is searched, with a proof that it was wide enough.
    """
    r, m = vectors.shape
    if m == 2 and r >= LEAST_FOR_ANGLES:
        return sorted_angles.sort_angles(vectors)
    if m in LEAST_FOR_GRID and r >= LEAST_FOR_GRID[m]:
        return grid.make_grid(vectors)
    return None


def associate(
    f: Float[Array, "n m"], vectors: Float[Array, "r m"], index: Index
) -> tuple[Int[Array, " n"], Float[Array, " n"]]:
    """Eq. 3: return the index of the vector at the smallest angle to each row of ``f`` (≥ 0), and that angle θ.

    Ties go to the lowest index. A row of zeros is at the ideal point and has niche 0 and θ = 0. So have rows that are
    not finite, so that dead individuals cost nothing. Rows do not depend on each other.
    """

    def associate_rows(f: Float[Array, "n m"], shared: tuple[Array, Index]) -> tuple[Array, Array]:
        vectors, index = shared
        u, directed = directions(pad_to_lanes(f))
        if isinstance(index, SortedAngles):
            niche, squared = sorted_angles.nearest(u, index)
        elif isinstance(index, Grid):
            niche, squared = grid.nearest(u, vectors, index, directed)
        else:
            niche, squared = stream.nearest(u, vectors)
        theta = jnp.where(directed, angle(squared), 0)
        return jnp.where(directed, niche, 0)[: len(f)], theta[: len(f)]

    return map_rows(associate_rows, f, (vectors, index))


def smallest_angles(vectors: Float[Array, "r m"], index: Index = None) -> Float[Array, " r"]:
    """Return γ, the angle from each vector to the nearest one that differs from it; π/2 if there is none.

    ``index`` is that of :func:`make_index`; it is made if not given. γ is never 0, since it is a divisor.
    """
    if index is None:
        index = make_index(vectors)
    rows = pad_to_lanes(vectors)
    if isinstance(index, SortedAngles):
        squared = sorted_angles.nearest_others(vectors, index)
    elif isinstance(index, Grid) and not (on_accelerator() and len(vectors) <= MOST_AT_ONCE):
        _, squared = grid.nearest(rows, vectors, index, rows.any(axis=1), others=True)
    else:
        squared = stream.nearest_others(rows, vectors)
    squared = squared[: len(vectors)]
    gamma = jnp.where(jnp.isfinite(squared), angle(squared), jnp.pi / 2)
    return jnp.maximum(gamma, jnp.finfo(vectors.dtype).eps ** 2)


def pad_to_lanes(rows: Float[Array, "n m"]) -> Float[Array, "k m"]:
    """Append rows of zeros, up to a multiple of LANES.

    XLA divides loops over many rows among the cores, and vectorises none if the parts are not equal: an odd number of
    rows is eight times slower on two cores.
    """
    spare = -len(rows) % LANES if len(rows) >= 8 * LANES else 0
    return jnp.pad(rows, ((0, spare), (0, 0))) if spare else rows
