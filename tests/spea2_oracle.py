"""SPEA2's fitness and environmental selection, transcribed from the paper as loops over NumPy float64."""

from typing import NamedTuple

import numpy as np
import oracle


class Archive(NamedTuple):
    """The rows that survive, whether all were decided by more than rounding, and the fitness of all rows."""

    rows: list[int]
    decided: bool
    raw: np.ndarray
    sigma: np.ndarray


def distances(f: np.ndarray) -> np.ndarray:
    return np.sqrt(((f[:, None] - f[None]) ** 2).sum(axis=2))


def fitness(f: np.ndarray, apart: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Section 3.1: raw fitness R, and the distance σ to the k-th nearest."""
    n = len(f)
    dominates = np.array([[oracle.dominates(a, b) for b in f] for a in f])
    strength = dominates.sum(axis=1)
    raw = np.array([sum(strength[j] for j in range(n) if dominates[j, i]) for i in range(n)])
    k = int(np.sqrt(n))
    sigma = [sorted(np.delete(apart[i], i))[k - 1] if k < n else np.inf for i in range(n)]
    return raw, np.array(sigma)


def truncated(f: np.ndarray, apart: np.ndarray, rows: np.ndarray, wanted: int) -> tuple[list[int], bool]:
    """Section 3.2: remove the i with i ≤_d j for all j; return what is left, and whether no choice was of rounding.

    Of complete ties the point with the lowest row loses its highest row.
    """
    rows, decided = list(rows), True
    while len(rows) > wanted:
        lists = {i: sorted(apart[i, j] for j in rows if j != i) for i in rows}
        first = min(rows, key=lambda i: (lists[i], i))
        for i in rows:
            differing = [p for p in range(len(rows) - 1) if abs(lists[i][p] - lists[first][p]) > 0]
            if differing:
                a, b = lists[i][differing[0]], lists[first][differing[0]]
                decided &= bool(abs(a - b) > 1e-5 * max(a, b))
        rows.remove(max(i for i in rows if (f[i] == f[first]).all()))
    return rows, decided


def environmental_selection(f: np.ndarray, compared: np.ndarray, survivors: int, *, normalize: bool) -> Archive:
    """Section 3.2 for more rows than survivors, of which ``compared`` decides which dominates which.

    With ``normalize``, distances are in units of the ranges of the non-dominated rows. On a grid of eighths, rounding
    may then decide between equal distances, unless all units are powers of two.
    """
    front = np.flatnonzero([not any(oracle.dominates(a, b) for a in compared) for b in compared])
    spread = np.ptp(f[front], axis=0)
    units = np.where(spread > 0, spread, 1) if normalize else np.ones(f.shape[1])
    apart = distances(f / units)
    is_exact = bool((f % 0.125 != 0).any() or (np.frexp(units)[0] == 0.5).all())
    raw, sigma = fitness(compared, apart)
    assert set(front) == set(np.flatnonzero(raw == 0))
    if len(front) > survivors:
        rows, decided = truncated(f, apart, front, survivors)
        return Archive(rows, decided and is_exact, raw, sigma)
    order = sorted(range(len(f)), key=lambda i: (raw[i], -sigma[i]))
    last, following = order[survivors - 1 : survivors + 1]
    decided = raw[last] < raw[following] or abs(sigma[last] - sigma[following]) > 1e-5 * sigma[last]
    return Archive(order[:survivors], bool(decided), raw, sigma)


def check_selection(survivors: np.ndarray, pool: np.ndarray, candidates: np.ndarray, expected: Archive) -> None:
    """Check survivors, best first, among more candidates, if all was decided; which of equal rows survive is free."""
    assert sorted(map(tuple, pool[survivors])) == sorted(map(tuple, pool[candidates[expected.rows]]))
    place = [int(np.flatnonzero(candidates == row)[0]) for row in survivors]
    raw, sigma = expected.raw[place], expected.sigma[place]
    assert (np.diff(raw) >= 0).all()
    assert (np.diff(sigma)[np.diff(raw) == 0] < 1e-5 * expected.sigma.max()).all()
