"""Algorithms: ``init``, ``ask`` and ``tell``, pure functions over a state of rows."""

from tensorrvea.algorithms.base import Algorithm
from tensorrvea.algorithms.nsga2 import NSGA2
from tensorrvea.algorithms.random_search import RandomSearch
from tensorrvea.algorithms.rvea import RVEA
from tensorrvea.algorithms.tensorrvea import TensorRVEA

ALL: tuple[type[Algorithm], ...] = (TensorRVEA, RVEA, NSGA2, RandomSearch)

__all__ = ["ALL", "NSGA2", "RVEA", "Algorithm", "RandomSearch", "TensorRVEA"]
