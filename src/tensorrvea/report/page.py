"""Runs into one HTML page that needs nothing else: no network, no server, no other file."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from tensorrvea import __version__
from tensorrvea.report.bands import progress_charts
from tensorrvea.report.indicators import with_indicators
from tensorrvea.report.packing import pack, pack_for_drawing, pack_integers, plain, safe_json
from tensorrvea.report.payload import Replay, Run

# In this order: each may use what comes before it when the page starts.
SCRIPTS = (
    "text", "data", "decision", "state", "canvas", "dots", "lines", "scatter", "parallel", "front", "marks", "controls",
    "pointer", "choose", "export", "tray", "robot", "replay", "progress", "provenance", "main",
)  # fmt: skip

MOST_X_BYTES = 5_000_000
MOST_F_BYTES = 5_000_000
MOST_FRONTS_BYTES = 1_000_000
MOST_FRONTS = 60
MOST_FRAMES = 1000


@dataclass(frozen=True, kw_only=True)
class Page:
    """The page's text, and whether the decision vectors have to go beside it."""

    html: str
    csv_beside: bool


def make_page(runs: Sequence[Run], *, title: str, stem: str) -> Page:
    """One page for runs of one problem.

    Args:
      runs: with the same objectives, and a label each.
      title: the heading.
      stem: file name without ending, for the CSV beside the page and for downloads.
    """
    _check_together(runs)
    data, csv_beside = page_data(runs, title=title, stem=stem)
    return Page(html=_assemble(safe_json(data)), csv_beside=csv_beside)


def page_data(runs: Sequence[Run], *, title: str, stem: str) -> tuple[dict[str, Any], bool]:
    """What the page's script reads, and whether a CSV has to be written beside the page."""
    groups = list(dict.fromkeys(run.algorithm for run in runs))
    indicated = with_indicators(runs)
    keep = _rows_to_keep(runs)
    thinned = sum(len(rows) for rows in keep) < sum(len(run.F) for run in runs)
    packed_x = [pack(run.X[rows]) for run, rows in zip(runs, keep, strict=True)]
    x_bytes = sum(len(x["data"]) for x in packed_x)
    csv_beside = x_bytes > MOST_X_BYTES or thinned
    with_x = x_bytes <= MOST_X_BYTES
    csv_name = f"{stem}.csv"
    notes = _notes(runs, keep, with_x=with_x, x_bytes=x_bytes, csv_name=csv_name)
    truth = next((run.true_front for run in runs if run.true_front is not None and len(run.true_front)), None)
    widest = max(runs, key=lambda run: run.X.shape[1])
    data = {
        "version": __version__,
        "title": title,
        "stem": stem,
        "notes": notes,
        "csvBeside": csv_name if csv_beside else None,
        "objectives": [
            {"name": name, "unit": unit, "direction": direction}
            for name, unit, direction in zip(
                runs[0].objective_names, runs[0].units, runs[0].directions, strict=True
            )
        ],
        "variables": list(widest.variable_names),
        "groups": groups,
        "trueFront": None if truth is None else pack_for_drawing(_even(np.asarray(truth), 5000)),
        "progress": progress_charts(indicated.runs, groups),
        "progressNote": indicated.note,
        "runs": [
            {
                "label": run.label,
                "group": groups.index(run.algorithm),
                "F": pack(run.F[rows]),
                "X": x if with_x and run.X.shape[1] else None,
                "violation": pack(run.violation[rows]) if np.any(run.violation[rows]) else None,
                "rows": pack_integers(rows) if len(rows) < len(run.F) else None,
                "fronts": _fronts(run, len(runs)),
                "replays": [_replay(replay, rows) for replay in run.replays],
                "provenance": plain({"problem": run.problem, "algorithm": run.algorithm, **run.provenance}),
            }
            for run, rows, x in zip(runs, keep, packed_x, strict=True)
        ],
    }  # fmt: skip
    return data, csv_beside


def asset(name: str) -> str:
    """A file of the page, with line ends as browsers see them, since its hash has to match."""
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8").replace("\r\n", "\n")


def _assemble(data: str) -> str:
    style = asset("page.css")
    script = "\n".join(f"// ---- {name}.js\n{asset(f'js/{name}.js')}" for name in SCRIPTS)
    for forbidden in ("</script", "<!--", "</style"):
        if forbidden in script or forbidden in style:
            raise RuntimeError(f"the page's own script and style must not contain {forbidden!r}")
    # Nothing may be loaded, sent or framed; only this script and this style run; no text may become markup.
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    page = asset("page.html")
    for mark, text in (("@CSP@", policy), ("@STYLE@", style), ("@SCRIPT@", script), ("@DATA@", data)):
        if page.count(mark) != 1:
            raise RuntimeError(f"page.html must have {mark} once")
        before, after = page.split(mark)
        page = before + text + after
    return page


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


def _check_together(runs: Sequence[Run]) -> None:
    if not runs:
        raise ValueError("runs must hold at least one run, got none")
    first = runs[0]
    for run in runs[1:]:
        for name in ("objective_names", "units", "directions"):
            if tuple(getattr(run, name)) != tuple(getattr(first, name)):
                raise ValueError(
                    f"runs of one page must have the same {name}, got {tuple(getattr(first, name))!r:.80} "
                    f"and {tuple(getattr(run, name))!r:.80}"
                )
    labels = [run.label for run in runs]
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise ValueError(f"every run of a page needs a label of its own, got {twice!r:.80} twice")
    if sum(len(run.F) for run in runs) == 0:
        raise ValueError("runs must hold at least one solution, got none")


def _rows_to_keep(runs: Sequence[Run]) -> list[np.ndarray]:
    """All rows; or, of many millions, an even share that always has the extremes and the replayed."""
    total = sum(len(run.F) for run in runs)
    budget = MOST_F_BYTES * 3 // 4 // (4 * runs[0].F.shape[1])
    if total <= budget:
        return [np.arange(len(run.F)) for run in runs]
    keep = []
    for run in runs:
        rows = _even(np.arange(len(run.F)), max(1, budget * len(run.F) // total))
        extremes = [*run.F.argmin(axis=0), *run.F.argmax(axis=0)] if len(run.F) else []
        replayed = [replay.solution for replay in run.replays]
        keep.append(np.unique(np.array([*rows, *extremes, *replayed], dtype=int)))
    return keep


def _notes(runs: Sequence[Run], keep: Sequence[np.ndarray], *, with_x: bool, x_bytes: int, csv_name: str) -> list[str]:
    notes = []
    total, kept = sum(len(run.F) for run in runs), sum(len(rows) for rows in keep)
    if kept < total:
        notes.append(f"This page holds an even sample of {kept:,} of {total:,} solutions; all are in {csv_name}.")
    if not with_x:
        notes.append(f"The decision vectors would take {x_bytes / 1e6:,.0f} MB: they are beside it, in {csv_name}.")
    return notes


def _even(rows: np.ndarray, most: int) -> np.ndarray:
    if len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).round().astype(int)]


def _fronts(run: Run, runs: int) -> list[dict[str, Any]]:
    """Recorded fronts for the slider: some sixty generations, within a megabyte for the whole page."""
    if run.history is None:
        return []
    recorded = [(generation, np.asarray(F)) for generation, F in run.history.fronts if len(F)]
    chosen = [recorded[i] for i in _even(np.arange(len(recorded)), MOST_FRONTS)]
    if not chosen:
        return []
    points = max(20, MOST_FRONTS_BYTES * 3 // 4 // (2 * chosen[0][1].shape[1] * len(chosen) * runs))
    return [{"generation": int(t), "F": pack_for_drawing(_even(F, points))} for t, F in chosen]


def _replay(replay: Replay, rows: np.ndarray) -> dict[str, Any]:
    ends = np.asarray(replay.ends, dtype=float)
    step = -(-len(ends) // MOST_FRAMES)
    return {
        "solution": int(np.searchsorted(rows, replay.solution)),
        "seconds": float(replay.seconds * step),
        "ground": bool(replay.ground),
        "parts": [
            {"radius": float(part.radius), "fixed": bool(part.fixed), "far": bool(part.far)} for part in replay.parts
        ],
        "returns": None if replay.returns is None else [float(value) for value in replay.returns],
        "ends": pack_for_drawing(ends[::step]),
    }
