"""Independent transcriptions of the paper's formulas, as plain loops over NumPy float64.

Nothing here is shared with the library: arccos where it takes chords, sets where it takes segments.
"""

from itertools import product
from typing import NamedTuple

import numpy as np


class Choice(NamedTuple):
    """The winner of each reference vector (None: no individual), and whether all were decided by more than rounding."""

    winners: list[int | None]
    decided: bool


def angles(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Line 5 of Algorithm 1; rows of zeros have angle zero."""
    lengths = np.linalg.norm(u, axis=1)[:, None] * np.linalg.norm(v, axis=1)[None]
    cosine = np.divide(u @ v.T, lengths, out=np.ones((len(u), len(v))), where=lengths > 0)
    return np.arccos(np.clip(cosine, -1, 1))


def smallest_angles(vectors: np.ndarray) -> np.ndarray:
    """Eq. 5: γ, with i ≠ j."""
    between = angles(vectors, vectors)
    np.fill_diagonal(between, np.inf)
    return between.min(axis=1)


def rvea_loop(
    f: np.ndarray, violation: np.ndarray, alive: np.ndarray, vectors: np.ndarray, share: float, alpha: float = 2.0
) -> Choice:
    """Algorithm 1 with Eq. 4 and 5, one reference vector after another; constraints as in RVEA's Algorithm 5.

    ``decided`` is False where another rounding may rightly decide otherwise: an individual between two vectors, or
    two feasible individuals that are not equal and yet almost as good as each other. Of equal violations the lowest row
    wins.
    """
    f, violation, vectors = (np.asarray(a, np.float64) for a in (f, violation, vectors))
    living = np.flatnonzero(alive)
    winners: list[int | None] = [None] * len(vectors)
    if len(living) == 0:
        return Choice(winners, True)
    m = f.shape[1]
    translated = f[living] - f[living].min(axis=0)
    theta = angles(translated, vectors)
    gamma = smallest_angles(vectors)
    niche = theta.argmin(axis=1)
    ordered = np.sort(theta, axis=1)
    length = np.linalg.norm(translated, axis=1)
    decided = bool(((ordered[:, 1] - ordered[:, 0] > 1e-5) | (length == 0)).all())
    for j in range(len(vectors)):
        members = [i for i in range(len(living)) if niche[i] == j]
        feasible = [i for i in members if violation[living[i]] <= 0]
        if feasible:
            apd = {i: (1 + m * share**alpha * theta[i, j] / gamma[j]) * length[i] for i in feasible}
        else:
            apd = {i: violation[living[i]] for i in members}
        if not apd:
            continue
        best = min(apd, key=lambda i: (apd[i], i))
        winners[j] = int(living[best])
        for i, value in apd.items():
            near = value - apd[best] <= 2e-5 * max(abs(apd[best]), 1e-30)
            same = (f[living[i]] == f[living[best]]).all()
            decided &= not (feasible and near and not same)
    return Choice(winners, decided)


def adapted_vectors(initial: np.ndarray, f: np.ndarray) -> np.ndarray:
    """V = V₀ ∘ (z_max − z_min), rows normalised."""
    scaled = np.asarray(initial, np.float64) * (f.max(axis=0) - f.min(axis=0))
    return scaled / np.linalg.norm(scaled, axis=1, keepdims=True)


def lattice(divisions: int, objectives: int) -> np.ndarray:
    """All points of the simplex whose coordinates are multiples of 1/divisions, in ascending order."""
    whole = [c for c in product(range(divisions + 1), repeat=objectives) if sum(c) == divisions]
    return np.array(sorted(whole)) / divisions


def sbx_spread_cdf(b: np.ndarray, eta: float) -> np.ndarray:
    """P(|B| ≤ b) of a crossed gene: the inverse of the supplement's formula for M_c."""
    b = np.asarray(b, np.float64)
    return np.where(b <= 1, 0.5 * b ** (eta + 1), 1 - 0.5 * np.maximum(b, 1) ** -(eta + 1))


def polynomial_delta(x: float, u: np.ndarray, lower: float, upper: float, xi: float) -> np.ndarray:
    """Δ of the supplement, as printed there, for M_mut = u."""
    span = upper - lower
    down = (2 * u + (1 - 2 * u) * (1 - (x - lower) / span) ** (xi + 1)) ** (1 / (xi + 1)) - 1
    up = 1 - (2 * (1 - u) + 2 * (u - 0.5) * (1 - (upper - x) / span) ** (xi + 1)) ** (1 / (xi + 1))
    return span * np.where(u <= 0.5, down, up)


def dominates(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether a is no worse than b in any objective and better in one; both minimised."""
    return bool((a <= b).all() and (a < b).any())


def widened(f: np.ndarray, rows: np.ndarray, share: float) -> tuple[np.ndarray, bool]:
    """Ikeda et al. (2001): α-dominance as plain dominance of f_i + α Σ_{j≠i} f_j, α = share / (1 + share).

    The range of ``rows`` is from the smallest value to the ninth decile, or to the largest if that is the smallest. In
    the sum, values beyond twice the range count as that. Objectives without a range stay as they are. Also returns
    whether no two different rows are so near each other that rounding to single precision decides which of them
    dominates.
    """
    f = np.where(np.isfinite(f), f, 0)
    ordered = np.sort(f[rows], axis=0)
    low, high = ordered[0], ordered[(9 * len(ordered) + 9) // 10 - 1]
    high = np.where(high > low, high, ordered[-1])
    unit = np.where(high > low, high - low, np.inf)
    sums = np.clip((f - low) / unit, 0, 2)
    wide = np.where(high > low, (f - low) / unit + share * sums.sum(axis=1, keepdims=True), f)
    apart = wide[:, None] - wide[None]
    rounding = 1e-6 * (1 + np.abs(f).max(axis=0) / unit)
    surely, possibly = (apart < -rounding).all(axis=2), (apart < rounding).all(axis=2)
    equal = (f[:, None] == f[None]).all(axis=2)
    return wide, bool((surely == possibly)[~equal].all())
