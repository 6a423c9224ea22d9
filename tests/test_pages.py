"""Every code block of the site runs, and every link inside the repository leads somewhere."""

import re
from pathlib import Path

import pytest
from snippets import ROOT, blocks_of, run_blocks

# For each page: an expression to evaluate after its blocks, and its value.
PAGES = {
    "choosing": ("len(shortlist), bool(result.G.max() <= 0), best.shape", "(5, True, (4,))"),
    "coming_from": ("len(result.F) > 50, len(res.F) > 50, len(found.F) > 3", "(True, True, True)"),
    "constraints": ("result.G.shape[1], len(result.F) > 0", "(4, True)"),
    "figures": ("sorted(p.name for p in pathlib.Path().iterdir())",
                "['attainment.pdf', 'front.pdf', 'igd.pdf', 'parallel.svg']"),
    "first_front": ("type(result.algorithm).__name__, result.F.shape[1], len(runs)", "('TensorRVEA', 3, 31)"),
    "gpu": ("problem.variables", "100"),
    "gymnasium": ("action.shape, result.generations", "((1,), 10)"),
    "how_do_i": ("len(runs), longer.generations, len(archived.archive.F) > 40", "(31, 80, True)"),
    "index": ("result.F.shape[1]", "3"),
    "install": ("tr.__version__ > '0.1'", "True"),
    "large_scale": ("result.X.shape[1], len(result.F) > 50", "(1000, True)"),
    "own_problem": ("len(result.F) > 20, bool(result.G.max() <= 0), len(runs)", "(True, True, 11)"),
    "precision": ("result.X.shape[1]", "1"),
    # The solutions of the first block are near the direction; those of the second are a part of the front.
    "preferences": ("bool(abs(result.F[:, 0] - result.F[:, 1]).max() < 0.4), len(wanted.F) > 20, len(four.population)",
                    "(True, True, 4)"),
    "problems": ("problem.front(1000).shape[1]", "3"),
    "report": ("min(p.stat().st_size for p in pathlib.Path().glob('*.html')) > 50_000", "True"),
    "reproducibility": ("len(run.F) > 5", "True"),
    "results_of_a_run": ("len(same.F) == len(result.F), merged.stopped, len(archived.archive.F) > len(archived.F)",
                         "(True, 'merged from 3 runs', True)"),
    "runs": ("result.generations", "250"),
    "variables": ("bool(result.X[:, 1].min() >= 1e-6)", "True"),
}  # fmt: skip
# Pages whose blocks a test of their own runs.
ELSEWHERE = {
    "ask_tell", "command_line", "comparing", "extending", "host_problems", "neuroevolution", "own_robot", "performance",
    "scale", "stopping",
}  # fmt: skip


def test_every_page_with_code_is_run():
    pages = {path.stem for path in (ROOT / "docs").glob("*.md") if blocks_of(f"docs/{path.name}")}
    assert pages == set(PAGES) | ELSEWHERE


@pytest.mark.parametrize("page", PAGES)
def test_code_of_the_page_runs(page: str, tmp_path: Path):
    expression, value = PAGES[page]
    assert run_blocks(["import pathlib", *blocks_of(f"docs/{page}.md")], expression, tmp_path) == value


def test_the_short_answers_are_forty_or_more():
    assert len(blocks_of("docs/how_do_i.md")) >= 40


def test_the_loop_of_the_page_on_ask_and_tell_finds_a_front(tmp_path: Path):
    blocks = blocks_of("docs/ask_tell.md")
    # The objectives of the laboratory differ from those of the problem; the front before is the one to check.
    loop, laboratory, front = blocks
    assert run_blocks([loop, "import numpy as np", front], "bool(front[:, 0].max() < 1.01)", tmp_path) == "True"
    assert run_blocks([loop, laboratory, front], "len(front) > 0", tmp_path) == "True"


def test_code_in_the_page_about_stopping_runs(tmp_path: Path):
    asked = "stagnant.generations < 2000, good.generations < 500, near.generations < 500, len(many.F) >= 20"
    assert run_blocks(blocks_of("docs/stopping.md"), asked, tmp_path) == "(True, True, True, True)"
    assert len((tmp_path / "history.csv").read_text().splitlines()) == 52


def test_code_in_the_page_about_comparing_runs(tmp_path: Path):
    blocks = blocks_of("docs/comparing.md")
    assert len(blocks) == 6
    asked = "len(table.rows), len(sizes.records()), study.algorithms[-1], other.values()['bridge']['B'].tolist()"
    found = run_blocks(blocks, asked, tmp_path)
    area = [(2 - 0.9) * (20 - 1.5), (2 - 0.8) * (20 - 1.6)]
    assert found.startswith("(8, 66, 'another program', [20.3")
    assert eval(found)[3] == pytest.approx(area)
    assert (tmp_path / "study.html").stat().st_size > 50_000
    assert (tmp_path / "settings.png").stat().st_size > 10_000


def test_code_in_the_page_about_simulators_runs(tmp_path: Path):
    blocks = blocks_of("docs/host_problems.md")
    assert len(blocks) == 3
    asked = "0 < result.failed < result.evaluations / 2, len(states), problem.name, hopper.objectives"
    assert run_blocks(blocks, asked, tmp_path) == "(True, 2, 'WeldedBeam', 3)"


def with_sizes(blocks: list[str], sizes: dict[str, str]) -> list[str]:
    """Return the blocks with other sizes, for the long examples."""
    for written, instead in sizes.items():
        assert any(written in block for block in blocks), written
        blocks = [block.replace(written, instead) for block in blocks]
    return blocks


@pytest.mark.slow
def test_code_in_the_page_about_robots_runs(tmp_path: Path):
    sizes = {
        "control_weight=0.001": "control_weight=0.001, steps=50",
        "population=128": "population=8",
        "generations=60": "generations=2",
    }
    robot, playground, policy = blocks_of("docs/neuroevolution.md")
    sized = with_sizes([robot, policy], sizes)
    pytest.importorskip("brax")
    assert run_blocks(sized, "action.shape, result.scores.mean.shape[1]", tmp_path) == "((3,), 2)"
    assert {path.name for path in tmp_path.iterdir()} == {"hopper.gif", "policy.npz", "policy.py"}
    pytest.importorskip("mujoco_playground")
    assert run_blocks([playground], "problem.objectives", tmp_path) == "2"


def test_code_in_the_page_about_several_devices_runs(tmp_path: Path):
    devices, processes = blocks_of("docs/scale.md")
    small = {"population=1_000_000": "population=100", "generations=100": "generations=5"}
    eight = "--xla_force_host_platform_device_count=8"
    here = with_sizes([devices], small | {"range(31)": "range(8)"})
    assert run_blocks(here, "len(tr.problems.DTLZ2().front(10)) > 0", tmp_path, eight) == "True"
    alone = {'"10.0.0.1:8476", processes=4, index=2': '"127.0.0.1:8476", processes=1, index=0'}
    assert run_blocks(with_sizes([processes], small | alone), "problem.objectives", tmp_path) == "3"


@pytest.mark.parametrize("block", [0, 1])
def test_code_in_the_page_about_time_and_memory_runs(block: int, tmp_path: Path):
    blocks = blocks_of("docs/performance.md")
    assert len(blocks) == 2
    assert run_blocks([blocks[block]], "bool(tr.__version__)", tmp_path) == "True"


def test_the_example_algorithm_of_the_contributing_page_finds_a_front(tmp_path: Path):
    use = """
import tensorrvea as tr
import numpy as np
problem = tr.problems.DTLZ2(variables=7)
results = tr.replicate(problem, ByRank(population=20), generations=60, seeds=range(7))
distance = np.median([tr.metrics.igd(result.F, problem.front()) for result in results])
"""
    algorithm, _ = blocks_of("CONTRIBUTING.md")
    asked = "len(results[0].population), bool(distance < 0.4)"
    assert run_blocks([algorithm, use], asked, tmp_path) == "(20, True)"


# Links


def anchors(path: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub and the site make them."""
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    titles = re.findall(r"^#{1,4} +(.*?) *$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


MARKDOWN = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("path", MARKDOWN, ids=lambda path: path.name)
def test_links_within_the_repository_lead_somewhere(path: Path):
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|href)="([^"]+)"', text)
    for link in links:
        if re.match(r"(https?|mailto):", link):
            continue
        target, _, anchor = link.partition("#")
        # The site makes pages of the notebooks.
        target = re.sub(r"^notebooks/", "../examples/", target)
        page = (path.parent / target).resolve() if target else path
        assert page.exists(), f"{path.name} links to {link}, which does not exist"
        if anchor:
            assert anchor in anchors(page), f"{path.name} links to {link}, which has no such heading"
