"""A result saved as one file, without pickles."""

import json
import zipfile

import jax.numpy as jnp
import numpy as np
import pytest

import tensorrvea as tr
from tensorrvea.runs.arrays import read_arrays, write_arrays
from tensorrvea.runs.errors import RunError

ALGORITHM = tr.RandomSearch(population=8)


@pytest.fixture(scope="module")
def result() -> tr.Result:
    problem = tr.problems.ZDT1(variables=5)
    return tr.optimize(problem, ALGORITHM, generations=5, seed=3, history="populations", archive=10)


def test_a_saved_result_is_loaded_as_it_was(result, tmp_path):
    path = result.save(tmp_path / "front.npz")
    loaded = tr.load(path)
    assert repr(loaded) == repr(result)
    assert loaded.problem == result.problem
    assert loaded.algorithm == result.algorithm
    for one, other in ((loaded.population, result.population), (loaded.archive, result.archive)):
        for name in vars(other):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for name, values in result.history.columns().items():
        np.testing.assert_array_equal(loaded.history.columns()[name], values)
    assert len(loaded.history.populations) == 6
    for one, other in zip(loaded.history.populations, result.history.populations, strict=True):
        np.testing.assert_array_equal(one.X, other.X)
    np.testing.assert_array_equal(np.load(path, allow_pickle=False)["population.F"], result.population.F)


def test_fronts_and_metrics_are_saved(tmp_path):
    problem = tr.problems.ZDT1(variables=5)
    metrics = {"best": lambda f, _: f.min()}
    result = tr.optimize(problem, ALGORITHM, generations=5, history="fronts", metrics=metrics)
    loaded = tr.load(result.save(tmp_path / "front.npz"))
    np.testing.assert_array_equal(loaded.history.metrics["best"], result.history.metrics["best"])
    for one, other in zip(loaded.history.fronts, result.history.fronts, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_users_own_problem_is_described_and_can_be_given(tmp_path):
    lower = np.linspace(0, 0.1, 20)  # more entries than are written to the description itself
    names = ["cost", "mass"]
    problem = tr.Problem(
        lambda x: jnp.stack([x[0], 1 - x[1]]), lower=lower, upper=lower + 1, objectives=2, objective_names=names
    )
    result = tr.optimize(problem, ALGORITHM, generations=2)
    path = result.save(tmp_path / "own.npz")
    loaded = tr.load(path)
    assert loaded.problem.objective_names == ("cost", "mass")
    np.testing.assert_array_equal(loaded.problem.lower, lower)
    assert tr.load(path, problem=problem).problem is problem


def test_an_own_algorithm_has_to_be_given(tmp_path):
    class Mine(tr.RandomSearch):
        pass

    result = tr.optimize(tr.problems.ZDT1(variables=5), tr.RandomSearch(population=8), generations=2)
    result.algorithm = Mine(population=8)
    path = result.save(tmp_path / "own.npz")
    with pytest.raises(RunError, match=r"algorithm is the user's own .*Mine.* give it as algorithm="):
        tr.load(path)
    assert tr.load(path, algorithm=result.algorithm).algorithm is result.algorithm


def change_description(path, **changes):
    arrays = dict(read_arrays(path))
    content = json.loads(arrays["description"].tobytes()) | changes
    write_arrays(path, arrays | {"description": np.frombuffer(json.dumps(content).encode(), np.uint8)})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schema": 99}, "has schema 99, but this version reads 1"),
        ({"seed": "x"}, "does not describe a run"),
        ({"problem": {"name": "os.system", "settings": {}}}, "is not known"),
        ({"problem": {"name": "DTLZ2", "settings": {"variables": 2**40}}}, "claims variables"),
        ({"problem": {"name": "DTLZ2", "settings": {"objectives": 3}}}, "do not have the columns of DTLZ2"),
        ({"metrics": ["igd"]}, "does not describe a run"),
    ],
)
def test_a_changed_file_is_refused(result, tmp_path, changes, message):
    path = result.save(tmp_path / "front.npz")
    change_description(path, **changes)
    with pytest.raises(RunError, match=message):
        tr.load(path)


def test_other_files_are_refused(result, tmp_path):
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with pytest.raises(RunError, match=r"not a saved result: Result\.save writes one"):
        tr.load(tmp_path / "other.npz")
    (tmp_path / "text.npz").write_text("nothing")
    with pytest.raises(RunError, match="is damaged"):
        tr.load(tmp_path / "text.npz")
    np.savez(tmp_path / "pickled.npz", a=np.array([{}], dtype=object))
    with pytest.raises(RunError, match="not plain numbers"):
        tr.load(tmp_path / "pickled.npz")
    result.save(tmp_path / "front.npz")
    with pytest.raises(RunError, match=r"frnt\.npz does not exist; did you mean 'front\.npz'"):
        tr.load(tmp_path / "frnt.npz")
    with pytest.raises(RunError, match=r"cannot be written: No such file"):
        result.save(tmp_path / "nowhere" / "front.npz")
    with pytest.raises(TypeError, match="path takes a path, got 3"):
        result.save(3)


def test_a_cut_off_file_is_refused_wherever_it_ends(result, tmp_path):
    path = result.save(tmp_path / "front.npz")
    content = path.read_bytes()
    for length in range(0, len(content), 997):
        path.write_bytes(content[:length])
        with pytest.raises(RunError):
            tr.load(path)
    assert zipfile.is_zipfile(path) is False
