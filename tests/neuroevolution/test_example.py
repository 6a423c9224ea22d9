"""The example that evolves a hopper, at small sizes."""

import runpy
from pathlib import Path

from PIL import Image

EXAMPLE = Path(__file__).parents[2] / "examples" / "hopper.py"


def test_three_policies_from_the_front_are_drawn(tmp_path, capsys):
    runpy.run_path(str(EXAMPLE))["main"](tmp_path, population=12, generations=2)
    for name in ("fastest", "knee", "highest"):
        with Image.open(tmp_path / f"hopper-{name}.gif") as picture:
            assert picture.n_frames > 1
    out = capsys.readouterr().out
    assert "hypervolume with the paper's reference point" in out
    assert out.count("from unseen start states") == 3
