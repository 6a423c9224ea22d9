"""RobotProblem: bounds, signs, start states, identity and errors."""

import sys
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from oracle_rewards import NEW, returns_of

import tensorrvea.neuroevolution.backends as backends
from tensorrvea import RandomSearch, TensorRVEA, load, metrics, optimize, resume
from tensorrvea.neuroevolution import TASKS, RobotProblem
from tensorrvea.neuroevolution.models import load_model, model_path, require
from tensorrvea.neuroevolution.problem import mean_returns
from tensorrvea.neuroevolution.rollout import Episodes
from tensorrvea.runs import RunError, SpecDiffersError


def hopper(**settings):
    return RobotProblem(**({"task": "MoHopper-m2", "backend": "mujoco", "steps": 30} | settings))


def test_bounds_and_first_population_are_those_of_the_paper():
    problem = hopper()
    assert problem.box == (-8, 8)
    assert (problem.variables, problem.objectives) == (243, 2)
    assert problem.directions == ("max", "max")
    x = np.asarray(problem.sample(jax.random.key(0), 400))
    assert np.std(x) == pytest.approx(0.1, rel=0.01)
    assert np.mean(x) == pytest.approx(0, abs=0.002)
    assert problem.steps == 30
    assert RobotProblem(task="MoHopper-m2", backend="mujoco").steps == 1000
    np.testing.assert_array_equal(problem.reference_point(), [0, -865.70227051])
    np.testing.assert_array_equal(problem.reference_point("extensibility"), [0, -1127.1895752])


@pytest.mark.parametrize("name", TASKS)
def test_every_task_is_a_problem(name):
    problem = RobotProblem(task=name, backend="mujoco", steps=3)
    f, g = problem.evaluate(jax.random.key(0), problem.sample(jax.random.key(1), 2))
    assert f.shape == (2, problem.objectives)
    assert jnp.isfinite(f).all()
    assert g.shape[1] == 0


def test_the_control_weight_is_a_parameter_with_the_papers_default():
    x = np.asarray(hopper().sample(jax.random.key(1), 3), np.float64)
    paper, brax = hopper(), hopper(control_weight=0.001)
    assert paper.control_weight == 1
    f, g = (problem.evaluate_host(jax.random.key(0), x)[0] for problem in (paper, brax))
    assert (g < f).all()  # minimised: the cost is lower
    np.testing.assert_allclose((f - g)[:, 0], (f - g)[:, 1], rtol=1e-9)  # the same cost in both rewards


def test_start_states_are_fixed_or_new_per_key():
    one, other = jax.random.key(1), jax.random.key(2)
    fixed, new = hopper(episodes=2), hopper(episodes=2, starts="new")
    np.testing.assert_array_equal(fixed.start_states(one)[0], fixed.start_states(other)[0])
    assert not np.array_equal(new.start_states(one)[0], new.start_states(other)[0])
    np.testing.assert_array_equal(new.start_states(one)[0], new.start_states(one)[0])
    assert not np.array_equal(hopper(start_seed=1, episodes=2).start_states(one)[0], fixed.start_states(one)[0])
    assert not np.array_equal(*fixed.start_states(one)[0])  # one per episode
    np.testing.assert_array_equal(hopper(episodes=1).start_states(one)[0], fixed.start_states(one)[0][:1])


def test_equality_is_by_value():
    assert hopper() == hopper()
    assert hash(hopper()) == hash(hopper())
    for change in ({"steps": 31}, {"episodes": 2}, {"starts": "new"}, {"control_weight": 0.5}, {"hidden": (8,)}):
        assert hopper() != hopper(**change)
    assert hopper() != hopper(task="MoHopper-m3")


def test_a_failed_episode_fails_the_evaluation():
    played = Episodes(
        returns=np.arange(8.0).reshape(2, 2, 2),
        lengths=np.ones((2, 2), int),
        failed=np.array([[False, False], [True, False]]),
    )
    np.testing.assert_array_equal(mean_returns(played), [[1, 2], [np.nan, np.nan]])


def test_optimisation_improves_the_policies():
    problem = hopper(steps=100)
    result = optimize(problem, TensorRVEA(population=24), generations=4, seed=1)
    first = problem.evaluate_host(jax.random.key(0), np.asarray(problem.sample(jax.random.key(7), 24), np.float64))[0]
    assert result.F.max(axis=0).sum() > (-first).max(axis=0).sum()
    again = optimize(problem, TensorRVEA(population=24), generations=4, seed=1)
    np.testing.assert_array_equal(result.F, again.F)
    assert result.scores.mean.shape == result.scores.spread.shape == result.F.shape
    assert problem.replay(result.X[0]).returns.shape == (2,)


@pytest.mark.parametrize("task", NEW)
def test_new_tasks_evolve(task):
    """The front is above that of random search, and its returns are those of its recorded episodes."""
    problem = RobotProblem(task=task, backend="mujoco", steps=40)
    evolved, drawn = (
        optimize(problem, algorithm, generations=15, seed=1, archive=200).archive
        for algorithm in (TensorRVEA(population=32), RandomSearch(population=32))
    )
    both = np.concatenate([evolved.F, drawn.F])
    point = both.min(axis=0) - 0.1 * np.ptp(both, axis=0)
    volumes = [metrics.hypervolume(archive.F, point, problem.directions) for archive in (evolved, drawn)]
    assert volumes[0] > volumes[1]
    starts = problem.start_states(jax.random.key(0))
    for x, f in zip(evolved.X[:4], evolved.F[:4], strict=True):
        trajectory = problem.record_from(x, starts, steps=40)
        np.testing.assert_allclose(f, returns_of(task, trajectory, problem.control_weight), rtol=1e-5)


def test_the_chosen_backend_is_recorded(monkeypatch, caplog):
    caplog.set_level("INFO")
    problem = hopper(backend="auto")
    assert problem.backend == "mujoco"
    assert problem.name == "MoHopper-m2 (mujoco)"
    assert "backend mujoco for MoHopper-m2 on cpu" in caplog.text
    monkeypatch.setattr(backends.jax, "default_backend", lambda: "gpu")
    assert backends.choose_backend("auto", TASKS["MoHopper-m2"]) == "mjx"
    assert backends.default_lanes("mjx") > 1000


def own_hopper(limit=20.0, **settings):
    """A hopper with a user's task."""
    task = replace(TASKS["MoHopper-m2"], name="MyHopper", healthy=lambda state: state.q[..., 1] > -0.5, limit=limit)
    return hopper(task=task, **settings)


def test_a_users_task_is_stored_in_a_run_directory_like_any_users_problem(tmp_path):
    budget = {"generations": 2, "seed": 1}
    result = optimize(own_hopper(), TensorRVEA(population=8), directory=tmp_path / "run", **budget)
    np.testing.assert_array_equal(load(tmp_path / "run").F, result.F)
    again = optimize(own_hopper(), TensorRVEA(population=8), directory=tmp_path / "run", **budget)
    np.testing.assert_array_equal(again.F, result.F)
    with pytest.raises(RunError, match=r"the user's own \(MyHopper \(mujoco\)\).*give it as problem="):
        resume(tmp_path / "run")
    for changed in (own_hopper(limit=10.0), own_hopper(steps=31)):
        with pytest.raises(SpecDiffersError, match="the source code of problem has changed"):
            resume(tmp_path / "run", problem=changed)
    assert result.report(tmp_path / "page.html", replays=1).stat().st_size > 1000


def test_a_host_problem_cannot_be_compiled():
    problem = hopper()
    with pytest.raises(TypeError, match="evaluated on the host and cannot be compiled"):
        jax.jit(problem.evaluate)(jax.random.key(0), jnp.zeros((1, 243)))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"task": "MoHoper-m2"}, "did you mean 'MoHopper-m2'"),
        ({"backend": "mujco"}, r"backend must be one of 'auto', .*; did you mean 'mujoco'\?"),
        ({"task": "MoSwimmer", "backend": "brax-spring"}, "backend must be one of brax, mjx, mujoco for MoSwimmer"),
        ({"steps": 0}, "steps must be at least 1"),
        ({"episodes": 0}, "episodes must be at least 1"),
        ({"starts": "random"}, "starts must be one of 'fixed', 'new'"),
        ({"control_weight": -1.0}, "control_weight must be a finite number in"),
        ({"lanes": 0}, "lanes must be at least 1"),
        ({"hidden": (0,)}, "each size in hidden must be at least 1"),
    ],
)
def test_invalid_arguments_are_rejected(settings, message):
    with pytest.raises(ValueError, match=message):
        hopper(**settings)


def test_a_policy_of_the_wrong_length_is_rejected():
    with pytest.raises(ValueError, match=r"x must have shape \(243,\)"):
        hopper().load(np.zeros(10))


def test_policies_of_the_wrong_length_are_rejected_when_evaluated():
    message = r"x must have 243 columns, the weights of 11 → 16 → 3, got shape \(2, 10\)"
    wrong = np.zeros((2, 10))
    for evaluate in (hopper().evaluate, hopper().evaluate_host):
        with pytest.raises(ValueError, match=message):
            evaluate(jax.random.key(0), wrong)
    with pytest.raises(ValueError, match=message):
        hopper().policy.apply(wrong, np.zeros((2, 11)))


def test_a_task_with_an_unknown_model_or_environment_gets_a_suggestion():
    task = TASKS["MoHopper-m2"]
    with pytest.raises(ValueError, match=r"model must be the path of an MJCF .* got 'hoper'; did you mean 'hopper'\?"):
        hopper(task=replace(task, model="hoper"))
    with pytest.raises(ValueError, match=r"environment of a task must be one of .* did you mean 'hopper'\?"):
        hopper(task=replace(task, environment="hoper"), backend="brax")


def test_a_loaded_policy_acts():
    problem = hopper()
    x = np.asarray(problem.sample(jax.random.key(0), 1))[0]
    policy = problem.load(x)
    seen = np.linspace(-1, 1, 11)
    np.testing.assert_allclose(policy(seen), problem.policy.load(x)(seen), rtol=1e-6)
    np.testing.assert_allclose(problem.policy.load(x.tolist())(seen.tolist()), policy(seen), rtol=1e-6)
    assert repr(policy) == "RobotPolicy(MoHopper-m2 (mujoco), 243 weights)"


def test_a_task_that_is_not_in_the_paper_has_no_reference_point():
    problem = RobotProblem(task="MoAnt", backend="mujoco")
    assert problem.reference_point() is None
    with pytest.raises(ValueError, match="MoAnt is not in the paper"):
        problem.reference_point("neuroevolution")


@pytest.mark.parametrize(
    ("package", "missing"),
    [("mujoco", "mujoco"), ("mujoco.mjx", "mujoco.mjx"), ("brax.envs", "brax"), ("PIL.Image", "PIL")],
)
def test_the_error_for_a_missing_package_says_how_to_install_it(package, missing, monkeypatch):
    class Missing:
        @staticmethod
        def find_spec(name: str, *_: object) -> None:
            if name == missing:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    for name in [name for name in sys.modules if name == missing or name.startswith(f"{missing}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Missing, *sys.meta_path])
    remedy = rf"this needs '{missing}', which is not installed: pip install \"tensorrvea\[neuroevolution\]\""
    with pytest.raises(ModuleNotFoundError, match=remedy):
        require(package, needed_for="this")


def test_the_error_for_missing_models_says_how_to_install_them(monkeypatch):
    monkeypatch.setattr("tensorrvea.neuroevolution.models.find_spec", lambda _: None)
    with pytest.raises(ModuleNotFoundError, match=r"models come with the package 'brax'.*pip install"):
        model_path("hopper")


def test_a_broken_package_is_not_reported_as_missing(monkeypatch, tmp_path):
    (tmp_path / "halfthere.py").write_text("import nowhere_to_be_found\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModuleNotFoundError, match="No module named 'nowhere_to_be_found'"):
        require("halfthere", needed_for="this")


def test_models_are_loaded_once():
    assert load_model("hopper") is load_model("hopper")
