"""The CSV file next to a page: every solution, if the page cannot hold all decision vectors."""

import csv
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TextIO

import numpy as np

from tensorrvea.report.records import Run


def write_csv(runs: Sequence[Run], stream: TextIO) -> None:
    """Write one row per solution: run, solution, objectives, violation, constraints, variables.

    Numbers read back exactly.
    """
    widest = max(runs, key=lambda run: run.X.shape[1])
    variables = widest.variable_names[: widest.X.shape[1]]
    header = ["run", "solution", *runs[0].objective_names, "violation", *runs[0].constraint_names, *variables]
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow([escape_formula(cell) for cell in header])
    for run in runs:
        label = escape_formula(run.label)
        parts = (run.F, run.violation[:, None], run.constraints, run.X)
        for solution, cells in enumerate(zip(*map(_format_rows, parts), strict=True)):
            writer.writerow([label, solution, *chain.from_iterable(cells)])


def escape_formula(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet would read as a formula.

    >>> escape_formula("=1+1"), escape_formula("cost")
    ("'=1+1", 'cost')
    """
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def _format_rows(array: np.ndarray) -> Iterator[list[str]]:
    """Rows as decimals that read back exactly: nine digits if all values are single precision, else ``repr``."""
    values = np.asarray(array, dtype=np.float64)
    with np.errstate(over="ignore"):
        single = bool((values.astype(np.float32) == values).all())
    template = " ".join(["%.9g"] * values.shape[1])
    for row in values.tolist():
        yield (template % tuple(row)).split() if single else [repr(value) for value in row]
