"""Algorithms and operators of users: registered by a decorator, an entry point, or a file on the command line."""

from importlib.metadata import EntryPoint

import pytest
from snippets import blocks_of, run_blocks

import tensorrvea as tr
from tensorrvea.runs import registry
from tensorrvea.settings import settings, static

# In processes of their own: the run-time checks of these tests change the source of classes.
PARTS, OPERATOR, USE = blocks_of("docs/extending.md")


@pytest.fixture(autouse=True)
def unregister():
    """Forget what a test has registered."""
    registries = (registry.ALGORITHMS, registry.VARIATIONS, registry.PARTS)
    before = [dict(known) for known in registries]
    yield
    for known, old in zip(registries, before, strict=True):
        known.clear()
        known.update(old)


def test_the_page_runs_and_its_parts_are_found_in_run_directories(tmp_path):
    asked = (
        "type(again.algorithm).__name__, again.algorithm.variation == Noise(scale=0.1), study.algorithms, found.labels"
    )
    expected = ("BySum", True, ["BySum", "NSGA2"], ["weight=0.5", "weight=1", "weight=2"])
    assert run_blocks([PARTS, OPERATOR, USE], asked, tmp_path) == repr(expected)


def test_the_commands_of_the_page_work(tmp_path):
    (tmp_path / "parts.py").write_text(PARTS + OPERATOR)
    use = """
from tensorrvea.cli.main import execute
run = ["run", "ZDT1", "--variables", "6", "--population", "20", "--set", "algorithm.weight=2", "--generations", "3"]
codes = [
    execute([*run, "--algorithm", "parts.py:BySum", "--variation", "parts.py:Noise"]),
    execute(["resume", "runs/ZDT1-BySum-Noise-0", "--parts", "parts.py", "--generations", "5"]),
    execute([*run, "--algorithm", "parts.py:BySun"]),
]
import tensorrvea as tr
again = tr.load("runs/ZDT1-BySum-Noise-0")
"""
    asked = "codes, again.generations, again.algorithm.weight"
    assert run_blocks([use], asked, tmp_path) == "([0, 0, 2], 5, 2)"


def test_a_run_says_that_its_part_is_not_registered_or_has_changed(tmp_path):
    use = """
from tensorrvea.runs import registry
algorithm = BySum(population=20, variation=Noise())
problem = tr.problems.ZDT1(variables=6)
tr.optimize(problem, algorithm, generations=2, directory="run")
messages = []
def attempt(function):
    try:
        function()
    except RuntimeError as error:
        messages.append(str(error))
del registry.PARTS["BySum"], registry.ALGORITHMS["BySum"]
attempt(lambda: tr.load("run"))
generations = tr.load("run", algorithm=algorithm).generations
"""
    change = """
attempt(lambda: tr.optimize(problem, BySum(population=20, variation=Noise()), generations=2, directory="run"))
"""
    blocks = ["__name__ = 'parts'", PARTS, OPERATOR, use, PARTS.replace("self.weight *", "2 * self.weight *"), change]
    found = run_blocks(blocks, "generations, messages", tmp_path)
    assert "algorithm is the user's own (BySum), which is not registered here" in found
    assert "the source code of algorithm has changed" in found
    assert found.startswith("(2, ")


def test_installed_packages_register_by_entry_points(monkeypatch):
    @settings
    class Elsewhere(tr.Evolution):
        population: int = static()

    entry = EntryPoint("Elsewhere", "anywhere:Elsewhere", registry.ENTRY_POINTS)
    monkeypatch.setattr(EntryPoint, "load", lambda _: Elsewhere)
    monkeypatch.setattr(registry, "entry_points", lambda group: [entry] if group == registry.ENTRY_POINTS else [])
    assert registry.find_part("Elsewhere") is Elsewhere
    assert registry.ALGORITHMS["Elsewhere"] is Elsewhere
    assert registry.find_part("Nothing") is None


def test_what_cannot_be_registered_is_refused():
    with pytest.raises(TypeError, match="register takes a class made with"):
        tr.register(lambda: None)

    @settings
    class NSGA2(tr.Evolution):
        population: int = static()

    with pytest.raises(ValueError, match="NSGA2 is the name of another part"):
        tr.register(NSGA2)
