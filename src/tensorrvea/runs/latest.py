"""The latest checkpoint of a directory that can be used."""

import warnings
from pathlib import Path
from typing import Any

from tensorrvea.driver.search import Search
from tensorrvea.runs import checkpoint
from tensorrvea.runs.errors import DamagedError
from tensorrvea.runs.migrate import spec_digest

# How often the checkpoints are listed again if some have vanished while they were read.
LISTINGS = 20

Found = tuple[dict[str, Any], checkpoint.Saved] | tuple[None, None]


def find_latest(search: Search, directory: Path, manifest: dict[str, Any]) -> Found:
    """Return the description and the content of the latest undamaged checkpoint; None if there is no checkpoint.

    A run that is written meanwhile removes old checkpoints, so that those of a listing may have vanished; then they are
    listed again. If no checkpoint has all of its history, the latest one with an undamaged state is returned.
    """
    problems: list[str] = []
    for _ in range(LISTINGS):
        generations = checkpoint.saved_generations(directory)
        for with_history in (True, False):
            problems = []
            for generation in generations:
                try:
                    found = _read(search, directory, manifest, generation, with_history=with_history)
                except DamagedError as error:
                    problems.append(str(error))
                    continue
                if problems:
                    text = f"{problems[0]}; the checkpoint before it, of generation {generation}, is used"
                    warnings.warn(text, stacklevel=8)
                return found
            if checkpoint.saved_generations(directory) != generations:
                break  # list them again
        else:
            break
    if problems:
        raise DamagedError(f"{directory} has no undamaged checkpoint: " + "; ".join(problems))
    return None, None


def _read(search: Search, directory: Path, manifest: dict[str, Any], generation: int, *, with_history: bool) -> Found:
    content = checkpoint.describe_checkpoint(directory, generation, digest_of(manifest))
    saved = checkpoint.read(search, directory, content, with_history=with_history)
    extended = manifest["extended"]
    if extended and extended[-1]["generation"] >= generation:  # it ended, and then got a larger budget
        saved = saved._replace(stopped="")
    if saved.lost:
        warnings.warn(f"{saved.lost}; the run continues, and its history of these generations is empty", stacklevel=8)
        content = content | {"history": []}  # the next checkpoint writes all of it
    return content, saved


def digest_of(manifest: dict[str, Any]) -> str:
    """Return what ties checkpoints to a run: its spec without the budget and the sources, which may change."""
    return manifest.get("spec_digest") or spec_digest(manifest["spec"])
