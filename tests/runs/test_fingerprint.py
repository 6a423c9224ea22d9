"""Fingerprints detect changes of a user's function."""

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
        ("return x\n", "return x + 1\n", True),  # of a function that is not called
        ("SCALE = 2.0", "SCALE = 3.0", False),
        ("(1.0, 2.0)", "(1.5, 2.0)", False),
        ("SCALE * x[0]", "SCALE * x[1]", False),
        ("1 - x[1]", "2 - x[1]", False),
    ],
)
def test_a_fingerprint_covers_what_a_function_uses_in_its_module(tmp_path, monkeypatch, old, new, same):
    monkeypatch.syspath_prepend(str(tmp_path))  # undone afterwards, with the modules imported from it
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    before = source_of(tmp_path / "one", MODULE)
    assert (source_of(tmp_path / "other", MODULE.replace(old, new)) == before) == same
