"""Run directories as runs of a page: what was found, with the manifest's word on where it comes from."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from tensorrvea.api import load
from tensorrvea.report.command import make_command
from tensorrvea.report.from_result import run_from_result
from tensorrvea.report.payload import Run
from tensorrvea.result import Result
from tensorrvea.runs import read_manifest


def runs_from_directory(directory: str | Path, *, replays: int = 0) -> list[Run]:
    """The run of a directory; one for each seed, if they were one program. Nobody's code is run."""
    path = Path(directory)
    found = load(path)
    results = found if isinstance(found, list) else [found]
    manifest = read_manifest(path)[0]
    known = _provenance(manifest)
    name = path.resolve().name
    runs = []
    for result in results:
        label = f"{name}, seed {result.seed}" if len(results) > 1 else name
        run = run_from_result(result, label, replays=replays)
        # The manifest's own come last.
        spoken = {key: value for key, value in run.provenance.items() if key not in ("spec", "command")}
        again = _command(result, manifest["spec"])
        runs.append(replace(run, provenance={**spoken, "directory": name, **known, **again}))
    return runs


def _command(result: Result, spec: dict[str, Any]) -> dict[str, str]:
    """None where the run began with individuals that were given to it: a page has no file of them."""
    command = None if spec["start"] is not None else make_command(result, double=spec["precision"] == "float64")
    return {} if command is None else {"command": command}


def _provenance(manifest: dict[str, Any]) -> dict[str, Any]:
    """What the manifest says, in place of what this process would say of itself."""
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
