"""The documentation site: it builds without a warning, has every public name, and what people look for is found."""

import importlib
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from snippets import ROOT

import tensorrvea

# What a person looks for, and the page that says how it is done.
TASKS = {
    "stagnation": "stopping",
    "archive": "results_of_a_run",
    "reference vectors": "preferences",
    "csv": "results_of_a_run",
    "gpu": "gpu",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The site, built as `make docs` does; notebooks are not run here but by a test of their own."""
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-D", "nb_execution_mode=off"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [*command, "-d", out / "trees", ROOT / "docs", out / "html"],
        capture_output=True, text=True, check=False, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return out / "html"


def public_names() -> dict[str, object]:
    """Return everything that the package and its public modules export, by full name."""
    modules = [tensorrvea] + [
        value for name in tensorrvea.__all__ if inspect.ismodule(value := getattr(tensorrvea, name))
    ]
    modules += [
        importlib.import_module(f"tensorrvea.{name}")
        for name in ("adapters", "neuroevolution", "plot", "report", "runs")
    ]
    return {
        f"{module.__name__}.{name}": getattr(module, name)
        for module in modules
        for name in module.__all__
        if not inspect.ismodule(getattr(module, name))
    }


@pytest.mark.slow
def test_every_public_name_is_in_the_reference(site: Path):
    text = "".join(path.read_text() for path in (site / "reference").glob("*.html"))
    documented = {name.rpartition(".")[2] for name in re.findall(r'id="(tensorrvea\.[\w.]+)"', text)}
    assert {name.rpartition(".")[2] for name in public_names()} <= documented


@pytest.mark.slow
def test_every_image_is_there(site: Path):
    sources = [
        (page, source)
        for page in site.rglob("*.html")
        for source in re.findall(r'<img[^>]* src="([^"]+)"', page.read_text())
        if not source.startswith("data:")
    ]
    assert len(sources) > 50
    assert [(page.name, source) for page, source in sources if not (page.parent / source).is_file()] == []


@pytest.mark.slow
def test_the_site_needs_no_other_server(site: Path):
    for path in site.rglob("*.html"):
        loaded = re.findall(r'<(?:script|img|link)[^>]+(?:src|href)="(https?://[^"]+)"', path.read_text())
        assert not loaded, path.name


@pytest.mark.slow
def test_what_people_look_for_is_in_the_search_index_and_one_click_from_the_start(site: Path):
    index = json.loads(re.fullmatch(r"Search\.setIndex\((.*)\)", (site / "searchindex.js").read_text(), re.DOTALL)[1])
    start = (site / "index.html").read_text()
    for words, page in TASKS.items():
        assert f'href="{page}.html"' in start
        number = index["docnames"].index(page)
        for word in words.split():
            stem = max((term for term in index["terms"] | index["titleterms"] if word.startswith(term)), key=len)
            hits = index["terms"].get(stem, []), index["titleterms"].get(stem, [])
            assert any(number in (hit if isinstance(hit, list) else [hit]) for hit in hits), (word, page)
