"""Files of a run directory with random changes are refused, or read as they were: never as something else."""

import os
import random
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest

import tensorrvea as tr
from tensorrvea.runs import RunError, keep
from tensorrvea.runs.inspect import inspect_run

pytestmark = pytest.mark.slow
CHANGES = int(os.environ.get("TENSORRVEA_CHANGES", "200"))


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run with two checkpoints and arrays in its spec."""
    directory = tmp_path_factory.mktemp("runs") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keep, "SHARE", 1e9)
        tr.optimize(
            tr.problems.C1DTLZ1(objectives=2, variables=5), tr.TensorRVEA(population=8), generations=6, seed=1,
            directory=directory, checkpoint_seconds=0.0, every=3, callbacks=lambda _: None, archive=6,
            x=np.linspace(0.1, 0.9, 40).reshape(8, 5),
        )  # fmt: skip
    return directory


def change(content: bytes, other: bytes, rng: random.Random) -> bytes:
    """Flip bits, cut, insert, repeat, swap, zero or replace a part of a file."""
    where, length = rng.randrange(len(content)), rng.choice([1, 2, 8, 64, 512])
    before, part, after = content[:where], content[where : where + length], content[where + length :]
    return rng.choice(
        [
            lambda: before + bytes(byte ^ (1 << rng.randrange(8)) for byte in part) + after,
            lambda: before,
            lambda: before + after,
            lambda: before + rng.randbytes(length) + part + after,
            lambda: before + part + part + after,
            lambda: before + bytes(len(part)) + after,
            lambda: before + part.replace(b"0", b"9").replace(b"1", b"-") + after,
            lambda: after + before,
            lambda: other,
            lambda: b"",
        ]
    )()


def test_a_changed_file_is_refused_or_read_as_it_was(finished, tmp_path, record_property):
    rng = random.Random(1)
    whole = tr.load(finished)
    names = sorted(path.name for path in finished.iterdir() if path.name != "lock")
    refused = 0
    for number in range(CHANGES):
        directory = Path(shutil.copytree(finished, tmp_path / str(number)))
        # Of what is kept twice, both, so that the change is read.
        name = rng.choice(names)
        changed = change((finished / name).read_bytes(), (finished / rng.choice(names)).read_bytes(), rng)
        twice = [one for one in names if one.replace(".copy", "") == name.replace(".copy", "")]
        for one in twice if rng.random() < 0.5 else [name]:
            (directory / one).write_bytes(changed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                result = tr.load(directory)
            except RunError:
                refused += 1
            else:
                assert result.generations in (3, 6)
                if result.generations == 6:
                    np.testing.assert_array_equal(result.F, whole.F)
                    np.testing.assert_array_equal(result.X, whole.X)
            if name.endswith(".npz") and changed != (finished / name).read_bytes():  # of JSON, the content counts
                assert any(found.problem for found in inspect_run(directory)), name
        shutil.rmtree(directory)
    assert 0 < refused < CHANGES
    record_property("changed files of a run directory, each refused or read as it was", CHANGES)
