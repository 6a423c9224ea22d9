"""Reading directories of earlier versions, whose runs continue with the settings that they began with.

The schema before this one, 3, had the sum of violations but no constraint values. Its runs continue with that sum; the
constraint values of their individuals are computed again from their variables.

Runs of this schema may lack settings that algorithms have gained since. What algorithms do with the same settings may
have changed between versions, as the changelog says; then the rest of a run is by the new rules.
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
# The values by which an algorithm does what it did before it had these settings.
LATER_SETTINGS: dict[str, dict[str, Any]] = {
    "TensorRVEA": {"cone": 0.0, "ideal": None},
    "SPEA2": {"cone": 0.0, "prefer_new": False},
}


def add_later_settings(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return a manifest with the settings that its algorithm has gained; it keeps the digest of its checkpoints."""
    algorithm = manifest["spec"].get("algorithm")
    if not isinstance(algorithm, dict) or not isinstance(algorithm.get("settings"), dict):
        return manifest
    settings = algorithm["settings"]
    added = LATER_SETTINGS.get(str(algorithm.get("name")), {})
    if added.keys() <= settings.keys():
        return manifest
    spec = {**manifest["spec"], "algorithm": {**algorithm, "settings": {**added, **settings}}}
    return {"spec_digest": spec_digest(manifest["spec"]), **manifest, "spec": spec}


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
