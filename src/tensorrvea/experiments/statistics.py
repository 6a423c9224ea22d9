"""Statistics of repeated runs, as papers in this field give them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats


@dataclass(frozen=True)
class Summary:
    """Of the values of many runs."""

    runs: int
    median: float
    iqr: float
    mean: float
    low: float
    high: float
    """``low`` and ``high`` are the 95 % confidence interval of the mean (Student's t)."""


def summary(values: ArrayLike) -> Summary:
    """Median and interquartile range, mean and confidence interval.

    >>> summary([1.0, 2.0, 3.0, 4.0, 10.0]).iqr
    2.0
    """
    v = np.asarray(values, float)
    first, median, third = np.quantile(v, [0.25, 0.5, 0.75])
    mean = v.mean()
    half = stats.t.ppf(0.975, len(v) - 1) * v.std(ddof=1) / np.sqrt(len(v)) if len(v) > 1 else 0.0
    low, high = mean - half, mean + half
    return Summary(len(v), float(median), float(third - first), float(mean), float(low), float(high))


def effect_size(ours: ArrayLike, theirs: ArrayLike) -> float:
    """Vargha and Delaney's A: how likely one of ours is larger than one of theirs, ties counting half.

    >>> effect_size([3.0, 4.0], [1.0, 3.0])
    0.875
    """
    a, b = np.asarray(ours, float)[:, None], np.asarray(theirs, float)[None, :]
    return float((a > b).mean() + 0.5 * (a == b).mean())


def rank_sum(ours: ArrayLike, theirs: ArrayLike) -> float:
    """The p value of the two-sided Wilcoxon rank-sum test (Mann-Whitney U); 1 if all values are the same."""
    a, b = np.asarray(ours, float), np.asarray(theirs, float)
    if np.ptp(np.concatenate([a, b])) == 0:
        return 1.0
    return float(stats.mannwhitneyu(a, b, alternative="two-sided").pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """p values corrected for their number by Holm's step-down method.

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


@dataclass(frozen=True)
class Comparison:
    """Of one algorithm with the one that is looked at: ``+`` better than it, ``-`` worse, ``≈`` no difference seen."""

    mark: str
    p: float
    effect: float


def compare(
    values: Mapping[str, Mapping[str, ArrayLike]], ours: str, *, larger_is_better: bool, level: float = 0.05
) -> dict[tuple[str, str], Comparison]:
    """Every other algorithm against ``ours`` on every problem: rank-sum tests, corrected together.

    Args:
      values: problem → algorithm → the runs' values.
    """
    pairs = [(problem, other) for problem, each in values.items() for other in each if other != ours]
    raw = [rank_sum(values[problem][other], values[problem][ours]) for problem, other in pairs]
    found = {}
    for (problem, other), p in zip(pairs, holm(raw), strict=True):
        effect = effect_size(values[problem][other], values[problem][ours])
        better = effect > 0.5 if larger_is_better else effect < 0.5
        found[problem, other] = Comparison("≈" if p >= level else "+" if better else "-", p, effect)
    return found


def can_tell(runs: int, comparisons: int, *, level: float = 0.05) -> bool:
    """Whether ``compare`` can see a difference at all: even where all values of one are better than all of the other.

    >>> can_tell(5, 8), can_tell(6, 8)
    (False, True)
    """
    return comparisons * 2 / math.comb(2 * runs, runs) < level


HEAD = ("problem", "algorithm", "runs", "median", "iqr", "mean", "mean_low", "mean_high", "p_holm", "effect", "mark")


def statistics_rows(
    values: Mapping[str, Mapping[str, ArrayLike]], ours: str, *, larger_is_better: bool
) -> Iterator[tuple[object, ...]]:
    """All that is known of each algorithm on each problem, under ``HEAD``; nothing to compare ``ours`` with itself."""
    compared = compare(values, ours, larger_is_better=larger_is_better)
    for problem, each in values.items():
        for name, runs in each.items():
            found = compared.get((problem, name))
            beside = ("", "", "") if found is None else (found.p, found.effect, found.mark)
            yield (problem, name, *astuple(summary(runs)), *beside)


def average_ranks(values: Mapping[str, Mapping[str, ArrayLike]], *, larger_is_better: bool) -> dict[str, float]:
    """Each algorithm's mean rank over the problems, 1 for the best median; ties share the mean of their ranks.

    >>> average_ranks({"p": {"a": [1.0], "b": [2.0]}, "q": {"a": [3.0], "b": [3.0]}}, larger_is_better=False)
    {'a': 1.25, 'b': 1.75}
    """
    names = list(next(iter(values.values())))
    medians = np.array([[np.median(np.asarray(each[name], float)) for name in names] for each in values.values()])
    ranks = stats.rankdata(-medians if larger_is_better else medians, axis=1)
    return {name: float(rank) for name, rank in zip(names, ranks.mean(axis=0), strict=True)}
