"""Operators: how offspring are bred. Every algorithm takes any of ``VARIATIONS``.

``ALL`` is the one list of operators: the command line, manifests, docs and tests follow from it.
"""

from tensorrvea.operators.base import Variation
from tensorrvea.operators.cso import CSO
from tensorrvea.operators.de import DE
from tensorrvea.operators.ga import GA
from tensorrvea.operators.polynomial import PolynomialMutation
from tensorrvea.operators.pso import PSO
from tensorrvea.operators.random import Random
from tensorrvea.operators.sbx import SBX

VARIATIONS: tuple[type[Variation], ...] = (GA, DE, PSO, CSO, Random)
ALL: tuple[type, ...] = (*VARIATIONS, SBX, PolynomialMutation)

__all__ = ["ALL", "CSO", "DE", "GA", "PSO", "SBX", "VARIATIONS", "PolynomialMutation", "Random", "Variation"]
