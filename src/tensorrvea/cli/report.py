"""``tensorrvea report``."""

from dataclasses import dataclass
from pathlib import Path

import tyro

from tensorrvea.cli.errors import argument_errors
from tensorrvea.cli.plot import Out


@dataclass(kw_only=True)
class Report:
    """Write an HTML report on runs of one problem, for choosing a solution.

    Example:
      tensorrvea report runs/DTLZ2-TensorRVEA-0 --out front.html
    """

    directories: tyro.conf.Positional[tuple[Path, ...]]
    """Run directories."""
    out: Out = Path("report.html")
    """The HTML file."""
    title: str | None = None
    """The heading; the problem's name by default."""
    replays: int = 12
    """For robot tasks, the number of episodes per run that are simulated and embedded."""

    def __call__(self) -> None:
        from tensorrvea.cli.report_sources import runs_from_directories
        from tensorrvea.report import report

        with argument_errors():
            runs = runs_from_directories(self.directories, replays=self.replays)
            print(report(runs, self.out, title=self.title, replays=self.replays))
