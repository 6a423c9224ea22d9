"""Honest scores: a front evaluated again, on start states that the search has not seen."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import ArrayLike

from tensorrvea.checks import check_array, check_integer
from tensorrvea.neuroevolution.problem import UNSEEN, RobotProblem, play_compiled


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Rewards of policies on unseen start states, in the users' signs.

    An episode whose simulation exploded is left out of mean and spread, and counted.
    """

    returns: Float[np.ndarray, "k episodes m"]
    failed: Bool[np.ndarray, "k episodes"]

    @property
    def mean(self) -> Float[np.ndarray, "k m"]:
        return np.asarray(self._counted().mean(axis=1).filled(np.nan))

    @property
    def spread(self) -> Float[np.ndarray, "k m"]:
        """The standard deviation over the episodes."""
        return np.asarray(self._counted().std(axis=1).filled(np.nan))

    @property
    def failures(self) -> Int[np.ndarray, " k"]:
        """How many of each policy's episodes failed."""
        return self.failed.sum(axis=1)

    def _counted(self) -> np.ma.MaskedArray:
        return np.ma.array(self.returns, mask=np.broadcast_to(self.failed[:, :, None], self.returns.shape))


def rescore(problem: RobotProblem, x: ArrayLike, *, episodes: int = 16, seed: int = 0) -> Scores:
    """Scores the policies ``x`` (k, d), such as ``result.X``, on ``episodes`` start states not used in any search.

    All policies begin with the same ones, so that they can be compared.
    """
    if not isinstance(problem, RobotProblem):
        raise TypeError(f"problem takes a RobotProblem, got {problem!r:.80}")
    policies = check_array("x", x, shape="(policies, weights)", ndim=2)
    if policies.shape[1] != problem.variables:
        raise ValueError(f"x must have {problem.variables} columns, one a weight, got {policies.shape[1]}")
    check_integer("episodes", episodes, minimum=1)
    check_integer("seed", seed, minimum=0)
    key = jax.random.fold_in(jax.random.key(seed), UNSEEN)
    starts = problem.draw_starts(key, episodes)
    if problem.host:
        played = problem.play(starts, policies)
    else:
        played = jax.device_get(play_compiled(problem, starts, jnp.asarray(policies, jnp.result_type(float))))
    return Scores(returns=np.asarray(played.returns, np.float64), failed=np.asarray(played.failed))
