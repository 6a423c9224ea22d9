"""The same bits on one device and on many, and the exchange of rows."""

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


def test_rows_arrive_on_the_device_that_wants_them():
    assert run("exchanged_rows.py") == ["2 devices", "3 devices", "8 devices"]


@pytest.mark.slow
@pytest.mark.parametrize("case", cases.EACH_PART)
def test_the_number_of_devices_does_not_change_a_bit(case):
    numbers = ("2", "3", "8") if case == "TensorRVEA-GA" else ("3",)  # three do not divide the rows
    every = [f"{case} {problem} {devices} same" for devices in numbers for problem in ("plain", "constrained")]
    # PSO with default compilation: its sums of products gave other bits before `rounded` was used.
    flags = "" if case == "TensorRVEA-PSO" else QUICK_FLAGS
    assert run("many_devices.py", case, *numbers, flags=flags) == every


@pytest.mark.slow
def test_whole_runs_give_the_same_bits_on_many_devices():
    cases = ["fronts", "efforts", "resumed", "replicated", "host", "stochastic"]
    assert run("whole_runs.py", *cases) == [f"{case} same" for case in cases]


@pytest.mark.slow
def test_eight_devices_need_a_sixth_of_the_memory_each_and_none_receives_all_of_x():
    one, eight, largest = map(int, run("compiled_text.py")[0].split())
    assert one > 6 * eight
    # All devices receive a few numbers per row; X has 1,000.
    assert largest <= 16 * 65_536


@pytest.mark.parametrize(
    ("devices", "error", "message"),
    [
        (0, ValueError, "devices must be 1 to 1"),
        (10**6, ValueError, "must be 1 to 1 on this machine, got 1000000"),
        ("all", TypeError, "devices takes a number of devices, a list"),
        ([], TypeError, "devices takes a number of devices, a list"),
        ([1, 2], TypeError, "devices takes a number of devices, a list"),
        (True, TypeError, "devices takes a number of devices, a list"),
    ],
)
def test_unavailable_devices_are_rejected(devices, error, message):
    with pytest.raises(error, match=message):
        tr.optimize(tr.problems.DTLZ2(), tr.TensorRVEA(population=10), generations=1, devices=devices)


def test_a_single_device_needs_no_mesh():
    from tensorrvea.devices import make_mesh

    assert make_mesh(1) is None
    assert make_mesh(jax.devices()[:1]) is None
