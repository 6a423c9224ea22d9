"""Metrics by name, for command lines and manifests: what they need beside the survivors is the problem's own."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float
from numpy.typing import ArrayLike

from tensorrvea.checks import check_array, check_choice
from tensorrvea.metrics import device, utility_weights
from tensorrvea.problem import Problem
from tensorrvea.runs.fingerprint import fingerprint

HYPERVOLUME = "hypervolume"
FRONT_POINTS = 1000
SAMPLES = 10_000


def standard_metrics(
    names: Sequence[str], problem: Problem, reference: ArrayLike | None = None
) -> dict[str, Callable[..., Any]]:
    """Functions for ``metrics=`` by their names, one of ``STANDARD``.

    ``reference`` is the point up to which hypervolume is measured, in the user's own signs; the problem's by default.
    """
    made = {name: STANDARD[check_choice("metrics", name, tuple(STANDARD))] for name in names}
    if reference is not None:
        if HYPERVOLUME not in made:
            raise ValueError(f"reference goes with the metric {HYPERVOLUME}, got metrics {', '.join(names) or 'none'}")
        made[HYPERVOLUME] = partial(_hypervolume_up_to, reference=reference)
    return {name: make(problem) for name, make in made.items()}


def describe_metric(name: str, metric: Callable[..., Any], problem: Problem) -> Any:
    """As JSON: ``"standard"`` if it is ours, with its reference point if one was given, else a hash."""
    source = fingerprint(metric)
    if name in STANDARD:
        with suppress(ValueError):  # the problem does not have what ours needs
            if fingerprint(standard_metrics((name,), problem)[name]) == source:
                return "standard"
    if name == HYPERVOLUME and isinstance(metric, partial) and metric.func is scaled_hypervolume:
        reference = (metric.keywords["corner"] * problem.signs).tolist()
        if fingerprint(_hypervolume_up_to(problem, reference)) == source:
            return {"reference": reference}
    return {"source": source}


def _igd(problem: Problem) -> Callable[..., Any]:
    return partial(device.igd, front=_true_front(problem, "igd"))


def _igd_plus(problem: Problem) -> Callable[..., Any]:
    return partial(device.igd_plus, front=_true_front(problem, "igd_plus"))


def _gd(problem: Problem) -> Callable[..., Any]:
    return partial(device.gd, front=_true_front(problem, "gd"))


def _hypervolume(problem: Problem) -> Callable[..., Any]:
    reference = problem.reference_point()
    if reference is not None:
        return _hypervolume_up_to(problem, reference)
    front = _true_front(problem, HYPERVOLUME)
    ideal, nadir = front.min(axis=0), front.max(axis=0)
    scale: Any = np.where(nadir > ideal, nadir - ideal, 1).astype(np.float32)
    return partial(scaled_hypervolume, ideal=ideal, scale=scale, corner=np.ones_like(ideal))


def _hypervolume_up_to(problem: Problem, reference: ArrayLike) -> Callable[..., Any]:
    point = check_array("reference", reference, shape="(objectives,)", ndim=1)
    if len(point) != problem.objectives:
        raise ValueError(f"reference must have {problem.objectives} entries for this problem, got {len(point)}")
    corner = (point * problem.signs).astype(jnp.result_type(float))
    return partial(scaled_hypervolume, ideal=np.zeros_like(corner), scale=np.ones_like(corner), corner=corner)


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
    HYPERVOLUME: _hypervolume,
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
