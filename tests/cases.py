"""Every algorithm with every variation it takes, from the lists of the library."""

import dataclasses
from typing import Any

import tensorrvea as tr

ALGORITHMS = {cls.__name__: cls for cls in tr.algorithms.ALL}
VARIATIONS = {cls.__name__: cls() for cls in tr.operators.VARIATIONS}


def takes_variation(algorithm: str) -> bool:
    return any(field.name == "variation" for field in dataclasses.fields(ALGORITHMS[algorithm]))


# Estimates from fewer samples than by default, where these take most of the time.
FASTER = {"HypE": {"samples": 500}, "SMSEMOA": {"lines": 8}}

NAMES = [
    f"{algorithm}-{variation}"
    for algorithm in ALGORITHMS
    for variation in (VARIATIONS if takes_variation(algorithm) else [""])
]
# Each algorithm with its first variation, and the first algorithm with each variation: enough where one part of a
# generation does not depend on the other, and every case takes long.
EACH_PART = [
    name
    for i, name in enumerate(NAMES)
    if name.split("-")[0] == NAMES[0].split("-")[0] or name.split("-")[0] != NAMES[i - 1].split("-")[0]
]
# The same, with two more kinds of variation for others: with a memory and two parents per child, and with leaders.
PAIRS = [name for name in NAMES if name in EACH_PART or name.endswith("-CSO") or name == "NSGA2-PSO"]


def make(name: str, population: int) -> Any:
    """Return the algorithm of a case such as ``"NSGA2-GA"``, or ``"RandomSearch-"`` for one without a variation."""
    algorithm, variation = name.split("-")
    settings = FASTER.get(algorithm, {}) | ({"variation": VARIATIONS[variation]} if variation else {})
    return ALGORITHMS[algorithm](population=population, **settings)
