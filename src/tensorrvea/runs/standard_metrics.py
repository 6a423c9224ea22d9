"""Metrics by name, for the command line and manifests. Fronts and reference points come from the problem."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float
from numpy.typing import ArrayLike

from tensorrvea.checks import as_tuple, check_array, check_choice, shown
from tensorrvea.fingerprint import fingerprint
from tensorrvea.metrics import device, utility_weights
from tensorrvea.problem import Problem
from tensorrvea.runs.user_problem import source_of

# Names, functions by name, or nothing.
Metrics = str | Sequence[str] | Mapping[str, Callable] | None
HYPERVOLUME = "hypervolume"
# Other names that people use.
ALIASES = {"hv": HYPERVOLUME, "igd+": "igd_plus", "eum": "expected_utility"}
FRONT_POINTS = 1000
SAMPLES = 10_000


def standard_metrics(
    names: Sequence[str], problem: Problem, reference: ArrayLike | None = None
) -> dict[str, Callable[..., Any]]:
    """Create the functions for ``metrics=`` from names in ``STANDARD``.

    Args:
      names: of the metrics.
      problem: whose true front and reference point they use.
      reference: reference point of the hypervolume, in the user's signs; the problem's own by default.

    Returns:
      A function per name.

    Raises:
      ValueError: if a name is unknown, or a metric needs a front or a reference point that is not known.
    """
    if not as_tuple(names) and not isinstance(names, tuple | list):
        raise TypeError(f"names takes names of metrics, such as ('igd',), got {shown(names)}")
    if not isinstance(problem, Problem):
        raise TypeError(f"problem takes a Problem, got {shown(problem)}")
    factories = {name: STANDARD[check_choice("metrics", name, tuple(STANDARD))] for name in as_tuple(names)}
    if reference is not None:
        if HYPERVOLUME not in factories:
            raise ValueError(f"reference needs the metric {HYPERVOLUME}, got metrics {', '.join(names) or 'none'}")
        factories[HYPERVOLUME] = partial(_hypervolume_at, reference=reference)
    return {name: make(problem) for name, make in factories.items()}


def named_metrics(metrics: Metrics, problem: Problem, reference: ArrayLike | None) -> Mapping[str, Callable] | None:
    """Return functions by name for what a user gives as ``metrics=`` and ``reference=``."""
    if metrics is None or isinstance(metrics, Mapping):
        if reference is not None:
            raise ValueError(f"reference needs the metric {HYPERVOLUME} by name, as in metrics=['{HYPERVOLUME}']")
        return metrics
    names = (metrics,) if isinstance(metrics, str) else as_tuple(metrics)
    is_sequence = isinstance(metrics, Sequence) and not isinstance(metrics, bytes | bytearray)
    if not is_sequence or not all(isinstance(name, str) for name in names):
        raise TypeError(f"metrics takes names such as ['igd'], or functions by name, got {shown(metrics)}")
    return standard_metrics(names, problem, reference)


def describe_metric(name: str, metric: Callable[..., Any], problem: Problem) -> Any:
    """Describe a metric as JSON: ``"standard"``, its reference point, or a hash of a user-defined one."""
    source = source_of(metric)
    if name in STANDARD:
        with suppress(ValueError):  # the problem lacks the front that the standard metric needs
            if fingerprint(standard_metrics((name,), problem)[name]) == source:
                return "standard"
    if name == HYPERVOLUME and isinstance(metric, partial) and metric.func is scaled_hypervolume:
        reference = (metric.keywords["corner"] * problem.signs).tolist()
        if fingerprint(_hypervolume_at(problem, reference)) == source:
            return {"reference": reference}
    return {"source": source}


def _relative_to_front(metric: Callable[..., Any]) -> Callable[[Problem], Callable[..., Any]]:
    def distance(
        f: Float[Array, "n m"], alive: Bool[Array, " n"], front: Float[Array, "p m"], units: Float[Array, " m"]
    ) -> Float[Array, ""]:
        """Distance to a front that is in these units."""
        return metric(f / units, alive, front)

    def make(problem: Problem) -> Callable[..., Any]:
        front = _true_front(problem, metric.__name__)
        if problem.has_common_unit:
            return partial(metric, front=front)
        units: Any = problem.distance_units(front).astype(np.float32)
        return partial(distance, front=front / units, units=units)

    return make


def _hypervolume(problem: Problem) -> Callable[..., Any]:
    reference = problem.reference_point()
    if reference is not None:
        return _hypervolume_at(problem, reference)
    front = _true_front(problem, HYPERVOLUME)
    ideal, nadir = front.min(axis=0), front.max(axis=0)
    scale: Any = np.where(nadir > ideal, nadir - ideal, 1).astype(np.float32)
    return partial(scaled_hypervolume, ideal=ideal, scale=scale, corner=np.ones_like(ideal))


def _hypervolume_at(problem: Problem, reference: ArrayLike) -> Callable[..., Any]:
    point = check_array("reference", reference, shape="(objectives,)", ndim=1)
    if len(point) != problem.objectives:
        raise ValueError(f"reference must have {problem.objectives} entries for this problem, got {len(point)}")
    corner = (point * problem.signs).astype(jnp.result_type(float))
    return partial(scaled_hypervolume, ideal=np.zeros_like(corner), scale=np.ones_like(corner), corner=corner)


def _expected_utility(problem: Problem) -> Callable[..., Any]:
    weights: Any = utility_weights(problem.objectives).astype(np.float32)
    return partial(device.expected_utility, weights=weights)


STANDARD: dict[str, Callable[[Problem], Callable[..., Any]]] = {
    "igd": _relative_to_front(device.igd),
    "igd_plus": _relative_to_front(device.igd_plus),
    "gd": _relative_to_front(device.gd),
    HYPERVOLUME: _hypervolume,
    "expected_utility": _expected_utility,
    "spacing": lambda _: device.spacing,
}


def scaled_hypervolume(
    f: Float[Array, "n m"],
    alive: Bool[Array, " n"],
    ideal: Float[Array, " m"],
    scale: Float[Array, " m"],
    corner: Float[Array, " m"],
) -> Float[Array, ""]:
    """Hypervolume of (f − ideal)/scale with reference point ``corner``; estimated for more than three objectives."""
    scaled = (f - ideal) / scale
    if f.shape[1] <= 3:
        return device.hypervolume(scaled, alive, corner)
    return device.hypervolume_estimate(jax.random.key(0), scaled, alive, jnp.asarray(corner), SAMPLES)[0]


def _true_front(problem: Problem, name: str) -> Any:
    front = problem.front(FRONT_POINTS)
    if front is None:
        raise ValueError(f"metrics: {name} needs the true front, which is unknown for {problem.name}")
    return (front * problem.signs).astype(np.float32)
