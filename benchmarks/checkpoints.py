"""Cost of saving a run in a directory at the default checkpoint interval.

    python benchmarks/checkpoints.py [--seconds 70] [--rounds 3]

The clock of a run counts generations only, so the rest of the call's time is the overhead of saving: opening the
directory, all checkpoints, and writing the result. Runs without a directory are measured for comparison. Everything is
compiled beforehand.
"""

import argparse
import shutil
import tempfile
import time
from pathlib import Path
from statistics import median

import tensorrvea as tr

SIZES = [(4_096, 1_000), (105, 12)]


def call(problem: tr.Problem, algorithm: tr.Evolution, seconds: float, seed: int, directory: Path | None) -> dict:
    started = time.perf_counter()
    result = tr.optimize(problem, algorithm, seconds=seconds, seed=seed, directory=directory)
    took = time.perf_counter() - started
    return {"took": took, "generations": result.generations, "overhead": (took - result.seconds) / took}


def size_of(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.iterdir())


def report(n: int, d: int, options: argparse.Namespace) -> None:
    problem, algorithm = tr.problems.DTLZ2(variables=d), tr.TensorRVEA.paper(population=n)
    tr.optimize(problem, algorithm, seconds=0.1)  # compiles
    overheads: dict[str, list[float]] = {"saved": [], "not saved": []}
    for seed in range(options.rounds):
        for kind, shares in overheads.items():
            directory = Path(tempfile.mkdtemp(dir=options.out)) / "run"
            run = call(problem, algorithm, options.seconds, seed, directory if kind == "saved" else None)
            shares.append(run["overhead"])
            size = f", {size_of(directory) / 1e6:.1f} MB at the end" if kind == "saved" else ""
            print(
                f"  n = {n:,}, d = {d:,}, {kind}: {run['took']:.1f} s, {run['generations']:,} generations, "
                f"{run['overhead']:.2%} overhead{size}",
                flush=True,
            )
            shutil.rmtree(directory.parent)
    for kind, shares in overheads.items():
        span = f"{min(shares):.2%} to {max(shares):.2%}"
        print(f"n = {n:,}, d = {d:,}, {kind}: {median(shares):.2%} ({span})", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=70.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", help="parent of the run directories; the system's temporary directory by default")
    options = parser.parse_args()
    for n, d in SIZES:
        report(n, d, options)


if __name__ == "__main__":
    main()
