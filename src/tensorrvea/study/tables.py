"""Tables of repeated runs: Markdown, CSV, LaTeX, HTML and pandas, with the best value in bold and +/−/≈ marks."""

import csv
import html
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tensorrvea.atomic import write_text
from tensorrvea.optional import import_optional

if TYPE_CHECKING:
    import pandas

LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "%": r"\%", "_": r"\_", "&": r"\&", "#": r"\#", "$": r"\$",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "≈": r"$\approx$", "−": "$-$", "–": "--", "×": r"$\times$",
    "∞": r"$\infty$", "<": "$<$", ">": "$>$", "≤": r"$\leq$", "≥": r"$\geq$",
}  # fmt: skip
LATEX_MARKS = {"+": "$+$", "-": "$-$", "≈": r"$\approx$", "": ""}
# How notes say which value is the best, and how they say it where there is no bold type.
IN_BOLD, IN_TEXT = "the best in bold", "the best marked with *"
STYLE = "text-align:right;padding:2px 8px;white-space:nowrap"


@dataclass(frozen=True)
class Cell:
    """Text, whether it is the best of its row, the mark of its comparison, and the size of its effect."""

    text: str
    best: bool = False
    mark: str = ""
    effect: str = ""

    def format(self, bold: str, mark: str) -> str:
        """Return the text, ``bold`` with it in place of ``{}`` if it is the best, then the mark and the effect."""
        text = bold.format(self.text) if self.best else self.text
        return " ".join(part for part in (text, mark, self.effect) if part)


@dataclass(frozen=True)
class Table:
    """Rows of cells with column titles.

    Args:
      title: what is shown.
      head: a title per column.
      rows: cells, one per column.
      note: how to read the table.
      rules: the numbers of the rows with which groups begin. The first column then names the group; it is shown once
        per group, with a line between groups.
      plain: the number of columns, from the first, that name the row.
    """

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    rules: Sequence[int] = ()
    plain: int = 1

    def _shown_rows(self) -> list[Sequence[Cell]]:
        """Return the rows with the name of a group in its first row only."""
        return [[Cell(""), *row[1:]] if self.rules and i not in self.rules else row for i, row in enumerate(self.rows)]

    def markdown(self) -> str:
        lines = [f"| {' | '.join(map(_escape_pipes, self.head))} |", f"|{'---|' * len(self.head)}"]
        for row in self._shown_rows():
            lines.append(f"| {' | '.join(_escape_pipes(cell.format('**{}**', cell.mark)) for cell in row)} |")
        return "\n".join([f"**{self.title}**", "", *lines, *(["", self.note] if self.note else [])]) + "\n"

    def text(self, width: int = 80) -> str:
        """Return the table for a terminal of a number of columns: aligned, or one block per row if it is too wide."""
        rows = [[cell.format("{}*", cell.mark) for cell in row] for row in self._shown_rows()]
        sizes = [max(map(len, column)) for column in zip(self.head, *rows, strict=True)]
        if sum(sizes) + 2 * (len(sizes) - 1) <= width:
            lines = ["  ".join(map(str.ljust, row, sizes)).rstrip() for row in [list(self.head), *rows]]
            for number in reversed([rule for rule in self.rules if rule]):
                lines.insert(number + 1, "")
            return "\n".join([self.title, "", *lines]) + "\n"
        plain, lines = self.plain, [self.title]
        indent = max(map(len, self.head[plain:]))
        for row in self.rows:
            lines += ["", ", ".join(cell.text for cell in row[:plain])]
            for name, cell in zip(self.head[plain:], row[plain:], strict=True):
                if cell.text:
                    lines.append(f"  {name.ljust(indent)}  {cell.format('{}*', cell.mark)}")
        return "\n".join(lines) + "\n"

    @property
    def text_note(self) -> str:
        """How to read the table as ``text`` shows it."""
        return self.note.replace(IN_BOLD, IN_TEXT)

    def latex(self) -> str:
        """Return a ``table`` for a document that uses the package booktabs."""

        def format_cell(cell: Cell) -> str:
            escaped = Cell(_escape_latex(cell.text), cell.best, cell.mark, cell.effect)
            return escaped.format(r"\textbf{{{}}}", LATEX_MARKS[cell.mark])

        lines = [" & ".join(map(_escape_latex, self.head)) + r" \\ \midrule"]
        for number, row in enumerate(self._shown_rows()):
            rule = "\\midrule\n" if number in self.rules and number else ""
            lines.append(rule + " & ".join(map(format_cell, row)) + r" \\")
        body = "\n".join(lines)
        columns = "l" * self.plain + "c" * (len(self.head) - self.plain)
        return (
            f"\\begin{{table}}\n\\centering\n\\caption{{{_escape_latex(self.title)}. {_escape_latex(self.note)}}}\n"
            f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{body}\n\\bottomrule\n\\end{{tabular}}\n\\end{{table}}\n"
        )

    def csv(self) -> str:
        """Return text, mark and, where there are any, effect of each cell, in columns of their own."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        parts = self._columns()
        writer.writerow([name for name, _, _ in parts])
        writer.writerows([getattr(row[i], part) for _, i, part in parts] for row in self.rows)
        return stream.getvalue()

    def _columns(self) -> list[tuple[str, int, str]]:
        """Return the name, the number in a row, and the part of the cell, of each column of plain values."""
        columns = [(self.head[i], i, "text") for i in range(self.plain)]
        for i in range(self.plain, len(self.head)):
            has_marks = any(cell.mark for row in self.rows for cell in row)
            parts = ["text", *(["mark"] if has_marks else [])]
            parts += ["effect"] if any(row[i].effect for row in self.rows) else []
            columns += [(self.head[i] if part == "text" else f"{self.head[i]}: {part}", i, part) for part in parts]
        return columns

    def dataframe(self) -> "pandas.DataFrame":
        """Return the columns of ``csv`` as a DataFrame."""
        pandas = import_optional("pandas", needed_for="dataframe", extra="report")
        return pandas.read_csv(io.StringIO(self.csv()), dtype=str, keep_default_na=False)

    def html(self) -> str:
        def cells(row: Sequence[str], kind: str) -> str:
            return "".join(f'<{kind} style="{STYLE}">{text}</{kind}>' for text in row)

        def format_cell(cell: Cell) -> str:
            escaped = Cell(html.escape(cell.text), cell.best, cell.mark, html.escape(cell.effect))
            return escaped.format("<b>{}</b>", cell.mark.replace("-", "−"))

        lines = [f"<tr>{cells([html.escape(name) for name in self.head], 'th')}</tr>"]
        for number, row in enumerate(self._shown_rows()):
            line = ' style="border-top:1px solid #888"' if number in self.rules else ""
            lines.append(f"<tr{line}>{cells([format_cell(cell) for cell in row], 'td')}</tr>")
        body = "\n".join(lines)
        note = f'<p style="max-width:60em;font-size:90%">{html.escape(self.note)}</p>' if self.note else ""
        title = f'<caption style="text-align:left;font-weight:bold">{html.escape(self.title)}</caption>'
        return f'<table style="border-collapse:collapse">{title}\n{body}\n</table>\n{note}'

    _repr_html_ = html

    def __str__(self) -> str:
        return self.markdown()

    def write(self, path: Path) -> None:
        """Write ``path`` with the suffixes .md, .csv and .tex."""
        for suffix, text in ((".md", self.markdown()), (".csv", self.csv()), (".tex", self.latex())):
            write_text(path.with_name(f"{path.name}{suffix}"), text)


def _escape_latex(text: str) -> str:
    r"""Escape text for LaTeX.

    >>> _escape_latex("a_b 5 %")
    'a\\_b 5 \\%'
    """
    return "".join(LATEX.get(character, character) for character in text)


def _escape_pipes(text: str) -> str:
    return text.replace("|", r"\|")
