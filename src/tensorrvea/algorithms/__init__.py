"""Algorithms: ``init``, ``ask`` and ``tell``, pure functions over a state of rows."""

from tensorrvea.algorithms.base import Algorithm
from tensorrvea.algorithms.rvea import RVEA
from tensorrvea.algorithms.tensorrvea import TensorRVEA

__all__ = ["RVEA", "Algorithm", "TensorRVEA"]
