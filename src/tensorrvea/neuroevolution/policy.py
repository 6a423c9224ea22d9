"""Policies: small networks whose weights are one flat vector, so that evolution can breed them."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Float

from tensorrvea.checks import check_integer


@dataclass(frozen=True, kw_only=True)
class MLP:
    """A multilayer perceptron with tanh after every layer, the last one included: actions are in (-1, 1).

    The flat vector holds each layer's matrix, row by row (inputs × outputs), and then its bias.

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

    def __post_init__(self) -> None:
        check_integer("inputs", self.inputs, minimum=1)
        check_integer("outputs", self.outputs, minimum=1)
        if isinstance(self.hidden, str) or not hasattr(self.hidden, "__iter__"):
            raise TypeError(f"hidden takes the sizes of the hidden layers, such as (16,), got {self.hidden!r}")
        object.__setattr__(
            self, "hidden", tuple(check_integer("each size in hidden", size, minimum=1) for size in self.hidden)
        )

    @property
    def layers(self) -> tuple[tuple[int, int], ...]:
        """Inputs and outputs of each layer."""
        return tuple(pairwise((self.inputs, *self.hidden, self.outputs)))

    @property
    def size(self) -> int:
        """How many weights and biases there are: the number of decision variables."""
        return sum((inputs + 1) * outputs for inputs, outputs in self.layers)

    def unpack(self, x: Float[Any, "*batch d"]) -> list[tuple[Any, Any]]:
        """Each layer's weights (…, inputs, outputs) and biases (…, outputs)."""
        x, parts, at = self.check_columns(x), [], 0
        for inputs, outputs in self.layers:
            weights = x[..., at : at + inputs * outputs].reshape(*x.shape[:-1], inputs, outputs)
            at += inputs * outputs
            parts.append((weights, x[..., at : at + outputs]))
            at += outputs
        return parts

    def apply(self, x: Float[Any, "*batch d"], observation: Float[Any, "*batch i"]) -> Float[Any, "*batch o"]:
        """Actions of a batch of policies, each for its own observation; NumPy or JAX, as the arrays are."""
        return forward(self.unpack(x), observation)

    def load(self, x: Any) -> Callable[[Any], Any]:
        """The policy with weights ``x``: a function of one observation, or of many as rows."""
        if np.shape(x) != (self.size,):
            raise ValueError(f"x must have shape ({self.size},), {self._described}, got {np.shape(x)}")
        layers = self.unpack(x if hasattr(x, "reshape") else np.asarray(x, float))

        def act(observation: Any) -> Any:
            if np.shape(observation)[-1:] != (self.inputs,):
                raise ValueError(f"observation must end in {self.inputs} numbers, got shape {np.shape(observation)}")
            return forward(layers, observation if hasattr(observation, "shape") else np.asarray(observation, float))

        return act

    def check_columns(self, x: Any) -> Any:
        """Policies as rows, if each has all its weights."""
        if np.shape(x)[-1:] != (self.size,):
            raise ValueError(f"x must have {self.size} columns, {self._described}, got shape {np.shape(x)}")
        return x

    @property
    def _described(self) -> str:
        return f"the weights of {' → '.join(map(str, (self.inputs, *self.hidden, self.outputs)))}"


def forward(layers: list[tuple[Any, Any]], signal: Any) -> Any:
    """The signal through every layer."""
    for weights, bias in layers:
        xp = weights.__array_namespace__()
        signal = xp.tanh(xp.matmul(signal[..., None, :], weights)[..., 0, :] + bias)
    return signal
