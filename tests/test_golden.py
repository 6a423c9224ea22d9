"""The bits of a few runs stay what they were, unless a change is meant to alter them."""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pinned(package: str) -> str:
    lines = (HERE.parent / "requirements" / "pinned.txt").read_text().splitlines()
    return next(line.partition("==")[2] for line in lines if line.startswith(f"{package}=="))


@pytest.mark.slow
@pytest.mark.skipif(version("jaxlib") != pinned("jaxlib"), reason="another version of XLA may round differently")
def test_the_digests_of_golden_runs_are_as_recorded():
    """To record them anew: XLA_FLAGS=--xla_cpu_max_isa=AVX2 python tests/golden_runs.py > tests/golden_digests.txt"""
    # One instruction set for all processors; without the tests' cache, which holds programs for another.
    fixed = {"XLA_FLAGS": "--xla_cpu_max_isa=AVX2", "JAX_ENABLE_COMPILATION_CACHE": "false"}
    command = [sys.executable, str(HERE / "golden_runs.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | fixed)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == (HERE / "golden_digests.txt").read_text().splitlines()
