"""Seeds over the cores of a CPU, each of which JAX takes for a device."""

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
def test_seeds_over_all_cores_find_the_same():
    child = [sys.executable, "-c", CHILD.format(cores=cores())]
    environment = os.environ | {"XLA_FLAGS": QUICK_FLAGS}
    done = subprocess.run(child, capture_output=True, text=True, timeout=300, check=False, env=environment)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(cores() == 1, reason="one core is one device at any time")
def test_too_late_is_said_with_the_remedy():
    problem = tr.problems.ZDT1(variables=5)
    tr.optimize(problem, tr.RandomSearch(population=8), generations=1)
    with pytest.raises(ValueError, match=r"devices='cores' comes too late.*jax_num_cpu_devices"):
        tr.replicate(problem, tr.RandomSearch(population=8), generations=1, seeds=range(3), devices="cores")
