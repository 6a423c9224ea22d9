"""JSON files, reading of regular files of a limited size only, and the lock of a directory.

File names never come from the content of a file, so a run directory cannot point outside itself.
"""

import hashlib
import io
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tensorrvea.atomic import NO_FOLLOW, write_text
from tensorrvea.runs.errors import DamagedError, RunError

JSON_BYTES = 16 * 2**20


@contextmanager
def open_regular(path: Path, *, limit: int | None = None) -> Iterator[io.BufferedReader]:
    """Open a regular file of at most ``limit`` bytes; refuse symbolic links, pipes and devices."""
    try:
        handle = os.open(path, os.O_RDONLY | NO_FOLLOW | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        raise DamagedError(f"{path.name} is missing in {path.parent}") from None
    except OSError as error:
        raise DamagedError(f"{path} cannot be read as a regular file: {error.strerror}") from error
    with os.fdopen(handle, "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise DamagedError(f"{path} is not a regular file")
        if limit is not None and status.st_size > limit:
            raise DamagedError(f"{path} has {status.st_size} bytes, more than the limit of {limit}")
        yield stream


def sha256_of(stream: io.BufferedReader | io.BufferedRandom) -> str:
    stream.seek(0)
    return hashlib.file_digest(stream, "sha256").hexdigest()


def write_json(path: Path, content: dict[str, Any]) -> None:
    write_text(path, json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False) + "\n")


def read_json(path: Path) -> dict[str, Any]:
    with open_regular(path, limit=JSON_BYTES) as stream:
        text = stream.read(JSON_BYTES + 1)
    try:
        content = json.loads(text, parse_constant=_reject_constant)
    except (ValueError, RecursionError) as error:  # deep nesting, endless digits, not UTF-8, not JSON
        raise DamagedError(f"{path} is not valid JSON: {error!s:.200}") from error
    if not isinstance(content, dict):
        raise DamagedError(f"{path} must hold a JSON object, got {type(content).__name__}")
    return content


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
    directory.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(directory / "lock", os.O_RDWR | os.O_CREAT | NO_FOLLOW, 0o666)
    except OSError as error:
        raise RunError(f"{directory} cannot be locked: {error.strerror}") from error
    with os.fdopen(handle, "r+b") as stream:
        _lock(stream, directory)
        yield


def _lock(stream: io.BufferedRandom, directory: Path) -> None:
    try:
        import fcntl
    except ImportError:  # no file locks on this system
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RunError(f"{directory} is in use by another process") from None
