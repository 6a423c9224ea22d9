"""Evolutionary multiobjective optimisation as one compiled tensor program."""

from tensorrvea import metrics, problems, reference_vectors, stop
from tensorrvea.algorithms import NSGA2, RVEA, RandomSearch, TensorRVEA
from tensorrvea.api import load, optimize, replicate, resume
from tensorrvea.evolution import Clock, Evolution, Selection
from tensorrvea.host import HostProblem
from tensorrvea.memory import estimate_memory
from tensorrvea.operators import CSO, DE, GA, PSO, SBX, PolynomialMutation, Random
from tensorrvea.population import Pool
from tensorrvea.problem import Problem
from tensorrvea.processes import distributed
from tensorrvea.result import Result
from tensorrvea.selection.dominance import nondominated, ranks

__all__ = [
    "CSO",
    "DE",
    "GA",
    "NSGA2",
    "PSO",
    "RVEA",
    "SBX",
    "Clock",
    "Evolution",
    "HostProblem",
    "PolynomialMutation",
    "Pool",
    "Problem",
    "Random",
    "RandomSearch",
    "Result",
    "Selection",
    "TensorRVEA",
    "distributed",
    "estimate_memory",
    "load",
    "metrics",
    "nondominated",
    "optimize",
    "problems",
    "ranks",
    "reference_vectors",
    "replicate",
    "resume",
    "stop",
]
__version__ = "0.1.0"
