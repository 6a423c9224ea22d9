"""Problems whose functions are not JAX but any Python, evaluated on the host."""

from tensorrvea.host.problem import HostProblem

__all__ = ["HostProblem"]
