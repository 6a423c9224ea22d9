"""Compiled programs on disk, so that another process need not compile them again.

They are kept in the user's cache directory, in another one if the environment variable ``TENSORRVEA_CACHE`` names it,
or nowhere if that is ``off``. If JAX's own compilation cache is set, that is used instead, and nothing is kept here.

A program is machine code that will be run, so it is loaded only from a directory that belongs to the user and that no
other user may write to. Every file is written whole or not at all, and carries a checksum. If anything is wrong with
the store (no space, no permission, damage, another process that deletes files), the program is compiled, and nothing
is reported.
"""

import hashlib
import logging
import os
import pickle
import platform
import re
import stat
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jaxlib
from jax.experimental import serialize_executable

from tensorrvea.atomic import atomic_write

logger = logging.getLogger(__name__)

VARIABLE = "TENSORRVEA_CACHE"
OFF = ("off", "0")
ON = ("on", "1", "")
# The least recently used programs are deleted when all of them take more than this.
MOST_BYTES = 2**28
SUFFIX = ".program"
DAY = 86_400
# Changes with the format of the files.
FORMAT = b"tensorrvea-1"


def compile_stored(lower: Callable[[], Any], device: jax.Device, options: str, description: str | None) -> Any:
    """Return the compiled program, from the store if it is there.

    Args:
      lower: returns the program, lowered.
      device: where it will run.
      options: how it is compiled.
      description: identifies the program among those of this version of the library; None if only its text can do so,
        in which case it is lowered to look it up.
    """
    directory = store_directory()
    if directory is None:
        return lower().compile()
    lowered = None
    if description is None:
        lowered = lower()
        text = lowered.as_text()
        if "callback" in text:  # it calls Python functions of this process
            return lowered.compile()
        # The same arrays may be arguments of another structure.
        description = f"{lowered.in_tree}\0{lowered.out_tree}\0{text}"
    path = directory / (program_key(f"{options}\0{description}", device) + SUFFIX)
    loaded = load(path, device)
    if loaded is not None:
        return loaded
    is_described = lowered is None
    lowered = lowered or lower()
    hits = jax_cache_hits()
    compiled = lowered.compile()
    # A program that JAX has loaded from a cache of its own cannot be stored: it would lack its functions. And one that
    # calls a library (LAPACK) needs what JAX does while it lowers such a call, which a described program is spared.
    if jax_cache_hits() == hits and not (is_described and "custom_call" in lowered.as_text()):
        save(path, compiled)
    return compiled


def store_directory() -> Path | None:
    """Return the directory of stored programs, or None if there is none that is safe to use."""
    if uses_jax_cache():
        return None
    chosen = os.environ.get(VARIABLE, "").strip()
    if chosen.lower() in OFF:
        return None
    return prepare_directory(None if chosen.lower() in ON else chosen)


def uses_jax_cache() -> bool:
    """Return whether the user has set up, or turned off, JAX's own compilation cache."""
    settings = jax.config.values
    return bool(settings["jax_compilation_cache_dir"]) or not settings["jax_enable_compilation_cache"]


def jax_cache_hits() -> int:
    """Return how many programs JAX has loaded from its own cache since this was first called."""
    return _hits().count("/jax/compilation_cache/cache_hits")


@cache
def _hits() -> list[str]:
    events: list[str] = []

    def listen(event: str, **_: Any) -> None:
        if event.endswith("/cache_hits"):
            events.append(event)

    jax.monitoring.register_event_listener(listen)
    return events


@cache
def prepare_directory(chosen: str | None) -> Path | None:
    """Make the directory, if needed, and return it if only this user may write to it."""
    # Imported here, since a run without a store does not need it.
    from platformdirs import user_cache_path

    try:
        directory = Path(chosen).expanduser().absolute() if chosen else user_cache_path("tensorrvea", appauthor=False)
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        directory = directory.resolve()
        if not is_private(directory):
            logger.info("compiled programs are not stored: others may write to %s", directory)
            return None
    except (OSError, RuntimeError) as error:  # RuntimeError: no home directory, or a loop of symbolic links
        logger.info("compiled programs are not stored: %s", error)
        return None
    return directory


def is_private(directory: Path) -> bool:
    """Return whether the directory belongs to this user, and no other user may write to it."""
    if not hasattr(os, "getuid"):  # on Windows, the user's cache directory is private by default
        return directory.is_dir()
    found = directory.stat()
    writable_by_others = stat.S_IWGRP | stat.S_IWOTH
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & writable_by_others


def program_key(description: str, device: jax.Device) -> str:
    """Return a name for a program, the versions of everything that compiles it, and the machine it is compiled for."""
    parts = (environment(), os.environ.get("XLA_FLAGS", ""), configuration(), str(device.id), device.device_kind)
    return hashlib.sha256("\0".join((*parts, description)).encode()).hexdigest()[:40]


@cache
def environment() -> str:
    """Return the versions of library, JAX and XLA, and the instruction set of this machine."""
    client = jax.devices()[0].client
    versions = (jax.__version__, jaxlib.__version__, client.platform, client.platform_version)
    return "\0".join((*versions, platform.platform(), processor(), source_digest()))


def configuration() -> str:
    """Return JAX's settings, without those that only say what to report and where to store."""
    ignored = re.compile("cache|log|traceback|source|captured|platforms")
    return repr(sorted((name, str(value)) for name, value in jax.config.values.items() if not ignored.search(name)))


def processor() -> str:
    """Return the model and the instruction set of the processor, as far as the system tells."""
    with suppress(OSError):
        first, _, _ = Path("/proc/cpuinfo").read_text().partition("\n\n")
        told = [line for line in first.splitlines() if line.startswith(("model name", "flags", "Features", "CPU part"))]
        if told:
            return "\n".join(told)
    return f"{platform.machine()} {platform.processor()}"


@cache
def source_digest() -> str:
    """Return a digest of the library's own code, which descriptions of programs do not contain."""
    digest = hashlib.sha256()
    root = Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def load(path: Path, device: jax.Device) -> Any:
    """Return a stored program, or None if it is not there or not sound."""
    try:
        content = path.read_bytes()
        head, checksum, packed = content[: len(FORMAT)], content[len(FORMAT) :][:32], content[len(FORMAT) + 32 :]
        if head != FORMAT or hashlib.sha256(packed).digest() != checksum:
            return None
        program, in_tree, out_tree = pickle.loads(zlib.decompress(packed))
        loaded = serialize_executable.deserialize_and_load(
            program, in_tree, out_tree, backend=device.client, execution_devices=[device]
        )
    except FileNotFoundError:
        return None
    except Exception as error:  # XLA may refuse a program in many ways; it is then compiled
        logger.info("a stored program cannot be loaded: %s", error)
        return None
    with suppress(OSError):
        os.utime(path)  # the last use, by which programs are deleted
    return loaded


def save(path: Path, compiled: Any) -> None:
    """Store a program, and delete old ones if there are too many."""
    try:
        packed = zlib.compress(pickle.dumps(serialize_executable.serialize(compiled)), level=1)
        with atomic_write(path) as stream:
            stream.write(FORMAT + hashlib.sha256(packed).digest() + packed)
        delete_old(path.parent)
    except Exception as error:  # whatever is wrong with the disk or the program, the run goes on without storing it
        logger.info("a program cannot be stored: %s", error)


def delete_old(directory: Path) -> None:
    """Delete the least recently used programs until the rest take at most ``MOST_BYTES``."""
    used: list[tuple[float, int, Path]] = []
    for path in directory.glob(f"*{SUFFIX}"):
        with suppress(OSError):  # another process may have deleted it
            found = path.stat()
            used.append((found.st_mtime, found.st_size, path))
    total = sum(size for _, size, _ in used)
    for _, size, path in sorted(used):
        if total <= MOST_BYTES:
            break
        with suppress(OSError):
            path.unlink()
        total -= size
    for path in directory.glob(f".*{SUFFIX}.*.part"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > DAY:
                path.unlink()  # a process was killed while it wrote
