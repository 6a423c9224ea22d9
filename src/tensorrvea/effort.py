"""How much the compiler does for a run: a short run should not wait for code that only a long one pays back.

The choice depends only on what was asked for (sizes and budget), never on the clock or on what was compiled before.
So the same call gives the same bits, also where the compilers of two levels round differently.
"""

from typing import Any, NamedTuple

# Up to this much work, in numbers bred and pairs compared, code that is not optimised at all is soonest done.
DRAFT_WORK = 5e6
# From this many generations, or numbers bred, on, the time per generation counts more than that of the compiler.
LONG_GENERATIONS = 5_000
LONG_NUMBERS = 1e8


class Effort(NamedTuple):
    """A level of effort.

    With ``is_fused``, a chunk of generations is one program. It is the fastest, and compiled again for every problem.
    Without it, evaluation and search are two programs that take turns: search is compiled once for all problems of one
    shape, and an edited objective function compiles in a moment. The options are for search; evaluation, of which it is
    not known how long it takes, always has XLA's defaults.
    """

    name: str
    is_fused: bool
    cpu_options: tuple[tuple[str, Any], ...] = ()

    def compiler_options(self, platform: str) -> dict[str, Any]:
        """Return the options of XLA; only those of its CPU compiler are worth choosing."""
        return dict(self.cpu_options) if platform == "cpu" else {}


# XLA's fusion emitters make faster kernels, and take half of the time of the compiler.
DRAFT = Effort("draft", False, (("xla_backend_optimization_level", 0), ("xla_cpu_use_fusion_emitters", False)))
STANDARD = Effort("standard", False, (("xla_cpu_use_fusion_emitters", False),))
# XLA prefers vectors of 256 bits. Where a processor has 512, they shorten the loops of breeding by a third.
FULL = Effort("full", True, (("xla_cpu_prefer_vector_width", 512),))
EFFORTS = {effort.name: effort for effort in (DRAFT, STANDARD, FULL)}


def choose_effort(*, population: int, variables: int, generations: int | None, runs: int = 1) -> Effort:
    """Return the effort for a run. Without a number of generations, the budget is a time, which buys most at full.

    >>> choose_effort(population=105, variables=12, generations=100).name
    'draft'
    >>> choose_effort(population=1000, variables=100, generations=100).name
    'standard'
    >>> choose_effort(population=4096, variables=100, generations=1000).name
    'full'
    """
    if generations is None or generations >= LONG_GENERATIONS:
        return FULL
    if population * variables * generations * runs >= LONG_NUMBERS:
        return FULL
    # Variation works on every variable, selection on pairs of individuals.
    work = population * (variables + population) * generations * runs
    return DRAFT if work <= DRAFT_WORK else STANDARD
