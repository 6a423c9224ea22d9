"""Three to five objectives: bins over the simplex hold the vectors, and each row searches the bins nearby.

The vectors are V0 ∘ ranges, with V0 spread evenly over the simplex. With weights w = 1/ranges their positions there,
p = v ∘ w / Σ(v ∘ w), are even again however the ranges differ, and bins of one size hold about one vector each.

For each row the bins around its own are searched, and then it is proven that no other bin need be. A vector outside
this window lies beyond one of the planes that bound it (p_k = c is a plane through the origin), and so at least at the
angle to that plane. If the best vector found is nearer than every such plane, it is the nearest of all. Rows without
this proof (where ranges differ much, sets of equal angle are long thin ellipses in p) search a wider window, and those
still without it are compared with all vectors. The result is exact for any vectors; only the time depends on them.
"""

from collections.abc import Callable
from functools import partial
from itertools import product
from operator import mul
from typing import NamedTuple

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int

from tensorrvea.platforms import on_accelerator
from tensorrvea.reference_vectors import largest_divisions, lattice_size
from tensorrvea.selection.association import stream
from tensorrvea.selection.association.chord import squared_chord

# Half-width of the first window: 3 bins per axis prove all rows among even vectors, at the lowest cost.
NEAR = 1
# Half-width of the second, by number of objectives; it must be much less work than comparing with all vectors.
WIDE = {3: 4, 4: 2}
# Rows of a group that is searched again: small, so that little is wasted where few rows are left.
GROUP = 512
# The same on an accelerator: enough for all of its cores.
AT_ONCE = 2048
# Vectors that a bin can hold if they are not a lattice; of a lattice, each bin holds one.
SLOTS = 3


class Grid(NamedTuple):
    """Vectors in bins. Bins are numbered along a flat axis, with margins of empty ones so that windows fit."""

    weights: Float[Array, " m"]
    held: Int[Array, "slots bins"]  # vector per slot; the number of vectors if the slot is empty
    places: tuple[tuple[Float[Array, " bins"], ...], ...]  # coordinates[slot][axis], the layout that gathers fastest
    crowded: tuple[Bool[Array, " bins"], ...]  # per window: whether a bin in it has more vectors than slots
    ordered: Bool[Array, ""]  # whether bins are in the order of their vectors: the first one found is the lowest


# Per row: the nearest vector, its squared chord, and a flag.
Found = tuple[Int[Array, " n"], Float[Array, " n"], Bool[Array, " n"]]
# Searches for unit rows; the flag says whether the vector is proven to be the nearest.
Search = Callable[[Array], Found]


class Shape(NamedTuple):
    """The shape of a grid, which follows from the numbers of vectors and objectives."""

    divisions: int
    slots: int
    margin: int  # empty bins on each side

    @classmethod
    def of(cls, r: int, m: int) -> "Shape":
        divisions = max(1, largest_divisions(r, m))
        even = lattice_size(divisions, m) == r
        return cls(divisions, 1 if even else SLOTS, reaches(m)[-1])

    @property
    def side(self) -> int:
        return self.divisions + 1 + 2 * self.margin

    def bins(self, m: int) -> int:
        return self.side ** (m - 1)

    def strides(self, m: int) -> list[int]:
        return [self.side ** (m - 2 - k) for k in range(m - 1)]


def reaches(m: int) -> list[int]:
    """Return the half-width of each window in bins, in the order in which they are searched."""
    return [NEAR, WIDE[m]] if m in WIDE else [NEAR]


def balance(vectors: Float[Array, "r m"]) -> Float[Array, " m"]:
    """Return weights that undo different ranges of objectives: exactly, if the vectors are a symmetric set ∘ ranges.

    The unknown length of each row cancels in the differences between the means of logarithms.
    """
    inner = (vectors > 0).all(axis=1, keepdims=True)
    logs = jnp.where(inner, jnp.log(jnp.where(inner, vectors, 1)), 0)
    mean = logs.sum(axis=0) / jnp.maximum(inner.sum(), 1)
    return jnp.exp(mean.min() - mean)


def locate(
    coordinates: list[Array], weights: Float[Array, " m"], shape: Shape
) -> tuple[list[Array], Array, list[Array], Array]:
    """Return the bin of every row along each axis, its flat number, the weighted coordinates and their sum."""
    m = len(coordinates)
    weighted = [coordinates[c] * weights[c] for c in range(m)]
    total = sum(weighted[1:], start=weighted[0])
    bins = []
    for k in range(m - 1):
        place = jnp.floor(weighted[k] / total * shape.divisions + 0.5)
        # Dead rows may be NaN or out of range, and need a valid bin all the same.
        bins.append(jnp.nan_to_num(jnp.clip(place, 0, shape.divisions)).astype(jnp.int32))
    number = sum(
        ((b + shape.margin) * stride for b, stride in zip(bins, shape.strides(m), strict=True)),
        start=jnp.zeros_like(bins[0]),
    )
    return bins, number, weighted, total


def make_grid(vectors: Float[Array, "r m"]) -> Grid:
    r, m = vectors.shape
    shape = Shape.of(r, m)
    bins = shape.bins(m)
    weights = balance(vectors)
    coordinates = [vectors[:, c] for c in range(m)]
    _, number, _, _ = locate(coordinates, weights, shape)
    own = jnp.arange(r, dtype=jnp.int32)
    left = jnp.ones(r, bool)
    index = []
    for _ in range(shape.slots):
        lowest = jnp.full(bins, r, jnp.int32).at[jnp.where(left, number, bins)].min(own, mode="drop")
        left &= lowest.at[number].get(mode="promise_in_bounds") != own
        index.append(lowest)
    crowded = jnp.zeros(bins, bool).at[number].max(left, mode="promise_in_bounds")
    around = tuple(any_in_window(crowded, shape, m, reach) for reach in reaches(m))

    def place(c: int, held: Array) -> Array:
        values = coordinates[c].at[jnp.minimum(held, r - 1)].get(mode="promise_in_bounds")
        return jnp.where(held < r, values, stream.FAR_AWAY)

    places = tuple(tuple(place(c, held) for c in range(m)) for held in index)
    first = jnp.where(index[0] < r, index[0], -1)
    ordered = ((first < 0) | (first >= lax.cummax(first))).all() & (shape.slots == 1)
    return Grid(weights, jnp.stack(index), places, around, ordered)


def any_in_window(flags: Bool[Array, " bins"], shape: Shape, m: int, reach: int) -> Bool[Array, " bins"]:
    """Return which bins have a flagged one in the window around them."""
    cube = flags.reshape((shape.side,) * (m - 1))
    for axis in range(m - 1):
        window = [1] * (m - 1)
        window[axis] = 2 * reach + 1
        cube = lax.reduce_window(cube, False, lax.bitwise_or, window, [1] * (m - 1), "SAME")
    return cube.reshape(-1)


def search_window(
    u: Float[Array, "n m"], vectors: Float[Array, "r m"], grid: Grid, window: int, *, others: bool
) -> Found:
    """Return the nearest vector in the window around each row's bin, its squared chord, and whether it is proven."""
    n, m = u.shape
    shape = Shape.of(len(vectors), m)
    reach = reaches(m)[window]
    coordinates = [u[:, c] for c in range(m)]
    bins, number, weighted, total = locate(coordinates, grid.weights, shape)
    strides = shape.strides(m)
    span = range(-reach, reach + 1)

    def get(table: Array, at: Array) -> Array:
        # Unsigned, since JAX would add a check for negative indices.
        return table.at[at.astype(jnp.uint32)].get(mode="promise_in_bounds")

    # In the first window, which all rows search, the last axis is unrolled for fewer kernels. The other axes are a
    # loop, at whose boundaries XLA materialises results such as the number of the bin; without it they would be
    # recomputed for every value that is read from a table.
    # An accelerator has it all in one kernel, as far as that compiles in reasonable time.
    unrolled = min(m - 1, 3) if on_accelerator() else 1 if window == 0 else 0
    outer, inner = strides[: m - 1 - unrolled], strides[m - 1 - unrolled :]
    near = [sum(map(mul, offsets, inner)) for offsets in product(span, repeat=len(inner))]
    far = [sum(map(mul, offsets, outer)) for offsets in product(span, repeat=len(outer))]

    # The position of the best: twice its number among all slots of all bins, plus one if it is tied.
    def compare(best: tuple[Array, Array], offset: Array) -> tuple[tuple[Array, Array], None]:
        where, squared = best
        for step in near:
            at = number + (offset + step)
            for slot, places in enumerate(grid.places):
                chord = squared_chord(coordinates, [get(table, at) for table in places])
                if others:
                    chord = jnp.where(chord > 0, chord, jnp.inf)
                here = 2 * (at + slot * shape.bins(m))
                where = jnp.where(chord < squared, here, jnp.where(chord == squared, where | 1, where))
                squared = jnp.where(chord < squared, chord, squared)
        return (where, squared), None

    best = (2 * number, jnp.full(n, jnp.inf, u.dtype))
    (where, squared), _ = lax.scan(compare, best, jnp.asarray(far, jnp.int32))
    index = get(grid.held.reshape(-1), where // 2)
    proven = (index < len(vectors)) & (grid.ordered | (where % 2 == 0) | others)
    proven &= ~get(grid.crowded[window], number)
    proven &= is_proven(squared, bins, weighted, total, grid.weights, shape, reach)
    return index, squared, proven


def is_proven(
    squared: Float[Array, " n"],
    bins: list[Array],
    weighted: list[Array],
    total: Float[Array, " n"],
    weights: Float[Array, " m"],
    shape: Shape,
    reach: int,
) -> Bool[Array, " n"]:
    """Return whether each plane that bounds the window is further away than the best vector inside."""
    epsilon = jnp.finfo(squared.dtype).eps
    # Allows for a few units of rounding in the chord and in the positions of the row and the vectors.
    chord = (jnp.sqrt(squared) + 4 * epsilon) * (1 + 16 * epsilon)
    rounding = 16 * epsilon * total
    squares = weights**2
    proven = jnp.isfinite(squared)
    for k, own in enumerate(bins):
        others = squares.sum(where=jnp.arange(len(weights)) != k)
        for side in (-1, 1):
            # The plane p_k = c has the normal w ∘ (e_k − c·1): its product with a vector has the sign of p_k − c.
            c = (own + side * (reach + 0.5)).astype(squared.dtype) / shape.divisions
            normal = jnp.sqrt(squares[k] * (1 - c) ** 2 + others * c**2)
            distance = side * (c * total - weighted[k]) - rounding
            no_vectors = c <= 0 if side < 0 else c >= 1
            proven &= no_vectors | (distance > chord * normal)
    return proven


def nearest(
    u: Float[Array, "n m"], vectors: Float[Array, "r m"], grid: Grid, wanted: Bool[Array, " n"], *, others: bool = False
) -> tuple[Int[Array, " n"], Float[Array, " n"]]:
    """Return the vector with the smallest squared chord to each ``wanted`` row of ``u``, as ``stream.nearest`` does."""
    m = u.shape[1]

    def window(number: int) -> Search:
        return lambda rows: search_window(rows, vectors, grid, number, others=others)

    def all_vectors(rows: Array) -> Found:
        if others:
            squared, index = stream.nearest_others(rows, vectors), jnp.zeros(len(rows), jnp.int32)
        else:
            index, squared = stream.nearest(rows, vectors)
        return index, squared, jnp.ones(len(rows), bool)

    niche, squared, proven = window(0)(u)
    found = (niche, squared, wanted & ~proven)
    if on_accelerator():
        return search_rest(u, found, all_vectors)
    for k in range(1, len(reaches(m))):
        found = search_again(u, found, window(k), groups=[GROUP])
    many = max(len(u) // 512 * 64, GROUP)
    niche, squared, _ = search_again(u, found, all_vectors, groups=[many, GROUP])
    return niche, squared


def search_rest(u: Float[Array, "n m"], found: Found, search: Search) -> tuple[Int[Array, " n"], Float[Array, " n"]]:
    """Search again for the rows flagged in ``found``, on an accelerator: one loop, and no kernel before it."""
    n, columns = len(u), list(u.T)

    def search_group(found: Found) -> Found:
        niche, squared, unproven = found
        (rows,) = jnp.nonzero(unproven, size=min(n, AT_ONCE), fill_value=n)
        index, chord, _ = search(jnp.stack([column.at[rows].get(mode="clip") for column in columns], axis=1))
        return (
            niche.at[rows].set(index, mode="drop"),
            squared.at[rows].set(chord, mode="drop"),
            unproven.at[rows].set(False, mode="drop"),
        )

    return lax.while_loop(lambda found: found[2].any(), search_group, found)[:2]


def search_again(u: Float[Array, "n m"], found: Found, search: Search, groups: list[int]) -> Found:
    """Search again for the rows flagged in ``found``, a group at a time; the flags say which are still unproven.

    A size of ``groups`` is used while groups are at least a quarter full, then the next: large ones cost less per row.
    A loop and not a branch: under ``vmap`` a branch costs both sides, a loop what its slowest member needs.
    """
    n, unproven = len(u), found[2]
    count = unproven.sum()

    def unproven_first(unproven: Array, none: Array) -> Array:
        """Return the numbers of the unproven rows, followed by n, which is no row."""
        place = jnp.where(unproven, jnp.cumsum(unproven) - 1, len(none))
        return none.at[place].set(jnp.arange(n, dtype=jnp.int32), mode="drop")

    none = jnp.full(n + max(groups), n, jnp.int32)
    order = lax.cond(count > 0, unproven_first, lambda _, none: none, unproven, none)

    def search_group(group: int, state: tuple[Array, Array, Array, Array]) -> tuple[Array, Array, Array, Array]:
        start, niche, squared, unproven = state
        rows = lax.dynamic_slice(order, (start,), (group,))
        index, chord, proven = search(u.at[rows].get(mode="clip"))
        return (
            start + group,
            niche.at[rows].set(index, mode="drop"),
            squared.at[rows].set(chord, mode="drop"),
            unproven.at[rows].set(~proven, mode="drop"),
        )

    state = (jnp.zeros((), count.dtype), *found)
    for group in groups:
        enough = 1 if group == groups[-1] else group // 4
        state = lax.while_loop(partial(is_left, count - enough), partial(search_group, group), state)
    return state[1:]


def is_left(last: Int[Array, ""], state: tuple[Array, ...]) -> Bool[Array, ""]:
    return state[0] <= last
