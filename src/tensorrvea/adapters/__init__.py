"""Adapters for problems of other libraries, which are imported only when a problem is made."""

from tensorrvea.adapters.mo_gymnasium import MOGymnasium
from tensorrvea.adapters.playground import Playground
from tensorrvea.adapters.pymoo import from_pymoo

__all__ = ["MOGymnasium", "Playground", "from_pymoo"]
