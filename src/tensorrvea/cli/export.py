"""``tensorrvea export``."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import tyro

from tensorrvea.atomic import write_text
from tensorrvea.cli.errors import argument_errors
from tensorrvea.cli.plot import Out, load_all
from tensorrvea.history import Individuals
from tensorrvea.optional import import_optional
from tensorrvea.report.solutions_csv import escape_formula
from tensorrvea.result import Result

SUFFIXES = (".csv", ".json", ".parquet")
Columns = dict[str, np.ndarray]


@dataclass(kw_only=True)
class Export:
    """Write the solutions of runs as a table, for other programs.

    Examples:
      tensorrvea export runs/DTLZ2-TensorRVEA-0 --out front.csv
      tensorrvea export runs/zdt --what history --out history.json
    """

    directories: tyro.conf.Positional[tuple[Path, ...]]
    """Run directories, or files of Result.save."""
    out: Out = Path("front.csv")
    """The table: .csv, .json (one list per column) or .parquet (needs pandas and pyarrow)."""
    what: Literal["front", "population", "archive", "history"] = "front"
    """The non-dominated solutions, all survivors, the archive, or one row per generation."""

    def __call__(self) -> None:
        with argument_errors():
            if self.out.suffix not in SUFFIXES:
                raise ValueError(f"out must end in {', '.join(SUFFIXES)}, got {str(self.out)!r}")
            results = load_all(self.directories)
            tables = [result_columns(result, self.what) for result in results]
            if any(table.keys() != tables[0].keys() for table in tables):
                raise ValueError("the runs must have the same variables, objectives and metrics for one table")
            joined = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
            if len(results) > 1:
                runs = np.concatenate([np.full(len(next(iter(t.values()))), i) for i, t in enumerate(tables)])
                seeds = np.array([result.seed for result in results])[runs]
                joined = {"run": runs, "seed": seeds} | joined
        write_table(self.out, joined)
        print(self.out)


def result_columns(result: Result, what: str) -> Columns:
    """Return a table of a result: a named column per objective, variable and constraint; or per recorded number."""
    if what == "history":
        return result.history.columns()
    chosen: dict[str, Individuals | None] = {
        "front": result.front, "population": result.population, "archive": result.archive
    }  # fmt: skip
    rows, problem = chosen[what], result.problem
    if rows is None:
        raise ValueError("what must be front, population or history for a run without an archive, got 'archive'")
    columns = dict(zip(problem.objective_names, rows.F.T, strict=True)) | {"violation": rows.violation}
    return columns | dict(zip(problem.variable_names, rows.X.T, strict=True))


def write_table(path: Path, columns: Columns) -> None:
    """Write columns as CSV, JSON or Parquet, by the suffix; numbers read back exactly."""
    if path.suffix == ".parquet":
        pandas = import_optional("pandas", needed_for="export to .parquet", extra="report")
        import_optional("pyarrow", needed_for="export to .parquet", extra="report")
        pandas.DataFrame(columns).to_parquet(path, index=False)
    elif path.suffix == ".json":
        write_text(path, json.dumps({name: _json_values(values) for name, values in columns.items()}) + "\n")
    else:
        with path.open("w", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow([escape_formula(name) for name in columns])
            writer.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))


def _json_values(values: np.ndarray) -> list[Any]:
    """Return numbers for JSON, which has no NaN and infinity: null."""
    return [None if isinstance(value, float) and not np.isfinite(value) else value for value in values.tolist()]
