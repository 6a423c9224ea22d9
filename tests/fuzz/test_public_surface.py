"""Everything public, called with hostile values, refuses them with an error of its own or accepts what can be meant."""

import multiprocessing
from importlib import import_module

import hostile_values
import public_surface
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

# The parts that are surveyed to the end with nothing wrong; the scripts survey all others, too.
PARTS = [
    "stop.",
    "decision.normalise",
    "decision.best_by_weights",
    "decision.knee",
    "decision.spread",
    "metrics.",
    "runs.",
    "Result.",
]


def wrong_outcomes(survey: str, part: str) -> tuple[int, list[str]]:
    module = import_module(survey)
    outcomes = module.survey(part)
    return len(outcomes), [" ".join(one) for one in outcomes if one.kind in public_surface.WRONG]


def assert_nothing_wrong(survey: str, part: str) -> int:
    """Survey in a process of its own, whose memory is limited, and return the number of calls."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        count, wrong = pool.apply(wrong_outcomes, (survey, part))
    assert count > 100
    assert not wrong, "\n".join(wrong[:20])
    return count


@pytest.mark.parametrize("part", PARTS)
def test_hostile_values_are_refused_by_the_library_itself(part, record_property):
    count = assert_nothing_wrong("public_surface", part)
    record_property("calls of public functions with a hostile value, 0 raw errors", count)


def test_there_are_a_hundred_hostile_values_and_words():
    assert len(hostile_values.hostile_values()) >= 100
    assert len(set(hostile_values.WORDS)) >= 100
