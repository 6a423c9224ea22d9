"""The paper's four experiments: plans, measurements, tables, figures and the results page."""

from tensorrvea.experiments.plans import PLANS, SCALES
from tensorrvea.experiments.reproduce import EXPERIMENTS, reproduce
from tensorrvea.experiments.results_page import write_page

__all__ = ["EXPERIMENTS", "PLANS", "SCALES", "reproduce", "write_page"]
