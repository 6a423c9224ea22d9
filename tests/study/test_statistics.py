import csv
import shutil
import subprocess

import numpy as np
import pytest
from scipy import stats

from tensorrvea.experiments import PLANS
from tensorrvea.experiments.findings import Findings
from tensorrvea.experiments.store import Store
from tensorrvea.study.comparison import comparison_table
from tensorrvea.study.statistics import (
    average_ranks,
    comparisons,
    critical_difference,
    effect_size,
    friedman,
    holm,
    rank_sum,
    summary,
)  # fmt: skip
from tensorrvea.study.tables import Cell, Table


def test_summary_has_the_textbook_values():
    found = summary([2.0, 4.0, 4.0, 6.0, 9.0])
    assert (found.runs, found.median, found.iqr, found.mean) == (5, 4.0, 2.0, 5.0)
    # s = √(28/4), t(0.975, 4) = 2.776445
    half = 2.776445105 * np.sqrt(7.0) / np.sqrt(5)
    assert found.low == pytest.approx(5 - half)
    assert found.high == pytest.approx(5 + half)
    assert summary([3.0]).low == 3.0


def test_effect_size_counts_pairs():
    assert effect_size([1, 2, 3], [4, 5]) == 0.0
    assert effect_size([4, 5], [1, 2, 3]) == 1.0
    assert effect_size([1, 2], [1, 2]) == 0.5
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=20), rng.normal(0.5, size=30)
    assert effect_size(a, b) == pytest.approx(stats.mannwhitneyu(a, b).statistic / 600)


def test_rank_sum_of_separated_samples_is_exact():
    # Two of the C(8, 4) = 70 orders are as extreme as complete separation.
    assert rank_sum([1, 2, 3, 4], [5, 6, 7, 8]) == pytest.approx(2 / 70)
    assert rank_sum([1, 1], [1, 1]) == 1.0


def test_holm_steps_down_and_is_monotonic():
    assert holm([0.01, 0.02, 0.03, 0.005]) == pytest.approx([0.03, 0.04, 0.04, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def six_values(start: float) -> list[float]:
    return [start + 0.1 * i for i in range(6)]


VALUES = {
    "P1": {"ours": six_values(1.0), "worse": six_values(3.0), "same": [*six_values(1.0)[:5], 1.6]},
    "P2": {"ours": six_values(2.0), "worse": six_values(9.0), "same": six_values(0.1)},
}


def test_marks_of_better_worse_and_similar_algorithms():
    found = comparisons(VALUES, "ours", larger_is_better=False)
    assert {pair: comparison.mark for pair, comparison in found.items()} == {
        ("P1", "worse"): "-", ("P1", "same"): "≈", ("P2", "worse"): "-", ("P2", "same"): "+",
    }  # fmt: skip
    reversed_marks = comparisons(VALUES, "ours", larger_is_better=True)
    assert reversed_marks["P1", "worse"].mark == "+"
    assert found["P1", "worse"].effect == 1.0
    assert found["P1", "worse"].p == pytest.approx(4 * 2 / 924)


def test_the_statistics_behind_a_table_are_written_as_csv(tmp_path):
    store = Store(tmp_path, "numerical", "smoke", PLANS["numerical"]["smoke"])
    Findings(store).add_comparison("igd", "IGD", VALUES, "ours", larger_is_better=False)
    assert (tmp_path / "igd.md").exists()
    with (tmp_path / "igd_statistics.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["problem"], row["algorithm"], row["mark"]) for row in rows] == [
        ("P1", "ours", ""), ("P1", "worse", "-"), ("P1", "same", "≈"),
        ("P2", "ours", ""), ("P2", "worse", "-"), ("P2", "same", "+"),
    ]  # fmt: skip
    worse, known = rows[1], summary(VALUES["P1"]["worse"])
    assert float(worse["p_holm"]) == pytest.approx(4 * 2 / 924)
    assert float(worse["effect"]) == 1.0
    for name, value in {"median": known.median, "iqr": known.iqr, "mean": known.mean, "mean_low": known.low}.items():
        assert float(worse[name]) == pytest.approx(value)


def test_a_summary_of_runs_without_a_feasible_solution_has_no_nan():
    found = summary([1.0, 2.0, 3.0, np.inf, np.inf])
    assert (found.median, found.iqr, found.mean) == (3.0, np.inf, np.inf)
    assert summary([np.inf, np.inf]).iqr == 0.0
    assert summary([1.0, 2.0, 3.0, 4.0, np.inf]).median == 3.0


@pytest.mark.parametrize(("algorithms", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (10, 3.164)])
def test_the_critical_difference_has_the_published_quantiles(algorithms, q):
    """Table 5 of Demšar (JMLR 7, 2006) for α = 0.05."""
    expected = q * np.sqrt(algorithms * (algorithms + 1) / (6 * 20))
    assert critical_difference(algorithms, 20) == pytest.approx(expected, rel=3e-4)


def test_friedman_is_that_of_scipy_on_medians():
    rng = np.random.default_rng(1)
    values = {
        f"P{i}": {name: rng.normal(shift, size=7) for name, shift in zip("abc", (0, 1, 2), strict=True)}
        for i in "123456"
    }
    medians = [[np.median(values[p][name]) for p in values] for name in "abc"]
    assert friedman(values, larger_is_better=False) == pytest.approx(stats.friedmanchisquare(*medians).pvalue)
    assert np.isnan(friedman({"P": {"a": [1.0], "b": [2.0]}}, larger_is_better=False))


def test_average_ranks():
    assert average_ranks(VALUES, larger_is_better=False) == {"ours": 1.75, "worse": 3.0, "same": 1.25}


def test_tables_in_markdown_latex_and_csv():
    table = comparison_table("IGD", VALUES, "ours", larger_is_better=False)
    markdown = table.markdown()
    assert "| P1 | **1.25 (0.25)** | 3.25 (0.25) - | **1.25 (0.25)** ≈ |" in markdown
    assert "| P2 | 2.25 (0.25) | 9.25 (0.25) - | **0.35 (0.25)** + |" in markdown
    assert "| +/−/≈ |  | 0/2/0 | 1/0/1 |" in markdown
    assert "| average rank | 1.75 | 3 | **1.25** |" in markdown
    assert "of 6 runs" in markdown
    assert "cannot find" not in markdown
    few = {problem: {name: runs[:3] for name, runs in each.items()} for problem, each in VALUES.items()}
    assert "cannot find any difference" in comparison_table("IGD", few, "ours", larger_is_better=False).markdown()
    latex = table.latex()
    assert r"P2 & 2.25 (0.25) & 9.25 (0.25) $-$ & \textbf{0.35 (0.25)} $+$ \\" in latex
    assert latex.count("\\") > 10
    assert "5 \\%" in latex
    assert table.csv().splitlines()[0] == ",ours,ours: mark,worse,worse: mark,same,same: mark"
    assert table.csv().splitlines()[2] == "P2,2.25 (0.25),,9.25 (0.25),-,0.35 (0.25),+"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex, with the package booktabs")
def test_latex_compiles_with_any_name(tmp_path):
    values = {"a_{1}|b": {"ours & co": six_values(1.0), "100 % #$^~{}\\x": six_values(3.0), "≈ <b>": six_values(0.1)}}
    table = comparison_table("IGD_1", values, "ours & co", larger_is_better=False, with_effects=True)
    text = f"\\documentclass{{article}}\\usepackage{{booktabs}}\\begin{{document}}{table.latex()}\\end{{document}}"
    (tmp_path / "table.tex").write_text(text)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


def test_tables_are_written(tmp_path):
    Table("T", ["a", "b"], [[Cell("x"), Cell("1", best=True)]]).write(tmp_path / "t")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.csv", "t.md", "t.tex"]
    assert (tmp_path / "t.csv").read_text() == "a,b\nx,1\n"


def test_a_table_without_bold_type_says_how_the_best_is_marked():
    values = {"ZDT1": {"ours": [1.0, 1.0], "theirs": [2.0, 2.0]}}
    table = comparison_table("IGD", values, "ours", larger_is_better=False)
    for width in (30, 200):
        assert "1 (0)*" in table.text(width)
    assert "the best marked with *" in table.text_note
    assert "bold" not in table.text_note
    assert "the best in bold" in table.markdown()
