"""Everything public, called with hostile values, refuses them with an error of its own or accepts what can be meant."""

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module

import hostile_values
import public_surface
import pytest

import tensorrvea as tr
from tensorrvea.cli import main as _main  # noqa: F401 (imports the module of that name)

main = sys.modules["tensorrvea.cli.main"]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

# The values for each argument, chosen with a fixed seed, of parts whose calls take long; None for all of them.
PARTS: dict[str, int | None] = {
    "stop.": None,
    "decision.": None,
    "metrics.": None,
    "reference_vectors.": None,
    "callbacks.": None,
    "runs.": None,
    "Result.": None,
    "neuroevolution.": 20,
    "problems.": 6,
}
# Those that run a search, each in a process of its own, and all other names of the package.
SEARCHES = tuple(f"tensorrvea.{name}" for name in ("compare", "optimize", "replicate", "resume", "sweep"))
OTHERS = tuple(f"tensorrvea.{name}" for name in tr.__all__ if f"tensorrvea.{name}" not in SEARCHES)
WORDS_PER_OPTION = 6


def wrong_outcomes(survey: str, part: str | tuple[str, ...], budget: int | None) -> tuple[int, list[str]]:
    outcomes = import_module(survey).survey(part, budget)
    return len(outcomes), [" ".join(one) for one in outcomes if one.kind in public_surface.WRONG]


def assert_nothing_wrong(survey: str, part: str | tuple[str, ...], budget: int | None) -> int:
    """Survey in a process of its own, whose memory is limited, and return the number of calls."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:  # which notices a process that crashes
        count, wrong = pool.submit(wrong_outcomes, survey, part, budget).result()
    assert count >= 10
    assert not wrong, "\n".join(wrong[:20])
    return count


@pytest.mark.parametrize("part", PARTS)
def test_hostile_values_are_refused_by_the_library_itself(part, record_property):
    count = assert_nothing_wrong("public_surface", part, PARTS[part])
    record_property("calls of public functions with a hostile value, 0 raw errors", count)


@pytest.mark.parametrize("part", [*SEARCHES, OTHERS], ids=[*SEARCHES, "others"])
def test_hostile_values_are_refused_by_the_package_itself(part, record_property):
    count = assert_nothing_wrong("public_surface", part, 8)
    record_property("calls of public functions with a hostile value, 0 raw errors", count)


@pytest.mark.parametrize("command", main.COMMANDS)
def test_hostile_words_are_refused_by_every_option_of_the_command_line(command, record_property):
    count = assert_nothing_wrong("command_line", command, WORDS_PER_OPTION)
    record_property("command lines with a hostile word, 0 raw errors", count)


def test_everything_public_is_surveyed():
    surveyed = {name for name, _ in public_surface.public_callables()}
    assert all(name.startswith((*PARTS, *SEARCHES, *OTHERS)) for name in surveyed)
    records = {"Clock", "Evolution", "Pool", "Result", "Selection", "Study", "Sweep"}
    called = {name for name in tr.__all__ if callable(getattr(tr, name))} - records
    assert {f"tensorrvea.{name}" for name in called} <= surveyed


def test_there_are_a_hundred_hostile_values_and_words():
    assert len(hostile_values.hostile_values()) >= 100
    assert len(set(hostile_values.WORDS)) >= 100
