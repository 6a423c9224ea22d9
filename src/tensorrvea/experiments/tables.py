"""Tables of repeated runs: Markdown, CSV and LaTeX, with the best value in bold and +/−/≈ marks."""

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from tensorrvea.atomic import write_text
from tensorrvea.experiments.statistics import average_ranks, can_detect_difference, compare, summary

LATEX_MARKS = {"+": "$+$", "-": "$-$", "≈": r"$\approx$", "": ""}


@dataclass(frozen=True)
class Cell:
    """Text, whether it is the best of its row, and the mark of its comparison."""

    text: str
    best: bool = False
    mark: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of cells with column titles."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""

    def markdown(self) -> str:
        def format_cell(cell: Cell) -> str:
            text = f"**{cell.text}**" if cell.best else cell.text
            return f"{text} {cell.mark}".strip()

        lines = [f"| {' | '.join(self.head)} |", f"|{'---|' * len(self.head)}"]
        lines += [f"| {' | '.join(map(format_cell, row))} |" for row in self.rows]
        return "\n".join([f"**{self.title}**", "", *lines, *(["", self.note] if self.note else [])]) + "\n"

    def latex(self) -> str:
        def format_cell(cell: Cell) -> str:
            text = _escape_latex(cell.text)
            text = rf"\textbf{{{text}}}" if cell.best else text
            return f"{text} {LATEX_MARKS[cell.mark]}".strip()

        lines = [" & ".join(map(_escape_latex, self.head)) + r" \\ \midrule"]
        lines += [" & ".join(map(format_cell, row)) + r" \\" for row in self.rows]
        body = "\n".join(lines)
        columns = "l" + "c" * (len(self.head) - 1)
        return (
            f"\\begin{{table}}\n\\centering\n\\caption{{{_escape_latex(self.title)}. {_escape_latex(self.note)}}}\n"
            f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{body}\n\\bottomrule\n\\end{{tabular}}\n\\end{{table}}\n"
        )

    def csv(self) -> str:
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([self.head[0], *(name for head in self.head[1:] for name in (head, f"{head}: mark"))])
        for first, *rest in self.rows:
            writer.writerow([first.text, *(part for cell in rest for part in (cell.text, cell.mark))])
        return stream.getvalue()

    def write(self, path: Path) -> None:
        """Write ``path`` with the suffixes .md, .csv and .tex."""
        for suffix, text in ((".md", self.markdown()), (".csv", self.csv()), (".tex", self.latex())):
            write_text(path.with_suffix(suffix), text)


def comparison_table(
    title: str, values: Mapping[str, Mapping[str, ArrayLike]], ours: str, *, larger_is_better: bool
) -> Table:
    """Median (IQR) of every algorithm on every problem, with marks for the comparison with ``ours``."""
    algorithms = list(next(iter(values.values())))
    marks = compare(values, ours, larger_is_better=larger_is_better)
    rows = []
    for problem, each in values.items():
        summaries = {name: summary(each[name]) for name in algorithms}
        best = (max if larger_is_better else min)(found.median for found in summaries.values())
        row = [Cell(problem)]
        for name, found in summaries.items():
            mark = marks[problem, name].mark if name != ours else ""
            row.append(Cell(f"{found.median:.4g} ({found.iqr:.2g})", found.median == best, mark))
        rows.append(row)
    counts = Counter((name, found.mark) for (_, name), found in marks.items())
    shown = ["" if name == ours else "/".join(str(counts[name, mark]) for mark in "+-≈") for name in algorithms]
    rows.append([Cell("+/−/≈"), *map(Cell, shown)])
    ranks = average_ranks(values, larger_is_better=larger_is_better)
    lowest = min(ranks.values())
    rows.append([Cell("average rank"), *(Cell(f"{rank:.3g}", rank == lowest) for rank in ranks.values())])
    runs = sorted({int(np.size(one)) for each in values.values() for one in each.values()})
    counted = "–".join(map(str, dict.fromkeys((runs[0], runs[-1]))))
    note = (
        f"Median (interquartile range) of {counted} runs, the best in bold. "
        f"+, − and ≈: better than, worse than and not significantly different from {ours} "
        "(Wilcoxon rank-sum test, 5 %, Holm's correction over the table)."
    )
    if not can_detect_difference(runs[0], len(marks)) and all(found.mark == "≈" for found in marks.values()):
        note += " With so few runs this test cannot find any difference."
    return Table(title, ["", *algorithms], rows, note)


def _escape_latex(text: str) -> str:
    for character, latex in (("%", r"\%"), ("_", r"\_"), ("&", r"\&"), ("≈", r"$\approx$"), ("−", "$-$"), ("–", "--")):
        text = text.replace(character, latex)
    return text
