"""Find the problem that a command line names."""

import importlib.util
import inspect
import sys
import traceback
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from tensorrvea.checks import check_choice, hint, shown
from tensorrvea.neuroevolution import TASKS
from tensorrvea.problem import Problem
from tensorrvea.problem_registry import ROBOT, make_problem, problem_class
from tensorrvea.problems import NAMED


def find_problem(
    text: str, settings: Mapping[str, Any] | None = None, objectives: int | None = None, variables: int | None = None
) -> Problem:
    """Create a benchmark problem, a robot task, or the problem at ``file.py:name``, the only code ever imported."""
    file, colon, name = text.rpartition(":")
    if colon and file.endswith(".py"):
        if settings or objectives or variables:
            raise ValueError(f"{text} takes no settings on the command line; change them in the file")
        return problem_from_file(Path(file), name)
    if text.endswith(".py"):
        raise ValueError(f"problem takes file.py:name, with the name of a problem in the file, got {text!r}")
    names = {_normalized(known): known for known in (*NAMED, *TASKS)}
    known = names.get(_normalized(text))
    if known is None:
        choices = tuple(names.values())
        near = hint(text, choices) or hint(text.upper(), choices)
        raise ValueError(f"no problem is named {text!r}{near or '; see tensorrvea list problems'}")
    sizes = {name: size for name, size in (("objectives", objectives), ("variables", variables)) if size is not None}
    if known in NAMED:
        return _make_checked(known, sizes | dict(settings or {}))
    if sizes:
        raise ValueError(f"{known} has a fixed number of objectives and variables")
    return _make_checked(ROBOT, {"task": known} | dict(settings or {}))


def _normalized(name: str) -> str:
    return name.upper().replace("-", "").replace("_", "")


def _make_checked(name: str, settings: dict[str, Any]) -> Problem:
    parameters = inspect.signature(problem_class(name)).parameters.values()
    known = tuple(p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD))
    for setting in settings:
        check_choice(f"a setting of {name}", setting, known)
    return make_problem(name, settings)


def import_file(path: Path, what: str) -> Any:
    """Import a user's file, once as long as it does not change, and return its module.

    Args:
      path: a Python file.
      what: names the argument, for the error.
    """
    if not path.is_file():
        raise ValueError(f"{what} takes an existing file, got {str(path)!r}")
    status = path.stat()
    return _import_file(path, path.resolve(), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=32)
def _import_file(path: Path, *_: Any) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None  # the name ends in .py
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    sys.path.insert(0, str(path.parent.resolve()))  # as for a script: it can import its neighbours
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever the user's file raises
        sys.modules.pop(path.stem, None)
        raise ValueError(f"{_where(error, path)}: {type(error).__name__}: {_message(error)}") from error
    return module


def problem_from_file(path: Path, name: str) -> Problem:
    """Import a user's file and return its problem ``name``, which may also be a function that creates one."""
    module = import_file(path, "problem")
    if not hasattr(module, name):
        problems = tuple(key for key, value in vars(module).items() if isinstance(value, Problem))
        raise ValueError(f"{path} has no {name!r}{hint(name, problems) or f'; it has {problems}'}")
    value = getattr(module, name)
    if callable(value) and not isinstance(value, Problem):
        try:
            inspect.signature(value).bind()
        except TypeError:
            problems = tuple(key for key, other in vars(module).items() if isinstance(other, Problem))
            new = f"make one there, as in problem = tr.Problem({name}, lower=…, upper=…)"
            remedy = f"run {path}:{problems[0]}" if problems else new
            raise ValueError(f"{path}:{name} is a function, not a Problem: {remedy}") from None
        value = value()
    if not isinstance(value, Problem):
        raise ValueError(f"{path}:{name} must be a Problem, or a function that creates one, got {shown(value)}")
    value.origin = f"{path}:{name}"
    return value


def _where(error: Exception, path: Path) -> str:
    """Return file and line of an error in the user's file."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        return f"{error.filename}:{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename).resolve() == path.resolve()]
    return f"{path}:{lines[-1]}" if lines else str(path)


def _message(error: Exception) -> str:
    return str(error.msg if isinstance(error, SyntaxError) else error).partition("\n")[0]
