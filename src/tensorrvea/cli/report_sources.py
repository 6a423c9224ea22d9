"""Run directories as records for a report, with the provenance of their manifest."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tensorrvea.api import load
from tensorrvea.report import Run
from tensorrvea.report.command import make_command
from tensorrvea.report.from_result import run_from_result
from tensorrvea.runs import read_manifest


def runs_from_directories(directories: Iterable[Path], *, replays: int = 0) -> list[Run]:
    """Load run directories for ``report``, one run per seed, without executing code from them."""
    runs = []
    for directory in directories:
        loaded = load(directory)
        results = loaded if isinstance(loaded, list) else [loaded]
        manifest = read_manifest(directory)[0]
        spec, name = manifest["spec"], directory.resolve().name
        for result in results:
            label = f"{name}, seed {result.seed}" if len(results) > 1 else name
            run = run_from_result(result, label, replays=replays)
            measured = {key: value for key, value in run.provenance.items() if key not in ("spec", "command")}
            # A command cannot name the individuals that a run was started from.
            command = None if spec["start"] is not None else make_command(result, double=spec["precision"] == "float64")
            recorded = {"directory": name, **_provenance(manifest), **({"command": command} if command else {})}
            runs.append(replace(run, provenance=measured | recorded))
    return runs


def _provenance(manifest: dict[str, Any]) -> dict[str, Any]:
    """Facts recorded when the run was made, which replace those of this process."""
    sessions = manifest["sessions"]
    first, last = (sessions[0], sessions[-1]) if sessions else ({}, {})
    device = last.get("device", {})
    facts = {
        "started": first.get("started"),
        "ended": last.get("ended"),
        "sessions": len(sessions) if len(sessions) > 1 else None,
        "device": f"{device.get('count')} × {device.get('kind')}" if device else None,
        "system": last.get("system"),
        "versions": last.get("versions"),
        "spec": manifest["spec"],
    }
    return {name: value for name, value in facts.items() if value is not None}
