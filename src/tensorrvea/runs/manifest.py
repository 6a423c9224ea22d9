"""The manifest: the spec of a run, its sessions (machine, versions, times), and how it ended."""

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import jax

from tensorrvea.runs.arrays import read_arrays, write_arrays
from tensorrvea.runs.errors import DamagedError, RunError
from tensorrvea.runs.files import digest, read_json, write_json
from tensorrvea.runs.spec import Arrays, Spec

SCHEMA = 3
NAME = "manifest.json"
INPUTS = "inputs.npz"
PACKAGES = ("tensorrvea", "jax", "jaxlib", "numpy", "scipy", "brax", "mujoco", "mujoco-mjx")
# Besides the spec, these determine the bits of a result.
DECISIVE = ("versions.tensorrvea", "versions.jax", "versions.jaxlib", "device.kind")


def new_manifest(spec: Spec, arrays: Arrays, directory: Path) -> dict[str, Any]:
    """Create the manifest of a new run, and write the arrays of its spec."""
    inputs = write_arrays(directory / INPUTS, arrays) if arrays else None
    return {"schema": SCHEMA, "spec": spec, "inputs": inputs, "extended": [], "sessions": [], "ended": None}


def write_manifest(directory: Path, manifest: dict[str, Any]) -> None:
    write_json(directory / NAME, {**manifest, "checksum": _digest_without_checksum(manifest)})


def read_manifest(directory: Path) -> tuple[dict[str, Any], Arrays]:
    """Read and check the manifest of a directory, and the arrays of its spec."""
    path = directory / NAME
    if not path.is_file():
        raise RunError(f"{directory} is not a run directory: it has no {NAME}")
    manifest = read_json(path)
    check_schema(manifest, path)
    check_own_digest(manifest, path)
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


def check_schema(content: dict[str, Any], path: Path) -> None:
    if content.get("schema") != SCHEMA:
        raise DamagedError(f"{path} has schema {content.get('schema')!r:.20}, but this version reads schema {SCHEMA}")


def check_own_digest(content: dict[str, Any], path: Path) -> None:
    if content.get("checksum") != _digest_without_checksum(content):
        raise DamagedError(f"{path} is damaged or was edited: its checksum does not match its content")


def _digest_without_checksum(content: dict[str, Any]) -> str:
    return digest({key: value for key, value in content.items() if key != "checksum"})


@contextmanager
def damaged_on_error(path: Path) -> Iterator[None]:
    """Convert errors from content of the wrong type into a DamagedError that names ``path``."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, MemoryError, IndexError) as error:
        raise DamagedError(f"{path} does not describe a run: {type(error).__name__}: {error!s:.300}") from error


def new_session(generation: int) -> dict[str, Any]:
    """Describe the machine and versions of a session that starts at ``generation``."""
    device = jax.devices()[0]
    return {
        "from": generation,
        "started": now(),
        "ended": None,
        "generation": generation,
        "versions": installed_versions(),
        "device": {"platform": device.platform, "kind": device.device_kind, "count": jax.device_count()},
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs",
    }


def session_changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """List the differences between two sessions that can change the bits of results."""

    def find(session: dict[str, Any], path: str) -> Any:
        group, name = path.split(".")
        return session.get(group, {}).get(name)

    pairs = ((path, find(before, path), find(after, path)) for path in DECISIVE)
    return [f"{path.split('.')[1]} {old} then, {new} now" for path, old, new in pairs if old != new]


def installed_versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
