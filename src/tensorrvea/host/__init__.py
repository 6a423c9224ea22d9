"""Problems that are not JAX: any Python function, evaluated on the host."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensorrvea.host.problem import HostProblem

__all__ = ["HostProblem"]


def __getattr__(name: str) -> Any:
    """Imported when asked for: a worker process needs ``tensorrvea.host.worker`` alone, and so no JAX."""
    if name == "HostProblem":
        from tensorrvea.host.problem import HostProblem

        return HostProblem
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
