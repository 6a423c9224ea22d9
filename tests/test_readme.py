"""The code blocks of the README run in order, as a reader would type them."""

from pathlib import Path

from snippets import blocks_of, run_blocks


def test_code_in_the_readme_runs(tmp_path: Path):
    blocks = blocks_of("README.md")
    assert len(blocks) == 2
    assert run_blocks(blocks, "len(runs), len(study.algorithms), len(result.F) > 20", tmp_path) == "(31, 2, True)"
    assert (tmp_path / "front.png").stat().st_size > 10_000
