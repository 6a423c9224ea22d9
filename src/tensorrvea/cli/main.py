"""Parse the command line, run the command, and return an exit code."""

import dataclasses
import inspect
import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import tyro

from tensorrvea import __version__
from tensorrvea.checks import check_choice
from tensorrvea.cli.check import Check
from tensorrvea.cli.choices import CHOICES
from tensorrvea.cli.compare import Compare
from tensorrvea.cli.config_file import config_path, read_config
from tensorrvea.cli.errors import FAILED, INTERRUPTED, WRONG_ARGUMENTS, WrongArgumentsError, argument_errors, printable
from tensorrvea.cli.export import Export
from tensorrvea.cli.flags import check_flags, errors_in_one_line
from tensorrvea.cli.list import List
from tensorrvea.cli.plot import Plot
from tensorrvea.cli.report import Report
from tensorrvea.cli.reproduce import Reproduce
from tensorrvea.cli.run import Resume, Run
from tensorrvea.cli.show import Show
from tensorrvea.driver.signals import raise_interrupts
from tensorrvea.processes import is_distributed, is_primary, leave

COMMANDS: dict[str, type] = {
    cls.__name__.lower(): cls for cls in (Run, Resume, Compare, Check, Reproduce, List, Show, Report, Plot, Export)
}
DESCRIPTION = """Evolutionary multiobjective optimisation as one compiled tensor program.

Exit codes: 0 success, 1 failure, 2 wrong arguments, 130 Ctrl-C, 143 SIGTERM."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the ``tensorrvea`` program and exit."""
    code = execute(sys.argv[1:] if arguments is None else list(arguments))
    if code and is_distributed():
        leave(code)
    sys.exit(code)


def execute(arguments: list[str]) -> int:
    """Run a command and return its exit code."""
    if arguments == ["--version"]:
        print(f"tensorrvea {__version__}")
        return 0
    with warnings.catch_warnings(), log_to_stderr(), raise_interrupts():
        warnings.showwarning = _print_warning
        try:
            parse(arguments)()
        except WrongArgumentsError as error:
            return _print_error(error, WRONG_ARGUMENTS)
        except (RuntimeError, OSError, ModuleNotFoundError) as error:  # RunError is a RuntimeError
            return _print_error(error, FAILED)
        except KeyboardInterrupt as interruption:
            print(printable(str(interruption) or "interrupted"), file=sys.stderr)
            return INTERRUPTED
    return 0


@contextmanager
def log_to_stderr() -> Iterator[None]:
    """Print the library's log, such as the chosen physics engine or the reasons of failed evaluations."""
    log, handler = logging.getLogger("tensorrvea"), _StderrHandler()
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.setLevel(level)
        log.removeHandler(handler)


def parse(arguments: list[str]) -> Callable[[], None]:
    """Create the command from flags and, for ``run``, a configuration file."""
    if arguments and not arguments[0].startswith("-"):
        with argument_errors():
            check_choice("the command", arguments[0], tuple(COMMANDS))
    chosen = arguments[0] if arguments and arguments[0] in COMMANDS else ""
    if chosen:
        check_flags(chosen, COMMANDS[chosen], arguments[1:])
    elif arguments and arguments[0] not in ("-h", "--help", "--version"):
        raise WrongArgumentsError(f"a command comes first, such as tensorrvea run DTLZ2, got {arguments[0]!r}")
    defaults = {name: _default(command) for name, command in COMMANDS.items()}
    file = config_path(arguments)
    if arguments[:1] == ["run"] and file is not None:
        options = without_overridden(read_config(file, Run), arguments)
        if "problem" in options and (len(arguments) < 2 or arguments[1].startswith("-")):
            arguments = ["run", options["problem"], *arguments[1:]]
        defaults["run"] = Run(**({"problem": tyro.MISSING} | options))
    descriptions = {name: inspect.getdoc(command) or "" for name, command in COMMANDS.items()}
    # The overview shows one line per command; examples are in the help of the command itself.
    for name in COMMANDS.keys() - arguments[:1]:
        descriptions[name] = descriptions[name].partition("\n")[0]
    subcommands = tyro.extras.subcommand_type_from_defaults(defaults, descriptions)
    with errors_in_one_line(chosen):
        return tyro.cli(subcommands, prog="tensorrvea", description=DESCRIPTION, args=arguments, registry=CHOICES)


def without_overridden(options: dict[str, Any], arguments: list[str]) -> dict[str, Any]:
    """Leave out options of a file that contradict a flag, since flags win over the file."""
    budgets = ("generations", "evaluations", "seconds")
    groups = (("seed", "seeds"), budgets)
    given = {argument.partition("=")[0].removeprefix("--") for argument in arguments if argument.startswith("--")}
    dropped = {name for group in groups if given & set(group) for name in group}
    return {name: value for name, value in options.items() if name not in dropped}


def _default(command: type) -> Any:
    """Create a command whose required options are still missing."""
    missing = [field.name for field in dataclasses.fields(command) if field.default is dataclasses.MISSING]
    return command(**dict.fromkeys(missing, tyro.MISSING))


class _StderrHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        kind = "note" if record.levelno < logging.WARNING else "warning"
        if is_primary():
            print(f"{kind}: {record.getMessage()}", file=sys.stderr)


def _print_error(error: BaseException, code: int) -> int:
    print(printable(f"error: {error}"), file=sys.stderr)
    return code


def _print_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print(printable(f"warning: {message}"), file=sys.stderr)
