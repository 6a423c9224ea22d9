"""JSON files, reading of regular files of a limited size only, and the lock of a directory.

File names never come from the content of a file, so a run directory cannot point outside itself.
"""

import errno
import hashlib
import io
import json
import os
import stat
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tensorrvea.atomic import NO_FOLLOW, write_text
from tensorrvea.checks import check_path
from tensorrvea.runs.errors import DamagedError, RunError

fcntl: Any
msvcrt: Any
try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None
try:
    import msvcrt
except ImportError:  # on Windows only
    msvcrt = None

JSON_BYTES = 16 * 2**20
JSON_DEPTH = 50


@contextmanager
def open_regular(path: Path, *, limit: int | None = None) -> Iterator[io.BufferedReader]:
    """Open a regular file of at most ``limit`` bytes; refuse symbolic links, pipes and devices."""
    try:
        handle = os.open(path, os.O_RDONLY | NO_FOLLOW | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        raise DamagedError(f"{path.name} is missing in {path.parent}") from None
    except OSError as error:
        raise DamagedError(f"{path} cannot be read as a regular file: {error.strerror}") from error
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise DamagedError(f"{path} is not a regular file")
    with os.fdopen(handle, "rb") as stream:
        if limit is not None and status.st_size > limit:
            raise DamagedError(f"{path} has {status.st_size} bytes, more than the limit of {limit}")
        yield stream


def as_path(directory: Any, *, name: str = "directory") -> Path:
    """Return the path of a directory, or of what ``name`` says, that a user gives."""
    return check_path(name, directory)


def sha256_of(stream: io.BufferedReader | io.BufferedRandom) -> str:
    stream.seek(0)
    return hashlib.file_digest(stream, "sha256").hexdigest()


def write_json(path: Path, content: dict[str, Any]) -> None:
    write_text(path, json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False) + "\n")


def read_json(path: Path) -> dict[str, Any]:
    with open_regular(path, limit=JSON_BYTES) as stream:
        text = stream.read(JSON_BYTES + 1)
    return parse_json(text, path)


def is_file(path: Path) -> bool:
    """Return whether a path is a file; no name is too long or too odd to ask."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def parse_json(text: bytes, path: Path) -> dict[str, Any]:
    """Parse a JSON object that may come from somebody else; ``path`` is where it was found."""
    try:
        content = json.loads(text, parse_constant=_reject_constant)
        canonical_json(content).encode()  # fails if a text has half of a surrogate pair
        _check_depth(content)
    except (ValueError, RecursionError) as error:  # deep nesting, endless digits, not UTF-8, not JSON
        raise DamagedError(f"{path} is not valid JSON: {error!s:.200}") from error
    if not isinstance(content, dict):
        raise DamagedError(f"{path} must hold a JSON object, got {type(content).__name__}")
    return content


def _check_depth(content: Any) -> None:
    level = [content]
    for _ in range(JSON_DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return
    raise ValueError(f"nested more than {JSON_DEPTH} times")


def _reject_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def digest(content: Any) -> str:
    """SHA-256 of JSON content, independent of its formatting."""
    return hashlib.sha256(canonical_json(content).encode()).hexdigest()


def canonical_json(content: Any) -> str:
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False)


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Make a directory and hold an exclusive lock on it. The system releases it even if the process is killed."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        handle = _open_lock(directory / "lock")
    except OSError as error:
        if error.errno in (errno.EEXIST, errno.ENOTDIR) and directory.is_file():
            raise RunError(f"{directory} is a file, and a run needs a directory: give another name") from error
        raise RunError(f"{directory} cannot be locked: {error.strerror}") from error
    if handle is None:
        yield
        return
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise RunError(f"{directory} cannot be locked: its lock is not a regular file")
        _lock(handle, directory)
        yield
    finally:
        os.close(handle)


def _open_lock(path: Path) -> int | None:
    """Open the file that is locked; None if it does not exist and the disk cannot be written, so that none runs."""
    options = NO_FOLLOW | getattr(os, "O_NONBLOCK", 0)
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | options, 0o666)
    except OSError as error:
        if error.errno not in (errno.EROFS, errno.EACCES, errno.EPERM) or path.is_symlink():
            raise
        return os.open(path, os.O_RDONLY | options) if path.exists() else None


def _lock(handle: int, directory: Path) -> None:
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        elif msvcrt is not None:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    except (BlockingIOError, PermissionError):
        raise RunError(f"{directory} is in use by another process") from None
    except OSError as error:  # a file system without locks, as some network disks are
        warnings.warn(f"{directory} cannot be locked ({error.strerror}): do not run it twice at a time", stacklevel=2)
