"""The results page: the findings of each experiment beside the paper's claims."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tensorrvea.atomic import write_text
from tensorrvea.experiments.findings import verdict
from tensorrvea.runs.files import read_json

INTRODUCTION = """# Results of scale {scale}

The paper's experiments, run by `tensorrvea reproduce` on the machine named in each section. Each claim of the
paper is shown with the values measured here, including where it does not hold; one about a device that the machine does
not have is not tested. Sizes, budgets and repetitions of each scale are in `src/tensorrvea/experiments/plans.py`; the
command also writes raw results and tables as CSV and LaTeX.
"""


def write_page(directories: Sequence[str | Path], page: str | Path, images: str | Path | None = None) -> Path:
    """Write a page on the experiments in ``directories``, and copy their figures to ``images``."""
    page = Path(page)
    experiments = {Path(directory): read_findings(Path(directory)) for directory in directories}
    names = [findings["experiment"] for findings in experiments.values()]
    if len(set(names)) < len(names):
        raise ValueError(f"a page takes each experiment once, got {', '.join(names)}")
    image_directory = Path(images) if images is not None else page.parent / "images" / page.stem
    image_directory.mkdir(parents=True, exist_ok=True)
    sections = [section(directory, found, page, image_directory) for directory, found in experiments.items()]
    scales = dict.fromkeys(findings["scale"] for findings in experiments.values())
    write_text(page, "\n".join([INTRODUCTION.format(scale=", ".join(scales)), *sections]))
    return page


def read_findings(directory: Path) -> dict[str, Any]:
    findings = read_json(directory / "findings.json")
    if not all("panels" in figure for figure in findings["figures"]):
        raise ValueError(f"{directory} was written by another version; run its experiment again to update it")
    return findings


def section(directory: Path, findings: dict[str, Any], page: Path, images: Path) -> str:
    name, machine = findings["experiment"], findings["machine"]
    devices = ", ".join(f"{count} × {kind}" for kind, count in machine["devices"].items())
    lines = [
        f"## {name.capitalize()}",
        "",
        "```sh",
        findings.get("command") or f"tensorrvea reproduce {name} --scale {findings['scale']}",
        "```",
        "",
        f"On {machine['cpu']}, {machine['cores']} cores; devices: {devices}; jax {machine['versions'].get('jax')}.",
        "",
        "| the paper | here | holds here |",
        "|---|---|---|",
        *(f"| {c['paper']} | {c['here']} | {verdict(c['holds'])} |" for c in findings["claims"]),
        "",
    ]
    if findings["notes"]:
        lines += [*(f"- {note}" for note in findings["notes"]), ""]
    lines += [(directory / f"{table}.md").read_text() for table in findings["tables"]]
    for figure in findings["figures"]:
        lines.append("<p>")
        for title, file in figure["panels"].items():
            image = images / f"{name}_{file}.svg"
            shutil.copyfile(directory / f"{file}.svg", image)
            lines.append(f'<img src="{image.relative_to(page.parent).as_posix()}" alt="{title}" width="49%">')
        lines += ["</p>", "", f"*{figure['caption']}*", ""]
    return "\n".join(lines)
