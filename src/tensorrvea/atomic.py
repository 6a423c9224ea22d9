"""Files that are replaced as a whole: a reader, or a crash, never sees half of one."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


@contextmanager
def atomic_write(path: Path) -> Iterator[io.BufferedRandom]:
    """Yield a temporary file that replaces ``path`` once it is on disk; it is deleted on any error."""
    # The end of the name, which tells runs apart, within the 255 bytes that a file name may have.
    temporary = path.with_name(f".{path.name[-60:]}.{os.getpid()}.part")
    temporary.unlink(missing_ok=True)
    handle = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | NO_FOLLOW, 0o666)
    try:
        with os.fdopen(handle, "w+b") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)  # replaces a symbolic link, not its target
        _sync_directory(path.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    with atomic_write(path) as stream:
        stream.write(text.encode())


def _sync_directory(path: Path) -> None:
    """Flush renames to disk, where the system supports it."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
