"""The manifest: the spec of a run, its sessions (machine, versions, times), and how it ended."""

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jax

from tensorrvea.optional import installed_versions
from tensorrvea.runs.arrays import read_arrays, write_arrays
from tensorrvea.runs.errors import DamagedError, RunError
from tensorrvea.runs.files import digest, read_json, write_json
from tensorrvea.runs.spec import Arrays, Spec

SCHEMA = 4
NAME = "manifest.json"
INPUTS = "inputs.npz"
PACKAGES = ("tensorrvea", "jax", "jaxlib", "numpy", "scipy", "brax", "mujoco", "mujoco-mjx")
# Besides the spec, these determine the bits of a result.
DECISIVE = (("versions", "tensorrvea"), ("versions", "jax"), ("versions", "jaxlib"), ("device", "kind"))


def new_manifest(spec: Spec, arrays: Arrays, directory: Path) -> dict[str, Any]:
    """Create the manifest of a new run, and write the arrays of its spec."""
    inputs = write_arrays(directory / INPUTS, arrays) if arrays else None
    return {"schema": SCHEMA, "spec": spec, "inputs": inputs, "extended": [], "sessions": [], "ended": None}


def read_manifest(directory: Path) -> tuple[dict[str, Any], Arrays]:
    """Read and check the manifest of a directory, and the arrays of its spec."""
    path = directory / NAME
    if not path.is_file():
        raise RunError(f"{directory} is not a run directory: it has no {NAME}")
    manifest = read_checked(path)
    if not _is_manifest(manifest):
        raise DamagedError(f"{path} is not a manifest")
    inputs = manifest.get("inputs")
    with damaged_on_error(path):
        return manifest, {} if inputs is None else read_arrays(directory / INPUTS, inputs)


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
    if content.get("schema") != SCHEMA:
        raise DamagedError(f"{path} has schema {content.get('schema')!r:.20}, but this version reads schema {SCHEMA}")
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
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs",
    }
    previous = manifest["sessions"][-1] if manifest["sessions"] else session
    manifest["sessions"].append(session)
    values = ((name, previous[group].get(name), session[group].get(name)) for group, name in DECISIVE)
    return [f"{name} {old} then, {new} now" for name, old, new in values if old != new]


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
