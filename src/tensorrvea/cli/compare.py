"""``tensorrvea compare``."""

import shutil
import sys
import textwrap
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from tensorrvea.checks import check_choice, shown
from tensorrvea.cli.config_file import flatten
from tensorrvea.cli.errors import INTERRUPTED, argument_errors
from tensorrvea.cli.part_settings import make_algorithm, parse_settings
from tensorrvea.cli.problem_lookup import find_problem
from tensorrvea.problem import Problem
from tensorrvea.study import compare

OPTIONS = ("seeds", "generations", "evaluations", "seconds", "metrics", "reference", "against", "effort", "devices")
KEYS = ("problems", "algorithms", "population", "out", *OPTIONS)
PROBLEM_KEYS = ("problem", "objectives", "variables", "set")
ALGORITHM_KEYS = ("algorithm", "variation", "population", "set")
DEFAULT_POPULATION = 100


@dataclass(kw_only=True)
class Compare:
    """Run several algorithms on several problems, or continue, and write tables, figures and a page.

    The file names problems, algorithms, seeds, budget and metrics; docs/comparing.md explains it.

    Examples:
      tensorrvea compare study.toml
      tensorrvea compare study.toml --out studies/first --seeds 5
    """

    file: tyro.conf.Positional[Path]
    """A TOML file that describes the study."""
    out: Path | None = None
    """The directory; studies/NAME by default, from the name of the file."""
    seeds: int | None = None
    """Number of runs of each algorithm on each problem, instead of that of the file."""
    progress: bool | None = None
    """Show a progress bar; by default only in a terminal."""

    def __call__(self) -> None:
        with argument_errors():
            content = read_study(self.file)
            if self.seeds is not None:
                content["seeds"] = self.seeds
            population = content.get("population", DEFAULT_POPULATION)
            problems = named("problems", content, lambda entry: study_problem(entry, self.file.parent))
            algorithms = named(
                "algorithms", content, lambda entry: study_algorithm(entry, population, self.file.parent)
            )
            out = self.out or Path(content.get("out", f"studies/{self.file.stem}"))
            options = {name: content[name] for name in OPTIONS if name in content}
            study = compare(problems, algorithms, directory=out, progress=self.progress, **options)
        study.write(out, title=self.file.stem)
        width = shutil.get_terminal_size().columns
        table = study.table()
        print(table.text(width))
        print(textwrap.fill(table.text_note, width))
        print(out)
        if study.stopped:
            sys.exit(INTERRUPTED)


def read_study(path: Path) -> dict[str, Any]:
    """Read the file of a study, and check its keys."""
    if path.suffix != ".toml" or not path.is_file():
        raise ValueError(f"compare takes an existing .toml file, got {str(path)!r}")
    try:
        content = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is not valid TOML: {error}") from error
    for key in content:
        check_choice(f"an option in {path}", key, KEYS)
    for key in ("problems", "algorithms"):
        if not content.get(key):
            raise ValueError(f"{path} must name {key}, such as {key} = [{EXAMPLES[key]}]")
    return content


EXAMPLES = {"problems": '"ZDT1", "design.py:bridge"', "algorithms": '"TensorRVEA", "NSGA2"'}


def named(what: str, content: Mapping[str, Any], make: Callable[[Any], Any]) -> Any:
    """Return problems or algorithms by name, from a list of names or a table of tables."""
    given = content[what]
    if isinstance(given, str):
        given = [given]
    if isinstance(given, Mapping):
        return {name: make(entry) for name, entry in given.items()}
    if not isinstance(given, list):
        raise TypeError(f"{what} takes a list of names, or a table of each, got {shown(given)}")
    if all(isinstance(entry, str) for entry in given):
        return {entry.rpartition(":")[2]: make(entry) for entry in given}
    return [make(entry) for entry in given]


def study_problem(entry: Any, directory: Path) -> Problem:
    """Create a problem from its name or table; files of the user's are relative to that of the study."""
    table = checked_table("problem", entry, PROBLEM_KEYS)
    settings = flatten(table.get("set", {}))
    return find_problem(beside(table["problem"], directory), settings, table.get("objectives"), table.get("variables"))


def study_algorithm(entry: Any, population: int, directory: Path) -> Any:
    """Create an algorithm from its name or table."""
    table = checked_table("algorithm", entry, ALGORITHM_KEYS)
    settings = parse_settings(flatten(table.get("set", {})))
    variation = table.get("variation")
    return make_algorithm(
        beside(table["algorithm"], directory),
        None if variation is None else beside(variation, directory),
        table.get("population", population),
        settings,
    )


def beside(text: str, directory: Path) -> str:
    """Return ``file.py:name`` with the file relative to a directory; other text as it is."""
    file, colon, name = text.rpartition(":")
    return f"{directory / file}:{name}" if colon and file.endswith(".py") else text


def checked_table(what: str, entry: Any, keys: tuple[str, ...]) -> dict[str, Any]:
    """Return the table of a problem or algorithm; a name alone stands for a table with that name."""
    if isinstance(entry, str):
        return {what: entry}
    if not isinstance(entry, Mapping) or not isinstance(entry.get(what), str):
        raise TypeError(f"{what}s takes names, or tables with {what} = a name, got {shown(entry)}")
    for key in entry:
        check_choice(f"a setting of {what} {entry[what]}", key, keys)
    return dict(entry)
