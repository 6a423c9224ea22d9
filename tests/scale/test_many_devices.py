"""The same bits on one device and on many, and rows that arrive."""

import os
import subprocess
import sys
from pathlib import Path

import cases
import jax
import pytest
from sizes import QUICK_FLAGS

import tensorrvea as tr

HERE = Path(__file__).parent


def run(*words: str, flags: str = "") -> list[str]:
    eight = {"XLA_FLAGS": f"--xla_force_host_platform_device_count=8 {flags}"}
    command = [sys.executable, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE, env=os.environ | eight)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


def test_rows_travel_to_where_they_are_wanted():
    assert run("travelling_rows.py") == ["2 devices", "3 devices", "8 devices"]


@pytest.mark.slow
@pytest.mark.parametrize("case", cases.NAMES)
def test_the_number_of_devices_does_not_change_a_bit(case):
    every = [f"{case} {problem} {devices} same" for devices in (2, 3, 8) for problem in ("plain", "constrained")]
    # PSO once as users compile it: its sums of products gave other bits before they were rounded.
    assert run("many_devices.py", case, flags="" if case == "TensorRVEA-PSO" else QUICK_FLAGS) == every


@pytest.mark.slow
def test_whole_runs_are_the_same_on_many_devices():
    assert run("whole_runs.py", "fronts") == ["fronts same"]  # compiled as users do
    cases = ["resumed", "replicated", "host", "stochastic"]
    assert run("whole_runs.py", *cases, flags=QUICK_FLAGS) == [f"{case} same" for case in cases]


@pytest.mark.slow
def test_a_device_of_eight_needs_a_sixth_of_the_memory_and_nobody_is_sent_all_of_x():
    one, eight, told = map(int, run("compiled_text.py")[0].split())
    assert one > 6 * eight
    # All devices are told some numbers a row; X has 1,000.
    assert told <= 16 * 65_536


@pytest.mark.parametrize(
    ("devices", "error", "message"),
    [
        (0, ValueError, "devices must be 1 to 1"),
        (10**6, ValueError, "as many as there are here, got 1000000"),
        ("all", TypeError, "devices takes a number of devices or a list"),
        ([], TypeError, "devices takes a number of devices or a list"),
        ([1, 2], TypeError, "devices takes a number of devices or a list"),
        (True, TypeError, "devices takes a number of devices or a list"),
    ],
)
def test_devices_that_are_not_there(devices, error, message):
    with pytest.raises(error, match=message):
        tr.optimize(tr.problems.DTLZ2(), tr.TensorRVEA(population=10), generations=1, devices=devices)


def test_one_device_is_one_device():
    from tensorrvea.devices import make_mesh

    assert make_mesh(1) is None
    assert make_mesh(jax.devices()[:1]) is None
