"""A run that saves every few generations, to be killed by a test."""

import tensorrvea as tr
from tensorrvea.runs import keep

GENERATIONS = 240


def run(directory: str | None) -> tr.Result:
    return tr.optimize(
        tr.problems.DTLZ2(objectives=3), tr.TensorRVEA(population=28, variation=tr.PSO()), generations=GENERATIONS,
        seed=7, directory=directory, checkpoint_seconds=0.0, every=4, callbacks=lambda _: None,
    )  # fmt: skip


def save_often(directory: str) -> None:
    keep.SHARE = 1e9
    run(directory)
