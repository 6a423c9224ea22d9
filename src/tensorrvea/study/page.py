"""One HTML page of a study, which works offline: tables, figures, references and settings."""

import html
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorrvea.atomic import write_text
from tensorrvea.plot.style import print_style

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
        has_curves = any(
            "fronts" in run for each in study.runs.values() for runs in each.values() for run in runs.values()
        )
        kinds = ["convergence"] if has_curves else []
        kinds += ["boxes"]
        if len(study.algorithms) > 1 and all(len(each) == len(study.algorithms) for each in study.runs.values()):
            kinds.append("ranks")
        for kind in kinds:
            sections.append(f"<figure>{inline_svg(study.plot(kind, metric))}</figure>")
    if study.description:
        settings = json.dumps(study.description, indent=1, ensure_ascii=False, default=str)
        sections.append(f"<h2>Settings</h2><details><summary>all</summary><pre>{html.escape(settings)}</pre></details>")
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{STYLE}</style>'
    body = "\n".join(sections)
    write_text(path, f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{body}</body></html>\n')
    return path


def inline_svg(figure: "Figure") -> str:
    """Return a figure as an SVG element."""
    stream = io.StringIO()
    date: Any = {"Date": None}
    with print_style():
        figure.savefig(stream, format="svg", bbox_inches="tight", metadata=date)
    text = stream.getvalue()
    return text[text.index("<svg") :]
