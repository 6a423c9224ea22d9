"""Raw results, one file per run, so that finished runs are not repeated."""

import hashlib
import os
import platform
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import jax

from tensorrvea.atomic import write_text
from tensorrvea.experiments.curves import Arrays
from tensorrvea.experiments.device_pool import run_on_all_devices
from tensorrvea.optional import installed_versions
from tensorrvea.runs.arrays import read_arrays, write_arrays
from tensorrvea.runs.errors import DamagedError, SpecDiffersError
from tensorrvea.runs.files import canonical_json, read_json, write_json
from tensorrvea.runs.manifest import PACKAGES


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
        self.raw = self.directory / "raw"
        self.raw.mkdir(parents=True, exist_ok=True)
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
        """Return the arrays of a run: from disk if they are there and undamaged, else from ``run``."""
        path = self.raw / f"{file_name(name)}.npz"
        if path.exists():
            try:
                return read_arrays(path)
            except DamagedError as error:
                self.log(f"{error}; running it again")
        self.log(name)
        arrays = run()
        write_arrays(path, arrays)
        return arrays

    def load_or_run_seeds(self, name: str, run: Callable[..., Arrays], seeds: int) -> list[Arrays]:
        """Like ``load_or_run`` for ``run(seed=0)`` and so on, on all local devices."""
        jobs = {f"{name}, seed {seed}": partial(run, seed=seed) for seed in range(seeds)}
        return run_on_all_devices([partial(self.load_or_run, name, job) for name, job in jobs.items()])

    def write_csv(self, name: str, head: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
        lines = [",".join(head), *(",".join(str(value) for value in row) for row in rows)]
        write_text(self.directory / f"{name}.csv", "\n".join(lines) + "\n")


def file_name(name: str) -> str:
    """Make a unique file name from any text.

    >>> file_name("DTLZ1, RVEA, seed 3")
    'DTLZ1-RVEA-seed-3-02207c'
    """
    plain = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")
    return f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"


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
