"""One HTML page of a study, which works offline: tables, figures, references and settings."""

import csv
import html
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorrvea.atomic import write_text
from tensorrvea.plot.style import print_style, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tensorrvea.study.study import Study

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 72em; margin: 2em auto; padding: 0 1em; color: #1a1a1a }
h1 { font-size: 1.5em } h2 { font-size: 1.15em; margin-top: 2em }
figure { margin: 1em 0 } figure svg { max-width: 100%; height: auto }
.wide { overflow-x: auto } pre { overflow-x: auto; background: #f5f5f5; padding: 1em; font-size: 12px }
"""


def write_page(study: "Study", path: str | Path, title: str) -> Path:
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"path must end in .html, got {path.name!r}")
    sections = [f"<h1>{html.escape(title)}</h1><p>{html.escape(repr(study))}</p>"]
    for metric in study.indicators:
        sections.append(f'<h2>{html.escape(metric)}</h2><div class="wide">{study.table(metric).html()}</div>')
        for kind in figure_kinds(study):
            sections.append(f"<figure>{inline_svg(study.plot(kind, metric))}</figure>")
    if study.description:
        settings = json.dumps(study.description, indent=1, ensure_ascii=False, default=str)
        sections.append(f"<h2>Settings</h2><details><summary>all</summary><pre>{html.escape(settings)}</pre></details>")
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{STYLE}</style>'
    body = "\n".join(sections)
    write_text(path, f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{body}</body></html>\n')
    return path


def figure_kinds(study: "Study") -> list[str]:
    """Return the kinds of figures that the runs of a study allow."""
    by_algorithm = list(study.runs.values())
    runs = [run for each in by_algorithm for seeds in each.values() for run in seeds.values()]
    kinds = ["convergence"] if any("fronts" in run for run in runs) else []
    kinds.append("boxes")
    if len(study.algorithms) > 1 and all(len(each) == len(study.algorithms) for each in by_algorithm):
        kinds.append("ranks")
    return kinds


def write_files(study: "Study", directory: Path, title: str) -> Path:
    """Write tables, statistics, figures and the page of a study."""
    directory.mkdir(parents=True, exist_ok=True)
    study.table().write(directory / "table")
    write_text(directory / "statistics.csv", records_csv(study.statistics()))
    write_text(directory / "runs.csv", records_csv(study.records()))
    for metric in study.indicators:
        for kind in figure_kinds(study):
            save(study.plot(kind, metric), directory / f"{metric}_{kind}.svg")
    write_page(study, directory / "report.html", title)
    return directory


def records_csv(records: list[dict[str, Any]]) -> str:
    r"""Return dictionaries as CSV; what one of them lacks is left empty.

    >>> records_csv([{"a": 1}, {"a": 2, "b": 3}])
    'a,b\n1,\n2,3\n'
    """
    stream = io.StringIO()
    names = list(dict.fromkeys(name for record in records for name in record))
    writer = csv.DictWriter(stream, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return stream.getvalue()


def inline_svg(figure: "Figure") -> str:
    """Return a figure as an SVG element."""
    stream = io.StringIO()
    date: Any = {"Date": None}
    with print_style():
        figure.savefig(stream, format="svg", bbox_inches="tight", metadata=date)
    text = stream.getvalue()
    return text[text.index("<svg") :]
