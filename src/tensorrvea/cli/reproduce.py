"""``tensorrvea reproduce``."""

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import tyro

from tensorrvea.cli.errors import argument_errors


@dataclass(kw_only=True)
class Reproduce:
    """Run or continue one of the paper's experiments: raw results, figures and tables.

    Examples:
      tensorrvea reproduce numerical --scale smoke
      tensorrvea reproduce extensibility --scale cpu --backend mujoco
      tensorrvea reproduce page --scale cpu --out docs/results.md
    """

    experiment: tyro.conf.Positional[Literal["acceleration", "numerical", "neuroevolution", "extensibility", "page"]]
    """One of the four experiments, or page for a page of all finished ones."""
    scale: Literal["smoke", "cpu", "large", "paper"] = "smoke"
    """smoke: under two minutes. cpu: under an hour on two cores. large: one to two hours on two cores, robots only.
    paper: the supplement's sizes, for a GPU."""
    out: Path | None = None
    """Where to write: results/EXPERIMENT-SCALE by default, results/SCALE.md for the page."""
    backend: str = "auto"
    """The physics engine of robot tasks."""
    reference: Literal["paper", "derived"] | None = None
    """Reference point of HV on robot tasks: the supplement's, or derived by its rule from the runs made here."""
    results: tuple[Path, ...] = ()
    """Directories to include in the page; those of the scale in results/ by default."""

    def __call__(self) -> None:
        from tensorrvea.experiments import write_page
        from tensorrvea.experiments.reproduce import prepare

        with argument_errors():
            if self.experiment == "page":
                print(write_page(self.finished(), self.out or Path(f"results/{self.scale}.md")))
                return
            if self.results:
                raise ValueError(f"results can only be given with page, got {self.experiment}")
            run = prepare(
                self.experiment, scale=self.scale, out=self.out, backend=self.backend, reference=self.reference,
                log=partial(print, file=sys.stderr),
            )  # fmt: skip
        findings = run()
        if self.scale == "smoke":
            print("scale smoke shows that the experiment runs; the paper's claims need --scale cpu or paper")
        for claim in findings.claims if self.scale != "smoke" else ():
            print(f"{claim.verdict}: {claim.paper}\n     {claim.here}")
        print(findings.store.directory)

    def finished(self) -> list[Path]:
        """Find the finished experiments for the page."""
        from tensorrvea.experiments import EXPERIMENTS

        directories = self.results or tuple(Path(f"results/{name}-{self.scale}") for name in EXPERIMENTS)
        finished = [directory for directory in directories if (directory / "findings.json").is_file()]
        if self.results and len(finished) < len(directories):
            missing = next(directory for directory in directories if directory not in finished)
            raise ValueError(f"results takes directories of finished experiments, got {str(missing)!r}")
        if not finished:
            raise ValueError(f"no experiment of scale {self.scale} is in results/: run one first")
        return finished
