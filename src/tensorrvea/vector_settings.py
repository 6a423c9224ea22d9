"""The setting ``vectors`` that algorithms with reference vectors share."""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float
from numpy.typing import ArrayLike

from tensorrvea.checks import check_choice, is_traced
from tensorrvea.reference_vectors import GENERATORS, check_vectors, reference_vectors, unit_rows


def check_vector_setting(vectors: Any) -> None:
    """Check for the name of a generator of reference vectors, or an array of them."""
    if isinstance(vectors, str):
        check_choice("vectors", vectors, GENERATORS)
    elif not is_traced(vectors):
        check_vectors("vectors", vectors)


def unit_vectors(vectors: str | ArrayLike, population: int, objectives: int) -> Float[Array, "r m"]:
    """Return the vectors that the setting stands for, with length one, as an array of the default precision."""
    return unit_rows(jnp.asarray(reference_vectors(vectors, population, objectives)))
