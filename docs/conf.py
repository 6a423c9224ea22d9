"""The documentation site: ``make docs`` builds it into out/docs, offline, and fails on any warning."""

import logging
import shutil
import sys
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import reference_pages  # noqa: E402

import tensorrvea  # noqa: E402

project = "TensorRVEA"
author = "The TensorRVEA authors"
release = version = tensorrvea.__version__
copyright = "the TensorRVEA authors, Apache-2.0"  # noqa: A001 (Sphinx's name)

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["*.py", "images"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # a page may start its sections at the third level

# Notebooks are run when the site is built, and not again until they change.
nb_execution_mode = "cache"
nb_execution_cache_path = str(HERE.parent / "out" / "notebooks")
nb_execution_raise_on_error = True
nb_execution_timeout = 900
nb_output_stderr = "remove"  # every state of a progress bar would be shown
nb_mime_priority_overrides = [("html", "image/gif", 25)]
logging.getLogger("traitlets").setLevel(logging.WARNING)

html_theme = "furo"
html_title = "TensorRVEA"
html_static_path: list[str] = []
html_theme_options = {"navigation_with_keys": True}
html_show_sphinx = False

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # signatures with shapes of arrays are longer than the page is wide
napoleon_google_docstring = True
napoleon_numpy_docstring = False
# Fields and attributes are documented where they are defined, and the arguments of a class in its own docstring.
napoleon_include_init_with_doc = False


def add_project_pages() -> None:
    """Make pages of the files above this directory, whose links are relative to that."""
    for name in ("CONTRIBUTING", "CHANGELOG"):
        text = (HERE.parent / f"{name}.md").read_text()
        text = text.replace("](docs/", "](../").replace("](src/", "](../../src/").replace("](tests/", "](../../tests/")
        path = HERE / "reference" / f"{name.lower()}.md"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def add_notebooks() -> None:
    """Make pages of the notebooks in examples/, whose links are relative to that directory."""
    directory = HERE / "notebooks"
    directory.mkdir(exist_ok=True)
    for path in (HERE.parent / "examples").glob("*.ipynb"):
        text = path.read_text().replace("](../docs/", "](../")
        copy = directory / path.name
        if not copy.exists() or copy.read_text() != text:
            copy.write_text(text)


def link_project_pages(app: Sphinx, page: str, source: list[str]) -> None:
    """Let links to those files lead to their pages."""
    del app, page
    for name in ("CONTRIBUTING", "CHANGELOG"):
        source[0] = source[0].replace(f"](../{name}.md", f"](reference/{name.lower()}.md")
    source[0] = source[0].replace("](../README.md", "](index.md")
    source[0] = source[0].replace("](../examples/first_front.ipynb", "](notebooks/first_front.ipynb")


def skip_member(app: Sphinx, what: str, name: str, member: object, skip: bool, options: object) -> bool | None:
    """Leave out fields of named tuples that are described with the arguments of their class."""
    del app, what, name, skip, options
    return True if str(member.__doc__).startswith("Alias for field number") else None


def copy_images(app: Sphinx, error: Exception | None) -> None:
    """Copy the images that pages include as HTML, two in a row, which Sphinx does not know of."""
    if error is None:
        shutil.copytree(HERE / "images", Path(app.outdir) / "images", dirs_exist_ok=True)


def setup(app: Sphinx) -> None:
    reference_pages.write(HERE / "reference")
    add_project_pages()
    add_notebooks()
    app.connect("source-read", link_project_pages)
    app.connect("autodoc-skip-member", skip_member)
    app.connect("build-finished", copy_images)
