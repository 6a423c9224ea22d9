"""Two objectives: directions have an order, and the nearest vector is one of the two adjacent to a row."""

from typing import NamedTuple

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int

from tensorrvea.selection.association.chord import squared_chord


class SortedAngles(NamedTuple):
    """The vectors sorted from the first axis to the second; repeated ones refer to the first of them."""

    keys: Int[Array, " r"]
    niche: Int[Array, " r"]
    vectors: Float[Array, "r 2"]


def order_key(u: Float[Array, "n 2"]) -> Int[Array, " n"]:
    """Return integers that grow from the first axis to the second and differ wherever the slopes do.

    The slope, or above the diagonal its inverse, keeps all its digits near both axes, where vectors crowd if
    the objectives differ in range. The bits of positive floats have the order of the floats.
    """
    first, second = u[:, 0], u[:, 1]
    steep = second > first
    slope = jnp.where(steep, first, second) / jnp.where(steep, second, first)
    kind = jnp.int64 if u.dtype == jnp.float64 else jnp.int32
    # Living rows are not negative; clipped, so that the keys of dead rows are in range, too.
    bits = lax.bitcast_convert_type(jnp.clip(slope, 0, 1), kind)
    one = lax.bitcast_convert_type(jnp.ones((), u.dtype), kind)
    return jnp.where(steep, 2 * one - bits, bits)


def sort_angles(vectors: Float[Array, "r 2"]) -> SortedAngles:
    r = len(vectors)
    keys = order_key(vectors)
    # On a CPU one array of integers sorts many times faster than pairs, so places are looked up afterwards.
    ordered = jnp.sort(keys)
    place = jnp.searchsorted(ordered, keys).astype(jnp.int32)
    index = jnp.full(r, r, jnp.int32).at[place].min(jnp.arange(r, dtype=jnp.int32), mode="promise_in_bounds")
    # Vectors with equal keys share the first place; the empty places after it refer to it.
    first_place = lax.cummax(jnp.where(index < r, jnp.arange(r, dtype=jnp.int32), 0))
    index = index[first_place]
    return SortedAngles(ordered, index, vectors[index])


def nearest(u: Float[Array, "n 2"], angles: SortedAngles) -> tuple[Int[Array, " n"], Float[Array, " n"]]:
    """Return the index of the nearest vector (the lower one of a tie) and its squared chord."""
    last = len(angles.keys) - 1
    above = jnp.searchsorted(angles.keys, order_key(u)).astype(jnp.int32)
    coordinates = [u[:, 0], u[:, 1]]

    def at(place: Array) -> tuple[Array, Array]:
        place = jnp.clip(place, 0, last)
        vector = angles.vectors.at[place].get(mode="promise_in_bounds")
        index = angles.niche.at[place].get(mode="promise_in_bounds")
        return index, squared_chord(coordinates, [vector[:, 0], vector[:, 1]])

    low, below_chord = at(above - 1)
    high, above_chord = at(above)
    take_low = (below_chord < above_chord) | ((below_chord == above_chord) & (low < high))
    return jnp.where(take_low, low, high), jnp.where(take_low, below_chord, above_chord)


def nearest_others(vectors: Float[Array, "r 2"], angles: SortedAngles) -> Float[Array, " r"]:
    """Return the squared chord from each vector to the nearest one that differs; infinity if there is none."""
    ordered = angles.vectors
    r = len(vectors)
    different = (ordered[1:] != ordered[:-1]).any(axis=1)
    places = jnp.arange(r, dtype=jnp.int32)
    run_start = lax.cummax(jnp.where(jnp.append(True, different), places, 0))
    run_end = lax.cummin(jnp.where(jnp.append(different, True), places, r - 1), reverse=True)

    def chord_to(place: Array) -> Array:
        other = ordered[jnp.clip(place, 0, r - 1)]
        squared = ((ordered - other) ** 2).sum(axis=1)
        return jnp.where((place >= 0) & (place < r), squared, jnp.inf)

    squared = jnp.minimum(chord_to(run_start - 1), chord_to(run_end + 1))
    place = jnp.searchsorted(angles.keys, order_key(vectors))
    return squared[place]
