"""Runs on disk: kept as they go, gone on with after a crash, read by anybody without running their code."""

from tensorrvea.runs.errors import DamagedError, RunError, SpecDiffersError
from tensorrvea.runs.keep import keep_run
from tensorrvea.runs.manifest import read_manifest
from tensorrvea.runs.resume import load, resume
from tensorrvea.runs.standard_metrics import standard_metrics

__all__ = [
    "DamagedError",
    "RunError",
    "SpecDiffersError",
    "keep_run",
    "load",
    "read_manifest",
    "resume",
    "standard_metrics",
]
