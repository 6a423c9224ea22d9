"""The demonstration, from its first line to the page, in small."""

import runpy
from pathlib import Path

import pytest

DEMO = Path(__file__).parents[2] / "examples" / "demo.py"


@pytest.mark.slow
def test_the_demonstration_ends_with_the_path_of_its_page(tmp_path, capsys):
    main = runpy.run_path(str(DEMO))["main"]
    main(tmp_path / "out", population=28, generations=2, policies=6, robot_generations=1, steps=20)
    last = capsys.readouterr().out.splitlines()[-1]
    assert Path(last) == (tmp_path / "out" / "demo.html").resolve()
    page = Path(last).read_text()
    assert "A cheetah that runs fast or saves its strength" in page
    assert "tensorrvea run MoHalfCheetah" in page
    assert (tmp_path / "out" / "demo.png").stat().st_size > 1000
