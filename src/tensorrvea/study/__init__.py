"""Studies: many runs of several algorithms on several problems, with tables, statistics and figures."""

from tensorrvea.study.compare import compare
from tensorrvea.study.indicators import INDICATORS, Indicator
from tensorrvea.study.references import Reference, make_reference
from tensorrvea.study.study import Study, study_from_fronts
from tensorrvea.study.sweep import Sweep, sweep
from tensorrvea.study.tables import Cell, Table

__all__ = [
    "INDICATORS",
    "Cell",
    "Indicator",
    "Reference",
    "Study",
    "Sweep",
    "Table",
    "compare",
    "make_reference",
    "study_from_fronts",
    "sweep",
]
