"""``tensorrvea check``."""

from dataclasses import dataclass
from pathlib import Path

import tyro

from tensorrvea.cli.errors import printable
from tensorrvea.runs.errors import RunError
from tensorrvea.runs.inspect import inspect_run, repair_run
from tensorrvea.runs.manifest import require_run


@dataclass(kw_only=True)
class Check:
    """Say which files of a run directory are sound, and which are damaged or missing.

    Examples:
      tensorrvea check runs/bridge
      tensorrvea check runs/bridge --repair
    """

    directory: tyro.conf.Positional[Path]
    """The run directory."""
    repair: bool = False
    """Go back to the last sound state. Damaged files are moved to a subdirectory; nothing is deleted."""

    def __call__(self) -> None:
        require_run(self.directory)
        findings = inspect_run(self.directory)
        for name, problem in findings:
            print(printable(f"{'damaged' if problem else 'sound':<8} {name}" + (f": {problem}" if problem else "")))
        unsound = sum(bool(problem) for _, problem in findings)
        if not unsound:
            return
        if not self.repair:
            raise RunError(f"{unsound} of {len(findings)} files are damaged; --repair restores the last sound state")
        for line in repair_run(self.directory):
            print(printable(line))
