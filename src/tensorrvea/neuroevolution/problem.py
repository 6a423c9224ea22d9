"""A robot's task as a problem like any other: the variables are the weights of its policy."""

from functools import partial
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray
from numpy.typing import ArrayLike

from tensorrvea.checks import check_array, check_choice, check_integer, check_number, is_traced
from tensorrvea.neuroevolution.backends import choose_backend, fitting_lanes, make_physics
from tensorrvea.neuroevolution.backends.mujoco import run_on_host
from tensorrvea.neuroevolution.models import start_position
from tensorrvea.neuroevolution.policy import MLP
from tensorrvea.neuroevolution.rollout import Episodes, World, run_lanes
from tensorrvea.neuroevolution.tasks import Task, find_task
from tensorrvea.problem import Problem

if TYPE_CHECKING:
    from tensorrvea.neuroevolution.replay import Replay
    from tensorrvea.neuroevolution.scores import Scores

WEIGHT_BOUND = 8.0
FIRST_DEVIATION = 0.1
STARTS = ("fixed", "new")
# Start states of the search and those to score a front on are drawn apart.
SEARCH, UNSEEN = 0, 1


class RobotProblem(Problem):
    """Evolve the weights of a small network that controls a robot, for several rewards at once.

    Args:
      task: a name from ``TASKS``, or a ``Task`` of one's own.
      backend: ``"brax"`` (generalized), ``"brax-spring"``, ``"brax-positional"``, ``"mjx"``, ``"mujoco"``, or
        ``"auto"``: mjx on an accelerator, mujoco on a CPU. Values are comparable only within one backend.
      hidden: sizes of the policy's hidden layers.
      steps: the most steps of an episode; the task's own, 1,000, if None.
      episodes: how many an evaluation has; rewards are their mean.
      starts: ``"fixed"``: the same start states in all evaluations, as in the paper; ``"new"``: others in each
        generation, the same for all its policies.
      start_seed: which start states are fixed.
      control_weight: of the control cost; the task's own if None.
      lanes: how many simulations at a time; what fits the device if None.

    All rewards are maximised. An evaluation with an exploding simulation has failed.

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
        self.policy = MLP(inputs=self.task.observations, outputs=self.task.actions, hidden=hidden)
        self.steps = check_integer("steps", self.task.steps if steps is None else steps, minimum=1)
        self.episodes = check_integer("episodes", episodes, minimum=1)
        self.starts = check_choice("starts", starts, STARTS)
        self.start_seed = check_integer("start_seed", start_seed, minimum=0)
        control_weight = self.task.control_weight if control_weight is None else control_weight
        check_number("control_weight", control_weight, minimum=0.0)
        self.control_weight = float(control_weight)
        self.lanes = check_integer("lanes", fitting_lanes(self.backend) if lanes is None else lanes, minimum=1)
        self.world = World(
            task=self.task,
            physics=make_physics(self.task, self.backend),
            policy=self.policy,
            control_weight=self.control_weight,
        )
        super().__init__(
            self.returns,
            lower=np.full(self.policy.size, -WEIGHT_BOUND),
            upper=np.full(self.policy.size, WEIGHT_BOUND),
            objectives=len(self.task.objectives),
            directions="max",
            batched=True,
            stochastic=True,
            sample=self.first_policies,
            objective_names=[objective.name for objective in self.task.objectives],
            units=[objective.unit for objective in self.task.objectives],
            name=f"{self.task.name} ({self.backend})",
        )

    # What the algorithm calls.

    def first_policies(self, key: PRNGKeyArray, n: int) -> Float[Array, "n d"]:
        """Weights from N(0, 0.1²), as in the paper."""
        return FIRST_DEVIATION * jax.random.normal(key, (n, self.policy.size))

    def returns(self, key: PRNGKeyArray, x: Float[Array, "n d"]) -> Float[Array, "n m"]:
        """Rewards, as they are: summed over an episode, the mean of the episodes; NaN for a failed evaluation."""
        return mean_returns(self.play(self.start_states(key), x))

    def evaluate(self, key: PRNGKeyArray, x: Float[Array, "n d"]) -> tuple[Float[Array, "n m"], Float[Array, " n"]]:
        if not self.host:
            return super().evaluate(key, x)
        if is_traced(x):
            raise TypeError(f"{self.name} is evaluated on the host and cannot be compiled; call evaluate_host between")
        f, violation = self.evaluate_host(key, self.show(self.policy.check_columns(x)))
        return jnp.asarray(f, x.dtype), jnp.asarray(violation, x.dtype)

    def evaluate_host(
        self, key: PRNGKeyArray, x: Float[np.ndarray, "n d"]
    ) -> tuple[Float[np.ndarray, "n m"], Float[np.ndarray, " n"]]:
        """Objectives, all minimised, and violations (none), of policies on the host; NaN where it failed.

        With an array of k keys, the rows are k equal parts, each with the start states of its own key.
        """
        keys = key[None] if key.ndim == 0 else key
        q, qd = (np.stack(parts) for parts in zip(*map(self.start_states, keys), strict=True))
        returns = mean_returns(self.play((q, qd), np.asarray(x, np.float64)))
        return np.asarray(returns * self.signs), np.zeros(len(x))

    # Episodes.

    def start_states(self, key: PRNGKeyArray) -> tuple[Float[Array, "episodes nq"], Float[Array, "episodes nv"]]:
        """Positions and velocities that a generation's episodes begin with."""
        if self.starts == "fixed":
            key = jax.random.key(self.start_seed)
        return self.draw_starts(jax.random.fold_in(key, SEARCH), self.episodes)

    def draw_starts(self, key: PRNGKeyArray, episodes: int) -> tuple[Array, Array]:
        """Positions and velocities to start from; the first of them are the same for any number."""
        return _draw_starts(key, task=self.task, velocities=self.world.physics.velocities, episodes=episodes)

    def play(self, starts: tuple[Any, Any], x: Any) -> Episodes:
        """Whole episodes of the policies ``x`` from given start states: in JAX, or on the host if it is there.

        On the host, start states may have one more axis in front, for equal parts of the policies.
        """
        if self.host:
            q, qd = (np.asarray(part, np.float64) for part in starts)
            q, qd = (q[None], qd[None]) if q.ndim == 2 else (q, qd)
            if len(x) % len(q):
                raise ValueError(f"{len(x)} policies cannot be parted equally among {len(q)} keys")
            return run_on_host(self.world, np.asarray(x), (q, qd), lanes=self.lanes, steps=self.steps)
        states = jax.vmap(self.world.physics.init)(*(part.astype(x.dtype) for part in starts))
        return run_lanes(self.world, x, states, lanes=self.lanes, steps=self.steps)

    # What a user sees.

    def load(self, x: ArrayLike) -> "RobotPolicy":
        """One policy, to be called, replayed or drawn."""
        return RobotPolicy(self, x)

    def replay(self, x: ArrayLike, *, seed: int = 0) -> "Replay":
        """What one policy does, as the robot's shape over time; see ``replay`` for more choices."""
        from tensorrvea.neuroevolution.replay import replay

        return replay(self.load(x), seed=seed)

    def rescore(self, x: ArrayLike, *, episodes: int = 16, seed: int = 0) -> "Scores":
        """Policies scored on start states that the search has not seen; see ``rescore``."""
        from tensorrvea.neuroevolution.scores import rescore

        return rescore(self, x, episodes=episodes, seed=seed)

    def reference_point(self, experiment: str = "neuroevolution") -> np.ndarray:
        """The paper's reference point for the hypervolume, in the rewards' signs."""
        experiments = tuple(self.task.references)
        if not experiments:
            raise ValueError(f"{self.task.name} is not in the paper and has no reference point")
        return np.array(self.task.references[check_choice("experiment", experiment, experiments)])

    @property
    def made_of(self) -> tuple:
        """All that decides what a policy earns."""
        return (
            self.task, self.backend, self.policy, self.steps, self.episodes, self.starts, self.start_seed,
            self.control_weight, self.lanes,
        )  # fmt: skip

    def _make_identity(self) -> tuple:
        return self.made_of

    def _check_outputs(self) -> None:
        """Nothing to check: the function is not the user's, and tracing an engine takes seconds."""


class RobotPolicy:
    """A policy with its weights and its robot: a function of an observation, or of many as rows."""

    def __init__(self, problem: RobotProblem, x: ArrayLike):
        self.problem = problem
        self.x = check_array("x", x, shape=f"({problem.policy.size},)", ndim=1)
        self._act = problem.policy.load(self.x)

    def __call__(self, observation: ArrayLike) -> np.ndarray:
        return self._act(np.asarray(observation, float))

    def __repr__(self) -> str:
        return f"RobotPolicy({self.problem.name}, {len(self.x)} weights)"


@partial(jax.jit, static_argnames="problem")
def play_compiled(problem: RobotProblem, starts: tuple[Array, Array], x: Float[Array, "n d"]) -> Episodes:
    """``problem.play``, compiled once for each problem and shape; not for problems on the host."""
    return problem.play(starts, x)


@partial(jax.jit, static_argnames=("task", "velocities", "episodes"))
def _draw_starts(key: PRNGKeyArray, *, task: Task, velocities: int, episodes: int) -> tuple[Array, Array]:
    position = start_position(task.model)
    keys = jax.vmap(jax.random.fold_in, (None, 0))(key, jnp.arange(episodes))
    return jax.vmap(lambda own: task.start(own, position, velocities))(keys)


def mean_returns(played: Episodes) -> Any:
    """Over the episodes; NaN if one of them has failed."""
    xp = played.returns.__array_namespace__()
    failed = played.failed.any(axis=1)
    return xp.where(failed[:, None], xp.nan, played.returns.mean(axis=1))
