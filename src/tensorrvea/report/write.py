"""Writing of the page, and of the CSV file next to it if one is needed."""

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tensorrvea.atomic import atomic_write, write_text
from tensorrvea.checks import check_integer, check_path, check_text, shown
from tensorrvea.report.from_result import run_from_result
from tensorrvea.report.page import make_page
from tensorrvea.report.records import ResultLike, Run
from tensorrvea.report.solutions_csv import write_csv

Source = ResultLike | Run


def report(
    results: Source | Sequence[Source], path: str | Path, *, title: str | None = None, replays: int = 12
) -> Path:
    """Write results as one HTML page and return its path.

    Args:
      results: one or several results of the same problem, from ``optimize``, ``replicate`` or ``load``, or ``Run``
        records.
      path: the page, ending in .html. Decision vectors that would take more than 5 MB are written to a CSV file of
        the same name instead, and the page says so.
      title: the heading; the problem's name if None.
      replays: number of episodes per result to include, for problems that can replay a solution.

    Returns:
      The path of the page.

    Raises:
      ValueError: if there is no result, or if they are of different problems.

    Example::

        report([result, other], "report.html")
    """
    path = check_path("path", path)
    if title is not None:
        check_text("title", title)
    if path.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"path must end in .html, got {path.name!r}")
    check_integer("replays", replays, minimum=0)
    runs = collect_runs([results] if isinstance(results, Source | str | Path) else list(results), replays=replays)
    page = make_page(runs, title=runs[0].problem if title is None else title, stem=path.stem)
    if page.needs_csv:
        with atomic_write(path.with_suffix(".csv")) as stream:
            text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
            write_csv(runs, text)
            text.detach()  # flushes, and leaves the stream open
    write_text(path, page.html)
    return path


def collect_runs(sources: Sequence[Source], *, replays: int) -> list[Run]:
    """Convert results to runs, keep ``Run`` records, and number labels that occur more than once."""
    if not sources:
        raise ValueError("results must hold at least one result, got none")
    runs: list[Run] = []
    for source in sources:
        if isinstance(source, Run):
            runs.append(source)
        elif isinstance(source, ResultLike):
            runs.append(run_from_result(source, replays=replays))
        else:
            hint = "; load a run directory with tensorrvea.load" if isinstance(source, str | Path) else ""
            raise TypeError(f"results takes results or Run records, got {shown(source)}{hint}")
    labels: list[str] = []
    for run in runs:
        number, label = 1, run.label
        while label in labels:
            number, label = number + 1, f"{run.label} ({number + 1})"
        labels.append(label)
    return [run if run.label == label else replace(run, label=label) for run, label in zip(runs, labels, strict=True)]
