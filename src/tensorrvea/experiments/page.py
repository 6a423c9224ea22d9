"""The results page: what each experiment has found, beside what the paper claims."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tensorrvea.runs.files import read_json, write_whole

INTRODUCTION = """# Results

The paper's four experiments, made by `tensorrvea reproduce` on the machine that is named with each. Beside each claim
of the paper stands what was found here, also where it differs. Sizes, budgets and repetitions of each scale are in
`src/tensorrvea/experiments/plans.py`; raw results, CSV and LaTeX tables are written beside the figures.
"""


def write_page(directories: Sequence[str | Path], page: str | Path, images: str | Path | None = None) -> Path:
    """Writes the page of the experiments in ``directories``, with their figures copied to ``images``."""
    page = Path(page)
    every = {directory: read_findings(Path(directory)) for directory in directories}
    names = [found["experiment"] for found in every.values()]
    if len(set(names)) < len(names):
        raise ValueError(f"a page has each experiment once, got {', '.join(names)}")
    pictures = Path(images) if images is not None else page.parent / "images" / "results"
    pictures.mkdir(parents=True, exist_ok=True)
    parts = [INTRODUCTION]
    for directory, found in every.items():
        parts.append(section(Path(directory), found, page, pictures))
    with write_whole(page) as stream:
        stream.write("\n".join(parts).encode())
    return page


def read_findings(directory: Path) -> dict[str, Any]:
    found = read_json(directory / "findings.json")
    if not all("panels" in figure for figure in found["figures"]):
        raise ValueError(f"{directory} is of another version: run its experiment again, which reads the runs it has")
    return found


def section(directory: Path, found: dict[str, Any], page: Path, pictures: Path) -> str:
    name, machine = found["experiment"], found["machine"]
    lines = [
        f"## {name.capitalize()}",
        "",
        "```sh",
        found.get("command") or f"tensorrvea reproduce {name} --scale {found['scale']}",
        "```",
        "",
        f"On {machine['cpu']}, {machine['cores']} cores; devices: {_counted(machine['devices'])}; "
        f"jax {machine['versions'].get('jax')}.",
        "",
        "| the paper | here | holds here |",
        "|---|---|---|",
        *(f"| {claim['paper']} | {claim['here']} | {'yes' if claim['holds'] else 'no'} |" for claim in found["claims"]),
        "",
    ]
    for note in found["notes"]:
        lines += [f"- {note}"]
    lines += [""] if found["notes"] else []
    for table in found["tables"]:
        lines += [(directory / f"{table}.md").read_text()]
    for figure in found["figures"]:
        lines += [
            "<p>",
            *(_panel(directory, name, title, file, page, pictures) for title, file in figure["panels"].items()),
        ]
        lines += ["</p>", "", f"*{figure['caption']}*", ""]
    return "\n".join(lines)


def _panel(directory: Path, experiment: str, title: str, file: str, page: Path, pictures: Path) -> str:
    """A picture, copied to where the page has its own; two fit beside each other."""
    target = pictures / f"{experiment}_{file}.svg"
    shutil.copyfile(directory / f"{file}.svg", target)
    return f'<img src="{target.relative_to(page.parent).as_posix()}" alt="{title}" width="49%">'


def _counted(devices: dict[str, int]) -> str:
    return ", ".join(f"{count} × {kind}" for kind, count in devices.items())
