"""Policies as plain arrays, or as a Python file that needs NumPy alone."""

from pathlib import Path
from typing import Any

import numpy as np

from tensorrvea.neuroevolution.policy import MLP

SUFFIXES = (".npz", ".py")
NAMES = ("weights", "bias")  # of the parts of a layer
MODULE = '''"""{title}

``act`` maps an observation ({inputs} numbers, or several as rows) to {outputs} actions in (-1, 1);
``control`` scales them to the ranges of the actuators.
"""

import numpy as np

LAYERS = [
{layers}
]
MIDDLE, REACH = np.array({middle}), np.array({reach})


def act(observation):
    signal = np.asarray(observation, float)
    for weights, bias in LAYERS[:-1]:
        signal = {activation}
    weights, bias = LAYERS[-1]
    return np.tanh(signal @ weights + bias)


def control(observation):
    return MIDDLE + REACH * act(observation)
'''
EXPRESSIONS = {
    "tanh": "np.tanh(signal @ weights + bias)",
    "relu": "np.maximum(signal @ weights + bias, 0)",
    "sigmoid": "(np.tanh((signal @ weights + bias) / 2) + 1) / 2",
}


def policy_arrays(policy: MLP, x: np.ndarray, control: tuple[np.ndarray, np.ndarray] | None) -> dict[str, np.ndarray]:
    """Matrix (inputs × outputs) and bias of each layer, and the middle and half width of the actuators' ranges.

    Normalised observations are part of the first layer.
    """
    middle, reach = control or (np.zeros(policy.outputs), np.ones(policy.outputs))
    layers = policy.unpack(np.asarray(x, np.float64))
    numbered = {f"{name}_{i}": part for i, layer in enumerate(layers) for name, part in zip(NAMES, layer, strict=True)}
    return numbered | {"middle": middle, "reach": reach, "activation": np.array(policy.activation)}


def save_policy(path: str | Path, arrays: dict[str, np.ndarray], title: str) -> Path:
    """Write the arrays of a policy as ``.npz``, or as a Python file with a function."""
    target = Path(path)
    if target.suffix not in SUFFIXES:
        raise ValueError(f"path must end in {' or '.join(SUFFIXES)}, got {str(path)!r}")
    if target.suffix == ".npz":
        np.savez(target, **arrays)  # type: ignore[arg-type]
    else:
        target.write_text(_module(arrays, title))
    return target


def _module(arrays: dict[str, np.ndarray], title: str) -> str:
    layers: list[Any] = []
    while f"weights_{len(layers)}" in arrays:
        layers.append(tuple(arrays[f"{name}_{len(layers)}"].tolist() for name in NAMES))
    return MODULE.format(
        title=title,
        inputs=len(layers[0][0]),
        outputs=len(layers[-1][1]),
        layers="\n".join(f"    (np.array({weights}), np.array({bias}))," for weights, bias in layers),
        middle=arrays["middle"].tolist(),
        reach=arrays["reach"].tolist(),
        activation=EXPRESSIONS[str(arrays["activation"])],
    )
