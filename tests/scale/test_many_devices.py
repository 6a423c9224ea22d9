"""The same bits on one device and on many."""

import subprocess
import sys
from pathlib import Path

import pytest

CHILD = Path(__file__).with_name("many_devices.py")
CASES = [
    "TensorRVEA-CSO-constrained",
    pytest.param("TensorRVEA-GA-plain", marks=pytest.mark.slow),
    pytest.param("TensorRVEA-PSO-constrained", marks=pytest.mark.slow),
    pytest.param("TensorRVEA-DE-plain", marks=pytest.mark.slow),
    pytest.param("RVEA-Random-plain", marks=pytest.mark.slow),
    pytest.param("NSGA2-GA-constrained", marks=pytest.mark.slow),
    pytest.param("RandomSearch--constrained", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("case", CASES)
def test_the_number_of_devices_does_not_change_a_bit(case):
    done = subprocess.run([sys.executable, CHILD, case], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split("\n")[:3] == [f"{case} {devices} same" for devices in (2, 3, 8)]
