"""Pages of the API reference, one for each group of public names, written before the site is built."""

import importlib
import inspect
import re
import sys
from collections.abc import Iterable
from pathlib import Path

import tensorrvea

# Modules with a page of their own: their title, and one sentence about them.
MODULES = {
    "algorithms": (
        "Algorithms",
        "Every algorithm takes `population=` and `variation=`; all are names of `tensorrvea`.",
    ),
    "operators": ("Operators", "How offspring are bred; all are names of `tensorrvea`."),
    "problems": ("Benchmark problems", "All take `objectives=` and `variables=` where their definition allows it."),
    "metrics": (
        "Metrics",
        "Quality of fronts, computed on the host; `metrics.device` has those that a run can record.",
    ),
    "metrics.device": ("Metrics on the device", "For `metrics=` of `optimize`: functions that compiled code calls."),
    "reference_vectors": ("Reference vectors", "Directions for algorithms that take `vectors=`."),
    "stop": ("Stopping criteria", "For `stop=` of `optimize`."),
    "callbacks": ("Callbacks", "For `callbacks=` of `optimize`."),
    "decision": ("Choosing a solution", "What `Result.knee` and `Result.best_by_weights` compute."),
    "plot": ("Figures", "Figures for papers; `Result.plot` and `Study.plot` use them."),
    "adapters": ("Adapters", "Problems of other libraries."),
    "neuroevolution": ("Neuroevolution", "Robots as problems."),
    "report": ("The report", "One HTML page from results; `Result.report` uses it."),
    "runs": ("Run directories", "Errors of run directories, and their parts for other programs."),
}
MAIN = "tensorrvea"


def public_names(module: object) -> list[str]:
    """Return the names that a module exports, or else those that it defines."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return sorted(listed)
    return sorted(
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == getattr(module, "__name__", "")
    )


def directive(module: str, name: str) -> str:
    """Return the directive that documents a name, as MyST."""
    value = getattr(importlib.import_module(module), name)
    if inspect.isclass(value) and issubclass(value, BaseException):
        return f"```{{eval-rst}}\n.. autoexception:: {module}.{name}\n```\n"
    if not callable(value):
        where = defining_module(module, name)
        return f"```{{eval-rst}}\n.. autodata:: {where}.{name}\n   :no-value:\n```\n"
    if not inspect.getdoc(value):
        raise ValueError(f"{module}.{name} is public and has no docstring")
    kind, options = ("autoclass", "   :members:\n") if inspect.isclass(value) else ("autofunction", "")
    return f"```{{eval-rst}}\n.. {kind}:: {module}.{name}\n{options}```\n"


def defining_module(package: str, name: str) -> str:
    """Return the module that assigns a name which a package exports: its documentation follows the assignment there."""
    for module in [name for name in sorted(sys.modules) if name.startswith(package)]:
        if re.search(rf"^{name}\b[^=\n]*=", inspect.getsource(sys.modules[module]), re.MULTILINE):
            return module
    raise ValueError(f"no module of {package} assigns {name}")


def page(title: str, about: str, module: str, names: Iterable[str]) -> str:
    return "\n".join([f"# {title}\n", f"{about}\n", *(directive(module, name) for name in names)])


def pages() -> dict[str, str]:
    """Return the text of every page by its name."""
    texts = {}
    elsewhere = set()
    for name, (title, about) in MODULES.items():
        module = importlib.import_module(f"{MAIN}.{name}")
        names = [n for n in public_names(module) if not inspect.ismodule(getattr(module, n))]
        elsewhere |= {name, *names} if name in ("algorithms", "operators") else {name}
        texts[name.replace(".", "_")] = page(title, about, module.__name__, names)
    main = [name for name in public_names(tensorrvea) if name not in elsewhere]
    title, about = "Running, results, own parts", "What `import tensorrvea as tr` gives directly."
    return {MAIN: page(title, about, MAIN, main)} | texts


def write(directory: Path) -> None:
    """Write the pages and their index; files that do not change keep their date, so that they are not built again."""
    directory.mkdir(exist_ok=True)
    texts = pages()
    toctree = "\n".join(["```{toctree}", ":maxdepth: 1", "", *texts, "```"])
    texts["index"] = f"# API reference\n\n{toctree}\n"
    for name, text in texts.items():
        path = directory / f"{name}.md"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
