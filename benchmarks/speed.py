"""Time per generation in the paper's two series and beyond, compared with other libraries.

    python benchmarks/speed.py                       the sizes of the README (about half an hour on two cores)
    python benchmarks/speed.py --series population   n = 32 … 16,384 at d = 100
    python benchmarks/speed.py --series dimension    d = 512 … 262,144 at n = 100
    python benchmarks/speed.py --series beyond       n to 2^20, this library alone

Writes ``out/speed/NAME.json`` (every measurement), ``.md`` (the table) and, for the two series, the log-log figure.
Each library runs in its own process and environment; those of pymoo and EvoX are created under ``out/environments``.
Since machines are noisy, libraries alternate within a round, and ratios are computed per round and given as median and
range over the rounds. The first call creates the problem, compiles, and runs.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent
OUT = HERE.parent / "out"
ENVIRONMENTS = {"pymoo": ["pymoo==0.6.2"], "evox": ["torch==2.13.0", "evox==1.4.0"]}

# Problem, n, d, seeds, and the generations per call of each library (fewer if it is slow).
SIZES = {
    "readme": [
        ("DTLZ2", 105, 12, 1, {"tensorrvea": 100, "rvea": 100, "paper_rvea": 100, "pymoo": 100, "evox": 100}),
        ("DTLZ2", 105, 12, 31, {"tensorrvea": 100, "pymoo": 100}),
        ("DTLZ1", 4096, 100, 1, {"tensorrvea": 50, "paper_rvea": 2, "pymoo": 3, "evox": 2}),
        ("DTLZ1", 16384, 100, 1, {"tensorrvea": 50, "paper_rvea": 1}),
        ("DTLZ1", 100, 262144, 1, {"tensorrvea": 100, "paper_rvea": 2, "evox": 2}),
    ],
    "population": [
        (
            "DTLZ1",
            n,
            100,
            1,
            {"tensorrvea": 100, "rvea": 20 if n < 4096 else 2, "paper_rvea": 20 if n < 1024 else 1}
            | ({"pymoo": 20 if n < 1024 else 2, "evox": 20 if n < 1024 else 2} if n <= 4096 else {}),
        )
        for n in (32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
    ],
    "dimension": [
        (
            "DTLZ1",
            100,
            d,
            1,
            {"tensorrvea": 100 if d < 65536 else 50}
            | dict.fromkeys(("rvea", "paper_rvea", "pymoo", "evox"), 10 if d < 32768 else 2),
        )
        for d in (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144)
    ],
    "beyond": [
        *(("DTLZ1", n, 100, 1, {"tensorrvea": 50}) for n in (4096, 8192, 16384, 32768, 65536)),
        ("DTLZ1", 2**20, 12, 1, {"tensorrvea": 10}),
    ],
}


def interpreter(library: str) -> str:
    """Return the Python of the library's environment, and create it if necessary."""
    if library not in ENVIRONMENTS:
        return sys.executable
    folder = OUT / "environments" / library
    python = folder / "bin" / "python"
    if not python.exists():
        print(f"creating the environment of {library} …", flush=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        for package in ENVIRONMENTS[library]:
            subprocess.run([python, "-m", "pip", "install", "--quiet", package], check=True)
    return str(python)


def measure(library: str, problem: str, n: int, d: int, seeds: int, generations: int) -> dict:
    command = [interpreter(library), HERE / "speed_worker.py", library, problem, n, d, generations, seeds]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=HERE, check=False)
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit {done.returncode}"}
    return json.loads(done.stdout.strip().splitlines()[-1])


def table(rows: list[dict]) -> str:
    columns = ("problem", "n", "d", "seeds", "library", "time per generation", "ratio to TensorRVEA")
    columns += ("evaluations per second", "first call", "peak MB")
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    for row in rows:
        size = f"| {row['problem']} | {row['n']:,} | {row['d']:,} | {row['seeds']} "
        for library, rounds in row["rounds"].items():
            good = [one for one in rounds if "times" in one]
            if not good:
                lines.append(size + f"| {library} | failed: {rounds[0].get('error', '')[:60]} | | | | |")
                continue
            time = median(median(one["times"]) for one in good)
            pairs = zip(rounds, row["rounds"]["tensorrvea"], strict=True)
            ratios = [median(a["times"]) / median(b["times"]) for a, b in pairs if "times" in a and "times" in b]
            spread = f"{median(ratios):.3g} ({min(ratios):.3g} to {max(ratios):.3g})"
            peak = max(one["peak_mb"] for one in good)
            first = median(one["first_call"] for one in good)
            rate = row["n"] * row["seeds"] / time
            lines.append(size + f"| {library} | {show(time)} | {spread} | {rate:,.0f} | {show(first)} | {peak:,.0f} |")
    return "\n".join(lines) + "\n"


def show(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def figure(rows: list[dict], series: str, path: Path) -> None:
    from matplotlib.figure import Figure

    axis, label = ("n", "population size") if series == "population" else ("d", "number of variables")
    drawing = Figure(figsize=(4.5, 3.4), layout="constrained")
    axes = drawing.subplots()
    for library in rows[0]["rounds"]:
        points = [(row[axis], median(median(one["times"]) for one in row["rounds"][library] if "times" in one))
                  for row in rows if any("times" in one for one in row["rounds"].get(library, []))]  # fmt: skip
        axes.loglog(*zip(*points, strict=True), marker="o", markersize=3, label=library)
    axes.set(xlabel=label, ylabel="time per generation [s]")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    drawing.savefig(path.with_suffix(".svg"))
    drawing.savefig(path.with_suffix(".png"), dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--series", choices=SIZES, default="readme")
    parser.add_argument("--rounds", type=int, default=3, help="number of measurements of each library")
    parser.add_argument("--only", nargs="*", help="libraries to measure; all by default")
    parser.add_argument("--largest", type=int, default=2**62, help="skip sizes with a larger n · d")
    options = parser.parse_args()
    folder = OUT / "speed"
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for problem, n, d, seeds, libraries in SIZES[options.series]:
        if n * d > options.largest:
            continue
        chosen = {name: g for name, g in libraries.items() if not options.only or name in options.only}
        row = {"problem": problem, "n": n, "d": d, "seeds": seeds, "rounds": {name: [] for name in chosen}}
        for _ in range(options.rounds):
            for library, generations in chosen.items():
                row["rounds"][library].append(measure(library, problem, n, d, seeds, generations))
        rows.append(row)
        print(table([row]), flush=True)
        (folder / f"{options.series}.json").write_text(json.dumps(rows, indent=1))
        (folder / f"{options.series}.md").write_text(table(rows))
    if options.series in ("population", "dimension"):
        figure(rows, options.series, folder / options.series)
    print(folder / f"{options.series}.md")


if __name__ == "__main__":
    main()
