"""Fingerprints detect changes of a user's function, and nothing else."""

import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

import tensorrvea as tr
from tensorrvea.cli.problem_lookup import problem_from_file
from tensorrvea.fingerprint import fingerprint, why_unknown
from tensorrvea.runs import SpecDiffersError
from tensorrvea.runs.user_problem import describe_user_problem

MODULE = """
import datetime
import enum
import functools
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
from scipy.interpolate import CubicSpline

import neighbour
import tensorrvea as tr
from neighbour import imported

SCALE = 2.0
WEIGHTS = (1.0, 2.0)
TABLE = {"a": [1.0, 2.5]}
LOG = []


class Mode(enum.Enum):
    FAST = 11


@dataclass(frozen=True)
class Settings:
    gain: float = 1.25
    others: list = field(default_factory=lambda: [17])


@dataclass(slots=True)
class Slotted:
    offset: float = 0.0


SETTINGS = Settings()
PICKED = Settings(gain=1.75)
SLOTTED = Slotted(0.125)


class Base:
    def shift(self):
        return 13


class Model(Base):
    factor = 7.0

    @property
    def doubled(self):
        return 2 * self.factor

    def __call__(self, x):
        return helper(x) + self.shift()


def helper(x):
    return 19 * x[0]


@jax.jit
def compiled(x):
    return 23 + x[0]


mapped = jax.vmap(lambda y: y * 29)


@functools.lru_cache
def cached(n):
    return n + 31


raised = functools.partial(lambda x, power: x**power, power=3)
model = Model()


def length(x):
    return SCALE * x[0]


def weight(x):
    return jnp.stack([length(y) for y in (x,)])[0] * WEIGHTS[0]


def unused(x):
    return x


def make():
    path, span, price = Path("a/b"), range(0, 37), Decimal("41.5")
    day, frame = datetime.date(2024, 1, 2), pd.DataFrame({"a": [1.0, 43.0]})
    mask, spline = np.ma.masked_array([1.0, 2.0], mask=[True, False]), CubicSpline([0.0, 1.0, 2.0], [0.0, 1.0, 47.0])

    def objectives(x):
        LOG.append(0)
        used = (path, span, price, day, frame, mask, spline)
        total = weight(x) + model(x) + compiled(x) + mapped(x)[0] + cached(2) + raised(x[0]) + len(used)
        total += TABLE["a"][0] + SETTINGS.gain + PICKED.gain + SLOTTED.offset + Mode.FAST.value
        return jnp.stack([total + imported(x) + neighbour.called(x), 1 - x[1]])

    return objectives


bridge = tr.Problem(make(), lower=[0.0, 0.0], upper=[1.0, 1.0], objectives=2)
"""
NEIGHBOUR = """
def imported(x):
    return x[0] * 53


def called(x):
    return deeper(x)


def deeper(x):
    return x[0] * 59
"""


def source_of(directory: Path, text: str, neighbour: str = NEIGHBOUR) -> str:
    directory.mkdir()
    (directory / "neighbour.py").write_text(neighbour)
    sys.modules.pop("neighbour", None)
    path = directory / "design.py"
    path.write_text(text)
    sys.modules.pop("design", None)
    return describe_user_problem(problem_from_file(path, "bridge"))["source"]


@pytest.fixture
def search_path(monkeypatch, tmp_path):
    """Undo, after a test, what its modules add to the search path and to the imported modules."""
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("design", "neighbour"):
        monkeypatch.delitem(sys.modules, name, raising=False)


CHANGES = [
    ("SCALE = 2.0", "SCALE = 3.0"), ("(1.0, 2.0)", "(1.5, 2.0)"), ("SCALE * x[0]", "SCALE * x[1]"),
    ("1 - x[1]", "2 - x[1]"), ("FAST = 11", "FAST = 12"), ("= 1.25", "= 1.26"), ("[17]", "[18]"),
    ("gain=1.75", "gain=1.76"), ("Slotted(0.125)", "Slotted(0.25)"), ("return 13", "return 14"),
    ("factor = 7.0", "factor = 8.0"), ("2 * self.factor", "3 * self.factor"), ("19 *", "20 *"), ("23 +", "24 +"),
    ("y * 29", "y * 30"), ("n + 31", "n + 32"), ("power=3", "power=4"), ("x**power", "x*power"), ("2.5]", "2.6]"),
    ('"a/b"', '"a/c"'), ("0, 37", "0, 38"), ("41.5", "41.6"), ("1, 2)", "1, 3)"), ("43.0", "44.0"),
    ("[True, False]", "[False, False]"), ("47.0", "48.0"), ("* 53", "* 54"), ("* 59", "* 60"),
]  # fmt: skip


def test_a_fingerprint_covers_everything_that_a_function_uses(tmp_path, search_path):
    before = source_of(tmp_path / "before", MODULE)
    assert not before.startswith("unknown")
    missed = []
    for number, (old, new) in enumerate(CHANGES):
        assert (MODULE + NEIGHBOUR).count(old) == 1, old
        changed = MODULE.replace(old, new), NEIGHBOUR.replace(old, new)
        if source_of(tmp_path / str(number), *changed) == before:
            missed.append(old)
    assert not missed


@pytest.mark.parametrize(
    ("old", "new"), [("", ""), ("return x\n", "return x + 1\n"), ("SCALE = 2.0", "\n\nNEW = 1\nSCALE = 2.0")]
)
def test_a_fingerprint_ignores_what_a_function_does_not_use(tmp_path, search_path, old, new):
    assert source_of(tmp_path / "one", MODULE) == source_of(tmp_path / "other", MODULE.replace(old, new))


IN_ANY_ORDER = """
import numpy as np
from tensorrvea.fingerprint import fingerprint

class Plain:
    pass

class Named(str):
    pass

a, b = Plain(), Plain()
a.name, b.name = "a", "b"
values = (
    np.array([Plain(), None, "text"], dtype=object), {Plain(), a, b, "one", "two"}, {a: 1, b: 2, Named("c"): 3},
    lambda x: x in {"one", "two", "three"}, frozenset({"x", "y", ("z", a)}), 10**5000,
)
print(fingerprint(values))
"""


def test_a_fingerprint_is_the_same_in_every_process(tmp_path):
    """Hashes of text and addresses of objects, which order sets, differ between processes."""
    script = tmp_path / "script.py"
    script.write_text(IN_ANY_ORDER)
    library = str(Path(tr.__file__).parents[1])
    seen = set()
    for seed in "123":
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": library}
        command = [sys.executable, str(script)]
        seen.add(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert len(seen) == 1
    assert len(seen.pop().strip()) == 64


def test_the_fingerprint_is_of_the_code_that_runs_not_of_a_file_edited_since(tmp_path, search_path):
    path = tmp_path / "edited.py"
    path.write_text("def f(x):\n    return x + 1\n")
    scope: dict = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    path.write_text("def f(x):\n    return x + 2\n")
    other: dict = {}
    exec(compile(path.read_text(), str(path), "exec"), other)
    assert fingerprint(scope["f"]) != fingerprint(other["f"])


def test_functions_defined_twice_with_equal_values_around_them_are_equal():
    def make(scale):
        return lambda x: x * scale

    assert fingerprint(make(2.0)) == fingerprint(make(2.0))
    assert fingerprint(make(np.arange(3))) == fingerprint(make(np.arange(3)))
    assert fingerprint(jax.jit(make(2.0))) == fingerprint(jax.jit(make(2.0)))
    assert fingerprint(make(jax.random.key(1))) == fingerprint(make(jax.random.key(1)))
    assert fingerprint(make(2.0)) != fingerprint(make(-2.0))
    assert fingerprint(make(0.0)) != fingerprint(make(-0.0))
    assert fingerprint(make(jax.random.key(1))) != fingerprint(make(jax.random.key(2)))
    assert fingerprint(make(np.float32(1))) != fingerprint(make(np.float64(1)))


def test_what_contains_itself_has_a_fingerprint():
    ring: list = [1]
    ring.append(ring)
    table: dict = {"a": ring}
    table["self"] = table
    assert fingerprint((ring, table)) == fingerprint((ring, table))


@pytest.mark.parametrize("value", [(i for i in [1]), Path(__file__).open()])  # noqa: SIM115
def test_what_cannot_be_described_has_no_fingerprint(value):
    assert fingerprint(lambda x: (x, value)) is None
    assert type(value).__name__ in why_unknown(lambda x: (x, value))
    value.close()


def test_a_traced_value_has_no_fingerprint():
    def function(x):
        assert fingerprint(lambda y: x + y) is None
        return x

    jax.eval_shape(function, 1.0)


def test_a_run_that_cannot_be_compared_is_refused_unless_changes_are_accepted(tmp_path):
    stream = (i for i in range(10))

    def objectives(x):
        assert stream is not None
        return x[0], 1 - x[0]

    problem = tr.HostProblem(objectives, lower=[0.0], upper=[1.0], objectives=2)
    options = {"generations": 2, "directory": tmp_path / "run"}
    with pytest.warns(UserWarning, match=r"the source code of problem cannot be compared: it uses a generator"):
        first = tr.optimize(problem, tr.TensorRVEA(population=4), **options)
    with pytest.raises(SpecDiffersError, match=r"cannot be compared.*\n.*accept_changes=True"):
        tr.optimize(problem, tr.TensorRVEA(population=4), **options)
    again = tr.resume(tmp_path / "run", problem=problem, accept_changes=True)
    np.testing.assert_array_equal(first.F, again.F)


def test_a_changed_compiled_helper_is_not_taken_for_the_same_run(tmp_path, search_path):
    text = """
import jax, jax.numpy as jnp, tensorrvea as tr
@jax.jit
def model(x):
    return 0 + x[0]
bridge = tr.Problem(lambda x: jnp.stack([model(x), 1 - x[0]]), lower=[0.0], upper=[1.0], objectives=2)
"""
    path = tmp_path / "design.py"
    path.write_text(text)
    options = {"generations": 2, "directory": tmp_path / "run"}
    tr.optimize(problem_from_file(path, "bridge"), tr.TensorRVEA(population=4), **options)
    path.write_text(text.replace("0 + x", "100 + x"))
    with pytest.raises(SpecDiffersError, match="the source code of problem has changed"):
        tr.optimize(problem_from_file(path, "bridge"), tr.TensorRVEA(population=4), **options)
