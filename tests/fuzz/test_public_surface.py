"""Everything public, called with hostile values, refuses them with an error of its own or accepts what can be meant."""

import multiprocessing

import pytest

pytestmark = pytest.mark.slow
# Problems of one suite check their sizes alike.
PARTS = ["decision", "stop", "reference_vectors", "metrics", "runs", "problems.ZDT1", "problems.DTLZ2"]


def raw_errors(part: str) -> tuple[int, list[str]]:
    import public_surface

    outcomes = public_surface.survey(part)
    return len(outcomes), [f"{call}: {text}" for kind, call, text in outcomes if kind in ("raw", "slow")]


@pytest.mark.parametrize("part", PARTS)
def test_hostile_values_are_refused_by_the_library_itself(part):
    """In a process of its own, since the survey limits its memory."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        count, raw = pool.apply(raw_errors, (part,))
    assert count > 100
    assert not raw, "\n".join(raw[:20])
