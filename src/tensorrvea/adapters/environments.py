"""Environments of Gymnasium: making them, their vectors of rewards, and their spaces."""

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from tensorrvea.checks import hint, shown
from tensorrvea.neuroevolution.policy import MLP
from tensorrvea.optional import import_optional

# None: what the environment returns; names: entries of ``info``; else a function of a transition.
Rewards = tuple[str, ...] | Callable[..., Any] | None
OWN_REWARD = "reward"  # the name, among entries of ``info``, of the reward that the environment returns
STEPS = 1000  # of an episode in an environment without a limit


def require(module: str) -> Any:
    """Import a module of the extra ``adapters``."""
    return import_optional(module, needed_for="MOGymnasium", extra="adapters")


def environment_name(environment: str | Callable[..., Any]) -> str:
    """Return the name of an environment, for results and reports."""
    return environment if isinstance(environment, str) else getattr(environment, "__name__", type(environment).__name__)


def make_environment(environment: str | Callable[..., Any], options: Mapping[str, Any]) -> Any:
    """Make an environment by its registered name, or by a class or function.

    Raises:
      TypeError: if ``environment`` is neither, or what it returns is no environment.
      ValueError: if the name is not registered.
      ImportError: if the environment needs a package that is not installed.
    """
    gymnasium = require("gymnasium")
    if not isinstance(environment, str):
        return _call_factory(environment, options)
    mo_gymnasium = require("mo_gymnasium")
    with warnings.catch_warnings():
        # Raised by environments whose bounds are in double precision.
        warnings.filterwarnings("ignore", message=".*precision lowered by casting to float32", category=UserWarning)
        try:
            return mo_gymnasium.make(environment, **options)
        except gymnasium.error.UnregisteredEnv as error:
            raise ValueError(f"environment takes a registered name, got {environment!r}: {error}") from None
        except (gymnasium.error.DependencyNotInstalled, ModuleNotFoundError) as error:
            raise ImportError(f"environment {environment!r} needs more than Gymnasium itself: {error}") from error


def _call_factory(environment: Callable[..., Any], options: Mapping[str, Any]) -> Any:
    parts = ("reset", "step", "action_space", "observation_space")
    if not callable(environment):
        remedy = "; give its class, or a function that makes it" if hasattr(environment, "step") else ""
        raise TypeError(
            f"environment takes a registered name, or a class or function that returns an environment, "
            f"got {shown(environment)}{remedy}"
        )
    made = environment(**options)
    missing = [part for part in parts if not hasattr(made, part)]
    if missing:
        raise TypeError(
            f"environment must return an environment of Gymnasium, got {shown(made)}, which has no {', '.join(missing)}"
        )
    return made


def step_limit(environment: str | Callable[..., Any], env: Any) -> int | None:
    """The default length of an episode: the environment's own limit where it has one."""
    limited = getattr(getattr(env, "spec", None), "max_episode_steps", None) is not None
    return None if limited or isinstance(environment, str) else STEPS


def reward_vector(rewards: Rewards, before: Any, action: Any, after: Any, info: Any, reward: Any) -> np.ndarray:
    """The rewards of one step."""
    if rewards is None:
        return np.asarray(reward, np.float64)
    if callable(rewards):
        return np.asarray(rewards(before, action, after, info), np.float64)
    return np.array([reward if name == OWN_REWARD else info[name] for name in rewards], np.float64)


def try_step(env: Any, rewards: Rewards, seed: int) -> int:
    """Take one step, and return the number of rewards.

    Raises:
      ValueError: if ``rewards`` names an entry that ``info`` lacks, or there are fewer than two rewards.
    """
    before, _ = env.reset(seed=seed)
    outputs = action_size(env.action_space)
    action = action_converter(env.action_space)(np.zeros(outputs))
    after, reward, _, _, info = env.step(action)
    if isinstance(rewards, tuple):
        known = (OWN_REWARD, *info)
        for name in rewards:
            if name not in known:
                raise ValueError(
                    f"rewards must be names of {', '.join(map(repr, known))} (entries of info after the first step), "
                    f"got {name!r}{hint(name, known)}"
                )
    vector = reward_vector(rewards, before, action, after, info, reward)
    if rewards is None and vector.ndim == 0:
        raise ValueError(
            "environment must have a vector of rewards, got one number; give rewards= as names of entries of info "
            "or as a function of observation, action, next observation and info"
        )
    if vector.ndim != 1 or len(vector) < 2:
        raise ValueError(f"rewards must be two or more numbers per step, got an array of shape {vector.shape}")
    return len(vector)


def action_size(actions: Any) -> int:
    """Number of the policy's outputs that an action space takes."""
    spaces = require("gymnasium.spaces")
    if isinstance(actions, spaces.Discrete):
        return int(actions.n)
    if isinstance(actions, spaces.MultiDiscrete):
        return int(np.sum(actions.nvec))
    if isinstance(actions, spaces.MultiBinary):
        return int(np.prod(actions.shape))
    if isinstance(actions, spaces.Box) and np.isfinite(actions.low).all() and np.isfinite(actions.high).all():
        return int(np.prod(actions.shape))
    raise ValueError(f"environment must have discrete, binary or bounded actions, got {actions}")


def make_policy(env: Any, hidden: tuple[int, ...], activation: str) -> MLP:
    """Create a network whose inputs and outputs match the environment's observations and actions."""
    inputs = require("gymnasium.spaces.utils").flatdim(env.observation_space)
    return MLP(inputs=inputs, outputs=action_size(env.action_space), hidden=hidden, activation=activation)


def observation_reader(space: Any) -> Callable[[Any], Float[np.ndarray, " i"]]:
    """Return a function that maps an observation of the space to one row of numbers.

    What depends on the space alone is done here, and not in each step.
    """
    if isinstance(space, require("gymnasium.spaces").Box):
        dtype = space.dtype
        return lambda observation: np.asarray(observation, dtype).ravel().astype(np.float64)
    flatten = require("gymnasium.spaces.utils").flatten
    return lambda observation: np.asarray(flatten(space, observation), np.float64)


def action_converter(space: Any) -> Callable[[Float[np.ndarray, " o"]], Any]:
    """Return a function that converts the network's outputs, in (-1, 1), to an action of the space."""
    if hasattr(space, "nvec"):
        ends = np.cumsum(space.nvec.ravel())[:-1]

        def choose(signal: Float[np.ndarray, " o"]) -> Any:
            chosen = np.reshape([np.argmax(part) for part in np.split(signal, ends)], space.shape)
            return (space.start + chosen).astype(space.dtype)

        return choose
    if hasattr(space, "low"):
        middle, reach = (space.high + space.low) / 2, (space.high - space.low) / 2
        shape, dtype = space.shape, space.dtype
        return lambda signal: (middle + reach * signal.reshape(shape)).astype(dtype)
    if hasattr(space, "start"):
        first = int(space.start)
        return lambda signal: first + int(np.argmax(signal))
    return lambda signal: (signal.reshape(space.shape) > 0).astype(space.dtype)
