"""The page of problems lists what there is, with the sizes there are."""

import re
from pathlib import Path

import pytest

from tensorrvea import problems

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "problems.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "cls"), problems.NAMED.items())
def test_every_problem_has_a_row_with_a_picture_and_its_default_size(name, cls):
    row = next(line for line in PAGE.splitlines() if line.startswith("|") and f"`{name}`" in line)
    cells = [cell.strip() for cell in row.split("|")[1:-1]]
    assert (DOCS / re.search(r"\((images/problems/.*\.png)\)", cells[0])[1]).is_file()
    problem = cls()
    size = {f"*m* + {problem.variables - problem.objectives}", f"{problem.variables // problem.objectives} *m*"}
    assert cells[2] in ({str(problem.variables)} if name.startswith("ZDT") else size)


@pytest.mark.parametrize(("word", "objectives"), [("two", 2), ("three", 3)])
def test_the_least_sizes_of_lsmop_are_as_the_page_has_them(word, objectives):
    least = int(re.search(rf"\*d\* ≥ (\d+) for {word}", PAGE)[1])
    problems.LSMOP1(objectives=objectives, variables=least)
    with pytest.raises(ValueError, match="at least"):
        problems.LSMOP1(objectives=objectives, variables=least - 1)


def test_the_number_of_problems_is_right():
    assert f"{len(problems.NAMED)} problems in six suites" in PAGE
    assert len(problems.SUITES) == 6


def test_all_pictures_together_are_small():
    sizes = [path.stat().st_size for path in (DOCS / "images" / "problems").iterdir()]
    assert len(sizes) == len(problems.NAMED)
    assert sum(sizes) < 1_500_000
