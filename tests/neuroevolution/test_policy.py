"""Policies as flat vectors."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tensorrvea.neuroevolution import MLP, TASKS


@pytest.mark.parametrize(
    ("task", "size"), [("MoHalfCheetah", 390), ("MoHopper-m2", 243), ("MoHopper-m3", 243), ("MoSwimmer", 178)]
)
def test_numbers_of_weights_are_those_of_the_paper(task, size):
    assert MLP(inputs=TASKS[task].observations, outputs=TASKS[task].actions).size == size


def test_a_network_agrees_with_hand_computed_values():
    policy = MLP(inputs=2, outputs=1, hidden=(2,))
    # Per layer: the matrix by rows (inputs × outputs), then the bias.
    x = np.array([1.0, -1.0, 0.5, 2.0, 0.1, -0.2, 3.0, -0.5, 0.25])
    a, b = 0.3, -0.7
    first = np.tanh(1.0 * a + 0.5 * b + 0.1)
    second = np.tanh(-1.0 * a + 2.0 * b - 0.2)
    wanted = np.tanh(3.0 * first - 0.5 * second + 0.25)
    np.testing.assert_allclose(policy.load(x)(np.array([a, b])), [wanted], rtol=1e-14)


@pytest.mark.parametrize("hidden", [(), (5,), (7, 3), (4, 4, 4)])
def test_a_batch_agrees_with_single_policies(hidden):
    policy = MLP(inputs=3, outputs=2, hidden=hidden)
    generator = np.random.default_rng(0)
    x, observation = generator.normal(size=(6, policy.size)), generator.normal(size=(6, 3))
    together = policy.apply(x, observation)
    alone = np.stack([policy.load(row)(seen) for row, seen in zip(x, observation, strict=True)])
    np.testing.assert_allclose(together, alone, rtol=1e-14)
    np.testing.assert_allclose(jax.jit(policy.apply)(jnp.asarray(x), jnp.asarray(observation)), alone, atol=1e-5)
    assert (np.abs(together) < 1).all()


def test_a_loaded_policy_takes_several_observations():
    policy = MLP(inputs=3, outputs=2)
    act = policy.load(np.random.default_rng(1).normal(size=policy.size))
    observations = np.random.default_rng(2).normal(size=(5, 3))
    np.testing.assert_allclose(act(observations), np.stack([act(row) for row in observations]), rtol=1e-14)


def test_a_vector_of_the_wrong_length_is_rejected():
    with pytest.raises(ValueError, match=r"x must have shape \(243,\), the weights of 11 → 16 → 3, got \(242,\)"):
        MLP(inputs=11, outputs=3).load(np.zeros(242))


def test_an_observation_of_the_wrong_length_is_rejected():
    with pytest.raises(ValueError, match="observation must end in 11 numbers"):
        MLP(inputs=11, outputs=3).load(np.zeros(243))(np.zeros(10))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"inputs": 0}, "inputs must be at least 1"),
        ({"hidden": (16, 0)}, "each size in hidden must be at least 1"),
        ({"hidden": 16}, "hidden takes the sizes of the hidden layers"),
    ],
)
def test_invalid_sizes_are_rejected(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        MLP(**({"inputs": 3, "outputs": 2} | arguments))


@pytest.mark.parametrize(
    ("activation", "function"),
    [("tanh", np.tanh), ("relu", lambda v: np.where(v > 0, v, 0)), ("sigmoid", lambda v: 1 / (1 + np.exp(-v)))],
)
def test_hidden_layers_have_the_chosen_activation(activation, function):
    policy = MLP(inputs=2, outputs=1, hidden=(3,), activation=activation)
    generator = np.random.default_rng(0)
    x, seen = generator.normal(size=policy.size), generator.normal(size=2)
    hidden = function(seen @ x[:6].reshape(2, 3) + x[6:9])
    np.testing.assert_allclose(policy.load(x)(seen), np.tanh(hidden @ x[9:12] + x[12:]), rtol=1e-12)


@pytest.mark.parametrize("hidden", [(), (4,), (4, 3)])
def test_normalised_inputs_agree_with_the_plain_policy(hidden):
    """The means and deviations at the end of the vector act as if observations were normalised before."""
    plain = MLP(inputs=3, outputs=2, hidden=hidden)
    policy = MLP(inputs=3, outputs=2, hidden=hidden, normalized=True)
    generator = np.random.default_rng(0)
    weights, mean, deviation = generator.normal(size=plain.size), generator.normal(size=3), np.array([0.1, 2.0, 30.0])
    x = np.concatenate([weights, mean, np.log(deviation)])
    assert policy.size == len(x) == len(policy.bound)
    seen = 10 * generator.normal(size=(5, 3))
    wanted = plain.load(weights)((seen - mean) / deviation)
    np.testing.assert_allclose(policy.load(x)(seen), wanted, rtol=1e-9)
    np.testing.assert_allclose(policy.apply(np.tile(x, (5, 1)), seen), wanted, rtol=1e-9)


def test_an_unknown_activation_is_rejected():
    with pytest.raises(ValueError, match="activation must be one of 'tanh', 'relu', 'sigmoid', got 'step'"):
        MLP(inputs=1, outputs=1, activation="step")
