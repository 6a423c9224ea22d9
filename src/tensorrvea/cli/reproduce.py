"""``tensorrvea reproduce``."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro

from tensorrvea.cli.errors import reading_arguments
from tensorrvea.experiments import EXPERIMENTS, write_page
from tensorrvea.experiments.reproduce import prepare


@dataclass(kw_only=True)
class Reproduce:
    """Run one of the paper's experiments, or go on with it: raw results, figures and tables.

    Examples:
      tensorrvea reproduce numerical --scale smoke
      tensorrvea reproduce extensibility --scale cpu --backend mujoco
      tensorrvea reproduce page --scale cpu --out docs/results.md
    """

    experiment: tyro.conf.Positional[Literal["acceleration", "numerical", "neuroevolution", "extensibility", "page"]]
    """Which of the four; or page, for one page of those that are there."""
    scale: Literal["smoke", "cpu", "paper"] = "smoke"
    """smoke: under two minutes. cpu: under an hour on two cores. paper: the supplement's sizes, for a GPU."""
    out: Path | None = None
    """Where results go: results/EXPERIMENT-SCALE if not given; results/SCALE.md for the page."""
    backend: str = "auto"
    """The engine of robots' tasks."""
    reference: Literal["paper", "derived"] | None = None
    """The reference point of HV on robots' tasks: the supplement's own, or its rule over the runs made here."""
    results: tuple[Path, ...] = ()
    """The directories that the page is made of; those of the scale in results/ if not given."""

    def __call__(self) -> None:
        if self.experiment == "page":
            with reading_arguments():
                print(write_page(self.finished(), self.out or Path(f"results/{self.scale}.md")))
            return
        with reading_arguments():
            if self.results:
                raise ValueError(f"results goes with page, got {self.experiment}")
            run = prepare(
                self.experiment,
                scale=self.scale,
                out=self.out,
                backend=self.backend,
                reference=self.reference,
                log=_log,
            )
        findings = run()
        for claim in findings.claims:
            print(f"{'yes' if claim.holds else 'no '}  {claim.paper}\n     {claim.here}")
        print(findings.store.directory)

    def finished(self) -> list[Path]:
        """The experiments that the page is made of."""
        there = self.results or tuple(Path(f"results/{name}-{self.scale}") for name in EXPERIMENTS)
        found = [directory for directory in there if (directory / "findings.json").is_file()]
        if self.results and len(found) < len(there):
            missing = next(directory for directory in there if directory not in found)
            raise ValueError(f"results takes directories of finished experiments, got {str(missing)!r}")
        if not found:
            raise ValueError(f"no experiment of scale {self.scale} is in results/: run one first")
        return found


def _log(text: str) -> None:
    print(text, file=sys.stderr)
