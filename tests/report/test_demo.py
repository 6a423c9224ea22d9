"""The demo at a small size."""

import runpy
from pathlib import Path

import pytest

DEMO = Path(__file__).parents[2] / "examples" / "demo.py"


@pytest.mark.slow
def test_demo_writes_a_page_and_prints_its_path_last(tmp_path, capsys):
    main = runpy.run_path(str(DEMO))["main"]
    main(tmp_path / "out", population=28, generations=2, policies=6, robot_generations=1, steps=20)
    last = capsys.readouterr().out.splitlines()[-1]
    assert Path(last) == (tmp_path / "out" / "demo.html").resolve()
    page = Path(last).read_text()
    assert "A cheetah that runs fast or saves its strength" in page
    assert "tensorrvea run MoHalfCheetah" in page
    assert (tmp_path / "out" / "demo.png").stat().st_size > 1000
