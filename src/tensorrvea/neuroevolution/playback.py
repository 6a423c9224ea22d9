"""Episodes of evolved policies: recorded, replayed, and scored on unseen start states."""

from numpy.typing import ArrayLike

from tensorrvea.neuroevolution.capsules import Replay
from tensorrvea.neuroevolution.problem import RobotPolicy, RobotProblem
from tensorrvea.neuroevolution.scores import Scores
from tensorrvea.neuroevolution.trajectory import Trajectory


def record(policy: RobotPolicy, *, seed: int = 0, steps: int | None = None) -> Trajectory:
    """Record one episode of a policy, from an unseen start state.

    The episode is simulated alone. Robots are chaotic and another batch width rounds differently, so that it need not
    fall at the same step as when it was scored.
    """
    return _check_policy(policy).record(policy.x, seed=seed, steps=steps)


def replay(policy: RobotPolicy, *, seed: int = 0, steps: int | None = None, frames_per_second: float = 25.0) -> Replay:
    """The robot's shape over one recorded episode."""
    return _check_policy(policy).replay(policy.x, seed=seed, steps=steps, frames_per_second=frames_per_second)


def rescore(problem: RobotProblem, x: ArrayLike, *, episodes: int = 16, seed: int = 0) -> Scores:
    """Score the policies ``x`` (k, d), such as ``result.X``, on start states that no search has used."""
    if not isinstance(problem, RobotProblem):
        raise TypeError(f"problem takes a RobotProblem, got {problem!r:.80}")
    return problem.rescore(x, episodes=episodes, seed=seed)


def _check_policy(policy: RobotPolicy) -> RobotProblem:
    if not isinstance(policy, RobotPolicy):
        raise TypeError(f"policy takes what problem.load(x) returns, got {policy!r:.80}")
    return policy.problem
