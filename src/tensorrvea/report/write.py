"""The page on disk, and the CSV beside it where one is needed."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from tensorrvea.checks import check_integer
from tensorrvea.report.beside import write_csv
from tensorrvea.report.from_directory import runs_from_directory
from tensorrvea.report.from_result import run_from_result
from tensorrvea.report.page import make_page
from tensorrvea.report.payload import Run
from tensorrvea.result import Result

Source = Result | Run | str | Path


def report(
    results: Source | Sequence[Source], path: str | Path, *, title: str | None = None, replays: int = 12
) -> Path:
    """Write results as one HTML page, and return its path.

    Args:
      results: one or several, of one problem: what ``optimize`` or ``replicate`` gave, run directories, or ``Run``
        records.
      path: the page, ending in .html. Where the decision vectors would take more than 5 MB of it, they are
        written into a CSV of the same name beside it, and the page says so.
      title: the heading; the problem's name if not given.
      replays: for problems with robots, how many episodes of each result are played and put into the page.
    """
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"path must end in .html, got {path.name!r}")
    check_integer("replays", replays, minimum=0)
    runs = gather_runs([results] if isinstance(results, Source) else list(results), replays=replays)
    page = make_page(runs, title=runs[0].problem if title is None else title, stem=path.stem)
    if page.csv_beside:
        with _whole(path.with_suffix(".csv")) as stream:
            write_csv(runs, stream)
    with _whole(path) as stream:
        stream.write(page.html)
    return path


def gather_runs(sources: Sequence[Source], *, replays: int) -> list[Run]:
    """The runs of results, directories and records, in the order given; labels are numbered where two are equal."""
    if not sources:
        raise ValueError("results must hold at least one result, got none")
    runs: list[Run] = []
    for source in sources:
        if isinstance(source, Run):
            runs.append(source)
        elif isinstance(source, str | Path):
            runs += runs_from_directory(source, replays=replays)
        elif isinstance(source, Result):
            runs.append(run_from_result(source, replays=replays))
        else:
            raise TypeError(f"results takes results, run directories or Run records, got {source!r:.80}")
    labels: list[str] = []
    for run in runs:
        number, label = 1, run.label
        while label in labels:
            number, label = number + 1, f"{run.label} ({number + 1})"
        labels.append(label)
    return [run if run.label == label else replace(run, label=label) for run, label in zip(runs, labels, strict=True)]


@contextmanager
def _whole(path: Path) -> Iterator[TextIO]:
    """A file that is there whole or not at all: a temporary one beside it, flushed, then renamed."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem[:40]}.", suffix=".part")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    """What files of this process are not to be: temporary ones are made for their owner alone."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
