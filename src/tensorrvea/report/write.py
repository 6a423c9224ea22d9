"""The page on disk, and the CSV beside it where one is needed."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from tensorrvea.report.beside import write_csv
from tensorrvea.report.from_result import runs_from_results
from tensorrvea.report.page import make_page
from tensorrvea.report.payload import Run

if TYPE_CHECKING:
    from tensorrvea.result import Result


def report(
    results: "Result | Run | Sequence[Result] | Sequence[Run]",
    path: str | Path,
    *,
    title: str | None = None,
    replays: int = 12,
) -> Path:
    """Write results as one HTML page, and return its path.

    Args:
      results: one or several, of one problem: what ``optimize`` or ``replicate`` gave, or ``Run`` records.
      path: the page, ending in .html. Where the decision vectors would take more than 5 MB of it, they are
        written into a CSV of the same name beside it, and the page says so.
      title: the heading; the problem's name if not given.
      replays: for problems with robots, how many episodes of each result are played and put into the page.
    """
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"path must end in .html, got {path.name!r}")
    several = list(results) if isinstance(results, Sequence) else [results]
    if not several:
        raise ValueError("results must hold at least one result, got none")
    runs = [one for one in several if isinstance(one, Run)]
    if len(runs) not in (0, len(several)):
        raise TypeError("results takes either results or runs, got some of each")
    runs = runs or runs_from_results(several, replays=replays)  # type: ignore[arg-type]
    page = make_page(runs, title=runs[0].problem if title is None else title, stem=path.stem)
    if page.csv_beside:
        with _whole(path.with_suffix(".csv")) as stream:
            write_csv(runs, stream)
    with _whole(path) as stream:
        stream.write(page.html)
    return path


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
