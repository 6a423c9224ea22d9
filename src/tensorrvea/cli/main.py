"""From words to a command, and from what became of it to an exit code."""

import dataclasses
import inspect
import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import tyro

from tensorrvea.checks import check_choice
from tensorrvea.cli.choices import CHOICES
from tensorrvea.cli.errors import (
    FAILED,
    INTERRUPTED,
    WRONG_ARGUMENTS,
    WrongArgumentsError,
    printable,
    reading_arguments,
)
from tensorrvea.cli.look import List, Plot, Report, Show
from tensorrvea.cli.reproduce import Reproduce
from tensorrvea.cli.run import Resume, Run
from tensorrvea.cli.settings_file import file_argument, read_options
from tensorrvea.processes import is_distributed, is_primary, leave

COMMANDS: dict[str, type] = {
    "run": Run,
    "resume": Resume,
    "reproduce": Reproduce,
    "list": List,
    "show": Show,
    "report": Report,
    "plot": Plot,
}
DESCRIPTION = """Evolutionary multiobjective optimisation as one compiled tensor program.

Exit codes: 0 done, 1 failed while it ran, 2 wrong arguments, 130 Ctrl-C, 143 SIGTERM."""


def main(arguments: Sequence[str] | None = None) -> None:
    """What the ``tensorrvea`` program does; ends the process with an exit code."""
    code = execute(sys.argv[1:] if arguments is None else list(arguments))
    if code and is_distributed():
        leave(code)
    sys.exit(code)


def execute(arguments: list[str]) -> int:
    """Does what the words say, and gives the exit code."""
    with warnings.catch_warnings(), shown_log():
        warnings.showwarning = _say
        try:
            parse(arguments)()
        except WrongArgumentsError as error:
            return _complain(error, WRONG_ARGUMENTS)
        except (RuntimeError, OSError, ModuleNotFoundError) as error:  # a run directory's error is a RuntimeError, too
            return _complain(error, FAILED)
        except KeyboardInterrupt:
            print("interrupted; the same command, or tensorrvea resume, goes on", file=sys.stderr)
            return INTERRUPTED
    return 0


@contextmanager
def shown_log() -> Iterator[None]:
    """In here, a user sees what the library logs: which engine it has chosen for a robot, or why evaluations fail."""
    log, notes = logging.getLogger("tensorrvea"), _Notes()
    level = log.level
    log.addHandler(notes)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.setLevel(level)
        log.removeHandler(notes)


def parse(arguments: list[str]) -> Callable[[], None]:
    """The command with its options, from flags and from a file."""
    if arguments and not arguments[0].startswith("-"):
        with reading_arguments():
            check_choice("the command", arguments[0], tuple(COMMANDS))
    defaults = {name: _default(command) for name, command in COMMANDS.items()}
    file = file_argument(arguments)
    if arguments[:1] == ["run"] and file is not None:
        options = read_options(file, Run)
        if "problem" in options and (len(arguments) < 2 or arguments[1].startswith("-")):
            arguments = ["run", options["problem"], *arguments[1:]]
        defaults["run"] = Run(**({"problem": tyro.MISSING} | options))
    about = {name: inspect.getdoc(command) or "" for name, command in COMMANDS.items()}
    # The list of all commands has a line of each; its examples are in the help of the command itself.
    about = {name: text if arguments[:1] == [name] else text.partition("\n")[0] for name, text in about.items()}
    kinds = tyro.extras.subcommand_type_from_defaults(defaults, about)
    return tyro.cli(kinds, prog="tensorrvea", description=DESCRIPTION, args=arguments, registry=CHOICES)


def _default(command: type) -> Any:
    """The command with nothing asked for yet: what it needs is missing."""
    missing = [field.name for field in dataclasses.fields(command) if field.default is dataclasses.MISSING]
    return command(**dict.fromkeys(missing, tyro.MISSING))


class _Notes(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        kind = "note" if record.levelno < logging.WARNING else "warning"
        if is_primary():
            print(f"{kind}: {record.getMessage()}", file=sys.stderr)


def _complain(error: BaseException, code: int) -> int:
    print(printable(f"error: {error}"), file=sys.stderr)
    return code


def _say(message: Warning | str, *_: Any, **__: Any) -> None:
    print(printable(f"warning: {message}"), file=sys.stderr)
