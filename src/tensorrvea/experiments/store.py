"""Raw results, one file a run: what is there is not run again."""

import hashlib
import os
import platform
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np

from tensorrvea.experiments.everywhere import on_every_device
from tensorrvea.runs.arrays import read_arrays, write_arrays
from tensorrvea.runs.errors import DamagedError, SpecDiffersError
from tensorrvea.runs.files import canonical, read_json, write_json, write_whole
from tensorrvea.runs.manifest import installed_versions


@dataclass
class Store:
    """A directory of one experiment at one scale: ``raw/`` with a file a run, figures and tables beside it."""

    directory: Path
    experiment: str
    scale: str
    plan: Any
    command: str = ""
    log: Callable[[str], None] = print

    def __post_init__(self) -> None:
        self.raw.mkdir(parents=True, exist_ok=True)
        self.description: dict[str, Any] = {
            "experiment": self.experiment,
            "scale": self.scale,
            "command": self.command,
            "plan": _plain(self.plan),
            "machine": machine(),
        }
        path = self.directory / "experiment.json"
        if path.exists():
            before = read_json(path)
            if _but_repetitions(before.get("plan")) != _but_repetitions(self.description["plan"]):
                raise SpecDiffersError(
                    f"{self.directory} holds {self.experiment} with another plan; choose another --out"
                )
        write_json(path, self.description)

    @property
    def raw(self) -> Path:
        return self.directory / "raw"

    def once(self, name: str, run: Callable[[], dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
        """The arrays that ``run`` gives: from the disk if they are there and sound."""
        path = self.raw / f"{plain_name(name)}.npz"
        if path.exists():
            try:
                return read_arrays(path)
            except DamagedError as error:
                self.log(f"{error}; it is run again")
        self.log(name)
        found = run()
        write_arrays(path, found)
        return found

    def every(self, runs: Mapping[str, Callable[[], dict[str, np.ndarray]]]) -> list[dict[str, np.ndarray]]:
        """As ``once``, for many runs, on all devices there are."""
        return on_every_device([partial(self.once, name, run) for name, run in runs.items()])

    def write_csv(self, name: str, head: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
        lines = [",".join(head), *(",".join(str(value) for value in row) for row in rows)]
        with write_whole(self.directory / f"{name}.csv") as stream:
            stream.write(("\n".join(lines) + "\n").encode())


def plain_name(name: str) -> str:
    """A name that is good for a file, and different for different names.

    >>> plain_name("DTLZ1, RVEA, seed 3")
    'DTLZ1-RVEA-seed-3-02207c'
    """
    plain = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")
    return f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"


def machine() -> dict[str, Any]:
    """Where the figures come from."""
    devices: dict[str, int] = {}
    for device in jax.devices():
        devices[device.device_kind] = devices.get(device.device_kind, 0) + 1
    return {
        "devices": devices,
        "cpu": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "versions": installed_versions(),
    }


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        names = re.findall(r"^model name\s*:\s*(.+)$", information.read_text(), re.MULTILINE)
        if names:
            return names[0]
    return platform.processor() or platform.machine()


def _but_repetitions(plan: Any) -> str:
    """With more of them, the runs that are there stay as they are."""
    return canonical({name: part for name, part in dict(plan or {}).items() if name != "repetitions"})


def _plain(plan: Any) -> Any:
    if is_dataclass(plan) and not isinstance(plan, type):
        return _plain(asdict(plan))
    if isinstance(plan, dict):
        return {str(key): _plain(value) for key, value in plan.items()}
    return [_plain(part) for part in plan] if isinstance(plan, tuple | list) else plan
