"""docs/problems.md lists every problem, as the docstrings describe it."""

import re
import runpy
from pathlib import Path

import pytest

from tensorrvea import problems

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "problems.md").read_text(encoding="utf-8")
TABLES = runpy.run_path(str(DOCS / "make_problem_tables.py"))


def test_tables_are_up_to_date():
    assert TABLES["with_tables"](PAGE) == PAGE, "run python docs/make_problem_tables.py"


def test_default_sizes_are_written_as_formulas_of_m():
    sizes = {"30": [30, 30, 30], "*m*": [3, 4, 5], "*m* + 4": [7, 8, 9], "100 *m*": [300, 400, 500]}
    assert {text: TABLES["formula"](values) for text, values in sizes.items()} == {text: text for text in sizes}
    with pytest.raises(ValueError, match="must be linear"):
        TABLES["formula"]([4, 8, 16])


@pytest.mark.parametrize(("name", "cls"), problems.NAMED.items())
def test_every_problem_has_a_row_with_a_picture_and_its_default_size(name, cls):
    row = next(line for line in PAGE.splitlines() if line.startswith("|") and f"`{name}`" in line)
    cells = [cell.strip() for cell in row.split("|")[1:-1]]
    assert (DOCS / re.search(r"\((images/problems/.*\.png)\)", cells[0])[1]).is_file()
    problem = cls()
    suite = next(suite for suite in problems.SUITES.values() if cls in suite)
    column = (
        3 if any(other.fixed_objectives for other in suite) else 2
    )  # after the number of objectives, if there is one
    assert column == 2 or cells[2] == str(cls.fixed_objectives or "any")
    slope, start = re.fullmatch(r"(?:((?:\d+ )?)\*m\*)?(?: \+ )?(\d*)", cells[column]).groups()
    size = (int(slope or 1) * problem.objectives if "*m*" in cells[column] else 0) + int(start or 0)
    assert size == problem.variables


@pytest.mark.parametrize(("word", "objectives"), [("two", 2), ("three", 3)])
def test_minimum_sizes_of_lsmop_are_as_documented(word, objectives):
    minimum = int(re.search(rf"\*d\* ≥ (\d+) for {word}", PAGE)[1])
    problems.LSMOP1(objectives=objectives, variables=minimum)
    with pytest.raises(ValueError, match="at least"):
        problems.LSMOP1(objectives=objectives, variables=minimum - 1)


def test_pictures_are_small():
    sizes = [path.stat().st_size for path in (DOCS / "images" / "problems").iterdir()]
    assert len(sizes) == len(problems.NAMED)
    assert sum(sizes) < 1_500_000
