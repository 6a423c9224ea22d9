"""Speed of the robot simulations and quality of the policies.

    python benchmarks/neuroevolution.py lanes                 lanes against vmap + while_loop, Brax generalized
    python benchmarks/neuroevolution.py speed                 environment steps per second, MuJoCo against Brax
    python benchmarks/neuroevolution.py openloop              steps per second as a share of the engine's own
    python benchmarks/neuroevolution.py hopper                hypervolume on MoHopper-m2 with Brax, three seeds
    python benchmarks/neuroevolution.py tasks                 hypervolume against random search on the paper's tasks
    python benchmarks/neuroevolution.py vector                episodes of Gymnasium one by one and by gymnasium.vector

The defaults are those of docs/neuroevolution.md; options reduce the sizes. Times exclude compilation.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import mujoco
import numpy as np
from mujoco import rollout

from tensorrvea import RandomSearch, TensorRVEA, metrics, optimize
from tensorrvea.adapters import MOGymnasium
from tensorrvea.neuroevolution import RobotProblem, rescore
from tensorrvea.neuroevolution.policy import forward
from tensorrvea.neuroevolution.rollout import Episodes, advance

PAPER_TASKS = ("MoHalfCheetah", "MoHopper-m2", "MoHopper-m3", "MoSwimmer")


def timed(function: Callable[[], Any], repeats: int = 3) -> tuple[Any, float]:
    """The function's result and its shortest time, after a first call that compiles."""
    jax.block_until_ready(function())
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        result = jax.block_until_ready(function())
        times.append(time.perf_counter() - started)
    return result, min(times)


def plain_loop(problem: RobotProblem, starts: Any, x: jax.Array) -> Episodes:
    """The baseline of lanes: all policies in one batch, until the last episode ends."""

    def body(carry: Any) -> Any:
        state, total, length, over, failed, t = carry
        state, outcome, _ = advance(problem.world, x, state)
        total = total + jnp.where(over[:, None], 0, outcome.reward)
        failed = failed | (~over & outcome.exploded)
        return state, total, length + ~over, over | ~outcome.healthy | outcome.exploded, failed, t + 1

    n = len(x)
    state = jax.vmap(problem.world.physics.init)(*starts)
    state = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf[0], (n, *leaf.shape[1:])), state)
    none = jnp.zeros(n, bool)
    first = (state, jnp.zeros((n, problem.objectives), x.dtype), jnp.zeros(n, int), none, none, 0)
    going = lambda carry: ~carry[3].all() & (carry[5] < problem.steps)  # noqa: E731
    _, total, length, _, failed, _ = jax.lax.while_loop(going, body, first)
    return Episodes(returns=total[:, None], lengths=length[:, None], failed=failed[:, None])


def lanes(options: argparse.Namespace) -> None:
    """Compare the plain loop with lanes, for the same policies in one process."""
    problem = RobotProblem(task="MoHopper-m2", backend=options.backend, steps=options.steps)
    x = problem.sample(jax.random.key(1), options.policies)
    starts = problem.start_states(jax.random.key(0))
    run_plain = jax.jit(lambda x: plain_loop(problem, starts, x))
    expected, slow = timed(lambda: run_plain(x), options.repeats)
    lengths = np.asarray(expected.lengths)
    print(f"plain loop: {slow:.2f} s; episodes {lengths.mean():.1f} steps on average, {lengths.max()} at most")
    for width in options.lanes:
        laned = RobotProblem(task="MoHopper-m2", backend=options.backend, steps=options.steps, lanes=width)
        run = jax.jit(lambda x, laned=laned: laned.play(starts, x))
        played, quick = timed(lambda run=run: run(x), options.repeats)
        same = float((played.lengths == expected.lengths).mean())
        scale = np.maximum(1, np.abs(np.asarray(expected.returns)))
        error = np.abs(np.asarray(played.returns - expected.returns)) / scale
        print(
            f"{width} lanes: {quick:.2f} s, {slow / quick:.2f} times faster; equal lengths: {same:.1%}; "
            f"returns differ by at most {error.max():.2%}"
        )


def steps_per_second(problem: RobotProblem, policies: int, repeats: int) -> float:
    x = problem.sample(jax.random.key(1), policies)
    starts = problem.start_states(jax.random.key(0))
    if problem.host:
        rows = np.asarray(x, np.float64)
        played, seconds = timed(lambda: problem.play(starts, rows), repeats)
    else:
        run = jax.jit(lambda x: problem.play(starts, x))
        played, seconds = timed(lambda: run(x), repeats)
    return float(played.lengths.sum()) / seconds


def speed(options: argparse.Namespace) -> None:
    for task in options.tasks or ("MoHopper-m2", "MoHalfCheetah"):
        rates = {}
        for backend in options.backends:
            problem = RobotProblem(task=task, backend=backend, steps=options.steps)
            rates[backend] = steps_per_second(problem, options.policies, options.repeats)
            print(f"{task}, {backend}: {rates[backend]:,.0f} steps per second", flush=True)
        if {"brax", "mujoco"} <= set(rates):
            print(f"{task}: mujoco is {rates['mujoco'] / rates['brax']:.1f} times faster than brax")


def open_loop_rate(problem: RobotProblem, lanes: int, length: int) -> float:
    """Environment steps per second of MuJoCo's own threaded rollout, with constant actions that were drawn before."""
    physics = problem.world.physics
    model, frames = physics.model, physics.frames
    q, qd = (np.asarray(part, float) for part in problem.start_states(jax.random.key(0)))
    before = np.tile(np.concatenate([[0.0], q[0], qd[0]]), (lanes, 1))
    actions = np.tanh(0.1 * np.random.default_rng(0).normal(size=(lanes, length, model.nu)))
    with rollout.Rollout(nthread=physics.threads) as pool:
        data = [mujoco.MjData(model) for _ in range(physics.threads)]
        started = time.perf_counter()
        pool.rollout(model, data, before, np.repeat(actions, frames, axis=1))
        return lanes * length / (time.perf_counter() - started)


def openloop(options: argparse.Namespace) -> None:
    """Compare episodes with policies against the engine alone, in turns; medians of the rates and of their ratio.

    The processor time depends less on other programs than the rates do.
    """
    for task in options.tasks or ("MoHopper-m2", "MoHalfCheetah"):
        problem = RobotProblem(task=task, backend="mujoco", steps=options.steps)
        x = np.asarray(problem.sample(jax.random.key(1), options.policies), float)
        starts = problem.start_states(jax.random.key(0))
        length = round(float(problem.play(starts, x).lengths.mean()))
        rates, busy = [], []
        for _ in range(options.repeats):
            started, used = time.perf_counter(), time.process_time()
            steps = float(problem.play(starts, x).lengths.sum())
            rate, middle = steps / (time.perf_counter() - started), time.process_time()
            rates.append((rate, open_loop_rate(problem, options.policies, length)))
            busy.append(((middle - used) / steps, (time.process_time() - middle) / (options.policies * length)))
        closed, alone = np.median(rates, axis=0)
        ratio = np.median([a / b for a, b in rates])
        mine, engine = 1e6 * np.median(busy, axis=0)
        print(
            f"{task}: {closed:,.0f} of {alone:,.0f} steps per second, {ratio:.0%}; processor time per step "
            f"{mine:.1f} µs, {engine:.1f} µs of the engine alone, {engine / mine:.0%}; episodes of {length} steps"
        )


def hopper(options: argparse.Namespace) -> None:
    """Measure the archive's hypervolume, and score the front on unseen start states."""
    problem = RobotProblem(
        task="MoHopper-m2", backend=options.backend, control_weight=0.001, steps=options.steps, lanes=options.width
    )
    reference = problem.reference_point()
    volumes = []
    for seed in range(1, options.seeds + 1):
        started = time.perf_counter()
        algorithm = TensorRVEA(population=options.population)
        result = optimize(problem, algorithm, generations=options.generations, seed=seed, archive=1000)
        volumes.append(metrics.hypervolume(result.archive.F, reference, problem.directions))
        scores = rescore(problem, result.X[:8], episodes=4)
        print(
            f"seed {seed}: HV {volumes[-1]:.4g} of the archive, "
            f"{metrics.hypervolume(result.F, reference, problem.directions):.4g} of the survivors; "
            f"{result.seconds:.0f} s, {time.perf_counter() - started:.0f} s with compilation and scoring; "
            f"{result.failed} failed; best {result.archive.F.max(axis=0).round(1)}; "
            f"unseen starts: {scores.mean.max(axis=0).round(1)}",
            flush=True,
        )
    print(f"median HV {np.median(volumes):.4g}")


def tasks(options: argparse.Namespace) -> None:
    """Compare TensorRVEA with random search, with the same number of evaluations."""
    for task in options.tasks or PAPER_TASKS:
        problem = RobotProblem(task=task, backend=options.backend, steps=options.steps)
        reference = problem.reference_point()
        wins = 0
        for seed in range(1, options.seeds + 1):
            fronts, seconds = [], 0.0
            for algorithm in (TensorRVEA(population=options.population), RandomSearch(population=options.population)):
                result = optimize(problem, algorithm, generations=options.generations, seed=seed, archive=1000)
                fronts.append(result.archive.F)
                seconds += result.seconds
            both = np.concatenate(fronts)
            # Without a reference point of the paper: a tenth of the range below the worst values of both fronts.
            point = both.min(axis=0) - 0.1 * np.ptp(both, axis=0) if reference is None else reference
            volumes = [metrics.hypervolume(front, point, problem.directions) for front in fronts]
            wins += volumes[0] > volumes[1]
            print(
                f"{task}, seed {seed}: TensorRVEA {volumes[0]:.4g}, random search {volumes[1]:.4g}, {seconds:.0f} s",
                flush=True,
            )
        print(f"{task}: above random search in {wins} of {options.seeds}")


class Train(gymnasium.Env):
    """The environment of docs/gymnasium.md, whose step takes a microsecond or two."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float64)
    action_space = gymnasium.spaces.Box(-4.0, 4.0, (1,))

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:  # noqa: ARG002
        super().reset(seed=seed)
        self.state = np.array([self.np_random.uniform(-0.1, 0.1), 0.0])
        return self.state, {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        speed = self.state[1] + action[0] / 2
        self.state = np.array([self.state[0] + speed, speed])
        return self.state, speed, bool(self.state[0] > 10), False, {"push": -abs(action[0])}


def cart_rewards(_: Any, __: Any, after: Any, ___: Any) -> tuple[Any, Any]:
    """Time upright, and distance from the middle; for one cart or for a batch."""
    return np.ones_like(after[..., 0], float), -abs(after[..., 0])


def vector_returns(problem: MOGymnasium, envs: Any, x: np.ndarray, steps: int) -> np.ndarray:
    """Returns of one episode per policy; an environment whose episode has ended is given the next policy."""
    lanes, act_space = envs.num_envs, envs.single_action_space
    layers = problem.policy.unpack(x)
    job, queue, length = np.arange(lanes), lanes, np.zeros(lanes, int)
    mine = [tuple(part[job] for part in layer) for layer in layers]
    total, returns = np.zeros((lanes, 2)), np.zeros((len(x), 2))
    before, _ = envs.reset(seed=[0] * lanes)
    while (job < len(x)).any():
        signal = forward(mine, before.astype(float))
        if isinstance(act_space, gymnasium.spaces.Discrete):
            action = signal.argmax(axis=1)
        else:
            action = (4 * signal).astype(np.float32)
        after, reward, terminated, truncated, info = envs.step(action)
        if "push" in info:
            total += np.stack([reward, info["push"]], axis=1)
        else:
            total += np.stack(cart_rewards(before, action, after, info), axis=1)
        length += 1
        ended = terminated | truncated | (length >= steps)
        before = after
        if not ended.any():
            continue
        working = ended & (job < len(x))
        returns[job[working]] = total[working]
        job[ended] = queue + np.arange(ended.sum())
        queue += ended.sum()
        rows = np.minimum(job[ended], len(x) - 1)
        for own, layer in zip(mine, layers, strict=True):
            for part, source in zip(own, layer, strict=True):
                part[ended] = source[rows]
        total[ended], length[ended] = 0, 0
        before, _ = envs.reset(seed=[0] * lanes, options={"reset_mask": ended})
    return returns


def vector(options: argparse.Namespace) -> None:
    """Compare episodes of Gymnasium one by one with a batch of environments in gymnasium.vector, in turns.

    Both use one core, and are compared by their processor time.
    """
    cases = {
        "CartPole-v1": (MOGymnasium("CartPole-v1", rewards=cart_rewards), lambda: gymnasium.make("CartPole-v1"), 500),
        "Train": (MOGymnasium(Train, rewards=("reward", "push"), steps=20), Train, 20),
    }
    for name, (problem, make, steps) in cases.items():
        x = 10 * np.asarray(problem.sample(jax.random.key(1), options.policies), float)
        x = np.asarray(problem.show(x), float)
        for lanes in options.lanes:
            envs = gymnasium.vector.SyncVectorEnv([make] * lanes, autoreset_mode="Disabled")
            times = []
            for _ in range(options.repeats):
                started = time.process_time()
                f, _ = problem.evaluate_host(jax.random.key(0), x)
                middle = time.process_time()
                returns = vector_returns(problem, envs, x, steps)
                times.append((middle - started, time.process_time() - middle))
                np.testing.assert_allclose(returns, -f, rtol=1e-5)
            alone, batched = np.median(times, axis=0)
            ratio = np.median([a / b for a, b in times])
            print(
                f"{name}, {lanes} environments: {len(x) / alone:,.0f} episodes per second one by one, "
                f"{len(x) / batched:,.0f} by gymnasium.vector, {ratio:.2f} times as many"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    chosen = parser.add_subparsers(required=True)

    def command(function: Callable, *, policies: int = 256, repeats: int = 3) -> argparse.ArgumentParser:
        sub = chosen.add_parser(function.__name__, help=function.__doc__)
        sub.set_defaults(run=function)
        sub.add_argument("--steps", type=int, default=1000)
        sub.add_argument("--policies", type=int, default=policies)
        sub.add_argument("--repeats", type=int, default=repeats)
        return sub

    sub = command(lanes)
    sub.add_argument("--backend", default="brax")
    sub.add_argument("--lanes", type=int, nargs="+", default=[32, 64])
    sub = command(speed, repeats=1)
    sub.add_argument("--tasks", nargs="+")
    sub.add_argument("--backends", nargs="+", default=["brax", "mujoco"])
    sub = command(openloop, repeats=9)
    sub.add_argument("--tasks", nargs="+")
    sub = command(hopper)
    sub.add_argument("--backend", default="brax")
    sub.add_argument("--population", type=int, default=100)
    sub.add_argument("--generations", type=int, default=50)
    sub.add_argument("--seeds", type=int, default=3)
    sub.add_argument("--width", type=int, help="number of lanes; suited to the device by default")
    sub = command(tasks)
    sub.add_argument("--tasks", nargs="+")
    sub.add_argument("--backend", default="mujoco")
    sub.add_argument("--population", type=int, default=128)
    sub.add_argument("--generations", type=int, default=30)
    sub.add_argument("--seeds", type=int, default=5)
    sub = command(vector, repeats=7)
    sub.add_argument("--lanes", type=int, nargs="+", default=[8, 64])
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
