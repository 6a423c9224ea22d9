"""Another instruction set gives other bits, and a run that continues on it says so."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tensorrvea.runs.processor import describe_processor

SCRIPT = Path(__file__).with_name("run_in_flags.py")
FLAG = "--xla_cpu_max_isa=SSE4_2"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not {"avx2", "fma"} <= set(describe_processor()["instructions"].split()), reason="needs AVX2 to differ from SSE"
    ),
]


def run(directory: Path, generations: int, flags: str = "") -> dict:
    environment = os.environ | {"XLA_FLAGS": flags}
    environment.pop("JAX_COMPILATION_CACHE_DIR", None)
    command = [sys.executable, str(SCRIPT), str(directory), str(generations)]
    return json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def test_a_run_under_another_instruction_set_differs_and_a_resumed_one_warns(tmp_path):
    here, there = run(tmp_path / "here", 60), run(tmp_path / "there", 60, FLAG)
    assert here["warnings"] == there["warnings"] == []
    assert here["digest"] != there["digest"]
    assert run(tmp_path / "again", 60, FLAG)["digest"] == there["digest"]
    (warning,) = run(tmp_path / "here", 80, FLAG)["warnings"]
    assert f"resumed in another environment than before (XLA_FLAGS none then, {FLAG} now)" in warning
    assert run(tmp_path / "there", 80, FLAG)["warnings"] == []
