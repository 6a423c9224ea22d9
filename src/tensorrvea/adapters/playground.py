"""Adapter for MuJoCo Playground: evolve a policy for several terms of the reward of one of its environments."""

import contextlib
import io
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from tensorrvea.checks import check_choice, check_integer, hint
from tensorrvea.neuroevolution.policy import MLP, InitialWeights
from tensorrvea.optional import import_optional
from tensorrvea.problem import Problem

OWN_REWARD = "reward"  # the environment's own reward, among the names of its metrics
STARTS = ("fixed", "new")


class Playground(Problem):
    """Evolve the weights of a small network that acts in an environment of MuJoCo Playground, in MJX.

    Args:
      environment: its name, such as ``"CartpoleBalance"``.
      rewards: names of the environment's metrics, such as ``("reward/upright", "reward/small_control")``, where
        ``"reward"`` is the environment's own reward; or a function of state, action and next state that returns two or
        more numbers, in JAX.
      hidden: sizes of the policy's hidden layers.
      activation: of the hidden layers.
      steps: maximum length of an episode.
      episodes: number of episodes per evaluation; objectives are their mean returns, maximised.
      starts: ``"fixed"``: the same start states in all evaluations; ``"new"``: new ones in each generation.
      start_seed: seed of the fixed start states.
      lanes: number of policies that are simulated at once.
      options: entries of the environment's configuration.

    Example::

        problem = Playground("CartpoleBalance", rewards=("reward/upright", "reward/small_control"), steps=200)
    """

    def __init__(
        self,
        environment: str,
        *,
        rewards: Sequence[str] | Callable[..., Any],
        hidden: tuple[int, ...] = (16,),
        activation: str = "tanh",
        steps: int = 1000,
        episodes: int = 1,
        starts: str = "fixed",
        start_seed: int = 0,
        lanes: int = 64,
        options: Mapping[str, Any] | None = None,
        objective_names: Sequence[str] | None = None,
    ):
        self.rewards = rewards if callable(rewards) else tuple(rewards)
        self.steps = check_integer("steps", steps, minimum=1)
        self.episodes = check_integer("episodes", episodes, minimum=1)
        self.starts = check_choice("starts", starts, STARTS)
        self.start_seed = check_integer("start_seed", start_seed, minimum=0)
        self.lanes = check_integer("lanes", lanes, minimum=1)
        self.environment, self.options = environment, dict(options or {})
        self.env = load_environment(environment, self.options)
        observations = self.env.observation_size
        if not isinstance(observations, int):
            raise ValueError(f"environment must have one array of observations, got {observations}")
        self.policy = MLP(inputs=observations, outputs=self.env.action_size, hidden=hidden, activation=activation)
        objectives = self._count_rewards()
        if objective_names is None:
            named = [f"reward {i + 1}" for i in range(objectives)] if callable(self.rewards) else self.rewards
            objective_names = [name.removeprefix("reward/") for name in named]
        super().__init__(
            self.returns, lower=-self.policy.bound, upper=self.policy.bound, objectives=objectives, directions="max",
            batched=True, stochastic=True, sample=InitialWeights(self.policy), objective_names=objective_names,
            name=f"{environment} (playground)",
        )  # fmt: skip

    def returns(self, key: PRNGKeyArray, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        """Mean returns over the episodes; NaN where a simulation exploded."""
        key = jax.random.key(self.start_seed) if self.starts == "fixed" else key
        keys = jax.vmap(jax.random.fold_in, (None, 0))(key, jnp.arange(self.episodes))
        played = jax.lax.map(lambda row: jax.vmap(lambda own: self.play(own, row))(keys), x, batch_size=self.lanes)
        return played.mean(axis=1)

    def play(self, key: PRNGKeyArray, x: Float[Array, " d"]) -> Float[Array, " m"]:
        """The return of one episode, until it is done."""

        def step(carry: tuple[Any, Array, Array], _: None) -> tuple[tuple[Any, Array, Array], None]:
            state, total, over = carry
            action = self.policy.apply(x, state.obs)
            after = self.env.step(state, action)
            total = total + jnp.where(over, 0.0, self._reward(state, action, after))
            return (after, total, over | (after.done > 0)), None

        state = self.env.reset(key)
        first = (state, jnp.zeros(self.objectives, x.dtype), state.done > 0)
        return jax.lax.scan(step, first, None, length=self.steps)[0][1]

    @property
    def source_parts(self) -> tuple[Any, ...]:
        """What a run directory compares: the rewards and the environment."""
        return (self.rewards, *self._make_identity()[1:])

    def _make_identity(self) -> tuple:
        rewards = id(self.rewards) if callable(self.rewards) else self.rewards
        return (
            rewards, self.environment, tuple(sorted(self.options.items())), self.policy, self.steps, self.episodes,
            self.starts, self.start_seed, self.lanes, self.objective_names,
        )  # fmt: skip

    def _check_outputs(self) -> None:
        """Skip the check, since tracing an engine takes seconds."""

    def _reward(self, before: Any, action: Any, after: Any) -> Float[Array, " m"]:
        if callable(self.rewards):
            return jnp.stack(jnp.broadcast_arrays(*self.rewards(before, action, after)))
        return jnp.stack([after.reward if name == OWN_REWARD else after.metrics[name] for name in self.rewards])

    def _count_rewards(self) -> int:
        """Trace one step, and return the number of rewards; an unknown name gets an error that lists the right ones."""

        def rewards(key: PRNGKeyArray) -> Array:
            state = self.env.reset(key)
            action = jnp.zeros(self.env.action_size)
            after = self.env.step(state, action)
            known = (OWN_REWARD, *after.metrics)
            for name in () if callable(self.rewards) else self.rewards:
                if name not in known:
                    names = ", ".join(map(repr, known))
                    raise ValueError(f"rewards must be names of {names}, got {name!r}{hint(name, known)}")
            return self._reward(state, action, after)

        shape = jax.eval_shape(rewards, jax.random.key(0)).shape
        if len(shape) != 1 or shape[0] < 2:
            raise ValueError(f"rewards must be two or more numbers per step, got shape {shape}")
        return shape[0]


def load_environment(name: str, options: Mapping[str, Any]) -> Any:
    """Load an environment by its name, in MJX's JAX implementation."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        # What its own imports warn of and print: old JAX names, and that the optional package warp is missing.
        warnings.simplefilter("ignore")
        registry = import_optional("mujoco_playground", needed_for="Playground", extra="playground").registry
        check_choice("environment", name, tuple(registry.ALL_ENVS))
        known = registry.get_default_config(name)
        overrides = dict(options) | ({"impl": "jax"} if "impl" in known else {})
        return registry.load(name, config_overrides=overrides)
