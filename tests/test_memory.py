"""The memory estimate is close to the size of the arrays."""

import jax
import pytest
import sizes

import tensorrvea as tr

N, D = 1000, 1000


def test_the_memory_estimate_is_a_few_populations():
    memory = tr.estimate_memory(tr.problems.DTLZ2(variables=D), tr.TensorRVEA(population=N))
    survivors_and_offspring = (990 + N) * D * 4
    assert survivors_and_offspring <= memory.state < 1.1 * survivors_and_offspring
    # Parents and new survivors exist at the same time; nothing else is as large.
    assert N * D * 4 <= memory.working < 3 * N * D * 4
    assert "MB of state" in str(memory)


@pytest.mark.slow
def test_the_estimate_includes_the_archive_and_allocates_nothing():
    problem, algorithm = sizes.problem(), sizes.algorithm()
    before = len(jax.live_arrays())
    kept = tr.estimate_memory(problem, algorithm, seeds=4, archive=1000)
    assert len(jax.live_arrays()) <= before + 5  # the vectors and keys of the search
    assert kept.state > 4 * 1000 * (problem.variables + problem.objectives) * 4


@pytest.mark.parametrize("seeds", [0, -1, 1.5])
def test_a_wrong_number_of_seeds_is_rejected(seeds):
    with pytest.raises((TypeError, ValueError), match="seeds"):
        tr.estimate_memory(tr.problems.DTLZ2(), tr.TensorRVEA(population=10), seeds=seeds)
