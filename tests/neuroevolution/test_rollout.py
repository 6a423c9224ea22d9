"""Lanes against the plain loop, on a toy engine that compiles quickly."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from toy import Spinner, lanes_of, plain_loop, start_states, toy_task, toy_world

from tensorrvea.neuroevolution.rollout import run_lanes
from tensorrvea.neuroevolution.task import always_healthy

STEPS = 60


def policies(world, n, seed=1):
    return 2 * jax.random.normal(jax.random.key(seed), (n, world.policy.size))


def in_lanes(world, x, starts, lanes, steps=STEPS):
    return jax.jit(lambda x, starts: run_lanes(world, x, starts, lanes=lanes, steps=steps))(x, starts)


def one_start(starts, n, episode=0):
    return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf[episode], (n, *leaf.shape[1:])), starts)


def test_lanes_are_bit_identical_to_the_plain_loop():
    world = toy_world()
    n, lanes = 50, 8
    x, starts = policies(world, n), start_states(world, 1)
    played = jax.device_get(in_lanes(world, x, starts, lanes))
    assert len(set(played.lengths[:, 0].tolist())) > 10  # of many different lengths

    plain = jax.jit(lambda x: plain_loop(world, x, one_start(starts, lanes), steps=STEPS))
    placed = lanes_of(played.lengths[:, 0], lanes)
    for which in range(max(turn for _, turn in placed) + 1):
        rows = np.zeros(lanes, int)
        held = [(job, lane) for job, (lane, turn) in enumerate(placed) if turn == which]
        for job, lane in held:
            rows[lane] = job
        alone = jax.device_get(plain(x[rows]))
        for job, lane in held:
            assert played.lengths[job, 0] == alone.lengths[lane]
            assert played.returns[job, 0].tobytes() == alone.returns[lane].tobytes()
    assert not played.failed.any()


def test_the_loop_runs_no_longer_than_the_queue_requires():
    """The number of steps, counted by the engine, is the sum of the episodes per lane."""
    steps_taken = []

    class Counting(Spinner):
        def step(self, state, action):
            jax.debug.callback(lambda: steps_taken.append(1))
            return super().step(state, action)

    world = toy_world(physics=Counting())
    n, lanes = 30, 5
    x, starts = policies(world, n), start_states(world, 1)
    played = in_lanes(world, x, starts, lanes)
    jax.effects_barrier()
    ends = [0] * lanes
    for length in np.asarray(played.lengths[:, 0]):
        lane = int(np.argmin(ends))
        ends[lane] += int(length)
    assert len(steps_taken) in (max(ends), max(ends) * lanes)  # one callback per step, or one per lane
    assert max(ends) < 0.7 * n / lanes * played.lengths.max()


@pytest.mark.parametrize("lanes", [1, 7, 1000])
def test_any_number_of_lanes_gives_the_same_episodes(lanes):
    world = toy_world()
    x, starts = policies(world, 20), start_states(world, 2)
    wanted = in_lanes(world, x, starts, 16)
    played = in_lanes(world, x, starts, lanes)
    assert played.returns.shape == (20, 2, 2)
    np.testing.assert_array_equal(played.lengths, wanted.lengths)
    np.testing.assert_allclose(played.returns, wanted.returns, rtol=1e-4)


def test_each_policy_is_run_from_every_start_state():
    world = toy_world()
    x, starts = policies(world, 9), start_states(world, 3)
    played = in_lanes(world, x, starts, 4)
    plain = jax.jit(lambda starts: plain_loop(world, x, starts, steps=STEPS))
    for episode in range(3):
        alone = plain(one_start(starts, 9, episode))
        np.testing.assert_array_equal(played.lengths[:, episode], alone.lengths)
        np.testing.assert_allclose(played.returns[:, episode], alone.returns, rtol=1e-4)


def test_an_episode_ends_after_the_given_steps():
    world = toy_world(toy_task(healthy=always_healthy))
    played = in_lanes(world, policies(world, 5), start_states(world, 1), 2, steps=13)
    np.testing.assert_array_equal(played.lengths, 13)


@pytest.mark.parametrize("trouble", ["nan", "reward"])
def test_an_exploding_simulation_does_not_affect_others(trouble):
    class Exploding(Spinner):
        """Explodes when the action exceeds 0.9."""

        def step(self, state, action):
            after = super().step(state, action)
            explodes = action[0] > 0.9
            bad = jnp.nan if trouble == "nan" else 1e6
            return {"q": after["q"].at[0].set(jnp.where(explodes, bad, after["q"][0])), "qd": after["qd"]}

    calm, wild = toy_world(), toy_world(physics=Exploding())
    x, starts = policies(calm, 40, seed=5) / 3, start_states(calm, 1)
    wanted, played = in_lanes(calm, x, starts, 6), in_lanes(wild, x, starts, 6)
    assert 0 < played.failed.sum() < 40
    well = ~np.asarray(played.failed[:, 0])
    np.testing.assert_allclose(played.returns[well], wanted.returns[well], rtol=1e-4)
    assert not wanted.failed.any()


def test_lanes_work_under_vmap_over_seeds():
    world = toy_world()
    x = jnp.stack([policies(world, 6, seed) for seed in (1, 2)])
    starts = start_states(world, 1)
    together = jax.jit(jax.vmap(lambda x: run_lanes(world, x, starts, lanes=4, steps=STEPS)))(x)
    for row in range(2):
        alone = in_lanes(world, x[row], starts, 4)
        np.testing.assert_array_equal(together.lengths[row], alone.lengths)
        np.testing.assert_allclose(together.returns[row], alone.returns, rtol=1e-4)
