"""LSMOP with thousands of variables: this library's algorithms and EvoMO's at equal evaluations.

    python benchmarks/large_scale_peers.py     # in an environment with EvoMO
    python benchmarks/large_scale.py

Every run is one small file in out/large_scale; those that are there are not run again. The tables are printed, and
written into docs/large_scale.md.
"""

import argparse
import re
import time
from pathlib import Path

import jax
import numpy as np
from large_scale_plan import BUDGET, OBJECTIVES, POPULATION, PROBLEMS, SEEDS, VARIABLES, sample_designs, save

import tensorrvea as tr

ALGORITHMS = {
    "TensorRVEA": tr.TensorRVEA(population=POPULATION),
    "TensorRVEA CSO": tr.TensorRVEA(population=POPULATION, variation=tr.CSO()),
    "LMOCSO": tr.LMOCSO(population=POPULATION),
    "TensorRVEA Lines": tr.TensorRVEA(population=POPULATION, variation=tr.Lines()),
}
PEERS = ("EvoMO LMOCSO", "EvoMO LSMOF", "EvoMO WOF")
RECOMMENDED = "TensorRVEA Lines"
FRONT_POINTS = 5000
# Problems other than LSMOP, to see what offspring on lines cost or gain.
OTHERS = ("ZDT1", "ZDT2", "ZDT3", "DTLZ2", "WFG4", "interior optimum")


def make_problem(name: str, variables: int) -> tr.Problem:
    if name == "interior optimum":
        return interior_optimum(variables)
    sizes = {} if name.startswith("ZDT") else {"objectives": OBJECTIVES}
    return tr.problems.named(name)(variables=variables, **sizes)


def interior_optimum(variables: int) -> tr.Problem:
    """Return ZDT1 with a random optimum inside the bounds for each variable, unrelated to its neighbours'."""
    optimum = np.random.default_rng(7).uniform(0.2, 0.8, variables - 1).astype(np.float32)

    def objectives(x: jax.Array) -> jax.Array:
        g = 1 + 9 * jax.numpy.abs(x[1:] - optimum).mean()
        return jax.numpy.stack([x[0], g * (1 - jax.numpy.sqrt(x[0] / g))])

    return tr.Problem(objectives, lower=np.zeros(variables), upper=np.ones(variables), objectives=2)


def front_of(name: str) -> np.ndarray:
    known = make_problem("ZDT1" if name == "interior optimum" else name, 1000)
    return known.front(FRONT_POINTS)


def run_ours(out: Path, names: tuple[str, ...], variables: int, algorithms: dict, seeds: range, until: float) -> None:
    """Run what is missing, all seeds of an algorithm on a problem after each other."""
    for label, algorithm in algorithms.items():
        for name in names:
            for seed in seeds:
                file = out / str(variables) / name / f"{label}-{seed}.npz"
                if file.exists() or time.perf_counter() > until:
                    continue
                begin = time.process_time()
                # The first population counts as well.
                generations = BUDGET // POPULATION - 1
                result = tr.optimize(make_problem(name, variables), algorithm, generations=generations, seed=seed)
                seconds = time.process_time() - begin
                assert result.evaluations == BUDGET, result.evaluations
                save(file, {"F": result.F, "evaluations": result.evaluations, "seconds": seconds})
                print(f"{name} {variables} {label} seed {seed}: {seconds:.1f} s", flush=True)


def check_definitions(out: Path, variables: int) -> float:
    """Return the largest relative difference between EvoMO's objective values and ours, for random designs."""
    differences = []
    for name in PROBLEMS:
        theirs = np.load(out / f"values-{variables}-{name}.npz")["F"].astype(float)
        ours = np.asarray(make_problem(name, variables).objective_values(sample_designs(variables)), float)
        differences.append((np.abs(ours - theirs) / np.maximum(np.abs(ours), 1e-3)).max())
    return float(np.max(differences))


def igd_of(file: Path, front: np.ndarray) -> float:
    f = np.load(file)["F"].astype(float)
    return tr.metrics.igd(f[tr.nondominated(f)], front)


def medians(out: Path, names: tuple[str, ...], variables: int, labels: tuple[str, ...], seeds: range) -> np.ndarray:
    """Return the median IGD of each problem (row) and algorithm (column); NaN where a run is missing."""
    table = np.full((len(names), len(labels)), np.nan)
    for i, name in enumerate(names):
        front = front_of(name)
        for j, label in enumerate(labels):
            files = [out / str(variables) / name / f"{label}-{seed}.npz" for seed in seeds]
            if all(file.exists() for file in files):
                table[i, j] = np.median([igd_of(file, front) for file in files])
    return table


def median_seconds(out: Path, variables: int, label: str, names: tuple[str, ...]) -> float:
    files = [out / str(variables) / name / f"{label}-{seed}.npz" for name in names for seed in range(SEEDS)]
    found = [float(np.load(file)["seconds"]) for file in files if file.exists()]
    return float(np.median(found)) if found else float("nan")


def markdown(names: tuple[str, ...], labels: tuple[str, ...], table: np.ndarray, last: list[str] | None = None) -> str:
    """Return a table with the best of each row in bold."""
    lines = [f"|  | {' | '.join(labels)} |", "|---" * (len(labels) + 1) + "|"]
    for name, row in zip(names, table, strict=True):
        best = np.nanmin(row) if np.isfinite(row).any() else np.nan
        cells = [f"**{value:.4g}**" if value == best else f"{value:.4g}" for value in row]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    if last is not None:
        lines.append(f"| {' | '.join(last)} |")
    return "\n".join(lines) + "\n"


def write(page: Path, mark: str, text: str) -> None:
    """Replace what is between the lines ``<!-- mark -->`` and ``<!-- end -->`` of a page."""
    print(text)
    pattern = re.compile(rf"(<!-- {mark} -->\n).*?(<!-- end -->)", re.DOTALL)
    page.write_text(pattern.sub(lambda match: f"{match[1]}\n{text}\n{match[2]}", page.read_text()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("out/large_scale"), help="directory of all runs")
    parser.add_argument("--page", type=Path, default=Path("docs/large_scale.md"))
    parser.add_argument("--seconds", type=float, default=float("inf"), help="start no run after this time")
    options = parser.parse_args()
    until = time.perf_counter() + options.seconds
    labels = (*ALGORITHMS, *PEERS)
    for variables in VARIABLES:
        run_ours(options.out, PROBLEMS, variables, ALGORITHMS, range(SEEDS), until)
        table = medians(options.out, PROBLEMS, variables, labels, range(SEEDS))
        ours, peers = table[:, labels.index(RECOMMENDED)], np.min(table[:, -len(PEERS) :], axis=1)
        seconds = ["seconds", *(f"{median_seconds(options.out, variables, label, PROBLEMS):.2g}" for label in labels)]
        text = markdown(PROBLEMS, labels, table, seconds)
        text += (
            f"\n{RECOMMENDED} is at most the best of EvoMO's on {(ours <= peers).sum()} of {len(PROBLEMS)} problems."
        )
        if all((options.out / f"values-{variables}-{name}.npz").exists() for name in PROBLEMS):
            difference = check_definitions(options.out, variables)
            text += (
                f" The two implementations of the problems agree on random designs to {difference:.1g} (relative).\n"
            )
        write(options.page, f"lsmop {variables}", text)
    chosen = {label: ALGORITHMS[label] for label in ("TensorRVEA", "TensorRVEA CSO", "LMOCSO", "TensorRVEA Lines")}
    run_ours(options.out, OTHERS, 1000, chosen, range(SEEDS), until)
    write(
        options.page,
        "others",
        markdown(OTHERS, tuple(chosen), medians(options.out, OTHERS, 1000, tuple(chosen), range(SEEDS))),
    )


if __name__ == "__main__":
    main()
