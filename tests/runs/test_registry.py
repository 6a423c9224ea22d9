"""Algorithms and operators of users: registered by a decorator, an entry point, or a file on the command line."""

import re
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

import tensorrvea as tr
from tensorrvea.cli.main import execute
from tensorrvea.runs import RunError, SpecDiffersError, registry
from tensorrvea.settings import settings, static

BLOCKS = re.findall(
    r"```python\n(.*?)```", (Path(__file__).parents[2] / "docs" / "extending.md").read_text(), re.DOTALL
)


@pytest.fixture(autouse=True)
def unregister():
    """Forget what a test has registered."""
    registries = (registry.ALGORITHMS, registry.VARIATIONS, registry.PARTS)
    before = [dict(known) for known in registries]
    yield
    for known, old in zip(registries, before, strict=True):
        known.clear()
        known.update(old)


def define():
    """Run the definitions of the page."""
    names = {"__name__": "parts"}
    for block in BLOCKS[:2]:
        exec(compile(block, "parts.py", "exec"), names)
    return names["BySum"], names["Noise"]


def test_the_page_runs_and_its_parts_are_found_in_run_directories(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "parts"}
    for block in BLOCKS:
        exec(compile(block, "parts.py", "exec"), names)
    result, again = names["result"], names["again"]
    np.testing.assert_array_equal(result.F, again.F)
    assert type(again.algorithm) is names["BySum"]
    assert again.algorithm.variation == names["Noise"](scale=0.1)
    assert names["study"].algorithms == ["BySum", "NSGA2"]
    assert names["found"].labels == ["weight=0.5", "weight=1", "weight=2"]


def test_the_commands_of_the_page_work(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("parts.py").write_text("".join(BLOCKS[:2]))
    arguments = ["--variables", "6", "--population", "20", "--set", "algorithm.weight=2"]
    parts = ["--algorithm", "parts.py:BySum", "--variation", "parts.py:Noise"]
    assert execute(["run", "ZDT1", *arguments, *parts, "--generations", "3"]) == 0
    assert execute(["resume", "runs/ZDT1-BySum-Noise-0", "--parts", "parts.py", "--generations", "5"]) == 0
    assert "5 generations" in capsys.readouterr().out
    assert execute(["run", "ZDT1", "--algorithm", "parts.py:BySun", "--generations", "3"]) == 2
    assert "did you mean 'BySum'" in capsys.readouterr().err


def test_a_run_says_that_its_part_is_not_registered_or_has_changed(tmp_path):
    by_sum, noise = define()
    problem = tr.problems.ZDT1(variables=6)
    algorithm = by_sum(population=20, variation=noise())
    tr.optimize(problem, algorithm, generations=2, directory=tmp_path)
    for known in (registry.PARTS, registry.ALGORITHMS):
        del known["BySum"]
    with pytest.raises(RunError, match=r"algorithm is the user's own \(BySum\), which is not registered here"):
        tr.load(tmp_path)
    assert tr.load(tmp_path, algorithm=algorithm).generations == 2

    @settings
    class BySum(tr.Evolution):
        population: int = static()
        weight: float = 1.0
        variation: tr.operators.Variation = tr.GA()

    BySum.__module__ = by_sum.__module__
    tr.register(BySum)
    with pytest.raises(SpecDiffersError, match="the source code of algorithm has changed"):
        tr.optimize(problem, BySum(population=20, variation=noise()), generations=2, directory=tmp_path)


def test_installed_packages_register_by_entry_points(monkeypatch):
    by_sum, _ = define()
    for known in (registry.PARTS, registry.ALGORITHMS):
        del known["BySum"]
    entry = EntryPoint("BySum", "anywhere:BySum", registry.ENTRY_POINTS)
    monkeypatch.setattr(EntryPoint, "load", lambda _: by_sum)
    monkeypatch.setattr(registry, "entry_points", lambda group: [entry] if group == registry.ENTRY_POINTS else [])
    assert registry.find_part("BySum") is by_sum
    assert registry.ALGORITHMS["BySum"] is by_sum
    assert registry.find_part("Nothing") is None


def test_what_cannot_be_registered_is_refused():
    with pytest.raises(TypeError, match="register takes a class made with"):
        tr.register(lambda: None)

    @settings
    class NSGA2(tr.Evolution):
        population: int = static()

    with pytest.raises(ValueError, match="NSGA2 is the name of another part"):
        tr.register(NSGA2)
