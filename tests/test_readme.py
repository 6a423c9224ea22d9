"""The code blocks of the README and other pages run in order, as a reader would type them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sizes import QUICK_FLAGS

ROOT = Path(__file__).parents[1]
READER = """
import sys
names = {}
for block in sys.stdin.read().split("\\0"):
    exec(block, names)
print(eval(sys.argv[1], names))
"""


def blocks_of(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL)


def run_blocks(blocks: list[str], expression: str, directory: Path) -> str:
    """Return the value of ``expression`` after the blocks, in a subprocess with fast compilation."""
    command = [sys.executable, "-c", READER, expression]
    flags = os.environ | {"XLA_FLAGS": QUICK_FLAGS}
    done = subprocess.run(
        command, input="\0".join(blocks), capture_output=True, text=True, check=False, cwd=directory, env=flags
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()[-1]


def test_code_in_the_readme_runs(tmp_path: Path):
    blocks = blocks_of("README.md")
    assert len(blocks) >= 6
    assert run_blocks(blocks, "len(runs), bool(state.population.alive.any())", tmp_path) == "(31, True)"
    assert (tmp_path / "front.png").stat().st_size > 10_000


def test_code_in_the_page_about_runs_runs(tmp_path: Path):
    blocks = blocks_of("docs/runs.md")
    assert len(blocks) == 2
    assert run_blocks(blocks, "result.generations", tmp_path) == "250"


def test_code_in_the_page_about_preferences_runs(tmp_path: Path):
    blocks = blocks_of("docs/preferences.md")
    assert len(blocks) == 2
    # The solutions of the first block are near the direction; those of the second are a part of the front.
    asked = "bool(abs(result.F[:, 0] - result.F[:, 1]).max() < 0.4), len(wanted.F) > 20"
    assert run_blocks(blocks, asked, tmp_path) == "(True, True)"


def test_code_in_the_page_about_comparing_runs(tmp_path: Path):
    blocks = blocks_of("docs/comparing.md")
    assert len(blocks) == 6
    asked = "len(table.rows), len(sizes.records()), study.algorithms[-1], other.values()['bridge']['B'].tolist()"
    found = run_blocks(blocks, asked, tmp_path)
    area = [(2 - 0.9) * (20 - 1.5), (2 - 0.8) * (20 - 1.6)]
    assert found.startswith("(8, 66, 'another program', [20.3")
    assert eval(found)[3] == pytest.approx(area)
    assert (tmp_path / "study.html").stat().st_size > 50_000
    assert (tmp_path / "settings.png").stat().st_size > 10_000


def test_code_in_the_page_about_results_and_callbacks_runs(tmp_path: Path):
    blocks = blocks_of("docs/results_and_callbacks.md")
    assert len(blocks) == 6
    asked = "len(same.F), merged.stopped, result.generations"
    assert run_blocks(blocks, asked, tmp_path).endswith("'merged from 3 runs', 50)")
    assert len((tmp_path / "history.csv").read_text().splitlines()) == 52


def test_the_short_answers_run(tmp_path: Path):
    blocks = blocks_of("docs/how_do_i.md")
    assert len(blocks) >= 40
    asked = "len(runs), longer.generations, len(archived.archive.F) > 40"
    assert run_blocks(blocks, asked, tmp_path) == "(31, 80, True)"


def test_the_same_task_in_other_libraries_runs(tmp_path: Path):
    blocks = blocks_of("docs/coming_from.md")
    assert len(blocks) == 3
    assert run_blocks(blocks, "len(result.F) > 50, len(res.F) > 50, len(found.F) > 3", tmp_path) == "(True, True, True)"


def test_the_example_algorithm_of_the_contributing_page_finds_a_front(tmp_path: Path):
    use = """
import tensorrvea as tr
import numpy as np
problem = tr.problems.DTLZ2(variables=7)
results = tr.replicate(problem, ByRank(population=20), generations=60, seeds=range(7))
distance = np.median([tr.metrics.igd(result.F, problem.front()) for result in results])
"""
    algorithm, _ = blocks_of("CONTRIBUTING.md")
    blocks = [algorithm, use]
    asked = "len(results[0].population), bool(distance < 0.4)"
    assert run_blocks(blocks, asked, tmp_path) == "(20, True)"


def test_code_in_the_page_on_constraints_runs(tmp_path: Path):
    blocks = blocks_of("docs/constraints.md")
    assert len(blocks) == 4
    assert run_blocks(blocks, "result.G.shape[1], len(result.F) > 0", tmp_path) == "(4, True)"


def test_code_in_the_page_about_gymnasium_runs(tmp_path: Path):
    blocks = blocks_of("docs/gymnasium.md")
    assert len(blocks) == 1
    assert run_blocks(blocks, "action.shape, result.generations", tmp_path) == "((1,), 10)"
