"""Operators. A new one is an import and a name here; exports, command line, manifests, docs and tests follow."""

from tensorrvea.operators.base import Variation
from tensorrvea.operators.cso import CSO
from tensorrvea.operators.de import DE
from tensorrvea.operators.ga import GA
from tensorrvea.operators.lines import Lines
from tensorrvea.operators.polynomial import PolynomialMutation
from tensorrvea.operators.pso import PSO
from tensorrvea.operators.random import Random
from tensorrvea.operators.sbx import SBX
from tensorrvea.operators.two_stage_cso import TwoStageCSO

__all__ = [  # noqa: RUF022 (the order in lists)
    "GA", "DE", "PSO", "CSO", "TwoStageCSO", "Lines", "Random", "SBX", "PolynomialMutation",
]  # fmt: skip

ALL: tuple[type, ...] = tuple(globals()[name] for name in __all__)
VARIATIONS: tuple[type[Variation], ...] = tuple(cls for cls in ALL if issubclass(cls, Variation))
"""What an algorithm takes as ``variation=``."""
