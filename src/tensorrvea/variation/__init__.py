"""How offspring are bred. Every algorithm takes any of these."""

from tensorrvea.variation.base import Variation
from tensorrvea.variation.cso import CSO
from tensorrvea.variation.de import DE
from tensorrvea.variation.ga import GA
from tensorrvea.variation.polynomial import PolynomialMutation
from tensorrvea.variation.pso import PSO
from tensorrvea.variation.random import Random
from tensorrvea.variation.sbx import SBX

__all__ = ["CSO", "DE", "GA", "PSO", "SBX", "PolynomialMutation", "Random", "Variation"]
