"""The files of a release: they are complete, and what they install works on its own."""

import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path

import pytest
from sizes import QUICK_FLAGS
from snippets import ROOT, blocks_of

import tensorrvea


def run(*command: str | Path, cwd: Path, **options: str) -> str:
    """Return what a command prints."""
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"} | options
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, env=environment)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory) -> Path:
    """A directory with the sdist and the wheel, which is built from the sdist."""
    directory = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", directory, ROOT, cwd=directory)
    return directory


@pytest.fixture(scope="module")
def python(dist, tmp_path_factory) -> Path:
    """An environment with the wheel and what it depends on, but without this checkout."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=True)
    binaries = home / ("Scripts" if os.name == "nt" else "bin")
    (wheel,) = dist.glob("*.whl")
    run(binaries / "python", "-m", "pip", "install", "--no-index", "--no-deps", wheel, cwd=home)
    # The dependencies of the environment of the tests; its link to this checkout is not followed from here.
    (site,) = home.glob("lib/*/site-packages") if os.name != "nt" else home.glob("Lib/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return binaries / "python"


@pytest.mark.slow
def test_the_files_of_a_release_are_sound(dist):
    assert {path.suffix for path in dist.iterdir()} == {".gz", ".whl"}
    assert "PASSED" in run(sys.executable, "-m", "twine", "check", "--strict", *sorted(dist.iterdir()), cwd=dist)


@pytest.mark.slow
def test_the_wheel_runs_the_code_of_the_readme_and_the_command_line(python, tmp_path):
    where = run(python, "-c", "import tensorrvea; print(tensorrvea.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(python.parents[1])
    run(python, "-c", "\n".join(blocks_of("README.md")), cwd=tmp_path, XLA_FLAGS=QUICK_FLAGS)
    assert (tmp_path / "front.png").stat().st_size > 10_000
    command = python.with_name("tensorrvea")
    said = run(command, "run", "ZDT1", "--generations", "5", "--out", "run", cwd=tmp_path, XLA_FLAGS=QUICK_FLAGS)
    assert said
    assert (tmp_path / "run").is_dir()


def test_every_place_names_the_same_version():
    version = tensorrvea.__version__
    assert f"version: {version}" in (ROOT / "CITATION.cff").read_text()
    assert f'version = "{version}"' in (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    assert re.search(rf"^## {re.escape(version)}\b", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)


def test_the_conda_recipe_has_the_dependencies_of_the_package():
    recipe = (ROOT / "packaging" / "conda" / "meta.yaml").read_text().replace("matplotlib-base", "matplotlib")
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    for dependency in listed:
        assert f"- {dependency.replace('>=', ' >=')}\n" in recipe


def test_the_lowest_versions_are_those_that_the_package_allows():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = ("adapters", "film", "neuroevolution", "ray", "report", "tensorboard")
    listed = project["dependencies"] + [each for extra in extras for each in project["optional-dependencies"][extra]]
    allowed = dict(re.sub(r"\[.*\]", "", each).lower().split(">=") for each in listed)
    text = (ROOT / "requirements" / "lowest.txt").read_text()
    lowest = dict(line.lower().split("==") for line in text.splitlines() if "==" in line)
    assert set(lowest) == set(allowed)
    for name, version in allowed.items():
        assert re.fullmatch(rf"{re.escape(version)}(\.0)*", lowest[name]), name
