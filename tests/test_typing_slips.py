"""Typing slips, on the command line and in Python: each is answered by one line that names the remedy."""

import re
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

import tensorrvea as tr
from tensorrvea.cli.main import execute

DESIGN = """
import jax.numpy as jnp
import tensorrvea as tr

def weigh(x):
    return jnp.stack([x[0] + x[1], 1 / x[0]])

bridge = tr.Problem(weigh, lower=[0.1, 0.0], upper=[1.0, 1.0])
number = 3
"""

FILES = {
    "design.py": DESIGN,
    "syntax.py": "import math\nproblem = (\n",
    "missing.py": "x = 1\nimport nothing_of_that_name\n",
    "raises.py": "\n\n1 / 0\n",
    "alone.py": "def weigh(x):\n    return x\n",
    "bad.toml": 'problem = "DTLZ2"\npopulation = \n',
    "bad.json": '{"problem": "DTLZ2",}',
    "slip.toml": 'problem = "DTLZ2"\ngenerationz = 3\n',
}

COMMANDS = {
    # The command and its flags
    "rum DTLZ2": "the command must be one of .* did you mean 'run'",
    "--versoin": "a command comes first",
    "run": "run needs an argument: A benchmark or robot task",
    "resume": "resume needs an argument: The run directory; see tensorrvea resume --help",
    "run DTLZ2 --generation 5": "run has no option --generation; did you mean '--generations'",
    "run DTLZ2 --populaton 5": "did you mean '--population'",
    "run DTLZ2 --seed=1 --sedes=2": "did you mean '--seeds'",
    "run DTLZ2 --stop_metrics igd<1": "did you mean '--stop-metric'",
    "run DTLZ2 -g 5": "run does not take -g, 5; see tensorrvea run --help",
    "run DTLZ2 ZDT1": "run does not take ZDT1",
    "run DTLZ2 --generations": "--generations needs a value",
    "run DTLZ2 --seeds": "--seeds needs at least one value",
    "run DTLZ2 --generations ten": "--generations takes a whole number, got 'ten'",
    "run DTLZ2 --population five": "--population takes a whole number, got 'five'",
    "run DTLZ2 --seconds x": "--seconds takes a number, got 'x'",
    "run DTLZ2 --archive 1.5": "--archive takes a whole number, got '1.5'",
    "run DTLZ2 --history front": "did you mean 'fronts'",
    "run DTLZ2 --effort fulll": "did you mean 'full'",
    "run DTLZ2 --devices coress": "did you mean 'cores'",
    "run DTLZ2 --progress maybe": "--progress takes .*True.*, got 'maybe'",
    "list algoritms": "did you mean 'algorithms'",
    "plot runs/a --kind fron": "did you mean 'front'",
    # Names
    "run DTZL2": "did you mean 'DTLZ2'",
    "run dtlz22": "did you mean 'DTLZ2'",
    "run DTLZ2 --algorithm nsag2": "did you mean 'NSGA2'",
    "run DTLZ2 --variation cs": "did you mean 'CSO'",
    "run DTLZ2 --metrics ihd": "did you mean 'igd'",
    "run DTLZ2 --algorithm TensorRVEA --set algorithm.alfa=2": "did you mean 'alpha'",
    "run DTLZ2 --set variaton.eta=2": "did you mean 'variation'",
    "run DTLZ2 --set alpha": "set takes name=value",
    # Values
    "run DTLZ2 --seeds 3-1": "seeds takes whole numbers, such as 0 1 2 or 0,1,2 or 0-30, got '3-1'",
    "run DTLZ2 --seeds 0..3": "such as 0 1 2 or 0,1,2 or 0-30",
    "run DTLZ2 --seed 0 --seeds 1 2": "give seed for one run, or seeds for several, not both",
    "run DTLZ2 --stop-metric igd=0.1": "like 'igd<0.06'",
    "run DTLZ2 --stop-metric ihd<0.1": "metric must be one that is recorded .'igd'., got 'ihd'",
    "run DTLZ2 --generations 0": "generations must be at least 1",
    "run DTLZ2 --reference 1": "reference must have 3 entries",
    "run DTLZ2 --start missing.csv": "start takes an existing file",
    # Files
    "run design.py": "file.py:name",
    "run design.py:weigh": "design.py:weigh is a function, not a Problem: run design.py:bridge",
    "run alone.py:weigh": r"is a function, not a Problem: make one there, as in problem = tr.Problem\(weigh",
    "run design.py:bridg": "did you mean 'bridge'",
    "run design.py:number": "must be a Problem, or a function that creates one, got 3",
    "run syntax.py:problem": r"syntax.py:2: SyntaxError: .*was never closed",
    "run missing.py:problem": "missing.py:2: ModuleNotFoundError: No module named 'nothing_of_that_name'",
    "run raises.py:problem": "raises.py:3: ZeroDivisionError",
    "run --config bad.toml": r"bad.toml is not valid TOML: .*line 2",
    "run --config bad.json": r"bad.json is not valid JSON: .*line 1",
    "run --config slip.toml": "an option in slip.toml must be one of .* did you mean 'generations'",
    "run DTLZ2 --out design.py": "design.py is a file, and a run needs a directory",
    "show runs/non": "runs/non does not exist",
    "export runs/non --out front.xls": "out must end in .csv, .json, .parquet, got 'front.xls'",
}


@pytest.mark.parametrize("line", COMMANDS)
def test_a_slip_on_the_command_line_is_answered_in_one_line(tmp_path, monkeypatch, capsys, line):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    assert execute(line.split()) in (1, 2)
    (printed,) = capsys.readouterr().err.splitlines()
    assert printed.startswith("error: ")
    assert re.search(COMMANDS[line], printed), printed


def two(x):
    return jnp.stack([x[0], 1 - x[0]])


DTLZ2, ALGORITHM = tr.problems.DTLZ2(), tr.RandomSearch(population=8)

CALLS = {
    "no bounds for one number each": (lambda: tr.Problem(two, lower=0, upper=1), "as variables="),
    "bounds swapped": (lambda: tr.Problem(two, lower=[1.0], upper=[0.0]), "lower must not be above upper"),
    "one bound too few": (lambda: tr.Problem(two, lower=[0.0, 0.0], upper=[1.0]), "lower: 2, upper: 1"),
    "one objective": (lambda: tr.Problem(lambda x: x[:1], lower=[0.0], upper=[1.0]), "at least 2 .*got 1"),
    "no array": (
        lambda: tr.Problem(lambda x: x[0], lower=[0.0], upper=[1.0]),
        r"shape \(m,\), one value",
    ),
    "not JAX": (
        lambda: tr.Problem(lambda x: float(x[0]), lower=[0.0], upper=[1.0]),
        r"needs the values of x, .*test_typing_slips.py, line \d+.*use HostProblem",
    ),
    "NumPy": (lambda: tr.Problem(lambda x: np.sin(x), lower=[0.0], upper=[1.0]), "write it with jax.numpy"),
    "direction": (
        lambda: tr.Problem(two, lower=[0.0], upper=[1.0], directions="maximise"),
        "one of 'min', 'max'",
    ),
    "host": (lambda: tr.HostProblem(two, lower=[0.0], upper=[1.0]), "objectives must be given, or one entry"),
    "no budget": (lambda: tr.optimize(DTLZ2, ALGORITHM), "at least one of generations, evaluations and seconds"),
    "class for object": (lambda: tr.optimize(DTLZ2, tr.TensorRVEA, generations=1), "algorithm takes"),
    "class for problem": (lambda: tr.optimize(tr.problems.DTLZ2, ALGORITHM, generations=1), "problem takes a Problem"),
    "float": (lambda: tr.optimize(DTLZ2, ALGORITHM, generations=1e2), "generations takes a whole number, got 100.0"),
    "history": (lambda: tr.optimize(DTLZ2, ALGORITHM, generations=1, history="front"), "did you mean 'fronts'"),
    "effort": (lambda: tr.optimize(DTLZ2, ALGORITHM, generations=1, effort="draught"), "did you mean 'draft'"),
    "seeds": (lambda: tr.replicate(DTLZ2, ALGORITHM, generations=1, seeds=3), "seeds takes whole numbers, one per run"),
    "metrics": (lambda: tr.optimize(DTLZ2, ALGORITHM, generations=1, metrics=["ihd"]), "did you mean .igd."),
    "start": (lambda: tr.optimize(DTLZ2, ALGORITHM, generations=1, x=np.zeros((2, 3))), "x must have 12 columns"),
    "population": (lambda: tr.TensorRVEA(population=0), "population must be at least"),
    "load": (lambda: tr.load("nowhere"), "nowhere does not exist"),
    "merge": (lambda: tr.merge([1, 2]), "results takes several Results"),
}


@pytest.mark.parametrize("slip", CALLS)
def test_a_slip_in_python_is_answered_in_one_line(slip):
    call, message = CALLS[slip]
    with pytest.raises((ValueError, TypeError, RuntimeError), match=message) as raised:
        call()
    assert len(str(raised.value).splitlines()) == 1


def test_there_are_fifty_slips():
    assert len(COMMANDS) + len(CALLS) >= 50
