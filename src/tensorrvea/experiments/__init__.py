"""The paper's four experiments as data, what is measured of them, and how it is shown."""

from tensorrvea.experiments.page import write_page
from tensorrvea.experiments.plans import PLANS, SCALES
from tensorrvea.experiments.reproduce import EXPERIMENTS, reproduce

__all__ = ["EXPERIMENTS", "PLANS", "SCALES", "reproduce", "write_page"]
