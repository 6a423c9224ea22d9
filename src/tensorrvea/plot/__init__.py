"""Figures for papers: fronts, parallel coordinates, convergence bands, and attainment of many runs.

Every function returns a matplotlib ``Figure`` made without pyplot, so no display is needed and no global state changes.
``save`` writes it as SVG, PDF or PNG.
"""

from tensorrvea.plot.comparison import plot_boxes, plot_heat_map, plot_ranks
from tensorrvea.plot.front import plot_front, plot_parallel
from tensorrvea.plot.runs import attainment, plot_attainment, plot_convergence, summarise
from tensorrvea.plot.style import save

__all__ = [
    "attainment",
    "plot_attainment",
    "plot_boxes",
    "plot_convergence",
    "plot_front",
    "plot_heat_map",
    "plot_parallel",
    "plot_ranks",
    "save",
    "summarise",
]
