"""Callbacks that write the history of a run while it goes on, or draw its front.

Each is given to ``optimize`` as ``callbacks=``, and is called every ``every`` generations and at the end. Packages of
other projects are imported only by the callback that needs them.
"""

import csv
import time
from pathlib import Path
from typing import Any

import numpy as np

from tensorrvea.checks import check_number, check_path, check_text
from tensorrvea.optional import import_optional
from tensorrvea.result import Result

__all__ = ["CSVLog", "HistoryLog", "LivePlot", "MLflowLog", "TensorBoardLog", "WandbLog"]

Columns = dict[str, np.ndarray]


class HistoryLog:
    """Base of the callbacks that write the history: ``write`` gets the generations that are new since the last call.

    The first call of a run, also of a resumed one, gets all generations from the beginning. A subclass defines
    ``write``, and ``finish`` if it has something to close:

    >>> import tensorrvea as tr
    >>> class Print(tr.callbacks.HistoryLog):
    ...     def write(self, result, columns):
    ...         print("generations", *columns["generation"])
    >>> problem, algorithm = tr.problems.ZDT1(variables=3), tr.RandomSearch(population=4)
    >>> result = tr.optimize(problem, algorithm, generations=5, callbacks=Print(), every=3)
    generations 0 1 2 3
    generations 4 5
    """

    _written = 0

    def __call__(self, result: Result) -> None:
        """Write what is new."""
        columns = {name: values[self._written :] for name, values in result.history.columns().items()}
        if len(columns["generation"]):
            self.write(result, columns)
        self._written = len(result.history)

    def write(self, result: Result, columns: Columns) -> None:
        """Write rows of the table ``result.history.columns()``, one per generation that is new."""
        raise NotImplementedError(f"{type(self).__name__} must define write")

    def finish(self) -> None:
        """Close what was opened; the run has ended, or was interrupted."""

    def close(self, result: Result | None) -> None:
        """Write the last generations, if there is a result, and get ready for another run."""
        try:
            if result is not None:
                self(result)
        finally:
            self._written = 0
            self.finish()


class CSVLog(HistoryLog):
    """Write the history to a CSV file, a row per generation.

    A file that exists is replaced when a run begins or resumes: the history of a resumed run is complete.

    Args:
      path: the file.

    >>> CSVLog("history.csv")
    CSVLog('history.csv')
    """

    def __init__(self, path: str | Path):
        self.path = check_path("path", path)

    def __repr__(self) -> str:
        return f"CSVLog({str(self.path)!r})"

    def write(self, result: Result, columns: Columns) -> None:
        del result
        is_first = self._written == 0
        with self.path.open("w" if is_first else "a", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            if is_first:
                writer.writerow(columns)
            writer.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))


class TensorBoardLog(HistoryLog):
    """Write the history for TensorBoard: ``tensorboard --logdir DIRECTORY`` shows it.

    Args:
      directory: where the events are written; a directory for each run.

    Raises:
      ModuleNotFoundError: if tensorboardX is not installed: ``pip install "tensorrvea[tensorboard]"``.

    Example::

        tr.optimize(problem, generations=500, callbacks=tr.callbacks.TensorBoardLog("logs/run1"))
    """

    def __init__(self, directory: str | Path):
        self.directory = check_path("directory", directory)
        self._package = import_optional("tensorboardX", needed_for="TensorBoardLog", extra="tensorboard")
        self._writer: Any = None

    def write(self, result: Result, columns: Columns) -> None:
        del result
        if self._writer is None:
            # A resumed run writes its history again, and what an earlier session wrote does not count any more.
            self._writer = self._package.SummaryWriter(str(self.directory), purge_step=0)
        for step, values in _steps(columns):
            for name, value in values.items():
                self._writer.add_scalar(name, value, step)
        self._writer.flush()

    def finish(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None


class WandbLog(HistoryLog):
    """Write the history to Weights & Biases.

    Args:
      options: those of ``wandb.init``, such as ``project="bridges"``; ``mode="offline"`` writes to a local folder only.

    Raises:
      ModuleNotFoundError: if wandb is not installed: ``pip install "tensorrvea[wandb]"``.

    Example::

        tr.optimize(problem, generations=500, callbacks=tr.callbacks.WandbLog(project="bridges"))
    """

    def __init__(self, **options: Any):
        self.options = options
        self._package = import_optional("wandb", needed_for="WandbLog", extra="wandb")
        self._run: Any = None

    def write(self, result: Result, columns: Columns) -> None:
        if self._run is None:
            self._run = self._package.init(**({"config": _described(result)} | self.options))
        for step, values in _steps(columns):
            self._run.log(values, step=step)

    def finish(self) -> None:
        if self._run is not None:
            self._run.finish()
            self._run = None


class MLflowLog(HistoryLog):
    """Write the history to MLflow.

    Args:
      tracking_uri: where MLflow keeps its runs, such as a local file or a server; MLflow's own setting by default.
      experiment: the name of the experiment.

    Raises:
      ModuleNotFoundError: if MLflow is not installed: ``pip install "tensorrvea[mlflow]"``.

    Example::

        tr.optimize(problem, generations=500, callbacks=tr.callbacks.MLflowLog("http://localhost:5000"))
    """

    def __init__(self, tracking_uri: str | None = None, experiment: str = "tensorrvea"):
        self.experiment = check_text("experiment", experiment)
        if tracking_uri is not None:
            check_text("tracking_uri", tracking_uri)
        package = import_optional("mlflow", needed_for="MLflowLog", extra="mlflow")
        self._client = package.MlflowClient(tracking_uri=tracking_uri)
        self._entities = import_optional("mlflow.entities", needed_for="MLflowLog", extra="mlflow")
        self._run_id: str | None = None

    def write(self, result: Result, columns: Columns) -> None:
        if self._run_id is None:
            known = self._client.get_experiment_by_name(self.experiment)
            number = known.experiment_id if known else self._client.create_experiment(self.experiment)
            self._run_id = self._client.create_run(number).info.run_id
            for name, value in _described(result).items():
                self._client.log_param(self._run_id, name, value)
        now = int(time.time() * 1000)
        metrics = [
            self._entities.Metric(name, value, now, step)
            for step, values in _steps(columns)
            for name, value in values.items()
        ]
        for first in range(0, len(metrics), 1000):  # the most that MLflow takes at once
            self._client.log_batch(self._run_id, metrics=metrics[first : first + 1000])

    def finish(self) -> None:
        if self._run_id is not None:
            self._client.set_terminated(self._run_id)
            self._run_id = None


class LivePlot:
    """Draw the front in a notebook while the run goes on: one picture that changes.

    Args:
      seconds: the least time from one picture to the next.

    Raises:
      ModuleNotFoundError: if IPython is not installed: ``pip install "tensorrvea[notebook]"``.

    Example::

        tr.optimize(problem, generations=500, callbacks=tr.callbacks.LivePlot())
    """

    def __init__(self, *, seconds: float = 1.0):
        check_number("seconds", seconds, minimum=0.0, scalar=True)
        self.seconds = seconds
        self._display = import_optional("IPython.display", needed_for="LivePlot", extra="notebook")
        self._handle: Any = None
        self._shown = -np.inf

    def __call__(self, result: Result) -> None:
        """Draw the front, unless the last picture is recent and the run goes on."""
        is_running = result.stopped == "not finished"
        if is_running and time.monotonic() < self._shown + self.seconds:
            return
        if len(result.F):
            picture: Any = result.plot()
            picture.axes[0].set_title(f"generation {result.generations}, {len(result.F)} solutions")
        else:
            picture = self._display.Markdown(repr(result))
        if self._handle is None:
            self._handle = self._display.display(picture, display_id=True)
        else:
            self._handle.update(picture)
        self._shown = time.monotonic()
        if not is_running:
            self._handle, self._shown = None, -np.inf


def _steps(columns: Columns) -> list[tuple[int, dict[str, float]]]:
    """Return generations with their numbers, without NaN and infinity, which dashboards cannot draw."""
    names = [name for name in columns if name != "generation"]
    rows = zip(*(columns[name].tolist() for name in names), strict=True)
    named = (dict(zip(names, map(float, row), strict=True)) for row in rows)
    finite = ({name: value for name, value in row.items() if np.isfinite(value)} for row in named)
    return list(zip(columns["generation"].tolist(), finite, strict=True))


def _described(result: Result) -> dict[str, Any]:
    """Return what a dashboard shows of a run's settings."""
    algorithm = result.algorithm
    return {
        "problem": result.problem.name,
        "objectives": result.problem.objectives,
        "variables": result.problem.variables,
        "algorithm": type(algorithm).__name__,
        "population": algorithm.population,
        "seed": result.seed,
    }
