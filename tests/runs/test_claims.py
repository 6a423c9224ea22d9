"""A run directory of somebody else can take neither all memory nor all time: claims are bounded first."""

import io
import json
import os
import shutil
import struct
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

import tensorrvea as tr
from tensorrvea import load, resume
from tensorrvea.reference_vectors import largest_divisions, lattice_size
from tensorrvea.runs import DamagedError, RunError
from tensorrvea.runs.arrays import read_arrays
from tensorrvea.runs.files import digest, locked

PROBLEM, ALGORITHM = tr.problems.ZDT1(variables=5), tr.TensorRVEA(population=8)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    directory = tmp_path_factory.mktemp("runs") / "run"
    tr.optimize(PROBLEM, ALGORITHM, generations=2, seed=1, directory=directory)
    return directory


@pytest.fixture
def directory(finished, tmp_path):
    return Path(shutil.copytree(finished, tmp_path / "run"))


def change_spec(directory: Path, **changes) -> None:
    for path in directory.glob("manifest*.json"):
        manifest = json.loads(path.read_text())
        manifest.pop("checksum")
        manifest["spec"] |= changes
        path.write_text(json.dumps(manifest | {"checksum": digest(manifest)}))


HUGE = {
    "population": {"algorithm": {"name": "TensorRVEA", "settings": {"population": 10**12}}},
    "larger population": {"algorithm": {"name": "TensorRVEA", "settings": {"population": 10**7}}},
    "variables": {"problem": {"name": "ZDT1", "settings": {"variables": 10**12}}},
    "more variables": {"problem": {"name": "ZDT1", "settings": {"variables": 10**7}}},
    "objectives": {"problem": {"name": "DTLZ2", "settings": {"objectives": 10**6, "variables": 10**6 + 9}}},
    "metrics": {"metrics": {f"m{i}": {"source": ""} for i in range(10**5)}},
    "archive": {"archive": 10**12},
    "seeds": {"seeds": list(range(10**5)), "batch": True},
}


@pytest.mark.parametrize("claim", HUGE)
@pytest.mark.parametrize("use", [load, resume])
def test_claims_that_no_checkpoint_holds_are_refused_before_anything_is_built(directory, claim, use):
    change_spec(directory, **HUGE[claim])
    tracemalloc.start()
    try:
        with pytest.raises(DamagedError, match="the manifest claims"):
            use(directory)
        assert tracemalloc.get_traced_memory()[1] < 10**8
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("value", [json.loads("[" * 40 + "]" * 40), json.loads("[" * 900 + "]" * 900), "\ud800"])
def test_nested_lists_and_lone_surrogates_are_refused(directory, value):
    path = directory / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["spec"]["start"] = value
    for path in directory.glob("manifest*.json"):
        path.write_text(json.dumps(manifest))
    with pytest.raises(DamagedError):
        load(directory)


def test_a_checkpoint_with_a_lone_surrogate_falls_back_to_the_one_before(tmp_path, monkeypatch):
    monkeypatch.setattr("tensorrvea.runs.keep.SHARE", 1e9)
    directory = tmp_path / "run"
    tr.optimize(PROBLEM, ALGORITHM, generations=2, seed=1, directory=directory, checkpoint_seconds=0.0)
    path = max(directory.glob("checkpoint-*.json"))
    path.write_text(json.dumps(json.loads(path.read_text()) | {"stopped": "\ud800"}))
    with pytest.warns(UserWarning, match="the checkpoint before it"):
        assert load(directory).generations < 2


def overlapping(copies: int) -> bytes:
    """A zip whose directory lists one member many times."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        data = io.BytesIO()
        np.lib.format.write_array(data, np.zeros(10**5))
        archive.writestr("000000.npy", data.getvalue())
    content = body.getvalue()
    start = content.index(b"PK\x01\x02")
    end = content.index(b"PK\x05\x06")
    entry = content[start:end]
    names = [b"%06d.npy" % i for i in range(copies)]
    entries = b"".join(entry.replace(b"000000.npy", name) for name in names)
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, copies, copies, len(entries), start, 0)
    return content[:start] + entries + tail


def test_overlapping_members_are_refused(tmp_path):
    path = tmp_path / "a.npz"
    path.write_bytes(overlapping(1000))
    with pytest.raises(DamagedError, match=r"claim more bytes than it has|Overlapped"):
        read_arrays(path)


@pytest.mark.parametrize("name", ["manifest.json", "lock", "checkpoint-0000000002.json", "checkpoint-0000000002.npz"])
@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_directories_and_pipes_instead_of_files_are_refused(directory, name, make):
    for path in directory.glob(name.replace("manifest", "manifest*")):
        path.unlink()
        make(path)
    with pytest.raises(RunError):
        resume(directory)


def test_a_file_or_a_pipe_instead_of_a_directory_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="is a file, and a run needs a directory"), locked(tmp_path / "file"):
        pass


@pytest.mark.parametrize("objectives", [2, 3, 5, 10])
def test_the_largest_lattice_is_that_of_a_search_one_by_one(objectives):
    for most in range(1, 300):
        divisions = 0
        while lattice_size(divisions + 1, objectives) <= most:
            divisions += 1
        assert largest_divisions(most, objectives) == divisions
    assert largest_divisions(10**12, 2) == 10**12 - 1
    assert lattice_size(largest_divisions(10**18, objectives), objectives) <= 10**18


def test_a_population_given_by_set_is_that_of_the_budget():
    from tensorrvea.cli.run import Run

    search = Run(problem="ZDT1", evaluations=1000, set=("algorithm.population=7",)).search()
    assert search.run.budget.last == 1000 // 7 - 1
