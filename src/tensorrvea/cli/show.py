"""``tensorrvea show``."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from tensorrvea.cli.errors import printable
from tensorrvea.cli.plot import load_all
from tensorrvea.runs import read_manifest
from tensorrvea.runs.manifest import NAME, damaged_on_error


@dataclass(kw_only=True)
class Show:
    """Show the spec, sessions and current result of a run directory.

    Example:
      tensorrvea show runs/DTLZ2-TensorRVEA-0
    """

    directory: tyro.conf.Positional[Path]
    """The run directory."""

    def __call__(self) -> None:
        manifest, _ = read_manifest(self.directory)
        with damaged_on_error(self.directory / NAME):
            lines = list(_manifest_lines(manifest))
        for line in lines:
            print(printable(line))
        for result in load_all([self.directory]):
            print(printable(f"result      {result!r}"))
            for name, values in result.history.metrics.items():
                print(printable(f"{name:<11} {values[-1]:.6g}"))


def _manifest_lines(manifest: dict[str, Any]) -> Iterator[str]:
    spec = manifest["spec"]
    yield f"problem     {_describe_part(spec['problem'])}"
    yield f"algorithm   {_describe_part(spec['algorithm'])}"
    yield f"budget      {', '.join(f'{value} {name}' for name, value in spec['budget'].items())}"
    yield f"seeds       {', '.join(map(str, spec['seeds']))}"
    for extension in manifest["extended"]:
        yield f"extended    at generation {extension['generation']}"
    for session in manifest["sessions"]:
        versions = session["versions"]
        yield (
            f"session     from generation {session['from']}, {session['started']} to {session['ended'] or '?'}, "
            f"{session['device']['kind']}, jax {versions.get('jax')}, tensorrvea {versions.get('tensorrvea')}"
        )


def _describe_part(part: dict[str, Any]) -> str:
    """Format a part of a spec on one line.

    >>> _describe_part({"name": "DTLZ2", "settings": {"objectives": 3}})
    'DTLZ2(objectives=3)'
    """
    if "own" in part:
        own = part["own"]
        return f"{own['name'] if isinstance(own, dict) else own} (user-defined)"
    settings = (
        f"{name}={_describe_part(value) if isinstance(value, dict) and ('name' in value or 'own' in value) else value}"
        for name, value in part.get("settings", {}).items()
    )
    return f"{part.get('name')}({', '.join(settings)})"
