"""Adapter for Gymnasium and MO-Gymnasium: evolve a policy for several rewards of an environment."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from tensorrvea.adapters.environments import (
    Rewards,
    action_converter,
    environment_name,
    make_environment,
    make_policy,
    observation_reader,
    reward_vector,
    step_limit,
    try_step,
)
from tensorrvea.checks import check_integer, check_number
from tensorrvea.directions import Directions
from tensorrvea.host.problem import HostProblem
from tensorrvea.neuroevolution.policy import MLP, InitialWeights, Layers, forward


class MOGymnasium(HostProblem):
    """Evolve the weights of a small network that acts in an environment of Gymnasium, for several rewards at once.

    Args:
      environment: a registered name, such as ``"mo-hopper-v5"`` or ``"module:name"``; or a class or function that
        returns an environment, called with ``options``.
      rewards: where the vector of rewards of a step comes from. None: the environment returns it, as those of
        MO-Gymnasium do. Names: these entries of ``info``, where ``"reward"`` is the environment's own reward. A
        function: of observation, action, next observation and ``info``, which returns two or more numbers.
      hidden: sizes of the policy's hidden layers.
      activation: of hidden layers: ``"tanh"``, ``"relu"`` or ``"sigmoid"``.
      episodes: number of episodes per evaluation; objectives are their mean returns.
      steps: maximum length of an episode; by default the environment's own limit, or 1,000 if it was made by a class
        or function and has none.
      discount: discount factor per step.
      stochastic: whether each evaluation draws its own start states; otherwise all use those of ``start_seed``.
      start_seed: seed of the first episode; those of the others follow.
      options: further arguments of the environment.
      directions: ``"max"`` or ``"min"`` per reward, or one of them for all.

    The network's outputs are scaled to the bounds of a box; the action is the argmax of a discrete space (one per
    factor of a multi-discrete one), and the signs of a binary one. Observations are flattened, discrete ones one-hot
    encoded. The environment is made, reset and stepped once when the problem is made. The other arguments, ``host``,
    are those of ``HostProblem``: ``workers=2`` plays in two processes, ``executor="ray"`` on a cluster.

    >>> problem = MOGymnasium(
    ...     "MountainCarContinuous-v0", steps=50,
    ...     rewards=lambda observation, action, after, info: (after[0], -abs(action[0])),
    ...     objective_names=("position", "force"),
    ... )
    >>> problem
    MOGymnasium(name='MountainCarContinuous-v0', variables=65, objectives=2)
    """

    def __init__(
        self,
        environment: str | Callable[..., Any],
        *,
        rewards: Rewards = None,
        hidden: tuple[int, ...] = (16,),
        activation: str = "tanh",
        episodes: int = 1,
        steps: int | None = None,
        discount: float = 1.0,
        stochastic: bool = False,
        start_seed: int = 0,
        options: Mapping[str, Any] | None = None,
        directions: Directions = "max",
        objective_names: Sequence[str] | None = None,
        **host: Any,
    ):
        check_number("discount", discount, minimum=0, maximum=1)
        if steps is not None:
            steps = check_integer("steps", steps, minimum=1)
        start_seed = check_integer("start_seed", start_seed, minimum=0)
        rewards = rewards if rewards is None or callable(rewards) else tuple(rewards)
        env = make_environment(environment, options or {})
        try:
            self.policy = make_policy(env, hidden, activation)
            self._spaces = env.observation_space, env.action_space
            steps = step_limit(environment, env) if steps is None else steps
            objectives = try_step(env, rewards, start_seed)
        finally:
            env.close()
        if objective_names is None:
            named = rewards if isinstance(rewards, tuple) else [f"reward {i + 1}" for i in range(objectives)]
            objective_names = [str(name) for name in named]
        mean_return = MeanReturn(
            environment=environment,
            rewards=rewards,
            objectives=objectives,
            options=tuple(sorted((options or {}).items())),
            policy=self.policy,
            episodes=check_integer("episodes", episodes, minimum=1),
            steps=steps,
            discount=float(discount),
            start_seed=start_seed,
        )
        super().__init__(
            mean_return,
            lower=-self.policy.bound,
            upper=self.policy.bound,
            objectives=objectives,
            directions=directions,
            stochastic=stochastic,
            sample=InitialWeights(self.policy),
            objective_names=objective_names,
            name=environment_name(environment),
            **host,
        )

    def load(self, x: ArrayLike) -> Callable[[Any], Any]:
        """Return one policy as a function from an observation of the environment to its action."""
        act = self.policy.load(np.asarray(x, float))
        observations, actions = self._spaces
        read, convert = observation_reader(observations), action_converter(actions)
        return lambda observation: convert(act(read(observation)))


@dataclass(frozen=True, kw_only=True)
class MeanReturn:
    """The mean return of a policy's episodes."""

    environment: str | Callable[..., Any]
    rewards: Rewards
    objectives: int
    options: tuple[tuple[str, Any], ...]
    policy: MLP
    episodes: int
    steps: int | None
    discount: float
    start_seed: int
    # Making an environment is expensive, so that each process does it once.
    _environments: list = field(default_factory=list, compare=False, repr=False)

    def __call__(self, *arguments: Any) -> Float[np.ndarray, " m"]:
        """Return the mean returns of one policy."""
        *generator, x = arguments
        layers = self.policy.unpack(np.asarray(x, np.float64))
        if generator:
            seeds = generator[0].integers(2**31, size=self.episodes).tolist()
        else:
            seeds = range(self.start_seed, self.start_seed + self.episodes)
        if not self._environments:
            self._environments.append(make_environment(self.environment, dict(self.options)))
        return np.mean([self._play(self._environments[0], layers, seed) for seed in seeds], axis=0)

    def _play(self, env: Any, layers: Layers, seed: int) -> Float[np.ndarray, " m"]:
        """The discounted return of one episode."""
        read, convert = observation_reader(env.observation_space), action_converter(env.action_space)
        activation = self.policy.activation
        total = np.zeros(self.objectives)
        weight, step, over = 1.0, 0, False
        before, _ = env.reset(seed=seed)
        while not over and step != self.steps:
            action = convert(forward(layers, read(before), activation))
            after, reward, terminated, truncated, info = env.step(action)
            total += weight * reward_vector(self.rewards, before, action, after, info, reward)
            weight *= self.discount
            step += 1
            before, over = after, terminated or truncated
        return total

    @property
    def source_parts(self) -> tuple[Any, ...]:
        """Everything that determines the returns; not the environment that was made."""
        return tuple((name, value) for name, value in vars(self).items() if name != "_environments")

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_environments": []}
