"""Damaged directories are refused with a clear message, or fall back to the previous checkpoint."""

import errno
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import tensorrvea as tr
from tensorrvea import load, resume
from tensorrvea.runs import DamagedError, RunError, SpecDiffersError, keep
from tensorrvea.runs.files import digest
from tensorrvea.runs.manifest import SCHEMA

PROBLEM, ALGORITHM = tr.problems.ZDT1(variables=5), tr.TensorRVEA(population=8)


def run(directory: Path | None, **options) -> tr.Result:
    return tr.optimize(PROBLEM, ALGORITHM, **({"generations": 60, "seed": 1, "directory": directory} | options))


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run that has two checkpoints."""
    directory = tmp_path_factory.mktemp("runs") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keep, "SHARE", 1e9)
        run(directory, checkpoint_seconds=0.0, every=30, callbacks=lambda _: None)
    assert len(list(directory.glob("checkpoint-*.json"))) == 2
    return directory


@pytest.fixture
def directory(finished, tmp_path):
    return Path(shutil.copytree(finished, tmp_path / "run"))


def latest(directory: Path, kind: str) -> Path:
    return max(directory.glob(f"checkpoint-*.{kind}"))


def flip(path: Path, where: float = 0.5) -> None:
    content = bytearray(path.read_bytes())
    content[int(len(content) * where)] ^= 1
    path.write_bytes(bytes(content))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def edit(path: Path, **changes) -> None:
    content = json.loads(path.read_text()) | changes
    content.pop("checksum")
    path.write_text(json.dumps(content | {"checksum": digest(content)}))


def delete(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("kind", ["json", "npz"])
@pytest.mark.parametrize("harm", [flip, cut, delete])
def test_a_damaged_checkpoint_falls_back_to_the_previous_one(directory, finished, kind, harm):
    if (kind, harm) == ("json", delete):
        pytest.skip("without its JSON there never was a checkpoint")
    harm(latest(directory, kind))
    with pytest.warns(UserWarning, match="the checkpoint before it, of generation"):
        again = resume(directory)
    np.testing.assert_array_equal(again.F, load(finished).F)
    assert again.generations == 60


@pytest.mark.parametrize("where", [0.01, 0.3, 0.6, 0.9, 0.999])
def test_a_flipped_bit_is_detected_anywhere(directory, where):
    for path in directory.glob("checkpoint-*"):
        flip(path, where)
    with pytest.raises(DamagedError, match="no undamaged checkpoint"):
        resume(directory)


def test_another_schema_is_refused(directory):
    for path in directory.glob("checkpoint-*.json"):
        edit(path, schema=SCHEMA + 1)
    with pytest.raises(
        DamagedError, match=f"has schema {SCHEMA + 1}, but this version reads schemas {SCHEMA - 1} and {SCHEMA}"
    ):
        resume(directory)
    for path in directory.glob("manifest*.json"):
        edit(path, schema=0)
    with pytest.raises(DamagedError, match="has schema 0"):
        load(directory)


def test_a_checkpoint_of_another_run_is_refused(directory, tmp_path):
    run(tmp_path / "other", seed=2)
    for path in directory.glob("checkpoint-*"):
        path.unlink()
    for path in [*(tmp_path / "other").glob("checkpoint-*"), *(tmp_path / "other").glob("history-*")]:
        shutil.copy(path, directory)
    with pytest.raises(DamagedError, match="belongs to a run with another spec"):
        load(directory)


def test_an_edited_manifest_is_refused(directory):
    for path in directory.glob("manifest*.json"):
        path.write_text(path.read_text().replace('"population": 8', '"population": 9'))
    with pytest.raises(DamagedError, match="damaged or was edited"):
        resume(directory)


def test_a_lost_history_costs_the_history_not_the_run(directory, finished):
    for path in directory.glob("history-*"):
        path.unlink()
    with pytest.warns(UserWarning, match=r"history-.* is missing.*its history of these generations is empty"):
        result = load(directory)
    np.testing.assert_array_equal(result.F, load(finished).F)
    assert np.isnan(result.history.ideal).all()
    assert len(result.history) == 61
    with pytest.warns(UserWarning, match="its history of these generations is empty"):
        longer = resume(directory, generations=80)
    again = load(directory)  # whose history is complete from there on
    assert np.isfinite(again.history.ideal[61:]).all()
    np.testing.assert_array_equal(again.F, longer.F)
    assert again.generations == 80


def test_another_spec_is_refused_with_the_differences(directory):
    with pytest.raises(SpecDiffersError) as refused:
        tr.optimize(
            tr.problems.ZDT1(variables=6), tr.TensorRVEA(population=8, variation=tr.DE()),
            generations=60, seed=2, directory=directory,
        )  # fmt: skip
    message = str(refused.value)
    assert "problem.variables: 5 in the directory, 6 here" in message
    assert "algorithm.variation: GA in the directory, DE here" in message
    assert "seeds: [1] in the directory, [2] here" in message
    assert "population" not in message


def test_another_budget_is_refused_with_advice(directory):
    with pytest.raises(SpecDiffersError, match=r"generations: 60 in the directory, 70 here\n.*resume\(directory"):
        run(directory, generations=70)


@pytest.mark.parametrize("when", ["write", "fsync"])
def test_a_full_disk_ends_the_run_with_the_last_checkpoint_intact(tmp_path, monkeypatch, when):
    full = OSError(errno.ENOSPC, "No space left on device")
    saves = []

    def count(result: tr.Result) -> None:
        saves.append(result.generations)
        if result.generations == 20:

            def fail(*_, **__):
                raise full

            if when == "fsync":
                monkeypatch.setattr("tensorrvea.runs.files.os.fsync", fail)
            else:
                monkeypatch.setattr("tensorrvea.runs.arrays.npy.write_array", fail)

    monkeypatch.setattr(keep, "SHARE", 1e9)
    directory = tmp_path / "run"
    with pytest.raises(
        RunError, match=r"generation 20 could not be written.*No space left.*generation 10\) is unchanged"
    ):
        run(directory, checkpoint_seconds=0.0, callbacks=count)
    monkeypatch.undo()
    assert load(directory).generations == 10
    assert not list(directory.glob("*.part"))
    np.testing.assert_array_equal(run(directory).F, run(None).F)


def test_two_processes_cannot_use_one_directory(tmp_path):
    def again(_: tr.Result) -> None:
        with pytest.raises(RunError, match="in use by another process"):
            run(tmp_path / "run")

    run(tmp_path / "run", callbacks=again, every=60)
