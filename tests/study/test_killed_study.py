"""A study that is killed at random moments resumes, and gives the table of one that was not."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPT = """
import sys
import jax.numpy as jnp
import tensorrvea as tr

def plane(x):
    return jnp.stack([x[0], (1 + x[1]) / x[0]])

def wave(x):
    return jnp.stack([x[0] + 0.1 * jnp.cos(9 * x[1]), 1 - x[0] + x[1] ** 2])

problems = [
    tr.Problem(plane, lower=[0.1, 0.0], upper=[1.0, 5.0], objectives=2),
    tr.Problem(wave, lower=[0.0, 0.0], upper=[1.0, 1.0], objectives=2),
    tr.HostProblem(lambda x: (x[0], 1 - x[0] + x[1]), lower=[0.0, 0.0], upper=[1.0, 1.0], objectives=2, name="host"),
]
algorithms = [tr.TensorRVEA(population=20), tr.NSGA2(population=20)]
study = tr.compare(
    problems, algorithms, seeds=4, generations=60, directory=sys.argv[1], checkpoint_seconds=0.0, progress=False
)
print(study.table().markdown())
"""


def start(directory: Path) -> subprocess.Popen:
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, str(directory)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def kill_after(process: subprocess.Popen, directory: Path, changes: int) -> bool:
    """Kill a study after its files have changed this often; return whether it was still running."""
    seen: set = set()
    while process.poll() is None:
        files = frozenset(name for _, _, names in os.walk(directory) for name in names)  # which may vanish meanwhile
        if files not in seen:
            seen.add(files)
            if len(seen) > changes:
                process.kill()
                process.communicate()
                return True
        time.sleep(0.001)
    process.communicate()
    return False


@pytest.mark.slow
def test_a_study_killed_at_five_random_moments_gives_the_same_table(tmp_path):
    expected, errors = start(tmp_path / "whole").communicate()
    assert "average rank" in expected, errors[-2000:]
    rng = random.Random(20)
    killed = [kill_after(start(tmp_path / "killed"), tmp_path / "killed", rng.randint(2, 30)) for _ in range(5)]
    assert all(killed)
    found, errors = start(tmp_path / "killed").communicate()
    assert found == expected, errors[-2000:]
    assert not list((tmp_path / "killed" / "runs").iterdir())
