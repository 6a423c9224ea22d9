"""The notebooks in examples/: each is made from a text file beside it, has no outputs in git, and runs."""

from pathlib import Path

import jupytext
import nbclient
import nbformat
import pytest
from snippets import ROOT

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


def test_there_are_five_notebooks():
    names = {"compare_algorithms", "engineering_design", "failing_simulator", "first_front", "robot"}
    assert {path.stem for path in NOTEBOOKS} == names


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_the_cells_of_its_text_and_no_outputs(path: Path):
    notebook, text = nbformat.read(path, as_version=4), jupytext.read(path.with_suffix(".py"))
    advice = f"run: jupytext --to ipynb examples/{path.stem}.py"
    cells = [(cell.cell_type, cell.source) for cell in notebook.cells]
    assert cells == [(cell.cell_type, cell.source) for cell in text.cells], advice
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code), "clear the outputs"


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_a_picture(path: Path, tmp_path: Path):
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=500, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    said = "".join(output.text for output in outputs if output.get("name") == "stderr")
    # Progress bars, and the log of the failed evaluations that one notebook is about.
    lines = [line for line in said.splitlines() if line.strip() and "runs [" not in line]
    assert all("an evaluation failed" in line for line in lines), lines
    assert any("image/png" in output.get("data", {}) for output in outputs)
