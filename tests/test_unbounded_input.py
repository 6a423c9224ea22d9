"""What cannot be shown, or would fill the memory, is refused at once, with an error that names the argument."""

import numpy as np
import pytest

import tensorrvea as tr
from tensorrvea.checks import check_array, shown
from tensorrvea.decision import binding
from tensorrvea.neuroevolution import MLP, RobotProblem, render
from tensorrvea.reference_vectors import around, halton


class Nameless:
    """An object that cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no name")


def nested(depth: int) -> list:
    value: list = []
    for _ in range(depth):
        value = [value]
    return value


UNSHOWN = {"nested lists": nested(5000), "no repr": Nameless(), "digits": 10**5000, "long": [0.5] * 10**6}


@pytest.mark.parametrize("value", UNSHOWN.values(), ids=UNSHOWN)
def test_an_error_shows_at_most_a_line_of_any_value(value):
    assert 0 < len(shown(value)) <= 80
    for call in (
        lambda: check_array("F", value, shape="(points, objectives)", ndim=2),
        lambda: tr.NSGA2(population=value),
        lambda: tr.stop.MetricReached(metric=value, at_most=1.0),
        lambda: tr.load(value),
    ):
        with pytest.raises((TypeError, ValueError)) as raised:
            call()
        assert len(str(raised.value)) < 300


HUGE = 2**31
UNBOUNDED = {
    "objectives": lambda: tr.problems.LSMOP1(objectives=HUGE),
    "variables": lambda: tr.problems.ZDT1(variables=HUGE),
    "subcomponents": lambda: tr.problems.LSMOP1(subcomponents=HUGE),
    "points": lambda: tr.problems.DTLZ2().front(HUGE),
    "dimensions": lambda: halton(3, HUGE),
    "weights": lambda: MLP(inputs=3, outputs=2, hidden=(HUGE, HUGE)),
    "steps": lambda: RobotProblem("MoHopper-m2", backend="mujoco", steps=HUGE),
    "episodes": lambda: RobotProblem("MoHopper-m2", backend="mujoco", episodes=HUGE),
    "lanes": lambda: RobotProblem("MoHopper-m2", backend="mujoco", lanes=HUGE),
    "width": lambda: render(None, "robot.gif", width=HUGE),
}


@pytest.mark.parametrize("name", UNBOUNDED)
def test_sizes_that_no_memory_holds_are_refused_before_anything_is_built(name):
    if name in ("steps", "episodes", "lanes"):
        pytest.importorskip("mujoco")
    with pytest.raises(ValueError, match=f"{name}.*at most|at most.*{name}"):
        UNBOUNDED[name]()


def test_directions_are_checked_where_they_have_no_effect():
    with pytest.raises(ValueError, match="directions"):
        around([1.0, 1.0], 0.2, 3, directions="up")


def test_constraint_values_that_are_nan_bind_nothing_and_are_refused():
    with pytest.raises(ValueError, match=r"G must not be NaN, got .* in row 1"):
        binding([[-1.0, 0.0], [-1.0, np.nan]])


def test_haltons_sequence_has_the_bases_of_the_first_primes():
    # The k-th point of base b is 1/b for k = 1.
    bases = np.rint(1 / halton(1, 25)[0]).astype(int)
    assert bases.tolist() == [n for n in range(2, 100) if all(n % k for k in range(2, n))]
