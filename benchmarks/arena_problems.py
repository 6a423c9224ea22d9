"""The problems, sizes and budgets of the arena: plain data, for our environment and for those of the peers.

Each problem has the name of this library, its sizes, and pymoo's name for it (None if pymoo does not have it).
"""

from typing import NamedTuple

BUDGETS = (10_500, 50_000)
"""Evaluations of a run."""


class Entry(NamedTuple):
    """A problem of the arena."""

    objectives: int
    variables: int
    pymoo: str | None
    is_constrained: bool = False
    budgets: tuple[int, ...] = BUDGETS

    @property
    def population(self) -> int:
        """A simplex lattice: 100 vectors in two objectives, 105 in three."""
        return {2: 100, 3: 105}[self.objectives]


OUR_SEEDS = 15
PEER_SEEDS = 5

PARTIAL = ".partial.npz"
"""How files end that are being written."""

PROBLEMS: dict[str, Entry] = {
    **{f"ZDT{k}": Entry(2, 30 if k <= 3 else 10, f"zdt{k}") for k in (1, 2, 3, 4, 6)},
    **{f"DTLZ{k}": Entry(3, {1: 7, 7: 22}.get(k, 12), f"dtlz{k}") for k in range(1, 8)},
    "C1DTLZ1": Entry(3, 7, "c1dtlz1", is_constrained=True),
    "C2DTLZ2": Entry(3, 12, "c2dtlz2", is_constrained=True),
    "CRE31": Entry(3, 7, "carside", is_constrained=True),
    # pymoo's welded beam has another moment of inertia of the weld than the RE suite's.
    "CRE22": Entry(2, 4, None, is_constrained=True),
    **{f"WFG{k}": Entry(3, 14, f"wfg{k}", budgets=BUDGETS[:1]) for k in range(1, 10)},
    **{f"MaF{k}": Entry(3, 12, None, budgets=BUDGETS[:1]) for k in range(1, 6)},
}


def sizes(name: str, entry: Entry) -> dict[str, int]:
    """Return the arguments of this library's problem class."""
    if name.startswith("CRE"):
        return {}
    return {"variables": entry.variables} | ({} if name.startswith("ZDT") else {"objectives": entry.objectives})
