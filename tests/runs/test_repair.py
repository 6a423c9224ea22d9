"""What is kept twice, what ``tensorrvea check`` says, and what a repair restores."""

import errno
import json
import os
import shutil
from contextlib import nullcontext
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import tensorrvea as tr
from tensorrvea import load, resume
from tensorrvea.cli.main import execute
from tensorrvea.runs import RunError, checkpoint, files, keep, latest, manifest
from tensorrvea.runs.inspect import inspect_run, repair_run
from tensorrvea.runs.migrate import add_later_settings, spec_digest

STORED = Path(__file__).parent / "stored"
SCHEMAS = sorted(path.name for path in STORED.iterdir())
PROBLEM, ALGORITHM = tr.problems.ZDT1(variables=5), tr.TensorRVEA(population=8)
START = np.linspace(0.1, 0.9, 40).reshape(8, 5)


def run(directory: Path, **options) -> tr.Result:
    arguments = {"generations": 6, "seed": 1, "x": START, "checkpoint_seconds": 0.0, "every": 3}
    return tr.optimize(PROBLEM, ALGORITHM, directory=directory, callbacks=lambda _: None, **arguments | options)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run with two checkpoints and arrays in its spec."""
    directory = tmp_path_factory.mktemp("runs") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keep, "SHARE", 1e9)
        run(directory)
    assert len(list(directory.glob("checkpoint-*.json"))) == 2
    return directory


@pytest.fixture
def directory(finished, tmp_path):
    return Path(shutil.copytree(finished, tmp_path / "run"))


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("harm", [flip, Path.unlink])
@pytest.mark.parametrize("name", ["manifest.json", "manifest.copy.json", "inputs.npz", "inputs.copy.npz"])
def test_what_a_resume_needs_is_kept_twice(directory, finished, name, harm):
    harm(directory / name)
    with nullcontext() if "copy" in name else pytest.warns(UserWarning, match="its copy .* is used"):
        np.testing.assert_array_equal(load(directory).F, load(finished).F)


def test_a_sound_run_is_found_sound(directory, capsys):
    assert execute(["check", str(directory)]) == 0
    assert "damaged" not in capsys.readouterr().out
    assert {path.name for path in directory.iterdir()} == {"lock", *(name for name, _ in inspect_run(directory))}


def test_every_damaged_file_is_found_and_repaired_without_deleting_anything(directory, finished, tmp_path, capsys):
    names = [path.name for path in directory.iterdir() if path.name != "lock"]
    assert len(names) >= 10
    for name in names:
        copy = Path(shutil.copytree(directory, tmp_path / name))
        flip(copy / name)
        harmed = (copy / name).read_bytes()
        assert [one.name for one in inspect_run(copy) if one.problem] == [name]
        assert execute(["check", str(copy)]) == 1
        assert f"damaged  {name}" in capsys.readouterr().out
        assert execute(["check", str(copy), "--repair"]) == 0
        assert (copy / "damaged-1" / name).read_bytes() == harmed
        assert not [one for one in inspect_run(copy) if one.problem and not one.name.startswith("history")]


def test_a_finished_run_that_lost_its_last_checkpoint_computes_and_writes_its_end_again(directory, finished):
    for path in directory.glob("checkpoint-0000000006.*"):
        flip(path)
    (directory / "result.npz").write_bytes(b"stale")
    with pytest.warns(UserWarning, match="the checkpoint before it"):
        result = resume(directory)
    np.testing.assert_array_equal(result.F, load(finished).F)
    assert (directory / "result.npz").read_bytes() == (finished / "result.npz").read_bytes()
    assert json.loads((directory / "manifest.json").read_text())["ended"]["generation"] == 6


def test_both_manifests_damaged_cannot_be_repaired(directory):
    for path in directory.glob("manifest*.json"):
        flip(path)
    with pytest.raises(RunError, match="cannot be repaired"):
        repair_run(directory)


def test_the_result_is_checked(directory):
    flip(directory / "result.npz")
    assert [one.name for one in inspect_run(directory) if one.problem] == ["result.npz"]


# Readers beside a writer


def test_checkpoints_that_vanish_while_they_are_read_are_listed_again(directory, monkeypatch):
    listings = iter([[1, 0], [6, 3]])
    real = checkpoint.saved_generations
    monkeypatch.setattr(checkpoint, "saved_generations", lambda path: next(listings, None) or real(path))
    assert load(directory).generations == 6
    monkeypatch.setattr(latest, "LISTINGS", 2)


# Small things


def test_a_checkpoint_that_cannot_be_removed_does_not_end_the_run(tmp_path, monkeypatch):
    real = Path.unlink

    def refuse(path: Path, **options) -> None:
        if path.name.startswith("checkpoint"):
            raise PermissionError(errno.EPERM, "Operation not permitted")
        real(path, **options)

    monkeypatch.setattr(keep, "SHARE", 1e9)
    monkeypatch.setattr(Path, "unlink", refuse)
    assert run(tmp_path / "run").generations == 6
    assert len(list((tmp_path / "run").glob("checkpoint-*.json"))) > 2


def test_a_finished_run_on_a_read_only_disk_returns_its_result(directory, finished, monkeypatch):
    real = os.open

    def refuse(path, flags, *rest, **options):
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise OSError(errno.EROFS, "Read-only file system")
        return real(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", refuse)
    np.testing.assert_array_equal(run(directory).F, load(finished).F)
    with pytest.raises(RunError, match="Read-only file system"):
        resume(directory, generations=20)


def test_partial_files_of_a_killed_writer_are_removed(directory):
    (directory / ".result.npz.12345.part").write_bytes(b"half")
    run(directory)
    assert not list(directory.glob(".*.part"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"problem": 3}, "problem takes a Problem"),
        ({"algorithm": 3}, "algorithm"),
        ({"metrics": 3}, "metrics"),
        ({"stop": 3}, "stop"),
        ({"callbacks": 3}, "callbacks"),
    ],
)
def test_wrong_arguments_of_resume_are_not_reported_as_a_damaged_manifest(directory, arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        resume(directory, **arguments)


@pytest.mark.parametrize("value", [3, None, "", b"a"])
@pytest.mark.parametrize("use", [load, resume])
def test_a_directory_that_is_no_path_is_refused(use, value):
    with pytest.raises(TypeError, match="directory takes a path"):
        use(value)


@pytest.mark.parametrize("part", ["model", "instructions", "XLA_FLAGS"])
def test_another_processor_or_other_flags_warn(directory, monkeypatch, part):
    other = manifest.describe_processor() | {part: "another"}
    monkeypatch.setattr(manifest, "describe_processor", lambda: other)
    with pytest.warns(UserWarning, match=f"resumed in another environment.*{part} .* then, another now"):
        resume(directory, generations=8)


def test_flags_that_do_not_change_results_do_not_count(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=4 --xla_cpu_max_isa=SSE4_2")
    assert manifest.describe_processor()["XLA_FLAGS"] == "--xla_cpu_max_isa=SSE4_2"


# Locks


class OtherLocks:
    """Stands for ``msvcrt``, which locks a file's first byte and raises PermissionError if another has it."""

    LK_NBLCK = 2
    held: ClassVar[dict[tuple[int, int], int]] = {}

    @classmethod
    def locking(cls, handle: int, mode: int, length: int) -> None:
        assert (mode, length) == (cls.LK_NBLCK, 1)
        status = os.fstat(handle)
        holder = cls.held.setdefault((status.st_dev, status.st_ino), handle)
        if holder != handle:
            raise PermissionError(errno.EACCES, "Permission denied")


def test_where_fcntl_is_missing_the_lock_is_that_of_msvcrt(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "fcntl", None)
    monkeypatch.setattr(files, "msvcrt", OtherLocks)
    with files.locked(tmp_path / "run"):
        assert OtherLocks.held
        with pytest.raises(RunError, match="in use by another process"), files.locked(tmp_path / "run"):
            pass
    OtherLocks.held.clear()  # as closing the file does
    with files.locked(tmp_path / "run"):
        pass


def test_a_file_system_without_locks_warns(tmp_path, monkeypatch):
    class NoLocks:
        LOCK_EX = LOCK_NB = 0

        @staticmethod
        def flock(*_):
            raise OSError(errno.ENOTSUP, "Operation not supported")

    monkeypatch.setattr(files, "fcntl", NoLocks)
    with pytest.warns(UserWarning, match=r"cannot be locked.*do not run it twice"), files.locked(tmp_path / "run"):
        pass


# Old directories


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_run_of_an_earlier_version_opens(tmp_path, schema):
    directory = Path(shutil.copytree(STORED / schema, tmp_path / "run"))
    result = load(directory)
    with np.load(directory / "result.npz") as stored:
        np.testing.assert_array_equal(result.F, stored["F"])
        np.testing.assert_array_equal(result.X, stored["X"])
    np.testing.assert_allclose(result.G, result.problem(result.X).G, rtol=1e-4, atol=1e-5)
    assert result.G.shape == (len(result.F), 1)
    assert result.generations == 12
    assert len(result.history) == 13


@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.filterwarnings("ignore:.*resumed in another environment")
def test_a_run_of_an_earlier_version_continues(tmp_path, schema):
    directory = Path(shutil.copytree(STORED / schema, tmp_path / "run"))
    result = resume(directory, generations=14)
    assert result.generations == 14
    assert (result.G <= 0).all()
    # A run of schema 3 goes on with the plain sum of violations, as it began.
    assert result.algorithm.constraint_rule.relative == (schema != "schema-3")
    # One of TensorRVEA goes on with the usual dominance: it had no setting for another.
    assert getattr(result.algorithm, "cone", 0.0) == 0.0
    np.testing.assert_array_equal(load(directory).G, result.G)


def test_settings_that_a_stored_algorithm_did_not_have_are_those_of_its_time():
    stored = {"spec": {"algorithm": {"name": "SPEA2", "settings": {"population": 8, "cone": 0.2}}, "seeds": [1]}}
    migrated = add_later_settings(stored)
    assert migrated["spec"]["algorithm"]["settings"] == {"population": 8, "cone": 0.2, "prefer_new": False}
    assert migrated["spec_digest"] == spec_digest(stored["spec"])
    assert add_later_settings(migrated) == migrated
    other = {"spec": {"algorithm": {"name": "NSGA2", "settings": {}}}}
    assert add_later_settings(other) is other
