"""Algorithms. A new one is an import and a name here; exports, command line, manifests, docs and tests follow."""

from tensorrvea.algorithms.agemoea2 import AGEMOEA2
from tensorrvea.algorithms.ccmo import CCMO
from tensorrvea.algorithms.hype import HypE
from tensorrvea.algorithms.ibea import IBEA
from tensorrvea.algorithms.lmocso import LMOCSO
from tensorrvea.algorithms.moead import MOEAD
from tensorrvea.algorithms.nsga2 import NSGA2
from tensorrvea.algorithms.nsga3 import NSGA3
from tensorrvea.algorithms.paper_tensorrvea import PaperTensorRVEA
from tensorrvea.algorithms.random_search import RandomSearch
from tensorrvea.algorithms.rvea import RVEA
from tensorrvea.algorithms.rvea_star import RVEAStar
from tensorrvea.algorithms.smsemoa import SMSEMOA
from tensorrvea.algorithms.spea2 import SPEA2
from tensorrvea.algorithms.tensorrvea import TensorRVEA
from tensorrvea.evolution import Evolution

__all__ = [  # noqa: RUF022 (the order in lists)
    "TensorRVEA", "PaperTensorRVEA", "RVEA", "RVEAStar", "NSGA2", "NSGA3", "AGEMOEA2", "SMSEMOA", "HypE", "MOEAD",
    "IBEA", "SPEA2", "CCMO", "LMOCSO", "RandomSearch",
]  # fmt: skip

ALL: tuple[type[Evolution], ...] = tuple(globals()[name] for name in __all__)
