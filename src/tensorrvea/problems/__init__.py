"""Benchmark problems, each with its true front.

A problem is exported by being in the tuple ``ALL`` of its suite's module, and a suite by its entry in ``SUITES``.
"""

from typing import TYPE_CHECKING, Any

from tensorrvea.checks import hint, shown
from tensorrvea.problems import c_dtlz, cre, das_cmop, dc_dtlz, dtlz, imop, lir_cmop, lsmop, maf, mw, re_suite, wfg, zdt
from tensorrvea.problems.benchmark import Benchmark

SUITES: dict[str, tuple[type[Benchmark], ...]] = {
    "DTLZ": dtlz.ALL,
    "ZDT": zdt.ALL,
    "LSMOP": lsmop.ALL,
    "MaF": maf.ALL,
    "WFG": wfg.ALL,
    "IMOP": imop.ALL,
    "C-DTLZ": c_dtlz.ALL,
    "DC-DTLZ": dc_dtlz.ALL,
    "MW": mw.ALL,
    "LIR-CMOP": lir_cmop.ALL,
    "DAS-CMOP": das_cmop.ALL,
    "RE": re_suite.ALL,
    "CRE": cre.ALL,
}
"""The classes of every suite, by its name."""

NAMED: dict[str, type[Benchmark]] = {problem.__name__: problem for suite in SUITES.values() for problem in suite}
"""Every benchmark problem, by the name of its class."""

globals().update(NAMED)
__all__ = ["NAMED", "SUITES", "Benchmark", "named", *sorted(NAMED)]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """The classes of ``NAMED``, which type checkers cannot see."""


def named(name: str) -> type[Benchmark]:
    """Return the class of a problem by its name, ignoring case, hyphens and underscores.

    >>> named("dtlz2")(objectives=3)
    DTLZ2(objectives=3, variables=12)
    >>> named("DTLS2")
    Traceback (most recent call last):
    ValueError: no problem is named 'DTLS2'; did you mean 'DTLZ2'?
    """
    if not isinstance(name, str):
        raise TypeError(f"name takes the name of a problem, such as 'DTLZ2', got {shown(name)}")
    plain = name.upper().replace("-", "").replace("_", "")
    for known, problem in NAMED.items():
        if known.upper() == plain:
            return problem
    near = hint(plain.replace("MAF", "MaF"), tuple(NAMED))
    raise ValueError(f"no problem is named {shown(name)}{near or '; there are ' + ', '.join(NAMED)}")
