"""Whether a function of the user's own is still the one it was."""

import pytest

from tensorrvea.cli.problem_lookup import problem_from_file
from tensorrvea.runs.user_problem import describe_user_problem

MODULE = """
import jax.numpy as jnp
import tensorrvea as tr

SCALE = 2.0
WEIGHTS = (1.0, 2.0)
LOG = []


def length(x):
    return SCALE * x[0]


def weight(x):
    return jnp.stack([length(y) for y in (x,)])[0] * WEIGHTS[0]


def unused(x):
    return x


def objectives(x):
    LOG.append(0)
    return jnp.stack([weight(x), 1 - x[1]])


bridge = tr.Problem(objectives, lower=[0.0, 0.0], upper=[1.0, 1.0], objectives=2)
"""


def source_of(directory, text):
    path = directory / "design.py"
    path.write_text(text)
    return describe_user_problem(problem_from_file(path, "bridge"))["source"]


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("", "", True),
        ("return x\n", "return x + 1\n", True),  # of a function that nobody calls
        ("SCALE = 2.0", "SCALE = 3.0", False),
        ("(1.0, 2.0)", "(1.5, 2.0)", False),
        ("SCALE * x[0]", "SCALE * x[1]", False),
        ("1 - x[1]", "2 - x[1]", False),
    ],
)
def test_what_a_function_names_in_its_module_belongs_to_it(tmp_path, monkeypatch, old, new, same):
    monkeypatch.syspath_prepend(str(tmp_path))  # put back afterwards, with what the file's import adds
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    before = source_of(tmp_path / "one", MODULE)
    assert (source_of(tmp_path / "other", MODULE.replace(old, new)) == before) == same
