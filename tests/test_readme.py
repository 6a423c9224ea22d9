"""What the README shows runs as it stands, one block after another, as a reader would type it."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)
    assert len(blocks) >= 6
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for block in blocks:
        exec(block, names)
    assert (tmp_path / "front.png").stat().st_size > 10_000
    assert len(names["runs"]) == 31
    assert names["state"].population.alive.any()
