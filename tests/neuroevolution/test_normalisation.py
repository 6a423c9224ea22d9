"""Normalised observations: statistics against NumPy's own, and the same bits after kills."""

import importlib.util
import multiprocessing
import signal
import subprocess
import sys
import time

import jax
import normalised_child
import numpy as np
import pytest

import tensorrvea as tr
from tensorrvea.neuroevolution import RobotProblem
from tensorrvea.neuroevolution.observed import initial_statistics, merge
from tensorrvea.runs import checkpoint

CHILDREN = multiprocessing.get_context("forkserver")


def hopper(**settings):
    given = {"backend": "mujoco", "steps": 40, "control_weight": 0.001, "normalize_observations": True}
    return RobotProblem("MoHopper-m2", **(given | settings))


def test_running_statistics_agree_with_those_of_all_observations():
    generator = np.random.default_rng(0)
    batches = [generator.normal(3, 2, size=(n, 4)) for n in (5, 100, 1, 37)]
    known = initial_statistics(4)
    for rows in batches:
        known = merge(known, len(rows), rows.sum(axis=0), (rows**2).sum(axis=0))
    together = np.concatenate(batches)
    assert known.count == len(together)
    np.testing.assert_allclose(known.mean, together.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(known.variance, together.var(axis=0), rtol=1e-4)
    assert merge(known, 0, np.zeros(4), np.zeros(4)) is known


def test_a_generation_learns_what_its_policies_observe():
    """Against recorded episodes: mean and variance of what was observed before each action."""
    problem = hopper(episodes=2)
    key = jax.random.key(0)
    x = problem.show(problem.sample(key, 5))
    (f, _), known = problem.evaluate_and_learn(key, x, problem.initial_knowledge())
    np.testing.assert_array_equal(f, problem.evaluate_host(key, x)[0])
    q, qd = problem.start_states(key)
    observed = []
    for row in x:
        for episode in range(2):
            start = (q[episode : episode + 1], qd[episode : episode + 1])
            trajectory = problem.record_from(row, start, steps=40)
            states = zip(trajectory.q[:-1], trajectory.qd[:-1], strict=True)
            observed += [[p[1] + 1.25, *p[2:], *np.clip(v, -10, 10)] for p, v in states]
    assert known.count == len(observed)
    np.testing.assert_allclose(known.mean, np.mean(observed, axis=0), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(known.variance, np.var(observed, axis=0), rtol=1e-3, atol=1e-6)
    seen = problem.apply_knowledge(known, problem.sample(key, 3))
    mean, log_deviation = np.split(np.asarray(seen[:, -22:]), 2, axis=1)
    np.testing.assert_allclose(mean, np.tile(known.mean, (3, 1)), rtol=1e-6)
    wanted = np.sqrt(np.maximum(np.var(observed, axis=0), 1e-4))
    np.testing.assert_allclose(np.exp(log_deviation), np.tile(wanted, (3, 1)), rtol=1e-3)


@pytest.mark.parametrize("lanes", [3, 500])
def test_statistics_are_bit_identical_for_any_number_of_lanes(lanes):
    key = jax.random.key(0)
    problem, other = hopper(lanes=7), hopper(lanes=lanes)
    x = problem.show(problem.sample(key, 12))
    for one, two in zip(
        problem.evaluate_and_learn(key, x, problem.initial_knowledge())[1],
        other.evaluate_and_learn(key, x, problem.initial_knowledge())[1],
        strict=True,
    ):
        np.testing.assert_array_equal(one, two)


def test_policies_of_the_front_keep_their_own_statistics():
    problem = hopper()
    algorithm = tr.TensorRVEA.paper(population=12)
    result = tr.optimize(problem, algorithm, generations=3, seed=1)
    again, _ = problem.evaluate_host(jax.random.key(0), result.X)
    np.testing.assert_allclose(-again, result.F, rtol=1e-5)
    assert np.abs(result.X[:, -22:]).min() > 0  # no policy of the first population is left, whose means are zero
    together = tr.replicate(problem, algorithm, generations=3, seeds=[1, 2])
    np.testing.assert_array_equal(together[0].F, result.F)


def test_three_kills_do_not_change_a_bit(tmp_path):
    directory = tmp_path / "run"

    def reached():
        return max(checkpoint.saved_generations(directory), default=-1) if directory.exists() else -1

    for _ in range(3):
        before, deadline = reached(), time.monotonic() + 300
        child = CHILDREN.Process(target=normalised_child.save_often, args=(str(directory),))
        child.start()
        while child.is_alive() and reached() < before + 2 and time.monotonic() < deadline:
            time.sleep(0.001)
        child.kill()
        child.join()
        assert child.exitcode == -signal.SIGKILL
        assert before < reached() < normalised_child.GENERATIONS
    last = CHILDREN.Process(target=normalised_child.save_often, args=(str(directory),))
    last.start()
    last.join()
    assert last.exitcode == 0
    resumed, whole = tr.load(directory), normalised_child.run(None)
    for part in ("X", "F"):
        np.testing.assert_array_equal(getattr(resumed.population, part), getattr(whole.population, part))
        np.testing.assert_array_equal(getattr(resumed.archive, part), getattr(whole.archive, part))


def test_other_engines_are_refused():
    with pytest.raises(ValueError, match="normalize_observations needs backend 'mujoco', got 'mjx'"):
        hopper(backend="mjx")


@pytest.mark.parametrize("activation", ["tanh", "relu", "sigmoid"])
def test_a_saved_policy_acts_the_same_without_the_library(activation, tmp_path):
    problem = RobotProblem(
        "MoPusher", backend="mujoco", steps=5, hidden=(6, 5), activation=activation, normalize_observations=True
    )
    x = np.random.default_rng(0).normal(size=problem.variables)
    policy, seen = problem.load(x), np.random.default_rng(1).normal(size=(4, 23))
    module = policy.save(tmp_path / "policy.py")
    text = module.read_text()
    assert "tensorrvea" not in text.replace(problem.name, "")
    specification = importlib.util.spec_from_file_location("saved_policy", module)
    saved = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(saved)
    np.testing.assert_allclose(saved.act(seen), policy(seen), rtol=1e-9)
    np.testing.assert_allclose(saved.act(seen[0]), policy(seen[0]), rtol=1e-9)
    np.testing.assert_allclose(saved.control(seen), 2 * policy(seen), rtol=1e-9)  # forces in (-2, 2)
    with np.load(policy.save(tmp_path / "policy.npz")) as arrays:
        assert arrays["weights_0"].shape == (23, 6)
        assert str(arrays["activation"]) == activation
        assert sorted(arrays.files) == sorted(policy.arrays())
    with pytest.raises(ValueError, match=r"path must end in \.npz or \.py, got 'policy\.onnx'"):
        policy.save("policy.onnx")


def test_a_saved_policy_imports_numpy_alone(tmp_path):
    hopper(normalize_observations=False).load(np.zeros(243)).save(tmp_path / "policy.py")
    code = "import sys, policy; print(policy.act([0.0] * 11).shape, 'jax' in sys.modules, 'tensorrvea' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "(3,) False False"
