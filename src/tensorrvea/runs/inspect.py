"""What is sound in a run directory, and going back to the last sound state."""

import shutil
from pathlib import Path
from typing import Any, NamedTuple

from tensorrvea.runs import checkpoint
from tensorrvea.runs.arrays import read_arrays
from tensorrvea.runs.errors import DamagedError, RunError
from tensorrvea.runs.files import locked
from tensorrvea.runs.latest import digest_of
from tensorrvea.runs.manifest import COPIES, INPUTS, NAME, RESULT, damaged_on_error, read_one_manifest, write_manifest


class Finding(NamedTuple):
    """A file of a run directory, and what is wrong with it; nothing if the text is empty."""

    name: str
    problem: str


def inspect_run(directory: Path) -> list[Finding]:
    """Check every file of a run directory against its checksum. Nothing is computed, and nothing is changed."""
    findings: list[Finding] = []
    manifest = None
    for name in (NAME, COPIES[NAME]):
        found, problem = _try(read_one_manifest, directory / name)
        manifest = manifest or found
        findings.append(Finding(name, problem))
    if manifest is None:
        return findings
    for name in (INPUTS, COPIES[INPUTS]) if manifest.get("inputs") is not None else ():
        findings.append(Finding(name, _try(read_arrays, directory / name, manifest["inputs"])[1]))
    if manifest.get("result") is not None:
        findings.append(Finding(RESULT, _try(read_arrays, directory / RESULT, manifest["result"])[1]))
    segments: dict[str, dict[str, Any]] = {}
    for generation in checkpoint.saved_generations(directory):
        name = checkpoint.state_name(generation)
        content, problem = _try(checkpoint.describe_checkpoint, directory, generation, digest_of(manifest))
        findings.append(Finding(f"{name}.json", problem))
        if content is not None:
            findings.append(Finding(f"{name}.npz", _try(read_arrays, directory / f"{name}.npz", content["carry"])[1]))
            segments |= {checkpoint.segment_name(one["first"], one["last"]): one for one in content["history"]}
    findings += [Finding(name, _try(read_arrays, directory / name, one)[1]) for name, one in sorted(segments.items())]
    return findings


def repair_run(directory: Path) -> list[str]:
    """Go back to the last sound state, and return what was done. Nothing is deleted: damaged files are moved away.

    What is kept twice is restored from its copy. A run whose last checkpoint is damaged continues from the one before,
    and a lost history costs the history only.
    """
    with locked(directory):
        findings = inspect_run(directory)
        unsound = [finding.name for finding in findings if finding.problem]
        if NAME in unsound and COPIES[NAME] in unsound:
            raise RunError(f"{directory} cannot be repaired: {NAME} and its copy are both damaged")
        done = []
        place = _new_place(directory) if unsound else directory
        # The state of a checkpoint is of no use without its description, and the other way round.
        states = {Path(name).stem for name in unsound if name.startswith("checkpoint")}
        for name in dict.fromkeys([*unsound, *(f"{state}.{kind}" for state in states for kind in ("json", "npz"))]):
            path = directory / name
            if path.exists() or path.is_symlink():
                path.rename(place / name)
                done.append(f"moved {name} to {place.name}")
        for name, copy in COPIES.items():
            for lost, kept in ((name, copy), (copy, name)):
                if lost in unsound and kept not in unsound:
                    shutil.copyfile(directory / kept, directory / lost)
                    done.append(f"restored {lost} from {kept}")
        done += _correct_end(directory, unsound)
    return done


def _correct_end(directory: Path, unsound: list[str]) -> list[str]:
    """Mark a run as not finished if its result, or its last checkpoint, is lost."""
    manifest = read_one_manifest(directory / NAME)
    left, ended = checkpoint.saved_generations(directory), manifest.get("ended")
    if ended is None or (RESULT not in unsound and left and left[0] == ended["generation"]):
        return []
    write_manifest(directory, manifest | {"ended": None, "result": None})
    return ["marked the run as not finished: resume it to compute its result again"]


def _new_place(directory: Path) -> Path:
    number = 1
    while (directory / f"damaged-{number}").exists():
        number += 1
    (directory / f"damaged-{number}").mkdir()
    return directory / f"damaged-{number}"


def _try(read: Any, path: Path, *arguments: Any) -> tuple[Any, str]:
    """Return what a reader returns, and an empty text; or None, and why it failed."""
    try:
        with damaged_on_error(path):
            return read(path, *arguments), ""
    except DamagedError as error:
        return None, str(error)
