"""Reading a hostile run directory cannot run code, write outside it, or exhaust memory."""

import io
import json
import os
import pickle
import re
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

import tensorrvea as tr
from tensorrvea import load, resume
from tensorrvea.atomic import atomic_write
from tensorrvea.cli.main import execute
from tensorrvea.runs import DamagedError, RunError
from tensorrvea.runs.arrays import read_arrays, write_arrays
from tensorrvea.runs.files import digest, locked, read_json, write_json

PROBLEM, ALGORITHM = tr.problems.ZDT1(variables=5), tr.TensorRVEA(population=8)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    directory = tmp_path_factory.mktemp("runs") / "run"
    tr.optimize(PROBLEM, ALGORITHM, generations=10, seed=1, directory=directory)
    return directory


@pytest.fixture
def directory(finished, tmp_path):
    return Path(shutil.copytree(finished, tmp_path / "run"))


def rewrite(path: Path, content: dict) -> None:
    content.pop("checksum", None)
    path.write_text(json.dumps(content | {"checksum": digest(content)}))


def change_spec(directory: Path, **changes) -> None:
    for path in directory.glob("manifest*.json"):
        manifest = json.loads(path.read_text())
        manifest["spec"] |= changes
        rewrite(path, manifest)


class Exploit:
    """An object whose unpickling runs code."""

    def __reduce__(self):
        return os.mkdir, ("pwned",)


def member(array_bytes: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a.npy", array_bytes)
    return stream.getvalue()


def npy(shape: str, dtype: str = "'<f4'", body: bytes = b"") -> bytes:
    header = f"{{'descr': {dtype}, 'fortran_order': False, 'shape': {shape}}}".encode()
    header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + body


def pickled() -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.array([Exploit()], dtype=object))
    return stream.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (pickled(), "not plain numbers"),
        (npy("(1,)", "'|O'", pickle.dumps(Exploit())), "not plain numbers"),
        (npy("(1000000000000,)"), "claims shape"),
        (npy("(2,)", body=b"1234"), "claims shape"),
        (npy("(-1,)"), "claims shape|negative"),
        (npy("__import__('os').mkdir('pwned')"), "is damaged"),
        (npy("(" * 3000), "is damaged"),
        (b"\x93NUMPY\x09\x00" + b"0" * 80, "format"),
        (b"", "is damaged"),
        (b"not an array at all", "is damaged"),
    ],
)
def test_hostile_arrays_are_refused(tmp_path, monkeypatch, content, message):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.npz"
    path.write_bytes(member(content))
    with pytest.raises(DamagedError, match=message):
        read_arrays(path)
    assert not Path("pwned").exists()


def test_compressed_arrays_are_refused(tmp_path):
    """A small file must not expand to a large array."""
    np.savez_compressed(tmp_path / "bomb.npz", a=np.zeros(10**6))
    with pytest.raises(DamagedError, match="is compressed"):
        read_arrays(tmp_path / "bomb.npz")


def test_arrays_are_read_as_written(tmp_path):
    arrays = {"a.b['c']": np.arange(6.0).reshape(2, 3).T, "scalar": np.array(3), "none": np.zeros((0, 4), bool)}
    check = write_arrays(tmp_path / "a.npz", arrays)
    back = read_arrays(tmp_path / "a.npz", check)
    assert back.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(back[name], array)
        assert back[name].dtype == array.dtype
        assert back[name].shape == array.shape
    assert write_arrays(tmp_path / "b.npz", arrays) == check


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 50_000,
        '{"a": ' + "9" * 10_000 + "}",
        '{"a": NaN}',
        "[1, 2]",
        "\x00",
        '{"a": 1',
    ],
)
def test_hostile_json_is_refused(tmp_path, text):
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(DamagedError, match=r"not valid JSON|must hold a JSON object"):
        read_json(tmp_path / "manifest.json")
    with pytest.raises(RunError):
        load(tmp_path)


def test_oversized_json_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("tensorrvea.runs.files.JSON_BYTES", 1000)
    write_json(tmp_path / "a.json", {"a": "x" * 2000})
    with pytest.raises(DamagedError, match="more than the limit of 1000"):
        read_json(tmp_path / "a.json")


def test_links_and_pipes_are_not_read(directory, tmp_path):
    secret = tmp_path / "secret.json"
    shutil.copy(directory / "manifest.json", secret)
    for name in ("manifest.json", "manifest.copy.json"):
        (directory / name).unlink()
        (directory / name).symlink_to(secret)
    with pytest.raises(DamagedError, match="cannot be read as a regular file"):
        load(directory)
    (directory / "manifest.json").unlink()
    os.mkfifo(directory / "pipe.json")
    with pytest.raises(DamagedError, match="is not a regular file"):
        read_json(directory / "pipe.json")


def test_nothing_is_written_through_a_link(tmp_path):
    outside = tmp_path / "outside"
    outside.write_text("mine")
    inside = tmp_path / "run"
    inside.mkdir()
    (inside / "manifest.json").symlink_to(outside)
    (inside / f".manifest.json.{os.getpid()}.part").symlink_to(outside)
    with atomic_write(inside / "manifest.json") as stream:
        stream.write(b"new")
    assert outside.read_text() == "mine"
    assert (inside / "manifest.json").read_bytes() == b"new"
    (inside / "lock").symlink_to(outside)
    with pytest.raises(RunError, match="cannot be locked"), locked(inside):
        pass


def test_a_link_instead_of_a_checkpoint_is_not_followed(directory, tmp_path):
    outside = tmp_path / "outside"
    outside.write_bytes(b"mine")
    for path in directory.glob("checkpoint-*.npz"):
        path.unlink()
        path.symlink_to(outside)
    with pytest.raises(DamagedError, match="no undamaged checkpoint"):
        resume(directory)
    assert outside.read_bytes() == b"mine"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"problem": {"name": "os.system", "settings": {}}}, "not known"),
        ({"problem": {"name": "ZDT1", "settings": {"objectives": 2, "variables": "evil"}}}, "does not describe a run"),
        (
            {"problem": {"name": "ZDT1", "settings": {"objectives": 2, "folder": "../../etc"}}},
            "does not describe a run",
        ),
        ({"algorithm": {"name": "Popen", "settings": {"args": "mkdir pwned"}}}, "not known"),
        ({"algorithm": {"name": "TensorRVEA", "settings": {"population": 8, "extra": 1}}}, "does not describe a run"),
        ({"algorithm": {"own": "evil.module:function", "source": "0"}}, "the user's own"),
        ({"problem": {"own": {"name": "evil"}}}, "does not describe a run|the user's own"),
        ({"metrics": {"../../evil": "standard"}}, "does not describe a run"),
        ({"seeds": ["__import__('os')"]}, "does not describe a run"),
        ({"seeds": "0"}, "does not describe a run"),
        ({"history": "../../evil"}, "does not describe a run"),
        ({"budget": {"generations": -1}}, "does not describe a run"),
        ({"start": {"array": "../../evil"}}, "missing"),
        ({"start": {"filled": 0.0, "shape": [10**9, 10**9]}}, "claims shape"),
        ({"stop": [{"name": "Stagnation", "settings": {"generations": []}}]}, "does not describe a run"),
        ({"algorithm": {"name": "TensorRVEA", "settings": {"population": 9}}}, "holds another run"),
    ],
)
def test_hostile_specs_are_refused(directory, monkeypatch, changes, message):
    monkeypatch.chdir(directory.parent)
    before = sorted(directory.parent.rglob("*"))
    change_spec(directory, **changes)
    with pytest.raises(RunError, match=message):
        resume(directory)
    assert sorted(directory.parent.rglob("*")) == before


@pytest.mark.parametrize(
    "changes",
    [
        {"extended": None},
        {"extended": [{"generation": "evil"}]},
        {"sessions": [3]},
        {"sessions": [{"generation": 1, "versions": {}, "device": "evil"}]},
        {"spec": {}},
        {"spec": {"problem": 3}},
    ],
)
def test_hostile_manifests_are_refused_by_every_reader(directory, tmp_path, capsys, changes):
    for path in directory.glob("manifest*.json"):
        rewrite(path, json.loads(path.read_text()) | changes)
    for words in (
        ["show"],
        ["resume"],
        ["resume", "--generations", "20"],
        ["report", "--out", str(tmp_path / "a.html")],
    ):
        assert execute([words[0], str(directory), *words[1:]]) == 1
        assert re.search("is not a manifest|does not describe a run", capsys.readouterr().err)


def test_control_characters_in_names_do_not_reach_the_terminal(directory, capsys):
    own = {"name": "\x1b[2Jevil", "objectives": 2}
    change_spec(directory, problem={"own": own})
    assert execute(["show", str(directory)]) == 1
    out, err = capsys.readouterr()
    assert "?[2Jevil" in out
    assert "\x1b" not in out + err


@pytest.mark.parametrize(
    "changes",
    [
        {"generation": "../../evil"},
        {"history": [{"first": 0, "last": "../evil", "bytes": 1, "sha256": ""}]},
        {"history": []},
        {"history": "no"},
        {"carry": None},
        {"carry": {"bytes": 10**15, "sha256": 5}},
        {"elapsed": "long"},
        {"stopped": 3},
    ],
)
def test_hostile_checkpoints_are_refused(directory, changes):
    path = max(directory.glob("checkpoint-*.json"))
    for other in directory.glob("checkpoint-*.json"):
        if other != path:
            other.unlink()
    rewrite(path, json.loads(path.read_text()) | changes)
    with pytest.raises(DamagedError, match="no undamaged checkpoint"):
        load(directory)
