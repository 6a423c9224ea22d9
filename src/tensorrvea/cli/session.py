"""Options shared by ``run`` and ``resume``: how a run is computed in this session."""

import sys
from dataclasses import dataclass
from typing import Literal

import jax

from tensorrvea.checks import check_number
from tensorrvea.processes import distributed
from tensorrvea.runs.keep import INTERVAL


@dataclass(kw_only=True, frozen=True)
class Session:
    """How to compute; a run can be resumed on other devices and processes."""

    checkpoint_seconds: float = INTERVAL
    """Seconds between checkpoints."""
    progress: bool | None = None
    """Show a progress bar; by default only in a terminal."""
    devices: int | Literal["cores"] | None = None
    """Number of devices to divide the population over, or cores for all CPU cores; one by default. The result is the
    same."""
    coordinator: str | None = None
    """host:port of the first of several processes that compute the run together."""
    processes: int | None = None
    """Number of processes."""
    index: int | None = None
    """Index of this process, from 0."""
    distributed: bool = False
    """Join the other processes that a launcher (Slurm, Open MPI, Kubernetes) has started."""
    double: bool = False
    """Compute in double precision; resume needs it if run had it."""

    def initialize(self) -> None:
        """Set the precision and join the other processes, which must happen before JAX is used."""
        check_number("checkpoint_seconds", self.checkpoint_seconds, minimum=0.0, scalar=True)
        if self.double:
            jax.config.update("jax_enable_x64", True)
        if self.distributed or (self.coordinator, self.processes, self.index) != (None, None, None):
            distributed(coordinator=self.coordinator, processes=self.processes, index=self.index)

    def shows_progress(self) -> bool:
        return sys.stderr.isatty() if self.progress is None else self.progress


DEFAULT_SESSION = Session()
