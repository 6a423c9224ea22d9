"""Which kind of device code is traced for, where CPUs and accelerators want different code.

A CPU wants little work. An accelerator wants few kernels, since each takes microseconds to start whatever it computes,
and no loop or branch that depends on data, since the host has to wait for it. Code that differs asks
``on_accelerator`` while it is traced. Its two forms compute the same, but for what their docstrings say.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

import jax
from jax import lax
from jaxtyping import Array, Bool

T = TypeVar("T")

_target: ContextVar[str | None] = ContextVar("target", default=None)


def target_platform() -> str:
    """Return the platform that code is traced for, such as ``"cpu"``: that of JAX's default device, unless chosen."""
    chosen = _target.get() or jax.config.values["jax_default_device"]
    return jax.default_backend() if chosen is None else getattr(chosen, "platform", chosen)


@contextmanager
def compile_for(platform: str) -> Iterator[None]:
    """Trace code for another platform than that of the default device, to compile it ahead of time.

    >>> with compile_for("cuda"):
    ...     on_accelerator()
    True
    """
    token = _target.set(platform)
    try:
        yield
    finally:
        _target.reset(token)


def on_accelerator() -> bool:
    """Return whether code is traced for a GPU or TPU."""
    return target_platform() != "cpu"


def run_if(flag: Bool[Array, ""], function: Callable[[T], T], state: T) -> T:
    """Return ``function(state)`` if the flag is set, and the state as it is otherwise.

    On an accelerator this is a loop of at most one step: XLA copies whatever goes through a branch, and through a loop
    only what that changes.

    >>> import jax.numpy as jnp
    >>> run_if(jnp.array(True), lambda x: x + 1, jnp.array(1)).item()
    2
    """
    if not on_accelerator():
        return lax.cond(flag, function, lambda state: state, state)
    return lax.while_loop(lambda now: now[0], lambda now: (~flag, function(now[1])), (flag, state))[1]
