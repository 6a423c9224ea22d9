"""The CSV beside a page: every solution with its decision vector, where they are too many for the page."""

import csv
from collections.abc import Iterator, Sequence
from typing import TextIO

import numpy as np

from tensorrvea.report.payload import Run


def write_csv(runs: Sequence[Run], stream: TextIO) -> None:
    """One row a solution: run, solution, objectives, violation, variables; numbers read back exactly."""
    widest = max(runs, key=lambda run: run.X.shape[1])
    header = [
        "run",
        "solution",
        *runs[0].objective_names,
        "violation",
        *widest.variable_names[: widest.X.shape[1]],
    ]
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow([not_a_formula(cell) for cell in header])
    for run in runs:
        label = not_a_formula(run.label)
        columns = zip(_texts(run.F), _texts(run.violation[:, None]), _texts(run.X), strict=True)
        for solution, (f, violation, x) in enumerate(columns):
            writer.writerow([label, solution, *f, *violation, *x])


def not_a_formula(text: str) -> str:
    """A name that a spreadsheet takes as text: those that begin like a formula get an apostrophe before them.

    >>> not_a_formula("=1+1"), not_a_formula("cost")
    ("'=1+1", 'cost')
    """
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def _texts(array: np.ndarray) -> Iterator[list[str]]:
    """Rows as decimals that read back the same; where all are single precision, nine figures are enough."""
    values = np.asarray(array, dtype=np.float64)
    with np.errstate(over="ignore"):
        single = bool((values.astype(np.float32) == values).all())
    figures = " ".join(["%.9g"] * values.shape[1])
    for row in values.tolist():
        yield (figures % tuple(row)).split() if single else [repr(value) for value in row]
