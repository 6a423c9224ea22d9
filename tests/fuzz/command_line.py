"""Every option of every command with hostile text, and what became of it.

python tests/fuzz/command_line.py [COMMAND [BUDGET]]

BUDGET is the number of words per option, chosen with a fixed seed; all by default.
"""

import contextlib
import dataclasses
import io
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parent))

import jax
from hostile_values import WORDS
from public_surface import ENDLESS, SECONDS, Outcome, choose, is_checked, limited, show
from valid_arguments import finished_run

from tensorrvea.cli.errors import WRONG_ARGUMENTS, WrongArgumentsError

# The package's name for it is that of a function.
main = sys.modules["tensorrvea.cli.main"]
# Positional words that make a command valid, and options that it needs besides.
VALID = {
    "run": ["ZDT1", "--population", "8", "--generations", "2", "--variables", "5"],
    "resume": ["RUN"], "check": ["RUN"], "show": ["RUN"], "report": ["RUN"], "plot": ["RUN"], "list": [],
    "reproduce": ["page"],
}  # fmt: skip


def options(command: type) -> Iterator[str]:
    """Yield the flags of a command, also those of a group of options such as the session."""
    for field in dataclasses.fields(command):
        if dataclasses.is_dataclass(field.default) and not isinstance(field.default, type):
            yield from options(type(field.default))
        else:
            yield f"--{field.name.replace('_', '-')}"


def calls(name: str, command: type, budget: int | None) -> Iterator[list[str]]:
    words = [str(finished_run()) if word == "RUN" else word for word in VALID.get(name, [])]
    for hostile in choose(WORDS, budget, name):
        yield [hostile, *words]
        yield [name, hostile, *words[1:]]
        yield [name, *words, hostile]
    for option in options(command):
        for hostile in choose(WORDS, budget, f"{name} {option}"):
            is_flag = hostile.startswith("-")
            yield [name, *words, *([f"{option}={hostile}"] if is_flag else [option, hostile])]


errors: list[BaseException] = []


def noted(error: BaseException, code: int) -> int:
    """Stand for what prints an error."""
    errors.append(error)
    return code


def attempt(words: list[str]) -> Outcome:
    """Run a command; an error is raw if nothing of the library raised it on purpose."""
    errors.clear()
    kind, text, started = "accepted", "", time.process_time()
    signal.setitimer(signal.ITIMER_REAL, ENDLESS)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = main.execute(words)
    except SystemExit as error:  # of the parser of options
        kind = "accepted" if error.code in (0, None) else "refused" if error.code == WRONG_ARGUMENTS else "raw"
    except Exception as error:
        kind, text = "raw", f"{type(error).__name__}: {error!s:.160}"
    else:
        if code:
            cause = errors[0].__cause__ if isinstance(errors[0], WrongArgumentsError) else errors[0]
            kind = "refused" if is_checked(cause or errors[0]) else "raw"
            text = f"{type(cause).__name__}: {cause!s:.160}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    if kind != "accepted" and time.process_time() - started > SECONDS:
        kind = "slow"
    shown = " ".join(f"{word!r:.40}" for word in words)
    return Outcome(kind, shown, text)


def survey(only: str = "", budget: int | None = None) -> list[Outcome]:
    """Attempt words with the commands whose name begins with ``only``. A search that is accepted is not run."""
    outcomes = []
    with (
        limited(),
        patch("tensorrvea.cli.run.execute"),
        patch.object(jax.distributed, "initialize"),
        patch.object(main, "_print_error", noted),
    ):
        for name, command in main.COMMANDS.items():
            if name.startswith(only):
                outcomes += [attempt(words) for words in calls(name, command, budget)]
    return outcomes


if __name__ == "__main__":
    show(survey(*sys.argv[1:2], *map(int, sys.argv[2:3])))
