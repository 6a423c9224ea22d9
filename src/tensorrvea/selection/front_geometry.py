"""The shape of a front as the unit surface of an L_p norm, and distances along it (Panichella, AGE-MOEA-II, 2022)."""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int

from tensorrvea.rounding import rounded

# The exponents that are told apart: beyond them, powers of small numbers are not accurate in single precision.
SMALLEST_P, LARGEST_P = 0.1, 20.0
# Newton's steps double the correct digits near the root; from p = 1, fewer than these reach either bound.
STEPS = 16

Columns = tuple[Float[Array, " n"], ...]


def extreme_rows(f: Columns, front: Bool[Array, " n"]) -> Int[Array, " m"]:
    """Return, for each axis, the row of the front that is nearest to it: that of the smallest perpendicular distance.

    ``f`` are the columns of the normalised objectives, which are not negative. The lowest row wins a tie.
    """
    squares = [rounded(column**2) for column in f]

    def off_axis(axis: int) -> Float[Array, " n"]:
        return jnp.stack([square for k, square in enumerate(squares) if k != axis]).sum(axis=0)

    apart = jnp.where(front, jnp.stack([off_axis(axis) for axis in range(len(f))]), jnp.inf)
    return jnp.argmin(apart, axis=1).astype(jnp.int32)


def nearest_to_ideal(f: Columns, inner: Bool[Array, " n"]) -> Float[Array, " m"]:
    """Return the row of ``inner`` that is nearest to the ideal point, which is the origin; ones if there is none."""
    apart = jnp.stack([rounded(column**2) for column in f]).sum(axis=0)
    return jnp.where(inner.any(), jnp.stack(f)[:, jnp.argmin(jnp.where(inner, apart, jnp.inf))], 1)


def curvature(point: Float[Array, " m"]) -> Float[Array, ""]:
    """Return p with Σ_k point_k^p = 1: the exponent of the L_p norm whose unit surface contains the point.

    Found by Newton's method from p = 1, on the logarithm of the sum. The logarithm is a convex function of p, and
    falls if all coordinates are below 1, so that the method converges. There is no such p if a coordinate is 1 or
    larger, or if fewer than two are positive: then it is 1, which stands for a flat front. p is kept between 0.1
    and 20.

    >>> round(float(curvature(jnp.array([0.6, 0.8]))), 4), round(float(curvature(jnp.array([0.25, 0.25]))), 4)
    (2.0, 0.5)
    """
    logarithm = jnp.log(point)
    is_inside = (point < 1).all() & ((point > 0).sum() > 1)

    def step(_: int, p: Float[Array, ""]) -> Float[Array, ""]:
        power = jnp.exp(p * logarithm)
        slope = (power * jnp.where(point > 0, logarithm, 0)).sum()
        return jnp.clip(p - power.sum() * jnp.log(power.sum()) / slope, -LARGEST_P, LARGEST_P)

    p = lax.fori_loop(0, STEPS, step, jnp.ones((), point.dtype))
    return jnp.where(is_inside & jnp.isfinite(p), jnp.clip(p, SMALLEST_P, LARGEST_P), 1)


def lp_norm(f: Columns, p: Float[Array, ""]) -> Float[Array, " n"]:
    """Return (Σ_k f_k^p)^(1/p) of rows that are not negative."""
    largest = jnp.maximum(jnp.stack(f).max(axis=0), jnp.finfo(f[0].dtype).tiny)
    total = jnp.stack([jnp.exp(p * jnp.log(column / largest)) for column in f]).sum(axis=0)
    return largest * jnp.exp(jnp.log(total) / p)


def project(f: Columns, p: Float[Array, ""]) -> Columns:
    """Return the rows moved along the line to the origin onto the surface on which the L_p norm is 1."""
    norm = lp_norm(f, p)
    return tuple(column / norm for column in f)


def distances_to(row: Int[Array, ""], projected: Columns, p: Float[Array, ""]) -> Float[Array, " n"]:
    """Return about how far it is along the surface from each projected row to one of them.

    That is the length of the two straight lines to the midpoint, which is projected as well.
    """
    middle = project(tuple(column + column[row] for column in projected), p)
    own = jnp.stack([rounded((a - c) ** 2) for a, c in zip(projected, middle, strict=True)])
    other = jnp.stack([rounded((a[row] - c) ** 2) for a, c in zip(projected, middle, strict=True)])
    return jnp.sqrt(own.sum(axis=0)) + jnp.sqrt(other.sum(axis=0))
