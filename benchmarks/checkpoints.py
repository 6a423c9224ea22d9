"""What it costs to keep a run in a directory, at the default interval of its checkpoints.

    python benchmarks/checkpoints.py [--seconds 70] [--rounds 3]

A run's clock counts its generations alone, so that what is left of the time that the call took is what keeping it cost:
opening the directory, all checkpoints, and writing the result. The same is printed for runs that are not kept. Code is
compiled before.
"""

import argparse
import shutil
import tempfile
import time
from pathlib import Path
from statistics import median

import tensorrvea as tr

SIZES = [(4_096, 1_000), (105, 12)]


def call(problem: tr.Problem, algorithm: tr.TensorRVEA, seconds: float, seed: int, directory: Path | None) -> dict:
    started = time.perf_counter()
    result = tr.optimize(problem, algorithm, seconds=seconds, seed=seed, directory=directory)
    took = time.perf_counter() - started
    return {"took": took, "generations": result.generations, "beside": (took - result.seconds) / took}


def size_of(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.iterdir())


def report(n: int, d: int, options: argparse.Namespace) -> None:
    problem, algorithm = tr.problems.DTLZ2(variables=d), tr.TensorRVEA(population=n)
    tr.optimize(problem, algorithm, seconds=0.1)  # compiles
    shares: dict[str, list[float]] = {"kept": [], "not kept": []}
    for seed in range(options.rounds):
        for kind, beside in shares.items():
            directory = Path(tempfile.mkdtemp(dir=options.out)) / "run"
            one = call(problem, algorithm, options.seconds, seed, directory if kind == "kept" else None)
            beside.append(one["beside"])
            size = f", {size_of(directory) / 1e6:.1f} MB in the end" if kind == "kept" else ""
            print(
                f"  n = {n:,}, d = {d:,}, {kind}: {one['took']:.1f} s, {one['generations']:,} generations, "
                f"{one['beside']:.2%} beside them{size}",
                flush=True,
            )
            shutil.rmtree(directory.parent)
    for kind, beside in shares.items():
        print(
            f"n = {n:,}, d = {d:,}, {kind}: {median(beside):.2%} ({min(beside):.2%} to {max(beside):.2%})", flush=True
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=70.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", help="where to keep the runs; the system's temporary directory if not given")
    options = parser.parse_args()
    for n, d in SIZES:
        report(n, d, options)


if __name__ == "__main__":
    main()
