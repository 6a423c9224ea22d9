"""A robot's task as an optimisation problem: the variables are the weights of its policy."""

from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray
from numpy.typing import ArrayLike

from tensorrvea.checks import check_array, check_choice, check_flag, check_integer, check_number, shown
from tensorrvea.evaluation import Evaluation
from tensorrvea.neuroevolution.backends import choose_backend, default_lanes, make_physics
from tensorrvea.neuroevolution.backends.mujoco import run_on_host
from tensorrvea.neuroevolution.capsules import Replay, capsules
from tensorrvea.neuroevolution.export import policy_arrays, save_policy
from tensorrvea.neuroevolution.models import is_own
from tensorrvea.neuroevolution.observed import add_observations, initial_statistics, log_deviation
from tensorrvea.neuroevolution.policy import MLP, InitialWeights
from tensorrvea.neuroevolution.probe import measure
from tensorrvea.neuroevolution.rollout import Episodes, World, run_lanes
from tensorrvea.neuroevolution.scores import Scores
from tensorrvea.neuroevolution.task import Task
from tensorrvea.neuroevolution.tasks import find_task
from tensorrvea.neuroevolution.trajectory import Trajectory, record_episode
from tensorrvea.problem import Problem

STARTS = ("fixed", "new")
# The most steps of an episode, and the most episodes and lanes: JAX would build arrays of that many rows.
MOST_STEPS, MOST_EPISODES = 10**7, 2**20
# Folded into keys, so that the start states of the search and those of scoring differ.
SEARCH, UNSEEN = 0, 1
PAPER_EXPERIMENT = "neuroevolution"


class RobotProblem(Problem):
    """Evolve the weights of a small network that controls a robot, for several rewards at once.

    Args:
      task: a name from ``TASKS``, or your own ``Task``.
      backend: ``"brax"`` (generalized), ``"brax-spring"``, ``"brax-positional"``, ``"mjx"``, ``"mujoco"``, or
        ``"auto"``: mjx on an accelerator, mujoco on a CPU. Values are comparable only within one backend.
      hidden: sizes of the policy's hidden layers.
      activation: of hidden layers: ``"tanh"``, ``"relu"`` or ``"sigmoid"``.
      normalize_observations: whether policies see observations with mean 0 and deviation 1, by the running statistics
        of all generations before; off in the paper. Each policy keeps those with which it was evaluated, as further
        variables. Only for backend ``"mujoco"``.
      steps: maximum length of an episode; the task's own by default, 1,000.
      episodes: number of episodes per evaluation; rewards are their mean.
      starts: ``"fixed"``: the same start states in all evaluations, as in the paper; ``"new"``: new ones in each
        generation, shared by all its policies.
      start_seed: seed of the fixed start states.
      control_weight: weight of the control cost; the task's own by default.
      lanes: number of concurrent simulations; suited to the device by default.

    All rewards are maximised. An evaluation fails if one of its simulations explodes.

    >>> problem = RobotProblem(task="MoHopper-m2", backend="mujoco")
    >>> problem
    RobotProblem(name='MoHopper-m2 (mujoco)', variables=243, objectives=2)
    """

    can_replay = True

    def __init__(
        self,
        task: str | Task,
        *,
        backend: str = "auto",
        hidden: tuple[int, ...] = (16,),
        activation: str = "tanh",
        normalize_observations: bool = False,
        steps: int | None = None,
        episodes: int = 1,
        starts: str = "fixed",
        start_seed: int = 0,
        control_weight: float | None = None,
        lanes: int | None = None,
    ):
        self.task = find_task(task)
        self.backend = choose_backend(backend, self.task)
        self.host = self.backend == "mujoco"
        sizes = measure(self.task)
        if check_flag("normalize_observations", normalize_observations) and not self.host:
            raise ValueError(f"normalize_observations needs backend 'mujoco', got {self.backend!r}")
        self.policy = MLP(
            inputs=sizes.observations, outputs=sizes.actions, hidden=hidden, activation=activation,
            normalized=normalize_observations,
        )  # fmt: skip
        self.steps = check_steps(self.task.steps if steps is None else steps)
        self.episodes = check_integer("episodes", episodes, minimum=1, maximum=MOST_EPISODES)
        self.starts = check_choice("starts", starts, STARTS)
        self.start_seed = check_integer("start_seed", start_seed, minimum=0)
        control_weight = self.task.control_weight if control_weight is None else control_weight
        check_number("control_weight", control_weight, minimum=0.0, scalar=True)
        self.control_weight = float(control_weight)
        lanes = default_lanes(self.backend) if lanes is None else lanes
        self.lanes = check_integer("lanes", lanes, minimum=1, maximum=MOST_EPISODES)
        physics = make_physics(self.task, self.backend, reads=sizes.reads)
        self.world = World(self.task, physics, self.policy, self.control_weight)
        super().__init__(
            self.returns,
            lower=-self.policy.bound,
            upper=self.policy.bound,
            objectives=len(self.task.objectives),
            directions="max",
            batched=True,
            stochastic=True,
            sample=InitialWeights(self.policy),
            objective_names=[objective.name for objective in self.task.objectives],
            units=[objective.unit for objective in self.task.objectives],
            name=f"{self.task.name} ({self.backend})",
        )

    # Evaluation

    def returns(self, key: PRNGKeyArray, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        """Mean returns over the episodes, in the rewards' signs; NaN for failed evaluations."""
        return mean_returns(self.play(self.start_states(key), x))

    def evaluate(self, key: PRNGKeyArray, x: Float[Array, "n d"]) -> Evaluation:
        """Return the objectives, all minimised, of one policy per row."""
        return super().evaluate(key, self.policy.check_columns(x))

    def evaluate_host(self, key: PRNGKeyArray | None, x: Float[np.ndarray, "n d"]) -> Evaluation:
        """Evaluate policies on the host: objectives, all minimised (NaN where failed), and no constraints.

        With an array of k keys, ``x`` consists of k equal blocks of rows, each with its own key's start states.
        """
        return self.evaluate_and_learn(key, x, ())[0]

    # Running statistics of observations

    def initial_knowledge(self) -> Any:
        """Return the statistics of observations before the first generation."""
        return initial_statistics(self.policy.inputs) if self.policy.normalized else ()

    def apply_knowledge(self, known: Any, x: Any) -> Any:
        """Give rows the statistics that are known now."""
        if not self.policy.normalized:
            return x
        columns = jnp.concatenate([known.mean, log_deviation(known)], axis=-1)
        return x.at[..., self.policy.weights :].set(columns[..., None, :].astype(x.dtype))

    def evaluate_and_learn(
        self, key: PRNGKeyArray | None, x: Float[np.ndarray, "n d"], known: Any
    ) -> tuple[Evaluation, Any]:
        """Evaluate policies on the host, and add what they have observed to what is known, for each key."""
        if key is None:
            raise TypeError("key must be given for a robot's start states, got None")
        keys = key[None] if key.ndim == 0 else key
        q, qd = (np.stack(parts) for parts in zip(*map(self.start_states, keys), strict=True))
        rows = np.asarray(x, np.float64)
        seen = np.zeros((len(rows), self.episodes, 2, self.policy.inputs)) if known else None
        played = self.play((q, qd), rows, seen=seen)
        if seen is not None:
            parts = (np.split(np.asarray(part), len(keys)) for part in (seen, played.lengths, played.failed))
            known = add_observations(known, *parts, is_batched=key.ndim > 0)
        returns = np.asarray(mean_returns(played) * self.signs)
        return (returns, np.zeros((len(rows), 0))), known

    # Episodes

    def start_states(self, key: PRNGKeyArray) -> tuple[Float[Array, "episodes nq"], Float[Array, "episodes nv"]]:
        """Positions and velocities at which the episodes of a generation start."""
        if self.starts == "fixed":
            key = jax.random.key(self.start_seed)
        return self.draw_starts(jax.random.fold_in(key, SEARCH), self.episodes)

    def draw_starts(self, key: PRNGKeyArray, episodes: int) -> tuple[Array, Array]:
        """Draw start positions and velocities; a longer draw extends a shorter one."""
        return _draw_starts(key, task=self.task, velocities=self.world.physics.velocities, episodes=episodes)

    def draw_unseen_starts(self, seed: int, episodes: int) -> tuple[Array, Array]:
        """Draw start states that no search uses."""
        key = jax.random.key(check_integer("seed", seed, minimum=0))
        return self.draw_starts(jax.random.fold_in(key, UNSEEN), episodes)

    def play(self, starts: tuple[Any, Any], x: Any, *, seen: np.ndarray | None = None) -> Episodes:
        """Simulate whole episodes of the policies ``x`` from the start states: in JAX, or on the host.

        On the host, start states may have a leading axis, for equal blocks of the policies, and ``seen`` receives sums
        of the observations (see ``run_on_host``).
        """
        if self.host:
            q, qd = (np.asarray(part, np.float64) for part in starts)
            q, qd = (q[None], qd[None]) if q.ndim == 2 else (q, qd)
            if len(x) % len(q):
                raise ValueError(f"the number of policies must be a multiple of the {len(q)} keys, got {len(x)}")
            return run_on_host(self.world, np.asarray(x), (q, qd), lanes=self.lanes, steps=self.steps, seen=seen)
        states = jax.vmap(self.world.physics.init)(*(part.astype(x.dtype) for part in starts))
        return run_lanes(self.world, x, states, lanes=self.lanes, steps=self.steps)

    # Evolved policies

    def load(self, x: ArrayLike) -> "RobotPolicy":
        """Return one policy as a function of its observations, which can also be replayed or drawn."""
        return RobotPolicy(self, x)

    def record(self, x: ArrayLike, *, seed: int = 0, steps: int | None = None) -> Trajectory:
        """Record an episode of one policy from an unseen start state."""
        steps = self.steps if steps is None else check_steps(steps)
        return self.record_from(self.load(x).x, self.draw_unseen_starts(seed, 1), steps=steps)

    def record_from(self, x: ArrayLike, starts: tuple[Any, Any], *, steps: int) -> Trajectory:
        """Record an episode of one policy from the first of the start states."""
        return record_episode(self.world, x, starts, steps=steps, host=self.host)

    def replay(
        self, x: ArrayLike, *, seed: int = 0, steps: int | None = None, frames_per_second: float = 25.0
    ) -> Replay:
        """The robot's shape over an episode of one policy, from an unseen start state."""
        check_number("frames_per_second", frames_per_second, minimum=0.0, open_minimum=True)
        trajectory = self.record(x, seed=seed, steps=steps)
        stride = max(1, round(1 / (frames_per_second * trajectory.dt)))
        states = trajectory.q[:-1] if trajectory.failed else trajectory.q  # the last state of a failure has exploded
        return Replay(
            task=self.task.name,
            backend=self.backend,
            plane=self.task.plane,
            ground=self.task.ground,
            **vars(capsules(self.task, states[::stride])),
            seconds=stride * trajectory.dt,
            objectives=self.objective_names,
            returns=None if trajectory.failed else trajectory.rewards.sum(axis=0),
        )

    def rescore(self, x: ArrayLike, *, episodes: int = 16, seed: int = 0) -> Scores:
        """Score the policies ``x`` (k, d) on ``episodes`` unseen start states, the same for all policies."""
        policies = check_array("x", x, shape="(policies, weights)", ndim=2)
        if policies.shape[1] != self.variables:
            raise ValueError(f"x must have {self.variables} columns, one per weight, got {policies.shape[1]}")
        starts = self.draw_unseen_starts(seed, check_integer("episodes", episodes, minimum=1, maximum=MOST_EPISODES))
        if self.host:
            played = self.play(starts, policies)
        else:
            played = jax.device_get(_play_compiled(self, starts, jnp.asarray(policies, jnp.result_type(float))))
        return Scores(returns=np.asarray(played.returns, np.float64), failed=np.asarray(played.failed))

    def reference_point(self, experiment: str | None = None) -> np.ndarray | None:
        """The paper's reference point for the hypervolume, in the rewards' signs.

        Args:
          experiment: one of the task's ``references``. By default ``"neuroevolution"``; None is returned if the task
            has no such point.
        """
        references = self.task.references
        if experiment is None:
            point = references.get(PAPER_EXPERIMENT)
            return None if point is None else np.array(point)
        if not references:
            raise ValueError(f"{self.task.name} is not in the paper and has no reference point")
        return np.array(references[check_choice("experiment", experiment, tuple(references))])

    # Identity

    @property
    def settings(self) -> tuple[tuple[str, Any], ...]:
        """Names and values of the arguments that make this problem again, with the task by its name."""
        policy: tuple[tuple[str, Any], ...] = ()
        if self.policy.activation != "tanh":
            policy += (("activation", self.policy.activation),)
        if self.policy.normalized:
            policy += (("normalize_observations", True),)
        return (
            *policy,
            ("task", self.task.name), ("hidden", self.policy.hidden), ("backend", self.backend), ("steps", self.steps),
            ("episodes", self.episodes), ("starts", self.starts), ("start_seed", self.start_seed),
            ("control_weight", self.control_weight), ("lanes", self.lanes),
        )  # fmt: skip

    @property
    def source_parts(self) -> tuple[Any, ...]:
        """What a run directory compares: the rules and the model."""
        return (*super().source_parts, *self._make_identity())

    def _make_identity(self) -> tuple:
        return (self.task, *self.settings)

    def _check_outputs(self) -> None:
        """Skip the check, since the function is not the user's and tracing an engine takes seconds."""


class RobotPolicy:
    """A robot's policy: maps one observation, or several as rows, to actions.

    Args:
      problem: the robot and its task.
      x: the weights, one row of ``result.X``.

    >>> problem = RobotProblem(task="MoHopper-m2", backend="mujoco")
    >>> problem.load(np.zeros(problem.variables))(np.zeros(11)).tolist()
    [0.0, 0.0, 0.0]
    """

    def __init__(self, problem: RobotProblem, x: ArrayLike):
        self.problem = _check_problem(problem)
        self.x = check_array("x", x, shape=f"({problem.policy.size},)", ndim=1)
        self._act = problem.policy.load(self.x)

    def __call__(self, observation: ArrayLike) -> np.ndarray:
        """Return the actions for one observation, or for several as rows."""
        return self._act(np.asarray(observation, float))

    def arrays(self) -> dict[str, np.ndarray]:
        """The policy as plain arrays: ``weights_0``, ``bias_0`` and so on, and the ranges of the actuators."""
        return policy_arrays(self.problem.policy, self.x, self.problem.task.robot.control)

    def save(self, path: str | Path) -> Path:
        """Write the policy for use without this library.

        Args:
          path: ending in ``.npz``, for ``arrays``; or in ``.py``, for a module that needs NumPy alone: its functions
            ``act`` and ``control`` map an observation to actions in (-1, 1), and to commands of the actuators.
        """
        return save_policy(path, self.arrays(), f"A policy of {self.problem.name}.")

    def __repr__(self) -> str:
        return f"RobotPolicy({self.problem.name}, {len(self.x)} weights)"


@partial(jax.jit, static_argnames="problem")
def _play_compiled(problem: RobotProblem, starts: tuple[Array, Array], x: Float[Array, "n d"]) -> Episodes:
    return problem.play(starts, x)


@partial(jax.jit, static_argnames=("task", "velocities", "episodes"))
def _draw_starts(key: PRNGKeyArray, *, task: Task, velocities: int, episodes: int) -> tuple[Array, Array]:
    keys = jax.vmap(jax.random.fold_in, (None, 0))(key, jnp.arange(episodes))
    q, qd = jax.vmap(lambda own: task.start(own, task.robot.position, velocities))(keys)
    for name, drawn, size in (("q", q, len(task.robot.position)), ("qd", qd, velocities)):
        if drawn.shape != (episodes, size):
            raise ValueError(f"start must return {size} numbers as {name} for this model, got shape {drawn.shape[1:]}")
    if is_own(task.model):  # noise on a quaternion changes its length
        for part in task.robot.quaternions:
            q = q.at[:, part].divide(jnp.linalg.norm(q[:, part], axis=1, keepdims=True))
    return q, qd


def check_steps(steps: int) -> int:
    """Return the length of an episode, or raise an error that names it."""
    return check_integer("steps", steps, minimum=1, maximum=MOST_STEPS)


def mean_returns(played: Episodes) -> Any:
    """Mean over the episodes; NaN if one of them failed."""
    xp = played.returns.__array_namespace__()
    failed = played.failed.any(axis=1)
    return xp.where(failed[:, None], xp.nan, played.returns.mean(axis=1))


def record(policy: RobotPolicy, *, seed: int = 0, steps: int | None = None) -> Trajectory:
    """Record one episode of a policy, from an unseen start state.

    The episode is simulated alone. Robots are chaotic and another batch width rounds differently, so that it need not
    fall at the same step as when it was scored.

    Args:
      policy: what ``problem.load(x)`` returns.
      seed: seed of the start state.
      steps: maximum number of steps; the problem's own by default.

    Returns:
      Positions, velocities, actions and rewards of each step.

    Raises:
      TypeError: if it is not a robot's policy.

    Example::

        trajectory = record(problem.load(result.X[0]), steps=200)
        trajectory.rewards.sum(axis=0)
    """
    return _check_policy(policy).record(policy.x, seed=seed, steps=steps)


def replay(policy: RobotPolicy, *, seed: int = 0, steps: int | None = None, frames_per_second: float = 25.0) -> Replay:
    """The robot's shape over one recorded episode.

    Args:
      policy: what ``problem.load(x)`` returns.
      seed: seed of the start state.
      steps: maximum number of steps; the problem's own by default.
      frames_per_second: how many frames per second of simulated time.

    Returns:
      The positions of all parts over time; ``json()`` writes them.

    Raises:
      TypeError: if it is not a robot's policy.

    Example::

        replay(problem.load(result.X[0])).json()
    """
    return _check_policy(policy).replay(policy.x, seed=seed, steps=steps, frames_per_second=frames_per_second)


def rescore(problem: RobotProblem, x: ArrayLike, *, episodes: int = 16, seed: int = 0) -> Scores:
    """Score the policies ``x`` (k, d), such as ``result.X``, on start states that no search has used.

    Args:
      problem: the robot and its task.
      x: one policy per row.
      episodes: the number of start states, the same for all policies.
      seed: of the start states.

    Returns:
      ``mean``, ``spread`` and ``failures`` of each policy.

    Raises:
      TypeError: if the problem is not a robot's.
      ValueError: if ``x`` has the wrong shape.

    >>> problem = RobotProblem(task="MoHopper-m2", backend="mujoco", steps=5)
    >>> rescore(problem, np.zeros((3, problem.variables)), episodes=2).mean.shape
    (3, 2)
    """
    return _check_problem(problem).rescore(x, episodes=episodes, seed=seed)


def _check_problem(problem: RobotProblem) -> RobotProblem:
    if not isinstance(problem, RobotProblem):
        raise TypeError(f"problem takes a RobotProblem, got {shown(problem)}")
    return problem


def _check_policy(policy: RobotPolicy) -> RobotProblem:
    if not isinstance(policy, RobotPolicy):
        raise TypeError(f"policy takes what problem.load(x) returns, got {shown(policy)}")
    return policy.problem
