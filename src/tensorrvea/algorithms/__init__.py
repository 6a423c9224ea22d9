"""Algorithms. ``ALL`` is the one list of them: the command line, manifests, docs and tests follow from it."""

from tensorrvea.algorithms.nsga2 import NSGA2
from tensorrvea.algorithms.random_search import RandomSearch
from tensorrvea.algorithms.rvea import RVEA
from tensorrvea.algorithms.tensorrvea import TensorRVEA
from tensorrvea.evolution import Evolution

ALL: tuple[type[Evolution], ...] = (TensorRVEA, RVEA, NSGA2, RandomSearch)

__all__ = ["ALL", "NSGA2", "RVEA", "RandomSearch", "TensorRVEA"]
