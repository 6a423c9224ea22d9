"""Adapter for MO-Gymnasium: evolve a policy for the vector of rewards of an environment."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from tensorrvea.checks import check_integer, check_number
from tensorrvea.host.problem import HostProblem
from tensorrvea.neuroevolution.policy import MLP, WEIGHT_BOUND, InitialWeights
from tensorrvea.optional import import_optional


class MOGymnasium(HostProblem):
    """Evolve the weights of a small network that acts in an environment of MO-Gymnasium, for all of its rewards.

    Args:
      environment: its name, such as ``"mo-hopper-v5"``.
      hidden: sizes of the policy's hidden layers.
      episodes: number of episodes per evaluation; objectives are their mean returns, maximised.
      steps: maximum length of an episode; the environment's own by default.
      discount: discount factor per step.
      stochastic: whether each evaluation draws its own start states; otherwise all use those of ``start_seed``.
      start_seed: seed of the first episode; those of the others follow.
      options: further arguments of ``mo_gymnasium.make``.

    The network's outputs are scaled to the bounds of a box, or their argmax is the discrete action. Observations are
    flattened, discrete ones one-hot encoded. The other arguments, ``host``, are those of ``HostProblem``.
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
        **host: Any,
    ):
        check_number("discount", discount, minimum=0, maximum=1)
        env = make_environment(environment, options or {})
        try:
            self.policy = make_policy(env, hidden)
            objectives = env.unwrapped.reward_space.shape[0]
        finally:
            env.close()
        mean_return = MeanReturn(
            environment=environment,
            options=tuple(sorted((options or {}).items())),
            policy=self.policy,
            episodes=check_integer("episodes", episodes, minimum=1),
            steps=None if steps is None else check_integer("steps", steps, minimum=1),
            discount=float(discount),
            start_seed=check_integer("start_seed", start_seed, minimum=0),
        )
        super().__init__(
            mean_return,
            lower=np.full(self.policy.size, -WEIGHT_BOUND),
            upper=np.full(self.policy.size, WEIGHT_BOUND),
            objectives=objectives,
            directions="max",
            stochastic=stochastic,
            sample=InitialWeights(self.policy.size),
            objective_names=objective_names or [f"reward {i + 1}" for i in range(objectives)],
            name=environment,
            **host,
        )


@dataclass(frozen=True, kw_only=True)
class MeanReturn:
    """The mean return of a policy's episodes."""

    environment: str
    options: tuple[tuple[str, Any], ...]
    policy: MLP
    episodes: int
    steps: int | None
    discount: float
    start_seed: int
    # Making an environment is expensive, so that each process does it once.
    _environments: list = field(default_factory=list, compare=False, repr=False)

    def __call__(self, *arguments: Any) -> Float[np.ndarray, " m"]:
        *generator, x = arguments
        act = self.policy.load(x)
        if generator:
            seeds = generator[0].integers(2**31, size=self.episodes).tolist()
        else:
            seeds = range(self.start_seed, self.start_seed + self.episodes)
        if not self._environments:
            self._environments.append(make_environment(self.environment, dict(self.options)))
        return np.mean([self._play(self._environments[0], act, seed) for seed in seeds], axis=0)

    def _play(self, env: Any, act: Any, seed: int) -> Float[np.ndarray, " m"]:
        """The discounted return of one episode."""
        spaces = import_optional("gymnasium.spaces.utils", needed_for="MOGymnasium", extra="adapters")
        total = np.zeros(env.unwrapped.reward_space.shape)
        weight, step, over = 1.0, 0, False
        observation, _ = env.reset(seed=seed)
        while not over and step != self.steps:
            signal = act(np.asarray(spaces.flatten(env.observation_space, observation), np.float64))
            observation, reward, terminated, truncated, _ = env.step(to_action(env.action_space, signal))
            total += weight * np.asarray(reward, np.float64)
            weight *= self.discount
            step += 1
            over = terminated or truncated
        return total

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_environments": []}


def make_environment(environment: str, options: Mapping[str, Any]) -> Any:
    mo_gymnasium = import_optional("mo_gymnasium", needed_for="MOGymnasium", extra="adapters")
    gymnasium = import_optional("gymnasium", needed_for="MOGymnasium", extra="adapters")
    with warnings.catch_warnings():
        # Raised by environments whose bounds are in double precision.
        warnings.filterwarnings("ignore", message=".*precision lowered by casting to float32", category=UserWarning)
        try:
            env = mo_gymnasium.make(environment, **options)
        except gymnasium.error.UnregisteredEnv as error:
            raise ValueError(f"environment takes a registered name, got {environment!r}: {error}") from None
        except (gymnasium.error.DependencyNotInstalled, ModuleNotFoundError) as error:
            raise ImportError(f"environment {environment!r} needs more than MO-Gymnasium itself: {error}") from error
    if getattr(env.unwrapped, "reward_space", None) is None:
        raise ValueError(f"environment must have a vector of rewards, got {environment!r}, which has no reward_space")
    return env


def make_policy(env: Any, hidden: tuple[int, ...]) -> MLP:
    """Create a network whose inputs and outputs match the environment's observations and actions."""
    spaces = import_optional("gymnasium.spaces", needed_for="MOGymnasium", extra="adapters")
    actions = env.action_space
    if isinstance(actions, spaces.Discrete):
        outputs = int(actions.n)
    elif isinstance(actions, spaces.Box) and np.isfinite(actions.low).all() and np.isfinite(actions.high).all():
        outputs = int(np.prod(actions.shape))
    else:
        raise ValueError(f"environment must have discrete or bounded actions, got {actions}")
    return MLP(inputs=spaces.utils.flatdim(env.observation_space), outputs=outputs, hidden=hidden)


def to_action(space: Any, signal: Float[np.ndarray, " o"]) -> Any:
    """Convert the network's outputs, in (-1, 1), to an action."""
    if hasattr(space, "n"):
        return int(space.start) + int(np.argmax(signal))
    middle, reach = (space.high + space.low) / 2, (space.high - space.low) / 2
    return (middle + reach * signal.reshape(space.shape)).astype(space.dtype)
