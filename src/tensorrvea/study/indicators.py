"""Indicators of the quality of a front, by name: what a study measures."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from tensorrvea import metrics
from tensorrvea.checks import as_tuple, check_callable, check_choice, check_flag, check_text, shown
from tensorrvea.study.references import Reference


@dataclass(frozen=True, kw_only=True)
class Indicator:
    """A number that says how good a front is.

    Args:
      name: the title of its column.
      function: of the objectives ``F`` (k, m), in the user's signs and never empty, and of the ``Reference``.
      larger_is_better: whether larger numbers are better.
      empty: the value of a run that found no feasible solution.

    >>> Indicator(name="size", function=lambda F, reference: len(F), larger_is_better=True, empty=0.0).name
    'size'
    """

    name: str
    function: Callable[[Float[np.ndarray, "k m"], Reference], Any]
    larger_is_better: bool
    empty: float

    def __post_init__(self) -> None:
        check_text("name", self.name)
        check_callable("function", self.function, takes="a function of F and of the Reference")
        check_flag("larger_is_better", self.larger_is_better)
        is_number = isinstance(self.empty, int | float | np.number) and not isinstance(self.empty, bool)
        if not is_number or self.empty != self.empty:
            raise TypeError(f"empty takes a number, which may be infinite, got {shown(self.empty)}")

    def __call__(self, F: Float[np.ndarray, "k m"], reference: Reference) -> float:
        return float(self.empty if len(F) == 0 or reference.front is None else self.function(F, reference))


def _distance(name: str, function: Callable[..., float]) -> Indicator:
    def scaled(F: Float[np.ndarray, "k m"], reference: Reference) -> float:
        return function(F / reference.unit, reference.front / reference.unit, reference.directions)

    return Indicator(name=name, function=scaled, larger_is_better=False, empty=np.inf)


INDICATORS = {
    indicator.name: indicator
    for indicator in (
        _distance("igd", metrics.igd),
        _distance("igd_plus", metrics.igd_plus),
        _distance("gd", metrics.gd),
        Indicator(
            name="hypervolume",
            function=lambda F, reference: metrics.hypervolume(reference.scaled(F), reference.corner),
            larger_is_better=True,
            empty=0.0,
        ),
        Indicator(
            name="expected_utility",
            function=lambda F, reference: metrics.expected_utility(F, reference.directions),
            larger_is_better=True,
            empty=-np.inf,
        ),
        Indicator(
            name="spacing",
            function=lambda F, _: metrics.spacing(F) if len(F) > 1 else 0.0,
            larger_is_better=False,
            empty=np.inf,
        ),
    )
}


def as_indicators(given: str | Indicator | Iterable[str | Indicator]) -> dict[str, Indicator]:
    """Return indicators by name, from names and indicators of the user's own."""
    each = (given,) if isinstance(given, str | Indicator) else as_tuple(given)
    if not each:
        raise TypeError(f"metrics takes names such as ('igd', 'hypervolume'), or Indicators, got {shown(given)}")
    found = {}
    for one in each:
        indicator = one if isinstance(one, Indicator) else INDICATORS[check_choice("metrics", one, tuple(INDICATORS))]
        found[indicator.name] = indicator
    return found
