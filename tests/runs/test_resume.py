"""Runs in directories: started, resumed, extended, loaded."""

import json
from functools import partial

import jax.numpy as jnp
import numpy as np
import pytest

import tensorrvea as tr
from tensorrvea import load, resume
from tensorrvea.runs import RunError, SpecDiffersError, read_manifest, standard_metrics
from tensorrvea.runs.arrays import read_arrays
from tensorrvea.runs.spec import differences
from tensorrvea.runs.standard_metrics import describe_metric
from tensorrvea.stop import Stagnation, Target

PROBLEM, ALGORITHM = tr.problems.DTLZ2(objectives=3), tr.TensorRVEA(population=12, variation=tr.CSO())


def stop_at(generation: int):
    """Return a callback that ends the run by an unexpected exception, as if it was killed."""

    def callback(result: tr.Result) -> None:
        if result.generations >= generation:
            raise MemoryError

    return callback


def interrupted_run(directory, problem=PROBLEM, algorithm=ALGORITHM, *, at=20, **options):
    options = {"generations": 40, "seed": 5, "checkpoint_seconds": 0.0} | options
    with pytest.raises(MemoryError):
        tr.optimize(problem, algorithm, directory=directory, callbacks=stop_at(at), **options)


@pytest.fixture(autouse=True)
def save_often(monkeypatch):
    monkeypatch.setattr("tensorrvea.runs.keep.SHARE", 1e9)


def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path):
    options = {
        "generations": np.uint8(40), "seed": np.uint32(5), "history": "populations", "archive": np.int8(7),
        "metrics": standard_metrics(("igd", "hypervolume"), PROBLEM), "x": np.full((2, 12), 0.5),
    }  # fmt: skip
    interrupted_run(tmp_path / "run", **options)
    assert load(tmp_path / "run").generations == 10
    again = resume(tmp_path / "run")
    whole = tr.optimize(PROBLEM, ALGORITHM, **options)
    for one, other in ((again, whole), (load(tmp_path / "run"), whole)):
        np.testing.assert_array_equal(one.X, other.X)
        np.testing.assert_array_equal(one.archive.F, other.archive.F)
        for name in ("igd", "hypervolume"):
            np.testing.assert_array_equal(one.history.metrics[name], other.history.metrics[name])
        for ours, theirs in zip(one.history.populations, other.history.populations, strict=True):
            np.testing.assert_array_equal(ours.X, theirs.X)
        assert (np.diff(one.history.seconds) > 0).all()
    arrays = read_arrays(tmp_path / "run" / "result.npz")
    np.testing.assert_array_equal(arrays["F"], whole.F)
    with np.load(tmp_path / "run" / "result.npz", allow_pickle=False) as plain:
        np.testing.assert_array_equal(plain["X"], whole.X)


def test_replicates_are_saved_and_loaded(tmp_path):
    options = {"seeds": (3, 5), "generations": 30}
    whole = tr.replicate(PROBLEM, ALGORITHM, **options)
    kept = tr.replicate(PROBLEM, ALGORITHM, directory=tmp_path / "run", **options)
    for one, two, three in zip(whole, kept, load(tmp_path / "run"), strict=True):
        assert one.seed == three.seed
        np.testing.assert_array_equal(one.F, two.F)
        np.testing.assert_array_equal(one.F, three.F)


def test_a_resumed_host_problem_equals_an_uninterrupted_one(tmp_path):
    problem = tr.HostProblem(lambda x: (x[0], 1 - x[0] + x[1]), lower=[0, 0], upper=[1, 1], objectives=2)
    interrupted_run(tmp_path / "run", problem)
    again = resume(tmp_path / "run", problem=problem)
    np.testing.assert_array_equal(again.F, tr.optimize(problem, ALGORITHM, generations=40, seed=5).F)


def test_an_extended_run_continues_at_its_share_of_the_new_budget(tmp_path):
    tr.optimize(PROBLEM, ALGORITHM, generations=20, seed=5, directory=tmp_path / "run")
    longer = resume(tmp_path / "run", generations=40)
    assert longer.generations == 40
    np.testing.assert_allclose(longer.history.progress[20:23], [20 / 20, 21 / 40, 22 / 40])
    assert resume(tmp_path / "run").generations == 40
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["spec"]["budget"] == {"generations": 40}
    assert manifest["extended"][0]["budget"] == {"generations": 20}
    with pytest.raises(RunError, match=r"must be more than what the run has spent: 40 generations"):
        resume(tmp_path / "run", generations=30)
    assert len(manifest["sessions"]) == 2


def test_an_interrupted_extension_can_be_resumed(tmp_path):
    for directory in ("whole", "cut"):
        tr.optimize(PROBLEM, ALGORITHM, generations=20, seed=5, directory=tmp_path / directory)
    with pytest.raises(MemoryError):
        resume(tmp_path / "cut", generations=40, callbacks=stop_at(30), checkpoint_seconds=1000)
    again = resume(tmp_path / "cut")
    np.testing.assert_array_equal(again.F, resume(tmp_path / "whole", generations=40).F)


def test_a_resumed_run_spends_the_seconds_that_are_left(tmp_path):
    with pytest.raises(MemoryError):
        tr.optimize(
            PROBLEM, ALGORITHM, seconds=0.3, directory=tmp_path / "run", callbacks=stop_at(40), checkpoint_seconds=0
        )
    before = load(tmp_path / "run")
    after = resume(tmp_path / "run")
    assert 0 < before.seconds < 0.3 <= after.seconds
    np.testing.assert_array_equal(after.history.progress[: len(before.history)], before.history.progress)


def make_problem(offset: float, scale: float = 1.0) -> tr.Problem:
    def simulate(x):
        return jnp.stack([scale * x[0], 1 - x[0] + x[1]]) + offset

    return tr.Problem(
        simulate, lower=[0.5, 1.0], upper=[2.0, 9.0], objectives=2, directions=("min", "max"), log=[True, False],
        integer=[False, True], objective_names=["cost", "gain"], units=["€", ""],
    )  # fmt: skip


def test_a_users_own_problem_must_be_given_and_must_be_unchanged(tmp_path):
    interrupted_run(tmp_path / "run", make_problem(0.0))
    with pytest.raises(RunError, match=r"problem is the user's own \(simulate\).*give it as problem="):
        resume(tmp_path / "run")
    with pytest.raises(
        SpecDiffersError,
        match=r"the source code of problem has changed, or a value that it uses\n.*accept_changes=True",
    ):
        resume(tmp_path / "run", problem=make_problem(1.0))
    interrupted_run(tmp_path / "run", make_problem(0.0), at=30)
    changed = resume(tmp_path / "run", problem=make_problem(1.0), accept_changes=True)
    assert changed.generations == 40
    assert resume(tmp_path / "run", problem=make_problem(1.0)).generations == 40


def test_results_of_a_users_own_problem_are_loaded_without_its_code(tmp_path):
    problem = make_problem(0.0)
    result = tr.optimize(problem, ALGORITHM, generations=20, seed=5, directory=tmp_path / "run")
    read = load(tmp_path / "run")
    np.testing.assert_array_equal(read.X, result.X)
    np.testing.assert_array_equal(read.F, result.F)
    assert read.problem.objective_names == ("cost", "gain")
    assert read.problem.directions == ("min", "max")
    assert read.problem.units == ("€", "")
    with pytest.raises(TypeError, match="is not in a run directory"):
        read.problem.evaluate(None, jnp.zeros((1, 2)))


def test_a_users_own_metrics_and_stop_functions_must_be_given(tmp_path):
    spread = partial(lambda f, alive, weight: jnp.where(alive, f[:, 0], 0).max() * weight, weight=2.0)

    def enough(result: tr.Result) -> bool:
        return result.generations > 1000

    interrupted_run(tmp_path / "run", metrics={"spread": spread}, stop=enough)
    with pytest.raises(RunError, match=r"spread.*give them as metrics="):
        resume(tmp_path / "run")
    with pytest.raises(RunError, match=r"enough.*give it as stop="):
        resume(tmp_path / "run", metrics={"spread": spread})
    assert load(tmp_path / "run").history.metrics["spread"].shape == (11,)
    assert resume(tmp_path / "run", metrics={"spread": spread}, stop=enough).generations == 40


def test_stop_criteria_and_vectors_are_restored(tmp_path):
    vectors = np.abs(np.random.default_rng(0).normal(size=(12, 3)))
    algorithm = tr.TensorRVEA(population=12, vectors=vectors, alpha=1.5)
    stops = [Stagnation(generations=1000), Target([-1.0, -1.0, -1.0])]
    interrupted_run(tmp_path / "run", algorithm=algorithm, stop=stops)
    again = resume(tmp_path / "run")
    assert again.stopped == "budget spent"
    np.testing.assert_array_equal(again.F, tr.optimize(PROBLEM, algorithm, generations=40, seed=5).F)


def test_a_run_that_stopped_early_is_not_continued(tmp_path):
    stop = Target([9.0, 9.0, 9.0])
    options = {"generations": 40, "seed": 5, "stop": stop, "directory": tmp_path / "run"}
    result = tr.optimize(PROBLEM, ALGORITHM, **options)
    assert result.stopped == "stopped by Target"
    again = tr.optimize(PROBLEM, ALGORITHM, **options)
    assert (again.stopped, again.generations) == (result.stopped, result.generations)


def test_a_directory_without_a_run_is_rejected(tmp_path):
    with pytest.raises(RunError, match=r"is not a run directory: it has no manifest\.json"):
        load(tmp_path)


def test_old_checkpoints_and_segments_are_removed(tmp_path):
    tr.optimize(
        PROBLEM, ALGORITHM, generations=100, directory=tmp_path / "run", every=1, callbacks=lambda _: None,
        checkpoint_seconds=0.0,
    )  # fmt: skip
    names = sorted(path.name for path in (tmp_path / "run").iterdir())
    assert sum(name.startswith("checkpoint") for name in names) == 4
    assert sum(name.startswith("history") for name in names) <= 14
    assert not [name for name in names if name.endswith(".part")]


def test_metrics_are_identified_by_their_function_and_not_by_name():
    own = tr.Problem(lambda x: x, lower=[0.0, 0.0], upper=[1.0, 1.0], objectives=2, directions=["min", "max"])
    volume = standard_metrics(("hypervolume",), own, [1.0, 0.5])["hypervolume"]
    assert describe_metric("hypervolume", volume, own) == {"reference": [1.0, 0.5]}
    for name, problem in (("igd", own), ("hypervolume", own), ("igd", PROBLEM)):
        assert describe_metric(name, tr.metrics.device.spacing, problem).keys() == {"source"}
    assert describe_metric("igd", standard_metrics(("igd",), PROBLEM)["igd"], PROBLEM) == "standard"
    lines = differences({"hypervolume": "standard"}, {"hypervolume": {"reference": [1.0, 0.5]}}, "metrics")
    assert lines == ["metrics.hypervolume: standard in the directory, {'reference': [1.0, 0.5]} here"]


def test_several_budgets_are_recorded_and_resumed(tmp_path):
    problem, algorithm = tr.problems.ZDT1(variables=5), tr.TensorRVEA(population=8)
    first = tr.optimize(problem, algorithm, generations=6, seconds=1e6, directory=tmp_path / "run")
    assert first.stopped == "budget spent (generations)"
    spec = read_manifest(tmp_path / "run")[0]["spec"]
    assert spec["budget"] == {"generations": 6, "seconds": 1e6}
    assert tr.optimize(problem, algorithm, generations=6, seconds=1e6, directory=tmp_path / "run").generations == 6
    assert tr.resume(tmp_path / "run", evaluations=10 * 8, seconds=1e6).stopped == "budget spent (evaluations)"


def test_progress_falls_back_with_a_larger_budget_of_seconds(tmp_path):
    problem, algorithm = tr.problems.ZDT1(variables=5), tr.TensorRVEA(population=8)
    first = tr.optimize(problem, algorithm, seconds=0.05, directory=tmp_path / "run")
    longer = tr.resume(tmp_path / "run", generations=first.generations + 100, seconds=1e6)
    progress = longer.history.progress[len(first.history) :]
    assert progress[0] < 1
    assert (np.diff(progress) >= 0).all()
    assert progress[-1] == 1
