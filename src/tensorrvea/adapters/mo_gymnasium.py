"""Environments of MO-Gymnasium, as problems here: evolve a policy for its vector of rewards."""

import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from tensorrvea.adapters.optional import import_optional
from tensorrvea.checks import check_integer, check_number
from tensorrvea.host.problem import HostProblem
from tensorrvea.neuroevolution.policy import MLP

WEIGHT_BOUND = 8.0
FIRST_DEVIATION = 0.1


class MOGymnasium(HostProblem):
    """Evolve the weights of a small network that acts in an environment of MO-Gymnasium, for all of its rewards.

    Args:
      environment: its name, such as ``"mo-hopper-v5"``.
      hidden: sizes of the policy's hidden layers.
      episodes: how many an evaluation has; objectives are the mean of their sums of rewards, maximised.
      steps: the most steps of an episode; the environment's own if None.
      discount: what a reward is worth for each step that it comes later.
      stochastic: whether each evaluation has start states of its own; if not, all have those of ``start_seed``.
      start_seed: the first episode's seed; the next ones' follow.
      options: further arguments of ``mo_gymnasium.make``.

    Actions are the network's outputs: scaled to the bounds of a box, or the largest of them for discrete actions.
    Observations are made flat, and discrete ones into a one among zeros. The other arguments are those of
    ``HostProblem``.
    """

    def __init__(
        self,
        environment: str,
        *,
        hidden: tuple[int, ...] = (16,),
        episodes: int = 1,
        steps: int | None = None,
        discount: float = 1.0,
        stochastic: bool = False,
        start_seed: int = 0,
        options: Mapping[str, Any] | None = None,
        objective_names: Sequence[str] | None = None,
        workers: int | None = None,
        executor: str | Executor | None = None,
        timeout: float | None = None,
        retries: int = 0,
    ):
        check_number("discount", discount, minimum=0, maximum=1)
        world = make_environment(environment, options or {})
        try:
            self.policy = fitting_policy(world, hidden)
            objectives = world.unwrapped.reward_space.shape[0]
        finally:
            world.close()
        play = Play(
            environment=environment,
            options=tuple(sorted((options or {}).items())),
            policy=self.policy,
            episodes=check_integer("episodes", episodes, minimum=1),
            steps=None if steps is None else check_integer("steps", steps, minimum=1),
            discount=float(discount),
            start_seed=check_integer("start_seed", start_seed, minimum=0),
        )
        super().__init__(
            play,
            lower=np.full(self.policy.size, -WEIGHT_BOUND),
            upper=np.full(self.policy.size, WEIGHT_BOUND),
            objectives=objectives,
            directions="max",
            stochastic=stochastic,
            sample=FirstPolicies(self.policy.size),
            objective_names=objective_names or [f"reward {i + 1}" for i in range(objectives)],
            name=environment,
            workers=workers,
            executor=executor,
            timeout=timeout,
            retries=retries,
        )


@dataclass(frozen=True)
class FirstPolicies:
    """Small random weights, with which no action is extreme."""

    size: int

    def __call__(self, key: PRNGKeyArray, n: int) -> Float[Array, "n d"]:
        return FIRST_DEVIATION * jax.random.normal(key, (n, self.size))


@dataclass(frozen=True, kw_only=True)
class Play:
    """The mean return of a policy's episodes."""

    environment: str
    options: tuple[tuple[str, Any], ...]
    policy: MLP
    episodes: int
    steps: int | None
    discount: float
    start_seed: int
    # Making an environment is dear: each process that plays makes its own, once.
    _open: list = field(default_factory=list, compare=False, repr=False)

    def __call__(self, *given: Any) -> Float[np.ndarray, " m"]:
        *generator, x = given
        act = self.policy.load(x)
        if generator:
            seeds = generator[0].integers(2**31, size=self.episodes).tolist()
        else:
            seeds = range(self.start_seed, self.start_seed + self.episodes)
        if not self._open:
            self._open.append(make_environment(self.environment, dict(self.options)))
        return np.mean([self._play_one(self._open[0], act, seed) for seed in seeds], axis=0)

    def _play_one(self, world: Any, act: Any, seed: int) -> Float[np.ndarray, " m"]:
        """The sum of an episode's rewards, each worth less the later it comes."""
        spaces = import_optional("gymnasium.spaces.utils", purpose="MOGymnasium")
        total = np.zeros(world.unwrapped.reward_space.shape)
        worth, step, over = 1.0, 0, False
        observation, _ = world.reset(seed=seed)
        while not over and step != self.steps:
            signal = act(np.asarray(spaces.flatten(world.observation_space, observation), np.float64))
            observation, reward, terminated, truncated, _ = world.step(to_action(world.action_space, signal))
            total += worth * np.asarray(reward, np.float64)
            worth *= self.discount
            step += 1
            over = terminated or truncated
        return total

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_open": []}


def make_environment(environment: str, options: Mapping[str, Any]) -> Any:
    mo_gymnasium = import_optional("mo_gymnasium", purpose="MOGymnasium")
    gymnasium = import_optional("gymnasium", purpose="MOGymnasium")
    with warnings.catch_warnings():
        # Of environments that give their bounds in double precision.
        warnings.filterwarnings("ignore", message=".*precision lowered by casting to float32", category=UserWarning)
        try:
            world = mo_gymnasium.make(environment, **options)
        except gymnasium.error.UnregisteredEnv as error:
            raise ValueError(
                f"environment takes the name of one that is registered, got {environment!r}: {error}"
            ) from None
        except (gymnasium.error.DependencyNotInstalled, ModuleNotFoundError) as error:
            raise ImportError(f"environment {environment!r} needs more than MO-Gymnasium itself: {error}") from error
    if getattr(world.unwrapped, "reward_space", None) is None:
        raise ValueError(f"environment must have a vector of rewards, got {environment!r}, which has no reward_space")
    return world


def fitting_policy(world: Any, hidden: tuple[int, ...]) -> MLP:
    """A network with as many inputs and outputs as the environment has observations and actions."""
    spaces = import_optional("gymnasium.spaces", purpose="MOGymnasium")
    actions = world.action_space
    if isinstance(actions, spaces.Discrete):
        outputs = int(actions.n)
    elif isinstance(actions, spaces.Box) and np.isfinite(actions.low).all() and np.isfinite(actions.high).all():
        outputs = int(np.prod(actions.shape))
    else:
        raise ValueError(f"environment must have discrete or bounded actions, got {actions}")
    return MLP(inputs=spaces.utils.flatdim(world.observation_space), outputs=outputs, hidden=hidden)


def to_action(space: Any, signal: Float[np.ndarray, " o"]) -> Any:
    """The network's outputs, in (-1, 1), as an action."""
    if hasattr(space, "n"):
        return int(space.start) + int(np.argmax(signal))
    middle, reach = (space.high + space.low) / 2, (space.high - space.low) / 2
    return (middle + reach * signal.reshape(space.shape)).astype(space.dtype)
