"""Problems that are not JAX: any Python function, evaluated on the host."""

from tensorrvea.host.problem import HostProblem

__all__ = ["HostProblem"]
