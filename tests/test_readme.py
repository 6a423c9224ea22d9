"""What the README and the page of runs show runs as it stands, one block after another, as a reader would type it."""

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


def run_blocks(page: str) -> tuple[int, dict[str, Any]]:
    """How many blocks of Python a page has, and the names that are there after them."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL)
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)
    return len(blocks), names


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    blocks, names = run_blocks("README.md")
    assert blocks >= 6
    assert (tmp_path / "front.png").stat().st_size > 10_000
    assert len(names["runs"]) == 31
    assert names["state"].population.alive.any()


def test_the_python_of_the_page_of_runs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    blocks, names = run_blocks("docs/runs.md")
    assert blocks == 2
    assert names["result"].generations == 250
