"""Example runs for pages."""

import numpy as np

from tensorrvea.report import History, Part, Replay, Run


def sphere(rng, n, m):
    f = np.abs(rng.normal(size=(n, m)))
    return (f / np.linalg.norm(f, axis=1, keepdims=True)).astype(np.float32)


def walking(solution, frames=80):
    """A torso that moves forward with one swinging leg."""
    t = 0.05 * np.arange(frames)
    height, swing = 1 + 0.1 * np.sin(t), 0.5 * np.sin(3 * t)
    torso = np.stack([t - 0.4, height, t + 0.4, height], axis=1)
    leg = np.stack([t, height, t + 0.9 * np.sin(swing), height - 0.9 * np.cos(swing)], axis=1)
    parts = [Part(name="torso", radius=0.1), Part(name="leg", radius=0.05)]
    return Replay(solution=solution, seconds=0.05, parts=parts, ends=np.stack([torso, leg], axis=1))


def make_run(label="TensorRVEA", *, m=3, n=50, d=4, seed=0, replays=(), directions=None, **changes):
    rng = np.random.default_rng(seed)
    g = np.arange(11)
    directions = directions or ["min"] * m
    signs = np.array([1 if direction == "min" else -1 for direction in directions])
    known = {
        "label": label,
        "algorithm": label.partition(",")[0],
        "problem": "sphere",
        "objective_names": [f"goal {j + 1}" for j in range(m)],
        "units": ["kg"] + [""] * (m - 1),
        "directions": directions,
        "variable_names": [f"x{k + 1}" for k in range(d)],
        "X": rng.random((n, d)),
        "F": sphere(rng, n, m) * signs,
        "violation": np.zeros(n),
        "history": History(
            generations=g, seconds=0.1 * g, evaluations=(g + 1) * n, living=np.full(11, n),
            metrics={"hypervolume": 1 - 1 / (1 + g) + 0.01 * seed},
            fronts=[(int(t), (1 + 5 / (1 + t)) * sphere(rng, 20, m) * signs) for t in g],
        ),
        "replays": [walking(i) if isinstance(i, int) else i for i in replays],
        "provenance": {"seed": seed, "spec": {"population": n}, "command": "tensorrvea run sphere"},
    }  # fmt: skip
    return Run(**(known | changes))
