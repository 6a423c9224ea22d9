"""The manifest: the spec of a run, its sessions (machine, versions, times), and how it ended."""

import os
import platform
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import jax

from tensorrvea.checks import hint
from tensorrvea.optional import installed_versions
from tensorrvea.runs.arrays import read_arrays, write_arrays
from tensorrvea.runs.errors import DamagedError, RunError
from tensorrvea.runs.files import as_path, digest, read_json, write_json
from tensorrvea.runs.migrate import BEFORE, add_later_settings, migrate_manifest
from tensorrvea.runs.processor import describe_processor
from tensorrvea.runs.spec import Arrays, Spec

SCHEMA = 4
NAME = "manifest.json"
INPUTS = "inputs.npz"
RESULT = "result.npz"
# What a resume needs is kept twice.
COPIES = {NAME: "manifest.copy.json", INPUTS: "inputs.copy.npz"}
PACKAGES = ("tensorrvea", "jax", "jaxlib", "numpy", "scipy", "brax", "mujoco", "mujoco-mjx")
# Besides the spec, these determine the bits of a result.
DECISIVE = (
    ("versions", "tensorrvea"), ("versions", "jax"), ("versions", "jaxlib"), ("device", "kind"),
    ("processor", "model"), ("processor", "instructions"), ("processor", "XLA_FLAGS"),
)  # fmt: skip

T = TypeVar("T")


def new_manifest(spec: Spec, arrays: Arrays, directory: Path) -> dict[str, Any]:
    """Create the manifest of a new run, and write the arrays of its spec."""
    inputs = None
    if arrays:
        inputs = write_arrays(directory / INPUTS, arrays)
        write_arrays(directory / COPIES[INPUTS], arrays)
    return {
        "schema": SCHEMA, "spec": spec, "inputs": inputs, "extended": [], "sessions": [], "ended": None, "result": None,
    }  # fmt: skip


def write_manifest(directory: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest, and then its copy."""
    for name in (NAME, COPIES[NAME]):
        write_checked(directory / name, manifest)


def has_manifest(directory: Path) -> bool:
    try:
        return any((directory / name).exists() or (directory / name).is_symlink() for name in (NAME, COPIES[NAME]))
    except OSError as error:  # such as a name that is too long
        raise RunError(f"directory {str(directory)!r:.80} cannot be opened: {error.strerror}") from error


def require_run(directory: Path) -> None:
    """Refuse a directory that has no manifest."""
    if not has_manifest(directory):
        if not directory.exists():
            raise RunError(f"{directory} does not exist{_nearby(directory)}")
        raise RunError(f"{directory} is not a run directory: it has no {NAME}")


def _nearby(directory: Path) -> str:
    """Suggest a run directory of a similar name."""
    parent = directory.parent
    return hint(directory.name, tuple(path.name for path in parent.iterdir())) if parent.is_dir() else ""


def read_manifest(directory: Path) -> tuple[dict[str, Any], Arrays]:
    """Read and check the manifest of a directory, and the arrays of its spec; from their copies if they are damaged.

    Args:
      directory: the run directory.

    Returns:
      The manifest, and the larger arrays of its spec by name.

    Raises:
      RunError: if there is no run.
      DamagedError: if both the manifest and its copy are damaged.

    Example::

        manifest, arrays = read_manifest(Path("runs/mine"))
        manifest["sessions"][0]["started"]
    """
    directory = as_path(directory)
    require_run(directory)
    manifest = _from_either(directory, NAME, read_one_manifest)
    inputs = manifest.get("inputs")
    if inputs is None:
        return manifest, {}
    with damaged_on_error(directory / NAME):
        return manifest, _from_either(directory, INPUTS, lambda path: read_arrays(path, inputs))


def _from_either(directory: Path, name: str, read: Callable[[Path], T]) -> T:
    try:
        return read(directory / name)
    except DamagedError as error:
        try:
            content = read(directory / COPIES[name])
        except DamagedError:
            raise error from None
        warnings.warn(f"{error}; its copy {COPIES[name]} is used", stacklevel=8)
        return content


def read_one_manifest(path: Path) -> dict[str, Any]:
    manifest = read_checked(path)
    if not _is_manifest(manifest):
        raise DamagedError(f"{path} is not a manifest")
    return migrate_manifest(manifest, SCHEMA) if manifest["schema"] == BEFORE else add_later_settings(manifest)


def _is_manifest(content: dict[str, Any]) -> bool:
    """Whether the entries that readers use without further checks have the right types."""
    sessions, extended = content.get("sessions"), content.get("extended")
    if not isinstance(content.get("spec"), dict) or not isinstance(sessions, list) or not isinstance(extended, list):
        return False
    entries = (*sessions, *extended)
    if not all(isinstance(entry, dict) and isinstance(entry.get("generation"), int) for entry in entries):
        return False
    return all(isinstance(session.get(name), dict) for session in sessions for name in ("versions", "device"))


def read_checked(path: Path) -> dict[str, Any]:
    """Read JSON that ``write_checked`` wrote, if its schema is known and its checksum correct."""
    content = read_json(path)
    if content.get("schema") not in (BEFORE, SCHEMA):
        schema = f"{content.get('schema')!r:.20}"
        raise DamagedError(f"{path} has schema {schema}, but this version reads schemas {BEFORE} and {SCHEMA}")
    if content.pop("checksum", None) != digest(content):
        raise DamagedError(f"{path} is damaged or was edited: its checksum does not match its content")
    return content


def write_checked(path: Path, content: dict[str, Any]) -> None:
    write_json(path, {**content, "checksum": digest(content)})


@contextmanager
def damaged_on_error(path: Path) -> Iterator[None]:
    """Convert errors from content of the wrong type into a DamagedError that names ``path``."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, MemoryError, IndexError) as error:
        raise DamagedError(f"{path} does not describe a run: {type(error).__name__}: {error!s:.300}") from error


def add_session(manifest: dict[str, Any], generation: int) -> list[str]:
    """Add this machine and its versions, from ``generation`` on; return what differs from the previous session.

    Only differences that can change the bits of results count.
    """
    device = jax.devices()[0]
    session: dict[str, Any] = {
        "from": generation,
        "started": now(),
        "ended": None,
        "generation": generation,
        "versions": installed_versions(PACKAGES),
        "device": {"platform": device.platform, "kind": device.device_kind, "count": jax.device_count()},
        "processor": describe_processor(),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs",
    }
    previous = manifest["sessions"][-1] if manifest["sessions"] else session
    manifest["sessions"].append(session)
    known = [(group, name) for group, name in DECISIVE if isinstance(previous.get(group), dict)]
    values = ((name, previous[group].get(name), session[group].get(name)) for group, name in known)
    return [f"{name} {old or 'none'} then, {new or 'none'} now" for name, old, new in values if old != new]


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
