"""Finds the front of a problem, says how good it is, and draws it: what ``make demo`` runs."""

from functools import partial
from pathlib import Path

import jax.numpy as jnp

import tensorrvea as tr


def main(directory: str = "out") -> None:
    problem = tr.problems.DTLZ2(objectives=3, variables=12)
    front = problem.front(2926)
    result = tr.optimize(
        problem,
        tr.TensorRVEA(population=1000),
        generations=500,
        seed=1,
        metrics={"igd": partial(tr.metrics.device.igd, front=jnp.asarray(front))},
        progress=True,
    )
    reference = [1.1, 1.1, 1.1]
    rows = {
        "non-dominated solutions": f"{len(result.F):,} of {result.vectors:,} places",
        "hypervolume": f"{tr.metrics.hypervolume(result.F, reference):.4f} (the true front: "
        f"{tr.metrics.hypervolume(front, reference):.4f}; reference {reference})",
        "IGD": f"{tr.metrics.igd(result.F, front):.5f}",
        "evaluations a second": f"{result.evaluations / result.seconds:,.0f}",
    }
    width = max(map(len, rows))
    print(f"\n{problem}, {result.evaluations:,} evaluations in {result.seconds:.2f} s")
    for name, value in rows.items():
        print(f"  {name:<{width}}  {value}")

    path = Path(directory) / "demo.png"
    path.parent.mkdir(exist_ok=True)
    result.plot().savefig(path, dpi=150)
    print(f"\n{path.resolve()}")


if __name__ == "__main__":
    main()
