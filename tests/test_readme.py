"""The code blocks of the README run in order, as a reader would type them."""

from pathlib import Path

from snippets import blocks_of, run_blocks


def test_code_in_the_readme_runs(tmp_path: Path):
    blocks = blocks_of("README.md")
    assert len(blocks) >= 6
    assert run_blocks(blocks, "len(runs), bool(state.population.alive.any())", tmp_path) == "(31, True)"
    assert (tmp_path / "front.png").stat().st_size > 10_000
