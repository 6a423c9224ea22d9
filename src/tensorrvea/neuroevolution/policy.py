"""Policies: small networks whose weights are one flat vector of decision variables."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from tensorrvea.checks import MOST_VARIABLES, as_tuple, check_choice, check_flag, check_integer, shown

WEIGHT_BOUND = 8.0
MEAN_BOUND, LOG_DEVIATION_BOUND = 1000.0, 10.0
# Of hidden layers; sigmoid by tanh, which does not overflow.
ACTIVATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "tanh": lambda xp, signal: xp.tanh(signal),
    "relu": lambda xp, signal: xp.maximum(signal, 0),
    "sigmoid": lambda xp, signal: (xp.tanh(signal / 2) + 1) / 2,
}

# Weights (…, inputs, outputs) and biases (…, outputs) of each layer, in NumPy or JAX.
Layers = list[tuple[Any, Any]]


@dataclass(frozen=True, kw_only=True)
class MLP:
    """A multilayer perceptron with tanh after its last layer, so that actions are in (-1, 1).

    Args:
      inputs, outputs: their numbers.
      hidden: sizes of the hidden layers.
      activation: after each hidden layer: ``"tanh"``, ``"relu"`` or ``"sigmoid"``.
      normalized: whether inputs are normalised. The means and the logarithms of the standard deviations of the inputs
        then follow the weights in the flat vector.

    The flat vector holds each layer's matrix by rows (inputs × outputs), followed by its bias.

    >>> policy = MLP(inputs=11, outputs=3)
    >>> policy.size
    243
    >>> act = policy.load(np.zeros(243))
    >>> act(np.ones(11)).tolist()
    [0.0, 0.0, 0.0]
    """

    inputs: int
    outputs: int
    hidden: tuple[int, ...] = (16,)
    activation: str = "tanh"
    normalized: bool = False

    def __post_init__(self) -> None:
        check_integer("inputs", self.inputs, minimum=1, maximum=MOST_VARIABLES)
        check_integer("outputs", self.outputs, minimum=1, maximum=MOST_VARIABLES)
        sizes = as_tuple(self.hidden)
        if not sizes and not isinstance(self.hidden, tuple | list):
            raise TypeError(f"hidden takes the sizes of the hidden layers, such as (16,), got {shown(self.hidden)}")
        object.__setattr__(self, "hidden", tuple(check_integer("each size in hidden", s, minimum=1) for s in sizes))
        check_choice("activation", self.activation, tuple(ACTIVATIONS))
        check_flag("normalized", self.normalized)
        if self.size > MOST_VARIABLES:
            raise ValueError(
                f"inputs, hidden and outputs must make at most {MOST_VARIABLES} weights, got {self.size} from "
                f"{shown((self.inputs, *self.hidden, self.outputs))}"
            )

    @property
    def layers(self) -> tuple[tuple[int, int], ...]:
        """Inputs and outputs of each layer."""
        return tuple(pairwise((self.inputs, *self.hidden, self.outputs)))

    @property
    def weights(self) -> int:
        """The number of weights and biases."""
        return sum((inputs + 1) * outputs for inputs, outputs in self.layers)

    @property
    def size(self) -> int:
        """The length of the flat vector: weights and biases, and two numbers per input if inputs are normalised."""
        return self.weights + 2 * self.inputs * self.normalized

    @property
    def bound(self) -> Float[np.ndarray, " d"]:
        """The largest magnitude of each number in the flat vector."""
        bounds = [(WEIGHT_BOUND, self.weights)]
        if self.normalized:
            bounds += [(MEAN_BOUND, self.inputs), (LOG_DEVIATION_BOUND, self.inputs)]
        return np.concatenate([np.full(count, bound) for bound, count in bounds])

    def unpack(self, x: Float[Any, "*batch d"]) -> Layers:
        """The layers of each row. Normalised inputs are a change of the first layer: (o - μ)/σ W + b."""
        x, parts, start = self.check_columns(x), [], 0
        for inputs, outputs in self.layers:
            weights = x[..., start : start + inputs * outputs].reshape(*x.shape[:-1], inputs, outputs)
            start += inputs * outputs
            parts.append((weights, x[..., start : start + outputs]))
            start += outputs
        if self.normalized:
            mean, log_deviation = x[..., start : start + self.inputs], x[..., start + self.inputs :]
            xp = x.__array_namespace__()
            weights, bias = parts[0]
            weights = weights / xp.exp(log_deviation)[..., None]
            parts[0] = weights, bias - xp.matmul(mean[..., None, :], weights)[..., 0, :]
        return parts

    def apply(self, x: Float[Any, "*batch d"], observation: Float[Any, "*batch i"]) -> Float[Any, "*batch o"]:
        """Actions of a batch of policies, each for its own observation; for NumPy or JAX arrays."""
        return forward(self.unpack(x), observation, self.activation)

    def load(self, x: Any) -> Callable[[Any], Any]:
        """The policy with weights ``x``, as a function of one observation or of several as rows."""
        if np.shape(x) != (self.size,):
            raise ValueError(f"x must have shape ({self.size},), {self._description}, got {np.shape(x)}")
        layers = self.unpack(x if hasattr(x, "reshape") else np.asarray(x, float))

        def act(observation: Any) -> Any:
            if np.shape(observation)[-1:] != (self.inputs,):
                raise ValueError(f"observation must end in {self.inputs} numbers, got shape {np.shape(observation)}")
            observation = observation if hasattr(observation, "shape") else np.asarray(observation, float)
            return forward(layers, observation, self.activation)

        return act

    def check_columns(self, x: Any) -> Any:
        """Return ``x`` after checking that each row has one column per weight."""
        if np.shape(x)[-1:] != (self.size,):
            raise ValueError(f"x must have {self.size} columns, {self._description}, got shape {np.shape(x)}")
        return x

    @property
    def _description(self) -> str:
        return f"the weights of {' → '.join(map(str, (self.inputs, *self.hidden, self.outputs)))}"


@dataclass(frozen=True)
class InitialWeights:
    """Sampler of the first population: weights from N(0, 0.1²), as in the paper; means 0 and deviations 1."""

    policy: MLP

    def __call__(self, key: PRNGKeyArray, n: int) -> Float[Array, "n d"]:
        """Draw the weights of n policies."""
        drawn = 0.1 * jax.random.normal(key, (n, self.policy.weights))
        return jnp.pad(drawn, [(0, 0), (0, self.policy.size - self.policy.weights)])


def forward(layers: Layers, signal: Any, activation: str = "tanh") -> Any:
    """Propagate the signal through all layers."""
    xp = layers[0][0].__array_namespace__()
    last = len(layers) - 1
    for i, (weights, bias) in enumerate(layers):
        signal = xp.matmul(signal[..., None, :], weights)[..., 0, :] + bias
        signal = xp.tanh(signal) if i == last else ACTIVATIONS[activation](xp, signal)
    return signal
