"""The directory of an experiment: its plan, the files of its runs, tables and figures."""

import os
import platform
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import jax

from tensorrvea.atomic import write_text
from tensorrvea.optional import installed_versions
from tensorrvea.runs.errors import SpecDiffersError
from tensorrvea.runs.files import canonical_json, read_json, write_json
from tensorrvea.runs.manifest import PACKAGES
from tensorrvea.study.records import reduce_search
from tensorrvea.study.series import Executor, Reduce
from tensorrvea.study.store import Arrays, RunFiles


@dataclass
class Store:
    """The directory of one experiment at one scale: ``raw/`` with one file per run, figures and tables."""

    directory: Path
    experiment: str
    scale: str
    plan: Any
    command: str = ""
    log: Callable[[str], None] = print

    def __post_init__(self) -> None:
        self.files = RunFiles(self.directory / "raw", self.log)
        self.description: dict[str, Any] = {
            "experiment": self.experiment, "scale": self.scale, "command": self.command,
            "plan": asdict(self.plan), "machine": describe_machine(),
        }  # fmt: skip
        path = self.directory / "experiment.json"
        if path.exists():
            previous = read_json(path)
            if _without_repetitions(previous.get("plan")) != _without_repetitions(self.description["plan"]):
                raise SpecDiffersError(f"{self.directory} holds an experiment with a different plan; change --out")
        write_json(path, self.description)

    def load_or_run(self, name: str, run: Callable[[], Arrays]) -> Arrays:
        """Return the arrays of a measurement: from disk if they are there and undamaged, else from ``run``."""
        return self.files.load_or_run(name, run)

    def executor(self, reduce: Reduce = reduce_search) -> Executor:
        """Return what runs the series of this experiment, run by run, and keeps them in its directory."""
        return Executor(self.directory, log=self.log, reduce=reduce)

    def write_csv(self, name: str, head: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
        lines = [",".join(head), *(",".join(str(value) for value in row) for row in rows)]
        write_text(self.directory / f"{name}.csv", "\n".join(lines) + "\n")


def describe_machine() -> dict[str, Any]:
    return {
        "devices": dict(Counter(device.device_kind for device in jax.devices())),
        "cpu": _processor_name(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "versions": installed_versions(PACKAGES),
    }


def _processor_name() -> str:
    information = Path("/proc/cpuinfo")
    text = information.read_text() if information.exists() else ""
    match = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return match[1] if match else platform.processor() or platform.machine()


def _without_repetitions(plan: Any) -> str:
    """The plan without its number of repetitions, which may change between sessions."""
    return canonical_json({name: part for name, part in dict(plan or {}).items() if name != "repetitions"})
