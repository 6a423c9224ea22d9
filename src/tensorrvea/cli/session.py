"""The options of ``run`` and ``resume`` alike: how a run is computed this time."""

import sys
from dataclasses import dataclass
from typing import Literal

import jax

from tensorrvea.checks import check_number
from tensorrvea.processes import distributed
from tensorrvea.runs.keep import INTERVAL


@dataclass(kw_only=True, frozen=True)
class Session:
    """How it is computed; the same run can go on with other devices and processes."""

    checkpoint_seconds: float = INTERVAL
    """From one checkpoint to the next."""
    progress: bool | None = None
    """A progress bar; by default in a terminal and not in a pipe."""
    devices: int | Literal["cores"] | None = None
    """Divide the rows over this many devices, or over all cores; one if not given. The result is the same."""
    coordinator: str | None = None
    """host:port of the first of several processes that do the run together."""
    processes: int | None = None
    """How many processes there are."""
    index: int | None = None
    """Which of them this one is, from 0 on."""
    distributed: bool = False
    """Be one of several processes; which, the launcher (Slurm, Open MPI, Kubernetes) says."""
    double: bool = False
    """Compute in double precision; resume needs it where run had it."""

    def begin(self) -> None:
        """What has to come before anything of JAX runs: the precision, and joining the other processes."""
        check_number("checkpoint_seconds", self.checkpoint_seconds, minimum=0.0, scalar=True)
        if self.double:
            jax.config.update("jax_enable_x64", True)
        others = {"coordinator": self.coordinator, "processes": self.processes, "index": self.index}
        if self.distributed or any(value is not None for value in others.values()):
            distributed(**others)  # type: ignore[arg-type]

    def shows_progress(self) -> bool:
        return sys.stderr.isatty() if self.progress is None else self.progress


USUAL = Session()
