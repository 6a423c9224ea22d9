"""Metrics by name, for command lines and manifests: what they need beside the survivors is the problem's own."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from tensorrvea.checks import check_choice
from tensorrvea.metrics import device, utility_weights
from tensorrvea.problem import Problem

FRONT_POINTS = 1000
SAMPLES = 10_000


def standard_metrics(names: Sequence[str], problem: Problem) -> dict[str, Callable[..., Any]]:
    """Functions for ``metrics=`` by their names, one of ``STANDARD``."""
    return {name: STANDARD[check_choice("metrics", name, tuple(STANDARD))](problem) for name in names}


def _igd(problem: Problem) -> Callable[..., Any]:
    return partial(device.igd, front=_true_front(problem, "igd"))


def _igd_plus(problem: Problem) -> Callable[..., Any]:
    return partial(device.igd_plus, front=_true_front(problem, "igd_plus"))


def _gd(problem: Problem) -> Callable[..., Any]:
    return partial(device.gd, front=_true_front(problem, "gd"))


def _hypervolume(problem: Problem) -> Callable[..., Any]:
    if hasattr(problem, "reference_point"):
        reference = (problem.reference_point() * problem.signs).astype(np.float32)
        return partial(
            scaled_hypervolume, ideal=np.zeros_like(reference), scale=np.ones_like(reference), corner=reference
        )
    front = _true_front(problem, "hypervolume")
    ideal, nadir = front.min(axis=0), front.max(axis=0)
    scale: Any = np.where(nadir > ideal, nadir - ideal, 1).astype(np.float32)
    return partial(scaled_hypervolume, ideal=ideal, scale=scale, corner=np.ones_like(ideal))


def _expected_utility(problem: Problem) -> Callable[..., Any]:
    weights: Any = utility_weights(problem.objectives).astype(np.float32)
    return partial(device.expected_utility, weights=weights)


def _spacing(problem: Problem) -> Callable[..., Any]:
    del problem
    return device.spacing


STANDARD: dict[str, Callable[[Problem], Callable[..., Any]]] = {
    "igd": _igd,
    "igd_plus": _igd_plus,
    "gd": _gd,
    "hypervolume": _hypervolume,
    "expected_utility": _expected_utility,
    "spacing": _spacing,
}


def scaled_hypervolume(
    f: Float[Array, "n m"],
    alive: Bool[Array, " n"],
    ideal: Float[Array, " m"],
    scale: Float[Array, " m"],
    corner: Float[Array, " m"],
) -> Float[Array, ""]:
    """Hypervolume of (f − ideal)/scale up to ``corner``: exact for two and three objectives, else an estimate."""
    scaled = (f - ideal) / scale
    if f.shape[1] <= 3:
        return device.hypervolume(scaled, alive, corner)
    return device.hypervolume_estimate(jax.random.key(0), scaled, alive, jnp.asarray(corner), SAMPLES)[0]


def _true_front(problem: Problem, name: str) -> Any:
    front = problem.front(FRONT_POINTS)
    if front is None:
        raise ValueError(f"metrics: {name} needs the true front, which is not known for {problem.name}")
    return (front * problem.signs).astype(np.float32)
