"""Seeds distributed over the cores of a CPU, each of which is a JAX device."""

import os
import subprocess
import sys

import pytest
from sizes import QUICK_FLAGS

import tensorrvea as tr

CHILD = """
import numpy as np
import tensorrvea as tr
import jax

problem, algorithm = tr.problems.ZDT1(variables=5), tr.TensorRVEA(population=8)
divided = tr.replicate(problem, algorithm, generations=2, seeds=range(3), devices="cores")
assert len(jax.devices()) == {cores}, jax.devices()
for run, alone in zip(divided, tr.replicate(problem, algorithm, generations=2, seeds=range(3)), strict=True):
    np.testing.assert_allclose(run.X, alone.X, rtol=1e-5)
"""


def cores() -> int:
    return len(os.sched_getaffinity(0))


@pytest.mark.slow
def test_seeds_distributed_over_cores_give_the_same_results():
    child = [sys.executable, "-c", CHILD.format(cores=cores())]
    environment = os.environ | {"XLA_FLAGS": QUICK_FLAGS}
    done = subprocess.run(child, capture_output=True, text=True, timeout=300, check=False, env=environment)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(cores() == 1, reason="one core is one device at any time")
def test_requesting_cores_after_jax_has_started_is_explained():
    problem = tr.problems.ZDT1(variables=5)
    tr.optimize(problem, tr.RandomSearch(population=8), generations=1)
    with pytest.raises(ValueError, match=r"devices='cores' must come before JAX is used.*jax_num_cpu_devices"):
        tr.replicate(problem, tr.RandomSearch(population=8), generations=1, seeds=range(3), devices="cores")
