"""Scores of policies that are evaluated again on unseen start states."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Returns of policies on unseen start states, in the user's signs.

    Episodes whose simulation exploded are excluded from ``mean`` and ``spread`` and counted in ``failures``.

    Args:
      returns: the returns of each policy in each episode.
      failed: which episodes' simulations exploded.

    >>> import numpy as np
    >>> scores = Scores(returns=np.array([[[1.0, 2.0], [3.0, 2.0]]]), failed=np.array([[False, False]]))
    >>> scores.mean.tolist()
    [[2.0, 2.0]]
    """

    returns: Float[np.ndarray, "k episodes m"]
    failed: Bool[np.ndarray, "k episodes"]

    @property
    def mean(self) -> Float[np.ndarray, "k m"]:
        """The mean return of each policy, over the episodes that did not fail."""
        return np.asarray(self._valid_returns().mean(axis=1).filled(np.nan))

    @property
    def spread(self) -> Float[np.ndarray, "k m"]:
        """Standard deviation over the episodes."""
        return np.asarray(self._valid_returns().std(axis=1).filled(np.nan))

    @property
    def failures(self) -> Int[np.ndarray, " k"]:
        """Number of failed episodes per policy."""
        return self.failed.sum(axis=1)

    def _valid_returns(self) -> np.ma.MaskedArray:
        return np.ma.array(self.returns, mask=np.broadcast_to(self.failed[:, :, None], self.returns.shape))
