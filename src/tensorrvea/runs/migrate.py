"""Reading directories of the schema before this one, 3, which had the sum of violations but no constraint values.

A run of that schema continues with the plain sum of violations, as it began. The constraint values of its individuals
are computed again from their variables.
"""

import copy
from typing import Any

import jax
import numpy as np

from tensorrvea.problem import Problem
from tensorrvea.runs.files import digest

BEFORE = 3
# What a run of the earlier schema did: the plain sum, and nothing but feasible individuals counted as such.
PLAIN_RULE = {
    "name": "ConstraintRule",
    "settings": {"relative": False, "epsilon": None, "until": 0.8, "power": 4.0},
}


def migrate_manifest(manifest: dict[str, Any], schema: int) -> dict[str, Any]:
    """Return a manifest of the earlier schema as one of ``schema``; it keeps the digest that ties checkpoints to it."""
    migrated = copy.deepcopy(manifest)
    spec = migrated["spec"]
    settings = spec.get("algorithm", {}).get("settings") if isinstance(spec.get("algorithm"), dict) else None
    if isinstance(settings, dict):
        settings["constraint_rule"] = PLAIN_RULE
        if spec["algorithm"].get("name") == "TensorRVEA":
            spec["algorithm"]["name"] = "PaperTensorRVEA"  # the paper's algorithm, which had this name
    return migrated | {"schema": schema, "spec_digest": spec_digest(manifest["spec"])}


def spec_digest(spec: dict[str, Any]) -> str:
    """Return what ties checkpoints to a run: its spec without the budget and the sources, which may change."""
    return digest(_without_sources({key: value for key, value in spec.items() if key != "budget"}))


def _without_sources(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _without_sources(value) for key, value in content.items() if key != "source"}
    return [_without_sources(value) for value in content] if isinstance(content, list) else content


def add_constraints(arrays: dict[str, np.ndarray], like: Any, problem: Problem) -> dict[str, np.ndarray]:
    """Return the named arrays of a tree of the earlier schema with what ``like`` has besides."""
    expected = {jax.tree_util.keystr(at): leaf for at, leaf in jax.tree_util.tree_leaves_with_path(like)}
    added = dict(arrays)
    for name in expected.keys() - arrays.keys():
        if name.endswith(".g"):
            rows = name.removesuffix(".g")
            added[name] = constraint_values(problem, arrays[f"{rows}.x"], arrays[f"{rows}.alive"])
        elif ".limits" in name:
            added[name] = np.zeros(expected[name].shape, expected[name].dtype)
    return added


def constraint_values(problem: Problem, x: np.ndarray, alive: np.ndarray) -> np.ndarray:
    """Evaluate the constraints of living individuals in the search space; infinite for empty places."""
    g = np.full((*alive.shape, problem.num_constraints), np.inf, x.dtype)
    if alive.any():
        g[alive] = np.asarray(problem.evaluate(jax.random.key(0), x[alive])[1], x.dtype)
    return g
