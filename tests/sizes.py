"""One problem and one size for all tests of runs, so that they share what was compiled."""

import tensorrvea as tr

# Options that compile in a third of the time; what is compiled is slower, and rounds in its own way.
QUICKLY = {
    "xla_cpu_use_fusion_emitters": False,
    "xla_backend_optimization_level": 0,
    "xla_llvm_disable_expensive_passes": True,
}
# The same for XLA_FLAGS of another process; at level 1, sums do not depend on how many devices rows are divided over.
QUICK_FLAGS = (
    "--xla_backend_optimization_level=1 --xla_llvm_disable_expensive_passes --xla_cpu_use_fusion_emitters=false"
)

POPULATION = 28  # a lattice of six divisions
GENERATIONS = 20


def problem() -> tr.Problem:
    """Made anew at each call: equal problems share what was compiled."""
    return tr.problems.DTLZ2(objectives=3, variables=7)


def algorithm(**settings) -> tr.TensorRVEA:
    return tr.TensorRVEA(population=POPULATION, **settings)
