"""Callbacks that log to files of other tools, with local folders, and a live plot in a clean notebook."""

import csv
import signal
from pathlib import Path

import numpy as np
import pytest

import tensorrvea as tr

PROBLEM, ALGORITHM = tr.problems.ZDT1(variables=3), tr.RandomSearch(population=8)


def run(callback, **options) -> tr.Result:
    metrics = {"least": lambda f, alive: f[alive.argmax()].min()}
    arguments = {"generations": 7, "seed": 1, "every": 3, "metrics": metrics} | options
    return tr.optimize(PROBLEM, ALGORITHM, callbacks=callback, **arguments)


def read_csv(path: Path) -> dict[str, list[float]]:
    with path.open() as stream:
        rows = list(csv.DictReader(stream))
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


def test_a_csv_log_has_every_generation(tmp_path):
    log = tr.callbacks.CSVLog(tmp_path / "history.csv")
    result = run(log)
    table = read_csv(log.path)
    assert table["generation"] == list(range(8))
    for name, values in result.history.columns().items():
        np.testing.assert_array_equal(table[name], values)
    again = run(log, seed=2)  # another run replaces the file
    np.testing.assert_array_equal(read_csv(log.path)["ideal_f1"], again.history.ideal[:, 0])


def test_a_csv_log_has_the_last_generations_of_an_interrupted_run_and_all_of_a_resumed_one(tmp_path):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt(result):
        if result.generations == 3:
            signal.raise_signal(signal.SIGINT)

    log = tr.callbacks.CSVLog(tmp_path / "history.csv")
    options = {"directory": tmp_path / "run", "metrics": None}
    interrupted = run([interrupt, log], **options)
    signal.signal(signal.SIGINT, before)
    assert interrupted.stopped == "interrupted"
    assert read_csv(log.path)["generation"] == list(range(4))
    run(tr.callbacks.CSVLog(log.path), **options)
    assert read_csv(log.path)["generation"] == list(range(8))


def test_a_tensorboard_log_can_be_read(tmp_path):
    pytest.importorskip("tensorboardX")
    from tensorboardX.proto.event_pb2 import Event

    result = run(tr.callbacks.TensorBoardLog(tmp_path / "logs"))
    (path,) = (tmp_path / "logs").iterdir()
    content, at, found = path.read_bytes(), 0, {}
    while at < len(content):  # length, checksum of it, data, checksum of them
        length = int.from_bytes(content[at : at + 8], "little")
        event = Event.FromString(content[at + 12 : at + 12 + length])
        found |= {(value.tag, event.step): value.simple_value for value in event.summary.value}
        at += 16 + length
    for name in ("ideal_f1", "least"):
        values = result.history.columns()[name]
        np.testing.assert_allclose([found[name, step] for step in range(8)], values, rtol=1e-6)


def test_a_wandb_log_is_written_to_a_local_folder(tmp_path, monkeypatch):
    pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_SILENT", "true")
    run(tr.callbacks.WandbLog(project="test", mode="offline", dir=str(tmp_path)))
    (path,) = (tmp_path / "wandb").glob("offline-run-*/run-*.wandb")
    content = path.read_bytes()
    assert b"ideal_f1" in content
    assert b"ZDT1" in content


def test_an_mlflow_log_is_written_to_a_local_folder(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    where = f"file://{tmp_path / 'mlruns'}"
    result = run(tr.callbacks.MLflowLog(where, experiment="test"))
    client = mlflow.MlflowClient(tracking_uri=where)
    (found,) = client.search_runs([client.get_experiment_by_name("test").experiment_id])
    assert found.data.params["problem"] == "ZDT1"
    assert found.info.status == "FINISHED"
    logged = sorted(client.get_metric_history(found.info.run_id, "ideal_f1"), key=lambda metric: metric.step)
    np.testing.assert_array_equal([metric.value for metric in logged], result.history.ideal[:, 0])


class StandIn:
    """The calls of wandb and MLflow that the callbacks make, for environments without these packages."""

    def __init__(self) -> None:
        self.calls: list[tuple] = []

    def __getattr__(self, name):
        def call(*arguments, **options):
            self.calls.append((name, arguments, options))
            return self

        return call


def test_a_wandb_log_makes_one_run_with_a_row_per_generation(monkeypatch):
    package = StandIn()
    monkeypatch.setattr("tensorrvea.callbacks.import_optional", lambda *_, **__: package)
    run(tr.callbacks.WandbLog(project="test"))
    names = [name for name, *_ in package.calls]
    assert names == ["init", *["log"] * 8, "finish"]
    assert package.calls[0][2]["config"]["algorithm"] == "RandomSearch"
    assert [options["step"] for name, _, options in package.calls if name == "log"] == list(range(8))


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("TensorBoardLog", "tensorboardX", "tensorboard"),
        ("WandbLog", "wandb", "wandb"),
        ("MLflowLog", "mlflow", "mlflow"),
        ("LivePlot", "IPython", "notebook"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(monkeypatch, name, package, extra):
    def missing(module):
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)

    monkeypatch.setattr("tensorrvea.optional.import_module", missing)
    arguments = ("logs",) if name == "TensorBoardLog" else ()
    with pytest.raises(ModuleNotFoundError, match=rf'{name} needs {package!r}.*pip install "tensorrvea\[{extra}\]"'):
        vars(tr.callbacks)[name](*arguments)


def test_wrong_arguments_of_callbacks_are_refused():
    with pytest.raises(TypeError, match="path takes a path, got 3"):
        tr.callbacks.CSVLog(3)
    pytest.importorskip("IPython")
    with pytest.raises(ValueError, match="seconds must be a finite number"):
        tr.callbacks.LivePlot(seconds=-1)


CELLS = (
    """
import tensorrvea as tr
result = tr.optimize(tr.problems.ZDT1(variables=3), tr.TensorRVEA(population=8), generations=6, every=2,
                     callbacks=tr.callbacks.LivePlot(seconds=0.0))
""",
    "result",
    "result.plot()",
    """
import os, signal
result = tr.optimize(tr.problems.ZDT1(variables=3), tr.TensorRVEA(population=8), generations=30,
                     callbacks=lambda result: os.kill(os.getpid(), signal.SIGINT))
result.stopped
""",
)


@pytest.mark.slow
def test_a_clean_notebook_shows_pictures_and_survives_an_interrupt(tmp_path):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    live, shown, plotted, interrupted = (list(cell.outputs) for cell in notebook.cells)
    (picture,) = [one for one in live if one.output_type == "display_data"]
    assert len(picture.data["image/png"]) > 5000
    assert "<table>" in shown[0].data["text/html"]
    assert "image/png" in shown[0].data["text/html"]
    assert len(plotted[0].data["image/png"]) > 5000
    assert any("interrupted at generation 10 of 30" in one.get("text", "") for one in interrupted)
    assert interrupted[-1].data["text/plain"] == "'interrupted'"
