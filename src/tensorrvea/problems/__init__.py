"""Benchmark problems, each with its true front."""

from tensorrvea.checks import hint
from tensorrvea.problems.benchmark import Benchmark
from tensorrvea.problems.constrained import (
    C1DTLZ1,
    C1DTLZ3,
    C2DTLZ2,
    C3DTLZ4,
    DC1DTLZ1,
    DC1DTLZ3,
    DC2DTLZ1,
    DC2DTLZ3,
    DC3DTLZ1,
    DC3DTLZ3,
)
from tensorrvea.problems.dtlz import DTLZ1, DTLZ2, DTLZ3, DTLZ4, DTLZ5, DTLZ6, DTLZ7
from tensorrvea.problems.lsmop import LSMOP1, LSMOP2, LSMOP3, LSMOP4, LSMOP5, LSMOP6, LSMOP7, LSMOP8, LSMOP9
from tensorrvea.problems.maf import MaF1, MaF2, MaF3, MaF4, MaF5, MaF6, MaF7
from tensorrvea.problems.zdt import ZDT1, ZDT2, ZDT3, ZDT4, ZDT6

SUITES: dict[str, tuple[type[Benchmark], ...]] = {
    "DTLZ": (DTLZ1, DTLZ2, DTLZ3, DTLZ4, DTLZ5, DTLZ6, DTLZ7),
    "ZDT": (ZDT1, ZDT2, ZDT3, ZDT4, ZDT6),
    "LSMOP": (LSMOP1, LSMOP2, LSMOP3, LSMOP4, LSMOP5, LSMOP6, LSMOP7, LSMOP8, LSMOP9),
    "MaF": (MaF1, MaF2, MaF3, MaF4, MaF5, MaF6, MaF7),
    "C-DTLZ": (C1DTLZ1, C1DTLZ3, C2DTLZ2, C3DTLZ4),
    "DC-DTLZ": (DC1DTLZ1, DC1DTLZ3, DC2DTLZ1, DC2DTLZ3, DC3DTLZ1, DC3DTLZ3),
}

NAMED: dict[str, type[Benchmark]] = {problem.__name__: problem for suite in SUITES.values() for problem in suite}


def named(name: str) -> type[Benchmark]:
    """The problem of that name; capitals, hyphens and underscores do not matter.

    >>> named("dtlz2")(objectives=3)
    DTLZ2(objectives=3, variables=12)
    >>> named("DTLS2")
    Traceback (most recent call last):
    ValueError: no problem is named 'DTLS2'; did you mean 'DTLZ2'?
    """
    if not isinstance(name, str):
        raise TypeError(f"name takes the name of a problem, such as 'DTLZ2', got {name!r}")
    plain = name.upper().replace("-", "").replace("_", "")
    for known, problem in NAMED.items():
        if known.upper() == plain:
            return problem
    near = hint(plain.replace("MAF", "MaF"), tuple(NAMED))
    raise ValueError(f"no problem is named {name!r}{near or '; there are ' + ', '.join(NAMED)}")


__all__ = ["NAMED", "SUITES", "Benchmark", "named", *sorted(NAMED)]
