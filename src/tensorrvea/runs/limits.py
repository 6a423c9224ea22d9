"""Bounds on what a manifest may claim, checked before anything of that size is built."""

import stat
from pathlib import Path
from typing import Any

from tensorrvea.runs.errors import DamagedError

# The most that a manifest may claim. Larger runs can be started and resumed by their script, which does not build
# anything from a manifest.
MOST = {"population": 2**26, "variables": 2**24, "objectives": 10_000, "archive": 2**26}
MOST_ELEMENTS = 2**36
MOST_PARTS = 1000
MOST_SEEDS = 2**20
# For numbers without a limit of their own, such as the sizes of a network's layers.
MOST_OTHERWISE = 2**31
UNLIMITED = ("seeds", "start_seed", "budget", "every")
BYTES_PER_ELEMENT = 4


def check_claims(spec: dict[str, Any], directory: Path) -> None:
    """Refuse a spec of sizes that no run has, or that the checkpoints of its directory do not hold."""
    for part in ("metrics", "stop"):
        if len(spec.get(part) or ()) > MOST_PARTS:
            raise DamagedError(f"the manifest claims {len(spec[part])} {part}; at most {MOST_PARTS} are read")
    if isinstance(spec.get("seeds"), list) and len(spec["seeds"]) > MOST_SEEDS:
        raise DamagedError(f"the manifest claims {len(spec['seeds'])} seeds; at most {MOST_SEEDS} are read")
    _check_numbers(spec, "")
    sizes = _sizes(spec)
    rows = max(sizes["population"] * sizes["variables"], sizes["objectives"])
    elements = rows * max(len(spec.get("seeds") or ()), 1)
    if elements > MOST_ELEMENTS:
        raise DamagedError(f"the manifest claims {elements} variables in all; at most {MOST_ELEMENTS} are read")
    files = [path.lstat() for path in directory.glob("checkpoint-*.npz")]
    held = [status.st_size for status in files if stat.S_ISREG(status.st_mode)]
    if held and elements * BYTES_PER_ELEMENT > max(held):
        raise DamagedError(
            f"the manifest claims populations of at least {elements * BYTES_PER_ELEMENT} bytes, but no checkpoint in "
            f"{directory} has more than {max(held)}"
        )


def _check_numbers(content: Any, name: str) -> None:
    if isinstance(content, dict):
        for key, value in content.items():
            if key not in UNLIMITED:
                _check_numbers(value, str(key))
    elif isinstance(content, list):
        for value in content:
            _check_numbers(value, name)
    elif isinstance(content, int) and content > MOST.get(name, MOST_OTHERWISE):
        raise DamagedError(f"the manifest claims {name} {content}; at most {MOST.get(name, MOST_OTHERWISE)} is read")


def _sizes(spec: dict[str, Any]) -> dict[str, int]:
    """The sizes that are given as numbers; 1 where a part has none, such as a robot's number of variables."""
    problem, algorithm = spec.get("problem"), spec.get("algorithm")
    problem = problem if isinstance(problem, dict) else {}
    described = problem.get("own", problem.get("settings"))
    settings = algorithm.get("settings") if isinstance(algorithm, dict) else None
    both = {
        **(described if isinstance(described, dict) else {}),
        **({"population": settings.get("population")} if isinstance(settings, dict) else {}),
    }
    return {name: max(both[name], 1) if isinstance(both.get(name), int) else 1 for name in MOST}
