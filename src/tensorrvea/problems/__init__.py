"""Benchmark problems, each with its true front."""

from tensorrvea.problems.benchmark import Benchmark
from tensorrvea.problems.dtlz import DTLZ1, DTLZ2, DTLZ3, DTLZ4

__all__ = ["DTLZ1", "DTLZ2", "DTLZ3", "DTLZ4", "Benchmark"]
