"""Write the tables of docs/problems.md from ``problems.SUITES`` and the classes' docstrings.

    python docs/make_problem_tables.py

A table stands between the lines ``<!-- table SUITE -->`` and ``<!-- end -->``; a suite without one is an error.
"""

import inspect
import re
from pathlib import Path

import jax

from tensorrvea.problems import SUITES, Benchmark

PAGE = Path(__file__).parent / "problems.md"


def table(suite: tuple[type[Benchmark], ...]) -> str:
    """One row per problem: front, name, sizes, number of constraints if a problem has any, and description."""
    constrained = any(cls.constrained for cls in suite)
    fixed = any(cls.fixed_objectives for cls in suite)
    header = [
        "",
        "Problem",
        *(["*m*"] if fixed else []),
        "Default *d*",
        *(["Constraints"] if constrained else []),
        "Description",
    ]
    rows = [header, ["---"] * len(header)]
    for cls in suite:
        sized = [make(cls, 3)] * 3 if cls.fixed_objectives else [make(cls, m) for m in (3, 4, 5)]
        name, paragraph = cls.__name__, (inspect.getdoc(cls) or "").partition("\n\n")[0]
        cells = [f"![front of {name}](images/problems/{name}.png)", f"`{name}`"]
        if fixed:
            cells.append(str(cls.fixed_objectives or "any"))
        cells.append(formula([problem.variables for problem in sized]))
        if constrained:
            cells.append(formula([count_constraints(problem) for problem in sized]))
        rows.append([*cells, " ".join(paragraph.split()).rstrip(".")])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows).replace("|  |", "| |")


def make(cls: type[Benchmark], objectives: int) -> Benchmark:
    factory: type = cls
    return factory(objectives=cls.fixed_objectives or objectives)


def count_constraints(problem: Benchmark) -> int:
    if not problem.constrained:
        return 0
    x = jax.ShapeDtypeStruct((1, problem.variables), "float32")
    return jax.eval_shape(problem.constraint_values, x).shape[1]


def formula(sizes: list[int]) -> str:
    """A size as a function of m, from its values for m = 3, 4 and 5.

    >>> formula([30, 30, 30]), formula([3, 4, 5]), formula([7, 8, 9]), formula([300, 400, 500])
    ('30', '*m*', '*m* + 4', '100 *m*')
    """
    first, second, third = sizes
    slope, start = second - first, first - 3 * (second - first)
    if third != first + 2 * slope:
        raise ValueError(f"the size must be linear in the number of objectives, got {sizes}")
    terms = [f"{'' if slope == 1 else f'{slope} '}*m*"] if slope else []
    return " + ".join([*terms, *([str(start)] if start or not terms else [])])


def with_tables(page: str) -> str:
    """Replace all tables of the page."""
    for name, suite in SUITES.items():
        pattern = rf"(<!-- table {re.escape(name)} -->\n).*?(<!-- end -->)"
        page, found = re.subn(pattern, lambda m, s=suite: f"{m[1]}{table(s)}\n{m[2]}", page, flags=re.DOTALL)
        if found != 1:
            raise ValueError(f"docs/problems.md must have one '<!-- table {name} -->' … '<!-- end -->', got {found}")
    return page


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
