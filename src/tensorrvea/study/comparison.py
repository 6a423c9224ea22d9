"""The table of a comparison: medians, quartiles, marks, effect sizes and average ranks."""

from collections import Counter
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from tensorrvea.study.statistics import average_ranks, can_detect_difference, comparisons, summary
from tensorrvea.study.tables import IN_BOLD, Cell, Table

# Problem → algorithm → one value per run.
Values = Mapping[str, Mapping[str, ArrayLike]]


def comparison_table(
    title: str, values: Values, ours: str, *, larger_is_better: bool, with_effects: bool = False
) -> Table:
    """Median (IQR) of every algorithm on every problem, with marks for the comparison with ``ours``.

    An algorithm may lack runs on a problem; that problem then does not count for the average ranks.
    """
    algorithms = list(dict.fromkeys(name for each in values.values() for name in each))
    tested = comparisons(values, ours, larger_is_better=larger_is_better)
    rows = []
    for problem, each in values.items():
        summaries = {name: summary(each[name]) for name in algorithms if name in each}
        best = (max if larger_is_better else min)(found.median for found in summaries.values())
        row = [Cell(problem)]
        for name in algorithms:
            if name not in summaries:
                row.append(Cell("–"))
                continue
            found, test = summaries[name], tested.get((problem, name))
            effect = f"{test.probability_better(larger_is_better):.2f}" if test and with_effects else ""
            row.append(
                Cell(show_median(found.median, found.iqr), found.median == best, test.mark if test else "", effect)
            )
        rows.append(row)
    counts = Counter((name, found.mark) for (_, name), found in tested.items())
    shown = ["" if name == ours else "/".join(str(counts[name, mark]) for mark in "+-≈") for name in algorithms]
    rows.append([Cell("+/−/≈"), *map(Cell, shown)])
    full = {problem: each for problem, each in values.items() if len(each) == len(algorithms)}
    if full:
        ranks = average_ranks(full, larger_is_better=larger_is_better)
        lowest = min(ranks.values())
        rows.append([Cell("average rank"), *(Cell(f"{ranks[a]:.3g}", ranks[a] == lowest) for a in algorithms)])
    return Table(title, ["", *algorithms], rows, table_note(values, ours, tested, with_effects))


def table_note(values: Values, ours: str, tested: Mapping, with_effects: bool) -> str:
    """How to read the table."""
    runs = sorted({int(np.size(one)) for each in values.values() for one in each.values()})
    counted = "–".join(map(str, dict.fromkeys((runs[0], runs[-1]))))
    note = f"Median (interquartile range) of {counted} runs, {IN_BOLD}."
    if not tested:
        return note
    note += (
        f" +, − and ≈: better than, worse than and not significantly different from {ours} "
        "(Wilcoxon rank-sum test, 5 %, Holm's correction over the table)."
    )
    if with_effects:
        note += f" After the mark: the probability that a run is better than one of {ours} (Vargha and Delaney's A)."
    if not can_detect_difference(runs[0], len(tested)) and all(found.mark == "≈" for found in tested.values()):
        note += " With so few runs this test cannot find any difference."
    return note


def show_median(median: float, iqr: float) -> str:
    """Show a median and its interquartile range.

    >>> show_median(0.05123456, 0.00123), show_median(float("inf"), 0.0)
    ('0.05123 (0.0012)', '∞ (0)')
    """
    return f"{median:.4g} ({iqr:.2g})".replace("inf", "∞").replace("-∞", "−∞")
