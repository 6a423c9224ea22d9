"""Problems of other libraries, as problems here. What they need is imported when one is made."""

from tensorrvea.adapters.mo_gymnasium import MOGymnasium
from tensorrvea.adapters.pymoo import from_pymoo

__all__ = ["MOGymnasium", "from_pymoo"]
