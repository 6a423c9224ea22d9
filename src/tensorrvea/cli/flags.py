"""Wrong flags, answered in one line that names the remedy; tyro prints a box of several lines."""

import contextlib
import dataclasses
import io
import re
import sys
from collections.abc import Iterator
from typing import Any, get_origin, get_type_hints

from tensorrvea.checks import hint
from tensorrvea.cli.errors import WRONG_ARGUMENTS, WrongArgumentsError

BOX = re.compile(r"[│╭╮╰╯]")
DIVIDER = re.compile(r"\s*[─-]{5,}\s*")
# What tyro says after "Error parsing --flag: ", and what is said instead.
REWORDED = (
    (r"the value", r"\1"),
    (r"invalid literal for int\(\) with base 10: (.+)", r"\1 takes a whole number, got \2"),
    (r"could not convert string to float: (.+)", r"\1 takes a number, got \2"),
)
# What it says of a flag that takes one of several types.
UNION = r"^Error parsing (\S+): no type matching (\S+) could be instantiated from (.+)"
TYPES = {"INT": "a whole number", "FLOAT": "a number", "{None}": ""}


def check_flags(command: str, options: type, arguments: list[str]) -> None:
    """Refuse flags that a command does not have, and flags that need a value and have none.

    Raises:
      WrongArgumentsError: with the nearest flag.
    """
    types = _flag_types(options)
    known = {f"--{name.replace('_', '-')}": kind for name, kind in types.items()}
    negated = {f"--no-{name.replace('_', '-')}" for name, kind in types.items() if kind is bool}
    for i, argument in enumerate(arguments):
        flag = argument.partition("=")[0].replace("_", "-")
        if not flag.startswith("--") or flag in ("--help", "--", *negated):
            continue
        if flag not in known:
            near = hint(flag, tuple(known))
            raise WrongArgumentsError(f"{command} has no option {flag}{near or f'; see tensorrvea {command} --help'}")
        following = arguments[i + 1 : i + 2]
        is_empty = "=" not in argument and (not following or re.match(r"--\w|-[a-zA-Z]$", following[0]))
        if is_empty and get_origin(known[flag]) is tuple:
            raise WrongArgumentsError(f"{flag} needs at least one value; see tensorrvea {command} --help")


def _flag_types(options: type) -> dict[str, Any]:
    types = get_type_hints(options)
    for field in dataclasses.fields(options):
        if dataclasses.is_dataclass(field.default) and not isinstance(field.default, type):
            types.pop(field.name)
            types |= get_type_hints(type(field.default))
    return types


@contextlib.contextmanager
def errors_in_one_line(command: str) -> Iterator[None]:
    """Turn what tyro prints about wrong arguments into a WrongArgumentsError."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stderr(printed):
            yield
    except SystemExit as ending:
        if ending.code != WRONG_ARGUMENTS:
            sys.stderr.write(printed.getvalue())
            raise
        raise WrongArgumentsError(in_one_line(printed.getvalue(), command)) from None


def in_one_line(printed: str, command: str) -> str:
    r"""Return the first section of a box as one line.

    >>> box = "╭─ Error ──────╮\n│ Error parsing --seed: invalid │\n│ literal for int() with base 10: 'x' │\n╰─────╯"
    >>> in_one_line(box, "run")
    "--seed takes a whole number, got 'x'; see tensorrvea run --help"
    """
    lines = [BOX.sub(" ", line) for line in printed.splitlines()]
    ends = [i for i, line in enumerate(lines) if DIVIDER.search(line)]
    first = lines[ends[0] + 1 : ends[1]] if len(ends) > 1 else lines
    text = " ".join(" ".join(first).split())
    text, _, details = text.partition(" Got errors:")
    advice = re.search(r"did you mean '\S+'\?", details) or re.search(r"did you mean '\S+'\?", text)
    where = f"see tensorrvea {command} --help" if command else "see tensorrvea --help"
    text = text.partition("; did you mean")[0].rstrip(".")
    for said, better in REWORDED:
        text = re.sub(rf"^Error parsing (\S+): {said}", better, text)
    text = re.sub(UNION, _describe_union, text)
    text = re.sub(r"^invalid choice (.+) for argument '(\S+)'\. Expected one of \((.+)\)", r"\2 takes \3, got \1", text)
    # An argument without a flag is named by its choices, of which None stands for leaving it out.
    text = re.sub(r"^\[\{\S+\}\] takes None,", f"{command} takes ", text)
    text = re.sub(r"^Missing value for argument '(\S+)'\..*", r"\1 needs a value", text)
    text = re.sub(r"^Unrecognized options: (.+)", rf"{command} does not take \1", text)
    missing = re.fullmatch(r"Missing from tensorrvea (\w+): \S+ (.+) \(required\)", text)
    if missing:
        text = f"{missing[1]} needs an argument: {missing[2].rstrip('.')}"
    return f"{text}; {advice[0] if advice else where}"


def _describe_union(said: re.Match[str]) -> str:
    """Say which types a flag takes, in words.

    >>> re.sub(UNION, _describe_union, "Error parsing --devices: no type matching {None}|INT|{cores} could be "
    ...     "instantiated from ['two']")
    "--devices takes a whole number or cores, got 'two'"
    """
    flag, types, given = said.groups()
    described = [TYPES.get(each, each.strip("{}")) for each in types.split("|")]
    return f"{flag} takes {' or '.join(filter(None, described))}, got {given.removeprefix('[').removesuffix(']')}"
