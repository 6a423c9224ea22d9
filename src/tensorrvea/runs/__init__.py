"""Runs on disk: saved as they go, resumed after a crash, and readable without running anybody's code."""

from tensorrvea.runs.errors import DamagedError, RunError, SpecDiffersError
from tensorrvea.runs.keep import keep_run
from tensorrvea.runs.manifest import read_manifest
from tensorrvea.runs.standard_metrics import standard_metrics

__all__ = ["DamagedError", "RunError", "SpecDiffersError", "keep_run", "read_manifest", "standard_metrics"]
