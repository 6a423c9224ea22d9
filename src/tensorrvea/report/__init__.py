"""One HTML page from runs, made for choosing a solution; it works offline, from anywhere, on anything."""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from tensorrvea.report.beside import write_csv
from tensorrvea.report.page import make_page
from tensorrvea.report.payload import History, Replay, Run, Segment

__all__ = ["History", "Replay", "Run", "Segment", "write_report"]


def write_report(runs: Sequence[Run], path: str | Path, *, title: str | None = None) -> Path:
    """Write runs as one HTML page.

    Args:
      runs: of one problem, with a label each.
      path: the page, ending in .html. Where the decision vectors would take more than 5 MB of it, they are
        written into a CSV of the same name beside it, and the page says so.
      title: the heading; the problem's name if not given.

    Returns:
      The path of the page.
    """
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"path must end in .html, got {path.name!r}")
    page = (
        make_page(runs, title=title or runs[0].problem, stem=path.stem)
        if runs
        else make_page([], title="", stem="")
    )
    if page.csv_beside:
        _write_whole(path.with_suffix(".csv"), lambda stream: write_csv(runs, stream))
    _write_whole(path, lambda stream: stream.write(page.html))
    return path


def _write_whole(path: Path, write: Callable[[TextIO], object]) -> None:
    """Whole or not at all: into a temporary file beside it, then renamed."""
    with _temporary(path) as stream:
        write(stream)


@contextlib.contextmanager
def _temporary(path: Path) -> Iterator[TextIO]:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".part")
    temporary = Path(name)
    try:
        with open(handle, "w", encoding="utf-8", newline="") as stream:  # noqa: PTH123 — a descriptor, not a path
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
