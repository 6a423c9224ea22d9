"""Statistics of repeated runs that papers in this field report."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike


class Summary(NamedTuple):
    """Statistics of a value over several runs. ``low`` and ``high`` bound the 95 % confidence interval of the mean."""

    runs: int
    median: float
    iqr: float
    mean: float
    low: float
    high: float


def summary(values: ArrayLike) -> Summary:
    """Compute median, interquartile range, mean and its confidence interval (Student's t).

    >>> summary([1.0, 2.0, 3.0, 4.0, 10.0]).iqr
    2.0
    """
    v = np.asarray(values, float)
    first, median, third = (quantile(v, share) for share in (0.25, 0.5, 0.75))
    iqr = 0.0 if first == third else third - first  # also if both are infinite
    mean = float(v.mean())
    if np.isfinite(v).all():
        half = scipy.stats.t.ppf(0.975, len(v) - 1) * v.std(ddof=1) / np.sqrt(len(v)) if len(v) > 1 else 0.0
    else:
        half = 0.0
    return Summary(len(v), median, iqr, mean, float(mean - half), float(mean + half))


def quantile(values: np.ndarray, share: float) -> float:
    """A quantile as ``numpy.quantile`` computes it, also of values of which some are infinite.

    >>> quantile(np.array([1.0, 2.0, np.inf, np.inf]), 0.25), quantile(np.array([1.0, np.inf, np.inf]), 0.75)
    (1.75, inf)
    """
    below, above = (float(np.quantile(values, share, method=side)) for side in ("lower", "higher"))
    if below == above or np.isinf([below, above]).any():
        return above
    return float(np.quantile(values, share))


def effect_size(ours: ArrayLike, theirs: ArrayLike) -> float:
    """Vargha and Delaney's A: the probability that a value of ours is larger than one of theirs; ties count half.

    >>> effect_size([3.0, 4.0], [1.0, 3.0])
    0.875
    """
    a, b = np.asarray(ours, float)[:, None], np.asarray(theirs, float)[None, :]
    return float((a > b).mean() + 0.5 * (a == b).mean())


def rank_sum(ours: ArrayLike, theirs: ArrayLike) -> float:
    """p value of the two-sided Wilcoxon rank-sum test (Mann-Whitney U); 1 if all values are equal."""
    a, b = np.asarray(ours, float), np.asarray(theirs, float)
    if (np.concatenate([a, b]) == a[0]).all():
        return 1.0
    return float(scipy.stats.mannwhitneyu(a, b, alternative="two-sided").pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p values for multiple testing by Holm's step-down method.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    corrected = np.empty(len(p_values))
    largest = 0.0
    for step, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - step) * p_values[i]))
        corrected[i] = largest
    return [float(p) for p in corrected]


class Comparison(NamedTuple):
    """One algorithm against the reference algorithm: ``+`` better, ``-`` worse, ``≈`` no significant difference."""

    mark: str
    p: float
    effect: float

    def probability_better(self, larger_is_better: bool) -> float:
        """The probability that a run is better than one of the reference algorithm; ties count half."""
        return self.effect if larger_is_better else 1 - self.effect


def comparisons(
    values: Mapping[str, Mapping[str, ArrayLike]], ours: str, *, larger_is_better: bool, level: float = 0.05
) -> dict[tuple[str, str], Comparison]:
    """Test every other algorithm against ``ours`` on every problem, with a joint correction of the p values.

    Args:
      values: problem → algorithm → one value per run. Problems without runs of ``ours`` are left out.
      ours: the algorithm that the others are compared with.
      larger_is_better: the direction of the values.
      level: the level of significance.
    """
    pairs = [(problem, other) for problem, each in values.items() if ours in each for other in each if other != ours]
    raw = [rank_sum(values[problem][other], values[problem][ours]) for problem, other in pairs]
    found = {}
    for (problem, other), p in zip(pairs, holm(raw), strict=True):
        effect = effect_size(values[problem][other], values[problem][ours])
        better = effect > 0.5 if larger_is_better else effect < 0.5
        found[problem, other] = Comparison("≈" if p >= level else "+" if better else "-", p, effect)
    return found


def can_detect_difference(runs: int, tests: int, *, level: float = 0.05) -> bool:
    """Whether ``comparisons`` can find a difference with this few runs, even between completely separated samples.

    >>> can_detect_difference(5, 8), can_detect_difference(6, 8)
    (False, True)
    """
    return tests * 2 / math.comb(2 * runs, runs) < level


COLUMNS = ("problem", "algorithm", "runs", "median", "iqr", "mean", "mean_low", "mean_high", "p_holm", "effect", "mark")


def statistics_rows(
    values: Mapping[str, Mapping[str, ArrayLike]], ours: str, *, larger_is_better: bool
) -> Iterator[tuple[object, ...]]:
    """Yield the statistics of each algorithm on each problem under ``COLUMNS``; no comparison for ``ours`` itself."""
    tested = comparisons(values, ours, larger_is_better=larger_is_better)
    for problem, each in values.items():
        for name, runs in each.items():
            found = tested.get((problem, name))
            comparison = ("", "", "") if found is None else (found.p, found.effect, found.mark)
            yield (problem, name, *summary(runs), *comparison)


def average_ranks(values: Mapping[str, Mapping[str, ArrayLike]], *, larger_is_better: bool) -> dict[str, float]:
    """Mean rank of each algorithm's median over the problems, 1 for the best; ties share the mean of their ranks.

    >>> average_ranks({"p": {"a": [1.0], "b": [2.0]}, "q": {"a": [3.0], "b": [3.0]}}, larger_is_better=False)
    {'a': 1.25, 'b': 1.75}
    """
    names = list(next(iter(values.values())))
    ranks = median_ranks(values, larger_is_better=larger_is_better)
    return {name: float(rank) for name, rank in zip(names, ranks.mean(axis=0), strict=True)}


def median_ranks(values: Mapping[str, Mapping[str, ArrayLike]], *, larger_is_better: bool) -> np.ndarray:
    """The rank of each algorithm's median on each problem, (problems, algorithms)."""
    names = list(next(iter(values.values())))
    medians = np.array([[quantile(np.asarray(each[name], float), 0.5) for name in names] for each in values.values()])
    return scipy.stats.rankdata(-medians if larger_is_better else medians, axis=1)


def friedman(values: Mapping[str, Mapping[str, ArrayLike]], *, larger_is_better: bool) -> float:
    """p value of Friedman's test that all algorithms have the same rank; NaN for less than three of them.

    Blocks are the problems, values the medians over runs (Demšar, JMLR 7, 2006).
    """
    ranks = median_ranks(values, larger_is_better=larger_is_better)
    if ranks.shape[1] < 3 or len(ranks) < 2 or (np.ptp(ranks, axis=1) == 0).all():
        return float("nan")
    return float(scipy.stats.friedmanchisquare(*ranks.T).pvalue)


def critical_difference(algorithms: int, problems: int, level: float = 0.05) -> float:
    """Nemenyi's critical difference of average ranks: q √(k (k + 1) / (6 N)) (Demšar, JMLR 7, 2006, section 3.2.2).

    q is the quantile of the Studentized range for infinitely many degrees of freedom, divided by √2.

    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    q = scipy.stats.studentized_range.ppf(1 - level, algorithms, np.inf) / math.sqrt(2)
    return float(q * math.sqrt(algorithms * (algorithms + 1) / (6 * problems)))
