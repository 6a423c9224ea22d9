"""Files that are there whole or not at all, and that are only read if they are plain files of a sensible size.

Names never come from the content of a file: whoever made a run directory cannot point outside of it.
"""

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from tensorrvea.runs.errors import DamagedError, RunError

PART = ".part"
JSON_BYTES = 16 * 2**20
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


@contextmanager
def write_whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which replaces ``path`` once it is on the disk, or is gone if anything fails."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}{PART}")
    temporary.unlink(missing_ok=True)
    handle = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | NO_FOLLOW, 0o666)
    try:
        with os.fdopen(handle, "w+b") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)  # of a symbolic link it replaces the link, not what it points to
        sync_directory(path.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def sync_directory(path: Path) -> None:
    """Makes renames last, where the system can."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def open_plain(path: Path, *, limit: int | None = None) -> Iterator[BinaryIO]:
    """A file to read: no symbolic link, no pipe or device, and not larger than ``limit`` bytes."""
    try:
        handle = os.open(path, os.O_RDONLY | NO_FOLLOW | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        raise DamagedError(f"{path.name} is missing in {path.parent}") from None
    except OSError as error:
        raise DamagedError(f"{path} cannot be read as a plain file: {error.strerror}") from error
    with os.fdopen(handle, "rb") as stream:
        about = os.fstat(stream.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise DamagedError(f"{path} is not a plain file")
        if limit is not None and about.st_size > limit:
            raise DamagedError(f"{path} has {about.st_size} bytes, more than the {limit} that make sense")
        yield stream


def sha256_of(stream: BinaryIO) -> str:
    stream.seek(0)
    return hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]


def write_json(path: Path, content: dict[str, Any]) -> None:
    text = json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False)
    with write_whole(path) as stream:
        stream.write(text.encode() + b"\n")


def read_json(path: Path) -> dict[str, Any]:
    with open_plain(path, limit=JSON_BYTES) as stream:
        text = stream.read(JSON_BYTES + 1)
    try:
        content = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:  # deep nesting, endless digits, not UTF-8, not JSON
        raise DamagedError(f"{path} is not valid JSON: {error!s:.200}") from error
    if not isinstance(content, dict):
        raise DamagedError(f"{path} must hold a JSON object, got {type(content).__name__}")
    return content


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number in JSON")


def digest(content: Any) -> str:
    """SHA-256 of JSON content, however it is laid out."""
    return hashlib.sha256(canonical(content).encode()).hexdigest()


def canonical(content: Any) -> str:
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False)


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Keeps others out. A process that is killed leaves no lock behind."""
    try:
        handle = os.open(directory / "lock", os.O_RDWR | os.O_CREAT | NO_FOLLOW, 0o666)
    except OSError as error:
        raise RunError(f"{directory} cannot be locked: {error.strerror}") from error
    with os.fdopen(handle, "r+b") as stream:
        _lock(stream, directory)
        yield


def _lock(stream: BinaryIO, directory: Path) -> None:
    try:
        import fcntl
    except ImportError:  # a system without them: nobody is kept out
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RunError(f"{directory} is in use by another process") from None
