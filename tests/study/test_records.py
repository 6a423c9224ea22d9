"""What is kept of runs, and where runs are made."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from tensorrvea.study.records import resample, sample_indices


def test_jobs_run_on_all_devices_and_return_results_in_order():
    environment = os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=4"}
    command = [sys.executable, Path(__file__).parent / "jobs_on_devices.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.stdout, done.returncode) == ("4 this job fails\n", 0), done.stderr[-2000:]


def test_curves_are_resampled_at_steps_that_all_runs_have_reached():
    runs = [
        {"seconds": np.array([0.0, 1.0, 4.0]), "IGD": np.array([9.0, 5.0, 1.0])},
        {"seconds": np.array([0.5, 2.0]), "IGD": np.array([8.0, 4.0])},
    ]
    steps, values = resample(runs, "seconds", "IGD")
    assert (steps[0], steps[-1]) == (0.5, 2.0)
    assert values[:, 0].tolist() == [9.0, 8.0]
    assert values[:, -1].tolist() == [5.0, 4.0]
    assert sample_indices(3, 10).tolist() == [0, 1, 2]
    assert sample_indices(1000, 40)[[0, -1]].tolist() == [0, 999]
