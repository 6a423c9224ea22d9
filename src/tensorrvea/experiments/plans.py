"""The paper's four experiments as data, at several scales.

``smoke`` is a quick check of under two minutes; ``cpu`` takes less than an hour on two cores; ``large``, of the two
experiments on robots, takes one to two hours on two cores and has enough runs for a statistical test;
``paper`` has the sizes, repetitions and time budgets of the supplement, for a GPU.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from tensorrvea.algorithms import PaperTensorRVEA
from tensorrvea.evolution import Evolution
from tensorrvea.runs.registry import ALGORITHMS, VARIATIONS

SCALES = ("smoke", "cpu", "large", "paper")


@dataclass(frozen=True, kw_only=True)
class Acceleration:
    """Time per generation on DTLZ1, m = 3. Series 1 varies the population size, series 2 the dimension."""

    populations: tuple[int, ...]
    dimensions: tuple[int, ...]
    repetitions: int
    generations: int = 100
    max_seconds: float = 1e9
    """Limit of a repetition, which has fewer generations if it would take longer."""
    dimension: int = 100
    population: int = 100


@dataclass(frozen=True, kw_only=True)
class Numerical:
    """IGD and HV of RVEA and TensorRVEA, over time and over generations."""

    problems: tuple[str, ...]
    repetitions: int
    seconds: float = 0.09
    generations: int = 100
    population: int = 105


@dataclass(frozen=True, kw_only=True)
class Robots:
    """HV and EU on robot tasks. ``tasks`` maps a task to its budget in seconds, unless ``generations`` is given."""

    tasks: Mapping[str, float]
    repetitions: int
    population: int
    algorithms: tuple[str, ...]
    generations: int | None = None
    steps: int | None = None
    """Maximum length of an episode; the task's own if None."""
    ours: str = "TensorRVEA"
    references: str = "neuroevolution"
    samples: int = 100
    """Number of generations at which the curves are evaluated."""


CLASS_NAMES = {"TensorRVEA": "PaperTensorRVEA", "NSGA-II": "NSGA2", "Random search": "RandomSearch"}
HOPPERS = {"MoHopper-m2": 0.0, "MoHopper-m3": 0.0}
DTLZ = ("DTLZ1", "DTLZ2", "DTLZ3", "DTLZ4")
# The plans of one experiment have these settings in common.
double_sizes = partial(
    Acceleration, populations=tuple(2**k for k in range(5, 15)), dimensions=tuple(2**k for k in range(9, 19))
)
compare_algorithms = partial(Robots, algorithms=("TensorRVEA", "NSGA-II", "Random search"))
compare_operators = partial(
    Robots, algorithms=("CSO", "GA", "DE", "PSO", "Random"), ours="CSO", references="extensibility"
)
SMOKE: dict[str, Any] = {
    "tasks": {"MoHopper-m2": 0.0}, "generations": 2, "repetitions": 2, "population": 10, "steps": 20
}  # fmt: skip
LARGE: dict[str, Any] = {"tasks": {"MoHopper-m2": 0.0}, "generations": 100, "repetitions": 6, "population": 300}

PLANS: dict[str, dict[str, Acceleration | Numerical | Robots]] = {
    "acceleration": {
        "smoke": Acceleration(populations=(32, 64), dimensions=(512,), repetitions=2, generations=5),
        "cpu": double_sizes(repetitions=3, max_seconds=10.0),
        "paper": double_sizes(repetitions=10),
    },
    "numerical": {
        "smoke": Numerical(problems=("DTLZ2",), repetitions=3, seconds=0.02, generations=10),
        "cpu": Numerical(problems=DTLZ, repetitions=31),
        "paper": Numerical(problems=DTLZ, repetitions=31),
    },
    "neuroevolution": {
        "smoke": compare_algorithms(**SMOKE),
        "cpu": compare_algorithms(
            tasks={"MoHalfCheetah": 40.0, "MoHopper-m2": 20.0, "MoSwimmer": 40.0, "MoHopper-m3": 20.0},
            repetitions=6,
            population=105,
        ),
        "large": compare_algorithms(**LARGE),
        "paper": compare_algorithms(
            tasks={"MoHalfCheetah": 15000.0, "MoHopper-m2": 400.0, "MoSwimmer": 800.0, "MoHopper-m3": 400.0},
            repetitions=10,
            population=10_000,
        ),
    },
    "extensibility": {
        "smoke": compare_operators(**SMOKE),
        "cpu": compare_operators(tasks=HOPPERS, generations=60, repetitions=3, population=105),
        "large": compare_operators(**LARGE),
        "paper": compare_operators(tasks=HOPPERS, generations=100, repetitions=10, population=10_000),
    },
}


def make_algorithm(label: str, population: int) -> Evolution:
    """Create an algorithm from its label in the figures; the label of a variation stands for TensorRVEA with it."""
    if label in VARIATIONS:
        return PaperTensorRVEA(population=population, variation=VARIATIONS[label]())
    return ALGORITHMS[CLASS_NAMES.get(label, label)](population=population)
