"""One problem and one size for all tests of runs, so that they share compiled programs."""

import tensorrvea as tr

# Options that compile in a third of the time; the programs are slower, and round differently.
QUICKLY = {
    "xla_cpu_use_fusion_emitters": False,
    "xla_backend_optimization_level": 0,
    "xla_llvm_disable_expensive_passes": True,
}
# The same as XLA_FLAGS of a subprocess; at level 1, sums do not depend on the number of devices.
QUICK_FLAGS = (
    "--xla_backend_optimization_level=1 --xla_llvm_disable_expensive_passes --xla_cpu_use_fusion_emitters=false"
)

POPULATION = 28  # a lattice of six divisions
GENERATIONS = 20


def problem() -> tr.Problem:
    """Return a new problem at each call: equal problems share compiled programs."""
    return tr.problems.DTLZ2(objectives=3, variables=7)


def algorithm(**settings) -> tr.TensorRVEA:
    return tr.TensorRVEA(population=POPULATION, **settings)
