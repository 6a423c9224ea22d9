"""What a problem may be able to do beside being evaluated; the defaults are those of a problem that cannot."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray
from numpy.typing import ArrayLike

from tensorrvea.evaluation import Evaluation


class Abilities:
    """Optional abilities of a problem, which subclasses override."""

    can_replay: bool = False  # whether ``replay`` returns a replay

    def evaluate_host(self, key: PRNGKeyArray | None, x: Float[np.ndarray, "n d"]) -> Evaluation:
        """Evaluate decoded rows on the host; only where ``host`` is True."""
        raise NotImplementedError

    def apply_knowledge(self, known: Any, x: Float[Array, "*runs n d"]) -> Float[Array, "*runs n d"]:
        """Change rows, before they are evaluated, by what is known from earlier generations."""
        del known
        return x

    def evaluate_and_learn(
        self, key: PRNGKeyArray | None, x: Float[np.ndarray, "n d"], known: Any
    ) -> tuple[Evaluation, Any]:
        """``evaluate_host``, and what is known after it."""
        return self.evaluate_host(key, x), known

    def reference_point(self) -> np.ndarray | None:
        """The reference point of the hypervolume, in the user's signs; None if the problem defines none."""

    def rescore(self, x: ArrayLike) -> Any:
        """Evaluate solutions (k, d) again under conditions that the search has not seen; None if there are none."""

    def replay(self, x: ArrayLike) -> Any:
        """The motion that one solution (d,) produces, for animations; None unless ``can_replay``."""

    @property
    def failures(self) -> list[tuple[str, int]]:
        """Messages of failed evaluations in order of first occurrence, each with its count."""
        return []

    def restore_failures(self, failures: Sequence[tuple[str, int]]) -> None:
        """Take over the messages that a checkpoint has recorded, where they are not known or are counted lower."""

    def close(self) -> None:
        """Stop workers, if there are any; the next evaluation starts them again."""
