"""Quality of a front: distances to the true front, hypervolume, expected utility, spacing.

These functions take NumPy arrays in the user's signs, given by ``directions``. ``metrics.device`` has the same metrics
for compiled code, where every objective is minimised and a mask selects the rows.
"""

from tensorrvea.metrics import device
from tensorrvea.metrics.distances import gd, igd, igd_plus, spacing
from tensorrvea.metrics.expected_utility import expected_utility, utility_weights
from tensorrvea.metrics.hypervolume import Estimate, hypervolume, hypervolume_estimate, is_exact
from tensorrvea.metrics.reference_points import derived_reference_point, normalise_by_front, normalised_hypervolume

__all__ = [
    "Estimate",
    "derived_reference_point",
    "device",
    "expected_utility",
    "gd",
    "hypervolume",
    "hypervolume_estimate",
    "igd",
    "igd_plus",
    "is_exact",
    "normalise_by_front",
    "normalised_hypervolume",
    "spacing",
    "utility_weights",
]
