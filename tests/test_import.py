"""What ``import tensorrvea`` imports."""

import subprocess
import sys

# Packages that take long to import and that most runs do not need.
LATE = ("loky", "matplotlib", "mujoco", "pandas", "psutil", "scipy.stats", "tensorrvea.neuroevolution", "tqdm")


def test_what_most_runs_do_not_need_is_imported_late():
    script = f"import sys, tensorrvea; print([name for name in {LATE} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
