"""Evolutionary multiobjective optimisation as one compiled tensor program."""

from tensorrvea import problems
from tensorrvea.algorithms import RVEA, TensorRVEA
from tensorrvea.problem import Problem
from tensorrvea.variation import CSO, DE, GA, PSO, SBX, PolynomialMutation, Random

__all__ = [
    "CSO",
    "DE",
    "GA",
    "PSO",
    "RVEA",
    "SBX",
    "PolynomialMutation",
    "Problem",
    "Random",
    "TensorRVEA",
    "problems",
]
__version__ = "0.1.0"
