"""One self-contained HTML page from runs: no network, no server, no other file."""

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

import tensorrvea
from tensorrvea.checks import shown
from tensorrvea.decision import binding_slack
from tensorrvea.report.indicators import add_indicators, known_true_front, recorded_fronts
from tensorrvea.report.packing import pack, pack_16_bit, pack_integers, safe_json, thin, to_json_value
from tensorrvea.report.progress_charts import progress_charts
from tensorrvea.report.records import Part, Replay, Run

# In order of dependence.
SCRIPTS = (
    "text", "data", "decision", "state", "canvas", "dots", "lines", "scatter", "parallel", "front", "marks", "controls",
    "pointer", "choose", "export", "tray", "robot", "space", "solids", "replay", "progress", "provenance", "main",
)  # fmt: skip

MAX_X_BYTES = 5_000_000
MAX_F_BYTES = 5_000_000
MAX_FRONTS_BYTES = 1_000_000
MAX_FRONTS = 60
MAX_FRAMES = 1000


class Page(NamedTuple):
    """The page, and whether it needs a CSV file with what it could not hold."""

    html: str
    needs_csv: bool


def make_page(runs: Sequence[Run], *, title: str, stem: str) -> Page:
    """Make one page from runs of one problem, with unique labels; ``stem`` names the CSV file and downloads."""
    _check_runs(runs)
    data, needs_csv = page_data(runs, title=title, stem=stem)
    return Page(html=_assemble(safe_json(data)), needs_csv=needs_csv)


def page_data(runs: Sequence[Run], *, title: str, stem: str) -> tuple[dict[str, Any], bool]:
    """The data that the page's script reads, and whether a CSV file is needed."""
    groups = list(dict.fromkeys(run.algorithm for run in runs))
    with_indicators = add_indicators(runs)
    keep = _rows_to_keep(runs)
    packed_x = [pack(run.X[rows]) for run, rows in zip(runs, keep, strict=True)]
    x_bytes = sum(len(x["data"]) for x in packed_x)
    with_x = x_bytes <= MAX_X_BYTES
    csv_name = f"{stem}.csv"
    notes = []
    total, kept = sum(len(run.F) for run in runs), sum(len(rows) for rows in keep)
    if kept < total:
        notes.append(f"This page holds a uniform sample of {kept:,} of {total:,} solutions; all are in {csv_name}.")
    if not with_x:
        size = f"{x_bytes / 1e6:,.0f} MB"
        notes.append(f"The decision vectors would take {size}: they are in {csv_name}, next to this page.")
    truth = known_true_front(runs)
    data = {
        "version": tensorrvea.__version__,
        "title": title,
        "stem": stem,
        "notes": notes,
        "csvFile": csv_name if notes else None,
        "objectives": [
            {"name": name, "unit": unit, "direction": direction}
            for name, unit, direction in zip(*runs[0].objective_settings.values(), strict=True)
        ],
        "constraints": _constraints(runs),
        "variables": list(max(runs, key=lambda run: run.X.shape[1]).variable_names),
        "groups": groups,
        "trueFront": None if truth is None else pack_16_bit(thin(np.asarray(truth), 5000)),
        "progress": progress_charts(with_indicators.runs, groups),
        "progressNote": with_indicators.note,
        "runs": [
            {
                "label": run.label,
                "group": groups.index(run.algorithm),
                "F": pack(run.F[rows]),
                "X": x if with_x and run.X.shape[1] else None,
                "violation": pack(run.violation[rows]) if np.any(run.violation[rows]) else None,
                "G": pack(run.constraints[rows]) if run.constraint_names else None,
                "rows": pack_integers(rows) if len(rows) < len(run.F) else None,
                "fronts": _fronts(run, len(runs)),
                "replays": [_replay(replay, rows) for replay in run.replays],
                "provenance": to_json_value({"problem": run.problem, "algorithm": run.algorithm, **run.provenance}),
            }
            for run, rows, x in zip(runs, keep, packed_x, strict=True)
        ],
    }  # fmt: skip
    return data, bool(notes)


def asset(name: str) -> str:
    """Read an asset with the line ends that browsers see, since its hash has to match."""
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8").replace("\r\n", "\n")


def _assemble(data: str) -> str:
    style = asset("page.css")
    script = "\n".join(f"// ---- {name}.js\n{asset(f'js/{name}.js')}" for name in SCRIPTS)
    for forbidden in ("</script", "<!--", "</style"):
        if forbidden in script or forbidden in style:
            raise RuntimeError(f"the page's own script and style must not contain {forbidden!r}")
    # Allow only this script and style; forbid loading, sending, framing, and turning text into markup.
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    page = asset("page.html")
    for mark, text in (("@CSP@", policy), ("@STYLE@", style), ("@SCRIPT@", script), ("@DATA@", data)):
        if page.count(mark) != 1:
            raise RuntimeError(f"page.html must contain {mark} exactly once")
        before, after = page.split(mark)
        page = before + text + after
    return page


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


def _check_runs(runs: Sequence[Run]) -> None:
    if not runs:
        raise ValueError("runs must hold at least one run, got none")
    expected = runs[0].objective_settings
    for run in runs[1:]:
        for name, entries in run.objective_settings.items():
            if entries != expected[name]:
                raise ValueError(
                    f"runs of one page must have the same {name}, got {shown(expected[name])} and {shown(entries)}"
                )
        if tuple(run.constraint_names) != tuple(runs[0].constraint_names):
            names = runs[0].constraint_names, run.constraint_names
            raise ValueError(f"runs of one page must have the same constraint_names, got {shown(names)}")
    labels = [run.label for run in runs]
    repeated = next((label for label in labels if labels.count(label) > 1), None)
    if repeated is not None:
        raise ValueError(f"every run of a page needs a unique label, got {shown(repeated)} twice")
    if sum(len(run.F) for run in runs) == 0:
        raise ValueError("runs must hold at least one solution, got none")


def _constraints(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """The constraints' names, and the slack up to which each of them binds."""
    known = [run.constraint_scale for run in runs if run.constraint_scale is not None]
    scale = np.max(known, axis=0) if known else None
    limits = binding_slack(np.concatenate([run.constraints for run in runs]), scale=scale)
    return [{"name": name, "binds": float(s)} for name, s in zip(runs[0].constraint_names, limits, strict=True)]


def _rows_to_keep(runs: Sequence[Run]) -> list[np.ndarray]:
    """All rows, or a uniform sample within the size limit that includes the extremes and replayed solutions."""
    total = sum(len(run.F) for run in runs)
    budget = MAX_F_BYTES * 3 // 4 // (4 * runs[0].F.shape[1])
    if total <= budget:
        return [np.arange(len(run.F)) for run in runs]
    keep = []
    for run in runs:
        rows = thin(np.arange(len(run.F)), max(1, budget * len(run.F) // total))
        extremes = [*run.F.argmin(axis=0), *run.F.argmax(axis=0)] if len(run.F) else []
        replayed = [replay.solution for replay in run.replays]
        keep.append(np.unique(np.array([*rows, *extremes, *replayed], dtype=int)))
    return keep


def _fronts(run: Run, runs: int) -> list[dict[str, Any]]:
    """Recorded fronts for the generation slider, within the size limit of the page."""
    recorded = recorded_fronts(run)
    chosen = [recorded[i] for i in thin(np.arange(len(recorded)), MAX_FRONTS)]
    if not chosen:
        return []
    points = max(20, MAX_FRONTS_BYTES * 3 // 4 // (2 * chosen[0][1].shape[1] * len(chosen) * runs))
    return [{"generation": t, "F": pack_16_bit(thin(F, points))} for t, F in chosen]


def _replay(replay: Replay, rows: np.ndarray) -> dict[str, Any]:
    is_planar = replay.poses is None
    frames = np.asarray(replay.ends if replay.poses is None else replay.poses, dtype=float)
    step = -(-len(frames) // MAX_FRAMES)
    return {
        "solution": int(np.searchsorted(rows, replay.solution)),
        "seconds": float(replay.seconds * step),
        "ground": bool(replay.ground),
        "parts": [_part(part, is_planar=is_planar) for part in replay.parts],
        "returns": None if replay.returns is None else [float(value) for value in replay.returns],
        "ends" if is_planar else "poses": pack_16_bit(frames[::step]),
    }


def _part(part: Part, *, is_planar: bool) -> dict[str, Any]:
    known: dict[str, Any] = {"radius": float(part.radius), "fixed": bool(part.fixed), "far": bool(part.far)}
    return known if is_planar else known | {"kind": part.kind, "size": [float(half) for half in part.size or ()]}
