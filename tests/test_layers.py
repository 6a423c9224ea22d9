"""Dependencies point one way: a module imports only from layers below its own."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import tensorrvea

ROOT = Path(tensorrvea.__file__).parent
# From the top down. Modules and packages of one layer do not import each other.
LAYERS = [
    ("__main__",),
    ("cli",),
    ("experiments",),
    ("study",),
    ("api", "memory"),
    ("runs",),
    ("driver",),
    ("stop", "merge", "callbacks"),
    ("result",),
    ("report",),
    ("compiled", "history", "plot", "notebook"),
    ("loop",),
    ("algorithms", "archive"),
    ("evolution", "adapters", "problem_registry"),
    ("operators", "problems", "host", "neuroevolution", "metrics"),
    ("selection", "vector_settings"),
    ("mating", "population", "reference_vectors", "decision"),
    ("problem", "rows"),
    ("abilities", "constraints", "domain", "exchange", "problem_checks", "search_space"),
    ("evaluation",),
    ("devices", "directions", "index_checks", "optional", "powers", "processes", "randomness", "rounding"),
    ("program_store",),
    ("atomic", "checks", "effort", "fingerprint", "platforms", "settings"),
]
LEVEL = {name: -i for i, layer in enumerate(LAYERS) for name in layer}
# Packages that need a large third-party package, and so may be imported inside the function that uses them.
OPTIONAL = ("neuroevolution", "adapters", "host", "plot", "report", "experiments")

# Methods that only call a function of a layer above.
FORWARDED = {("result", "runs")}


def modules() -> list[Path]:
    return [path for path in sorted(ROOT.rglob("*.py")) if path != ROOT / "__init__.py"]


def imports(tree: ast.AST) -> Iterator[tuple[str, bool]]:
    """Yield the part of the library that is imported, and whether that is inside a function."""

    def visit(node: ast.AST, inside: bool) -> Iterator[tuple[str, bool]]:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "tensorrvea":
            names = [node.module.split(".")[1]] if "." in node.module else [alias.name for alias in node.names]
            yield from ((name, inside) for name in names)
        if isinstance(node, ast.Import):
            yield from ((alias.name, inside) for alias in node.names if alias.name.split(".")[0] == "tensorrvea")
        deeper = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for child in ast.iter_child_nodes(node):
            yield from visit(child, deeper)

    return visit(tree, False)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_only_from_layers_below(path: Path):
    own = path.relative_to(ROOT).parts[0].removesuffix(".py")
    for name, is_inside in imports(ast.parse(path.read_text())):
        if name in ("tensorrvea", "__version__", own):
            continue
        assert name in LEVEL, f"{name} has no layer"
        if is_inside and (own, name) in FORWARDED:
            continue
        assert LEVEL[own] > LEVEL[name], f"{own} imports {name}, which is not in a layer below"
        assert not is_inside or name in OPTIONAL, f"{own} imports {name} inside a function"


def test_every_part_of_the_lists_is_exported():
    parts = (*tensorrvea.algorithms.ALL, *tensorrvea.operators.ALL)
    for cls in parts:
        assert vars(tensorrvea)[cls.__name__] is cls
        assert cls.__name__ in tensorrvea.__all__
