"""The arena: all algorithms of this library beside pymoo's and EvoMO's, at equal evaluations. Makes docs/arena.md.

    PEERS/bin/python benchmarks/arena_peers.py --ours     pymoo's runs, with the Python of an environment that has numba
    PEERS/bin/python benchmarks/arena_evomo.py            EvoMO's runs, with the Python of an environment that has it
    python benchmarks/arena.py                            our runs, then the page from all runs that are there

All store every finished run in out/arena, and only make what is missing: stop and call them again at will. The metrics
of the peers' runs are also stored in arena_peers.csv, so that the page can be made without these runs.
Options reduce what is run; the page says what it shows. After Ctrl-C, the page is made of the runs that are finished.
"""

import argparse
import csv
import math
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from arena_problems import BUDGETS, OUR_SEEDS, PARTIAL, PROBLEMS, sizes

import tensorrvea as tr
from tensorrvea import plot
from tensorrvea.problem import Problem
from tensorrvea.problems import named
from tensorrvea.study import Cell, Study, Table, statistics

DEFAULT = "default"
ALGORITHMS = (
    DEFAULT,
    "SPEA2",
    "TensorRVEA",
    "AGEMOEA2",
    "NSGA2",
    "NSGA3",
    "IBEA",
    "SMSEMOA",
    "MOEAD",
    "RVEAStar",
    "CCMO",
)
ONLY_CONSTRAINED = ("CCMO",)
PEERS = ("pymoo", "EvoMO")
METRICS = ("igd", "igd_plus", "hypervolume")
FRONT_POINTS = 2000
TITLES = {"igd": "IGD", "igd_plus": "IGD+", "hypervolume": "Hypervolume"}
PEER_METRICS_FILE = Path(__file__).with_name("arena_peers.csv")

# Metrics by budget and problem, algorithm, and seed.
PeerMetrics = dict[tuple[int, str], dict[tuple[str, int], dict[str, float]]]


def make_problem(name: str) -> Problem:
    return named(name)(**sizes(name, PROBLEMS[name]))


def run_ours(out: Path, names: Iterable[str], algorithms: Iterable[str], budget: int, seeds: int) -> list[Study]:
    """Run our algorithms; one study per kind of problem, since algorithms and the population depend on it."""
    problems = {name: make_problem(name) for name in names}
    groups: dict[tuple[int, bool], list[str]] = {}
    for name in problems:
        groups.setdefault((PROBLEMS[name].objectives, PROBLEMS[name].is_constrained), []).append(name)
    studies = []
    for (objectives, is_constrained), group in groups.items():
        population = PROBLEMS[group[0]].population
        study = tr.compare(
            {name: problems[name] for name in group},
            {
                name: tr.default_algorithm(problems[group[0]])
                if name == DEFAULT
                else getattr(tr, name)(population=population)
                for name in algorithms
                if is_constrained or name not in ONLY_CONSTRAINED
            },
            evaluations=budget,
            seeds=seeds,
            metrics=METRICS,
            directory=out / "ours" / f"{budget}-{objectives}{'-constrained' if is_constrained else ''}",
        )
        studies.append(study)
        if study.stopped:
            break
    return studies


def peer_fronts(out: Path, budget: int, name: str) -> dict[tuple[str, int], np.ndarray]:
    """Return the fronts of the peers' runs that are there, by algorithm and seed; failed runs are left out."""
    found = {}
    for library in PEERS:
        for file in sorted((out / library / str(budget) / name).glob("*-*.npz")):
            if file.name.endswith(PARTIAL):
                continue
            algorithm, seed = file.stem.rsplit("-", 1)
            with np.load(file) as run:
                if "error" not in run:
                    found[f"{library} {algorithm}", int(seed)] = run["F"]
    return found


def read_peer_metrics() -> PeerMetrics:
    """Return the metrics of the peers' runs that were made before."""
    stored: PeerMetrics = {}
    if PEER_METRICS_FILE.exists():
        with PEER_METRICS_FILE.open(newline="") as file:
            for row in csv.DictReader(file):
                runs = stored.setdefault((int(row["budget"]), row["problem"]), {})
                runs[row["algorithm"], int(row["seed"])] = {metric: float(row[metric]) for metric in METRICS}
    return stored


def write_peer_metrics(stored: PeerMetrics) -> None:
    with PEER_METRICS_FILE.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("budget", "problem", "algorithm", "seed", *METRICS))
        for (budget, problem), runs in sorted(stored.items()):
            for (algorithm, seed), values in sorted(runs.items()):
                writer.writerow((budget, problem, algorithm, seed, *(f"{values[metric]:.6g}" for metric in METRICS)))


def assemble(ours: list[Study], out: Path, names: Iterable[str], budget: int, stored: PeerMetrics) -> Study:
    """Return one study of our runs and the peers', whose metrics are added to those that are stored."""
    study = Study(METRICS, front_points=FRONT_POINTS)
    for each in ours:
        for name, by_algorithm in each.runs.items():
            if name in names:
                for algorithm, runs in by_algorithm.items():
                    study.add_runs(each.problems[name], algorithm, runs, name=name)
    for name in list(study.runs):
        fronts, before = peer_fronts(out, budget, name), stored.setdefault((budget, name), {})
        for algorithm, seed in sorted({*fronts, *before}):
            problem = study.problems[name]
            if (algorithm, seed) in fronts:
                study.add(problem, algorithm, seed, fronts[algorithm, seed], name=name)
            else:
                study.add_values(problem, algorithm, seed, before[algorithm, seed], name=name)
    for row in study.records():
        if is_peer(row["algorithm"]):
            runs = stored[budget, row["problem"]]
            runs[row["algorithm"], row["seed"]] = {metric: row[metric] for metric in METRICS}
    return study


# The page


def is_peer(algorithm: str) -> bool:
    return algorithm.startswith(PEERS)


def medians_tables(study: Study, metric: str) -> list[Table]:
    """Medians and average ranks: a table of our algorithms with the ratios to the best peer, and one of the peers."""
    larger = study.indicators[metric].larger_is_better
    best_of = max if larger else min
    medians = {
        problem: {name: float(np.median(each)) for name, each in by_algorithm.items()}
        for problem, by_algorithm in study.values(metric).items()
    }
    ours, peers = ([name for name in study.algorithms if is_peer(name) == is_theirs] for is_theirs in (False, True))
    ranks = average_ranks(study, metric)
    tables = []
    for names in filter(None, (ours, peers)):
        rows = []
        for problem, values in medians.items():
            best = best_of(values.values())
            cells = [Cell(f"{values[k]:.4g}", values[k] == best) if k in values else Cell("–") for k in names]
            rows.append([Cell(problem), *cells, *(ratio_cells(values, best_of) if names is ours else [])])
        if ranks:
            best = min(ranks.values())
            cells = [Cell(f"{ranks[name]:.2f}", ranks[name] == best) for name in names]
            rows.append([Cell("average rank"), *cells, *([Cell("")] * 3 if names is ours else [])])
        ratios = ["best peer", "best of ours / best peer", "default / best peer"] if names is ours else []
        tables.append(Table(f"{TITLES[metric]}, {'ours' if names is ours else 'peers'}", ["", *names, *ratios], rows))
    return tables


def ratio_cells(medians: dict[str, float], best_of: Callable) -> list[Cell]:
    """The best median of the peers, and those of our best and of the default algorithm divided by it."""
    best_peer = best_of((value for name, value in medians.items() if is_peer(name)), default=math.nan)
    own = best_of(value for name, value in medians.items() if not is_peer(name))
    shown = [f"{value / best_peer:.3f}" if best_peer else "–" for value in (own, medians.get(DEFAULT, math.nan))]
    return [Cell(f"{best_peer:.4g}"), *map(Cell, shown)]


def summary(studies: dict[tuple[int, str], Study]) -> Table:
    """How far from the best peer ours are at most, and how the default ranks among the peers alone."""
    rows = []
    for (budget, kind), study in studies.items():
        for metric in METRICS:
            values = study.values(metric)
            medians = {p: {name: float(np.median(runs)) for name, runs in each.items()} for p, each in values.items()}
            larger = study.indicators[metric].larger_is_better
            best_of, worst_of = (max, min) if larger else (min, max)
            compared = {
                problem: {name: runs for name, runs in each.items() if name == DEFAULT or is_peer(name)}
                for problem, each in values.items()
                if DEFAULT in each and any(map(is_peer, each))
            }
            if not compared:
                continue
            best_peer = {p: best_of(v for name, v in medians[p].items() if is_peer(name)) for p in compared}
            ours = {p: best_of(v for name, v in medians[p].items() if not is_peer(name)) for p in compared}
            default = {p: medians[p][DEFAULT] for p in compared}
            shown = []
            for found in (ours, default):
                ratios = [(found[p] / best_peer[p], p) for p in compared if best_peer[p]]
                shown.append(Cell("{:.3f} ({})".format(*worst_of(ratios)) if ratios else "–"))
            most = max(map(len, compared.values()))
            full = {problem: each for problem, each in compared.items() if len(each) == most}
            ranks = statistics.average_ranks(full, larger_is_better=larger)
            own = ranks.pop(DEFAULT)
            rival = min(ranks, key=lambda name: ranks[name])
            shown += [Cell(f"{own:.2f}", own < ranks[rival]), Cell(f"{ranks[rival]:.2f} ({rival})", ranks[rival] < own)]
            rows.append([Cell(f"{budget:,}, {kind}"), Cell(TITLES[metric]), *shown])
    head = [
        "",
        "metric",
        "best of ours / best peer",
        "default / best peer",
        "rank of the default",
        "best rank of a peer",
    ]
    return Table("The worst ratio of all problems, and the average rank among the default and all peers", head, rows)


def average_ranks(study: Study, metric: str) -> dict[str, float]:
    """Return the average ranks over the problems on which all algorithms have runs; {} if there is none."""
    try:
        return study.ranks(metric)["ranks"]
    except ValueError:
        return {}


def tests_summary(study: Study, metric: str) -> Table:
    """How often each algorithm is significantly better and worse than each peer, over the problems."""
    ours = [name for name in study.algorithms if not is_peer(name)]
    peers = [name for name in study.algorithms if is_peer(name)]
    values, larger = study.values(metric), study.indicators[metric].larger_is_better
    counts: dict[tuple[str, str], list[int]] = {}
    for peer in peers:
        pairs = {
            problem: {name: each[name] for name in (*ours, peer) if name in each}
            for problem, each in values.items()
            if peer in each
        }
        for (_, name), test in statistics.comparisons(pairs, peer, larger_is_better=larger).items():
            counts.setdefault((name, peer), [0, 0, 0])["+≈-".index(test.mark)] += 1
    rows = [[Cell(name), *(Cell("/".join(map(str, counts.get((name, peer), "–")))) for peer in peers)] for name in ours]
    return Table(f"{TITLES[metric]}: problems on which ours is better / not different / worse", ["", *peers], rows)


def count_runs(study: Study) -> str:
    """Return how many runs each algorithm has on the problems, in words."""
    counted = []
    for name in study.algorithms:
        counts = [len(each[name]) for each in study.runs.values() if name in each]
        shown = str(min(counts)) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
        counted.append(f"{name} {shown}")
    return ", ".join(counted)


def write_page(page: Path, studies: dict[tuple[int, str], Study], command: str) -> None:
    lines = [
        "# The arena",
        "",
        "Algorithms of this library, of pymoo 0.6.2 and, where a table has it, of EvoMO 0.3.1, all with their default",
        "settings, at equal evaluations.",
        "Populations are 100 for two objectives and 105 for three. Fronts are `result.F` here and `res.F` there; IGD",
        f"and IGD+ are to about {FRONT_POINTS:,} points of the true front. Smaller is better for both, larger for the",
        "hypervolume. Tables have medians; the best of ours and of peers together is bold. Average ranks are among all",
        "of them, over the problems on which all have runs. The default is what `optimize` takes if no algorithm is",
        "given: `SPEA2` for two objectives, `TensorRVEA` for three, and `CCMO` with constraints. For three objectives,",
        "an earlier version of this page decided, since other problems",
        "[did not](algorithms.md#how-the-default-was-chosen): the default's rank here is a little optimistic.",
        "RVEA* and CCMO have two populations, and so fronts of up to twice as many solutions, which lowers their IGD.",
        "Distances on CRE31 and CRE22, whose objectives have different units, are in parts of the ranges of the front.",
        "HypE is not shown: its samples take longer than all others together. WFG and MaF have the small budget only,",
        "and EvoMO only the problems without constraints.",
        "Runs of peers that fail are left out: pymoo's AGE-MOEA-II divides by zero in some. Some settings of ours were",
        "chosen on other seeds (from 1000 on) of problems shown here, so these rows are no independent test: IBEA's",
        "variation and SPEA2's tournaments on ZDT6, SPEA2's also on ZDT4, TensorRVEA's mutation on ZDT6 and DTLZ1.",
        "",
        "```sh",
        "python benchmarks/arena_peers.py --ours    # in an environment with pymoo and numba",
        "python benchmarks/arena_evomo.py           # in an environment with EvoMO",
        command,
        "```",
        "",
        summary(studies).markdown(),
    ]
    for (budget, kind), study in studies.items():
        title = f"{kind.capitalize()} problems, {budget:,} evaluations"
        lines += [f"## {title}", "", f"Seeds per problem: {count_runs(study)}.", ""]
        for metric in METRICS:
            lines += [table.markdown() for table in medians_tables(study, metric)]
        if any(map(is_peer, study.algorithms)):
            lines += [tests_summary(study, "igd_plus").markdown()]
            lines += [
                "Wilcoxon rank-sum tests at 5 % with Holm's correction over the problems and algorithms of a column.",
                "",
            ]
        if not average_ranks(study, "igd_plus"):
            continue
        found = study.ranks("igd_plus")
        image = page.parent / "images" / f"arena_{kind}_{budget}.svg"
        image.parent.mkdir(parents=True, exist_ok=True)
        plot.save(study.plot("ranks", "igd_plus"), image)
        friedman = found["friedman_p"]
        shown = "" if math.isnan(friedman) else f" Friedman's test: p = {friedman:.2g}."
        lines += [
            f"Average ranks by IGD+ over {found['problems']} problems; those that a thick line joins do not differ",
            f"significantly (Nemenyi, 5 %).{shown}",
            "",
            f"![average ranks](images/{image.name})",
            "",
        ]
    page.write_text("\n".join(lines))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("out/arena"), help="directory of all runs")
    parser.add_argument("--page", type=Path, default=Path("docs/arena.md"))
    parser.add_argument("--budgets", type=int, nargs="*", default=BUDGETS)
    parser.add_argument("--problems", nargs="*", default=tuple(PROBLEMS))
    parser.add_argument("--algorithms", nargs="*", default=ALGORITHMS)
    parser.add_argument("--seeds", type=int, default=OUR_SEEDS)
    options = parser.parse_args()
    kinds = {"unconstrained": False, "constrained": True}
    studies, stored = {}, read_peer_metrics()
    for budget in options.budgets:
        shown = [name for name in options.problems if budget in PROBLEMS[name].budgets]
        ours = run_ours(options.out, shown, options.algorithms, budget, options.seeds)
        for kind, is_constrained in kinds.items():
            names = [name for name in shown if PROBLEMS[name].is_constrained == is_constrained]
            if names:
                studies[budget, kind] = assemble(ours, options.out, names, budget, stored)
        if any(study.stopped for study in ours):
            break
    write_peer_metrics(stored)
    studies = {key: study for key, study in studies.items() if study.runs}
    given = [f"--{name} {' '.join(map(str, value))}" for name, value in (
        ("budgets", options.budgets), ("problems", options.problems), ("algorithms", options.algorithms),
    ) if tuple(value) != tuple(parser.get_default(name))]  # fmt: skip
    seeds = [f"--seeds {options.seeds}"] if options.seeds != OUR_SEEDS else []
    write_page(options.page, studies, " ".join(["python benchmarks/arena.py", *given, *seeds]))
    print(f"wrote {options.page}")


if __name__ == "__main__":
    main()
