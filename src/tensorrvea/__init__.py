"""Evolutionary multiobjective optimisation as one compiled tensor program."""

# ruff: noqa: E402
import gc

# Importing leaves no garbage, and each collection would walk all of JAX's modules.
_collects = gc.isenabled()
gc.disable()

from tensorrvea import algorithms, callbacks, metrics, operators, problems, reference_vectors, stop
from tensorrvea.algorithms import *  # noqa: F403 (its __all__ is the list of algorithms)
from tensorrvea.algorithms.default import default_algorithm
from tensorrvea.api import load, optimize, replicate, resume
from tensorrvea.constraints import ConstraintRule
from tensorrvea.evolution import Clock, Evolution, Selection
from tensorrvea.host import HostProblem
from tensorrvea.memory import estimate_memory
from tensorrvea.merge import merge
from tensorrvea.operators import *  # noqa: F403 (its __all__ is the list of operators)
from tensorrvea.population import Pool
from tensorrvea.problem import Problem
from tensorrvea.processes import distributed
from tensorrvea.result import Result
from tensorrvea.runs.registry import register
from tensorrvea.selection.dominance import nondominated, ranks
from tensorrvea.study import Indicator, Study, Sweep, compare, study_from_fronts, sweep

if _collects:
    gc.enable()

__all__ = [
    "Clock",
    "ConstraintRule",
    "Evolution",
    "HostProblem",
    "Indicator",
    "Pool",
    "Problem",
    "Result",
    "Selection",
    "Study",
    "Sweep",
    "algorithms",
    "callbacks",
    "compare",
    "default_algorithm",
    "distributed",
    "estimate_memory",
    "load",
    "merge",
    "metrics",
    "nondominated",
    "operators",
    "optimize",
    "problems",
    "ranks",
    "reference_vectors",
    "register",
    "replicate",
    "resume",
    "stop",
    "study_from_fronts",
    "sweep",
]
__all__ += algorithms.__all__
__all__ += operators.__all__
__version__ = "0.2.0"


def __dir__() -> list[str]:
    """Show only what is public, as completion in a shell does."""
    return sorted([*__all__, "__version__", "__doc__"])
